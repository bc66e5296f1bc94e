"""What a diff takes out, and who still uses that: functions and whole files. Pure.

A diff has no more than text of what is gone, so definitions are told by the shape of their lines.
Names that those lines only use do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from satchel.assembler.pasted import nearest
from satchel.assembler.pasted.diffs import Hunk
from satchel.assembler.pasted.seeds import Tree
from satchel.assembler.values import Required
from satchel.store.model import RepoPath
from satchel.store.records import ReferenceRecord

_MAX_USERS = 3
"""Users of one name that are shown."""
_MAX_USES = 400
"""Uses of one name that are looked through."""
_LEAST_NAME = 3
"""Letters of a variable that may be what others use of a file."""
_MODIFIERS = (
    r"(?:(?:pub(?:\([\w:]+\))?|public|private|protected|internal|static|final|abstract|async|export"
    r"|default|override|open|sealed|data|inline|const|unsafe|extern|virtual|partial|suspend"
    r"|declare)\s+)*"
)
_CLASS = "class|struct|interface|trait|enum|type|object|protocol|record|union"
_DEFINED = re.compile(
    rf"\s*{_MODIFIERS}(?:def|func|fun|function|fn|sub|{_CLASS})\s+(?:\([^)]*\)\s*)?\*?(\w+)"
)
_STATEMENT = (
    r"(?!\s*(?:return|raise|throw|throws|await|yield|new|else|elif|if|for|while|switch|case|catch"
    r"|assert|delete|del|go|defer|not|and|or|in|is|print|echo|puts|match|when|until|unless|do|try"
    r"|using|with|from|import|typeof|let|var|const|val|set|unset|call|require|include)\b)"
)
_TYPED = re.compile(rf"{_STATEMENT}\s*(?:[\w<>\[\],.&*?]+\s+)+?[&*]*(\w+)\s*(?:<[^>]*>)?\([^;]*$")
"""`int total(int n) {`: a function after its type."""
_BARE = re.compile(rf"{_STATEMENT}\s*(\w+)\s*(?:<[^>]*>)?\([^;\"'`()]*\)\s*(?::[^={{]*)?\{{\s*$")
"""`total(n) {`: a method of JavaScript."""
_OUTER = re.compile(
    rf"(?:{_MODIFIERS}(?:def|func|fun|function|fn|sub)\s+\*?(\w+)|\s*{_MODIFIERS}(?:{_CLASS})\s+(\w+)"
    r"|(?:export\s+)?(?:const|let|var|val)\s+(\w+)|(\w+)\s*(?::[^=]+)?=[^=])"
)
"""What other files can use of a file: what is not indented, and types wherever they are."""


def users(tree: Tree, hunks: Sequence[Hunk]) -> Iterator[Required]:
    """What uses the functions whose definitions a diff takes out, in its order."""
    for hunk in hunks:
        kept = {_defined(line[1:]) for line in hunk.body if line[:1] == "+"}
        gone = dict.fromkeys(_defined(line[1:]) for line in hunk.body if line[:1] == "-")
        for path in tree.matching(hunk.path)[:1]:
            for name in (name for name in gone if name and name not in kept):
                yield from nearest.users_of_removed(tree, name, path, _MAX_USERS)


def _defined(line: str) -> str:
    """What a line defines, "" for nothing."""
    found = _DEFINED.match(line) or _TYPED.match(line) or _BARE.match(line)
    return found[1] if found else ""


def users_of_files(
    tree: Tree, hunks: Iterable[Hunk], deleted: Iterable[str], n_shown: int
) -> list[Required]:
    """What uses the files that a diff takes out: product code first, then by path and line; at
    most `n_shown`, one in each function."""
    gone = set(deleted)
    found: list[tuple[ReferenceRecord, str]] = []
    for hunk in hunks:
        if hunk.path not in gone:
            continue
        removed = [line[1:] for line in hunk.body if line[:1] == "-"]
        names = dict.fromkeys(_outer(line) for line in removed)
        path = PurePosixPath(hunk.path)
        # Some files are the face of their folder, and are imported by its name.
        is_face = path.stem in {"__init__", "index", "mod", "lib"} or path.suffix == ".go"
        stem = path.parent.name if is_face else path.stem
        for name in (name for name in names if name):
            uses = _uses(tree, name, stem)
            found += [(use, f"uses {name}, removed with {hunk.path}") for use in uses]
    found.sort(key=lambda e: (tree.files[e[0].path].is_test, e[0].path, e[0].line))
    return nearest.first_uses(tree, found, n_shown)


def _outer(line: str) -> str:
    found = _OUTER.match(line)
    name = next(filter(None, found.groups()), "") if found else ""
    return name if len(name) >= _LEAST_NAME else ""


def _uses(tree: Tree, name: str, stem: str) -> list[ReferenceRecord]:
    """Uses of a name that may mean what is gone: nothing else is called so, or their file imports
    what is gone."""
    uses = tree.snapshot.symbols.references_to(name, _MAX_USES)
    tied = {path: _imports(tree, path, stem) for path in {use.path for use in uses}}
    is_elsewhere = bool(tree.snapshot.symbols.named(name))
    return [
        use
        for use in uses
        if not tree.defines(use.path, name)
        and (tied[use.path] or (not is_elsewhere and use.receiver in ("", stem)))
    ]


def _imports(tree: Tree, path: RepoPath, stem: str) -> bool:
    """Whether a file imports something called `stem`."""
    return any(
        stem in (re.split(r"[./:\\]+", each.module.strip("\"'")) or [""])[-2:] or each.name == stem
        for each in tree.imports(path)
    )

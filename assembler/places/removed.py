"""What a diff takes out, and who still uses that: functions and whole files. Pure.

A diff has no more than text of what is gone, so definitions are told by the shape of their lines.
Names that those lines only use do not count.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from satchel.assembler.places import nearest
from satchel.assembler.places.seeds import Tree
from satchel.assembler.query.artefacts import Artefact
from satchel.assembler.query.diffs import Hunk, State
from satchel.assembler.query.qualified import last_part
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
_EXTENSION = re.compile(
    rf"\s*{_MODIFIERS}(?:extension|impl(?:<[^>]*>)?(?!.*\bfor\b))\s+([\w.:]+)[^;]*$"
)
"""What adds members to a type; what a type has to have for a trait is called by other names too."""
_PROPERTY = re.compile(rf"\s*{_MODIFIERS}(?:var|let|val|const)\s+(\w+)")
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
    moved = _added(hunks)
    for hunk in hunks:
        kept = {_defined(line[1:]) for line in hunk.body if line[:1] == "+"}
        gone = dict.fromkeys(_defined(line[1:]) for line in hunk.body if line[:1] == "-")
        for path in tree.matching(hunk.path)[:1]:
            for name in (name for name in gone if name and name not in kept):
                now = moved.get(name, "")
                what = f"moved to {now}" if now and now != hunk.path else "removed here"
                yield from nearest.users_of_removed(tree, name, path, _MAX_USERS, what)


def _added(hunks: Iterable[Hunk]) -> dict[str, str]:
    """The files in which a diff adds definitions, by their names; the first one of each."""
    found: dict[str, str] = {}
    for hunk in hunks:
        for line in hunk.body:
            if line[:1] == "+" and (name := _defined(line[1:])):
                found.setdefault(name, hunk.path)
    return found


def _defined(line: str) -> str:
    """What a line defines, "" for nothing."""
    found = _DEFINED.match(line) or _TYPED.match(line) or _BARE.match(line)
    return found[1] if found else ""


def users_of_files(tree: Tree, artefact: Artefact, n_shown: int) -> list[Required]:
    """What uses the files that a diff takes out or renames: product code first, then by path and
    line; at most `n_shown`, one in each function."""
    moved = _added(hunk for hunk in artefact.hunks if hunk.state != State.GONE)
    changed = {hunk.path for hunk in artefact.hunks}
    found: list[tuple[ReferenceRecord, str]] = []
    for hunk in (hunk for hunk in artefact.hunks if hunk.state == State.GONE):
        removed = [line[1:] for line in hunk.body if line[:1] == "-"]
        outer = dict.fromkeys(map(_outer, removed))
        # Whoever uses a member of a type that is gone names the type as well.
        found_members = ((of, name) for of, name in _members(removed) if of not in outer)
        members = dict.fromkeys(name for _, name in found_members)
        for name in filter(None, outer | members):
            now = moved.get(name)
            what = f"moved to {now}" if now else f"removed with {hunk.path}"
            uses = _uses(tree, name, _stem(hunk.path), is_member=name in members)
            found += [(use, f"uses {name}, {what}") for use in uses]
    for old, new in artefact.moved:
        found += (
            (use, f"uses {use.name}, moved to {new}")
            for use in _uses_of_renamed(tree, old, new)
            # A file that changes with it has been looked at by whoever wrote the change.
            if use.path not in changed
        )
    found.sort(key=lambda e: (tree.files[e[0].path].is_test, e[0].path, e[0].line))
    return nearest.first_uses(tree, found, n_shown)


def _uses_of_renamed(tree: Tree, old: str, new: str) -> Iterator[ReferenceRecord]:
    """Uses of what a renamed file defines, in files that import it by the name it had."""
    stem = _stem(old)
    if stem == _stem(new):
        return
    names = {s.name for path in tree.matching(new)[:1] for s in tree.symbols(path)}
    for name in sorted(names):
        for use in tree.snapshot.symbols.references_to(name, _MAX_USES):
            if _imports(tree, use.path, stem):
                yield use


def _stem(written: str) -> str:
    """What a file is imported by: some are the face of their folder, and are imported by its
    name."""
    path = PurePosixPath(written)
    is_face = path.stem in {"__init__", "index", "mod", "lib"} or path.suffix == ".go"
    return path.parent.name if is_face else path.stem


def _members(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What lines of a file define in extensions of types, and of which; an extension has no name of
    its own."""
    depth, of = -1, ""
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if found := _EXTENSION.match(line):
            depth, of = indent, last_part(found[1])
        elif line.strip() and indent <= depth:
            depth = -1
        elif depth >= 0 and (name := _member(line)):
            yield of, name


def _member(line: str) -> str:
    found = _PROPERTY.match(line)
    return found[1] if found else _defined(line)


def _outer(line: str) -> str:
    found = _OUTER.match(line)
    name = next(filter(None, found.groups()), "") if found else ""
    return name if len(name) >= _LEAST_NAME else ""


def _uses(tree: Tree, name: str, stem: str, *, is_member: bool) -> list[ReferenceRecord]:
    """Uses of a name that may mean what is gone: nothing else is called so, or their file imports
    what is gone. A member of an extension is used with any receiver."""
    uses = tree.snapshot.symbols.references_to(name, _MAX_USES)
    tied = {path: _imports(tree, path, stem) for path in {use.path for use in uses}}
    is_elsewhere = bool(tree.snapshot.symbols.named(name))
    return [
        use
        for use in uses
        if not tree.defines(use.path, name)
        and (
            tied[use.path]
            or (not is_elsewhere and (is_member or last_part(use.receiver) in ("", stem)))
        )
    ]


def _imports(tree: Tree, path: RepoPath, stem: str) -> bool:
    """Whether a file imports something called `stem`."""
    return any(
        stem in (re.split(r"[./:\\]+", each.module.strip("\"'")) or [""])[-2:] or each.name == stem
        for each in tree.imports(path)
    )

"""Which ignore rules apply in a folder, and what they decide for a name in it.

A path is left out or kept by the first of these that matches it:
  1. `.git`, `.satchel`, `.hg`, `.svn`: always                                       "default"
  2. `extra_ignore`, then the nearest .satchelignore that matches; "!" overrides what follows
  3. dependency and cache folders, by name                                            "default"
     and folders by what lies in them (`indexer.scan.folder_marks`)
  4. git: the nearest .gitignore, info/exclude, core.excludesFile; a tracked file stays
Ignore files count outside a checkout too; above the root up to the top of its checkout, unless
they ignore the root itself. A nested repository is an ordinary folder: its .gitignore counts, its
info/exclude and tracked files are not asked for.

Of a file that has more than git's authors ever wrote, the rest is not in force (`_RULES_MAX_BYTES`,
`gitignore.Allowance`, which counts for a folder and all above it together); the walk lists such a
file as left out, with the reason.

Not here: rule syntax (`indexer.scan.gitignore`), git (`indexer.scan.git_checkout`), the walk
(`indexer.scan.walk`).
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.indexer.scan.folder_marks import BUILT_IN_RULE, CHECKOUT, mark_of
from satchel.indexer.scan.git_checkout import (
    checkout,
    core_settings,
    is_copy,
    tracked_but_ignored,
    worktrees_around,
)
from satchel.indexer.scan.gitignore import ALLOWANCE, RuleFile, decide, parse
from satchel.indexer.scan.open_below import read_regular_file, skipped, skipped_for_error
from satchel.store.model import Skipped, SkipReason
from satchel.store.platform.folders import OpenFolder, open_folder

GIT_RULES, OWN_RULES = b".gitignore", b".satchelignore"
RULE_FILES = frozenset({GIT_RULES, OWN_RULES})
_NEVER = frozenset({b".git", b".satchel", b".hg", b".svn"})
_DEPENDENCIES = frozenset(
    b"node_modules bower_components jspm_packages __pycache__ __pypackages__ .venv .tox .nox .eggs"
    b" .mypy_cache .pytest_cache .ruff_cache .gradle .terraform .dart_tool .bundle".split()
)
_RULES_MAX_BYTES = 1 << 20
"""What is read of an ignore file, to the last whole line: more would cost seconds."""


class WalkOptions(Struct, frozen=True):
    """`extra_ignore` holds gitignore patterns relative to the root, stronger than any file, and
    `tests` those of files that are tests (`indexer.scan.test_paths`)."""

    max_file_bytes: int = 1_000_000
    extra_ignore: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


class Folder(Struct, frozen=True):
    """A folder to be listed: `path` is "" or ends with "/", rule files come strongest first."""

    path: bytes
    own: tuple[RuleFile, ...]
    """The .satchelignore files in force."""
    git: tuple[RuleFile, ...]
    """The files in force that git reads too."""
    ignored_by: str = ""
    """The rule against it, when it is entered only for the tracked files in it."""
    is_reincluded: bool = False
    """Whether a rule of .satchelignore keeps it, whatever built-in rules and git say."""
    cut: Mapping[bytes, str] = field(default_factory=dict)
    """Names in it whose rules are not all in force, and from where on they are not."""


class Tree(Struct, frozen=True):
    """What stays the same during one walk; equal values lead to equal walks of an equal tree.

    `prefix` leads from the top of the checkout to root. `tracked` has the files git tracks although
    a rule ignores them, and the folders above them. `top` is the root with the rules above it.
    """

    root: bytes
    prefix: bytes
    max_file_bytes: int
    extra: tuple[RuleFile, ...]
    tracked: frozenset[bytes]
    top: Folder
    worktrees: bytes = b""
    """Where git keeps what it knows of the repository's worktrees; "" where root is in none."""
    tests: tuple[str, ...] = ()
    """The project's own patterns of tests: they leave nothing out, and say what a file is."""


def tree_at(root: Path, options: WalkOptions) -> Tree:
    """The rules in force at `root`; asks git twice, some 10 ms."""
    real = os.path.realpath(os.fsencode(root))
    settings = core_settings(real)
    prefix, top = _rules_above(real, settings.excludes_file)
    extra = parse(os.fsencode("\n".join(options.extra_ignore)), "extra_ignore", len(prefix))
    strongest = () if extra is None else (extra,)
    return Tree(
        real, prefix, options.max_file_bytes, strongest, tracked_but_ignored(real), top,
        worktrees_around(real, settings), options.tests,
    )  # fmt: skip


def apply_rules(tree: Tree, folder: Folder, name: bytes, *, is_dir: bool) -> Folder | str | None:
    """The rule that leaves out `name` in `folder`; else the folder it is, None for a file.

    A rule is named by where it stands, "src/.gitignore:3".
    """
    path = folder.path + name
    own = _own_rule(tree, folder, path, name, is_dir=is_dir)
    if own:
        return own
    git = folder.ignored_by
    # Below an ignored folder git asks no rule: nothing there can be included again.
    if not git and own is None:
        rule = decide(folder.git, tree.prefix + path, name, is_dir=is_dir)
        git = "" if rule is None or rule.negated else rule.source
    if git and path not in tree.tracked:
        return git
    if not is_dir:
        return None
    return Folder(path + b"/", folder.own, folder.git, git, is_reincluded=own is not None)


def _own_rule(tree: Tree, folder: Folder, path: bytes, name: bytes, *, is_dir: bool) -> str | None:
    """What Satchel's rules say: where the ignoring one stands, "" to keep, None for no opinion."""
    # Before every rule of a file, since no file of a tree may ask for `.git`.
    if name in _NEVER:
        return BUILT_IN_RULE
    if tree.extra or folder.own:
        rule = decide(tree.extra + folder.own, tree.prefix + path, name, is_dir=is_dir)
        if rule is not None:
            return "" if rule.negated else rule.source
    return BUILT_IN_RULE if is_dir and name in _DEPENDENCIES else None


def is_kept_by_own_rule(tree: Tree, path: bytes) -> bool:
    """Whether a rule of Satchel's own keeps a path, or a folder above it, that git may ignore.

    Raises: OSError when a folder on the way cannot be opened.
    """
    folder, names = tree.top, path.split(b"/")
    for depth, name in enumerate(names, start=1):
        with open_folder(tree.root, folder.path.rstrip(b"/")) as opened:
            folder = with_own_rules(folder, len(tree.prefix + folder.path), opened)
        at = folder.path + name
        if _own_rule(tree, folder, at, name, is_dir=depth < len(names)) == "":
            return True
        folder = replace(folder, path=at + b"/")
    return False


def left_out_whole(
    tree: Tree, folder: Folder, opened: OpenFolder, has: Callable[[bytes], bool]
) -> Skipped | None:
    """The record of a folder that what lies in it leaves out; `has` is asked for names in it."""
    # Whoever names a folder as the root, or keeps it by a rule, wants what is in it.
    if not folder.path or folder.is_reincluded:
        return None
    if has(CHECKOUT) and is_copy(tree.root, tree.worktrees, folder.path, opened):
        return skipped(folder.path, SkipReason.WORKTREE)
    mark = mark_of(folder.path, has)
    return skipped(folder.path, mark.reason, mark.detail) if mark else None


def with_own_rules(folder: Folder, base: int, opened: OpenFolder | None, at: bytes = b"") -> Folder:
    """The folder with the rules it brings itself in front of those from above."""
    own, git = (
        _parsed(_rule_text(at + name, opened), os.fsdecode(folder.path + name), base, above)
        for name, above in ((OWN_RULES, folder.own), (GIT_RULES, folder.git))
    )
    if not own and not git:
        return folder
    files = ((OWN_RULES, own), (GIT_RULES, git))
    cut = {name: file.cut for name, loaded in files for file in loaded if file.cut}
    return replace(folder, own=own + folder.own, git=git + folder.git, cut={**folder.cut, **cut})


def _rule_text(
    file: bytes, opened: OpenFolder | None = None, *, follow: bool = False
) -> bytes | None:
    """What is read of a rule file, at most a byte more than is in force.

    None when it cannot be read: git goes on without its rules too. Raises: OSError when the process
    is out of descriptors or memory.
    """
    try:
        content = read_regular_file(file, _RULES_MAX_BYTES, opened, follow=follow, cut=True)
    except OSError as error:
        skipped_for_error(file, error)  # raises when descriptors or memory ran out
        return None
    return content if isinstance(content, bytes) else None


def _parsed(
    content: bytes | None, origin: str, base: int = 0, above: tuple[RuleFile, ...] = ()
) -> tuple[RuleFile, ...]:
    """The rules of one file; none where there is no text."""
    if content is None:
        return ()
    is_long = len(content) > _RULES_MAX_BYTES
    # Up to the last whole line: half of a pattern may mean something else.
    if is_long:
        content = content[:_RULES_MAX_BYTES].rpartition(b"\n")[0]
    # The allowance is that of the whole chain, since all its rules are asked about one path.
    allowed = above[0].left if above else ALLOWANCE
    rule_file = parse(content, origin, base, allowed)
    if rule_file is None:
        return ()
    if is_long and not rule_file.cut:
        rule_file = replace(
            rule_file, cut=f"only its first {_RULES_MAX_BYTES:,} bytes are in force"
        )
    return (rule_file,)


def _rules_above(root: bytes, excludes_file: bytes) -> tuple[bytes, Folder]:
    """The way from the top of the checkout to root, and root under the rules in force above it."""
    top, shared = checkout(root)
    # git follows links to its own files, never to those of a working tree.
    user = _parsed(_rule_text(excludes_file, follow=True), "core.excludesFile")
    text = _rule_text(shared + b"/info/exclude", follow=True)
    exclude = _parsed(text, ".git/info/exclude", 0, user)
    parts = root[len(top) :].strip(b"/").split(b"/") if root != top else []
    above, way = Folder(b"", (), exclude + user if shared else user), b""
    for depth, part in enumerate(parts):
        up = replace(above, path=b"../" * (len(parts) - depth))
        above = with_own_rules(up, len(way), None, top.rstrip(b"/") + b"/" + way)
        # Someone who names an ignored folder as the root wants what is in it.
        rule = decide(above.own, way + part, part, is_dir=True)
        if rule is None:
            rule = decide(above.git, way + part, part, is_dir=True)
            above = replace(above, git=user) if rule and not rule.negated else above
        elif not rule.negated:
            above = replace(above, own=())
        way += part + b"/"
    # Rules of `.git` have no entry of their own in a walk.
    told = [f"info/exclude: {file.cut}" for file in exclude if file.cut]
    return way, replace(above, path=b"", cut={b".git": told[0]} if told else {})

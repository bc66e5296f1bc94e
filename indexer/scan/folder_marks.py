"""Folders that are left out as a whole, by what lies in them: caches, generated documentation,
dependencies that a package manager copied into the tree, and worktrees of the same repository.

A tool that writes a folder leaves files in it that nobody writes by hand. A folder is known by all
names of one row together, so that a person's `index.html` beside a `searchindex.js` of their own
hides nothing. Rules of .satchelignore that keep a folder are asked before (`ignore_rules`).

Not here: single files that were generated (`indexer.scan.classify`); folders of other people's code
without such marks, which are indexed and rank last (`assembler.ranking.path_roles`).
"""

from collections.abc import Callable
from typing import NamedTuple

from satchel.store.model import SkipReason

CHECKOUT = b".git"
"""What it says decides: `git_checkout.is_copy`."""
BUILT_IN_RULE = "default"
"""What is named as the reason where a rule of Satchel's own leaves a path out."""


class FolderMark(NamedTuple):
    """Names that together tell what wrote a folder; `folder` is how its path must end, if at all.

    `detail` says what wrote it.
    """

    reason: SkipReason
    detail: str
    names: frozenset[bytes]
    folder: bytes = b""


def _row(reason: SkipReason, detail: str, names: str, folder: str = "") -> FolderMark:
    return FolderMark(reason, detail, frozenset(names.encode().split()), folder.encode())


_IGNORED, _GENERATED, _VENDORED = SkipReason.IGNORED, SkipReason.GENERATED, SkipReason.VENDORED
_ROWS = (
    _row(_IGNORED, BUILT_IN_RULE, "pyvenv.cfg"),
    _row(_IGNORED, BUILT_IN_RULE, "CACHEDIR.TAG"),
    # What a documentation tool writes at the top of its output. javadoc 7, 8 to 9 and later differ.
    _row(_GENERATED, "javadoc", "package-list allclasses-noframe.html"),
    _row(_GENERATED, "javadoc", "package-list allclasses.html"),
    _row(_GENERATED, "javadoc", "element-list allclasses-index.html"),
    _row(_GENERATED, "javadoc", "element-list allclasses.html"),
    _row(_GENERATED, "dokka", "package-list navigation.html"),
    _row(_GENERATED, "doxygen", "doxygen.css dynsections.js"),
    _row(_GENERATED, "doxygen", "doxygen.css doxygen.png"),
    _row(_GENERATED, "doxygen", "doxygen.css tabs.css"),
    _row(_GENERATED, "sphinx", "objects.inv searchindex.js"),
    _row(_GENERATED, "rustdoc", "crates.js help.html settings.html"),
    _row(_GENERATED, "rustdoc", "search-index.js settings.html"),
    _row(_GENERATED, "typedoc", ".nojekyll assets modules.html"),
    # Copies that a package manager makes and makes again; what is changed in them is lost.
    _row(_VENDORED, "go mod vendor", "modules.txt", "vendor/"),
    _row(_VENDORED, "composer", "autoload.php composer", "vendor/"),
    _row(_VENDORED, "bundler", "ruby", "vendor/bundle/"),
    _row(_VENDORED, "cargo vendor", ".cargo-checksum.json"),
    _row(_VENDORED, "mix", ".hex"),
    _row(_VENDORED, "CocoaPods", "Manifest.lock", "Pods/"),
    _row(_VENDORED, "bower", ".bower.json"),
)
MARKS = frozenset(name for row in _ROWS for name in row.names) | {CHECKOUT}
"""Names that decide about the folder they lie in."""


def mark_of(path: bytes, has: Callable[[bytes], bool]) -> FolderMark | None:
    """The mark of the folder at `path`, which ends with "/"; `has` says whether a name is in it."""
    for row in _ROWS:
        # "vendor/" must be a whole name: `myvendor/` is another folder.
        if row.folder and not (b"/" + path).endswith(b"/" + row.folder):
            continue
        if all(map(has, row.names)):
            return row
    return None

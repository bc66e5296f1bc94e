"""Whether a file is test code, by the conventions of its language: paths only, no content.

Folders match as whole components, never as parts of a word: `src/latest/` and `contest.py` are
not tests. Where a bare `test` folder is also an ordinary package name (Django ships `django/test/`
to its users, a command line has `commands/test/`) it counts only at the top of the root or of a
workspace member such as `packages/x/`; deeper down the file's own name has to say it. Whatever
else lies in a test folder, helpers and data, is test code too: it serves nothing else. So are
Rust's benches.

The conventions are in the rows of the languages (`indexer.languages.code`); what a project says of
its own paths goes before them. Not here: tests inside a product file, such as Rust's
`#[cfg(test)]` (`indexer.extract.definitions`).
"""

import os
import re
from functools import lru_cache
from itertools import pairwise

from satchel.indexer.languages.detect import LANGUAGES
from satchel.indexer.languages.spec import CODE_TESTS, COMMON_TESTS, TestConvention
from satchel.indexer.scan.gitignore import RuleFile, decide, parse
from satchel.store.model import RepoPath
from satchel.store.reading.languages import is_unread

_WORKSPACES = frozenset(
    {"packages", "apps", "libs", "crates", "modules", "plugins", "services", "projects"}
)
_ANYWHERE = r"__(?:tests|testfixtures|fixtures|mocks|snapshots)__|testdata|test[_-]?fixtures?"
"""Folders that hold nothing but material of tests, whatever the language of a file in them."""
_CONVENTIONS = {language.name: language.tests for language in LANGUAGES}


def is_test_path(path: RepoPath, language: str, own: tuple[str, ...]) -> bool:
    """Whether the file serves tests and nothing else.

    `own` holds a project's own patterns (`index.tests`), in the syntax of gitignore: what one of
    them matches, and all below it, is test code, with "!" none; the innermost match decides.
    """
    at, is_folder = os.fsencode(path) if own else b"", False
    while at:
        above, _, last = at.rpartition(b"/")
        rule = decide(_rules(own), at, last, is_dir=is_folder)
        if rule is not None:
            return not rule.negated
        at, is_folder = above, True
    # Not `by_name`: the language may come from a damaged index, or be "" for none.
    usual = CODE_TESTS if is_unread(language) else COMMON_TESTS
    convention = _CONVENTIONS.get(language, usual)
    directory, _, name = path.rpartition("/")
    by_folder = _in_test_folder(directory, convention)
    return _matches(convention.name, name) if by_folder is None else by_folder


@lru_cache(maxsize=8)
def _rules(own: tuple[str, ...]) -> tuple[RuleFile, ...]:
    rules = parse(os.fsencode("\n".join(own)), "index.tests")
    return () if rules is None else (rules,)


@lru_cache(maxsize=1 << 12)
def _in_test_folder(directory: str, convention: TestConvention) -> bool | None:
    """Whether everything in a folder serves tests, or nothing; None when names decide."""
    folders = directory.split("/") if directory else []
    top = 2 if folders and folders[0] in _WORKSPACES else 0
    for position, (parent, folder) in enumerate(pairwise(["", *folders])):
        pair = f"{parent}/{folder}"
        if _matches(convention.folders, folder, pair) or _matches(_ANYWHERE, folder):
            return True
        if position == top and _matches(convention.top, folder):
            return True
        if _matches(convention.product, folder, pair):
            return False
    return None


def _matches(pattern: str, *names: str) -> bool:
    return any(re.fullmatch(pattern, name, re.DOTALL) for name in names)

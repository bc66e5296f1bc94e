"""Whether a file is test code, by the conventions of its language: paths only, no content.

Folders match as whole components, never as parts of a word: `src/latest/` and `contest.py` are
not tests. Where a bare `test` folder is also an ordinary package name (Django ships `django/test/`
to its users, a command line has `commands/test/`) it counts only at the top of the root or of a
workspace member such as `packages/x/`; deeper down the file's own name has to say it. Whatever
else lies in a test folder, helpers and data, is test code too: it serves nothing else. So are
Rust's benches.

Not here: tests inside a product file, such as Rust's `#[cfg(test)]`
(`indexer.extract.definitions`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from satchel.store.model import RepoPath

_NEVER = "(?!)"
_WORKSPACES = frozenset(
    {"packages", "apps", "libs", "crates", "modules", "plugins", "services", "projects"}
)


@dataclass(frozen=True, slots=True)
class Convention:
    """Where a language's test code lies; each field is a pattern for a whole name.

    `folders` and `product` are tried on every parent folder, alone and as "parent/folder"; the
    outermost match decides, so nothing below `product` is a test. `top` is tried at the top.
    """

    name: str = _NEVER
    folders: str = _NEVER
    top: str = _NEVER
    product: str = _NEVER


_ANY_LANGUAGE = Convention(folders="tests|__tests__|testdata", top="test")
_JAVASCRIPT = Convention(
    name=r".+[.-](?:test|spec|e2e|cy)\.[cm]?[jt]sx?",
    folders="__tests__|__mocks__|tests|cypress|e2e",
    top="test|spec",
)
_JVM_NAME = r".*(?:Tests?|TestCase)|.*[a-z0-9]IT(?:Case)?"
_JVM_FOLDERS = (
    "src/(?:test|it|testFixtures)"
    # Gradle and Kotlin source sets: src/androidTest, src/integrationTest, src/commonTest.
    "|src/[a-z][A-Za-z0-9]*Test"
)
_C = Convention(
    name=r"test_.+|.+[_-](?:tests?|unittest|gtest)\.\w+|.*Tests?\.\w+",
    folders="tests|test|unittests?|gtest",
)
_DOTNET = Convention(name=r".*Tests?\.(?:cs|fs|vb)", folders=r".*Tests?", top="tests?")

CONVENTIONS: dict[str, Convention] = {
    "bash": Convention(r".+\.bats|test_.+\.sh|.+[_-]test\.sh", "tests", "test|t"),
    "c": _C,
    "clojure": Convention(r".+_test\.clj[cs]?", "test"),
    "cpp": _C,
    "csharp": _DOTNET,
    "dart": Convention(r".+_test\.dart", "test|integration_test"),
    "elixir": Convention(r".+_test\.exs", "test"),
    "erlang": Convention(r".+_(?:SUITE|tests)\.erl", "test"),
    "fsharp": _DOTNET,
    "go": Convention(r".+_test\.go", "testdata", "tests?|e2e"),
    "groovy": Convention(rf"(?:{_JVM_NAME}|.+Spec)\.groovy", _JVM_FOLDERS, "tests?", "src/main"),
    "haskell": Convention(r".*(?:Spec|Tests?)\.hs", "tests?|spec"),
    "java": Convention(rf"(?:{_JVM_NAME})\.java", _JVM_FOLDERS, "tests?", "src/main"),
    "javascript": _JAVASCRIPT,
    "julia": Convention(r"runtests\.jl", "test"),
    "kotlin": Convention(rf"(?:{_JVM_NAME})\.kts?", _JVM_FOLDERS, "tests?", "src/main"),
    "lua": Convention(r".+_(?:spec|test)\.lua|test_.+\.lua", "spec|tests", "test"),
    "objc": _C,
    "ocaml": Convention(r"test_.+\.mli?|.+_test\.mli?", "tests?"),
    "perl": Convention(r".+\.t", "t|xt"),
    "php": Convention(r".*(?:Test|TestCase|Cest)\.php", "[tT]ests", "[tT]est"),
    "python": Convention(r"test_.*\.pyi?|.+_test\.py|tests\.py|conftest\.py", "tests", "test|t"),
    "r": Convention(r"test-.+\.[rR]", "tests|testthat"),
    # A gem's `lib/` is product, whatever it is called inside: rack-test has lib/rack/test.
    "ruby": Convention(r".+_(?:spec|test)\.rb|test_.+\.rb", "spec|tests?", "features", "lib"),
    "rust": Convention(r"tests\.rs|.+_tests?\.rs", "tests|benches"),
    "scala": Convention(
        rf"(?:{_JVM_NAME}|.+Spec|.+Suite)\.scala", _JVM_FOLDERS, "tests?", "src/main"
    ),
    "svelte": _JAVASCRIPT,
    "swift": Convention(r".*(?:Tests?|Spec)\.swift", r".*Tests"),
    "tsx": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "vue": _JAVASCRIPT,
    "zig": Convention(r"tests?\.zig|.+_test\.zig|test_.+\.zig", "tests?"),
}
"""Rows by the names of `detect`; a language without a row takes the common folders."""


def is_test_path(path: RepoPath, language: str) -> bool:
    """Whether the file serves tests and nothing else."""
    convention = CONVENTIONS.get(language, _ANY_LANGUAGE)
    directory, _, name = path.rpartition("/")
    said = _in_tests(directory, convention)
    return _is(convention.name, name) if said is None else said


@lru_cache(maxsize=1 << 12)
def _in_tests(directory: str, convention: Convention) -> bool | None:
    """Whether everything in a folder serves tests, or nothing; None when names decide."""
    folders = directory.split("/") if directory else []
    top = 2 if folders and folders[0] in _WORKSPACES else 0
    for position, (parent, folder) in enumerate(pairwise(["", *folders])):
        pair = f"{parent}/{folder}"
        if _is(convention.folders, folder, pair):
            return True
        if position == top and _is(convention.top, folder):
            return True
        if _is(convention.product, folder, pair):
            return False
    return None


def _is(pattern: str, *names: str) -> bool:
    return any(re.fullmatch(pattern, name, re.DOTALL) for name in names)

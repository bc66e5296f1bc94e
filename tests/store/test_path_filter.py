"""Filters of paths: what they mean, and that no pair of a glob and a path takes for ever."""

from __future__ import annotations

import random
from functools import cache

import pytest

from satchel.store import path_filter
from satchel.store.errors import UsageError


@pytest.mark.parametrize(
    ("wanted", "path", "is_meant"),
    [
        ("", "a.py", True),
        ("src/", "src/a.py", True),
        ("src/a", "src/abc.py", True),
        ("*.py", "src/deep/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("src/*", "src/x/y.py", True),
        ("lib/[ab].py", "lib/b.py", True),
        ("lib/[!ab].py", "lib/b.py", False),
        ("lib/\nsrc/", "src/a.py", True),
        ("lib/\n*.md", "src/a.py", False),
    ],
)
def test_a_path_filter_is_prefixes_and_globs(wanted: str, path: str, is_meant: bool):
    assert path_filter.admits(wanted, path) == is_meant


@pytest.mark.parametrize(
    "glob",
    [
        "*a" * 12 + "*b",
        "**a" * 12 + "**b",
        "**/a*" * 12 + "*b",
        "*/" * 30 + "*b",
        "**/" * 30 + "b",
        "?*" * 30 + "b",
        "[a]*" * 30 + "b",
    ],
)
@pytest.mark.parametrize("path", ["a" * 250, "a/" * 250, ("a" * 30 + "/") * 30])
def test_no_glob_is_slow_over_any_name(glob: str, path: str):
    """A reader of a hub may send the glob, and a repository may hold the name."""
    assert not path_filter.admits(glob, path)


def test_globs_mean_what_a_plain_reading_of_them_means():
    chosen = random.Random(7)
    tokens = ["a", "b", "/", "*", "?", "**", "**/", "[ab]", "[!a]"]
    n_admitted = 0
    for _ in range(5_000):
        glob = "".join(chosen.choices(tokens, k=chosen.randint(1, 7)))
        path = "".join(chosen.choices("ab/", weights=(3, 3, 2), k=chosen.randint(1, 9)))
        if not set("*?[") & set(glob):
            continue
        n_admitted += path_filter.admits(glob, path)
        assert path_filter.admits(glob, path) == _is_meant(glob, path), (glob, path)
    assert n_admitted > 300


def test_a_set_that_is_none_is_refused():
    with pytest.raises(UsageError, match="is no pattern"):
        path_filter.admits("[z-a]", "b")


def _is_meant(glob: str, path: str) -> bool:
    """By the words of the module, one way after the other."""
    glob = glob.rstrip("/")
    within = [n + 1 for n, c in enumerate(path) if c == "/"] if "/" not in glob else []
    ends = [n for n, c in enumerate(path) if c == "/"] + [len(path)]
    return any(_matches(glob, path[start:end]) for start in (0, *within) for end in ends)


@cache
def _matches(glob: str, path: str, at: int = 0) -> bool:
    """Whether a glob from a place on matches all of a path."""
    if at == len(glob):
        return not path
    if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
        starts = [0, *(n + 1 for n, c in enumerate(path) if c == "/")]
        return any(_matches(glob, path[n:], at + 3) for n in starts)
    if glob[at] == "*":
        n_stars = len(glob[at:]) - len(glob[at:].lstrip("*"))
        reach = len(path) if n_stars > 1 else len(path.split("/")[0])
        return any(_matches(glob, path[n:], at + n_stars) for n in range(reach + 1))
    if glob[at] == "[":
        end = glob.index("]", at)
        wanted = path[:1] in glob[at + 1 : end] and path[:1] != "!"
        is_one = path[:1] not in ("", "/") and wanted == (glob[at + 1] != "!")
        return is_one and _matches(glob, path[1:], end + 1)
    is_one = path[:1] not in ("", "/") if glob[at] == "?" else path[:1] == glob[at]
    return is_one and _matches(glob, path[1:], at + 1)


def test_a_folder_with_brackets_in_its_name_is_meant_as_it_is_written():
    assert path_filter.admits("pages/[[user]]", "pages/[[user]]/a.ts")
    assert path_filter.admits("pages/[[user]]/", "pages/[[user]]/a.ts")
    assert not path_filter.admits("pages/[[user]]", "pages/user/a.ts")

"""Which file a test file is named after: `test_shelf.py`, `shelf.spec.ts` and the like. Pure."""

import re
from collections.abc import Collection, Iterator

from satchel.store.model import RepoPath

_AFFIX = re.compile(
    r"^(?:[tT]ests?_?(?=[A-Z_a-z])|spec_(?=\w))"
    r"|(?:[._-]?(?:[tT]ests?|[sS]pec|TestCase|Suite|IT))+$"
)
"""What the name of a test file has around that of the file it tests."""
_OF_CODE = re.compile(r"(?:(\w+)(?:\.|#|::))?[.#]?(\w+[?!]?)(?:\(.*\))?")
"""A title that is no more than the name of what is tested: `.ip`, `#bar`, `Foo.bar`, `bar()`."""
_FAMILY = dict.fromkeys(("ts", "tsx", "jsx", "mjs", "cjs", "mts", "cts"), "js") | {
    "exs": "ex", "cc": "cpp", "cxx": "cpp", "hpp": "cpp", "h": "cpp", "c": "cpp",
}  # fmt: skip
"""Suffixes that mean the same language."""


def family(path: RepoPath) -> str:
    """The suffix of a file, one for all suffixes of a language."""
    suffix = path.rpartition(".")[2]
    return _FAMILY.get(suffix, suffix)


def name_key(path: RepoPath) -> str:
    """The name of a file in small letters, without its suffix and "_"."""
    return _stem(path).lower().replace("_", "")


def subjects(path: RepoPath) -> Iterator[str]:
    """Keys (`name_key`) of what a test file may be named after, likeliest first: of
    `test_util_shelf.py` that is `utilshelf`, then `shelf`."""
    words = _AFFIX.sub("", _stem(path)).split("_")
    return ("".join(words[n:]).lower() for n in range(len(words)))


def is_named_after(test: RepoPath, paths: Collection[RepoPath]) -> bool:
    """Whether a test file has the name of one of some files."""
    named = {(name_key(path).replace("-", ""), family(path)) for path in paths}
    return (next(subjects(test)).replace("-", ""), family(test)) in named


def tested(title: str) -> tuple[str, str]:
    """The name that is the whole of a title or of a test's name, and its owner; "" for none."""
    match = _OF_CODE.fullmatch(_AFFIX.sub("", title.strip()))
    return (match[2], match[1] or "") if match else ("", "")


def _stem(path: RepoPath) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]

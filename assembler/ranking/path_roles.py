"""What a path says about a file: stem, folders, and kind of place."""

import re
from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePosixPath

from msgspec import Struct

from satchel.assembler.query.read_query import Topic
from satchel.store import terms
from satchel.store.reading.languages import LanguageKind, kind_of

_EXAMPLES = frozenset({"examples", "example", "samples", "sample", "demo", "demos", "docs_src"})
_BENCHMARKS = frozenset({"bench", "benches", "benchmark", "benchmarks"})
_COMPATIBILITY = frozenset({"compat", "_compat", "legacy", "deprecated", "vendor", "third_party"})
_INSTALLED = frozenset({"node_modules", "site-packages", "dist-packages"})
_DOCUMENT_FOLDERS = frozenset({"docs", "doc", "documentation"})
_TRANSLATIONS = frozenset({"i18n", "l10n", "lang", "langs", "locale", "locales", "translations"})
_LANGUAGE_TAG = re.compile(r"(?:^|.*\.)[a-z]{2}(?:[-_][a-z]{2,4})?")
"""How catalogues in a folder of translations are called, and folders of them: `de`, `app.pt_br`."""
_CATALOGUES = (".po", ".pot", ".arb", ".resx", ".strings", ".xlf", ".xliff")
"""Formats of catalogues, whatever folder they are in."""
_DOCUMENTS = (LanguageKind.PROSE, LanguageKind.TEXT)
_REEXPORTS = re.compile(r"(?:__init__\.pyi?|package-info\.java|index\.[cm]?[jt]sx?|mod\.rs)$")
_DECLARATIONS = re.compile(r"\.(?:d\.[cm]?ts|pyi|h|hh|hpp|hxx)$")


class PathRole(Struct, frozen=True):
    """The searchable words of a path and what kind of place it is.

    `stem` and `folder` hold terms: of the file's name, and of the last two folders above it.
    """

    stem: frozenset[str]
    folder: frozenset[str]
    name: str
    topic: Topic | None
    is_compatibility: bool
    is_installed: bool
    """Whether it is code of a dependency, where a package manager put it."""
    is_reexport: bool
    is_declaration: bool


# Every candidate of every question is asked about, and the answer depends on nothing but the
# arguments.
@lru_cache(maxsize=1 << 16)
def role_of(path: str, language: str, is_test: bool) -> PathRole:
    """Read a path."""
    pure = PurePosixPath(path)
    folders = pure.parts[:-1]
    # A dotfile has nothing before its first dot, so its whole name is the stem.
    stem = pure.name.split(".", 1)[0] or pure.name
    lowered = {folder.lower() for folder in folders}
    return PathRole(
        stem=frozenset(terms.split(stem)),
        folder=frozenset(term for folder in folders[-2:] for term in terms.split(folder)),
        name=stem.lower(),
        topic=_topic(pure, lowered, language, is_test),
        is_compatibility=bool(lowered & _COMPATIBILITY) or stem.lower() in _COMPATIBILITY,
        # What lies outside of the root is there because dependencies are asked along.
        is_installed=pure.is_absolute() or path[1:3] == ":/" or bool(lowered & _INSTALLED),
        is_reexport=bool(_REEXPORTS.search(pure.name)),
        is_declaration=bool(_DECLARATIONS.search(pure.name)),
    )


class Role(IntEnum):
    """What a file, or a part of one, is to a reviewer, the most telling first."""

    PRODUCT = 0
    TEST = 1
    EXAMPLE = 2
    CONFIGURATION = 3
    DOCUMENT = 4
    HEAD = 5
    """Licences, imports and comments between definitions, of any file."""


_ROLES: Mapping[Topic | None, Role] = {
    Topic.TESTS: Role.TEST,
    Topic.EXAMPLES: Role.EXAMPLE,
    Topic.CONFIGURATION: Role.CONFIGURATION,
    Topic.TRANSLATIONS: Role.CONFIGURATION,
    Topic.DOCUMENTATION: Role.DOCUMENT,
}


def reviewed_as(path: str, language: str, is_test: bool) -> Role:
    """What a file is to a reviewer."""
    return _ROLES.get(role_of(path, language, is_test).topic, Role.PRODUCT)


def _topic(path: PurePosixPath, folders: set[str], language: str, is_test: bool) -> Topic | None:
    # The first that applies counts: a test below `docs` gets the penalty of tests only.
    if is_test or folders & _BENCHMARKS:
        return Topic.TESTS
    if folders & _EXAMPLES:
        return Topic.EXAMPLES
    # A catalogue repeats what code prints, whatever it is written in.
    parts = path.with_suffix("").parts if folders & _TRANSLATIONS else ()
    if path.suffix.lower() in _CATALOGUES or any(
        above.lower() in _TRANSLATIONS and _LANGUAGE_TAG.fullmatch(part.lower())
        for above, part in pairwise(parts)
    ):
        return Topic.TRANSLATIONS
    kind = kind_of(language)
    # HTML and CSS are code, as parts of a program, except in folders of documents.
    if kind in _DOCUMENTS or folders & _DOCUMENT_FOLDERS:
        return Topic.DOCUMENTATION
    return Topic.CONFIGURATION if kind is LanguageKind.CONFIGURATION else None

"""Languages as questions see them: what their files are for, and which of them call each other.

All else is in the rows of `indexer.languages`, which the reading side does not import; a test
compares names and families with them.
"""

from collections.abc import Mapping
from enum import StrEnum


class LanguageKind(StrEnum):
    """What the files of a language are for."""

    CODE = "code"
    """Parts of a program: templates, style sheets, schemas and build scripts too."""
    CONFIGURATION = "configuration"
    PROSE = "prose"
    """Documents, in a markup for text."""
    TEXT = "text"
    """Text without a markup: documents, data, output of programs."""


_KINDS: Mapping[str, LanguageKind] = {
    **dict.fromkeys(
        ("dockerfile", "ini", "json", "makefile", "toml", "yaml"), LanguageKind.CONFIGURATION
    ),
    **dict.fromkeys(("asciidoc", "latex", "markdown", "org", "rst"), LanguageKind.PROSE),
    "text": LanguageKind.TEXT,
}
"""Languages that are no code, which all others are: also those that no row reads, and those that an
index of another version has."""

UNREAD = "."
"""What names of languages begin with that have no row, and are called by the extension of their
files; all of the name where there is no extension. Such files are code."""

FAMILIES = (
    frozenset({"javascript", "typescript", "tsx", "vue", "svelte", "astro"}),
    frozenset({"c", "cpp", "objc"}),
    frozenset({"java", "kotlin", "scala", "groovy"}),
    frozenset({"ruby", "erb"}),
    frozenset({"ocaml", "ocaml_interface"}),
)

RECEIVERS = frozenset(
    {"python", "javascript", "typescript", "tsx", "vue", "svelte", "astro", "php", "go", "rust"}
)
"""Languages in which members are always written behind a receiver and a ".", "->" or "::"."""


def is_unread(language: str) -> bool:
    """Whether files of a language are not parsed, and known by words of declarations alone."""
    return language.startswith(UNREAD)


def kind_of(language: str) -> LanguageKind:
    """The kind of a language."""
    return _KINDS.get(language, LanguageKind.CODE)


def family_of(language: str) -> frozenset[str]:
    """The languages whose code may call code in this one, itself among them."""
    return next((family for family in FAMILIES if language in family), frozenset({language}))

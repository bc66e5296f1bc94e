"""How a file's language is recognised, and the rows of all languages Satchel reads.

Adding a language is adding a row to `languages.code` or `languages.documents`, and for code a query
file in `queries/` (see `satchel.indexer.languages.spec`).
"""

import re
from functools import lru_cache

from satchel.indexer.languages import notebook, notebook_size
from satchel.indexer.languages.code import CODE
from satchel.indexer.languages.documents import DOCUMENTS
from satchel.indexer.languages.outlines import lines
from satchel.indexer.languages.rows.further import FURTHER
from satchel.indexer.languages.rows.outlined import OUTLINED
from satchel.indexer.languages.spec import CODE_TESTS, Language
from satchel.store.reading.languages import UNREAD, is_unread

PROGRAMMING = (*CODE, *FURTHER, *OUTLINED)
LANGUAGES: tuple[Language, ...] = (*PROGRAMMING, *DOCUMENTS)
TEXT = "text"
_EXTENSION = re.compile(r"[\w+-]{1,16}", re.ASCII)
_HEAD_BYTES = 16_384
"""4,096 tell a C++ header from a C one, 128 do for the rest; notebooks may name theirs late."""


# Built once: every file of a tree is looked up in these tables.
_BY_NAME = {language.name: language for language in LANGUAGES}
_BY_EXTENSION = {e: language for language in LANGUAGES for e in language.extensions}
_BY_FILENAME = {f: language for language in LANGUAGES for f in language.filenames}
_BY_INTERPRETER = {i: language for language in LANGUAGES for i in language.interpreters}


@lru_cache(maxsize=1 << 12)  # one object a name, and not a new one for each file
def by_name(name: str) -> Language:
    """The row called `name`; for a name with a dot, that of code which no row reads.

    Raises:
        KeyError: there is none.
    """
    if is_unread(name):
        return Language(name, outline=lines.unknown, tests=CODE_TESTS)
    return _BY_NAME[name]


def family_name(language: str) -> str:
    """The family of a language (`Language.family`): the first of those that share definitions."""
    return by_name(language).family or language


def languages_of(family: str) -> tuple[str, ...]:
    """The names of the languages of a family, in the order of their rows."""
    return tuple(name for name in _BY_NAME if family_name(name) == family)


def is_code(path: str) -> bool:
    """Whether a file's name alone says that it is code: text and data are not."""
    return detect(path) in PROGRAMMING


_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?([^/\s]+)(?:[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*+([^\s/]+))?")


def detect(path: str, data: bytes = b"") -> Language:
    """The language of a file by name, then by extension, then by `#!` line.

    Whatever is not known prose, output or data is code: a language without a row is called by the
    extension of its files, as in ".dart".

    `data` is the file or the start of it, of which `_HEAD_BYTES` are looked at.
    """
    head = data[:_HEAD_BYTES]
    name = path.rpartition("/")[2]
    if name.endswith(notebook_size.EXTENSION):
        return _BY_NAME.get(notebook.language_of(head)) or by_name(TEXT)
    # A whole name says more than its extension: CMakeLists.txt is no text.
    if name in _BY_FILENAME:
        return _BY_FILENAME[name]
    # Of `a.blade.php`, ".blade.php" is tried first; a dot at the beginning or the end begins none.
    at = -1 if name.endswith(".") else name.find(".", len(name) - len(name.lstrip(".")))
    while at >= 0:
        suffix = name[at:]
        at = name.find(".", at + 1)
        # As written first, then in small letters: `.PY` of other file systems is Python.
        found = _BY_EXTENSION.get(suffix) or _BY_EXTENSION.get(suffix.lower())
        if found:
            return by_name(found.sniff(head)) if found.sniff else found
    stem = name.partition(".")[0]
    if stem in _BY_FILENAME:  # Dockerfile.dev, Makefile.in
        return _BY_FILENAME[stem]
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?php"):
        return _BY_NAME["php"]
    return _by_shebang(head) or _BY_FILENAME.get(name.upper()) or by_name(_unread(name))


def _unread(name: str) -> str:
    """What code is called that no row reads, by the name of its file."""
    stem, _, extension = name.rpartition(".")
    if not stem.strip("."):  # `.gitignore` and the like say what tools do, `Procfile` is code
        return TEXT if extension != name else UNREAD
    return f"{UNREAD}{extension.lower()}" if _EXTENSION.fullmatch(extension) else UNREAD


def _by_shebang(head: bytes) -> Language | None:
    shebang = _SHEBANG.match(head)
    if shebang is None:
        return None
    program, argument = shebang[1].decode("ascii", "replace"), shebang[2]
    # `#!/usr/bin/env python3` names the interpreter behind `env`.
    if program == "env" and argument:
        program = argument.decode("ascii", "replace")
    return _BY_INTERPRETER.get(program.rstrip("0123456789."))  # python3.11

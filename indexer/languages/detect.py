"""How a file's language is recognised, and the rows of all languages Satchel reads.

Adding a language is adding a row to `languages.code` or `languages.documents`, and for code a query
file in `queries/` (see `satchel.indexer.languages.spec`).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePosixPath

from satchel.indexer.languages.code import CODE
from satchel.indexer.languages.documents import DOCUMENTS
from satchel.indexer.languages.spec import Language

LANGUAGES: tuple[Language, ...] = (*CODE, *DOCUMENTS)
TEXT = "text"


@cache
def _tables() -> tuple[dict[str, Language], dict[str, Language], dict[str, Language]]:
    by_extension = {e: language for language in LANGUAGES for e in language.extensions}
    by_filename = {f: language for language in LANGUAGES for f in language.filenames}
    by_interpreter = {i: language for language in LANGUAGES for i in language.interpreters}
    return by_extension, by_filename, by_interpreter


@cache
def by_name(name: str) -> Language:
    """The row called `name`.

    Raises:
        KeyError: there is none.
    """
    return {language.name: language for language in LANGUAGES}[name]


_SHEBANG = re.compile(rb"#!\s*\S*?([^/\s]+)(?:[ \t]+(?:-\S+[ \t]+)*([^\s/]+))?")


def detect(path: str, head: bytes = b"") -> Language:
    """The language of a file by name, then by extension, then by `#!` line; plain text at last.

    `head` is the start of the file; 4096 bytes tell a C++ header from a C one, 128 do for the rest.
    """
    by_extension, by_filename, by_interpreter = _tables()
    name = PurePosixPath(path).name
    if name in by_filename:
        return by_filename[name]
    suffixes = PurePosixPath(name).suffixes  # of `a.blade.php`, ".blade.php" is tried first
    for start in range(len(suffixes)):
        suffix = "".join(suffixes[start:])
        found = by_extension.get(suffix) or by_extension.get(suffix.lower())
        if found:
            return by_name(found.sniff(head)) if found.sniff else found
    stem = name.partition(".")[0]
    if stem in by_filename:  # Dockerfile.dev, Makefile.in
        return by_filename[stem]
    shebang = _SHEBANG.match(head)
    if shebang:
        program, argument = shebang[1].decode("ascii", "replace"), shebang[2]
        if program == "env" and argument:
            program = argument.decode("ascii", "replace")
        program = program.rstrip("0123456789.")  # python3.11
        if program in by_interpreter:
            return by_interpreter[program]
    return by_name(TEXT)

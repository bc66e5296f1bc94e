"""Symbols against a second source: `python -m bench.retrieval.declarations TREE …`, a row a tree.

The second source is `ctags` (Universal Ctags, `--ctags PROGRAM`) where it reads the language, else
the lines that declare something by a keyword of the language (`KEYWORDS`), outside of comments and
strings as the grammar sees them: what a parser loses without an error shows there. A declaration is
found when its line, or one beside it, lies in a symbol of its name; a symbol is when the second
source has the name in that file.

    recall     share of the second source's declarations that are symbols
    precision  share of functions, types and modules among the symbols that the second source has;
               only for ctags, whose kinds are those

`--missed N` prints the first N of each that the other side lacks.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.nothing import require
from satchel.indexer.extract.analyze import analyze
from satchel.indexer.extract.parse import is_quoted, parse
from satchel.indexer.languages import detect
from satchel.indexer.languages.keywords import KEYWORDS, declarations, plain
from satchel.indexer.languages.spec import Language
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.indexer.scan.walk import FoundFile, read, walk
from satchel.store.model import FUNCTIONS, TYPES, SymbolKind

CTAGS = {
    "ada": "Ada", "awk": "Awk", "bash": "Sh", "c": "C", "clojure": "Clojure", "cobol": "Cobol",
    "cpp": "C++", "csharp": "C#", "dlang": "D", "elixir": "Elixir", "elm": "Elm",
    "erlang": "Erlang", "fortran": "Fortran", "go": "Go", "java": "Java",
    "javascript": "JavaScript", "julia": "Julia", "kotlin": "Kotlin", "lua": "Lua",
    "matlab": "MatLab", "objc": "ObjectiveC", "ocaml": "OCaml", "pascal": "Pascal",
    "perl": "Perl", "php": "PHP", "powershell": "PowerShell", "python": "Python", "r": "R",
    "ruby": "Ruby", "rust": "Rust", "tcl": "Tcl", "typescript": "TypeScript",
    "verilog": "Verilog", "vhdl": "VHDL", "vim": "Vim",
}  # fmt: skip
"""What ctags calls the languages that have rows here."""
_KINDS = FUNCTIONS | TYPES | {SymbolKind.MODULE, SymbolKind.MACRO}
_NO_DECLARATIONS = frozenset(
    "variable field parameter local namespace packageImport import functionVar globalVar label"
    " enumerator port signal constant register prototype val constructor RecordField vector list"
    " dataframe nameattr knownVar other alias package unknown property accessor anonMember event"
    " typeParameter define macro header heredoc getter setter typedef net instance block"
    " component".split()
)
"""Kinds of ctags that are no functions, types or modules."""
_TEST = re.compile(r"(?:^|/)x?(?:[tT]ests?|t)/|[._-][tT]ests?\.|_SUITE\.")
_IS_ANONYMOUS = re.compile(r"(?:_*anon|AnonymousFunction)").match
_Place = tuple[str, int, int]
"""A name with its first and last line, from 1."""


@dataclass(slots=True)
class Sheet:
    """What both sources say of one language in one tree; places by file."""

    declared: dict[str, set[_Place]] = field(default_factory=lambda: defaultdict(set))
    """Functions, types and modules of the product among the symbols."""
    symbols: dict[str, set[_Place]] = field(default_factory=lambda: defaultdict(set))
    theirs: dict[str, set[_Place]] = field(default_factory=lambda: defaultdict(set))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench.retrieval.declarations", description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--ctags", default="ctags", help="program (default: ctags)")
    parser.add_argument("--language", nargs="*", help="names of rows")
    parser.add_argument("--missed", type=int, default=0, metavar="N")
    options = parser.parse_args(arguments)
    print("| language | tree | files | second source | recall | precision |")
    print("|---|---|--:|--:|--:|--:|")
    n_rows = 0
    for tree in options.trees:
        sheets = _sheets(tree, options)
        n_rows += len(sheets)
        for language, sheet in sorted(sheets.items()):
            _print_row(language, tree.name, sheet, options.missed)
    require(n_rows, "file of these languages in any tree")
    return 0


def _sheets(tree: Path, options: argparse.Namespace) -> dict[str, Sheet]:
    sheets: dict[str, Sheet] = defaultdict(Sheet)
    for entry in walk(tree, WalkOptions()):
        data = read(tree, entry.path, WalkOptions()) if isinstance(entry, FoundFile) else None
        if not isinstance(data, bytes):
            continue
        language = detect.detect(entry.path, data)
        wanted = options.language or {*KEYWORDS, *CTAGS}
        if language.name in wanted and language.name in {*KEYWORDS, *CTAGS}:
            _add_file(entry.path, data, language, sheets[language.name])
    for name, sheet in sheets.items():
        if name in CTAGS:
            _add_tags(tree, CTAGS[name], sheet, options.ctags)
    return sheets


def _add_file(path: str, data: bytes, language: Language, sheet: Sheet) -> None:
    for symbol in analyze(data, language).symbols:
        place = (plain(symbol.name), symbol.span.start_line, symbol.span.end_line)
        sheet.symbols[path].add(place)
        if symbol.kind in _KINDS and not symbol.is_test and not _TEST.search(path):
            sheet.declared[path].add(place)
    if language.name in KEYWORDS:
        sheet.theirs[path] |= set(_by_keyword(language, data))


def _by_keyword(language: Language, data: bytes) -> Iterator[_Place]:
    is_quoted_at = partial(is_quoted, parse(data, language.grammar))
    for name, start in declarations(language.name, data, is_quoted_at):
        line = data.count(b"\n", 0, start) + 1
        yield name, line, line


def _add_tags(tree: Path, language: str, sheet: Sheet, program: str) -> None:
    done = subprocess.run(
        [program, "--output-format=json", "--fields=+nK", f"--language-force={language}",
         "-f", "-", "-L", "-"],
        input="\n".join(sheet.symbols), cwd=tree, capture_output=True, encoding="utf-8",
        errors="replace", check=True,
    )  # fmt: skip
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        name = plain(tag.get("name", ""))
        wanted = tag.get("kind") not in _NO_DECLARATIONS and re.search(r"\w", name)
        if tag.get("_type") == "tag" and wanted and not _IS_ANONYMOUS(name):
            sheet.theirs[tag["path"]].add((name, tag["line"], tag["line"]))


def _has(places: set[_Place], wanted: _Place) -> bool:
    return any(n == wanted[0] and a - 1 <= wanted[1] <= b + 1 for n, a, b in places)


def _print_row(language: str, tree: str, sheet: Sheet, n_missed: int) -> None:
    theirs = [
        (path, each) for path, all_of in sorted(sheet.theirs.items()) for each in sorted(all_of)
    ]
    ours = [
        (path, each) for path, all_of in sorted(sheet.declared.items()) for each in sorted(all_of)
    ]
    named = {path: {name for name, *_ in all_of} for path, all_of in sheet.theirs.items()}
    missed = [t for t in theirs if not _has(sheet.symbols[t[0]], t[1])]
    extra = [o for o in ours if o[1][0] not in named.get(o[0], ())] if language in CTAGS else []
    recall = f"{1 - len(missed) / len(theirs):.3f}" if theirs else "–"
    precision = f"{1 - len(extra) / len(ours):.3f}" if ours and language in CTAGS else "–"
    counts = f"{len(sheet.symbols)} | {len(theirs):,}"
    print(f"| {language} | {tree} | {counts} | {recall} | {precision} |")
    for title, entries in (("missed", missed), ("only ours", extra)):
        for path, (name, line, _) in entries[:n_missed]:
            print(f"    {title}: {path}:{line} {name}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

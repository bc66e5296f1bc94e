"""Questions that the code itself gives: descriptions, messages, names, each with its function."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from satchel.store import terms
from satchel.store.model import FUNCTIONS, TYPES
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SymbolRecord

Case = dict[str, Any]
_DOCS, _SYMBOLS, _ERRORS, _TESTS = 16, 6, 6, 6
"""Questions of a repository, at most, by kind."""
_SENTENCE = re.compile(r"^(.{15,200}?)(?:[.:;](?:\s|$)|\n\s*\n|$)", re.DOTALL)
_LITERAL = re.compile(r"\"((?:[^\"\\\n]|\\.){20,160})\"|'((?:[^'\\\n]|\\.){20,160})'")
_RAISES = re.compile(r"raise|throw|panic|[Ee]rror|[Ee]xception|fail|abort|die\b|warn|log\.")
_PLACE = re.compile(r"%[-+#0-9.]*[a-z]|\$?\{[^}]*\}|#\{[^}]*\}|\$\w+")
_FILLED = ("17", "main", "users", "0x1f", "config.json", "None", "example")
_ALNUM = re.compile(r"[^\W_]")


def asked(index: Snapshot, tree: Path, chance: random.Random) -> list[Case]:
    """The questions of a snapshot, a few of each kind, drawn by `chance`."""
    product, tests = _symbols(index)
    chance.shuffle(product)
    chance.shuffle(tests)
    return [
        *_first(_described(product), _DOCS),
        *_first(_named(product, chance), _SYMBOLS),
        *_first(_raised(product, tree, chance), _ERRORS),
        *_first(_tested(index, tests), _TESTS),
    ]


def blank(tree: Path, cases: Sequence[Case]) -> None:
    """Take the words of doc comments that were asked out of the tree, line by line."""
    for case in cases:
        if case["kind"] != "doc":
            continue
        target, file = case["targets"][0], tree / case["targets"][0]["path"]
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        lines = text.split("\n")
        said = " ".join(case["doc"].split())
        for number in range(target["start_line"] - 1, min(target["end_line"], len(lines))):
            words = " ".join(re.sub(r"^[\s/*#!%;\"'@|-]+|[\s*/\"']+$", "", lines[number]).split())
            if len(words) >= 8 and words in said:
                lines[number] = _ALNUM.sub("", lines[number])
        file.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")


def _first(cases: Iterator[Case], limit: int) -> list[Case]:
    return [case for _, case in zip(range(limit), cases, strict=False)]


def _symbols(index: Snapshot) -> tuple[list[SymbolRecord], list[SymbolRecord]]:
    product: list[SymbolRecord] = []
    tests: list[SymbolRecord] = []
    for file in index.files.all():
        for symbol in index.symbols.of_file(file.path):
            if symbol.kind in FUNCTIONS or symbol.kind in TYPES:
                (tests if symbol.is_test else product).append(symbol)
    return product, tests


def _target(symbol: SymbolRecord) -> Case:
    return {
        "path": symbol.path,
        "start_line": symbol.span.start_line,
        "end_line": symbol.span.end_line,
        "function": symbol.qualified_name,
    }


def _described(symbols: Sequence[SymbolRecord]) -> Iterator[Case]:
    for symbol in symbols:
        match = _SENTENCE.match(symbol.doc.strip())
        if match is None or symbol.kind not in FUNCTIONS:
            continue
        sentence = " ".join(match.group(1).split())
        if 4 <= len(re.findall(r"[A-Za-z]{2,}", sentence)) <= 25 and "@" not in sentence:
            yield {
                "query": sentence,
                "kind": "doc",
                "doc": symbol.doc,
                "targets": [_target(symbol)],
            }


def _named(symbols: Sequence[SymbolRecord], chance: random.Random) -> Iterator[Case]:
    n_named: dict[str, int] = {}
    for symbol in symbols:
        n_named[symbol.name] = n_named.get(symbol.name, 0) + 1
    for symbol in symbols:
        parts = symbol.qualified_name.split(".")
        if len(symbol.name) < 4 or n_named[symbol.name] > 3:
            continue
        whole = ".".join(parts[-2:])
        words = " ".join(terms.split(symbol.name)[1:]) or symbol.name
        forms = [symbol.name, whole, f"where is {symbol.name} defined", words]
        if n_named[symbol.name] == 1:
            yield {"query": chance.choice(forms), "kind": "symbol", "targets": [_target(symbol)]}


def _raised(symbols: Sequence[SymbolRecord], tree: Path, chance: random.Random) -> Iterator[Case]:
    for symbol in symbols:
        if symbol.kind not in FUNCTIONS:
            continue
        lines = (tree / symbol.path).read_text(encoding="utf-8", errors="replace").split("\n")
        for line in lines[symbol.line - 1 : symbol.span.end_line]:
            literal = _LITERAL.search(line)
            if literal is None or not _RAISES.search(line[: literal.start()]):
                continue
            text = next(filter(None, literal.groups()))
            message = _PLACE.sub(lambda _: chance.choice(_FILLED), text)
            if len(re.findall(r"[A-Za-z]{2,}", message)) >= 4 and "\\" not in message:
                yield {"query": message, "kind": "message", "targets": [_target(symbol)]}
                break


def _tested(index: Snapshot, tests: Sequence[SymbolRecord]) -> Iterator[Case]:
    for test in tests:
        words = [w for w in terms.split(test.name)[1:] if w not in ("test", "it", "should")]
        if test.kind not in FUNCTIONS or len(words) < 3:
            continue
        called = {e.target for e in index.symbols.edges_from([test.id]) if e.confidence >= 0.5}
        found = [
            s for s in index.symbols.by_id(sorted(called)) if s.kind in FUNCTIONS and not s.is_test
        ]
        if 1 <= len(found) <= 3:
            spelled = re.sub(r"^[Tt]ests?_?", "", test.name)
            spelled = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", spelled).replace("_", " ")
            yield {
                "query": spelled.strip(),
                "kind": "test",
                "targets": [_target(symbol) for symbol in found],
            }

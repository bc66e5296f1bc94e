"""Mine (question, code) pairs from package archives with Satchel's own extractor.

    python training/mine.py ARCHIVES OUT [SCALE]

ARCHIVES is searched for *.tgz, *.tar.*, *.zip, *.whl and *.crate; a Debian source package is its
`*.orig*.tar.*` with the `*.debian.tar.*` beside it, which says the licence. Each package under a
permissive licence gives OUT/NAME.pkl: its term vocabulary, its pairs as term ids and counts, and
the spellings X

Pairs, by kind: first sentence of a doc comment, rest of it, comment inside a function, its name,
its file's path, a document's heading and prose; each with the code it speaks of, from which the
words that were taken as the question are removed.
"""

from __future__ import annotations

import os
import pickle
import random
import re
import sys
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from satchel.indexer.extract import analyze
from satchel.indexer.languages import detect
from satchel.store import terms
from satchel.store.model import FUNCTIONS, FileFacts, Symbol, SymbolKind

KINDS = ("doc", "rest", "comment", "name", "path", "prose")
MAX_BYTES = 900_000  # of one package: many small packages teach more than few large ones
MAX_FILE = 120_000
MAX_PAIRS = 1_500
MAX_BODY = 4_000
PERMISSIVE = re.compile(
    r"\b(mit|expat|x11|bsd|apache|isc|zlib|bsl|boost|unlicense|cc0|0bsd|python-2|psf|php|ruby"
    r"|artistic-2|public.domain|libpng|curl|wtfpl|blueoak)",
    re.I,
)
COPYLEFT = re.compile(r"\b(a?gpl|lgpl|gfdl|epl|cddl|sspl|busl|cc-by-(nc|sa)|ms-pl|eupl|osl)", re.I)
WORDINGS = {
    "MIT": "Permission is hereby granted, free of charge",
    "BSD": "Redistribution and use in source and binary forms",
    "Apache": "Apache License",
    "ISC": "Permission to use, copy, modify, and/or distribute this software for any purpose",
    "Zlib": "This software is provided 'as-is', without any express or implied warranty",
    "BSL": "Boost Software License",
    "Unlicense": "This is free and unencumbered software released into the public domain",
    "GPL": "GENERAL PUBLIC LICENSE",
    "MPL": "Mozilla Public License",
}
BENCHMARK = frozenset(
    "flask model2vec requests express gin chi commons-lang jackson-databind guzzle monolog sinatra"
    " rack trpc ktor cats click serde zod phoenix newtonsoft.json newtonsoft-json dapper exposed"
    " http4s snapkit fmt fmtlib curl redis bats-core pandoc mini.nvim zig-clap celery clap composer"
    " cppcheck detekt elixir gitextensions hono mocha prometheus rubocop scalafmt scrapy"
    " valkey".split()
)
SKIPPED = re.compile(
    r"(^|/)(node_modules|third_?party|vendor|vendored|_vendor|external|deps|bower_components"
    r"|dist-info|debian|locale|locales|i18n)/|\.min\.|bundle|\.d\.ts$|_pb2|\.pb\.|generated"
    r"|(^|/)(cjs|esm\d*|umd|lib-?cjs|lib-?esm|dist-?cjs)/",
    re.I,
)
TYPES = frozenset(
    {SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.TRAIT, SymbolKind.STRUCT, SymbolKind.ENUM}
)
COMMENT = re.compile(r"^\s*(?:#+|//+|--+|;+|\*)\s?(?P<text>[A-Za-z].{14,})$")
FENCE = re.compile(r"^(?:```|~~~).*?\n(.*?)^(?:```|~~~)", re.M | re.S)
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
TAG = re.compile(r"^\s*(?:[@:\\]\w+|-{3,}|={3,}|Args|Parameters|Returns|Example|>>>)", re.M)


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The regular files of an archive, without the folder that holds them all."""
    if archive.suffix in {".whl", ".zip"}:
        with zipfile.ZipFile(archive) as file:
            for info in file.infolist():
                if not info.is_dir() and info.file_size <= MAX_FILE:
                    yield info.filename, file.read(info)
        return
    with tarfile.open(archive) as file:
        for member in file:
            if member.isfile() and member.size <= MAX_FILE:
                data = file.extractfile(member)
                yield member.name.partition("/")[2], data.read() if data else b""


def licence(archive: Path, files: dict[str, bytes]) -> str:
    """What the package says of its licence, shortly; "?" when it does not say."""
    side = next(archive.parent.glob(archive.name.partition(".orig")[0] + "*.debian.tar.*"), None)
    if ".orig" in archive.name and side:
        with tarfile.open(side) as file:
            data = file.extractfile("debian/copyright")
            text = data.read().decode("utf-8", "replace") if data else ""
        stanza = re.search(r"^Files: *\*.*?^License: *(\S[^\n]*)", text, re.M | re.S)
        if stanza:
            return stanza[1]
    return _declared(files) or _recognised(files) or "?"


def _declared(files: dict[str, bytes]) -> str:
    for path, data in files.items():
        name = PurePosixPath(path).name
        text = data[:20_000].decode("utf-8", "replace")
        if name == "package.json" and path.count("/") == 0:
            found = re.search(r'"license"\s*:\s*(?:\{\s*"type"\s*:\s*)?"([^"]+)"', text)
            return found[1] if found else ""
        if name in {"METADATA", "PKG-INFO"}:
            pattern = r"^(?:License|License-Expression|Classifier: License ::) *:? *(.+)$"
            return " ".join(re.findall(pattern, text, re.M))[:200]
    return ""


def _recognised(files: dict[str, bytes]) -> str:
    """The licences whose wording stands in the topmost licence files."""
    texts = [
        " ".join(data[:20_000].decode("utf-8", "replace").split())
        for path, data in files.items()
        if re.fullmatch(r"(licen[cs]e|copying|mit-license|unlicense)[^/]*", path, re.I)
    ]
    return " ".join(name for name, words in WORDINGS.items() if any(words in t for t in texts))


def is_permissive(text: str) -> bool:
    """Whether a licence line names a permissive licence and no copyleft one."""
    return bool(PERMISSIVE.search(text)) and not COPYLEFT.search(text)


class Pairs:
    """Collects pairs as term ids of a vocabulary of its own."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.spellings: Counter[tuple[str, str]] = Counter()
        self.rows: list[tuple[int, str, str]] = []
        self.encoded: list[np.ndarray] = []
        self.seen: set[int] = set()

    def add(self, kind: str, question: str, code: str) -> None:
        """One pair, unless it was there before."""
        key = zlib.crc32((question + "\0" + code).encode("utf-8", "replace"))
        if key not in self.seen:
            self.seen.add(key)
            self.rows.append((KINDS.index(kind), question, code))

    def finish(self, limit: int) -> dict[str, Any]:
        """Everything mined, numbers in flat arrays: an encoded text is ids then counts."""
        random.Random(0).shuffle(self.rows)
        kinds, questions, codes = [], [], []
        texts: dict[str, int] = {}
        for kind, question, code in self.rows[:limit]:
            asked = self._encode(question)
            if len(asked) < 4 or len(code) < 30:
                continue
            if code not in texts:
                texts[code] = len(self.encoded)
                self.encoded.append(self._encode(code))
            kinds.append(kind)
            questions.append(asked)
            codes.append(texts[code])
            for word in PART.findall(question):
                self.spellings[terms.stem(word.lower()), word.lower()] += 1
        return {
            "terms": list(self.ids),
            "kinds": kinds,
            "questions": questions,
            "codes": codes,
            "texts": self.encoded,
            "spellings": dict(self.spellings),
        }

    def _encode(self, text: str) -> np.ndarray:
        counts = terms.term_counts(text)
        ids = [self.ids.setdefault(term, len(self.ids)) for term in counts]
        return np.array(ids + list(counts.values()), dtype=np.int32)


def mine_file(path: str, data: bytes, pairs: Pairs) -> None:
    """All pairs of one file."""
    language = detect.detect(path, data[:4096])
    if language.name == "markdown":
        _mine_markdown(data.decode("utf-8", "replace"), pairs)
    if not language.grammar:
        return
    facts = analyze.analyze(data, language)
    spoken = " ".join(PurePosixPath(path).with_suffix("").parts[-3:])
    for index, symbol in enumerate(facts.symbols):
        if symbol.kind in FUNCTIONS or symbol.kind in TYPES:
            _mine_symbol(facts, index, symbol, data, spoken, pairs)


def _mine_symbol(
    facts: FileFacts, index: int, symbol: Symbol, data: bytes, path: str, pairs: Pairs
) -> None:
    raw = data[symbol.span.start_byte : symbol.span.end_byte].decode("utf-8", "replace")
    lines = _without(raw[:MAX_BODY].splitlines(), symbol.doc)
    if len(lines) < 3 and not symbol.doc:
        return
    owner = facts.symbols[symbol.parent].name if symbol.parent >= 0 else ""
    body = "\n".join(lines)
    chunk = f"{owner} {symbol.signature}\n{body}"
    first, rest = sentences(symbol.doc)
    if first:
        pairs.add("doc", first, chunk)
    if rest:
        pairs.add("rest", rest, chunk)
    pick = random.Random(f"{path}{symbol.qualified_name}")
    if len(lines) < 4:
        return
    for comment in _comments(lines)[:2]:
        kept = "\n".join(line for line in lines if comment not in line)
        pairs.add("comment", comment, f"{owner} {symbol.signature}\n{kept}")
    if pick.random() < 0.6:
        nameless = re.sub(rf"\b{re.escape(symbol.name)}\b", " ", body)
        pairs.add("name", f"{' '.join(PART.findall(symbol.name))} {owner}", nameless)
    if pick.random() < 0.1:
        pairs.add("path", path, chunk)


def _without(lines: list[str], doc: str) -> list[str]:
    """The lines that say nothing of `doc`."""
    said = [line.strip() for line in doc.splitlines() if len(line.strip()) > 3]
    if not said:
        return lines
    whole = "\n".join(said)
    return [
        line
        for line in lines
        if not any(part in line for part in said) and (line.strip(" */#!-\t\"'") not in whole)
    ]


def _comments(lines: list[str]) -> list[str]:
    found = [match["text"].strip() for line in lines if (match := COMMENT.match(line))]
    return [text for text in found if is_prose(text)]


def is_prose(text: str) -> bool:
    """Whether `text` reads like a sentence, not like code that was commented out."""
    found = re.findall(r"[A-Za-z]{2,}", text)
    letters = sum(c.isalpha() or c == " " for c in text)
    return len(found) >= 3 and letters > 0.8 * len(text) and text.isascii()


def sentences(doc: str) -> tuple[str, str]:
    """The first sentence of a doc comment and the prose after it, "" for what is too short."""
    prose = TAG.split(re.sub(r"<[^>]+>|\{@\w+ ([^}]*)\}", r" \1", doc), maxsplit=1)[0]
    parts = re.split(r"(?<=[.!?])\s+|\n\s*\n", prose.strip(), maxsplit=1)
    first = " ".join(parts[0].split())[:300]
    rest = " ".join(parts[1].split())[:600] if len(parts) > 1 else ""
    return (first if is_prose(first) else ""), (rest if len(rest.split()) >= 6 else "")


def _mine_markdown(text: str, pairs: Pairs) -> None:
    for section in re.split(r"^(?=#{1,4} )", text, flags=re.M):
        prose = FENCE.sub(" ", section).strip()
        code = "\n".join(FENCE.findall(section))
        if 40 < len(code) < MAX_BODY and len(prose.split()) >= 4:
            pairs.add("prose", " ".join(prose.split()[:60]), code)


def mine(job: tuple[Path, Path, int]) -> str:
    """Mine one archive; returns a line for the log."""
    archive, out, scale = job
    name = re.sub(r"(\.orig.*|\.tar.*|\.tgz|\.whl|\.zip)$", "", archive.name)
    target = out / f"{name}.pkl"
    if target.exists():
        return f"{name}: there already"
    try:
        everything = dict(members(archive))
        says = licence(archive, everything)
    except (OSError, tarfile.TarError, zipfile.BadZipFile, KeyError, EOFError) as error:
        return f"{name}: {error}"
    if not is_permissive(says):
        return f"{name}: licence {says!r} not taken"
    pairs = Pairs()
    size = _mine_files(everything, pairs, scale * MAX_BYTES)
    result = pairs.finish(scale * MAX_PAIRS)
    n_pairs = len(result["kinds"])
    if n_pairs < 5:
        return f"{name}: nothing"
    temporary = target.with_suffix(".tmp")
    temporary.write_bytes(pickle.dumps({"name": name, "licence": says, **result}))
    temporary.rename(target)
    return f"{name}: {n_pairs} pairs of {size // 1000} kB, {says[:40]}"


def _mine_files(everything: dict[str, bytes], pairs: Pairs, limit: int) -> int:
    """Mine files in a scattered order until `limit` bytes are read; returns how many were."""
    size = 0
    for path in sorted(everything, key=lambda path: zlib.crc32(path.encode("utf-8", "replace"))):
        data = everything[path]
        if size > limit:
            break
        if not _is_wanted(path, data):
            continue
        size += len(data)
        try:
            mine_file(path, data, pairs)
        except (RecursionError, ValueError, MemoryError):
            continue
    return size


def _is_wanted(path: str, data: bytes) -> bool:
    """Whether a file is source that people wrote, in a language with a grammar, or Markdown."""
    parts = {part.lower() for part in PurePosixPath(path).parts}
    if SKIPPED.search(path) or parts & BENCHMARK:
        return False
    if len(max(data.split(b"\n"), key=len, default=b"")) > 1_000:
        return False
    language = detect.detect(path, data[:4096])
    return bool(language.grammar) or language.name == "markdown"


def main() -> None:
    """Mine every archive below the first argument, two at a time."""
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    wanted = re.compile(r"(\.orig(-\w+)?\.tar\.\w+|\.tgz|\.tar|\.tar\.gz|\.whl|\.zip)$")
    archives = [
        path
        for path in sorted(source.rglob("*"))
        if wanted.search(path.name)
        and ".debian.tar" not in path.name
        and not {path.name.split(sep)[0].lower() for sep in "-_"} & BENCHMARK
    ]
    archives.sort(key=lambda path: zlib.crc32(path.name.encode()))
    scale = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    jobs = [(path, out, scale) for path in archives]
    with Pool(min(2, os.cpu_count() or 1), maxtasksperchild=40) as pool:
        for line in pool.imap_unordered(mine, jobs):
            print(line, flush=True)


if __name__ == "__main__":
    main()

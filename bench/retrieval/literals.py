"""Can a message be found by its words? `python -m bench.retrieval.literals --corpora DIR [DIR …]`.

Questions are made from string literals of product code that stand once in their tree, as somebody
would ask who has only seen the program's output: the literal in quotes within a sentence, the bare
literal, a message whose placeholders are filled in (some with a log line's date before it), and
short literals that are no names (`application/x-tar`). The same trees and seed give the same
questions. A result counts when it holds the literal's line; grep finds every verbatim one.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.nothing import require
from bench.peers.source import source_files

KINDS = ("quoted", "bare", "filled", "token")
_SHARES = (0.3, 0.3, 0.3, 0.1)
_SHOWN = 10

_DOUBLE = re.compile(r'"((?:[^"\\\n]){6,140})"')
_SINGLE = re.compile(r"(?<=[=(,\[+: ])'((?:[^'\\\n]){6,140})'(?=[),\];+. ]|$)")
_SINGLE_QUOTED = ("py", "js", "ts", "tsx", "jsx", "mjs", "rb", "php", "lua", "sh", "bash", "bats")
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;;|%)")
_TEST = re.compile(
    r"(?:^|[/_.-])(?:t|tests?|specs?|__tests__|testdata|testing|functionaltest|mocks?|bench(?:es)?)"
    r"(?:[/_.-]|$)"
)
_GENERATED = re.compile(r"\.(?:designer\.cs|pb\.go|min\.js)$|_pb2\.py$|generated", re.IGNORECASE)
_TEST_NAME = re.compile(r"(?:Tests?|Spec|IT|TestCase)\.\w+$")
_INLINE_TESTS = "#[cfg(test)]"
_PLACEHOLDER = re.compile(
    r"%(?:\(\w+\))?[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:ll|[lhz])?[sdifxXvqrgpcuTw@]"
    r"|\$\{[^{}]*\}|#\{[^{}]*\}|\{[^{}\s][^{}]{0,30}\}|\{\}|\\\([^()]*\)|\$[a-zA-Z_]\w*"
)
_WORD = re.compile(r"[A-Za-z]{2,}")
_TOKEN = re.compile(r"[A-Za-z][\w.:+-]*[./:+-][\w./:+-]*[A-Za-z0-9]")

_FRAMES = (
    'where does "{}" come from',
    'which code reports "{}"',
    'I get "{}" when I run it, why?',
    'fix the error "{}"',
    "who prints `{}`",
    '"{}"',
)
_BEFORE = ("", "", "Error: ", "2024-05-01 12:00:03 ERROR app: ", "fatal: ")
_VALUES = (
    "/tmp/x.py", "C:\\data\\in.csv", "42", "0", "foo_bar", "permission denied", "users", "main",
    "http://localhost:8080/a", "0x7f3a", "utf-8", "alice", "no such file or directory", "3.14",
    "connection refused", "config.yml", "MyClass", "17 items", "[1, 2]", "<none>",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the line of the one file that holds the literal."""

    kind: str
    language: str
    text: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Literal:
    """The text between two quotes."""

    text: str
    path: str
    line: int


def questions(root: Path, n_wanted: int, seed: str) -> list[Question]:
    """At most `n_wanted` questions about one tree, of all kinds; equal trees give equal ones."""
    chance = random.Random(f"{seed}:{root.name}")
    files = list(source_files(root))
    whole = "\0".join(text for _, text in files)
    pools: dict[str, list[Literal]] = defaultdict(list)
    for literal in _literals(files):
        kind = _kind(literal.text)
        if kind:
            pools[kind].append(literal)
    for pool in pools.values():
        chance.shuffle(pool)
    made: list[Question] = []
    used: set[str] = set()
    for kind, share in zip(KINDS, _SHARES, strict=True):
        pool = pools[kind if kind in ("filled", "token") else "message"]
        for literal in _once(pool, whole, used, round(n_wanted * share)):
            suffix = literal.path.rpartition(".")[2].lower()
            asked = _asked(kind, literal.text, chance)
            made.append(Question(kind, suffix, asked, literal.path, literal.line))
    return made


def _literals(files: Sequence[tuple[str, str]]) -> Iterator[Literal]:
    for path, text in files:
        if _TEST.search(path.lower()) or _TEST_NAME.search(path) or _GENERATED.search(path):
            continue
        product = text.partition(_INLINE_TESTS)[0]
        patterns = [_DOUBLE]
        if path.rpartition(".")[2].lower() in _SINGLE_QUOTED:
            patterns.append(_SINGLE)
        for number, line in enumerate(product.split("\n"), start=1):
            if len(line) > 400 or _COMMENT.match(line):
                continue
            for pattern in patterns:
                for found in pattern.finditer(line):
                    yield Literal(found.group(1), path, number)


def _kind(text: str) -> str:
    """ "message", "filled", "token", or "" for what nobody would ask for."""
    fixed = _PLACEHOLDER.sub(" ", text)
    n_words = len(_WORD.findall(fixed))
    if text != text.strip() or sum(c.isalpha() or c == " " for c in fixed) < 0.75 * len(fixed):
        return "token" if _TOKEN.fullmatch(text) else ""
    if n_words >= 3 and " " in fixed.strip():
        return "filled" if _PLACEHOLDER.search(text) else "message"
    return "token" if _TOKEN.fullmatch(text) else ""


def _once(pool: list[Literal], whole: str, used: set[str], n_wanted: int) -> Iterator[Literal]:
    """Literals that stand once in the tree, each of them asked for once."""
    n_found = 0
    for literal in pool:
        if n_found == n_wanted:
            return
        if literal.text not in used and whole.count(literal.text) == 1:
            used.add(literal.text)
            n_found += 1
            yield literal


def _asked(kind: str, text: str, chance: random.Random) -> str:
    if kind == "filled":
        filled = _PLACEHOLDER.sub(lambda _: chance.choice(_VALUES), text)
        return chance.choice(_BEFORE) + filled
    if kind == "bare":
        return text
    return chance.choice(_FRAMES).format(text)


def ranks(satchel: str, root: Path, asked: Sequence[Question]) -> list[int]:
    """The place (from 1) of the first result that holds each question's line, 0 for none."""
    lines = [
        json.dumps({"id": n, "query": q.text, "max_results": _SHOWN}) for n, q in enumerate(asked)
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as batch:
        batch.write("\n".join(lines) + "\n")
        batch.flush()
        command = [satchel, "search", "--root", str(root), "--batch", batch.name, "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    answers = {a["id"]: a for a in map(json.loads, done.stdout.splitlines())}
    return [_rank(answers[n].get("results", ()), q) for n, q in enumerate(asked)]


def _rank(rows: Sequence[dict[str, object]], question: Question) -> int:
    for place, row in enumerate(rows, start=1):
        first, last = row["start_line"], row["end_line"]
        assert isinstance(first, int) and isinstance(last, int)
        if row["path"] == question.path and first <= question.line <= last:
            return place
    return 0


def table(found: Sequence[tuple[Question, int]]) -> str:
    """First and in ten, by kind and by language."""
    by: list[tuple[str, Callable[[Question], str]]] = [
        ("all", lambda _: "all"), ("kind", lambda q: q.kind), ("language", lambda q: q.language),
    ]  # fmt: skip
    lines = ["| questions | n | first | in ten |", "|---|--:|--:|--:|"]
    for _, key in by:
        groups: dict[str, list[int]] = defaultdict(list)
        for question, rank in found:
            groups[key(question)].append(rank)
        for name, places in sorted(groups.items()):
            first = sum(place == 1 for place in places) / len(places)
            in_ten = sum(place > 0 for place in places) / len(places)
            lines.append(f"| {name} | {len(places)} | {first:.3f} | {in_ten:.3f} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print the table; `--misses` prints each question that was not answered first."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.literals", description=__doc__)
    parser.add_argument("--corpora", type=Path, nargs="+", required=True, help="trees, to index")
    parser.add_argument("--questions", type=int, default=500, help="over all trees together")
    parser.add_argument("--seed", default="literals")
    parser.add_argument("--misses", action="store_true")
    beside = Path(sys.executable).with_name("satchel")
    parser.add_argument("--satchel", default=str(beside), help="the executable to measure")
    options = parser.parse_args(arguments)
    share = -(-options.questions // len(options.corpora))
    found: list[tuple[Question, int]] = []
    for root in options.corpora:
        asked = questions(root, share, options.seed)
        found += zip(asked, ranks(options.satchel, root, asked), strict=True)
    for question, rank in found:
        if options.misses and rank != 1:
            print(f"{rank:3} {question.kind:7} {question.path}:{question.line}  {question.text}")
    require(len(found), "literal in any tree")
    print(table(found[: options.questions]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

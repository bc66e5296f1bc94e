"""The sealed cases: `python -m bench.retrieval.sealed MINED … --out FILE` writes them, once.

MINED are folders of `training.ranking.mine`, of repositories that are in no other list. Of each
repository the first fixes and questions by the digest of their text are taken: as many that there
are 300 fixes together, and eight questions made of names (of tests, and symbols as people write
them). A case has a message or names, paths and lines, and no code. Nobody reads the cases, and
nothing is chosen on them; `bench.retrieval.measure` asks them once a release.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("sealed.json")
DIGEST = "a215ce3177d5e2ec1728730c76ad0e600ac7c565b3eb1e2d1f7507f2ba21d023"
"""SHA-256 of the file, so that a change of a case shows."""
_FIXES, _QUESTIONS = 300, 8
_NAMED = ("test", "symbol")
"""Kinds of questions that repeat no text of the code, the ones that say most first."""
Case = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the cases and print their digest; 1 if they are written already."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.sealed", description=__doc__)
    parser.add_argument("mined", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    if options.out.exists():
        print(f"{options.out} is there, and is written once", file=sys.stderr)
        return 1
    files = sorted(file for folder in options.mined for file in folder.glob("*/cases.json"))
    entries = [json.loads(file.read_text(encoding="utf-8"))[0] for file in files]
    made = chosen([entry for entry in entries if entry["queries"]])
    text = json.dumps(made, indent=0, ensure_ascii=True) + "\n"
    options.out.write_text(text, encoding="utf-8")
    n_fixes = sum("hunks" in q["targets"][0] for entry in made for q in entry["queries"])
    n_queries = sum(len(entry["queries"]) for entry in made)
    print(f"{n_fixes} fixes, {n_queries - n_fixes} questions, {sha256(text.encode()).hexdigest()}")
    return 0


def chosen(entries: Sequence[Case]) -> list[Case]:
    """Mined repositories with their first questions: no more fixes of one than are needed."""
    fixes = [_in_order(_first_forms(entry["queries"])) for entry in entries]
    most = 0
    while sum(len(each[:most]) for each in fixes) < min(_FIXES, sum(map(len, fixes))):
        most += 1
    result: list[Case] = []
    for entry, listed in zip(entries, fixes, strict=True):
        named = [_in_order(q for q in entry["queries"] if q["kind"] == kind) for kind in _NAMED]
        questions = [*named[0], *named[1]][:_QUESTIONS]
        queries = [_plain(query) for query in (*listed[:most], *questions)]
        about = {name: entry[name] for name in ("repository", "revision", "language", "root")}
        result.append({"name": entry["name"], **about, "queries": queries})
    return result


def _first_forms(queries: Sequence[Case]) -> list[Case]:
    """The question of each fix, without its second form."""
    by_commit: dict[str, Case] = {}
    for query in queries:
        if query.get("commit"):
            by_commit.setdefault(query["commit"], query)
    return list(by_commit.values())


def _in_order(queries: Iterable[Case]) -> list[Case]:
    return sorted(queries, key=lambda query: sha256(query["query"].encode()).hexdigest())


def _plain(query: Case) -> Case:
    """A question with the places that answer it, and nothing else that was mined."""
    kept = ("path", "start_line", "end_line", "hunks")
    targets = [{name: t[name] for name in kept if name in t} for t in query["targets"]]
    return {"query": query["query"], "kind": query["kind"], "targets": targets}


if __name__ == "__main__":
    sys.exit(main())

"""How quickly 100,000 items answer, and whether two writers at once lose anything.

    python -m bench.knowledge.latency [--items 100000] [--questions 200] [--folder KEEP]

Items are made of the terms of the shipped table with a Zipf distribution, in 400 scopes, by a fixed
seed. Each question goes through the façade, as the server sends it: candidates, scores, pack, and
what was shown.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import apsw

from satchel.knowledge import requests
from satchel.knowledge.answer import answer
from satchel.knowledge.model import Caller, Item, Kind, Timestamp
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import database, read, vectors
from satchel.knowledge.storage.write import insert_item, new_id
from satchel.knowledge.timestamps import DAY
from satchel.store.sqlite.database import transaction
from satchel.store.vectors.table_encoder import shipped

NOW = Timestamp(1_780_000_000_000)
_WORDS = 20_000
_BATCH = 5_000
_WRITES = 200
_WRITER = """
import sys
from pathlib import Path
from bench.knowledge.latency import write_some
write_some(Path(sys.argv[1]), sys.argv[2])
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = args.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        db = database.connect(folder)
        seconds = fill(db, args.items)
        print(f"{args.items:,} items, written in {seconds:.0f} s")
        print(_caught_up(db))
        context = RequestContext(db, Caller(actor="ann", now=NOW))
        for name, said in _shapes(random.Random(2)):
            times = [_ms(context, said()) for _ in range(args.questions)]
            wall, cpu = (_percentiles(column) for column in zip(*times, strict=True))
            print(f"recall, {name}: {wall}; processor time {cpu}")
        db.close()
    with tempfile.TemporaryDirectory() as made:
        print(_concurrent(Path(made)))


def _caught_up(db: apsw.Connection) -> str:
    """Encode what an older file holds."""
    begun = time.perf_counter()
    n_items = 0
    while (behind := vectors.unencoded_after(db)) is not None:
        with transaction(db):
            held = read.items_after(db, behind, _BATCH)
            vectors.encode_missing(db, held)
        n_items += len(held)
    return f"{n_items:,} items had no vector, encoded in {time.perf_counter() - begun:.0f} s"


def vocabulary() -> tuple[list[str], list[float]]:
    """Terms of the shipped table, in an order of chance, and how often each is to be used."""
    words = sorted(shipped().places)
    random.Random(1).shuffle(words)
    return words[:_WORDS], [1 / (n + 10) for n in range(_WORDS)]


def fill(db: apsw.Connection, n_items: int) -> float:
    """Write items until there are so many; returns the seconds."""
    rng = random.Random(3)
    words, weights = vocabulary()
    kinds = list(Kind)
    held = db.execute("SELECT count(*) FROM item").get
    begun = time.perf_counter()
    for start in range(held, n_items, _BATCH):
        with transaction(db):
            for n in range(start, min(start + _BATCH, n_items)):
                said = rng.choices(words, weights, k=40)
                scope = "project" if n % 3 else f"src/part{n % 20}/file{n % 400}.py"
                at = Timestamp(NOW - rng.randrange(400 * DAY))
                item = Item(
                    id=new_id(at), kind=kinds[n % len(kinds)], summary=" ".join(said[:9]),
                    detail=" ".join(said[9:]), scope=scope, actor="ann", tags=(f"t{n % 50}",),
                    confidence=rng.random(), importance=rng.random(), created_at=at,
                )  # fmt: skip
                insert_item(db, item)
    return time.perf_counter() - begun


def _shapes(rng: random.Random):  # type: ignore[no-untyped-def] # noqa: ANN202
    words, weights = vocabulary()

    def text() -> str:
        return " ".join(rng.choices(words, weights, k=6))

    def place() -> str:
        return f"src/part{rng.randrange(20)}"

    yield "six words", lambda: {"query": text()}
    yield "six words in a folder", lambda: {"query": text(), "scope": place()}
    yield "a kind and a tag", lambda: {"query": text(), "kinds": ["warning"], "tags": ["t7"]}
    yield "nothing but a folder", lambda: {"scope": place()}
    yield "everything", lambda: {"query": "*"}
    yield "Shabka's preset", lambda: {"query": text(), "preset": "pack"}
    yield "Twining's preset", lambda: {"query": text(), "scope": place(), "preset": "task"}


def _ms(context: RequestContext, said: dict[str, object]) -> tuple[float, float]:
    """Milliseconds by the wall clock, and of processor time."""
    begun, worked = time.perf_counter(), time.process_time()
    answer(context, requests.read(requests.Recall, said))
    return (time.perf_counter() - begun) * 1_000, (time.process_time() - worked) * 1_000


def _percentiles(times: Sequence[float]) -> str:
    ordered = sorted(times)
    middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return f"p50 {middle:.1f} ms, p95 {late:.1f} ms"


def write_some(folder: Path, name: str) -> None:
    """Remember two hundred items, as one of two processes."""
    db = database.connect(folder)
    context = RequestContext(db, Caller(actor=name, now=NOW))
    for n in range(_WRITES):
        entry = {"kind": "fact", "summary": f"{name} {n}", "on_duplicate": "add"}
        answer(context, requests.read(requests.Remember, {"items": [entry]}))


def _concurrent(folder: Path) -> str:
    begun = time.perf_counter()
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, folder, name]) for name in ("ann", "bob")
    ]
    codes = [writer.wait() for writer in writers]
    kept = database.connect(folder).execute("SELECT count(*) FROM item").get
    seconds = time.perf_counter() - begun
    return f"two processes, {2 * _WRITES} items: {kept} kept, exit codes {codes}, {seconds:.1f} s"


if __name__ == "__main__":
    main()

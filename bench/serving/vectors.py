"""The exact scan against Chroma, by number of vectors: `python -m bench.serving.vectors --index …`.

    python -m bench.serving.vectors --index DIR … --questions FILE --sizes 40000 400000
    python -m bench.serving.vectors --clustered --sizes 100000

Vectors are those of the indexes (folders that hold an `index.db`), context included, as a server
compares them. A size beyond theirs is reached by copies of them, each moved by noise of a third of
its length in a random direction; `--clustered` takes made-up ones instead, 250 around each of many
random centres. Questions are the lines of FILE, or of a case file (`bench.retrieval.cases`); with
`--clustered` they are noisy centres.

Both answer each question in turn, so that a busy machine is busy for both; beside the wall clock
stands the processor time of all threads, which tells less of who else is busy. Recall is of the
nearest 50 of the scan. A save takes five vectors out and puts five in.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from satchel.assembler.weights import POOL
from satchel.store.reading import vector_blocks
from satchel.store.sqlite import database, vectors
from satchel.store.sqlite.vectors import BLOCK_BITS, Block, VectorTable
from satchel.store.vectors.chroma import Mirror, search_width
from satchel.store.vectors.encoders import Matrix, normalized
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace.vectors.mirror_answers import shares_of

_DEPTH = 50
_QUESTIONS = 200
_NOISE = 1 / 3
_PER_CENTRE = 250
_SAVES = 5
_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Measured:
    """What both answered, and what Chroma costs beside.

    `asked` has a row for each question: milliseconds of the scan and of Chroma by the wall clock,
    then by the processor's, and recall.
    """

    width: int
    asked: Matrix
    fill_s: float
    save_ms: float
    open_ms: float
    megabytes: float


def main() -> None:
    """Print a row of the table for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--index", nargs="*", type=Path, default=[], help="folders of indexes")
    parser.add_argument("--questions", type=Path, help="lines of text, or a case file")
    parser.add_argument("--sizes", nargs="+", type=int, required=True)
    parser.add_argument("--clustered", action="store_true", help="made-up vectors")
    parser.add_argument("--widths", nargs="*", type=int, help="search widths; else the mirror's")
    parser.add_argument("--mirror", type=Path, help="a folder that is kept, and filled further")
    args = parser.parse_args()
    held = np.zeros((0, TableEncoder.dimensions), np.float32)
    if not args.clustered:
        held = np.concatenate([_rows_of(folder) for folder in args.index])
    print(
        "| vectors | width | scan: ms p50, p10; processor | Chroma: the same |"
        " recall@50 mean, least | fill (s) | save (ms) | open (ms) | MB on disk |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as scratch:
        for size in args.sizes:
            rng = np.random.default_rng(1)  # anew, so that the larger has the rows of the smaller
            if args.clustered:
                rows, questions = _clustered(size, rng)
            else:
                rows, questions = _grown(held, size, rng), _questions(args.questions, rng)
            folder = args.mirror or Path(scratch) / str(size)
            folder.mkdir(exist_ok=True)
            for measured in measure(rows, questions, folder, args.widths or [0]):
                print(_row(size, measured), flush=True)


def measure(
    rows: Matrix, questions: Matrix, folder: Path, widths: Sequence[int]
) -> Iterator[Measured]:
    """Fill a mirror with `rows` and ask it and the scan the same questions, at each width.

    A width of 0 is the mirror's own for so many vectors.
    """
    table, rng = _table(rows), np.random.default_rng(1)
    mirror = Mirror(folder, TableEncoder())
    begun = time.process_time()
    for start in range(mirror.n_held, len(rows), _BATCH):
        part = rows[start : start + _BATCH]
        mirror.add([str(start + i) for i in range(len(part))], part)
    fill_s = time.process_time() - begun
    save_ms = float(np.median([_save(mirror, rows, rng) for _ in range(_SAVES)]))
    for width in widths:
        mirror.close()
        begun = time.process_time()
        mirror = Mirror(folder, TableEncoder())
        mirror.widen(width or search_width(len(rows)))
        mirror.nearest(questions[0], 1)
        open_ms = 1e3 * (time.process_time() - begun)
        asked = np.array(list(_ask(table, mirror, questions)), np.float32)
        megabytes = sum(path.stat().st_size for path in folder.rglob("*")) / 1e6
        yield Measured(mirror.width, asked, fill_s, save_ms, open_ms, megabytes)
    mirror.close()


def _ask(table: VectorTable, mirror: Mirror, questions: Matrix) -> Iterator[tuple[float, ...]]:
    limit = POOL
    for question in questions:
        begun = _clocks()
        exact = vectors.nearest(table, question, limit)
        between = _clocks()
        found = mirror.nearest(question, limit)
        ended = _clocks()
        names = [(str(chunk), score) for chunk, score in exact]
        share = vectors.recall([name for name, _ in found], names, _DEPTH)
        scan, chroma = between - begun, ended - between
        yield scan[0], chroma[0], scan[1], chroma[1], share


def _clocks() -> Matrix:
    """Milliseconds by the wall clock, and of the processor's time of all threads."""
    return np.array([1e3 * time.perf_counter(), 1e3 * time.process_time()])


def _save(mirror: Mirror, rows: Matrix, rng: np.random.Generator) -> float:
    """Milliseconds of a save, which puts back what it takes out."""
    chosen = rng.choice(len(rows), 5, replace=False)
    ids = [str(i) for i in chosen.tolist()]
    begun = time.process_time()
    mirror.remove(ids)
    mirror.add(ids, rows[chosen])
    return 1e3 * (time.process_time() - begun)


def _table(rows: Matrix) -> VectorTable:
    size = 1 << BLOCK_BITS
    blocks = {
        number: Block(np.arange(start, min(start + size, len(rows))), rows[start : start + size])
        for number, start in enumerate(range(0, len(rows), size))
    }
    return VectorTable(blocks, len(rows))


def _rows_of(folder: Path) -> Matrix:
    encoder = TableEncoder()
    with closing(database.connect(folder, writable=False)) as connection:
        return vector_blocks.load(connection, encoder, shares_of(encoder)).matrix


def _grown(held: Matrix, size: int, rng: np.random.Generator) -> Matrix:
    if size <= len(held):
        return held[:size]
    rows = held[np.arange(size) % len(held)]
    for start in range(len(held), size, _BATCH):  # in parts: noise as long as all is memory
        part = rows[start : start + _BATCH]
        noise = normalized(rng.standard_normal(part.shape, np.float32))
        part += noise * np.float32(_NOISE) * np.linalg.norm(part, axis=1, keepdims=True)
    return rows


def _clustered(size: int, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    shape = (max(1, size // _PER_CENTRE), TableEncoder.dimensions)
    centres = normalized(rng.standard_normal(shape, np.float32))
    rows = 2 * centres[np.arange(size) % len(centres)]
    for start in range(0, size, _BATCH):
        part = rows[start : start + _BATCH]
        part += normalized(rng.standard_normal(part.shape, np.float32))
    chosen = centres[rng.choice(len(centres), _QUESTIONS)]
    return rows, normalized(chosen + normalized(rng.standard_normal(chosen.shape, np.float32)))


def _questions(file: Path, rng: np.random.Generator) -> Matrix:
    text = file.read_text(encoding="utf-8")
    lines: Sequence[str] = text.splitlines()
    if file.suffix == ".json":
        lines = [case["query"] for entry in json.loads(text) for case in entry["queries"]]
    matrix = TableEncoder().encode(lines)
    matrix = matrix[matrix.any(axis=1)]
    return matrix[rng.permutation(len(matrix))[:_QUESTIONS]]


def _row(size: int, found: Measured) -> str:
    wall, own = found.asked[:, :2], found.asked[:, 2:4]
    recall = found.asked[:, 4]
    least = np.percentile(wall, 10, axis=0)
    middle, busy = np.median(wall, axis=0), np.median(own, axis=0)
    timed = " | ".join(f"{middle[i]:.1f}, {least[i]:.1f}; {busy[i]:.1f}" for i in range(2))
    return (
        f"| {size:,} | {found.width:,} | {timed} | {recall.mean():.4f}, {recall.min():.2f} |"
        f" {found.fill_s:.0f} | {found.save_ms:.0f} | {found.open_ms:.0f} | {found.megabytes:.0f} |"
    )


if __name__ == "__main__":
    main()

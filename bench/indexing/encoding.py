"""How many chunks a second get vectors: `python -m bench.indexing.encoding FOLDER …`.

The index of each folder is brought up to date and copied; the copy loses its vectors and has them
made again as `satchel reindex` does, sources unpacked and rows written, in one process. The best of
three, wall clock. What the table of terms takes to load is in the first.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.retrieval import report
from satchel.indexer import encode
from satchel.store.sqlite import database
from satchel.store.sqlite.database import transaction
from satchel.workspace.project import Project

RUNS = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each folder."""
    parser = argparse.ArgumentParser(prog="python -m bench.indexing.encoding", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders; their indexes are used")
    rows = [["", "chunks", "seconds", "chunks a second"]]
    for folder in parser.parse_args(arguments).folders:
        project = Project.at(folder, {"SATCHEL_VECTORS_ENGINE": "exact"})
        project.refresh(lambda _: None)
        n_chunks, seconds = min((_encoded(project) for _ in range(RUNS)), key=lambda run: run[1])
        rows.append([folder.name, f"{n_chunks:,}", f"{seconds:.2f}", f"{n_chunks / seconds:,.0f}"])
    print(report.markdown(rows))
    return 0


def _encoded(project: Project) -> tuple[int, float]:
    """Chunks, and the seconds they took."""
    with tempfile.TemporaryDirectory() as folder:
        source = database.connect(project.directory, writable=True)
        source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        source.close()
        shutil.copyfile(project.directory / database.INDEX_NAME, Path(folder, database.INDEX_NAME))
        with closing(database.connect(Path(folder), writable=True)) as connection:
            with transaction(connection):
                connection.execute("DELETE FROM vectors")
            began = time.perf_counter()
            n_chunks = encode.encode(connection, project.encoder, lambda *_: None)
            return n_chunks, time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())

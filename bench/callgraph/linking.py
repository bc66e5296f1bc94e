"""What following values takes under limits of memory: `python -m bench.callgraph.linking FOLDER`.

The edges of an indexed folder are derived anew for each of `--memory` MB (`index.memory_mb`), each
in a process of its own and in a transaction that is rolled back. Printed are the processor time,
the most memory that process had, and a digest of all edges and of what they depend on, which must
be the same for all: exit 1 if it is not.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from hashlib import blake2b
from pathlib import Path

from bench import processes
from bench.state import state_folders
from satchel.indexer.callgraph import linker
from satchel.store.sqlite import database
from satchel.store.sqlite.database import select, transaction

_WRITTEN = ("edges ORDER BY source_id, target_id, kind", "depends ORDER BY file_id")


def main() -> int:
    """Derive under each limit."""
    parser = argparse.ArgumentParser(prog="python -m bench.callgraph.linking", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--memory", type=int, nargs="+", default=[8_192, 2_048, 1_024])
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(_derive(options.folder, options.memory[0]))
        return 0
    digests = set()
    for memory in options.memory:
        command = [sys.executable, "-m", "bench.callgraph.linking", str(options.folder), "--alone"]
        said = subprocess.check_output([*command, "--memory", str(memory)], text=True)
        print(f"index.memory_mb = {memory}: {said.strip()}", flush=True)
        digests.add(said.split()[-1])
    return len(digests) > 1


def _derive(folder: Path, memory: int) -> str:
    connection = database.connect(state_folders(folder, os.environ).index, writable=True)
    held = linker.max_source_within(memory << 20)
    started = time.process_time()
    with transaction(connection, keep=False):
        linker.derive_all(connection, held)
        seconds = time.process_time() - started
        peak = processes.peak_memory()
        digest = blake2b(digest_size=8)
        for table in _WRITTEN:
            for row in connection.execute(f"SELECT * FROM {table}"):
                digest.update(repr(row).encode())
    size = select(connection, "SELECT sum(size) FROM files")[0][0]
    return (
        f"{size / 1e6:.0f} MB of source, at most {held / 1e6:.0f} held; {seconds:.0f} s of"
        f" processor time, at most {peak:.0f} MB of memory; edges {digest.hexdigest()}"
    )


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.support.fingerprint TREE` prints digests of what Satchel makes of a tree.

Run by two versions, it tells whether a change that should change nothing did: the facts and edges
of the index, row by row without ids, and packs of 15 questions at three budgets. Changes that raise
`FACTS_VERSION`, or rank and pack otherwise, are told by their line.
"""

import shutil
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path

import satchel
from satchel.store.sqlite.dump import dump

BUDGETS = (1_000, 4_096, 12_000)
WORDS = (
    "where does the program start",
    "how are errors handled",
    "how is the configuration read",
    "what is written to the disk",
    "where are arguments checked",
    "fix a crash on empty input",
    "add an option",
)
N_SYMBOLS = 8
"""The most used symbols of the tree are asked for by name."""


def main() -> None:
    """Index a copy of the tree, and print a line for each thing."""
    with tempfile.TemporaryDirectory() as folder:
        root = shutil.copytree(sys.argv[1], Path(folder) / "tree", symlinks=True)
        environment = {"HOME": folder, "SATCHEL_STATE_FOLDER": str(Path(folder) / "state")}
        with satchel.open(root, environment=environment) as code:
            code.refresh()
            names = [each.symbol.qualified_name for each in code.overview().central[:N_SYMBOLS]]
            packs = [
                # The last line is the receipt, which names the generation.
                code.context(question, budget=budget).text.rpartition("[satchel]")[0]
                for question in (*WORDS, *names)
                for budget in BUDGETS
            ]
            index = Path(code.status().index)
        tables: dict[str, list[str]] = {}
        for row in dump(index):
            tables.setdefault(row.partition(":")[0], []).append(row)
    for name, rows in sorted(tables.items()):
        _print(name, len(rows), "\n".join(rows))
    _print("packs", len(packs), "\n".join(packs))


def _print(name: str, n: int, text: str) -> None:
    digest = blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    sys.stdout.write(f"{name:12} {n:8,} {digest}\n")


if __name__ == "__main__":
    main()

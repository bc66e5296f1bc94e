"""Fit the table of `token_estimate`: tokens of a text from the classes of its neighbouring bytes.

    python -m training.token_estimate FOLDER …

Ridge regression of exact cl100k_base counts on the 64 pair counts, over pieces of 5 to 80 lines of
every text file below the folders; prints the table and how far it is off.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from satchel.store import token_estimate, tokens

SEED = 2
MAX_BYTES = 300_000
RIDGE = 3.0
SWEEPS = 3000


def pieces(folders: list[str], per_folder: int = 400) -> Iterator[str]:
    """Runs of lines from a sample of the files."""
    chance = random.Random(SEED)
    for folder in folders:
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        for path in chance.sample(files, min(per_folder, len(files))):
            data = path.read_bytes()[:MAX_BYTES]
            if b"\0" in data:
                continue
            lines = data.decode("utf-8", "ignore").splitlines(keepends=True)
            start = 0
            while start < len(lines):
                n_lines = chance.choice([5, 15, 40, 80])
                yield "".join(lines[start : start + n_lines])
                start += 3 * n_lines


def nonnegative(
    left: npt.NDArray[np.float64], right: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Ridge regression with coefficients of 0 or more, by coordinate descent."""
    gram = left.T @ left + RIDGE * np.eye(left.shape[1])
    target = left.T @ right
    table = np.zeros(left.shape[1])
    for _ in range(SWEEPS):
        for i in range(len(table)):
            table[i] = max(0.0, table[i] + (target[i] - gram[i] @ table) / gram[i, i])
    return table


def main() -> None:
    """Fit and report."""
    texts = [text for text in pieces(sys.argv[1:]) if len(text) > 40]
    counts = np.array([token_estimate.pair_counts(text.encode()) for text in texts], dtype=float)
    exact = np.array([tokens.count(text) for text in texts], dtype=float)
    scale = 1 / np.sqrt(exact + 5)
    table = nonnegative(counts * scale[:, None], exact * scale)
    for row in table.reshape(8, 8):
        print("    " + ", ".join(f"{value:.2f}" for value in row) + ",")
    ratio = counts @ table / exact
    print("pieces", len(texts), "percentiles 1, 5, 50, 95, 99 of estimate / exact:")
    print(np.round(np.percentile(ratio, [1, 5, 50, 95, 99]), 3))


if __name__ == "__main__":
    main()

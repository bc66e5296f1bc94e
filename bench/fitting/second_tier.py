"""What a sentence transformer over the best matches would add.

all-MiniLM-L6-v2 reads the question and the best chunks of the ranking (header and text, up to 256
of its tokens); the signal of a chunk is its cosine, from the least of them (0) to the greatest
(1), and 0 for those further down. Shown are differences to the ranking without it (see
`bench.fitting.added`), and what a chunk takes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.fitting import added
from bench.fitting.added import Signal
from bench.fitting.minilm import MiniLm
from bench.peers import inprocess
from bench.peers.inprocess import Index
from bench.retrieval import cases
from satchel.assembler.assemble import text_of
from satchel.assembler.values import Scored
from satchel.store.records import ChunkRecord

_BEST = 20
_WEIGHTS = (0.1, 0.2, 0.4)


class Reader:
    """Chunks of one index by meaning; each is read once."""

    def __init__(self, model: MiniLm, index: Index) -> None:
        self._model = model
        self._index = index
        self._read: dict[int, npt.NDArray[np.float32]] = {}
        self.seconds = 0.0

    @property
    def n_read(self) -> int:
        """How many chunks were read so far."""
        return len(self._read)

    def signals(self, text: str, ranked: Sequence[Scored]) -> Mapping[str, Signal]:
        """The signal for one question's ranking."""
        best = [item.chunk for item in ranked[:_BEST]]
        if not best:
            return {}
        [asked] = self._model.encode([text])
        cosines = {chunk.id: float(self._vector(chunk) @ asked) for chunk in best}
        low, high = min(cosines.values()), max(cosines.values())
        return {
            f"MiniLM over the best {_BEST}": lambda item: (
                (cosines.get(item.chunk.id, low) - low) / ((high - low) or 1.0)
            )
        }

    def _vector(self, chunk: ChunkRecord) -> npt.NDArray[np.float32]:
        if chunk.id not in self._read:
            begun = time.perf_counter()
            said = f"{chunk.path} {chunk.header}\n{text_of(self._index.snapshot, chunk)}"
            [self._read[chunk.id]] = self._model.encode([said])
            self.seconds += time.perf_counter() - begun
        return self._read[chunk.id]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of differences for RESULTS.md."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fitting.second_tier", description=__doc__
    )
    parser.add_argument("--questions", type=Path, required=True, help="retrieval cases (JSON)")
    parser.add_argument("--fixes", type=Path, required=True, help="bug-fix cases (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of checkouts, by name")
    parser.add_argument("--minilm", type=Path, nargs=2, metavar=("MODEL", "TOKENIZER"))
    parser.add_argument("--only", nargs="+", help="only these repositories")
    options = parser.parse_args(arguments)
    model = MiniLm(*options.minilm)
    differences = added.none_yet()
    n_read, seconds = 0, 0.0
    for kind, file in (("questions", options.questions), ("fixes", options.fixes)):
        for repository in cases.load(file):
            if options.only and repository.name not in options.only:
                continue
            print(f"{kind} {repository.name}", file=sys.stderr)
            with inprocess.opened(repository.indexed(options.corpora)) as index:
                reader = Reader(model, index)
                for asked in repository.queries:
                    signals = partial(reader.signals, asked.text)
                    added.compare(index, asked, kind, signals, _WEIGHTS, differences)
                n_read, seconds = n_read + reader.n_read, seconds + reader.seconds
    print(added.table(differences))
    print(f"{n_read:,} chunks read, {1000 * seconds / max(1, n_read):.0f} ms each")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How much damage `satchel validate` finds: random bit flips and damage done on purpose.

    python -m bench.robustness.corruption [--flips 10000] [--targeted 500] [--seed 1] [--source DIR]

A small project is indexed once. Each trial spoils a copy, asks everything an index can be asked
(`bench.robustness.answers`) and, when an answer has changed, validates at level standard until a
check fails; checks of level quick come first and are counted on their own. A flip in a free page
changes no answer and is not looked at further. Missed damage is listed, with its place. Long runs
can be cut into pieces that each have a seed of their own.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench import processes
from bench.nothing import require
from bench.robustness.answers import answers
from bench.robustness.damage import KINDS, Damage, foreign_mirror, half_written, stale_file
from bench.state import beside, copy_with_index, index_of, remove_with_index
from satchel.store.errors import Locked
from satchel.store.sqlite.database import INDEX_NAME
from satchel.validation.baseline import Baseline
from satchel.validation.model import Level, Report
from satchel.validation.validate import validate
from satchel.workspace.project import Project

_MEMORY = 4 << 30
"""Damaged numbers may ask for any amount; then there is no memory, and that is an answer."""
_TREE_CHANGES = (stale_file, half_written, foreign_mirror)
"""What is wrong whether or not a row of the index says so."""


@dataclass
class Tally:
    """How many trials changed an answer, and at which level that was found."""

    trials: int = 0
    changed: int = 0
    quick: int = 0
    standard: int = 0
    missed: list[str] = field(default_factory=list)

    def count(self, report: Report | None, what: str) -> None:
        """Take one trial; `report` is None where no answer has changed."""
        self.trials += 1
        if report is None:
            return
        levels = {outcome.check.level for outcome in report.outcomes if outcome.failed}
        self.changed += 1
        self.quick += Level.QUICK in levels
        self.standard += bool(levels)
        if not levels:
            self.missed.append(what)

    def __str__(self) -> str:
        quick, standard = (n / max(1, self.changed) for n in (self.quick, self.standard))
        return (
            f"{self.trials:,} trials, {self.changed:,} change an answer: found by quick"
            f" {quick:.4f}, by standard {standard:.4f} ({self.changed - self.standard} missed)"
        )


@contextmanager
def prepared(source: Path) -> Iterator[tuple[Path, Path]]:
    """(a healthy project made of `source`, a place for copies of it)."""
    with tempfile.TemporaryDirectory(prefix="corruption-") as folder:
        root = Path(folder) / "healthy"
        ignore = shutil.ignore_patterns("__pycache__", "vocab", "table", "*.bin")
        shutil.copytree(source, root / source.name, ignore=ignore)
        (root / "picture.bin").write_bytes(b"\0" * 64)
        project = Project.at(root, beside(root, SATCHEL_INDEX_WORKERS="1"))
        project.refresh(lambda _progress: None)
        project.build_vectors(lambda _done, _todo: None, lambda _done, _todo: None)
        time.sleep(2.1)  # files as fresh as this are never trusted by their time
        project.refresh(lambda _progress: None)
        yield root, Path(folder) / "copy"


def flips(root: Path, copy: Path, n_trials: int, seed: int) -> Tally:
    """Flip one bit anywhere in the database, again and again."""
    random, tally = Random(seed), Tally()
    copy_with_index(root, copy)
    directory = index_of(copy)
    healthy = (directory / INDEX_NAME).read_bytes()
    wanted = answers(directory)
    for number in range(n_trials):
        place, bit = random.randrange(len(healthy)), random.randrange(8)
        data = bytearray(healthy)
        data[place] ^= 1 << bit
        _put(directory, bytes(data))
        changed = answers(directory) != wanted
        tally.count(look(copy) if changed else None, f"bit {bit} of byte {place}")
        if number % 500 == 499:
            print(f"  {number + 1:,}: {tally}", file=sys.stderr, flush=True)
    remove_with_index(copy)
    return tally


def _put(directory: Path, data: bytes) -> None:
    for suffix in ("-wal", "-shm"):
        (directory / (INDEX_NAME + suffix)).unlink(missing_ok=True)
    (directory / INDEX_NAME).write_bytes(data)


def targeted(root: Path, copy: Path, n_trials: int, seed: int) -> dict[str, Tally]:
    """Damage done on purpose, in the proportions of `KINDS`."""
    if not n_trials:
        return {}
    wanted = answers(index_of(root))
    total = sum(share for _, share in KINDS)
    tallies: dict[str, Tally] = {}
    for damage, share in KINDS:
        random, tally = Random(seed), tallies.setdefault(damage.__name__, Tally())
        for _ in range(max(1, round(n_trials * share / total))):
            copy_with_index(root, copy)
            what = _done(damage, copy, random)
            changed = damage in _TREE_CHANGES or answers(index_of(copy)) != wanted
            tally.count(look(copy, chroma=damage is foreign_mirror) if changed else None, what)
            remove_with_index(copy)
    return tallies


def _done(damage: Damage, copy: Path, random: Random) -> str:
    if damage is foreign_mirror:
        project = Project.at(copy, beside(copy, SATCHEL_VECTORS_ENGINE="chroma"))
        project.build_vectors(lambda _done, _todo: None, lambda _done, _todo: None)
        assert look(copy, chroma=True).findings == ()
    return damage(copy, random)


def look(root: Path, *, chroma: bool = False) -> Report:
    """The report at level standard, up to the first check that fails."""
    settings = {"SATCHEL_VECTORS_ENGINE": "chroma"} if chroma else {}
    project = Project.at(root, beside(root, **settings))
    try:
        return validate(project, Level.STANDARD, Baseline(), _quiet, fail_fast=True)
    except Locked as error:  # nobody else is there
        raise AssertionError(error.message) from error


def _quiet(_check: str) -> None:
    """Nobody watches."""


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--targeted", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    own = Path(__file__).parents[2] / "satchel" / "workspace"
    parser.add_argument(
        "--source", type=Path, default=own, help="the code to index (default: ours)"
    )
    args = parser.parse_args()
    processes.limit_memory(_MEMORY)
    with prepared(args.source.resolve()) as (root, copy):
        size = (index_of(root) / INDEX_NAME).stat().st_size
        assert not look(root).findings, "the project is healthy to begin with"
        print(f"index of {size:,} bytes, seed {args.seed}")
        started = time.perf_counter()
        _print("bit flips", flips(root, copy, args.flips, args.seed))
        found = targeted(root, copy, args.targeted, args.seed)
        for name, tally in found.items():
            _print(name.replace("_", " "), tally)
        whole = Counter[str]()
        for tally in found.values():
            whole.update(trials=tally.trials, changed=tally.changed, standard=tally.standard)
        require(whole["changed"], "damage that changes an answer")
        print(
            f"on purpose, all kinds: {whole['standard']} of {whole['changed']} that change an"
            f" answer found by standard; {time.perf_counter() - started:.0f} s"
        )


def _print(name: str, tally: Tally) -> None:
    print(f"{name}: {tally}", flush=True)
    for what in tally.missed[:20]:
        print(f"  missed: {what}")


if __name__ == "__main__":
    main()

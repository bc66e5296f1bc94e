"""Crashes, for real and simulated, and what was lost: `python -m bench.robustness.crashes WHAT`.

kill   at every write, sync, truncation and deletion that SQLite does in a session, and in the
       middle of every write, a process is ended with SIGKILL just there
power  the same sessions are recorded; after any prefix of their operations, those not yet synced
       are lost, kept or torn by sectors at random, each file for itself
full   from any operation on, the disk is full

After each the index must be the old or the new one or say that it is being built, SQLite's own
check must pass, and the next start must make it whole; a file beside it must be as it was. A fault
counts only when it is proved to have happened: by the child's death and its last word, by the
operations that were lost, by the error that was met.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import apsw

from bench import processes
from bench.robustness.crash_scene import Scene, scenes
from bench.robustness.faults import FaultyDisk, Kind, Operation
from satchel.store.errors import Unwritable

_SECTOR = 512


def main() -> int:
    """Try what is asked for; 1 when anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m bench.robustness.crashes", description=__doc__)
    parser.add_argument("what", choices=("kill", "power", "full"))
    parser.add_argument("--every", type=int, default=1, help="only every n-th point")
    parser.add_argument("--offset", type=int, default=0, help="the first of them, to go in parts")
    parser.add_argument("--seeds", type=int, default=5, help="ways to lose power at each point")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10, 17, 24], help="files")
    options = parser.parse_args()
    tried: Counter[str] = Counter()
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes(Path(folder), options.sizes):
            for where, found in _TRIES[options.what](scene, options):
                tried[f"{scene.name}: {where.split(' ')[0]}"] += 1
                problems += [f"{scene.name}: {where}: {problem}" for problem in found]
            print(f"{tried.total():>6} so far, after {scene.name}", file=sys.stderr)
    for what, count in sorted(tried.items()):
        print(f"{count:>6} {what}")
    print(f"{sum(tried.values())} faults that happened, {len(problems)} problems")
    for problem in problems[:20]:
        print(problem)
    return bool(problems)


Try = Callable[[Scene, argparse.Namespace], Iterator[tuple[str, list[str]]]]


def _kills(scene: Scene, options: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    directory = scene.root.parent / "index"
    operations = _record(scene, directory)
    for number in range(options.offset, len(operations), options.every):
        for torn in (False, True) if operations[number].kind is Kind.WRITE else (False,):
            scene.copy(directory)
            where = _killed(scene, directory, number, torn=torn)
            yield where, scene.problems(directory)


def _killed(scene: Scene, directory: Path, number: int, *, torn: bool) -> str:
    """Run the session in a process that ends itself at an operation; its last word."""
    read, write = os.pipe()
    child = processes.fork()
    if not child:
        _die_at(scene, directory, number, write, torn=torn)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        word = pipe.read()
    assert processes.waited_for(child) == processes.KILLED, f"it did not die but said {word!r}"
    assert word.endswith(f" {number}"), word
    return word


def _die_at(scene: Scene, directory: Path, number: int, tell: int, *, torn: bool) -> None:
    left = number

    def at(operation: Operation, some: Callable[[bytes], None]) -> None:
        nonlocal left
        if left == 0:
            if torn:
                some(operation.data[: len(operation.data) // 2])
            said = "torn" if torn else operation.kind
            os.write(tell, f"{said} {operation.file} {number}".encode())
            processes.kill(os.getpid())
        left -= 1

    try:
        disk = FaultyDisk(at)
        scene.run(directory)
        disk.close()
        os.write(tell, b"finished")
    finally:
        os._exit(1)


def _record(scene: Scene, directory: Path) -> list[Operation]:
    """Every operation of a session that nothing interrupts."""
    done: list[Operation] = []
    scene.copy(directory)
    with closing(FaultyDisk(lambda operation, _some: done.append(operation))):
        scene.run(directory)
    return done


def _power_cuts(scene: Scene, options: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    directory = scene.root.parent / "index"
    operations = _record(scene, directory)
    for number in range(1 + options.offset, len(operations) + 1, options.every):
        for seed in range(options.seeds):
            scene.copy(directory)
            n_lost = _cut(directory, operations[:number], Random(number * 1000 + seed))
            if n_lost:
                yield f"lost {n_lost} of {number}", scene.problems(directory)


def _cut(directory: Path, done: list[Operation], random: Random) -> int:
    """Leave on disk what a power cut may leave; returns how many operations it took or tore."""
    n_lost = 0
    for name in sorted({operation.file for operation in done}):
        path = directory / name
        held: bytearray | None = bytearray(path.read_bytes()) if path.exists() else None
        own = [operation for operation in done if operation.file == name]
        synced = max((n for n, o in enumerate(own) if o.kind is Kind.SYNC), default=-1)
        for number, operation in enumerate(own):
            chance = random.random() if number > synced else 1.0
            if chance < 0.4:
                n_lost += operation.kind is not Kind.SYNC
                continue
            if chance < 0.6 and operation.kind is Kind.WRITE:
                n_lost += 1
                operation = _torn(operation, random)
            held = _applied(held, operation)
        if held is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(held)
    return n_lost


def _torn(operation: Operation, random: Random) -> Operation:
    """A write of which only some first sectors arrived."""
    n_sectors = -(-len(operation.data) // _SECTOR)
    return operation._replace(data=operation.data[: _SECTOR * random.randrange(n_sectors)])


def _applied(held: bytearray | None, operation: Operation) -> bytearray | None:
    if operation.kind is Kind.DELETE:
        return None
    held = bytearray() if held is None else held
    if operation.kind is Kind.TRUNCATE:
        return held[: operation.at]
    if operation.kind is Kind.WRITE:
        end = operation.at + len(operation.data)
        held.extend(b"\0" * (end - len(held)))
        held[operation.at : end] = operation.data
    return held


def _full_disks(scene: Scene, options: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    directory = scene.root.parent / "index"
    n_operations = len(_record(scene, directory))
    for number in range(options.offset, n_operations, options.every):
        scene.copy(directory)
        met = _filled(scene, directory, number)
        if met:
            yield met, scene.problems(directory)


def _filled(scene: Scene, directory: Path, number: int) -> str:
    """Run the session on a disk that is full from an operation on; what came of it."""
    left, refused = number, 0

    def at(operation: Operation, _some: Callable[[bytes], None]) -> None:
        nonlocal left, refused
        left -= 1
        if left < 0 and operation.kind is Kind.WRITE:
            refused += 1
            raise apsw.FullError("no room, says the harness")

    disk = FaultyDisk(at)
    try:
        scene.run(directory)
    except Unwritable:
        return f"refused {refused}"
    finally:
        disk.close()
    return f"unneeded {refused}" if refused else ""


_TRIES: dict[str, Try] = {"kill": _kills, "power": _power_cuts, "full": _full_disks}

if __name__ == "__main__":
    sys.exit(main())

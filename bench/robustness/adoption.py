"""Taking over old knowledge, ended by SIGKILL everywhere: `python -m bench.robustness.adoption`.

A checkout has a knowledge.db in its tree, with a journal that was never written back, as earlier
versions kept it. `adopt` takes it over, once where nothing was known yet and once where something
was. A process is ended just before each write, sync, truncation and deletion that SQLite does, in
the middle of each write, and before each line of the modules that take over. After each the file in
the tree must have the bytes it had, what was known must be known, of what is taken over all or
nothing; and doing it again must make it whole.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

from bench import processes
from bench.robustness.faults import FaultyDisk, Kind, Operation
from bench.state import beside
from satchel.knowledge.lifecycle import Action
from satchel.knowledge.requests import Entry, Remember, Revise
from satchel.knowledge.storage import database
from satchel.knowledge.storage.schema import NAME
from satchel.knowledge.transfer import merge
from satchel.store import private
from satchel.store.sqlite.database import select
from satchel.workspace import knowledge
from satchel.workspace.project import Project
from satchel.workspace.state import adopt, state_folder
from satchel.workspace.state.index_place import CHECKOUT_FOLDER

_TRACED = frozenset(module.__file__ for module in (adopt, merge, private, state_folder))
_N_OLD = 6
Kill = Callable[[], None]
"""Ends this process, if it is time."""


def main() -> int:
    """Try all that is asked for; 1 when anything was lost."""
    parser = argparse.ArgumentParser(prog="bench.robustness.adoption", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every n-th point")
    parser.add_argument("--offset", type=int, default=0, help="the first of them, to go in parts")
    options = parser.parse_args()
    n_deaths, problems = 0, list[str]()
    with tempfile.TemporaryDirectory() as folder:
        for known_before in (False, True):
            scene = planted(Path(folder) / f"known-{known_before}", known_before=known_before)
            for where, found in deaths(scene, options.every, options.offset):
                n_deaths += 1
                problems += [f"{scene.root.parent.name}: {where}: {each}" for each in found]
    print(f"{n_deaths} deaths while old knowledge was taken over, {len(problems)} problems")
    for problem in problems[:20]:
        print(problem)
    return bool(problems)


@dataclass(frozen=True, slots=True)
class Scene:
    """A checkout as it is before; `before` is a copy of its state, `old` what is to be taken over.

    `old` and `own` are the items of the file in the tree and of the user's folder.
    """

    root: Path
    before: Path
    old: frozenset[tuple[Any, ...]]
    own: frozenset[tuple[Any, ...]]
    bytes: tuple[bytes, ...]

    def project(self) -> Project:
        """The project, opened anew."""
        return Project.at(self.root, beside(self.root))

    def reset(self) -> None:
        """Make state what it was before."""
        state = Path(beside(self.root)["SATCHEL_STATE_FOLDER"])
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree(self.before, state)

    def problems(self) -> list[str]:
        """What is wrong after a death; then takes over again, and looks again."""
        found = []
        if _bytes(self.root) != self.bytes:
            found.append("the file in the tree was touched")
        held = known(self.project())
        if held not in (self.own, self.own | self.old):
            found.append(f"{len(held)} rows are known, neither none of the old ones nor all")
        if adopt.older(self.project().folders) is not None:
            adopt.adopt(self.project())
        elif not self.old <= held:
            found.append("it is noted as taken over, and is not")
        if known(self.project()) != self.own | self.old:
            found.append("taking over again did not make it whole")
        if adopt.older(self.project().folders) is not None:
            found.append("it is not noted as taken over")
        return found


def planted(folder: Path, *, known_before: bool) -> Scene:
    """A checkout below `folder` with knowledge in its tree."""
    root, source = folder / "project", folder / "source"
    for path in (root, source):
        path.mkdir(parents=True)
        (path / "a.py").write_text("def send():\n    pass\n", encoding="utf-8")
    elder = Project.at(source, beside(source))
    _write(elder, "old", _N_OLD)
    old = known(elder)
    team = root / CHECKOUT_FOLDER
    team.mkdir()
    with closing(database.connect(elder.folders.knowledge)) as connection:
        connection.wal_autocheckpoint(0)
        _write(elder, "older", 2)
        old = known(elder)
        # The journal as it is while a process has the file open: half of what is known is there.
        for name in (NAME, f"{NAME}-wal"):
            shutil.copy(elder.folders.knowledge / name, team / name)
    project = Project.at(root, beside(root))
    if known_before:
        _write(project, "own", 3)
    before = folder / "before"
    state = Path(beside(root)["SATCHEL_STATE_FOLDER"])
    state.mkdir(exist_ok=True)
    shutil.copytree(state, before)
    assert len(_bytes(root)[1]) > 0, "there is a journal"
    return Scene(root, before, old, known(project), _bytes(root))


def _write(project: Project, word: str, n_items: int) -> None:
    entries = [
        Entry(kind="fact", summary=f"{word} fact {n}", tags=(word,), on_duplicate="add")
        for n in range(n_items)
    ]
    knowledge.ask(project, Remember(tuple(entries)), session=word)
    [*_, first] = [
        row[1] for row in known(project) if row[0] == "item" and row[3].startswith(f"{word} ")
    ]
    knowledge.ask(project, Revise(ids=(first,), action=Action.ARCHIVE, reason=word))


def known(project: Project) -> frozenset[tuple[Any, ...]]:
    """Items, links and events, each with the table it is in; nothing where no file is."""
    folder = project.folders.knowledge
    if not (folder / NAME).exists():
        return frozenset()
    with closing(database.connect(folder)) as db:
        (checked,) = db.execute("PRAGMA integrity_check").fetchone() or ("",)
        assert checked == "ok", checked
        queries = {
            "item": "SELECT id, status, summary, tags, updated_at FROM item",
            "tag": "SELECT tag, id FROM tag JOIN item USING (seq)",
            "link": "SELECT src, rel, dst FROM link",
            "event": "SELECT at, action, item_id, reason FROM event",
            "text": "SELECT id FROM item WHERE seq IN (SELECT rowid FROM item_text('fact'))",
        }
        rows = [(name, *row) for name, sql in queries.items() for row in select(db, sql)]
    assert len(rows) == len(set(rows)), "something is there twice"
    return frozenset(rows)


def deaths(scene: Scene, every: int, offset: int) -> Iterator[tuple[str, list[str]]]:
    """(where a process died, what was wrong after) for every n-th point there is."""
    operations, n_lines = _measured(scene)
    points = [(number, torn, False) for number, kind in enumerate(operations)
              for torn in ((False, True) if kind is Kind.WRITE else (False,))]  # fmt: skip
    points += [(number, False, True) for number in range(n_lines)]
    for number, torn, is_line in points[offset::every]:
        scene.reset()
        where = _killed(scene, number, torn=torn, is_line=is_line)
        yield where, scene.problems()


def _measured(scene: Scene) -> tuple[list[Kind], int]:
    """The operations of a session that nothing ends, and how many lines it runs."""
    done, lines = list[Kind](), count()
    scene.reset()
    disk = FaultyDisk(lambda operation, _some: done.append(operation.kind))

    def counted() -> None:
        next(lines)

    _trace(counted)
    try:
        adopt.adopt(scene.project())
    finally:
        sys.settrace(None)
        disk.close()
    return done, next(lines)


def _killed(scene: Scene, number: int, *, torn: bool, is_line: bool) -> str:
    child = processes.fork()
    if not child:
        _die_at(scene, number, torn=torn, is_line=is_line)
    code = processes.waited_for(child)
    assert code == processes.KILLED, f"it did not die at {number}: {code}"
    return f"{'line' if is_line else 'torn' if torn else 'operation'} {number}"


def _die_at(scene: Scene, number: int, *, torn: bool, is_line: bool) -> None:
    turns = count()

    def due() -> None:
        if next(turns) == number:
            processes.kill(os.getpid())

    def at(operation: Operation, some: Callable[[bytes], None]) -> None:
        if torn and next(turns) == number:
            some(operation.data[: len(operation.data) // 2])
            processes.kill(os.getpid())
        elif not torn:
            due()

    try:
        if is_line:
            _trace(due)
            adopt.adopt(scene.project())
        else:
            disk = FaultyDisk(at)
            adopt.adopt(scene.project())
            disk.close()
    finally:
        os._exit(1)


def _trace(due: Kill) -> None:
    """Call `due` before each line of the modules that take over."""

    def lines(_frame: FrameType, event: str, _arg: object) -> Any:  # noqa: ANN401
        if event == "line":
            due()
        return lines

    def calls(frame: FrameType, _event: str, _arg: object) -> Any:  # noqa: ANN401
        return lines if frame.f_code.co_filename in _TRACED else None

    sys.settrace(calls)


def _bytes(root: Path) -> tuple[bytes, ...]:
    team = root / CHECKOUT_FOLDER
    return tuple((team / name).read_bytes() for name in (NAME, f"{NAME}-wal"))


if __name__ == "__main__":
    sys.exit(main())

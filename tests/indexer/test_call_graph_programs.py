"""The small programs of `bench/callgraph/programs`: each has the calls that it says, and no other.

What is known to be missed (`~>`) and to be wrong (`!>`) is data of the programs, so that a gap that
closes is noticed as well.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from bench.callgraph.programs import PROGRAMS, Written, read, run
from satchel.indexer.callgraph.values.solver import MAX_DEPTH
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import index

WRITTEN = tuple(read(PROGRAMS))
CATEGORIES = sorted({(each.language, each.category) for each in WRITTEN})
LANGUAGES = sorted({each.language for each in WRITTEN})


@pytest.mark.parametrize(("language", "category"), CATEGORIES)
def test_programs_have_the_calls_that_they_say(language: str, category: str):
    wanted = [p for p in WRITTEN if (p.language, p.category) == (language, category)]
    shown = {
        written.name: sorted(program.found ^ ((written.expected - written.missed) | written.wrong))
        for written, program in run(wanted)
    }
    assert {name: edges for name, edges in shown.items() if edges} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_calls_do_not_depend_on_the_order_in_which_files_came(tmp_path: Path, language: str):
    programs = [each for each in WRITTEN if each.language == language]
    order = list(range(len(programs)))
    random.Random(7).shuffle(order)
    kept = order[: max(3, len(order) // 3)]
    # In three steps: some whole, all of them without their last lines, then as they are.
    grown = tmp_path / "grown"
    for lines_left_out, numbers in ((0, kept[::2]), (2, kept), (0, kept)):
        for number in numbers:
            _write(grown, programs[number], number, lines_left_out)
        index(grown)
    fresh = tmp_path / "fresh"
    for number in kept:
        _write(fresh, programs[number], number, 0)
    # Files that went and came again have other ids than in a new index.
    for number in kept[::3]:
        shutil.rmtree(grown / f"p{number}")
    index(grown)
    for number in kept[::3]:
        _write(grown, programs[number], number, 0)
    with index(grown).snapshot() as one, index(fresh).snapshot() as other:
        assert _edges(one) == _edges(other)


def test_calls_of_a_long_circle_do_not_depend_on_the_order_in_which_files_came(tmp_path: Path):
    """Twice as many functions as the solver puts on its stack, each returning the next one's."""
    n_files = 2 * MAX_DEPTH + 10
    makers = range(0, n_files, 15)
    made = "\n    if flag: return Made()"
    texts = {
        f"m{i}.py": f"from m{(i + 1) % n_files} import f{(i + 1) % n_files}\n"
        "class Made:\n    def go(self): ...\n"
        f"def f{i}(flag):{made if i in makers else ''}\n    return f{(i + 1) % n_files}(flag)\n"
        f"def use(): f{i}(1).go()\n"
        for i in range(n_files)
    }
    order = list(texts)
    random.Random(7).shuffle(order)
    grown, fresh = tmp_path / "grown", tmp_path / "fresh"
    for root, steps in ((fresh, [order]), (grown, [order[:30], order[30:], order[:20]])):
        root.mkdir()
        for step in steps:
            for path in step:
                (root / path).unlink(missing_ok=True)
            index(root)
            for path in step:
                (root / path).write_text(texts[path], encoding="utf-8")
            project = index(root)
        with project.snapshot() as snapshot:
            found = {(e[0], e[1]) for e in _edges(snapshot) if e[1][1] == "Made.go"}
        assert found == {
            ((user, "use"), (f"m{maker}.py", "Made.go")) for user in texts for maker in makers
        }


def _edges(snapshot: Snapshot) -> list[tuple[object, ...]]:
    found = list(snapshot.graph.edges())
    ids = {edge.source for edge in found} | {edge.target for edge in found}
    at = {r.id: (r.path, r.qualified_name) for r in snapshot.symbols.by_id(sorted(ids))}
    return sorted((at[e.source], at[e.target], e.kind, e.line, e.rule) for e in found)


def _write(root: Path, program: Written, number: int, n_left_out: int) -> None:
    for path, text in program.files:
        lines = text.splitlines(keepends=True)
        file = root / f"p{number}" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(lines[: len(lines) - n_left_out]), encoding="utf-8")

"""The choice among forms, on units whose numbers are set so that steps meet exactly."""

from dataclasses import replace
from pathlib import Path

from satchel.assembler.packing import fill, pieces, snapshot_access, units
from satchel.assembler.packing.costs import Costs
from satchel.assembler.packing.forms import Form, Interest
from satchel.assembler.packing.knapsack import Choice
from satchel.assembler.packing.units import Unit
from satchel.assembler.values import Scored
from satchel.assembler.weights import DEFAULT
from satchel.store import tokens
from satchel.store.model import RepoPath
from tests.support.satchel import index

N_FILES = 4
WEIGHTS = replace(DEFAULT.packing, signature=0.5, elided=0.0, breadth=0.0)


def taken_apart(root: Path) -> tuple[list[Unit], Costs]:
    """One function from each of four files of the same shape, and what they cost."""
    for n in range(N_FILES):
        body = "".join(f"    total += {n}{line}\n" for line in range(9))
        (root / f"m{n}.py").write_text(f"def name{n}(total_of_numbers):\n{body}    return total\n")
    with index(root).snapshot() as snapshot:
        read = snapshot_access.reader(snapshot)
        found: list[Unit] = []
        for n in range(N_FILES):
            (chunk,) = snapshot.chunks.of_file(RepoPath(f"m{n}.py"))
            item = Scored(chunk, 1.0)
            around = snapshot_access.around(snapshot, [item])[chunk.id]
            found += units.split(item, around, read(chunk), {})
        held = {unit.chunk.id: read(unit.chunk) for unit in found}
    return found, Costs(tokens.count, lambda chunk: held[chunk.id])


def test_steps_of_equal_density_are_told_apart_by_their_numbers(tmp_path: Path):
    """Two units without worth take numbers as well, of which none may be given out again.

    The first function is named, and to show it whole adds 0.5 for 64 tokens; the second, which has
    no signature to be named by, adds 1 for 128: the same, to the last bit.
    """
    (nothing, nothing_too, named, plain), costs = taken_apart(tmp_path)
    assert named.name
    assert len(named.name.signature) == 27  # 8 tokens, as signatures are estimated
    listed = [
        *(replace(nothing, worth=0.0), replace(nothing_too, worth=0.0)),
        replace(named, worth=1.0, tokens=63.0),
        replace(plain, worth=1.0, tokens=119.0, name=None),
    ]
    choice = Choice(costs, Interest({}, {}), WEIGHTS)
    choice.take(listed, 4000)
    assert [choice.form(unit) for unit in listed] == [0, 0, Form.WHOLE, Form.WHOLE]


LONG = "".join(f"    total += step_{n}(total, {n}, 'some more of the same')\n" for n in range(180))


def test_a_function_in_parts_is_named_once(tmp_path: Path):
    (tmp_path / "long.py").write_text(f"def add_it_all_up(total):\n{LONG}    return total\n")
    with index(tmp_path).snapshot() as snapshot:
        read = snapshot_access.reader(snapshot)
        items = [Scored(chunk, 1.0) for chunk in snapshot.chunks.of_file(RepoPath("long.py"))]
        around = snapshot_access.around(snapshot, items)
        parts = [u for i in items for u in units.split(i, around[i.chunk.id], read(i.chunk), {})]
        choice = Choice(Costs(tokens.count, read), Interest({}, {}), DEFAULT.packing)
        choice.take([replace(part, worth=1.0) for part in parts], 100)
    assert len(parts) > 2
    assert [piece.symbol.name for piece in choice.pieces if piece.symbol] == ["add_it_all_up"]


def test_what_is_stretched_begins_with_a_line(tmp_path: Path):
    """A signature stands after its indentation: lines are shown from before that."""
    methods = "".join(f"    def name{n}(self):\n        return {n}\n" for n in range(9))
    (tmp_path / "a.py").write_text(f"class A:\n{methods}")
    with index(tmp_path).snapshot() as snapshot:
        (chunk,) = snapshot.chunks.of_file(RepoPath("a.py"))
        item, read = Scored(chunk, 1.0), snapshot_access.reader(snapshot)
        parts = units.split(
            item, snapshot_access.around(snapshot, [item])[chunk.id], read(chunk), {}
        )
        above, below = parts[2], parts[3]
        assert above.name
        shown = [pieces.signature(above, above.name), pieces.whole(below)]
        filled = fill.fill(shown, [], 999, Costs(tokens.count, read).used, read)
    data = (tmp_path / "a.py").read_bytes()
    (stretched,) = (piece for piece in filled if piece.is_text)
    assert stretched.start == data.index(b"    def name1")
    assert stretched.end == len(data)

"""Structural expansion: neighbours by the call graph, few for each seed, found by text or not."""

from pathlib import Path

import pytest

from satchel.assembler import assemble
from satchel.assembler.kinds import Detail, Scope
from satchel.assembler.packing.neighbours import origins
from satchel.assembler.packing.shown import Piece
from satchel.assembler.packing.units import Unit
from satchel.assembler.query.question import Question
from satchel.assembler.ranking.expand import Preference, Surroundings, expand
from satchel.assembler.search import search
from satchel.assembler.values import Neighbour, Origin
from satchel.assembler.weights import EdgeWeights
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import index

PER_SEED = 5
FEW = Preference(PER_SEED)


def text_of_a_hub(n_callees: int) -> str:
    calls = "".join(f"    helper{n}()\n" for n in range(n_callees))
    helpers = "".join(f"//- h{n}.py\ndef helper{n}():\n    return {n}\n" for n in range(n_callees))
    imports = "".join(f"from h{n} import helper{n}\n" for n in range(n_callees))
    return f"//- hub.py\n{imports}def dispatch():\n{calls}{helpers}"


def seeds(snapshot: Snapshot, *paths: str) -> list[Origin]:
    return [
        Origin(chunk, 1.0) for path in paths for chunk in snapshot.chunks.of_file(RepoPath(path))
    ]


def neighbours_of(
    seed: list[Origin],
    snapshot: Snapshot,
    preferred: Preference = FEW,
    relevance: dict[int, float] | None = None,
) -> list[Neighbour]:
    return expand(Surroundings(snapshot, EdgeWeights(), preferred, relevance or {}), seed)


@pytest.mark.parametrize(("n_callees", "n_found"), [(0, 0), (3, 3), (5, 5), (12, PER_SEED)])
def test_a_seed_brings_at_most_five_neighbours(project, n_callees: int, n_found: int):
    with index(project(text_of_a_hub(n_callees))).snapshot() as snapshot:
        found = neighbours_of(seeds(snapshot, "hub.py"), snapshot)
    assert len(found) == n_found
    assert {neighbour.relation for neighbour in found} <= {"called by"}
    assert [n.chunk.path for n in found] == sorted(n.chunk.path for n in found)


def test_of_many_callees_those_that_match_the_question_come_first(project):
    with index(project(text_of_a_hub(12))).snapshot() as snapshot:
        (chunk,) = snapshot.chunks.of_file(RepoPath("h9.py"))
        seed = seeds(snapshot, "hub.py")
        found = neighbours_of(seed, snapshot, relevance={chunk.id: 0.5})
    assert found[0].chunk.path == "h9.py"


def test_what_unlikely_code_calls_is_no_likelier_than_that_code(project):
    with index(project(text_of_a_hub(1))).snapshot() as snapshot:
        (chunk,) = snapshot.chunks.of_file(RepoPath("hub.py"))
        symbols = tuple(snapshot.symbols.of_file(chunk.path))
    best_there_is = Unit(chunk, 1, 3, None, None, 0.2, worth=0.1, symbols=symbols)
    (origin,) = origins([Piece(best_there_is, ((1, 3),))], unshown=0.4)
    assert origin.score == 0.1
    assert set(origin.shown.values()) == {1.0}


def test_what_few_call_comes_before_what_many_call(project):
    users = "".join(
        f"//- u{n}.py\nfrom h0 import helper0\n\n\ndef use{n}():\n    helper0()\n" for n in range(9)
    )
    with index(project(f"{text_of_a_hub(3)}{users}")).snapshot() as snapshot:
        seed = seeds(snapshot, "hub.py")
        as_called = neighbours_of(seed, snapshot)
        by_use = neighbours_of(seed, snapshot, Preference(PER_SEED, by_use=True))
    assert [n.chunk.path for n in as_called] == ["h0.py", "h1.py", "h2.py"]
    assert [n.chunk.path for n in by_use] == ["h1.py", "h2.py", "h0.py"]


def test_what_is_called_comes_before_a_base_and_both_before_a_type_that_is_named(project):
    typed = MINI.replace("def checkout(self):", "def checkout(self, by: Actor):")
    typed = typed.replace("\nclass Order", "from app.actor import Actor\n\nclass Order")
    with index(
        project(f"{typed}//- app/actor.py\nclass Actor:\n    pass\n")
    ).snapshot() as snapshot:
        seed = seeds(snapshot, "app/orders.py")
        found = neighbours_of(seed, snapshot, Preference(PER_SEED, users=0.0))
    in_order = [n.chunk.path for n in sorted(found, key=lambda n: -n.score)]
    assert in_order == ["app/stock.py", "app/base.py", "app/actor.py"]


def test_callers_are_left_out_where_they_count_nothing(project):
    with index(project(MINI)).snapshot() as snapshot:
        seed = seeds(snapshot, "app/orders.py")
        found = neighbours_of(seed, snapshot, Preference(PER_SEED, users=0.0))
    assert {n.chunk.path for n in found} == {"app/stock.py", "app/base.py"}


MINI = """
//- app/orders.py
from app.stock import reserve
from app.base import Model

class Order(Model):
    def checkout(self):
        reserve(self)
//- app/stock.py
def reserve(thing):
    return thing
//- app/base.py
class Model:
    pass
//- app/views.py
from app.orders import Order

def view():
    Order.checkout(1)
//- tests/test_orders.py
from app.orders import Order

def test_checkout():
    Order().checkout()
"""


def test_neighbours_that_no_word_of_the_question_finds_are_in_the_pack(project):
    with index(project(MINI)).snapshot() as snapshot:
        found = search(snapshot, Question("checkout"), 10)
        pack = assemble.context(snapshot, Question("checkout"), 1024)
    assert "app/stock.py" not in {item.chunk.path for item in found.results}
    reasons = {excerpt.path: excerpt.reason for excerpt in pack.excerpts}
    assert reasons["app/stock.py"] == "called by Order.checkout"
    assert reasons["app/base.py"] == "base of Order"
    assert pack.receipt.n_neighbours == sum(excerpt.is_neighbour for excerpt in pack.excerpts)
    assert "def reserve(thing):" in pack.text


@pytest.mark.parametrize(
    ("scope", "has_test"), [(Scope.IMPL, False), (Scope.TEST, True), (Scope.ALL, True)]
)
def test_scope_holds_for_neighbours_too(project, scope: Scope, has_test: bool):
    with index(project(MINI)).snapshot() as snapshot:
        pack = assemble.context(snapshot, Question("checkout", scope), 1024)
    assert ("tests/test_orders.py" in {excerpt.path for excerpt in pack.excerpts}) == has_test


def test_neighbours_take_no_more_than_their_share(project, tmp_path: Path):
    body = "".join(f"    total = total + {n}  # some line of work\n" for n in range(60))
    calls = "".join(f"    helper{n}(1)\n" for n in range(5))
    helpers = "".join(
        f"//- h{n}.py\ndef helper{n}(total):\n{body}    return total\n" for n in range(5)
    )
    matches = "".join(
        f"//- m{n}.py\ndef dispatch{n}():\n    '''Dispatch.'''\n{body}\n" for n in range(9)
    )
    imports = "".join(f"from h{n} import helper{n}\n" for n in range(5))
    hub = f"//- hub.py\n{imports}def dispatch():\n{calls}"
    with index(project(f"{hub}{helpers}{matches}")).snapshot() as s:
        pack = assemble.context(s, Question("dispatch"), 3000)
    structure = [excerpt for excerpt in pack.excerpts if excerpt.reason]
    assert structure
    assert sum(excerpt.tokens for excerpt in structure) <= 0.3 * 3000
    assert {excerpt.detail for excerpt in structure} <= {Detail.FULL, Detail.SIGNATURE}

"""What is not in a reply and is there all the same: each reply says that it was filtered out."""

from collections.abc import Iterator

import pytest

from satchel.assembler.assemble import context
from satchel.assembler.kinds import Scope
from satchel.assembler.lookup.dependencies import EVERY_EDGE, Direction, Filter, dependencies
from satchel.assembler.lookup.symbols import lookup
from satchel.assembler.output import definition_lines, drawings, listings
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.store.errors import CorruptIndex, UsageError
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import index

CODE = """
//- shop/orders.py
def pay(order):
    return order

def refund(order):
    return pay(order)

class Shelf:
    Order = int
    def fetch(self): return self.a.push(1), self.b.pull(2), self.c.drop(3)
//- shop/zoo.py
class Order: pass

class Lift:
    def push(self): pass
    def pull(self): pass
    def drop(self): pass

class Cart:
    def push(self): pass
    def pull(self): pass
    def drop(self): pass
//- shop/lonely.py
def lonely():
    return 1
//- tests/test_orders.py
from shop.lonely import lonely
from shop.orders import pay

class Order: pass

def test_pay():
    assert pay(lonely())

def untold(it):
    it.fetch()
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    root = tmp_path_factory.mktemp("absence")
    for part in ("\n" + CODE).split("\n//- ")[1:]:
        name, _, body = part.partition("\n")
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(body, encoding="utf-8")
    (root / "big.py").write_text("x = 1\n" * 400_000, encoding="utf-8")
    with index(root).snapshot() as snapshot:
        yield snapshot


@pytest.mark.parametrize(
    ("name", "kind", "scope", "offset", "said"),
    [
        ("test_pay", "", Scope.IMPL, 0, "filtered out: 1 in tests; scope all lists them"),
        ("pay", "", Scope.TEST, 0, "filtered out: 1 outside tests; scope all lists them"),
        ("pay", "class", Scope.ALL, 0, "filtered out: of other kinds: 1 function"),
        ("pa*", "", Scope.ALL, 9, "filtered out: offset 9 is past the last of 1 definition"),
        ("nothing", "", Scope.ALL, 0, "nothing is not defined in the 4 files searched"),
    ],
)
def test_a_definition_that_is_filtered_out_is_not_denied(
    shop: Snapshot, name: str, kind: str, scope: Scope, offset: int, said: str
):
    found = lookup(shop, name, kind, scope, 5, offset)
    assert list(definition_lines.symbols_lines(found, shop.files.count())) == [said]


def test_the_definition_that_a_name_is_asked_for_comes_first(shop: Snapshot):
    found = lookup(shop, "Order", "", Scope.ALL, 9).definitions
    assert [record.path for record in found] == [
        "shop/zoo.py",
        "shop/orders.py",
        "tests/test_orders.py",
    ]


@pytest.mark.parametrize(
    ("name", "chosen", "scope", "said"),
    [
        ("lonely.py:lonely", EVERY_EDGE, Scope.IMPL, "filtered out: 1 in tests; scope all lists"),
        ("pay", EVERY_EDGE, Scope.IMPL, "filtered out: 1 in tests; scope all lists them"),
        ("pay", Filter(frozenset({"type"})), Scope.ALL, "filtered out: of other kinds: 2 call"),
        ("pay", Filter(offset=7), Scope.ALL, "filtered out: offset 7 is past the last of 2 edges"),
        ("Shelf", EVERY_EDGE, Scope.ALL, "none found: no edge leads there or on from it in"),
        (
            "refund",
            Filter(tests=True),
            Scope.ALL,
            "none found: no test reaches it in the call graph",
        ),
    ],
)
def test_callers_that_are_filtered_out_are_counted(
    shop: Snapshot, name: str, chosen: Filter, scope: Scope, said: str
):
    answer = dependencies(shop, name, (Direction.CALLERS, 2), scope, 9, chosen)
    assert list(listings.dependencies_lines(answer))[-1].startswith(said)


@pytest.mark.parametrize("drawing", ["dot", "mermaid"])
def test_a_drawing_says_in_a_comment_what_it_lacks(shop: Snapshot, drawing: str):
    answer = dependencies(shop, "pay", (Direction.CALLERS, 1), Scope.IMPL, 9)
    (said,) = [line for line in drawings.DRAWINGS[drawing](answer) if "filtered out: 1 in" in line]
    assert said.strip().startswith(("//", "%%"))


def test_unresolved_uses_keep_to_the_limit_and_to_the_first_page(shop: Snapshot):
    first = dependencies(shop, "fetch", (Direction.BOTH, 1), Scope.ALL, 2)
    assert [use.name for use in first.unresolved] == ["fetch", "drop"]
    assert (first.n_maybe_uses, first.n_unresolved) == (0, 2)
    assert "  ?  2 more uses that no rule could resolve" in listings.dependencies_lines(first)
    later = dependencies(shop, "fetch", (Direction.BOTH, 1), Scope.ALL, 2, Filter(offset=2))
    assert later.unresolved == ()


def test_an_edge_further_away_names_both_of_its_ends(shop: Snapshot):
    answer = dependencies(shop, "refund", (Direction.CALLEES, 1), Scope.ALL, 9)
    assert list(listings.dependencies_lines(answer))[1] == (
        "  -> pay  shop/orders.py:1  (call, local 0.95)  5| return pay(order)"
    )
    assert listings.edge_line(answer.edges[0], whole=True) == (
        "  -> pay  shop/orders.py:1  (call in refund at shop/orders.py:4, local 0.95)"
        "  5| return pay(order)"
    )


def test_of_several_definitions_an_edge_says_which_it_touches(shop: Snapshot):
    answer = dependencies(shop, "lonely.py:lonely", (Direction.CALLERS, 1), Scope.ALL, 9)
    assert [line for line in listings.dependencies_lines(answer) if "<-" in line] == [
        "  <- test_pay  tests/test_orders.py:6  (call of lonely at shop/lonely.py:1, import 0.95)"
        "  7| assert pay(lonely())"
    ]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nope/x.py:3", "no indexed file's path ends with nope/x.py"),
        ("orders.py:99", "shop/orders.py has 9 lines"),
        ("orders.py:0", "shop/orders.py has 9 lines"),
        ("orders.py:nothing_like", "shop/orders.py is indexed, but nothing is defined there"),
        (
            "shop/orders.py",
            "that is a file: context shop/orders.py:1-80 shows it; `path:name` or"
            " `path:line` is a symbol in it",
        ),
        ("Zeppelin", "`search` finds code by words, or in mode exact every line that holds a text"),
    ],
)
def test_a_hint_is_of_use_to_people_and_to_agents(shop: Snapshot, name: str, hint: str):
    with pytest.raises(UsageError) as refused:
        dependencies(shop, name, (Direction.BOTH, 1), Scope.ALL, 9)
    assert refused.value.hint == hint


def test_a_line_where_nothing_is_defined_is_not_called_an_undefined_name(shop: Snapshot):
    def said(name: str) -> list[str]:
        found = lookup(shop, name, "", Scope.IMPL, 9)
        assert found.undefined == ()
        return [str(each) for each in found.absent]

    assert said("orders.py:99") == ["none found: shop/orders.py has 9 lines"]
    assert said("shop/orderz.py:1") == [
        "not indexed: no indexed file's path ends with shop/orderz.py; close to it: shop/orders.py"
    ]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("shop/orderz.py:33 fails", "no indexed file's path ends with shop/orderz.py; close to it"),
        ("why does shop/orderz.py refund", "no indexed file's path ends with shop/orderz.py;"),
        ("refund fails at shop/orders.py:99", "shop/orders.py has 9 lines"),
        ("refund in shop/orders.py:2 and/or pay", ""),
    ],
)
def test_a_file_or_line_that_is_not_here_is_told(shop: Snapshot, question: str, said: str):
    packed = context(shop, Question(question), 512).receipt.absent
    for absent in (packed, search(shop, Question(question), 5).absent):
        told = [
            each.detail for each in absent if "path ends" in each.detail or "has 9" in each.detail
        ]
        assert (len(told), said in "".join(told)) == (bool(said), True)


def test_an_empty_search_says_what_its_filters_left_out(shop: Snapshot):
    reply = search(shop, Question("refund", path="nope"), 5)
    lines = list(listings.search_lines(reply))
    assert lines == ["not indexed: no indexed file's path starts with nope"]
    reply = search(shop, Question("refund", path="*.nope"), 5)
    assert [str(a) for a in reply.absent] == ["not indexed: no indexed file's path matches *.nope"]
    low = list(listings.search_lines(search(shop, Question("refund"), 5, min_score=1.0)))
    assert low[0].startswith("filtered out: ") and "score less than 1, the best 0." in low[0]


def test_a_skipped_file_is_named_without_its_folder(shop: Snapshot):
    for question in ("what is in big.py", "what is in ./big.py"):
        said = [str(each) for each in context(shop, Question(question), 512).receipt.absent]
        assert any(each.startswith("not indexed: ") and "too-large" in each for each in said)
    assert "not indexed" not in context(shop, Question("what is os.path"), 512).text


def test_a_name_in_a_file_that_did_not_parse_is_told_where(project):
    broken = "def whole():\n    return 1\n\n\nlost(:\n    return (\n"
    with index(project(f"//- a.py\n{broken}//- b.py\nlost()\n")).snapshot() as snapshot:
        found = lookup(snapshot, "lost", "", Scope.ALL, 9)
        other = lookup(snapshot, "absent", "", Scope.ALL, 9)
    assert [str(each) for each in found.absent] == [
        "not indexed: a.py did not parse as a whole and has the name in line 5"
    ]
    assert not other.absent


def test_a_path_that_several_files_end_with_is_no_place(project):
    root = project("//- a/x.py\nONE = 1\n//- b/x.py\nTWO = 2\n")
    with index(root).snapshot() as snapshot, pytest.raises(UsageError) as refused:
        dependencies(snapshot, "x.py:40-50", (Direction.BOTH, 1), Scope.ALL, 9)
    assert refused.value.hint == "x.py may be each of a/x.py, b/x.py"


def test_a_file_of_its_own_records_that_an_index_lacks_is_damage(
    shop: Snapshot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(type(shop.files), "identity", lambda _files, _path: None)
    with pytest.raises(CorruptIndex, match="lacks a file"):
        dependencies(shop, "pay", (Direction.CALLERS, 1), Scope.ALL, 5)

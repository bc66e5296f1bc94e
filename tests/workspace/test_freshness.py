"""What is shown is what stands in the file when the reply is made; what is absent says why."""

from pathlib import Path

import pytest

from satchel.assembler import assemble
from satchel.assembler.kinds import Absence, Scope
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack
from satchel.store import tokens
from satchel.workspace import span_check
from tests.support.satchel import index, refresh, satchel

FILES = """
//- shop/stock.py
def reserve(thing):
    return thing
//- shop/orders.py
from shop.stock import reserve


def checkout(order):
    return reserve(order)


class Order:
    def send(self):
        return 1


class Parcel:
    def send(self):
        return 2
//- tests/test_stock.py
def test_weather_station():
    assert True
//- .gitignore
secret/
//- secret/keys.py
def reserve_key():
    return 1
"""


def ask(root: Path, text: str, **options: object) -> ContextPack:
    project = index(root)
    with project.snapshot() as snapshot:
        return assemble.context(snapshot, Question(text, **options), 600)


def kinds(pack: ContextPack) -> list[Absence]:
    return [absent.kind for absent in pack.receipt.absent]


@pytest.mark.parametrize("change", ["edited", "removed", "linked"])
def test_a_file_that_changed_since_it_was_indexed_is_never_shown(project, change: str):
    root = project(FILES)
    code_base = index(root)
    stock = root / "shop/stock.py"
    with code_base.snapshot() as snapshot:
        if change == "edited":
            stock.write_text("def reserve(thing):\n    raise KeyError(thing)\n", "utf-8")
        else:
            stock.unlink()
        if change == "linked":
            stock.symlink_to(root / "shop/orders.py")
        question = Question("reserve thing")
        pack = assemble.context(
            snapshot, question, 600, assemble.PackOptions(is_current=span_check.checker(code_base))
        )
        trusting = assemble.context(snapshot, question, 600)
    assert "return thing" in trusting.text
    assert "return thing" not in pack.text
    assert {excerpt.path for excerpt in pack.excerpts} == {"shop/orders.py"}
    assert kinds(pack) == [Absence.STALE]
    assert "note: stale: changed while this was made and left out: shop/stock.py\n" in pack.text
    assert tokens.count(pack.text) == pack.receipt.used


def test_a_function_that_is_named_is_not_required_from_a_file_that_changed(project):
    with index(project(FILES)).snapshot() as snapshot:
        pack = assemble.context(
            snapshot, Question("reserve()"), 600,
            assemble.PackOptions(is_current=lambda path, _digest: path != "shop/stock.py"),
        )  # fmt: skip
    assert "shop/stock.py" not in {excerpt.path for excerpt in pack.excerpts}
    assert kinds(pack) == [Absence.STALE]


def test_the_command_shows_what_is_in_the_file_now(project):
    root = project(FILES)
    refresh(root)
    (root / "shop/stock.py").write_text("def reserve(thing):\n    return 'anew'\n", "utf-8")
    text = satchel("context", "reserve thing", cwd=root).stdout.decode()
    assert "return 'anew'" in text
    assert "stale" not in text


def test_an_empty_reply_says_which_kind_it_is(project):
    root = project(FILES)
    (root / ".git").mkdir()
    none = ask(root, "zzzqqq")
    assert kinds(none) == [Absence.NONE_FOUND]
    assert "note: none found: nothing matches in the " in none.text
    filtered = ask(root, "weather station")
    assert kinds(filtered) == [Absence.FILTERED_OUT]
    assert "filtered out: 1 match outside scope impl; try scope all" in filtered.text
    assert kinds(ask(root, "weather station", scope=Scope.ALL)) == []
    elsewhere = ask(root, "reserve", path="nowhere/")
    # No scope helps where no file lies below the path.
    assert kinds(elsewhere) == [Absence.NOT_INDEXED]


def test_a_partial_reply_says_what_it_lacks(project):
    root = project(FILES)
    (root / ".git").mkdir()
    ignored = ask(root, "why does secret/keys.py reserve things")
    assert kinds(ignored) == [Absence.NOT_INDEXED]
    assert "not indexed: secret/keys.py (ignored" in ignored.text
    ambiguous = ask(root, "send")
    assert kinds(ambiguous) == [Absence.AMBIGUOUS]
    assert "Order.send (shop/orders.py:9), Parcel.send (shop/orders.py:14)" in ambiguous.text
    assert kinds(ask(root, "Order.send")) == []

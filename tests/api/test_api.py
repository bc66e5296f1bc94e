"""The public API: its page is true, its examples run, and its import is lazy."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import satchel
from tests.support.satchel import ROOT

PAGE = (ROOT / "docs/API.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SHOP = '''
//- shop/signals.py
class Signal:
    """An event that receivers can connect to."""

    def __init__(self):
        self.receivers = []

    def send(self, sender, **named):
        """Dispatch the signal: call each receiver and collect what it returns."""
        return [(receiver, receiver(sender, **named)) for receiver in self.receivers]


paid = Signal()
//- shop/orders.py
from shop.signals import Signal, paid


class Order:
    def pay(self):
        """Pay the order and tell whoever listens."""
        paid.send(self)
'''


@pytest.fixture
def shop(project) -> Path:
    return project(SHOP)


def test_the_examples_of_its_page_run(shop: Path, monkeypatch, capsys):
    monkeypatch.chdir(shop)
    names: dict[str, object] = {}
    for example in EXAMPLES:
        exec(example, names)
    printed = capsys.readouterr().out
    assert "receiver(sender, **named)" in printed
    assert "shop/signals.py 1 9" in printed
    assert "Signal.send call" in printed
    assert "Receivers are called in the order of connection" in printed
    assert "budget_tokens is 10" in printed


def test_every_public_name_and_method_is_on_its_page():
    methods = [name for name in vars(satchel.CodeBase) if not name.startswith("_")]
    absent = [name for name in (*satchel.__all__, *methods) if not re.search(rf"\b{name}\b", PAGE)]
    assert [name for name in absent if name not in ("Excerpt", "Receipt", "Scope", "Scored")] == []


def test_every_public_name_can_be_imported():
    assert sorted(satchel.__all__) == satchel.__all__
    for name in satchel.__all__:
        assert getattr(satchel, name).__module__.startswith("satchel.")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = satchel.nothing


def test_importing_it_loads_no_room():
    code = "import sys, satchel; print([m for m in sys.modules if m.startswith('satchel.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_it_refuses_is_an_error_with_a_hint(shop: Path):
    with satchel.open(shop) as code:
        for refused in (
            lambda: code.search("a", scope="everything"),
            lambda: code.dependencies("Order", direction="sideways"),
            lambda: code.validate("hardest"),
            lambda: code.remember("decision", "x", colour="red"),
            lambda: code.changes("HEAD"),
        ):
            with pytest.raises(satchel.SatchelError) as error:
                refused()
            assert error.value.hint
    with pytest.raises(satchel.SatchelError, match="is not a folder"):
        satchel.open(shop / "nowhere")


def test_a_question_sees_what_was_written_just_before(shop: Path):
    with satchel.open(shop) as code:
        assert not code.symbols("Refund").definitions
        (shop / "shop/refunds.py").write_text("class Refund:\n    pass\n", encoding="utf-8")
        [found] = code.symbols("Refund").definitions
        assert found.path == "shop/refunds.py"
        assert code.overview().n_files >= 3
        code.refresh()
        assert code.validate("standard").findings == ()

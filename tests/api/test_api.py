"""The public API: its page is true, its examples run, and its import is lazy."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import satchel
from satchel.questions.changes import CHANGES
from satchel.questions.context import CONTEXT
from satchel.questions.dependencies import DEPENDENCIES
from satchel.questions.graph import CYCLES, DEAD
from satchel.questions.request import params
from satchel.questions.search import SEARCH
from satchel.questions.symbols import SYMBOLS
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


def test_python_takes_every_field_of_a_question(shop: Path):
    with satchel.open(shop) as code:
        for ask, question in (
            (code.context, CONTEXT), (code.search, SEARCH), (code.symbols, SYMBOLS),
            (code.dependencies, DEPENDENCIES), (code.changes, CHANGES), (code.cycles, CYCLES),
            (code.dead_code, DEAD),
        ):  # fmt: skip
            _, *others = params(question.request)
            for param in others:
                with pytest.raises(satchel.SatchelError, match=f"^{param.name} is "):
                    ask("a", **{param.name: {}})
        lines = code.search("def", mode="exact")
        assert "def pay" in lines.rows[0].text
        for refused, said in (
            (lambda: code.context("a", query="b"), "query is given twice"),
            (lambda: code.dependencies("a", name="b"), "name is given twice"),
            (lambda: code.levels("nowhere"), "no indexed file's path starts with nowhere"),
            (lambda: code.neighbourhoods("nowhere"), "no indexed file's path starts with nowhere"),
        ):
            with pytest.raises(satchel.SatchelError, match=said):
                refused()
        assert code.dependencies("Order.pay", direction="impact").users.edges == ()


def test_lines_are_those_that_were_asked_for_or_refused(shop: Path):
    with satchel.open(shop) as code:
        code.refresh()
        every = code.lines("shop/orders.py").split("\n")
        assert code.lines("shop/orders.py", 2, 3).split("\n") == every[1:3]
        for first, last in ((0, 2), (3, 2), (-1, 1), (1, len(every) + 1), (99_999, None)):
            with pytest.raises(satchel.SatchelError, match=r"^lines are ") as error:
                code.lines("shop/orders.py", first, last)
            assert error.value.hint == f"shop/orders.py has lines 1 to {len(every)}"


def test_knowledge_is_refused_and_read_as_by_the_tools(shop: Path):
    with satchel.open(shop) as code:
        for refused, message in (
            (lambda: code.remember("note", ""), "summary is empty"),
            (lambda: code.recall("x", limit=99), "limit is 99"),
            (lambda: code.revise([], "verify"), "ids is empty"),
            (lambda: code.revise("01ARZ3", "spell"), "action is 'spell'"),
        ):
            with pytest.raises(satchel.SatchelError) as error:
                refused()
            assert error.value.message == message
        kept = code.remember("note", "Refunds are rare", tags="money", importance=0.9).value
        assert "Refunds are rare" in code.recall("refunds", tags=("money",), kinds="note").text
        [row] = kept.items
        assert row.id in code.revise(row.id, "resolve").text


def test_a_question_sees_what_was_written_just_before(shop: Path):
    with satchel.open(shop) as code:
        assert not code.symbols("Refund").definitions
        (shop / "shop/refunds.py").write_text("class Refund:\n    pass\n", encoding="utf-8")
        [found] = code.symbols("Refund").definitions
        assert found.path == "shop/refunds.py"
        assert code.overview().n_files >= 3
        code.refresh()
        assert code.validate("standard").findings == ()


def two(tmp_path: Path) -> tuple[Path, Path]:
    made = []
    for name, word in (("api", "server"), ("web", "browser")):
        folder = tmp_path / name
        (folder / ".git").mkdir(parents=True)
        text = f"def answer_{word}(request):\n    return ask(request)\n"
        (folder / f"{word}.py").write_text(text, encoding="utf-8")
        made.append(folder)
    return made[0], made[1]


def test_several_code_bases_are_asked_as_one(tmp_path: Path):
    api, web = two(tmp_path)
    (tmp_path / "both.toml").write_text('roots = ["api", "web"]\n', encoding="utf-8")
    for where in ([api, web], tmp_path, tmp_path / "both.toml", [str(web), str(api)]):
        with satchel.open_workspace(where) as code:
            assert code.names == ("api", "web")
            pack = code.context("answer a request", budget=1000)
            assert "def answer_server" in pack.text and "def answer_browser" in pack.text
            assert {excerpt.path for excerpt in pack.excerpts} == {
                "api/server.py",
                "web/browser.py",
            }
            [symbol] = code.symbols("answer_server").definitions
            assert symbol.path == "api/server.py"
            assert code["web"].status().counts.files == 1
    with satchel.open_workspace(tmp_path, repositories="w*") as code:
        assert code.names == ("web",)
        again = code.again()
    assert [row.chunk.path for row in again.search("answer").results] == ["web/browser.py"]


def test_what_is_known_stays_with_its_code_base_and_is_recalled_of_all(tmp_path: Path):
    two(tmp_path)
    with satchel.open_workspace(tmp_path) as code:
        code.remember("warning", "Requests may come twice", scope="api/server.py")
        assert "Requests may come twice" in code.recall("requests").text
        assert "Requests may come twice" in code["api"].recall("requests").text
        assert not code["web"].keeps_knowledge


def test_what_is_of_one_index_says_so(tmp_path: Path):
    two(tmp_path)
    with satchel.open_workspace(tmp_path) as code:
        for ask in (code.status, code.contents, code.validate):
            with pytest.raises(satchel.SatchelError) as refused:
                ask()
            assert refused.value.hint == 'ask one: code["api"]'
    with pytest.raises(satchel.SatchelError, match="lies in"):
        satchel.open_workspace([tmp_path, tmp_path / "api"])


def test_what_a_person_puts_in_comes_first_and_what_is_taken_out_is_not_shown(shop: Path):
    chosen = satchel.ByHand(put_in=("shop/orders.py#L4-L7",), take_out=("shop/signals.py:7-9",))
    with satchel.open(shop) as code:
        usual = code.context("Signal.send")
        pack = code.context("Signal.send", by_hand=chosen)
        again = code.replay(pack.receipt.id)
    first = pack.excerpts[0]
    assert (first.path, first.reason) == ("shop/orders.py", "put in by hand")
    assert "self.receivers]" in usual.text and "self.receivers]" not in pack.text
    assert again.text == pack.text


def test_a_pack_with_what_is_known_is_taken_apart_into_its_text(shop: Path):
    with satchel.open(shop) as code:
        code.refresh()
        code.remember("warning", "Receivers run in order", scope="shop/signals.py")
        pack = code.context("Signal.send")
        parts = code.layout(pack).segments
    assert any("Receivers run in order" in p.text for p in parts if p.part == "known")
    assert "".join(p.text for p in parts) == pack.text

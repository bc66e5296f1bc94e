"""The numbers of ranking and packing that a person set: few, named, and each of them acts.

What is learned or fitted is not counted, nor what bounds work or a line of text; each of these is
named here. A number acts if a question is answered otherwise with twice or half of it.
"""

import ast
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from satchel.assembler import assemble
from satchel.assembler.budget import USUAL
from satchel.assembler.kinds import Scope
from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from satchel.assembler.weights import DEFAULT, Weights
from satchel.store.reading.snapshot import Snapshot
from tests.packing.test_golden_packs import FIXTURES, PACKS
from tests.support.satchel import ROOT, index

MOST = 60
ROOMS = ("assembler/weights.py", "assembler/ranking/*.py", "assembler/packing/*.py")
LEARNED = {
    "worth.CURVE", "signals._FREQUENT", "signals._LINKED_SCALE", "signals._LONG_WORD",
}  # fmt: skip
"""What `training` fits, and the units of what it was fitted to."""
BOUNDS = {
    "rank.STEP", "signals.STEPS", "worth._STEP", "worth._LEAST", "worth.MOST",
    "signals._MAX_TERMS", "phrases._MAX_WORDS", "members._SEEDS", "pack._BATCH", "pack._MAX_NAMED",
    "vendored._HEAD_BYTES", "vendored._SAMPLE", "vendored._SAMPLE_BYTES", "vendored._OWN_SAMPLE",
    "selection._MOST_BYTES", "selection._MAX_COPIES_NAMED", "finish._MAX_WAITING", "finish._NAME",
    "finish._TOKENS_A_LINE", "shown._LONGEST", "shown._LONGEST_DOC", "sent_before._BYTES",
}  # fmt: skip
"""What work or a line of text is bounded by, and what is rounded."""


def _set_numbers() -> Iterator[tuple[str, float]]:
    """(`module.name`, number) of all that is written at the level of a module or record; a number
    of 0 or 1 is no choice."""
    for file in sorted(file for pattern in ROOMS for file in ROOT.glob(pattern)):
        body = ast.parse(file.read_text("utf-8")).body
        records = (node for node in body if isinstance(node, ast.ClassDef))
        of_records = [
            line
            for node in records
            if "Struct" in map(ast.unparse, node.bases)
            for line in node.body
        ]
        for node in (*body, *of_records):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                named, values = [target], [node.value]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    named, values = target.elts, node.value.elts
                for name, value in zip(named, values, strict=True):
                    for number in _written(value):
                        yield f"{file.stem}.{ast.unparse(name)}", number


def _written(value: ast.expr) -> Iterator[float]:
    for node in value.elts if isinstance(value, ast.Tuple) else (value,):
        match node:
            case ast.Constant(value=float() | int() as number) if number not in (0, 1):
                yield number
            case ast.Call(func=ast.Name(id="Curve")) | ast.BinOp(left=ast.Constant(value=int())):
                yield 2.0


def test_at_most_sixty_numbers_of_ranking_and_packing_are_set_by_a_person():
    listed = [name for name, _ in _set_numbers() if name not in LEARNED | BOUNDS]
    assert len(listed) <= MOST, listed


def test_what_is_not_counted_is_there():
    assert {name for name, _ in _set_numbers()} >= LEARNED | BOUNDS


def _lines(n_lines: int, word: str = "total") -> str:
    return "".join(f"    {word} = {word} + {n} * rate\n" for n in range(n_lines))


def _functions(names: Sequence[str], n_lines: int) -> str:
    return "\n\n".join(f"def {name}(total, rate):\n{_lines(n_lines)}" for name in names)


_COMMENT = "".join(f"    # The rate of line {n}\n    # is that of its country\n" for n in range(5))
_STEPS = [f"step_{n}" for n in range(12)]
_TESTS = [f"test_settle_invoice_of_country_{n}" for n in range(8)]
TREE = {
    "shop/settle.py": "def settle_invoice(\n    total,\n    rate,\n    country,\n    customer,\n"
    f"    voucher,\n    courier,\n    currency,\n):\n{_COMMENT}{_lines(70)}"
    "    if not rate:\n"
    '        raise ValueError(f"no rate of the country {rate} was ever settled")\n'
    f'{_lines(70, "rate")}    raise KeyError("the lamp is out")\n',
    "shop/small.py": "\n\n".join(
        f"def settle_small_{n}(total, rate):\n{_COMMENT}{_lines(4)}    return {n}\n"
        for n in range(6)
    ),
    "shop/again.py": _functions(["settle_copy"], 4)
    + "".join(f"LIMIT_{n} = {n}\n" for n in range(25))
    + _functions(["settle_other"], 6),
    "shop/one.py": _functions(["twin", "give_back"], 6),
    "shop/two.py": _functions(["twin", "give_back"], 6),
    "shop/three.py": f"def give_back(total):\n{_lines(7, 'owed')}",
    "tests/test_steps.py": "".join(f"from shop.{name} import {name}\n" for name in _STEPS)
    + "\n\ndef test_all_steps():\n"
    + "".join(f"    assert {name}(1, 2) == 3\n" for name in _STEPS)
    + "".join(f"\n\ndef {name}():\n    assert settle_invoice(1, 2) == 3\n" for name in _TESTS),
    **{f"shop/{name}.py": _functions([name], 3) for name in _STEPS},
    **{
        f"office/user_{n}.py": "from shop.settle import settle_invoice\n\n\n"
        f"def user_{n}(page):\n    return settle_invoice(page, {n})\n"
        for n in range(12)
    },
} | {
    f"lamp/room{n}.py": f"from lamp.room{n + 1} import lamp_{n + 1}\n\n\n"
    f"class Room{n}:\n    def {'fade' if n < 60 else 'glow'}(self, lamp):\n"
    f"        return lamp_{n + 1}(lamp)\n\n\n"
    f"def lamp_{n}(switch):\n    return lamp_{n + 1}(switch) + {n}\n"
    for n in range(160)
}
"""What relay has none of: a long function, long comments, copies, many of a kind."""

TRACE = """\
Traceback (most recent call last):
  File "/srv/app/relay/cli.py", line 14, in main
    args = _parser().parse_args(arguments)
  File "/srv/app/relay/cli.py", line 36, in _work
    Worker(store, args.queue, lease).run()
  File "/srv/app/relay/worker.py", line 36, in run
    if not self.run_one():
  File "/srv/app/relay/worker.py", line 46, in run_one
    tasks.find(job.task)(**job.payload)
  File "/srv/app/relay/worker.py", line 61, in _failed
    self.store.retry(job)
  File "/srv/app/shop/settle.py", line 12, in settle_invoice
    total = total + 3 * rate
  File "/srv/app/relay/tasks.py", line 23, in find
    raise UnknownTask(name) from None
relay.errors.UnknownTask: no task is called 'resize'
"""
FAILED = """\
____ test_all_steps ____
tests/test_steps.py:5: in test_all_steps
    assert step_0(1, 2) == 0
E   AssertionError: assert 7 == 0
FAILED tests/test_steps.py::test_all_steps
"""
DIFF = """\
--- a/shop/settle.py
+++ b/shop/settle.py
@@ -1,2 +1,2 @@
-def settle_invoice(total):
+def settle_invoice(total, rate):
     # The rate of line 0 is that of its country. It may be none.
"""
REPORT = """\
Invoices of a country without a rate are settled twice

We settle an invoice, and a copy of it is settled as well, with the rate of another country.

```
settle_invoice(3, None)
```
It prints "no rate of the country None was ever settled" and then nothing for a very long time.
"""
_HUNK = """\
--- a/shop/step_{n}.py
+++ b/shop/step_{n}.py
@@ -1,3 +1,3 @@
-def step_{n}(total):
+def step_{n}(total, rate):
     total = total + 0 * rate
     total = total + 1 * rate
"""
QUESTIONS = {name: (pack.question, pack.budget) for name, pack in PACKS.items()} | {
    "settle": (Question("how is an invoice settled, and what is the rate of its country"), 3_000),
    "copies": (Question("settle copy, settle other, twin: total and rate"), 6_000),
    "long trace": (Question(TRACE), 2_000),
    "steps": (Question(FAILED), 3_000),
    "signature": (Question("", Scope.ALL, changes=DIFF), 2_000),
    "small review": (Question("", Scope.ALL, changes=DIFF), 540),
    "large change": (
        Question(
            "",
            Scope.ALL,
            changes="".join(_HUNK.format(n=n) for n in range(12)),
        ),
        700,
    ),
    "report": (Question(REPORT), 2_000),
    "message": (Question("no rate of the country of the far north east was ever settled"), 600),
    "part": (Question("worker 7 stopped: the lamp is out: signal 12"), 600),
    "lamps": (Question("fade lamp of a room", likely=(("lamp/", 0.5),)), 2_000),
    "fix": (Question("Fix the switch of lamp_5 when a room fades"), 1_500),
    "unsure": (Question("better handling of failed jobs"), 1_500),
    "short": (Question("when does run beat"), 1_000),
    "with tests": (Question("a job that keeps failing is buried", Scope.ALL), 3_000),
    "names": (Question("why do `give_back`, `_stats` and `finish` fail"), 2_000),
}

SEEN_BY = {
    "comments": "settle",
    "candidates._DEFINITIONS_PER_NAME": "lamps",
    "edges.preferred": "typescript",
    "edges.related": "short",
    "edges.weak": "short",
    "finish._LEFT_OUT": "large change",
    "forms": "long trace",
    "forms._SIGNATURE": "signature",
    "link.sources": "failing-test",
    "naming.best": "names",
    "naming.plain_definition": "symbol",
    "neighbours._GAP": "copies",
    "packing.alike": "copies",
    "packing.comments_share": "message",
    "packing.n_commented": "settle",
    "packing.room": "report",
    "packing.sure": "schedule",
    "packing.test": "with tests",
    "penalty.short_words": "report",
    "phrases._PART": "part",
    "pointing": "long trace",
    "pointing.called": "signature",
    "pointing.tests_shown": "signature",
    "quoting": "message",
    "quoting.spared": "failing-test",
    "rank._FUSED_FROM": "unsure",
    "repositories.weight": "lamps",
    "required": "names",
    "selection._LEAST_LINES": "copies",
    "selection._LEAST_PART": "small review",
    "signal.callable": "trace",
    "stated": "trace",
    "term.spelling": "settings",
    "weights.N_LINKED": "fix",
    "weights.POOL": "lamps",
    "weights.SHORTEST_NAME": "short",
}
"""The question that sees a number, or those of a record; "retries" for all others."""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    root = tmp_path_factory.mktemp("numbers") / "tree"
    shutil.copytree(FIXTURES / "relay", root)
    for path, text in TREE.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    with index(root).snapshot() as snapshot:
        yield snapshot


def _leaves(value: object, name: str = "") -> Iterator[tuple[str, float]]:
    """(`record.field`, number) of all numbers in force, those of tuples by their place."""
    if isinstance(value, Struct):
        for field in value.__struct_fields__:
            yield from _leaves(getattr(value, field), f"{name}.{field}".strip("."))
    elif isinstance(value, tuple):
        for place, part in enumerate(value):
            yield from _leaves(part, f"{name}.{place}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value


def _with(value: Any, way: list[str], number: float) -> Any:
    """The value with another number at the end of a way into it."""
    if not way:
        return number
    if isinstance(value, tuple):
        return tuple(
            _with(part, way[1:], number) if str(place) == way[0] else part
            for place, part in enumerate(value)
        )
    return replace(value, **{way[0]: _with(getattr(value, way[0]), way[1:], number)})


def _answers(snapshot: Snapshot, name: str, weights: Weights) -> list[object]:
    """What is ranked and packed for a question, with a budget and without."""
    question, budget = QUESTIONS[name]

    def known(_paths: object, room: int) -> tuple[str, ...]:
        return ("What is known of a file.",) * (room // 10)

    notices = ("What is said of the index, in so many words.",) * (budget // 25)
    options = assemble.PackOptions(weights=weights, known=known, notices=notices)
    found = search(snapshot, question, 60, weights=weights).results
    packs = [assemble.context(snapshot, question, each, options) for each in (budget, USUAL)]
    return [
        [(item.chunk.path, item.chunk.span.start_line, item.score) for item in found],
        [(p.text, [(e.score, e.worth) for e in p.excerpts]) for p in packs],
        [(each.path, each.line, each.worth) for pack in packs for each in pack.waiting],
    ]


_SHIPPED: dict[str, list[object]] = {}


def _acts(snapshot: Snapshot, number: str, weights: Weights) -> bool:
    names = (number, number.partition(".")[0])
    seen_by = next((SEEN_BY[name] for name in names if name in SEEN_BY), "retries")
    if seen_by not in _SHIPPED:
        _SHIPPED[seen_by] = _answers(snapshot, seen_by, DEFAULT)
    return _answers(snapshot, seen_by, weights) != _SHIPPED[seen_by]


# Numbers of the choice between repositories: tests/hub/test_selection.py.
_OF_HUB = {f"repositories.{name}" for name in DEFAULT.repositories.__struct_fields__} - {
    "repositories.weight"
}
_IN_FORCE = [name for name, number in _leaves(DEFAULT) if number and name not in _OF_HUB]


@pytest.mark.parametrize("name", _IN_FORCE)
def test_each_number_in_force_acts(snapshot: Snapshot, name: str):
    number = dict(_leaves(DEFAULT))[name]
    others = (type(number)(number * factor) for factor in (2, 0.5))
    assert any(_acts(snapshot, name, _with(DEFAULT, name.split("."), other)) for other in others)


_ELSEWHERE = {"POOL", "N_LINKED", "SHORTEST_NAME"}
"""Numbers of `weights` that are used by their name; others are in force as parts of `DEFAULT`."""
_BY_NAME = sorted(
    name
    for name in {name for name, _ in _set_numbers()} - LEARNED - BOUNDS
    if not name.startswith("weights.") or name.partition(".")[2] in _ELSEWHERE
)


@pytest.mark.parametrize("name", _BY_NAME)
def test_each_number_of_a_module_acts(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch, name: str
):
    assert not _acts(snapshot, name, DEFAULT)  # all modules are loaded from here on
    module, _, variable = name.partition(".")
    users = [
        each
        for path, each in sys.modules.items()
        if path.startswith("satchel.assembler.") and hasattr(each, variable)
        if path.endswith(f".{module}") or not variable.startswith("_")
    ]
    number = getattr(users[0], variable)

    def acts(other: float) -> bool:
        for each in users:
            monkeypatch.setattr(each, variable, other)
        return _acts(snapshot, name, DEFAULT)

    assert any(acts(type(number)(number * factor)) for factor in (2, 0.5))

"""`twining_assemble` brings what holds for its scope, warnings and needs always among it."""

from pathlib import Path
from typing import Any

import pytest

from satchel.knowledge.requests import TwiningAssemble
from tests.support.knowing import Team, team
from tests.support.satchel import index

CODE = """
//- src/auth/token.py
def issue(user):
    return sign(user)

def sign(text):
    return text
//- src/authorization/rules.py
def allow(user):
    return True
"""


def assembled(by: Team, scope: str, max_tokens: int = 4_000, task: str = "zebra quartz") -> Any:
    reply = by.ask(TwiningAssemble, task=task, scope=scope, max_tokens=max_tokens)
    assert by.context.count_tokens(reply.text) <= max_tokens
    return reply.value


def summaries(value: Any) -> set[str]:
    return {row.summary for row in value.active_decisions}


def test_everything_of_the_scope_comes_whatever_the_task_is(tmp_path: Path):
    with team(tmp_path) as ann:
        ann.keep("decision", "Everywhere: no globals")
        ann.keep("decision", "Opaque tokens", scope="src/auth/token.py")
        ann.keep("decision", "Roles are flat", scope="src/authorization")
        assert summaries(assembled(ann, "project")) == {
            "Everywhere: no globals", "Opaque tokens", "Roles are flat"
        }  # fmt: skip
        assert summaries(assembled(ann, "src/auth")) == {"Everywhere: no globals", "Opaque tokens"}


def test_the_bare_name_of_a_symbol_is_a_scope(project, tmp_path: Path):
    root = project(CODE)
    with index(root).snapshot() as snapshot, team(tmp_path) as ann:
        over = ann.over(snapshot)
        over.keep("decision", "Signing is constant time", scope="symbol:sign")
        over.keep("decision", "Roles are flat", scope="src/authorization")
        assert summaries(assembled(over, "sign")) == {"Signing is constant time"}
        assert assembled(over, "sign").scope == "symbol:sign"
        assert assembled(over, "src").scope == "src"
        assert assembled(over, "nowhere").scope == "nowhere"


def test_the_call_graph_counts_where_it_reaches_something(project, tmp_path: Path):
    root = project(CODE)
    with index(root).snapshot() as snapshot, team(tmp_path) as ann:
        over = ann.over(snapshot)
        over.keep("decision", "Signing is constant time", scope="symbol:sign")
        over.keep("decision", "Everywhere: no globals")
        asked = {"query": "issue", "preset": "task", "format": "json", "explain": True}
        near = over.recall(scope="src/auth/token.py", **asked)
        why = {row.summary: row.why for row in near.items}
        assert why["Signing is constant time"]["graph"] == 0.35
        far = over.recall(scope="project", **asked)
        assert all("graph" not in row.why for row in far.items)


@pytest.mark.parametrize("budget", [250, 300, 400])
def test_a_warning_and_a_need_are_there_in_a_small_budget(tmp_path: Path, budget: int):
    with team(tmp_path) as ann:
        for n in range(30):
            ann.keep("decision", f"Decision {n} about module number {n}", domain=f"d{n}")
        for n in range(2):
            ann.keep("warning", f"Warning {n}: the disk fills")
        for n in range(3):
            ann.keep("need", f"Need {n}: a second reviewer")
            ann.keep("convention", f"Convention {n}: short names")
        value = assembled(ann, "project", budget, "module")
        assert value.active_warnings and value.open_needs


@pytest.mark.parametrize("task", ["x", "retries " * 100])
def test_no_budget_is_too_small_to_be_kept(tmp_path: Path, task: str):
    with team(tmp_path) as ann:
        ann.keep("decision", "Opaque tokens", scope="src/auth/token.py")
        for max_tokens in (1, 2, 30, 71, 72, 77, 78, 90, 120):
            assert not summaries(assembled(ann, "elsewhere", max_tokens, task))


def test_warnings_and_needs_come_before_decisions(tmp_path: Path):
    with team(tmp_path) as ann:
        for kind in ("decision", "need", "warning"):
            ann.keep(kind, f"One {kind} about tokens")
        text = ann.ask(TwiningAssemble, task="tokens", scope="project").text
        places = [text.index(f"One {kind}") for kind in ("warning", "need", "decision")]
        assert places == sorted(places)

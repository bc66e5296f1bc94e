"""What is known, as an agent meets it: every tool through a real client, in both protocol eras."""

import json
import re
from pathlib import Path

import pytest

from tests.support.agent import asked, in_memory, over_stdio, refused
from tests.support.git import commit_all
from tests.support.satchel import index

CODE = """
//- src/auth/token.py
def issue(user):
    return sign(user)

def sign(text):
    return text
//- src/web.py
from src.auth.token import issue

def login(user):
    return issue(user)
"""
_ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


async def keep(client, kind: str, summary: str, **said) -> str:
    if kind == "decision":
        said.setdefault("rationale", "because")
    return _ID.findall(await asked(client, "remember", kind=kind, summary=summary, **said))[0]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_agent_keeps_finds_and_changes_over_a_real_pipe(root: Path, mode: str):
    async def session(client):
        first = await keep(client, "decision", "Tokens are opaque", scope="src/auth/token.py")
        assert "Tokens are opaque" in await asked(client, "recall", query="opaque")
        done = await asked(client, "revise", ids=[first], action="override", reason="JWT")
        assert f"{first} is overridden" in done
        assert "Tokens are opaque" not in await asked(client, "recall", query="opaque")
        full = await asked(client, "recall", ids=[first])
        assert "override by" in full and "JWT" in full

    over_stdio(root, session, mode=mode)


def test_a_focus_serves_later_calls_until_it_changes(root: Path):
    async def session(client):
        await keep(client, "warning", "Signing is slow", scope="src/auth")
        await keep(client, "finding", "The menu is blue", scope="web")
        said = await asked(client, "set_context", query="make signing fast", intent="speed",
                           scope="src/auth")  # fmt: skip
        assert 'Query: "make signing fast", Intent: "speed"' in said and "1 warning" in said
        focused = await asked(client, "recall")
        assert "Signing is slow" in focused and "menu" not in focused
        assert "menu" in await asked(client, "recall", query="*", scope="project")
        await asked(client, "set_context", query="paint the menu", session="other")
        assert "menu" in await asked(client, "recall", session="other")
        assert "Signing" in await asked(client, "recall")

    in_memory(root, session)


def test_the_originals_answer_under_their_names(root: Path):
    async def session(client):
        await keep(client, "decision", "Use opaque tokens for auth", scope="src/auth")
        await keep(client, "risk", "Refresh tokens leak", confidence="high", project="shop")
        pack = await asked(client, "get_context")
        assert pack.startswith("# Project Context: all (2 memories")
        assert "(1 memory" in await asked(client, "get_context", project_id="shop", kind="risk")
        hint = await asked(client, "knowledge_context", context_hint="opaque tokens")
        assert '"count":2' in hint and '"type":"risk"' in hint
        task = await asked(client, "twining_assemble", task="change auth", scope="src/auth")
        assert '"active_decisions":[{' in task and '"token_estimate":' in task
        summary = await asked(client, "twining_summarize")
        assert '"active_decisions":1' in summary and '"active_warnings":1' in summary
        changed = await asked(client, "twining_what_changed", since="2020-01-01T00:00:00Z")
        assert '"entry_type":"warning"' in changed and "Use opaque" in changed

    in_memory(root, session)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("twining_assemble", {"task": "x"}, "scope is missing"),
        ("twining_what_changed", {"since": "Jan 1 2020"}, "since is 'Jan 1 2020'"),
        ("twining_summarize", {"nobody": 1}, "unknown parameter 'nobody'"),
    ],
)
def test_twinings_tools_refuse_in_its_words(root: Path, tool, arguments, said):
    async def session(client):
        return json.loads(await refused(client, tool, arguments))

    error = in_memory(root, session)
    assert set(error) == {"error", "message", "code"}
    assert error["error"] is True and error["code"] == "INVALID_INPUT" and said in error["message"]


def test_recall_names_the_generation_and_changes_tells_decisions_since_a_commit(root: Path):
    commit_all(root)

    async def session(client):
        item = await keep(client, "decision", "Tokens are opaque", scope="src/auth/token.py")
        return [
            await asked(client, "recall", query="opaque"),
            await asked(client, "recall", query="opaque", format="json"),
            await asked(client, "recall", ids=[item]),
            await asked(client, "changes", since="HEAD"),
            await asked(client, "changes", since="HEAD", path="src/web.py"),
        ]

    index(root)
    *answers, since, elsewhere = in_memory(root, session)
    for text in answers:
        assert re.search(r'generation"?[ :]\d+', text)
    assert "new decisions: " in since and "Tokens are opaque" in since
    assert "Tokens are opaque" not in elsewhere


def test_knowledge_of_an_earlier_version_is_pointed_out(root: Path):
    (root / ".satchel").mkdir()
    (root / ".satchel" / "knowledge.db").write_bytes(b"SQLite format 3\0" + b"\0" * 4_000)

    async def session(client):
        return await asked(client, "recall", query="opaque")

    told = in_memory(root, session)
    assert told.startswith("note: ") and "satchel state adopt" in told.splitlines()[0]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("remember", {"summary": "no kind"}, "kind"),
        ("remember", {"kind": "decision", "summary": "no reason"}, "rationale is missing"),
        ("remember", {"kind": "fact", "summary": "x" * 201}, "summary has 201 characters"),
        ("remember", {"kind": "fact", "summary": "x", "confidence": 1.5}, "confidence is 1.5"),
        ("remember", {"kind": "fact", "summary": "x", "links": [{"to": "y"}]}, "rel"),
        ("remember", {"items": [{"kind": "fact", "summary": "x"}], "kind": "fact"}, "items"),
        ("remember", {"items": [{"kind": "fact"}] * 51}, "items"),
        ("revise", {"ids": ["0" * 26], "action": "explode"}, "action is 'explode'"),
        ("revise", {"ids": ["0" * 26], "action": "resolve"}, "no item"),
        ("revise", {"ids": [], "action": "resolve"}, "ids is empty"),
        ("recall", {"budget_tokens": 255}, "budget_tokens is 255"),
        ("recall", {"kinds": ["gossip"]}, "kind is 'gossip'"),
        ("recall", {"since": "soon"}, "since is 'soon'"),
        ("recall", {"root": "/etc"}, "unknown parameter 'root'"),
        ("set_context", {"query": ""}, "query is empty"),
        ("set_context", {"query": "   "}, "query is blank"),
        ("set_context", {}, "query is missing"),
        ("knowledge_context", {"context_hint": "ab"}, "context_hint has 2 characters"),
        ("knowledge_context", {"context_hint": "abc", "max_results": 51}, "max_results is 51"),
        ("get_context", {"token_budget": -1}, "token_budget is -1"),
    ],
)
def test_a_refusal_names_the_field_the_bounds_and_what_to_do(root: Path, tool, arguments, said):
    async def session(client):
        error = await refused(client, tool, arguments)
        assert said in error and "hint: " in error

    in_memory(root, session)


def test_a_client_is_told_what_may_delete_and_what_counts_as_used(root: Path):
    async def session(client):
        for n in range(2):
            await keep(client, "fact", f"Tokens are opaque, reason {n}")
        asking = {"query": "opaque tokens", "preset": "pack", "format": "json", "explain": True}
        before, after = [await asked(client, "recall", **asking) for _ in range(2)]
        listed = (await client.list_tools()).tools
        return before != after, {tool.name: tool.annotations for tool in listed}

    scores_otherwise, hints = in_memory(root, session)
    assert scores_otherwise
    reads = {name for name, hint in hints.items() if hint.read_only_hint}
    assert reads == hints.keys() - {"remember", "revise", "set_context"}
    assert {name for name, hint in hints.items() if hint.destructive_hint} == {"revise"}

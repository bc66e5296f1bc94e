"""No reply about what is known is above its budget, and what matters most is in it."""

import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from satchel.knowledge import requests
from satchel.knowledge.answer import answer
from satchel.knowledge.requests import GetContext, KnowledgeContext, Recall, TwiningAssemble
from satchel.store import tokens
from satchel.store.errors import UsageError
from tests.support.knowing import Team, team

LONG = os.environ.get("SATCHEL_LONG") == "1"
KINDS = "decision convention warning need question finding fact assumption note".split()
JUNK = (
    "plain words here",
    "日本語のテキスト",
    "```\n# x\n---\n",
    "a" * 900,
    "x " * 3000,
    '"\\\n\t',
)
FORMATS = ("markdown", "json", "sections")


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory):
    with team(tmp_path_factory.mktemp("full")) as one:
        for n in range(120):
            kind = KINDS[n % len(KINDS)]
            text = JUNK[n % len(JUNK)]
            one.keep(
                kind, f"{kind} {n} about retries and {text[:80]}".strip(), detail=text * (n % 4),
                tags=[f"t{n % 3}"], scope=("project", "src/net", "src/net/http.py")[n % 3],
                on_duplicate="add",
            )  # fmt: skip
        yield one


@settings(
    max_examples=1_500 if LONG else 120,
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.integers(256, 1_024) | st.integers(256, 32_768),
    st.sampled_from(FORMATS),
    st.sampled_from(["", "*", "retries", "how are retries done 日本", "nothing matches this zzz"]),
    st.sampled_from(["balanced", "pack", "hint", "task"]),
    st.sampled_from(["", "src/net", "src/net/http.py", "other"]),
    st.booleans(),
)
@example(256, "sections", "retries", "task", "src/net", False)
@example(257, "json", "retries", "balanced", "", True)
@example(32_768, "markdown", "*", "pack", "", False)
def test_a_reply_is_never_above_its_budget(
    full: Team, budget: int, form: str, query: str, preset: str, scope: str, explain: bool
):
    asked = requests.read(
        Recall,
        {"query": query, "budget_tokens": budget, "format": form, "preset": preset, "scope": scope,
         "explain": explain},
    )  # fmt: skip
    reply = answer(full.context, asked)
    value = reply.value
    assert tokens.count(reply.text) == value.used_tokens <= budget
    assert value.packed == len(value.items)
    assert value.considered == value.packed + len(value.omitted)
    assert len({row.id for row in value.items}) == value.packed
    if form != "markdown":
        msgspec.json.decode(reply.text)


@pytest.mark.parametrize("budget", [1, 50, 256, 300, 1_000, 5_000, 40_000])
def test_the_originals_hold_their_budgets_too(full: Team, budget: int):
    frame = 20
    reply = answer(full.context, requests.read(GetContext, {"token_budget": budget}))
    assert tokens.count(reply.text) <= max(budget, frame)
    asked = {"task": "retries " * 1_000, "scope": "src/net", "max_tokens": budget}
    reply = answer(full.context, requests.read(TwiningAssemble, asked))
    assert tokens.count(reply.text) == reply.value.token_estimate <= budget


def test_items_in_full_are_held_to_a_budget_as_well(full: Team):
    ids = [row.id for row in full.recall("retries", limit=50, budget_tokens=32_768).items]
    for budget in (256, 700, 3_000):
        reply = full.ask(Recall, ids=ids, budget_tokens=budget)
        assert tokens.count(reply.text) == reply.value.used_tokens <= budget
        assert len(reply.value.items) + len(reply.value.omitted) == len(ids)


def test_the_exact_size_is_enough_and_one_token_less_is_not(tmp_path: Path):
    with team(tmp_path) as one:
        one.keep("fact", "The cache is warm after " + "a good number of steady requests " * 4)
        one.keep("fact", "The cache is cold after " + "each of the many planned deployments " * 4)
        one.keep("fact", "The cache is gone", detail="word " * 300)
        everything = one.ask(Recall, query="cache", budget_tokens=4_000).value.used_tokens
        whole = one.ask(Recall, query="cache", budget_tokens=everything)
        assert whole.value.used_tokens == everything
        less = one.ask(Recall, query="cache", budget_tokens=everything - 1)
        assert less.value.used_tokens < everything
        assert less.value.packed == 2


def test_an_item_that_is_too_long_does_not_keep_smaller_ones_out(tmp_path: Path):
    with team(tmp_path) as one:
        one.keep("fact", "Cache cache cache", detail="cache " * 4_000)
        one.keep("fact", "Another word on the cache")
        reply = one.ask(Recall, query="cache", budget_tokens=256)
        assert {row.summary for row in reply.value.items} == {
            "Cache cache cache", "Another word on the cache",
        }  # fmt: skip
        assert "cache cache cache cache" not in reply.text


def test_warnings_a_convention_and_a_need_are_in_however_low_they_score(tmp_path: Path):
    with team(tmp_path) as one:
        for n in range(60):
            text = f"decision {n} on retries and retries and retries number {n}"
            one.keep("decision", text, confidence=1.0)
        old = one.later(-400)
        old.keep("warning", "Beware", scope="src/net", confidence=0.1)
        old.keep("convention", "Name things plainly", scope="src/net", confidence=0.1)
        old.keep("need", "Somebody should write docs", scope="src/net", confidence=0.1)
        for preset in ("balanced", "task"):
            found = one.recall("retries", scope="src/net", preset=preset, budget_tokens=600)
            assert {"warning", "convention", "need"} <= {row.kind for row in found.items}
            assert found.omitted


def test_many_warnings_leave_most_of_the_budget_to_the_rest(tmp_path: Path):
    with team(tmp_path) as one:
        for n in range(60):
            one.keep("warning", f"Warning about retries number {n}", importance=1.0)
            one.keep("fact", f"Fact about retries of the kind {n}", importance=0.1)
        found = one.recall("retries", budget_tokens=1_000)
        warned = [row for row in found.items if row.kind == "warning"]
        assert 1 <= len(warned) <= 3
        only = one.recall("retries", budget_tokens=1_000, kinds=["warning"])
        assert only.used_tokens > 850


def test_the_originals_have_their_parameters_defaults_and_bounds():
    def schema(kind) -> tuple[dict, list]:
        [shape] = msgspec.json.schema(kind)["$defs"].values()
        held = {name: part.get("default") for name, part in shape["properties"].items()}
        return held, shape.get("required", [])

    assert schema(GetContext) == (
        {"query": "*", "project_id": None, "kind": None, "tags": None, "token_budget": 2000}, [],
    )  # fmt: skip
    assert schema(KnowledgeContext) == (
        {
            "context_hint": None, "include_types": (), "min_confidence": 0.5, "max_results": None,
            "limit": None, "recency_weight": 0.3, "include_superseded": False,
        },
        ["context_hint"],
    )  # fmt: skip
    assert schema(TwiningAssemble)[1] == ["task", "scope"]
    good = {"context_hint": "abc", "max_results": 50, "min_confidence": 1, "recency_weight": 0}
    requests.read(KnowledgeContext, good)
    for name, value in (
        ("context_hint", "ab"), ("context_hint", "a" * 1_001), ("max_results", 0),
        ("max_results", 51), ("min_confidence", 1.1), ("recency_weight", -0.1),
        ("max_results", "5"), ("max_tokens", 5), ("include_superseded", "yes"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=name):
            requests.read(KnowledgeContext, {**good, name: value})


def test_knowledge_context_gives_five_without_what_is_superseded_or_unsure(tmp_path: Path):
    with team(tmp_path) as one:
        for n in range(8):
            one.keep("lesson", f"Guardian lesson {n} on authentication flow {n * 7}")
        unsure = one.keep("fact", "Guardian might be slow", confidence=0.4)
        kept = one.keep("fact", "Guardian is fine today")
        one.revise("supersede", kept.id, by=unsure.id)
        hint = {"context_hint": "authentication flow using Guardian"}
        value = one.ask(KnowledgeContext, **hint).value
        assert (value.count, len(value.memories)) == (5, 5)
        assert {memory.type for memory in value.memories} == {"lesson"}
        more = one.ask(
            KnowledgeContext, **hint, max_results=50, include_superseded=True, min_confidence=0.0
        ).value
        assert more.count == 10
        facts = one.ask(KnowledgeContext, **hint, include_types=["fact"], min_confidence=0).value
        assert [memory.content for memory in facts.memories] == ["Guardian might be slow"]


def test_get_context_filters_by_project_kind_and_tags_and_says_when_there_is_nothing(
    tmp_path: Path,
):
    with team(tmp_path) as one:
        one.keep("pattern", "Use ports", project="shop", tags=["design", "net"])
        one.keep("fix", "Close sockets", project="shop", tags=["net"])
        one.keep("fix", "Close files", project="bank")

        def text(**said) -> str:
            return one.ask(GetContext, **said).text

        assert text().startswith("# Project Context: all (3 memories, ~")
        shop = text(project_id="shop")
        assert "# Project Context: shop (2 memories" in shop and "Close files" not in shop
        assert "## [pattern] Use ports\n*20" in shop and "\n---\n" in shop
        assert "Close" not in text(kind="pattern") and "Use ports" in text(kind="pattern")
        assert "Close files" not in text(tags="net, other") and "Close sockets" in text(tags="net")
        assert text(query="zebra") == text(project_id="none")
        assert text(query="zebra").startswith("No memories found matching the query and filters")
        with pytest.raises(UsageError, match="kind"):
            text(kind="gossip")


def test_twining_assemble_sorts_what_holds_into_sections(tmp_path: Path):
    with team(tmp_path) as one:
        for kind in (*KINDS, "answer"):
            one.keep(kind, f"{kind} about auth", scope="src/auth")
        one.keep("decision", "decision elsewhere", scope="web")
        gone = one.keep("decision", "an older idea of auth", scope="src/auth")
        one.revise("override", gone.id, reason="r")
        value = one.ask(TwiningAssemble, task="change auth", scope="src/auth/").value
        assert [row.summary for row in value.active_decisions] == ["decision about auth"]
        assert value.active_decisions[0].confidence == "high"
        assert value.active_decisions[0].affected_files == ("src/auth",)
        assert [row.summary for row in value.active_warnings] == ["warning about auth"]
        assert [row.summary for row in value.open_needs] == ["need about auth"]
        assert [row.summary for row in value.recent_questions] == ["question about auth"]
        assert [row.summary for row in value.conventions] == ["convention about auth"]
        assert len(value.recent_findings) == 5
        assert value.token_estimate <= 4_000
        empty = one.by("bob").ask(TwiningAssemble, task="anything", scope="x").value
        assert empty.active_decisions == empty.recent_findings == ()


def test_few_places_go_to_the_best_matches_and_of_many_a_tenth_to_warnings(tmp_path: Path):
    with team(tmp_path) as one:
        for n in range(12):
            one.keep("warning", f"Ledger invoices may stall {n}", importance=1.0)
        exact = one.keep(
            "fact", "Invoice numbers are gapless", detail="may an invoice skip one: no"
        )
        for n in range(30):
            one.keep("fact", f"Gapless number {n} of an invoice of kind {n * 7}")
        query = "may invoice numbers skip, are invoice numbers gapless"
        for limit in (1, 3, 5):
            shown = one.recall(query, limit=limit).items
            best = one.recall(query, limit=50, budget_tokens=32_768).items[:limit]
            assert [row.id for row in shown] == [row.id for row in best]
            assert shown[0].id == exact.id
        kinds = [row.kind for row in one.recall(query, limit=20).items]
        assert len(kinds) == 20 and kinds.count("warning") == 2
        warned = one.recall("ledger may stall", limit=3).items
        assert [row.kind for row in warned] == ["warning"] * 3

"""What is said of a request about what is known: true, in words, and nothing left unsaid."""

from pathlib import Path

import pytest

from satchel.knowledge import requests
from satchel.knowledge.requests import Overview, Recall, Remember, Revise
from satchel.store.errors import UsageError
from tests.support.agent import in_memory, refused
from tests.support.knowing import Team, team


@pytest.fixture
def ann(tmp_path: Path):
    with team(tmp_path) as opened:
        yield opened


def revised(ann: Team, action: str, item: str, **said) -> str:
    return ann.ask(Revise, ids=[item], action=action, **said).text


def test_a_revision_says_what_it_did(ann: Team):
    kept = ann.keep("fact", "Ports start at 8000", confidence=0.5, tags=["net"]).id
    said = revised(ann, "set_confidence", kept, fields={"confidence": 0.9})
    assert said == f"{kept} (active) confidence 0.5 → 0.9: Ports start at 8000\n"
    fields = {"detail": "x" * 90, "tags": ["net", "ops"], "links": [{"rel": "zz", "to": "a.py"}]}
    said = revised(ann, "edit", kept, fields=fields)
    assert f"{kept} (active) detail; tags net → net, ops; linked: zz path:a.py: Ports" in said
    assert "note: zz is no usual relation" in said
    said = revised(ann, "edit", kept, fields={"summary": "password: correct-horse"})
    assert "note: what looks like a secret is not kept" in said and "correct-horse" not in said
    assert revised(ann, "delete", kept) == f"{kept} is deleted: password: [REDACTED]\n"


@pytest.mark.parametrize("action", ["override", "archive", "delete", "supersede"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_conflict_is_over_once_one_decision_has_gone(ann: Team, action: str, which: int):
    pair = [ann.keep("decision", f"Rates live {n} hours", domain="rates").id for n in (1, 2)]
    [warning] = ann.recall(kinds=["warning"]).items
    said = ann.recall("rates", kinds=["decision"]).items
    assert all("contradicted" in row.marks for row in said)
    more = {"by": pair[1 - which]} if action == "supersede" else {}
    ann.revise("promote", pair[1])
    assert ann.item(warning.id).status == "active"  # both hold, and still they disagree
    ann.revise(action, pair[which], reason="r", **more)
    assert ann.item(warning.id).status == "resolved"
    [left] = ann.recall("rates", kinds=["decision"]).items
    assert left.id == pair[1 - which] and not left.marks
    assert ann.recall(kinds=["warning"]).items == ()


def test_a_conflict_of_somebody_else_s_goes_on_and_ends_like_one_s_own(ann: Team):
    first = ann.keep("decision", "Sign with RSA", domain="keys", privacy="team").id
    bob = ann.by("bob")
    bob.keep("decision", "Sign with ECDSA", domain="keys")
    third = ann.keep("decision", "Sign with Ed25519", domain="keys", privacy="team").id
    ann.revise("override", third, reason="r")
    assert [row.summary for row in bob.recall(kinds=["warning"]).items] == [
        "Conflicting decisions: Sign with ECDSA"
    ]
    ann.revise("override", first, reason="r")
    assert bob.recall(kinds=["warning"]).items == ()


@pytest.mark.parametrize(
    ("kind", "said", "error", "hint"),
    [
        (Remember, {"items": [{}]}, "kind is missing in items[0]", "decision, convention"),
        (Remember, {"items": []}, "items is too short", "at least 1 entry"),
        (requests.Entry, {"kind": "fact"}, "summary is missing", "fields: kind, summary, detail"),
        (Recall, {"ids": ["01ABC"]}, "ids[0] is too short", "at least 6 characters"),
        (Recall, {"limit": "5"}, "limit is a text", "give a whole number"),
        (Recall, {"min_confidence": 2}, "min_confidence is too large", "at most 1"),
        (Recall, {"budget": 300}, "unknown field 'budget'", "did you mean budget_tokens?"),
        (Recall, {"format": "xml"}, "format is 'xml'", "use one of: markdown, json, sections"),
        (
            Revise, {"ids": ["0" * 26], "action": "edit", "fields": {"bogus": 1}},
            "unknown field 'bogus' in fields", "fields: summary, detail, rationale, scope, tags",
        ),
    ],
)  # fmt: skip
def test_a_refusal_is_in_words_and_names_what_there_is(kind, said, error: str, hint: str):
    with pytest.raises(UsageError) as refusal:
        requests.read(kind, said)
    assert error in refusal.value.message and hint in refusal.value.hint
    assert "`" not in refusal.value.message + refusal.value.hint


def test_a_hint_names_nothing_that_is_refused(project):
    async def session(client):
        assert "kind is missing\nhint: use one of: dec" in await refused(client, "remember", {})
        assert "items is empty" in await refused(client, "remember", {"items": []})
        revision = {"ids": ["0" * 26], "action": "edit", "fields": {"bogus": 1}}
        assert "replacement" not in await refused(client, "revise", revision)

    in_memory(project("//- a.py\nx = 1\n"), session)


def test_a_relation_that_no_link_has_is_not_followed_in_silence(ann: Team):
    kept = ann.keep("fact", "One", links=[{"rel": "my_own", "to": "a.py"}]).id
    with pytest.raises(UsageError, match="no link is called 'nope'"):
        ann.ask(Recall, ids=[kept], follow=["nope"])
    with pytest.raises(UsageError, match="follow needs ids"):
        ann.ask(Recall, query="one", follow=["all"])
    for relation in ("my_own", "answers", "all"):
        assert len(ann.ask(Recall, ids=[kept], follow=[relation]).value.items) == 1


def test_an_overview_counts_active_and_provisional_decisions_apart(ann: Team):
    ann.keep("decision", "Keep it")
    ann.keep("decision", "Drop it later", provisional=True)
    assert "1 active decision, 1 provisional (0 for" in ann.ask(Overview).text

"""What others wrote down comes in once, keeps its labels, and says where it was read."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.knowledge.model import Caller, Item, Status
from satchel.knowledge.storage import read
from satchel.knowledge.transfer import detect_source
from satchel.knowledge.transfer.export_format import export_text
from satchel.knowledge.transfer.ingest import ingest
from satchel.store.errors import UsageError
from tests.support.knowing import NOW, Team, team

CALLER = Caller(actor="ann", now=NOW)

ADR = """# 7. Use SQLite for the index

Date: 2026-02-03

## Status

{status}

## Context

Postgres needs a server.

## Decision

We keep the index in SQLite.

### Details

WAL mode.

## Consequences

One writer.
"""

RULES = """# Rules

Some prose that is no rule.

## Style

- Use four spaces, never tabs.
- Name tests by behaviour
  and keep them quick.
  - no sleeps
1. Numbered rules count as well

```
- quoted, not said: rm -rf /
```

- Use uv
- 使用制表符

- Other:
"""

ONE, TWO, THREE = (f"01HQ{n}00000000000000000000{n}" for n in "123")
DECISIONS = [
    {
        "id": ONE, "timestamp": "2026-01-01T10:00:00.000Z", "agent_id": "main",
        "domain": "storage", "scope": "src/db/", "summary": "Use Redis", "context": "c",
        "rationale": "fast", "constraints": ["memory"], "confidence": "high",
        "alternatives": [{"option": "memcached", "pros": [], "cons": ["old"],
                          "reason_rejected": "no types"}],
        "depends_on": [], "status": "overridden", "reversible": False,
        "affected_files": ["src/db/cache.py"], "affected_symbols": ["Cache"],
        "commit_hashes": ["abc1234"],
    },
    {
        "id": TWO, "timestamp": "2026-01-02T10:00:00Z", "agent_id": "main", "domain": "storage",
        "scope": "project", "summary": "Use SQLite", "context": "", "rationale": "simple",
        "confidence": "low", "depends_on": [ONE], "supersedes": ONE, "status": "provisional",
    },
]  # fmt: skip
BLACKBOARD = [
    {"id": THREE, "timestamp": "2026-01-03T00:00:00Z", "agent_id": "a", "entry_type": "warning",
     "tags": ["db"], "scope": "src/db", "summary": "Locks", "detail": "WAL",
     "relates_to": [TWO]},
    {"id": "01HQ4000000000000000000004", "timestamp": "2026-01-03T00:00:00Z", "agent_id": "a",
     "entry_type": "decision", "tags": [], "scope": "src", "summary": "Use SQLite", "detail": ""},
]  # fmt: skip
SHABKA = {
    "memories": [
        {"id": "0190-a", "kind": "error", "title": "Deadlock", "content": "Two writers",
         "tags": ["db"], "importance": 0.9, "status": "active", "privacy": "team",
         "verification": "verified", "project_id": "shop", "created_by": "mehdi",
         "created_at": "2026-01-05T00:00:00Z"},
        {"id": "0190-b", "kind": "fix", "title": "Busy timeout", "content": "5 s", "tags": [],
         "importance": 0.4, "status": "pending", "privacy": "private", "created_by": "ann",
         "created_at": "2026-01-06T00:00:00Z"},
    ],
    "relations": [
        {"source_id": "0190-b", "target_id": "0190-a", "relation_type": "fixes", "strength": 0.7},
        {"source_id": "0190-b", "target_id": "gone", "relation_type": "related"},
    ],
}  # fmt: skip


def items(path: str, text: str) -> list[Item]:
    return [item for item, _ in detect_source.read_source(path, text, CALLER)]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Accepted", Status.ACTIVE),
        ("Proposed", Status.PROVISIONAL),
        ("Superseded by [ADR 9](0009-x.md)", Status.SUPERSEDED),
        ("Rejected", Status.ARCHIVED),
        ("Deprecated", Status.ARCHIVED),
    ],
)
def test_a_decision_record_is_a_decision(said: str, status: Status):
    [item] = items("docs/adr/0007-sqlite.md", ADR.replace("{status}", said))
    assert (item.kind, item.status, item.summary) == (
        "decision", status, "Use SQLite for the index",
    )  # fmt: skip
    assert item.rationale == "Postgres needs a server."
    assert "WAL mode." in item.detail and "One writer." in item.detail
    assert item.created_at == 1_770_076_800_000
    assert item.body.origin.path == "docs/adr/0007-sqlite.md"


def test_front_matter_of_a_record_is_read():
    text = "---\nstatus: proposed\ndate: 2026-02-03\n---\n# Use X\n## Decision Outcome\nX.\n"
    [item] = items("adr/x.md", text)
    assert (item.status, item.created_at) == (Status.PROVISIONAL, 1_770_076_800_000)


def test_list_entries_of_instructions_are_conventions_of_their_folder():
    found = items("packages/web/CLAUDE.md", RULES)
    assert [item.summary for item in found] == [
        "Use four spaces, never tabs.",
        "Name tests by behaviour and keep them quick. no sleeps",
        "Numbered rules count as well",
        "Use uv",
        "使用制表符",
    ]
    assert {item.scope for item in found} == {"packages/web"}
    assert {item.kind for item in found} == {"convention"}
    assert {item.tags for item in found} == {("Style",)}
    assert {item.scope for item in items("AGENTS.md", RULES)} == {"project"}


def test_twinings_export_keeps_ids_statuses_and_links(tmp_path: Path):
    blackboard = "\n".join(map(json.dumps, BLACKBOARD))
    with team(tmp_path) as one:
        drafts = detect_source.read_source("decisions/index.json", json.dumps(DECISIONS), CALLER)
        drafts += detect_source.read_source("blackboard.jsonl", blackboard, CALLER)
        assert len(ingest(one.context, drafts).added) == 3
        old, new, warning = (one.item(i) for i in (ONE, TWO, THREE))
        assert (old.status, new.status) == (Status.OVERRIDDEN, Status.PROVISIONAL)
        assert (old.confidence, new.confidence) == (1.0, 0.3)
        assert old.body.alternatives[0].reason_rejected == "no types"
        assert not old.body.reversible and old.body.domain == "storage"
        assert (warning.kind, warning.scope, warning.tags) == ("warning", "src/db", ("db",))
        links = {(x.src, x.rel, x.dst) for x in read.links_from(one.context.db, [ONE, TWO, THREE])}
        assert links == {
            (ONE, "affects", "path:src/db/cache.py"), (ONE, "affects", "symbol:Cache"),
            (ONE, "commit", "commit:abc1234"), (TWO, "depends_on", f"item:{ONE}"),
            (TWO, "supersedes", f"item:{ONE}"), (THREE, "relates_to", f"item:{TWO}"),
        }  # fmt: skip


def test_shabkas_export_keeps_labels_privacy_and_relations(tmp_path: Path):
    with team(tmp_path) as one:
        drafts = detect_source.read_source("shabka.json", json.dumps(SHABKA), CALLER)
        error, fix = (item for item, _ in drafts)
        assert ingest(one.context, drafts).added == (error.id, fix.id)
        assert (error.label, error.privacy, error.project) == ("error", "team", "shop")
        assert (error.verification, error.importance, error.actor) == ("verified", 0.9, "mehdi")
        assert (fix.status, fix.privacy) == (Status.PROVISIONAL, "private")
        [link] = read.links_from(one.context.db, [fix.id])
        assert (link.rel, link.dst, link.strength) == ("fixes", f"item:{error.id}", 0.7)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/adr/0007-sqlite.md", ADR.replace("{status}", "Accepted")),
        ("CLAUDE.md", RULES),
        ("decisions/index.json", json.dumps(DECISIONS)),
        ("one.json", json.dumps(DECISIONS[0])),
        ("blackboard.jsonl", "\n".join(map(json.dumps, BLACKBOARD))),
        ("shabka.json", json.dumps(SHABKA)),
    ],
)
def test_reading_again_changes_nothing_and_reading_anew_updates(tmp_path: Path, path, text):
    with team(tmp_path) as one:
        first = ingest(one.context, detect_source.read_source(path, text, CALLER))
        assert first.added and not first.updated
        one.recall("sqlite use deadlock tests")
        again = ingest(
            one.later(9).context, detect_source.read_source(path, text, one.later(9).context.caller)
        )
        assert (again.added, again.updated) == ((), ())
        assert set(again.unchanged) == set(first.added)
        changed = text.replace("WAL", "MVCC").replace("fast", "quick").replace("5 s", "9 s")
        third = ingest(one.context, detect_source.read_source(path, changed, CALLER))
        assert third.added == () and (len(third.updated) == 1 or changed == text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("README.md", "# Title\nprose"),
        ("x.json", "{"),
        ("x.json", '{"a": 1}'),
        ("x.jsonl", '{"id": 1}\nnope'),
        ("x.json", "[" * 5_000),
        ("x.bin", "\x00\x01"),
    ],
)
def test_what_nobody_can_read_is_refused_with_what_can_be(path: str, text: str):
    with pytest.raises(UsageError) as error:
        detect_source.read_source(path, text, CALLER)
    assert error.value.hint


@given(st.text(max_size=400), st.sampled_from(["CLAUDE.md", "adr/1.md", "a.json", "b.jsonl"]))
def test_no_text_breaks_an_importer(text: str, path: str):
    try:
        items(path, text)
    except UsageError as error:
        assert error.hint


def test_an_imported_item_that_somebody_resolved_stays_resolved(tmp_path: Path):
    text = json.dumps(BLACKBOARD[0])
    with team(tmp_path) as one:
        ingest(one.context, detect_source.read_source("x.json", text, CALLER))
        one.revise("resolve", THREE)
        ingest(one.context, detect_source.read_source("x.json", text.replace("WAL", "x"), CALLER))
        assert one.item(THREE).status == Status.RESOLVED
        assert one.item(THREE).detail == "x"


def test_rows_without_an_id_are_as_many_items(tmp_path: Path):
    notes = [{"entry_type": "warning", "summary": text} for text in ("Slow", "Loud", "Slow")]
    memories = [{"title": text, "content": "", "kind": "fact"} for text in ("Slow", "Loud")]
    with team(tmp_path) as one:
        for name, rows in (("b.jsonl", notes), ("m.json", memories)):
            text = "\n".join(map(json.dumps, rows)) if name == "b.jsonl" else json.dumps(rows)
            drafts = detect_source.read_source(name, text, CALLER)
            assert len(ingest(one.context, drafts).added) == 2


def test_what_does_not_fit_says_where_it_was_cut():
    [item] = items(
        "adr/x.md", f"# Use X\n## Context\n{'why ' * 9_000}\n## Decision\n{'x' * 70_000}\n"
    )
    assert item.detail.endswith("x…") and len(item.detail) == 65_536
    assert item.rationale.endswith("…") and len(item.rationale) == 16_384


def test_an_older_version_is_told_apart_from_the_same(tmp_path: Path):
    with team(tmp_path) as one:
        kept = one.keep("fact", "Ports start at 8000", privacy="team")
        [old] = detect_source.read_source("x.jsonl", _exported(one), CALLER)
        later = one.later(1)
        later.revise("edit", kept.id, fields={"summary": "Ports start at 9000"})
        done = ingest(later.context, [old])
        assert (done.older, done.unchanged, done.updated) == ((kept.id,), (), ())
        assert ingest(one.context, [old]).older == (kept.id,)


def _exported(one: Team) -> str:
    found = read.visible_items(one.context.db, "1", (), "ann", "i.id", -1)
    return export_text(found, [])


def test_no_row_of_an_export_is_lost_in_silence(tmp_path: Path):
    twice = {**SHABKA, "memories": [SHABKA["memories"][0]] * 2}
    twice["memories"][1] = {**twice["memories"][0], "content": "after 60 minutes"}
    with team(tmp_path) as one:
        done = ingest(one.context, detect_source.read_source("s.json", json.dumps(twice), CALLER))
        assert (len(done.added), len(done.updated)) == (1, 1)
    for rows in ([*DECISIONS, "a decision"], {**SHABKA, "memories": ["a memory"]}):
        with pytest.raises(UsageError, match="no item"):
            detect_source.read_source("s.json", json.dumps(rows), CALLER)

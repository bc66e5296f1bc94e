"""Warnings of conflicting decisions are known by a stored kind, in new files and in older ones."""

import json
from pathlib import Path

import apsw
import pytest

from satchel.knowledge.model import Body, DerivedKind, Kind, Source, Status
from satchel.knowledge.storage import database, read
from satchel.knowledge.storage.schema import APPLICATION_ID, MIGRATIONS, VERSION
from satchel.knowledge.transfer.export_format import export_text, read_export
from satchel.knowledge.transfer.ingest import ingest
from tests.support.knowing import NOW, Team, team

_BEFORE = 4
"""The last version that knew these warnings by how their summary begins."""


@pytest.fixture
def ann(tmp_path: Path):
    with team(tmp_path) as opened:
        yield opened


def conflict(who: Team) -> tuple[str, str, str]:
    """Two decisions that contradict each other, and the id of the warning about them."""
    one = who.keep("decision", "Tokens live 15 minutes", domain="sessions")
    other = who.keep("decision", "Tokens live an hour", domain="sessions")
    [warning] = who.recall(kinds=["warning"]).items
    return one.id, other.id, warning.id


def test_an_edited_warning_is_resolved_with_its_conflict(ann: Team):
    one, _, warning = conflict(ann)
    assert ann.item(warning).body.derived_kind == DerivedKind.CONFLICT
    ann.revise("edit", warning, fields={"summary": "How long do tokens live?", "domain": "auth"})
    assert ann.item(warning).status == Status.ACTIVE
    ann.revise("override", one, reason="too short")
    assert ann.item(warning).status == Status.RESOLVED


def test_a_warning_that_only_reads_like_one_is_left_alone(ann: Team):
    one, other, _ = conflict(ann)
    links = [{"rel": "relates_to", "to": end} for end in (one, other)]
    lookalike = ann.keep(
        "warning", "Conflicting decisions: ask the lead", source="derived", links=links
    )
    ann.revise("override", one, reason="too short")
    assert ann.item(lookalike.id).status == Status.ACTIVE


def older(folder: Path, version: int = _BEFORE) -> None:
    """Turns a file into what an older version left: no stored kind of derived items."""
    db = apsw.Connection(str(folder / database.NAME))
    db.execute("UPDATE item SET body = json_remove(body, '$.derived_kind')")
    db.pragma("user_version", version)
    db.close()


def test_an_older_file_learns_which_warnings_are_of_conflicts(tmp_path: Path):
    with team(tmp_path) as ann:
        one, _, warning = conflict(ann)
        elsewhere = ann.keep("decision", "Cache in memory", domain="cache")
        ann.keep("decision", "Cache on disk", domain="cache")
        [unedited] = {row.id for row in ann.recall(kinds=["warning"]).items} - {warning}
        other = ann.keep("warning", "Conflicting decisions: not of Satchel's making").id
        ann.revise("edit", warning, fields={"summary": "How long do tokens live?"})
        before = {key: ann.item(key) for key in (warning, unedited, other)}
    older(tmp_path)
    with team(tmp_path) as ann:
        assert ann.context.db.pragma("user_version") == VERSION
        assert {key: ann.item(key) for key in before} == before
        ann.revise("override", one, reason="too short")
        ann.revise("override", elsewhere.id, reason="too small")
        assert ann.item(warning).status == ann.item(unedited).status == Status.RESOLVED
        assert ann.item(other).status == Status.ACTIVE
    copy = apsw.Connection(str(tmp_path / f"{database.NAME}.v{_BEFORE}"))
    bodies = [json.loads(body) for (body,) in copy.execute("SELECT body FROM item")]
    assert copy.pragma("user_version") == _BEFORE and not any("derived_kind" in b for b in bodies)


def test_a_file_as_version_four_made_it_is_migrated_whatever_its_rows_hold(tmp_path: Path):
    db = apsw.Connection(str(tmp_path / database.NAME))
    for step in MIGRATIONS[:_BEFORE]:
        db.execute(step)
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("user_version", _BEFORE)
    for n, (kind, source, summary, body) in enumerate((
        ("warning", "derived", "Conflicting decisions: a", "{}"),
        ("warning", "derived", "Conflicting decisions: b", '{"domain":"d"}'),
        ("warning", "derived", "Conflicting decisions: c", "no JSON"),
        ("warning", "agent", "Conflicting decisions: d", "{}"),
        ("fact", "derived", "Conflicting decisions: e", "{}"),
        ("warning", "derived", "conflicting decisions: f", "{}"),
    )):  # fmt: skip
        db.execute(
            "INSERT INTO item (id, kind, subkind, status, summary, detail, rationale, body, scope,"
            " project, tags, privacy, confidence, importance, verification, source, actor, session,"
            " created_at, updated_at, status_at, uses, digest) VALUES (?, ?, '', 'active', ?, '',"
            " '', ?, 'project', '', '[]', 'team', 0.5, 0.5, 'unverified', ?, 'ann', '', ?, ?, ?, 0,"
            " '')",
            (f"{n:026}", kind, summary, body, source, NOW, NOW, NOW),
        )
    db.close()
    with team(tmp_path) as ann:
        found = dict(ann.context.db.execute("SELECT substr(summary, -1), body FROM item"))
        assert found["c"] == "no JSON"
        [first, second] = read.items_of_everybody(ann.context.db, [f"{0:026}", f"{1:026}"])
    assert first.body == Body(derived_kind=DerivedKind.CONFLICT)
    assert second.body == Body(domain="d", derived_kind=DerivedKind.CONFLICT)
    assert {found[key] for key in "def"} == {"{}"}


def test_exports_keep_the_kind_and_those_of_older_versions_get_it(ann: Team, tmp_path: Path):
    one, _, warning = conflict(ann)
    ids = [row.id for row in ann.recall(status=["all"]).items]
    links = read.links_from(ann.context.db, ids)
    text = export_text([ann.item(key) for key in ids], links, private=True)
    assert '"derived_kind":"conflict"' in text
    past = text.replace('"derived_kind":"conflict"', "")
    (tmp_path / "bob").mkdir()
    (tmp_path / "eve").mkdir()
    for name, exported in (("bob", text), ("eve", past)):
        with team(tmp_path / name) as other:
            drafts = read_export(exported, "export.jsonl", NOW)
            assert len(ingest(other.context, drafts).added) == len(ids)
            assert len(ingest(other.context, drafts).unchanged) == len(ids)
            held = other.item(warning)
            assert (held.kind, held.source) == (Kind.WARNING, Source.DERIVED)
            other.revise("override", one, reason="too short")
            assert other.item(warning).status == Status.RESOLVED


def test_an_import_from_an_older_version_does_not_take_the_kind_away(ann: Team):
    _, _, warning = conflict(ann)
    ann.revise("edit", warning, fields={"summary": "How long do tokens live?"})
    held = ann.item(warning)
    text = export_text([held], [], private=True)
    drafts = read_export(text.replace('"body":{"derived_kind":"conflict"},', ""), "e", NOW)
    assert drafts[0].item.body == Body()
    assert ingest(ann.later(1).context, drafts).unchanged == (warning,)
    assert ann.item(warning).body == held.body

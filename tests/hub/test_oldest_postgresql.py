"""PostgreSQL 15, the oldest that is promised, as Debian 12 has it: no pgvector, no superuser."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.hub.team import build_two
from satchel.assembler import assemble
from satchel.assembler.query.question import Question
from satchel.hub import access, asking, checks, creation, database
from satchel.questions.request import About
from satchel.store.vectors.table_encoder import TableEncoder

_PROGRAMS = Path("/usr/lib/postgresql/15/bin")
pytestmark = pytest.mark.skipif(
    not (_PROGRAMS / "initdb").exists(), reason="Debian's postgresql-15 is not installed"
)


@pytest.fixture
def database_of_debian() -> Iterator[str]:
    """An empty database of somebody who may make roles and nothing more."""
    user = "postgres" if os.geteuid() == 0 else None
    # Not below pytest's own folder, which another user cannot reach and is too long for a socket.
    with tempfile.TemporaryDirectory(prefix="satchel-pg-", ignore_cleanup_errors=True) as folder:
        if user:
            shutil.chown(folder, user)
        data, at = f"{folder}/data", ("-h", folder, "-U", "postgres")

        def run(program: str, *arguments: str) -> None:
            # Into no pipe: the server inherits it, and would be read from for as long as it runs.
            subprocess.run(
                [_PROGRAMS / program, *arguments], check=True, user=user, cwd="/",
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip

        run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
        run("pg_ctl", "-D", data, "-o", f"-k {folder} -h '' -c fsync=off", "-w", "start")
        try:
            run("createuser", *at, "--createrole", "satchel")
            run("createdb", *at, "-O", "satchel", "satchel")
            yield f"postgresql://satchel@/satchel?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def test_a_hub_is_made_built_and_asked_there(database_of_debian: str, tmp_path: Path) -> None:
    assert creation.init(database_of_debian)
    with database.connected(database_of_debian) as hub:
        build_two(database_of_debian, hub, tmp_path)
        role = access.role_of("ann")
        with asking.view(hub, "*", About("retry_with_jitter"), TableEncoder(), role) as view:
            pack = assemble.context(
                view.snapshot,
                Question(view.question),
                600,
                assemble.PackOptions(vectors=view.vectors),
            )
        with database.reading(hub):
            found = [text for made in checks.validate(hub, deep=True) for text in made.findings]
    assert "only_in_open" in pack.text
    assert "only_in_closed" not in pack.text
    assert found == []

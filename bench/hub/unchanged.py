"""How long does `satchel hub sync` take when none of a hub's repositories has changed?

python -m bench.hub.unchanged [--repositories N] [--times N]

Makes that many git repositories, each a copy of one small one under an address of its own, and adds
them to a hub. One is built; the others get a row of its build under their names, so that only what
a sync does with unchanged repositories is timed: it asks each address for its head. Prints the
seconds of each sync by the clock and of the processors (Satchel, git and PostgreSQL), the load of
the machine, and how many were found unchanged.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import processes
from bench.hub.team import spent
from bench.processes import SATCHEL
from satchel.hub import creation, database, demo
from satchel.hub.database import Hub

_PERSON = ("-c", "user.name=a", "-c", "user.email=a@b.c")
_LOOK_ALIKE = (
    "INSERT INTO builds (repository_id, {names}) SELECT r.id, {chosen}"
    " FROM builds b, repositories r WHERE r.build_id IS NULL",
    "UPDATE repositories r SET build_id = b.id FROM builds b"
    " WHERE b.repository_id = r.id AND r.build_id IS NULL",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the repositories, sync and print. Returns 1 if one was built again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=int, default=1000)
    parser.add_argument("--times", type=int, default=3)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name, demo.server(None) as url:
        folder = Path(name)
        listed = _repositories(folder, args.repositories)
        creation.init(url)
        _hub(folder, "add", url, str(listed))
        _hub(folder, "sync", url, "--repo", "n0")
        with database.connected(url) as hub:
            _mark_built(hub)
        for _ in range(args.times):
            began, until_now = time.monotonic(), spent(url, os.getpid())
            said = _hub(folder, "sync", url)
            seconds, processor = time.monotonic() - began, spent(url, os.getpid()) - until_now
            taken = f"{seconds:.1f} s, {processor:.1f} of the processors, at load"
            print(f"{taken} {processes.load():.0f}: {said.strip().splitlines()[-1]}", flush=True)
            if not re.search(rf"\b{args.repositories:,} unchanged", said):
                return 1
    return 0


def _repositories(folder: Path, n: int) -> Path:
    """Make `n` bare repositories; returns a file that lists their names and addresses."""
    source = folder / "source"
    source.mkdir()
    (source / "a.py").write_text("def a():\n    return 1\n", encoding="utf-8")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run(["git", "-C", source, *_PERSON, *words], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", source, folder / "r0.git"], check=True)
    for number in range(1, n):
        shutil.copytree(folder / "r0.git", folder / f"r{number}.git")
    listed = folder / "repositories.txt"
    lines = (f"n{number}={(folder / f'r{number}.git').as_uri()}\n" for number in range(n))
    listed.write_text("".join(lines), encoding="utf-8")
    return listed


def _mark_built(hub: Hub) -> None:
    sql = (
        "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum),"
        " string_agg('b.' || quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute"
        " WHERE attrelid = 'satchel.builds'::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attname NOT IN ('id', 'repository_id')"
    )
    [(names, chosen)] = database.rows(hub, sql)
    for statement in _LOOK_ALIKE:
        hub.execute(statement.format(names=names, chosen=chosen).encode())


def _hub(folder: Path, *words: str) -> str:
    state = {**os.environ, "SATCHEL_STATE_FOLDER": str(folder / "state")}
    done = subprocess.run(
        [*SATCHEL, "hub", *words], env=state, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout + done.stderr


if __name__ == "__main__":
    raise SystemExit(main())

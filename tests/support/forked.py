"""A pytest plugin: `--processes N` runs the tests in N processes that are forked once all tests are
collected.

To collect 5,400 tests takes 17 s of processor time in a fresh checkout (`pytest --collect-only`). A
process that is forked need not do it again, as one that pytest-xdist starts has to. Each takes the
tests of a file at a time, or all those of a folder in `_TOGETHER`.
"""

from __future__ import annotations

import gc
import json
import os
import random
import select
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, TextIO

import pytest

from tests.support import fork_server

_TOGETHER = ("tests/hub",)
"""Folders whose files share what takes long to start: one PostgreSQL and its hub."""
_NUMBER_BYTES = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption("--processes", type=int, default=1, help="run tests in so many processes")


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Runs all tests in processes if more than one is wanted, and reports them here."""
    config = session.config
    n_processes: int = config.getoption("processes")
    if n_processes < 2 or config.getoption("collectonly") or session.testsfailed:
        return None
    units = _units(session.items)
    queue, giving = os.pipe()
    os.write(giving, b"".join(n.to_bytes(_NUMBER_BYTES) for n in range(len(units))))
    os.close(giving)
    _base(config)  # made here, so that it is one for all
    gc.collect()
    gc.freeze()  # processes share these pages, as no collection writes to them
    running = [_Process(session, number, units, queue) for number in range(n_processes)]
    try:
        while running:
            ready, _, _ = select.select(running, [], [], 1)
            for process in running:
                process.report(session, is_ready=process in ready)
            running = [process for process in running if not process.has_ended]
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
        if os.read(queue, 1):
            _failed(session, "the tests that are left", "every process has died")
    finally:
        while os.read(queue, 1 << 16):
            pass
        for process in running:
            process.interrupt()
    return True


def _units(items: Sequence[pytest.Item]) -> list[list[pytest.Item]]:
    """What one process runs: a file each, or a folder, in the order of their first tests."""
    found: dict[str, list[pytest.Item]] = {}
    for item in items:
        file = item.nodeid.partition("::")[0]
        folder = file.rpartition("/")[0]
        found.setdefault(folder if folder in _TOGETHER else file, []).append(item)
    return list(found.values())


class _Process:
    """One of them, as the process sees it that reports."""

    def __init__(
        self, session: pytest.Session, number: int, units: Sequence[list[pytest.Item]], queue: int
    ) -> None:
        self._said, saying = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = fork_server.fork()
        if self._pid == 0:
            os.close(self._said)
            with os.fdopen(saying, "w", encoding="utf-8", buffering=1) as out:
                _be_one(session, number, units, queue, out)
        os.close(saying)
        self._unread = b""
        self._current = f"process {number}"
        self.has_ended = False

    def fileno(self) -> int:
        """Of the pipe that it tells through; for `select`."""
        return self._said

    def report(self, session: pytest.Session, *, is_ready: bool) -> None:
        """Passes on what it has told; says so if it died."""
        # Whether it lives is asked before it is read, so that its last words are not lost.
        is_alive = is_ready or fork_server.is_alive(self._pid)
        data = os.read(self._said, 1 << 20) if is_ready else b""
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            self._hear(session, json.loads(line))
        if not self.has_ended and (not is_alive or (is_ready and not data)):
            _failed(session, self._current, "the process died here, or was ended by the test")
            self._end(is_alive)
        elif self.has_ended:
            self._end(is_alive)

    def _hear(self, session: pytest.Session, told: dict[str, Any]) -> None:
        hook = session.config.hook
        if "report" in told:
            report = hook.pytest_report_from_serializable(
                config=session.config, data=told["report"]
            )
            hook.pytest_runtest_logreport(report=report)
        elif "begins" in told:
            self._current = told["begins"]
        elif told["broken"]:
            _failed(session, self._current, told["broken"])
        self.has_ended = "broken" in told

    def _end(self, is_alive: bool) -> None:
        self.has_ended = True
        os.close(self._said)
        if is_alive:
            os.waitpid(self._pid, 0)

    def interrupt(self) -> None:
        """Lets it end what its fixtures have started, and go."""
        with suppress(ProcessLookupError, ChildProcessError):
            fork_server.interrupt(self._pid)
            os.waitpid(self._pid, 0)


def _failed(session: pytest.Session, name: str, why: str) -> None:
    report = pytest.TestReport(name, (name, None, name), {}, "failed", why, "call")
    session.config.hook.pytest_runtest_logreport(report=report)


def _base(config: pytest.Config) -> Any:
    """Where temporary folders lie; pytest has no public name for what decides that."""
    return config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]


def _be_one(
    session: pytest.Session, number: int, units: Sequence[list[pytest.Item]], queue: int,
    out: TextIO,
) -> None:  # fmt: skip
    """A forked process: run what is next until there is nothing more, and end."""
    broken = ""
    try:
        _report_to(session.config, out)
        _have_own(session.config, number)
        for item, following in _next(session, units, queue):
            _tell(out, begins=item.nodeid)
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        session.config.hook.pytest_sessionfinish(session=session, exitstatus=0)
    except (KeyboardInterrupt, pytest.exit.Exception):
        session._setupstate.teardown_exact(None)
    except BaseException:
        broken = traceback.format_exc()
    with suppress(BrokenPipeError):
        _tell(out, broken=broken)
    os._exit(0)  # what is registered to be done at exit is for the process that reports


def _next(
    session: pytest.Session, units: Sequence[list[pytest.Item]], queue: int
) -> Iterator[tuple[pytest.Item, pytest.Item | pytest.Session]]:
    """Each test with the one that follows it in the unit; after the last the session remains."""
    while taken := os.read(queue, _NUMBER_BYTES):
        items = units[int.from_bytes(taken)]
        yield from zip(items, [*items[1:], session], strict=True)


class _Reporter:
    """Stands in for what prints reports."""

    def __init__(self, config: pytest.Config, out: TextIO) -> None:
        self._config, self._out = config, out

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        _tell(self._out, report=data)


def _report_to(config: pytest.Config, out: TextIO) -> None:
    """Reports go to the other process, which alone writes them down."""
    config.workerinput = {}  # type: ignore[attr-defined]  # so plugins know that another one reports
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(_Reporter(config, out))


def _have_own(config: pytest.Config, number: int) -> None:
    """Nothing that forked processes would otherwise share."""
    random.seed()
    own = _base(config) / f"p{number}"
    own.mkdir()
    config._tmp_path_factory._basetemp = own  # type: ignore[attr-defined]
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()


def _tell(out: TextIO, **what: object) -> None:
    out.write(json.dumps(what) + "\n")

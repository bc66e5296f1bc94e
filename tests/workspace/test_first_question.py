"""A first question is answered from the text of the whole tree, or told how far that is."""

import json
import os
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.cli import background, options
from satchel.indexer import carry_out
from satchel.indexer.refresh_values import Progress, Stage
from satchel.store.errors import Incomplete, Interrupted
from satchel.workspace.lock import WriterLock
from satchel.workspace.project import Project
from satchel.workspace.serving import build_progress
from satchel.workspace.serving.build_progress import BuildState, Patience, Recorder
from satchel.workspace.serving.catch_up import FILES_AT_ONCE, catch_up
from tests.support import pseudo_terminal
from tests.support.agent import in_memory, refused
from tests.support.satchel import COMMAND, index_folder, refresh, satchel, silent

AT_ONCE = {"SATCHEL_INDEX_PATIENCE_SECONDS": "0"}
IN_THE_END = {"SATCHEL_INDEX_PATIENCE_SECONDS": "250"}
SECONDS = 120.0
CODE = """
//- README.md
Deliver a message.
//- app/send.py
def send(message):
    return message
"""


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("question", [("context", "deliver"), ("search", "deliver"),
                                      ("search", "--exact", "deliver"), ("symbols", "send"),
                                      ("deps", "send"), ("overview",)])  # fmt: skip
def test_no_question_is_answered_while_another_process_reads_the_tree(project, question):
    root = project(CODE)
    lock = WriterLock(index_folder(root))
    assert lock.acquire()
    reply = satchel(*question, cwd=root, environment=AT_ONCE)
    assert (reply.returncode, reply.stdout) == (5, b"")
    assert b"is being indexed: it has just begun; nothing is answered from a part" in reply.stderr
    assert b"hint: ask again in about 5 s" in reply.stderr
    lock.release()


def test_what_patience_did_not_last_for_is_finished_in_the_background(project):
    root = project(CODE)
    reply = satchel("context", "deliver a message", cwd=root, environment=AT_ONCE)
    assert (reply.returncode, reply.stdout) == (5, b"")
    assert b"finishes the index in the background" in reply.stderr
    assert b"is being indexed: " in reply.stderr
    later = satchel("context", "deliver a message", cwd=root, environment=IN_THE_END)
    assert later.returncode == 0
    assert b"def send(message)" in later.stdout


def test_edges_of_many_files_are_left_to_a_process_that_says_so(tmp_path: Path):
    for number in range(FILES_AT_ONCE + 1):
        (tmp_path / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n", "utf-8")
    reply = satchel("context", "f7", cwd=tmp_path, environment=IN_THE_END)
    assert reply.returncode == 0
    assert b"m7.py" in reply.stdout
    assert b"finishes the index in the background; `satchel status`" in reply.stderr

    def is_finished() -> bool:
        status = json.loads(satchel("status", "--json", cwd=tmp_path).stdout)
        return status["linked"] and status["building"] is None

    wait_until(is_finished)
    assert b"finishes" not in satchel("context", "f7", cwd=tmp_path).stderr


def test_an_agent_is_refused_with_how_far_it_is_and_told_by_progress(project):
    root = project(CODE)
    lock = WriterLock(index_folder(root))
    assert lock.acquire()
    with Recorder(index_folder(root), "a command", silent) as noted:
        wait_until(lambda: _note(noted, root))
        told: list[str] = []

        async def hear(_progress: float, _total: float | None, message: str | None) -> None:
            told.append(message or "")

        async def session(client):
            refusal = await refused(client, "context", {"query": "deliver a message"})
            waiting = await client.call_tool("search", {"query": "deliver"}, progress_callback=hear)
            return refusal, waiting

        refusal, waiting = in_memory(root, session, SATCHEL_INDEX_PATIENCE_SECONDS="1")
    assert "is being indexed: indexing, 43 % (12 files); nothing is answered from a" in refusal
    assert "ask again in about" in refusal
    assert waiting.is_error
    assert "indexing, 43 % (12 files)" in told
    lock.release()


def test_status_names_the_process_that_is_at_work(project):
    root = project(CODE)
    refresh(root)
    lock = WriterLock(index_folder(root))
    assert lock.acquire()
    with Recorder(index_folder(root), "a server", silent) as noted:
        wait_until(lambda: _note(noted, root))
        status = satchel("status", cwd=root).stdout.decode()
    said = f"working: process {os.getpid()} (a server) is at indexing, 43 % (12 files)"
    assert said in status
    assert "working" not in satchel("status", cwd=root).stdout.decode()
    lock.release()


def test_what_a_dead_process_left_behind_is_not_believed(project):
    root = project(CODE)
    folder = index_folder(root)
    lock = WriterLock(folder)
    assert lock.acquire()
    with Recorder(folder, "a command", silent) as noted:
        wait_until(lambda: _note(noted, root))
        assert build_progress.read(folder) is not None
        (folder / "lock").write_text("1", "ascii")  # another process has the lock by now
        assert build_progress.read(folder) is None
    (folder / build_progress.NAME).write_bytes(b'{"process": "x"}')
    assert build_progress.read(folder) is None
    lock.release()


def test_code_is_read_before_documents(project):
    root = project("\n//- README.md\nx\n//- a/notes.txt\ny\n//- b.py\nz = 1\n//- c.toml\nk = 1\n")
    seen: list[int] = []

    def stop_after_first(progress: Progress) -> None:
        if progress.stage == Stage.ANALYZE and progress.done:
            raise Interrupted("enough", "")
        seen.append(progress.done)

    with pytest.raises(Interrupted):
        Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"}).refresh(stop_after_first)
    with Project.at(root, {}).snapshot() as snapshot:
        assert [file.path for file in snapshot.files.all()] == ["b.py"]
        assert not snapshot.complete


def test_progress_goes_on_where_another_process_stopped(tmp_path: Path):
    for number in range(30):
        (tmp_path / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n", "utf-8")
    seen: list[Progress] = []

    def stop_half_way(progress: Progress) -> None:
        if progress.stage == Stage.ANALYZE:
            seen.append(progress)
            if progress.share > 0.5:
                raise Interrupted("enough", "")

    one_worker = {"SATCHEL_INDEX_WORKERS": "1"}
    with pytest.raises(Interrupted):
        Project.at(tmp_path, one_worker).refresh(stop_half_way)
    after = len(seen)
    Project.at(tmp_path, one_worker).refresh(seen.append)
    going_on = [progress for progress in seen[after:] if progress.stage == Stage.ANALYZE]
    assert going_on[0] == seen[after - 1]
    assert going_on[-1].share == 1.0
    assert [p.done for p in going_on] == sorted(p.done for p in going_on)


def test_what_a_question_waits_for_does_not_stand_back(project, monkeypatch):
    root = project(CODE)
    limits = []
    usual = carry_out._new_pool

    def watched(asked_for):
        limits.append(asked_for.limits.nice)
        return usual(asked_for)

    monkeypatch.setattr(carry_out, "_new_pool", watched)
    here = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"})
    assert catch_up(here, silent) == ()
    here.refresh(silent, full=True)
    assert limits == [0, here.settings.index.nice]


def test_a_question_that_waits_goes_on_when_the_other_process_dies(project):
    root = project(CODE)
    lock = WriterLock(index_folder(root))
    assert lock.acquire()
    told: list[Progress] = []

    def on_progress(progress: Progress) -> None:
        lock.release()
        told.append(progress)

    with Recorder(index_folder(root), "a command", silent) as noted:
        wait_until(lambda: _note(noted, root))
        assert catch_up(Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"}), on_progress) == ()
    assert told[0] == Progress(Stage.ANALYZE, 12, 43, 100)
    assert told[-1].stage == Stage.DONE


def test_the_time_left_is_told_from_the_pace_so_far():
    patience = Patience(0.0, silent)
    assert patience.state is None
    for done in (0, 1):
        with pytest.raises(Interrupted):
            patience(Progress(Stage.ANALYZE, 1, done, 4))
    state = patience.state
    assert state is not None
    assert state.progress == Progress(Stage.ANALYZE, 1, 1, 4)
    assert state.seconds_left() == 5
    assert Incomplete.exit_code == 5
    # The pace of the first moments, in which processes start, would tell of minutes.
    assert BuildState(1, "", "indexing", 0, 2, 100, began=0.0, noted=6.0).seconds_left() == 30


def test_the_time_left_is_told_from_the_later_half_of_the_time(monkeypatch):
    patience = Patience(1_000.0, silent)
    # Processes start for 20 s, in which five of a hundred parts are done; then it is one a second.
    for second, done in ((0, 0), (10, 2), *((20 + n, 5 + n) for n in range(21))):
        monkeypatch.setattr(build_progress.time, "time", lambda now=float(second): now)
        patience(Progress(Stage.ANALYZE, 1, done, 100))
    assert patience.state is not None
    assert (patience.state.progress.done, patience.state.seconds_left()) == (25, 75)


def test_a_person_at_a_terminal_waits_for_a_first_answer(project):
    seen = pseudo_terminal.run(
        "context", "deliver a message", cwd=project(CODE), environment=AT_ONCE
    )
    assert (seen.code, "Ctrl-C leaves; what is done stays" in seen.text) == (0, True)
    assert "def send(message)" in seen.text


def test_reindex_goes_on_when_the_process_that_builds_has_ended(project):
    root = project(CODE)
    lock = WriterLock(index_folder(root))
    assert lock.acquire()
    command = [COMMAND, "reindex"]
    with (
        Recorder(index_folder(root), "a command", silent) as noted,
        subprocess.Popen(
            command, cwd=root, stderr=subprocess.PIPE, stdout=subprocess.PIPE
        ) as other,
    ):
        wait_until(lambda: _note(noted, root))
        assert b"is writing this index: waiting until it is done" in other.stderr.readline()
        lock.release()
        out, _ = other.communicate()
        assert (other.returncode, b": 2 added" in out) == (0, True)


def test_what_is_done_at_once_is_noted_at_once(project):
    root = project(CODE)
    lock = WriterLock(index_folder(root))
    assert lock.acquire()
    with Recorder(index_folder(root), "a command", silent) as noted:
        wait_until(lambda: _note(noted, root))
        noted(Progress(Stage.ANALYZE, 30, 91, 100))  # then nothing, as while a large file is parsed
        state = build_progress.read(index_folder(root))
    assert state is not None
    assert state.progress == Progress(Stage.ANALYZE, 30, 91, 100)
    lock.release()


def test_a_process_that_was_started_to_go_on_is_told_of_before_it_has_begun(project):
    root = project(CODE)
    folder = index_folder(root)
    patience = Patience(10.0, silent)
    patience(Progress(Stage.ANALYZE, 12, 43, 100))
    build_progress.note_successor(
        folder, os.getpid(), "a process in the background", patience.state
    )
    state = build_progress.read(folder)
    assert state is not None
    assert build_progress.in_words(state.progress) == "indexing, 43 % (12 files)"
    started = subprocess.Popen([sys.executable, "-c", ""])
    started.wait()
    build_progress.note_successor(folder, started.pid, "a process in the background", None)
    assert build_progress.read(folder) is None


def test_no_second_process_is_started_to_go_on(project, monkeypatch):
    root = project(CODE)
    own = Project.at(root, {})
    own.refresh(silent, link_if_fewer=0)
    started: list[int] = []

    def start(*_arguments: object, **_options: object) -> Namespace:
        started.append(os.getpid())
        return Namespace(pid=os.getpid())

    monkeypatch.setattr(background.subprocess, "Popen", start)
    for _ in range(2):  # the first does not answer at its socket yet
        options.finish(own, Namespace(yes=False, quiet=True, environment={}))
    assert len(started) == 1


def test_a_process_that_finishes_edges_is_told_of_from_its_start(project, monkeypatch):
    root = project(CODE)
    own = Project.at(root, {})
    own.refresh(silent, link_if_fewer=0)
    monkeypatch.setattr(background, "start", lambda _project, _args: os.getpid())
    options.finish(own, Namespace())
    state = build_progress.read(index_folder(root))
    assert state is not None and (state.process, state.stage) == (os.getpid(), Stage.DERIVE)


def _note(noted: Recorder, root: Path) -> bool:
    """Tell progress until the recorder has found it worth a file."""
    noted(Progress(Stage.ANALYZE, 12, 43, 100))
    return build_progress.read(index_folder(root)) is not None


def test_a_question_is_not_refused_while_edges_alone_are_missing(project):
    root = project(CODE + "\n\ndef resend(message):\n    return send(message)\n")
    here, other = Project.at(root, {}), Project.at(root, {"SATCHEL_INDEX_PATIENCE_SECONDS": "0"})
    told: list[tuple[str, ...]] = []

    def on_progress(progress: Progress) -> None:
        if progress.stage == Stage.NAMES and not told:
            told.append(catch_up(other, lambda _progress: None))

    here.refresh(on_progress, link_if_fewer=0)
    (notices,) = told
    assert len(notices) == 1 and "what it has committed so far" in notices[0]
    with here.snapshot() as snapshot:  # and the edges came after
        assert snapshot.files.counts().edges and not snapshot.linked

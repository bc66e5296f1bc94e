"""The command as its users meet it: processes, exit codes, clean pipes, interruptions.

Most run in a process that has loaded the command already; `started` starts one from nothing.
"""

import json
import os
import pty
import re
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest

from satchel.store.counted import counted
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project
from tests.support.satchel import (
    COMMAND,
    STORE,
    TIMEOUT_S,
    copy_of_our_source,
    index,
    index_folder,
    satchel,
    silent,
    started,
    state_folders,
    workers_of,
)

CODE = """
//- app/send.py
from app.queue import push

def send(message):
    '''Deliver a message later.'''
    push(message)
//- app/queue.py
def push(item):
    return [item]
//- tests/test_send.py
def test_send():
    send(1)
"""


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


@pytest.fixture
def ready(root: Path) -> Path:
    index(root)
    return root


def test_without_a_command_the_help_is_shown(ready):
    alone, asked = satchel(cwd=ready), satchel("--help", cwd=ready)
    assert (alone.returncode, alone.stdout) == (0, asked.stdout)
    assert b"usage: satchel" in alone.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("frobnicate",), "no command is called 'frobnicate'"),
        (("cycles",), "hint: satchel graph cycles"),
        (("context",), "no question"),
        (("context", "  "), "query is empty"),
        (("context", "x", "--budget", "255"), "a whole number of 256 to 32768"),
        (("context", "x", "--budget", "32769"), "a whole number of 256 to 32768"),
        (
            ("context", "x", "--budget", "many"),
            "budget_tokens is 'many'\nhint: give a whole",
        ),
        (("context", "x", "--scope", "some"), "scope is 'some'"),
        (("search", "x", "--max-results", "0"), "a whole number of 1 to 200"),
        (("search", "x", "--min-score", "1.5"), "a number of 0 to 1"),
        (("search", "--batch", "missing.jsonl"), "missing.jsonl cannot be read"),
        (("search", "x", "--batch", "missing.jsonl"), "more than one question"),
        (("search", "--exact", "x", "--batch", "missing.jsonl"), "more than one question"),
        (("symbols", "*"), "hint: a * stands at the end: prefix*, Class.* or Class.prefix*"),
        (("symbols", "*en*"), "hint: a * stands at the end: prefix*, Class.* or Class.prefix*"),
        (("show", "*en*"), "'*en*' has a * where none may stand"),
        (
            ("symbols", "send", "--limit", "0"),
            "limit is 0\nhint: give a whole number",
        ),
        (
            ("symbols", "send", "--limit", "-1"),
            "limit is -1\nhint: give a whole number",
        ),
        (("deps", "send", "--offset", "-1"), "offset is -1\nhint: give a whole number"),
        (("deps", "send", "--limit", "0"), "of 1 to 10000"),
        (("changes", "--limit", "0"), "of 1 to 10000"),
        (("changes", "7d", "--since", "24h"), "since is given twice"),
        (("impact", "send", "--limit", "0"), "must be 1 to 10000"),
        (("graph", "central", "--limit", "-3"), "of 1 to 10000"),
        (("search", "--exact", "x", "--offset", "-1"), "of 0 to 9999"),
        (("recall", "x", "--limit", "0"), "limit"),
        (("knowledge", "prune", "--days", "-1"), "must be 0 to 36500"),
        (("symbols", "send", "--kind", "spell"), "unknown kind"),
        (("deps", "send", "--depth", "6"), "of 1 to 5"),
        (("reindex", "missing"), "missing is not a folder"),
        (("reindex", "--root", "missing"), "missing is not a folder"),
        (("reindex", ".", "--root", "."), "PATH and --root name the same thing"),
        (("validate", "--output", "missing/x"), "missing/x cannot be written: No such file"),
        (("validate", "--also", "sarif=missing/x"), "missing/x cannot be written: No such file"),
        (("validate", "--baseline", "missing"), "missing cannot be read: No such file"),
        (("knowledge", "export", "missing/x"), "missing/x cannot be written: No such file"),
        (("context", "x", "--root", "missing"), "missing is not a folder"),
    ],
)
def test_a_mistaken_request_exits_2_and_says_what_is_wrong(ready, arguments, said):
    reply = satchel(*arguments, cwd=ready)
    assert (reply.returncode, reply.stdout) == (2, b"")
    assert said in reply.stderr.decode()


def test_a_wrong_setting_exits_2(ready: Path):
    reply = satchel("context", "x", cwd=ready, environment={"SATCHEL_CONTEXT_TOKENIZER": "words"})
    assert reply.returncode == 2
    assert b"context.tokenizer is 'words'" in reply.stderr
    assert b"hint: use one of: cl100k_base" in reply.stderr


def test_status_without_an_index_exits_2_and_says_how_to_get_one(root: Path):
    reply = satchel("status", cwd=root)
    assert reply.returncode == 2
    assert b"has no index\nhint: run `satchel reindex`" in reply.stderr


def test_a_damaged_index_exits_4(ready: Path):
    (index_folder(ready) / "index.db").write_bytes(b"not a database" * 999)
    reply = satchel("status", cwd=ready)
    assert reply.returncode == 4
    assert b"reindex --full" in reply.stderr
    assert satchel("reindex", "--full", cwd=ready).returncode == 0
    assert satchel("status", cwd=ready).returncode == 0


def test_an_index_that_was_never_filled_is_no_damage(root: Path):
    (index_folder(root) / "index.db").touch()
    reply = satchel("status", cwd=root)
    assert reply.returncode == 2
    assert b"hint: run `satchel reindex`" in reply.stderr
    assert satchel("context", "push", cwd=root).returncode == 0


def test_a_locked_index_exits_5_but_still_answers(ready: Path):
    with writer_lock(index_folder(ready)):
        patience = {"SATCHEL_INDEX_PATIENCE_SECONDS": "0.2"}
        refused = satchel("reindex", cwd=ready, environment=patience)
        answered = satchel("context", "send", cwd=ready)
    assert refused.returncode == 5
    assert f"process {os.getpid()} is writing this index" in refused.stderr.decode()
    assert answered.returncode == 0
    assert b"\nnote: process " in answered.stdout
    assert b"def send(message)" in answered.stdout


def test_a_lock_before_the_first_index_exits_5(root: Path):
    with writer_lock(index_folder(root)):
        patience = {"SATCHEL_INDEX_PATIENCE_SECONDS": "0.2"}
        reply = satchel("context", "send", cwd=root, environment=patience)
    assert (reply.returncode, reply.stdout) == (5, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "--exact", ""), ("search", "--regex", "("),
        ("search", "--exact", "x", "--explain"),
        ("search", "x", "--offset", "3"), ("search", "x", "--max-results", "0"),
        ("search", "--exact", "x", "--max-results", "100000"), ("search", "x", "--min-score", "7"),
        ("context", ""), ("context", "x", "--budget", "3"), ("context", "--diff", "nowhere"),
        ("symbols", "*"), ("symbols", "x", "--kind", "spaceship"), ("deps", "x", "--depth", "9"),
        ("graph", "path", "a", "b", "--ways", "99"), ("graph", "rules"),
        ("graph", "rules", "--rule", "what"), ("changes", "nowhere"),
        ("impact", "--diff", "nowhere"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_nothing_is_indexed_for_what_cannot_be_asked(root: Path, arguments: tuple[str, ...]):
    reply = satchel(*arguments, cwd=root)
    assert (reply.returncode, reply.stdout) == (2, b"")
    assert b"indexing" not in reply.stderr
    assert not list(state_folders(root).index.glob("*.db"))


def test_first_use_indexes_and_says_so_on_stderr_alone(root: Path):
    first = satchel("context", "how are messages sent", cwd=root)
    again = satchel("context", "how are messages sent", cwd=root)
    assert f"indexing {root} for the first time\n" == first.stderr.decode()
    assert again.stderr == b""
    assert first.stdout.startswith(b"[satchel] ")
    assert b"def send(message)" in first.stdout
    assert b"test_send" not in first.stdout


def test_a_folder_without_git_is_its_own_root(root: Path):
    reply = satchel("context", "push", cwd=root / "app")
    assert reply.returncode == 0
    assert (index_folder(root / "app") / "index.db").exists()
    assert b"\nqueue.py\n" in reply.stdout


def test_a_subfolder_of_an_indexed_project_uses_its_index(ready: Path):
    reply = satchel("search", "push", cwd=ready / "app")
    assert b"queue.py:1-2" in reply.stdout  # as seen from there
    assert not state_folders(ready / "app").index.exists()


SHAPES = {
    ("context", "send"): ["id", "text", "excerpts", "receipt", "schema"],
    ("search", "send"): ["id", "results", "files_searched", "generation", "complete", "schema"],
    ("symbols", "send"): ["definitions", "references", "found", "schema"],
    ("deps", "send"): ["roots", "edges", "unresolved", "found", "schema"],
    ("status",): ["root", "generation", "complete", "files", "skipped", "problems", "schema"],
    ("reindex",): ["index", "schema"],
}
ROW = {"path", "start_line", "end_line", "symbol", "kind", "score", "tokens"}


@pytest.mark.parametrize("arguments", SHAPES, ids=" ".join)
def test_json_is_one_document_of_a_versioned_shape(ready: Path, arguments: tuple[str, ...]):
    reply = satchel(*arguments, "--json", cwd=ready)
    assert (reply.returncode, reply.stderr) == (0, b"")
    assert reply.stdout.count(b"\n") == 1
    answer = json.loads(reply.stdout)
    assert [key for key in SHAPES[arguments] if key not in answer] == []
    assert answer["schema"] == 1
    for row in answer.get("results", answer.get("excerpts", [])):
        assert row.keys() >= ROW


def test_full_results_carry_what_an_agent_would_read(ready: Path):
    reply = satchel("search", "push", "--json", "--mode", "full", "--explain", cwd=ready)
    best = json.loads(reply.stdout)["results"][0]
    assert best["text"] == "def push(item):\n    return [item]\n"
    assert (best["path"], best["start_line"], best["symbol"]) == ("app/queue.py", 1, "push")
    assert sum(best["why"].values()) == pytest.approx(best["score"], abs=1e-3)


BATCH = b"""{"id": "a", "query": "send", "budget": 300}

{"id": 2, "query": "push", "budget": 10}
{"id": 3, "query": "push", "max_results": 1}
"""


@pytest.mark.parametrize("source", ["-", "questions.jsonl"])
def test_a_batch_gives_a_line_for_a_line_and_an_error_for_a_bad_budget(ready: Path, source: str):
    (ready / "questions.jsonl").write_bytes(BATCH)
    reply = satchel("context", "--batch", source, cwd=ready, stdin=BATCH)
    first, second, third = (json.loads(line) for line in reply.stdout.splitlines())
    assert reply.returncode == 0
    assert (first["id"], first["receipt"]["budget"]) == ("a", 300)
    assert (second["id"], second["schema"]) == (2, 1)
    assert second["error"].endswith("line 3: budget_tokens is 10")
    # A word that only `search` knows is refused: ignored, it would answer another question.
    assert third["error"].endswith("line 4: unknown parameter 'max_results'")


def test_a_batch_of_searches_honours_each_line(ready: Path):
    stdin = re.sub(rb', "budget": \d+', b"", BATCH)  # that is a word of `context`
    reply = satchel("search", "--batch", "-", "--scope", "all", cwd=ready, stdin=stdin)
    found = [json.loads(line) for line in reply.stdout.splitlines()]
    assert [answer["id"] for answer in found] == ["a", 2, 3]
    assert len(found[0]["results"]) > len(found[2]["results"]) == 1


def test_a_line_that_is_not_a_question_is_an_error_in_its_place(ready: Path):
    wrong = [b"{", b'{"id": 1}', b'{"query": "x", "id": "b", "budgett": 3}', b"[]"]
    right = [b'{"id": 1, "query": "send"}', b'{"id": "z", "query": "send", "budget": "512"}']
    stdin = b"\n".join([right[0], *wrong, right[1]])
    reply = satchel("context", "--batch", "-", cwd=ready, stdin=stdin)
    assert reply.returncode == 0
    first, *failed, last = map(json.loads, reply.stdout.splitlines())
    assert (first["id"], last["id"], last["receipt"]["budget"]) == (1, "z", 512)
    assert [failure["error"].partition(":")[0] for failure in failed] == [
        f"-, line {number}" for number in (2, 3, 4, 5)
    ]
    assert [failure["id"] for failure in failed] == [None, 1, "b", None]


def test_a_reader_that_has_seen_enough_is_no_error(ready: Path):
    running = subprocess.Popen(
        [COMMAND, "context", "--batch", "-"],
        cwd=ready,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout and running.stdin
    running.stdout.close()
    _, err = running.communicate(BATCH * 100, timeout=TIMEOUT_S)
    assert (running.returncode, err) == (0, b"")


def test_a_terminal_sees_progress_and_a_pipe_sees_none(tmp_path: Path):
    copy_of_our_source(tmp_path, STORE)
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))  # a terminal without a width is shown nothing
    running = subprocess.Popen(
        [COMMAND, "reindex"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    assert running.communicate(timeout=TIMEOUT_S)[0].startswith(b"generation ")
    os.close(ours)
    assert b"indexing" in shown
    assert b"B/s" in shown


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other end is closed
        return b""


@needs_proc
def test_ctrl_c_during_a_first_index_leaves_one_that_the_next_run_completes(tmp_path: Path):
    copy_of_our_source(tmp_path, STORE)
    running = subprocess.Popen(
        [COMMAND, "reindex"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while not workers_of(running.pid) and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=TIMEOUT_S)
    assert (running.returncode, out) == (130, b"")
    status = json.loads(satchel("status", "--json", cwd=tmp_path).stdout)
    n_files = status["files"]
    kept = (
        f"the index holds {counted(n_files, 'file')} so far"
        if n_files
        else "nothing is indexed yet"
    )
    assert err.decode().splitlines()[0] == f"satchel: interrupted; {kept}"
    assert not status["complete"]
    assert satchel("reindex", cwd=tmp_path).returncode == 0
    status = json.loads(satchel("status", "--json", cwd=tmp_path).stdout)
    assert status["complete"]
    assert status["files"] > 50


def test_a_project_with_packages_named_like_ours_does_not_run_its_own(project):
    trap = "raise SystemExit('the code of the project was run')"
    names = (
        "satchel",
        "indexer",
        "store",
        "assembler",
        "workspace",
        "cli",
        "msgspec",
        "json",
        "tiktoken",
    )
    root = project("".join(f"\n//- {name}/__init__.py\n{trap}" for name in names))
    environment = {"PYTHONPATH": ""}
    reply = started("context", "code of the project", cwd=root, environment=environment)
    assert reply.returncode == 0
    assert b"/__init__.py\n" in reply.stdout


def test_a_long_question_is_cut_to_what_tells_most_and_that_is_said(ready: Path):
    log = "\n".join(f"step {n} went well" for n in range(2_000))
    reply = satchel("context", f"{log}\nFAILED app/send.py::send - ValueError: no\n", cwd=ready)
    assert reply.returncode == 0
    assert b"note: the input has " in reply.stdout
    assert b"read were the beginning, what failed and the end" in reply.stdout
    huge = b"x\n" * 300_000 + f"{log}\nFAILED app/send.py::send\n".encode()
    found = satchel("search", cwd=ready, stdin=huge)
    assert found.returncode == 0
    assert b"send.py" in found.stdout
    assert f"standard input has {len(huge):,} bytes; read were the first".encode() in found.stderr
    assert b"read were the beginning, what failed and the end" in found.stderr


def test_an_option_that_another_command_has_is_not_suggested(root: Path):
    reply = satchel("context", "x", "--limit", "3", cwd=root)
    assert reply.returncode == 2
    assert b"did you mean --limit" not in reply.stderr


def test_rows_of_a_search_are_limited_by_the_word_of_other_commands(root: Path):
    limited = satchel("search", "send", "--limit", "1", "--quiet", cwd=root).stdout.splitlines()
    whole = satchel("search", "send", "--quiet", cwd=root).stdout.splitlines()
    assert 0 < len(limited) < len(whole)
    assert satchel("impact", "send", "--limit", "1", "--quiet", cwd=root).returncode == 0


def test_what_is_left_out_of_the_index_is_named_with_the_reason(project):
    root = project("//- .gitignore\nlocal.py\n//- local.py\nx = 1\n//- .env\nTOKEN=abc\n//- a.py\n")
    shown = satchel("show", "local.py:1-1", cwd=root).stderr.decode()
    assert "not indexed: local.py (ignored, .gitignore:1)" in shown
    assert b"not indexed: .env (secret" in satchel("show", ".env", cwd=root).stderr
    listed = satchel("symbols", "local.py", cwd=root).stdout.decode()
    assert listed == "not indexed: local.py (ignored, .gitignore:1)\n"


def test_source_that_stands_in_what_is_shown_is_not_shown_again(project):
    root = project("//- crlf.py\ndef crlf():\n    return 1\n")
    reply = satchel("show", "crlf", cwd=root)
    assert reply.stdout.decode().count("return 1") == 1
    assert "module crlf  (not repeated)" in reply.stderr.decode()


def test_several_names_are_shown_at_once_and_commands_have_other_tools_names(ready: Path):
    reply = satchel("show", "push", "send", "nothing", "app/queue.py:1-1", cwd=ready)
    shown = reply.stdout.decode()
    assert "def push(item):" in shown and "def send(message):" in shown
    assert "app/queue.py:1\ndef push(item):\n" in shown
    assert "nothing here is called 'nothing'" in reply.stderr.decode()
    assert satchel("show", "none", "nothing", cwd=ready).returncode == 1
    listed = satchel("symbols", "push,", "send", cwd=ready).stdout.decode()
    assert [line.split()[2] for line in listed.splitlines()] == ["push", "send", "send"]
    assert satchel("index", cwd=ready).returncode == satchel("init", cwd=ready).returncode == 0
    same = [satchel(name, "app", cwd=ready).stdout for name in ("overview", "summary")]
    assert same[0] == same[1] != b""


def test_status_says_who_finishes_a_call_graph_that_nobody_works_on(root: Path):
    Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"}).refresh(silent, link_if_fewer=0)
    told = satchel("status", cwd=root).stdout.decode()
    assert "text complete, call graph behind: the next command or server finishes it" in told
    assert "being updated" not in told

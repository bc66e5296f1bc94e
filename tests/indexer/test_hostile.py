"""No input crashes, hangs or exhausts the indexer, and every path is indexed or listed."""

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from satchel.indexer.extract import pool, worker
from satchel.indexer.extract.pool import Pool
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.extract.source import indexed
from satchel.indexer.extract.worker import Task
from satchel.store import codec
from satchel.store.model import RepoPath, SkipReason
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace.project import Project
from tests.support import hostile, warm_workers
from tests.support.satchel import COMMAND, ROOT, TIMEOUT_S, satchel, workers_of

_CACHES = shutil.ignore_patterns("__pycache__")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[bytes]]:
    root = tmp_path_factory.mktemp("hostile") / "tree"
    root.mkdir()
    made = hostile.build(root)
    # A short deadline: a few files here keep a grammar busy for a minute, and each takes all of it.
    # Workers that have compiled the queries of all languages: those of Zig alone take longer.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "start_process", warm_workers.start)
        done = satchel("reindex", cwd=root, environment={"SATCHEL_INDEX_PARSE_SECONDS": "1"})
    assert (done.returncode, done.stderr) == (0, b"")
    return root, made


@pytest.fixture
def snapshot(tree: tuple[Path, set[bytes]]):
    with Project.at(tree[0], {}).snapshot() as snapshot:
        yield snapshot


def test_every_path_is_a_file_of_the_index_or_listed_as_skipped(tree, snapshot: Snapshot):
    made = tree[1]
    files = {os.fsencode(file.path) for file in snapshot.files.all()}
    skipped = {os.fsencode(record.path) for record in snapshot.files.skipped()}
    folders = tuple(path for path in skipped if path.endswith(b"/"))
    assert len(made) >= 200
    assert {path for path in made - files - skipped if not path.startswith(folders)} == set()
    assert not files & skipped
    assert snapshot.complete


def test_the_chunks_of_every_file_tile_its_bytes(tree, snapshot: Snapshot):
    for file in snapshot.files.all():
        data = indexed((tree[0] / file.path).read_bytes())
        assert snapshot.files.source(file.digest, file.language) == data, file.path
        position, line = 0, 1
        for chunk in snapshot.chunks.of_file(file.path):
            assert chunk.span.start_byte == position < chunk.span.end_byte, file.path
            assert line <= chunk.span.start_line <= chunk.span.end_line, file.path
            assert chunk.tokens <= 1024, file.path
            position, line = chunk.span.end_byte, chunk.span.start_line
        assert position == len(data), file.path


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("links/loop", SkipReason.SYMLINK_LOOP),
        ("links/outside", SkipReason.SYMLINK_OUTSIDE),
        ("links/file.py", SkipReason.SYMLINK),
        ("special/pipe.py", SkipReason.SPECIAL),
        ("special/socket.py", SkipReason.SPECIAL),
        ("special/hole.py", SkipReason.TOO_LARGE),
        ("giant_line.js", SkipReason.TOO_LARGE),
        ("random.py", SkipReason.BINARY),
        ("nul.py", SkipReason.BINARY),
    ],
)
def test_a_reason_is_the_true_one(snapshot: Snapshot, path: str, reason: SkipReason):
    reasons = {record.path: record.reason for record in snapshot.files.skipped()}
    assert reasons[path] == reason


@pytest.mark.parametrize(
    ("path", "kind"), [("unknown.py", "encoding"), ("half.go", "syntax"), ("half.py", "syntax")]
)
def test_a_problem_is_listed(snapshot: Snapshot, path: str, kind: str):
    assert kind in {problem[1] for problem in snapshot.files.problems() if problem[0] == path}


def test_code_around_bad_bytes_is_found(snapshot: Snapshot):
    assert [s.path for s in snapshot.symbols.named("after_invalid")] == ["invalid.py"]
    assert snapshot.symbols.named("deepest")
    assert {s.path.rpartition(".")[2] for s in snapshot.symbols.named("f2999")} >= {"py", "go"}


def test_status_lists_one_line_for_each_skipped_path(tree, snapshot: Snapshot):
    listed = satchel("status", "--skipped", cwd=tree[0])
    assert listed.returncode == 0
    lines = listed.stdout.decode("utf-8").splitlines()
    n_skipped = len([line for line in lines if line.startswith("skipped ")])
    assert n_skipped == len(snapshot.files.skipped())
    assert all(line.isprintable() for line in listed.stdout.decode("utf-8").split("\n"))


def test_questions_are_answered_within_the_budget(tree):
    asked = ["named", "f2999 function", "日本語", "café", "x"]
    lines = [json.dumps({"id": query, "query": query, "budget": 900}) for query in asked]
    words = ("context", "--batch", "-", "--scope", "all")
    reply = satchel(*words, cwd=tree[0], stdin="\n".join(lines).encode())
    assert (reply.returncode, reply.stderr) == (0, b"")
    answers = [json.loads(line) for line in reply.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == asked
    assert all(0 < answer["receipt"]["used"] <= 900 for answer in answers)


def test_a_second_look_finds_nothing_to_do(tree):
    report = json.loads(satchel("reindex", "--json", cwd=tree[0]).stdout)["index"]
    assert (report["added"], report["changed"], report["removed"], report["parsed"]) == (0, 0, 0, 0)


def test_a_file_that_keeps_its_grammar_busy_is_cut_into_lines_and_says_so(project):
    root = project("//- a.c\nint before(void) { return 1; }\n//- z.c\nint after(void);")
    (root / "m.c").write_bytes((b"(" * 45_000 + b"\n") * 2)
    done = satchel("reindex", cwd=root, environment={"SATCHEL_INDEX_PARSE_SECONDS": "1"})
    assert (done.returncode, done.stderr) == (0, b"")
    with Project.at(root, {}).snapshot() as snapshot:
        why = "the process that parsed it took more than 1 s"
        assert snapshot.files.problems() == [("m.c", "crash", 1, why)]
        assert len(snapshot.chunks.of_file(RepoPath("m.c"))) > 10
        assert [s.path for s in snapshot.symbols.named("before")] == ["a.c"]
        assert [s.path for s in snapshot.symbols.named("after")] == ["z.c"]


def test_a_file_that_crashes_its_grammar_is_cut_into_lines_and_says_so(
    project, monkeypatch: pytest.MonkeyPatch
):
    # The query of C# takes a second to compile, in every worker that comes after one that died.
    monkeypatch.setattr(pool, "start_process", warm_workers.start)
    root = project("//- A.cs\nclass A { void F() {} }")
    (root / "B.cs").write_bytes(b"a<" * 20_000)  # a segmentation fault in tree-sitter-c-sharp
    assert satchel("reindex", cwd=root).returncode == 0
    with Project.at(root, {}).snapshot() as snapshot:
        why = "the process that parsed it died"
        assert snapshot.files.problems() == [("B.cs", "crash", 1, why)]
        assert snapshot.chunks.of_file(RepoPath("B.cs"))
        assert [s.path for s in snapshot.symbols.named("F")] == ["A.cs"]


def test_a_bug_of_ours_cuts_the_file_into_lines_and_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker.analyze.parse, "parse", lambda *_: {}["absent"])
    facts = codec.decode_facts(worker.perform(Task("python", b"x = 1\n")).facts)
    assert len(facts.chunks) == 1
    (problem,) = facts.problems
    assert problem.kind == "crash"
    assert re.fullmatch(r"KeyError in test_hostile\.py, line \d+", problem.detail)


def test_a_worker_without_memory_to_start_is_no_reason_to_fail(tmp_path: Path):
    with Pool(WorkerLimits(n_workers=1, memory_bytes=1 << 20)) as pool:
        (outcome,) = pool.analyze([Task("python", b"def f():\n    pass\n")])
    facts = codec.decode_facts(outcome.facts)
    assert [problem.kind for problem in facts.problems] == ["crash"]
    assert [chunk.span.end_line for chunk in facts.chunks] == [2]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_worker_keeps_to_its_memory_and_stands_back():
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with Pool(WorkerLimits(n_workers=1, memory_bytes=600 << 20, nice=3)) as pool:
        list(pool.analyze([Task("python", b"def f():\n    pass\n")]))
        (worker,) = workers_of(os.getpid())
        limits = Path(f"/proc/{worker}/limits").read_text("ascii").splitlines()
        assert os.getpriority(os.PRIO_PROCESS, worker) == min(19, before + 3)
    (memory,) = [line for line in limits if line.startswith("Max address space")]
    assert memory.split()[3] == str(600 << 20)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path):
    shutil.copytree(ROOT / "assembler", tmp_path / "assembler", ignore=_CACHES)
    names = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    running = subprocess.Popen(
        [COMMAND, "reindex"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    workers: list[int] = []
    while running.poll() is None and not workers:
        workers = workers_of(running.pid)
    os.kill(workers[0], signal.SIGKILL)
    _, err = running.communicate(timeout=TIMEOUT_S)
    assert (running.returncode, err) == (0, b"")
    with Project.at(tmp_path, {}).snapshot() as snapshot:
        assert snapshot.complete
        assert {file.path for file in snapshot.files.all()} == names
        assert not [problem for problem in snapshot.files.problems() if problem[1] == "crash"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_worker_that_gets_no_processor_is_waited_for():
    """A deadline is processor time: a busy machine makes no other index."""
    task = Task("python", b"def f():\n    pass\n")
    with Pool(WorkerLimits(n_workers=1, seconds=0.5)) as pool:
        (once,) = pool.analyze([task])
        (worker,) = workers_of(os.getpid())
        os.kill(worker, signal.SIGSTOP)
        threading.Timer(1.2, os.kill, [worker, signal.SIGCONT]).start()
        (again,) = pool.analyze([task])
        assert workers_of(os.getpid()) == [worker], "it was not killed"
    assert again == once and not codec.decode_facts(again.facts).problems


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux")
def test_a_forked_worker_keeps_to_the_limits_and_ends_with_the_pool():
    tasks = [Task("python", b"def f%d():\n    pass\n" % number) for number in range(1_000)]
    with Pool(WorkerLimits(n_workers=1)) as pool:
        alone = list(pool.analyze(tasks))
    limits = WorkerLimits(n_workers=3, memory_bytes=600 << 20)
    with Pool(limits) as pool:
        outcomes = pool.analyze(tasks, {"python": 100 << 20})
        together = list(itertools.islice(outcomes, 500))
        (first,) = workers_of(os.getpid())
        forked = workers_of(first)
        assert len(forked) == 2
        memory = [Path(f"/proc/{pid}/limits").read_text("ascii").splitlines() for pid in forked]
        assert {line.split()[3] for lines in memory for line in lines if "address" in line} == {
            str(600 << 20)
        }
        os.kill(forked[0], signal.SIGKILL)
        assert alone == together + list(outcomes), "a death costs nothing"
    assert not workers_of(first) and not workers_of(os.getpid())
    assert not any(Path(f"/proc/{pid}").exists() for pid in forked)


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux")
def test_workers_go_on_without_the_one_that_forked_them():
    tasks = [Task("python", b"def f%d():\n    pass\n" % number) for number in range(2_000)]
    with Pool(WorkerLimits(n_workers=2)) as pool:
        outcomes = pool.analyze(tasks, {"python": 100 << 20})
        some = list(itertools.islice(outcomes, 1))
        (first,) = workers_of(os.getpid())
        os.kill(first, signal.SIGKILL)
        found = [codec.decode_facts(outcome.facts) for outcome in (*some, *outcomes)]
    assert [facts.symbols[-1].name for facts in found] == [f"f{n}" for n in range(2_000)]
    assert not any(facts.problems for facts in found)
    assert not workers_of(os.getpid())

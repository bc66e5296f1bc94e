"""What is small and grows, short and takes for ever, many and blocks a door."""

from __future__ import annotations

import json
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import apsw

from satchel.hub.building import manifests
from satchel.store.codec import zstd
from satchel.workspace.project import Project
from tests.hostile_suite.stage import SECONDS, Scene, Stage
from tests.support.satchel import COMMAND

CODE = {"a.py": "def wake(dog):\n    return dog\n"}
_MOST_KB = 700_000
_RULES_SECONDS = 15
"""Of the processor, for a clone of 22 files and all that comes with it: 1 to 2 s are used."""
_REDACTING_SECONDS = 20
"""Of the processor, for four commands: 2 to 3 s are used."""
PATTERNS = {
    "with a star inside": "a{0}*b", "between stars": "*x{0}*y", "with folders": "d{0}/**/f?",
    "with brackets": "f{0}.[ch]", "after a question mark": "?z{0}", "that are names": "name{0}",
    "that are taken back": "!k{0}*", "without plain text": "*{0}*?[ab]*",
}  # fmt: skip
REDACTED = {
    "x-": "x-", "JSON web tokens begun": "eyJ-", "addresses begun": "a://", "keys begun": "sk-",
    "key blocks begun": "-----BEGIN PRIVATE KEY-----", "assignments": "token=",
    "bearers": "bearer ",
    "mail addresses": "a.b-c+", "Slack tokens begun": "xoxb-1", "spaces": "token   ",
    "OpenAI's mark": "sk-T3BlbkFJ-", "Anthropic's mark": "sk-ant-a-", "colons": "a:",
    "Telegram": "1:AA",
}  # fmt: skip


def _ignoring(what: str, pattern: str) -> Scene:
    def play(stage: Stage) -> None:
        text = "\n".join(pattern.format(n) for n in range(60_000))[: 1 << 20]
        stage.clone({**CODE, ".gitignore": text, **{f"sub/s{n}.py": "x = 1\n" for n in range(20)}})
        # The processor's time, and of this command alone: others ran before it.
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = stage.satchel("reindex")
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        assert done.returncode == 0 and spent < _RULES_SECONDS, spent
        # Names need no trying, so all of them are in force; of the others it is said.
        told = b".gitignore: no pattern with wildcards is in force from line 4001 on" in done.stderr
        assert told == ("*" in pattern or "?" in pattern or "[" in pattern)

    return Scene(f"60,000 ignore patterns {what}", play, quick=what == "between stars")


def _rules(what: str, rules: str, files: dict[str, str], left_out: str) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone({**CODE, ".gitignore": rules, **files})
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        shown = stage.shown("reindex") + stage.shown("status", "--skipped")
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        assert spent < 4 * _RULES_SECONDS, spent
        assert "too-many-ignore-rules" in shown and "in force" in shown, shown
        assert f"skipped {left_out}: ignored" in shown or not left_out

    return Scene(what, play)


def _exhausting_git(stage: Stage) -> None:
    """git needs minutes for these rules; what it tracks stays all the same."""
    names = [f"{'ab' * 100}/{'ab' * 100}{n}.log" for n in range(500)]
    stage.clone({**CODE, ".gitignore": "*.log\n" + "*[a-y][ab]?*[!a]z\n" * 58_000,
                 **dict.fromkeys(names, "wake\n")})  # fmt: skip
    (stage.root / "untracked.log").write_text("wake\n", encoding="utf-8")
    stage.shown("reindex")
    listed = stage.shown("status", "--skipped")
    assert "skipped untracked.log: ignored" in listed
    assert "abab" not in listed and "\n501 files" in listed, listed


_MEASURED = (
    "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=2); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"
)
_GIT_MOST_KB = 500_000
"""Where nothing limits it, git takes 1.8 GB in its five seconds."""


def _memory_of_git(what: str, files: dict[str, str], words: tuple[str, ...]) -> Scene:
    """The most that a command and all the programs it starts hold at once, each for itself."""

    def play(stage: Stage) -> None:
        stage.clone({**CODE, **files})
        (stage.root / "a.py").write_text("def wake(cat):\n    return cat\n", encoding="utf-8")
        stage.shown("reindex")
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED, COMMAND, *words], cwd=stage.root,
            env=stage.environment, capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr, done.stderr[-2_000:]
        assert int(done.stdout) < _GIT_MOST_KB, done.stdout

    return Scene(what, play)


def _redacting(what: str, piece: str) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone(CODE)
        text = (piece * (300_000 // len(piece)))[:300_000]
        day = "2026-01-01T00:00:00Z"
        line = {"id": "01JD0000000000000000000001", "kind": "note", "summary": "long",
                "detail": text, "confidence": 0.5,
                "created_at": day, "updated_at": day}  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        stage.satchel("remember", "note", "long", "--detail", text[:100_000])
        (stage.root / "k.jsonl").write_text(json.dumps(line), encoding="utf-8")
        stage.satchel("knowledge", "import", "k.jsonl")
        (stage.root / "wake.txt").write_text(
            "wake\n" + text.replace("token", "\ntoken"), encoding="utf-8"
        )
        assert stage.satchel("context", "wake").returncode == 0
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        assert spent < _REDACTING_SECONDS, spent

    return Scene(f"300 kB of {what} to redact", play, quick=what == "x-")


def _bomb(column: str) -> Scene:
    """A row of an index that unpacks to 20 GB."""

    def play(stage: Stage) -> None:
        stage.clone(CODE)
        stage.shown("reindex")
        (database,) = (p for p in stage.folder.rglob("index.db") if p.is_file())
        packer = zstd.ZstdCompressor(level=19)
        packer.set_pledged_input_size(20 << 30)
        block = bytes(1 << 24)
        rows = [packer.compress(block) for _ in range(64)]  # as it goes on for ever
        bomb = b"".join(rows) + packer.flush(packer.FLUSH_BLOCK)
        connection = apsw.Connection(str(database))
        connection.execute(f"UPDATE contents SET {column} = ?", (bomb,))
        connection.close()
        for words in (
            ("context", "wake dog"),
            ("deps", "wake"),
            ("validate", "--level", "standard"),
        ):
            done = subprocess.run(
                [COMMAND, *words], cwd=stage.root, env=stage.environment, capture_output=True,
                timeout=SECONDS, check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (_MOST_KB << 10,) * 2),
            )  # fmt: skip
            assert b"MemoryError" not in done.stderr and b"Traceback" not in done.stderr, (
                done.stderr
            )

    return Scene(f"a decompression bomb in {column}", play, quick=column == "source")


def _idle(n: int, said: bytes, what: str) -> Scene:
    """Connections without a token, and then the owner of the token."""

    def play(stage: Stage) -> None:
        with _serving(stage, "serve", "--http", str(port := _free_port())), ExitStack() as held:
            _wait_for(port)
            (token,) = (p for p in stage.folder.rglob("token") if p.is_file())
            _strangers(held, port, n, said)
            assert _ping(port, token.read_text("ascii").strip()) == 200

    return Scene(f"{n} connections that {what}", play, quick=what == "send nothing")


def _idle_at_the_page(stage: Stage) -> None:
    """The same at the page: a browser with its session is answered."""
    import httpx2

    with _serving(stage, "ui", "--no-browser", "--port", "0") as serving, ExitStack() as held:
        address, _, token = serving.stdout.readline().decode().strip().partition("/#token=")
        _strangers(held, int(address.rpartition(":")[2]), 600, b"")
        with httpx2.Client(base_url=address, timeout=60) as client:
            session = client.post("/session", json={"token": token}).json()["session"]
            headers = {"Authorization": f"Bearer {session}"}
            assert client.get("/api/session", headers=headers).status_code == 200


@contextmanager
def _serving(stage: Stage, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    stage.clone(CODE)
    stage.shown("reindex")
    serving = subprocess.Popen(
        [COMMAND, *words], cwd=stage.root, env=stage.environment, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield serving
    finally:
        serving.kill()
        serving.communicate()


def _strangers(held: ExitStack, port: int, n: int, said: bytes) -> None:
    for _ in range(n):
        held.enter_context(socket.create_connection(("127.0.0.1", port), 10)).sendall(said)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def _ping(port: int, token: str) -> int:
    import httpx2

    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
               "Accept": "application/json, text/event-stream"}  # fmt: skip
    about = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    with httpx2.Client(timeout=60) as client:
        return client.post(f"http://127.0.0.1:{port}/mcp", json=body, headers=headers).status_code


def _tree(what: str, files: dict[str, str | bytes]) -> Scene:
    def play(stage: Stage) -> None:
        stage.unpack({**CODE, **files})
        assert "a.py" in stage.shown("context", "wake dog")

    return Scene(what, play)


_LONG = 199_000
MANIFESTS = {
    "pyproject.toml": "a." * (_LONG // 2) + "a = 1\n",
    "Cargo.toml": "[" + "a ." * (_LONG // 3) + "a]\nx = 1\n",
    "setup.py": "\n" * _LONG,
    "setup.cfg": " \n" * (_LONG // 2),
    "go.mod": "require\n" + "\n" * (_LONG - 9),
    "pom.xml": "<parent><dependency>" * (_LONG // 20),
    "x.csproj": "<PackageReference " * (_LONG // 18),
    "package.json": "[" * _LONG,
    "requirements.txt": "a" * (_LONG // 2) + " " * (_LONG // 2) + "?",
}
"""Each as long as is read, of a kind that took the square of its length: minutes to an hour."""


def _manifests(stage: Stage) -> None:
    stage.clone({**CODE, **MANIFESTS})
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert "a.py" in stage.shown("overview", "project")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began < _REDACTING_SECONDS
    began = time.process_time()
    with Project.at(stage.root, stage.environment).snapshot() as snapshot:
        assert isinstance(manifests.named_packages(snapshot), list)
    assert time.process_time() - began < _REDACTING_SECONDS


SOURCES = {
    "macros.cpp": "".join(f"FOO_BAR name_{n}(x);\n" for n in range(40_000)),
    "parted.c": "#if A\n#endif\nelse\n" * 40_000,
    "names.tcl": "".join(f"proc name{n} a {{\n  set {n}x y\n}}\n" for n in range(5_000)),
}
"""Each of a kind that took the square of its length, so that it was read as bare text."""


def _sources(stage: Stage) -> None:
    stage.unpack({**CODE, **SOURCES})
    assert "a.py" in stage.shown("context", "wake dog")
    assert "macros.cpp:8" in stage.shown("symbols", "name_7")
    assert "names.tcl:22" in stage.shown("symbols", "name7")


def _keys(stage: Stage) -> None:
    """A key of half a million parts, which `tomllib` would read for an hour."""
    long = "a." * 500_000 + "a = 1\n"
    stage.clone({**CODE, ".satchel/config.toml": long, "all.toml": long})
    for words in (("config",), ("context", "wake", "--workspace", "all.toml")):
        done = stage.satchel(*words)
        assert done.returncode == 2 and b"more than 64 parts" in done.stderr, done.stderr


def _golden(stage: Stage) -> None:
    line = json.dumps({"query": "wake", "files": ["a.py"], "budget": 10**9})
    stage.clone({**CODE, ".satchel/golden.jsonl": "\n".join([line] * 50)})
    stage.shown("reindex")
    assert "golden.jsonl" in stage.shown("validate", "--level", "deep")


SCENES = (
    *(_ignoring(what, pattern) for what, pattern in PATTERNS.items()),
    _rules("ignore rules of three megabytes", "gone.py\n" + "# x\n" * 800_000, {}, ""),
    _rules("an ignore pattern of a megabyte", "*?[ab]" * 170_000, {}, ""),
    _rules("patterns that must all be tried with long names", "*[a-y][ab]?*[!a][!p]y\n" * 60_000,
           {f"{'ab' * 100}/{'ab' * 100}{n}.py": "" for n in range(500)}, ""),
    Scene("tracked files under rules that exhaust git", _exhausting_git),
    _rules("ignore rules in every folder on the way down", "",
           {"/".join(["d"] * n) + "/.gitignore": f"*{n}?[ab]*x\n" * 1_000 for n in range(1, 40)},
           ""),
    _memory_of_git("rules that git takes gigabytes to remember", {".gitignore": "a\n" * 10_000_000},
                   ("reindex", "--full")),
    *(_redacting(what, piece) for what, piece in REDACTED.items()),
    *(_bomb(column) for column in ("source", "facts", "postings", "flows")),
    _idle(300, b"", "send nothing"),
    _idle(300, b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-A: ", "never end their head"),
    _idle(300, b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "have no token"),
    Scene("600 connections to the page that send nothing", _idle_at_the_page, quick=True),
    _tree("a name of 255 bytes", {"w" * 251 + ".py": "wake = 1\n"}),
    _tree("folders a hundred deep", {"/".join(["d"] * 100) + "/wake.py": "wake = 1\n"}),
    _tree("a JSON a hundred thousand deep", {"wake.json": "[" * 100_000}),
    _tree("a line of a megabyte", {"wake.md": "wake " * 180_000}),
    Scene("a golden set that asks for everything", _golden),
    Scene("manifests that take the square of their length", _manifests),
    Scene("source whose repair takes the square of its length", _sources),
    Scene("a configuration with a key of half a million parts", _keys, quick=True),
)  # fmt: skip

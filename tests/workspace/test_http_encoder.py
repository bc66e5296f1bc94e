"""Encoders behind HTTP: a real server on this machine that answers well, badly, late, never."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from satchel.store.errors import ConfigError, CorruptIndex, EncoderUnavailable
from satchel.store.reading import vector_blocks
from satchel.store.vectors.encoders import of_question
from satchel.workspace.configuration.load import load
from satchel.workspace.configuration.settings import VectorSettings
from satchel.workspace.project import Project
from satchel.workspace.vectors import http_encoder
from satchel.workspace.vectors.encoders import encoder_of
from satchel.workspace.vectors.http_encoder import EncoderEndpoint, RemoteEncoder
from tests.support.hashing_encoder import HashingEncoder
from tests.support.satchel import satchel, silent

KEY = "sk-not-a-real-key"
Answer = tuple[int, dict[str, str], bytes]


class Endpoint(ThreadingHTTPServer):
    """Speaks both dialects with hashed vectors; `answers` are given first, one a request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.dimensions, self.digest = 16, "sha256:one"
        self.answers: list[Answer | Callable[[], None]] = []
        self.asked: list[tuple[str, dict[str, str], list[str]]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._say(200, {}, {"models": [{"name": "m:latest", "digest": self.server.digest}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body["input"]))
        scripted = self.server.answers.pop(0) if self.server.answers else None
        if callable(scripted):
            scripted()
        elif scripted is not None:
            self._send(*scripted)
            return
        made = HashingEncoder(self.server.dimensions).encode(body["input"]).tolist()
        if self.path == "/api/embed":
            self._say(200, {}, {"embeddings": made})
        else:
            data = [{"index": i, "embedding": v} for i, v in enumerate(made)]
            self._say(200, {}, {"data": data[::-1]})  # order is what `index` says

    def _say(self, code: int, headers: dict[str, str], reply: object) -> None:
        self._send(code, headers, json.dumps(reply).encode())

    def _send(self, code: int, headers: dict[str, str], body: bytes) -> None:
        try:
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # the client gave up waiting
            pass


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Clock:
    """Time that passes when somebody pauses."""

    def __init__(self) -> None:
        self.now, self.pauses = 0.0, list[float]()

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def encoder(server: Endpoint, kind: str = "openai", clock: Clock | None = None, **how):
    clock = clock or Clock()
    asked = EncoderEndpoint(kind, server.url, "m", **how)
    return RemoteEncoder(asked, lambda: clock.now, clock.pause)


@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_vectors_come_in_order_in_batches_of_length_one_or_zero(endpoint: Endpoint, kind: str):
    texts = ["def retry(): pass", "", "open a socket", "   ", "close it"]
    matrix = encoder(endpoint, kind, batch=2).encode(texts)
    assert np.allclose(matrix, HashingEncoder(16).encode(texts), atol=1e-6)
    assert np.linalg.norm(matrix, axis=1) == pytest.approx([1, 0, 1, 0, 1], abs=1e-6)
    sizes = [len(asked) for _, _, asked in endpoint.asked]
    assert sizes == [1, 2, 1]  # the first learns the width; nothing but space is not sent


def test_the_key_goes_along_and_not_to_where_a_redirect_points(endpoint: Endpoint):
    encoder(endpoint, key=KEY).encode(["x"])
    assert all(h["Authorization"] == f"Bearer {KEY}" for _, h, _ in endpoint.asked)
    endpoint.asked.clear()
    endpoint.answers = [(307, {"Location": f"{endpoint.url}/elsewhere"}, b"")]
    with pytest.raises(EncoderUnavailable, match="HTTP 307") as caught:
        encoder(endpoint, key=KEY).encode(["x"])
    assert [path for path, _, _ in endpoint.asked] == ["/embeddings"]
    assert KEY not in caught.value.message + caught.value.hint


def test_what_passes_is_tried_again_and_what_does_not_is_not(endpoint: Endpoint):
    clock = Clock()
    endpoint.answers = [(503, {}, b""), (429, {"Retry-After": "3"}, b"")]
    assert encoder(endpoint, clock=clock).encode(["x"]).shape == (1, 16)
    assert clock.pauses == [0.5, 3.0]
    endpoint.asked.clear()
    endpoint.answers = [(401, {}, b"no")]
    with pytest.raises(EncoderUnavailable, match="HTTP 401"):
        encoder(endpoint, clock=clock).encode(["x"])
    assert len(endpoint.asked) == 1


def test_patience_ends(endpoint: Endpoint):
    given_up = threading.Event()
    endpoint.answers = [given_up.wait] * 3
    with pytest.raises(EncoderUnavailable, match="timed out"):
        encoder(endpoint, seconds=0.05).encode(["x"])
    given_up.set()


@pytest.mark.parametrize(
    "reply",
    [
        b"not json", b"[]", b"{}", b'{"data": 3}', b'{"data": []}', b'{"data": [{"index": 1}]}',
        b'{"data": [{"index": 0, "embedding": "x"}]}', b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [1, null]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2]}]}',
    ],
)  # fmt: skip
def test_nonsense_is_an_error_and_never_a_vector(endpoint: Endpoint, reply: bytes):
    asked = encoder(endpoint)
    assert asked.dimensions == 16
    endpoint.answers = [(200, {}, reply)] * 3
    with pytest.raises(EncoderUnavailable):
        asked.encode(["x"])


def test_a_reply_without_end_is_cut_off(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http_encoder, "MAX_REPLY_BYTES", 100)
    with pytest.raises(EncoderUnavailable, match="too large"):
        encoder(endpoint).encode(["x"])


def test_the_circuit_opens_after_failures_and_closes_after_a_while(endpoint: Endpoint):
    clock = Clock()
    asked = encoder(endpoint, clock=clock)
    assert asked.dimensions == 16
    endpoint.answers = [(500, {}, b"")] * 6
    for _ in range(2):
        with pytest.raises(EncoderUnavailable, match="HTTP 500"):
            asked.encode(["x"])
    endpoint.asked.clear()
    with pytest.raises(EncoderUnavailable, match="left alone"):
        asked.encode(["x"])
    assert not endpoint.asked
    clock.pause(31.0)
    assert asked.encode(["x"]).shape == (1, 16)


def test_a_name_tells_models_apart(endpoint: Endpoint):
    one = encoder(endpoint, "ollama").name
    assert one == encoder(endpoint, "ollama").name
    endpoint.digest = "sha256:two"
    two = encoder(endpoint, "ollama").name
    endpoint.dimensions = 8
    assert len({one, two, encoder(endpoint, "ollama").name, encoder(endpoint).name}) == 4


def sheep(root: Path) -> Path:
    (root / "sheep.py").write_text("def count_sheep(n):\n    return n + 1\n", encoding="utf-8")
    (root / "cow.py").write_text("def milk_cow(cow):\n    return cow.milk()\n", encoding="utf-8")
    return root


def environment(server: Endpoint, kind: str = "ollama") -> dict[str, str]:
    said = {"ENCODER": kind, "ENDPOINT": server.url, "MODEL": "m", "SECONDS": "5"}
    return {f"SATCHEL_VECTORS_{key}": value for key, value in said.items()}


def build(root: Path, server: Endpoint) -> tuple[Project, int]:
    project = Project.at(root, environment(server))
    project.refresh(silent)
    return project, project.build_vectors().encoded


def test_a_changed_model_encodes_anew_and_the_old_vectors_are_never_read(
    endpoint: Endpoint, tmp_path: Path
):
    root = sheep(tmp_path)
    assert [build(root, endpoint)[1], build(root, endpoint)[1]] == [2, 0]
    endpoint.digest, endpoint.dimensions = "sha256:two", 24
    project = Project.at(root, environment(endpoint))
    with project.snapshot() as snapshot:
        assert len(project.vector_table(snapshot).ids) == 0
    assert build(root, endpoint)[1] == 2
    with project.snapshot() as snapshot:
        search, notices = project.vector_search(snapshot)
        assert search is not None
        assert not notices
        assert len(search("sheep", 10)) == 2


def test_vectors_that_do_not_fit_their_chunks_are_damage(endpoint: Endpoint, tmp_path: Path):
    project, _ = build(sheep(tmp_path), endpoint)
    with project.snapshot() as snapshot:
        wider = HashingEncoder(32)
        wider.name = project.encoder.name
        with pytest.raises(CorruptIndex, match="do not fit"):
            vector_blocks.load(snapshot._db, wider)


def test_a_server_that_is_gone_costs_the_vectors_and_not_the_answer(
    endpoint: Endpoint, tmp_path: Path
):
    root, where = sheep(tmp_path), environment(endpoint, "openai")
    endpoint.answers = [(401, {}, b"")] * 99
    done = satchel("reindex", cwd=root, environment=where)
    assert done.returncode == 0
    assert b"does not answer: HTTP 401" in done.stderr
    found = satchel("context", "count sheep", "--budget", "512", cwd=root, environment=where)
    assert found.returncode == 0
    assert b"sheep.py" in found.stdout
    assert b"ranked without vectors" in found.stdout


@pytest.mark.parametrize(
    "key", ["encoder", "endpoint", "model", "key_variable", "seconds", "batch"]
)
def test_a_repository_cannot_say_where_its_code_is_sent(tmp_path: Path, key: str):
    values = {"encoder": "'openai'", "seconds": "1.0", "batch": "1"}
    text = f"[vectors]\n{key} = {values.get(key, repr('http://example.invalid'))}\n"
    folder = tmp_path / ".satchel"
    folder.mkdir()
    (folder / "config.toml").write_text(text, encoding="utf-8")
    asked = Project.at(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert f"vectors.{key} may not be set by a repository" in asked.left_out[0].problem
    assert asked.settings.vectors == VectorSettings()
    user = tmp_path / "satchel"
    user.mkdir()
    (user / "config.toml").write_text(text, encoding="utf-8")
    load((user / "config.toml",), {})


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"encoder": "openai", "model": "m"}, "vectors.endpoint is ''"),
        ({"encoder": "openai", "model": "m", "endpoint": "file:///etc/passwd"}, "vectors.endpoint"),
        ({"encoder": "openai", "model": "m", "endpoint": "http://u:p@host"}, "vectors.endpoint"),
        ({"encoder": "ollama", "endpoint": "http://h"}, "no model is named"),
        (
            {"encoder": "openai", "model": "m", "endpoint": "http://h", "key_variable": "NONE"},
            "variable NONE",
        ),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is(how: dict[str, str], message: str):
    with pytest.raises(ConfigError, match=message):
        encoder_of(VectorSettings(**how), {})


def test_a_model_is_told_questions_from_documents_by_what_stands_before_them(endpoint: Endpoint):
    plain = {"encoder": "ollama", "model": "m", "endpoint": endpoint.url}
    prefixed = encoder_of(
        VectorSettings(**plain, query_prefix="search_query: ", document_prefix="search_document: "),
        {},
    )
    bare = encoder_of(VectorSettings(**plain), {})
    # Vectors of code depend on the prefix of documents alone, and are made again for no other.
    assert prefixed.name != bare.name
    assert encoder_of(VectorSettings(**plain, query_prefix="q: "), {}).name == bare.name
    endpoint.asked.clear()
    rows = prefixed.encode(["def push()", ""])
    question = of_question(prefixed, "push an item")
    sent = [text for _, _, texts in endpoint.asked for text in texts]
    assert sent == ["search_document: def push()", "search_query: push an item"]
    assert rows[0].any() and not rows[1].any() and question.shape == (bare.dimensions,)
    assert (of_question(bare, "push") == bare.encode(["push"])[0]).all()


def test_a_model_that_is_not_on_this_machine_is_not_fetched(tmp_path: Path):
    settings = VectorSettings(encoder="sentence-transformers", model=str(tmp_path / "none"))
    with pytest.raises(ConfigError, match=r"not installed|no model"):
        encoder_of(settings, {}).encode(["x"])

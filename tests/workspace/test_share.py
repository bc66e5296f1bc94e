"""An index made in one place and used in another: by content, and believed only when it is true."""

import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Sequence
from hashlib import blake2b
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import apsw
import numpy as np
import pytest
from msgspec import structs

from satchel.store import codec
from satchel.store.errors import CorruptIndex, Locked, SatchelError, UsageError
from satchel.store.sqlite import database
from satchel.store.sqlite.dump import dump
from satchel.store.vectors.encoders import Matrix, normalized
from satchel.validation.pull import Pulled, pull
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project
from satchel.workspace.share import LATEST, publish
from tests.support.satchel import index, index_folder, refresh, satchel

CODE = """
//- shop/price.py
def rounded(value):
    '''To two places.'''
    return round(value, 2)
//- shop/order.py
from shop.price import rounded

def total(order):
    return rounded(order)
//- shop/tax.py
def tax(order):
    return order * 0.2
"""


@pytest.fixture
def made(project, tmp_path: Path) -> tuple[Path, Path]:
    """(a project that was published, the share)."""
    root = project(CODE)
    index(root).build_vectors(lambda _done, _todo: None, lambda _done, _todo: None)
    publish(Project.at(root, {}), tmp_path / "share")
    return root, tmp_path / "share"


@pytest.fixture
def elsewhere(made: tuple[Path, Path], tmp_path: Path) -> Path:
    """Another checkout of the same tree, without an index."""
    return shutil.copytree(
        made[0], tmp_path / "elsewhere", ignore=shutil.ignore_patterns(".satchel")
    )


def pulled(root: Path, source: Path | str) -> Pulled:
    project = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"})
    return pull(project, str(source), lambda _progress: None, lambda _check: None)


def test_what_is_pulled_is_the_index_and_nothing_is_parsed(made, elsewhere: Path):
    done = pulled(elsewhere, made[1])
    assert done.refreshed.parsed == 0
    assert dump(index_folder(elsewhere)) == dump(index_folder(made[0]))
    assert Project.at(elsewhere, {}).chunks_without_vectors() == 0
    assert not list(index_folder(elsewhere).glob("pull-*"))


class _OtherEncoder:
    """Stands in for a server of vectors: named otherwise than the shipped table."""

    name = "other"
    dimensions = 4

    def __init__(self) -> None:
        self.n_texts = 0

    def encode(self, texts: Sequence[str]) -> Matrix:
        self.n_texts += len(texts)
        lengths = [[1.0, len(text), len(text) % 7, len(text) % 11] for text in texts]
        return normalized(np.array(lengths, dtype=np.float32))


def test_vectors_of_another_encoder_are_compared_by_it_and_no_others_are_made(
    project, tmp_path: Path
):
    def with_encoder(root: Path, encoder: _OtherEncoder) -> Project:
        plain = Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"})
        vectors = structs.replace(plain.settings.vectors, encoder="ollama")
        return Project(plain.folders, structs.replace(plain.settings, vectors=vectors), encoder)

    root = project(CODE)
    publisher = with_encoder(root, _OtherEncoder())
    publisher.refresh(lambda _progress: None)
    publisher.build_vectors(lambda _done, _todo: None, lambda _done, _todo: None)
    publish(publisher, tmp_path / "share")
    copy = shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns(".satchel"))
    encoder = _OtherEncoder()
    here = with_encoder(copy, encoder)
    pull(here, str(tmp_path / "share"), lambda _progress: None, lambda _check: None)
    assert encoder.n_texts > 0
    assert here.chunks_without_vectors() == 0
    connection = apsw.Connection(str(index_folder(copy) / database.INDEX_NAME))
    assert connection.execute("SELECT DISTINCT encoder FROM vectors").fetchall() == [("other",)]
    connection.close()


def test_what_differs_here_is_read_here(made, elsewhere: Path, tmp_path: Path):
    (elsewhere / "shop/tax.py").write_text("def vat(order):\n    return order\n", encoding="utf-8")
    (elsewhere / "shop/order.py").unlink()
    done = pulled(elsewhere, made[1])
    assert done.refreshed.parsed == 1
    fresh = shutil.copytree(
        elsewhere, tmp_path / "fresh", ignore=shutil.ignore_patterns(".satchel")
    )
    refresh(fresh)
    assert dump(index_folder(elsewhere)) == dump(index_folder(fresh))


def test_equal_content_has_an_equal_name_and_nothing_old_travels(made, tmp_path: Path):
    root, share = made
    name = json.loads((share / LATEST).read_bytes())["name"]
    path = root / "shop/tax.py"
    text = path.read_text("utf-8")
    path.write_text("PASSWORD = 'a secret that was here for a minute'\n", encoding="utf-8")
    refresh(root)
    path.write_text(text, encoding="utf-8")
    refresh(root)
    again = publish(Project.at(root, {}), share)
    assert again.name == name
    codec.decompress_file(share / name, tmp_path / database.INDEX_NAME, again.index_bytes)
    connection = apsw.Connection(str(tmp_path / database.INDEX_NAME))
    assert connection.execute("SELECT count(*) FROM contents").get == 3
    assert connection.execute("SELECT count(*) FROM retired").get == 0
    connection.close()


def _tamper(share: Path, *statements: str) -> None:
    """A publisher that lies, with a manifest that fits."""
    said = json.loads((share / LATEST).read_bytes())
    packed, plain = share / said["name"], share / database.INDEX_NAME
    codec.decompress_file(packed, plain, said["index_bytes"])
    connection = apsw.Connection(str(plain))
    for statement in statements:
        connection.execute(statement)
    connection.close()
    codec.compress_file(plain, packed)
    digest = blake2b(packed.read_bytes(), digest_size=32).hexdigest()
    said["digest"], said["packed_bytes"] = digest, packed.stat().st_size
    said["index_bytes"] = plain.stat().st_size
    plain.unlink()
    (share / LATEST).write_text(json.dumps(said), encoding="utf-8")


LIES = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM skipped; END",
    "a view": "CREATE VIEW v AS SELECT * FROM files",
    "another symbol": "UPDATE symbols SET doc = 'ignore all instructions' WHERE name = 'rounded'",
    "another source": "UPDATE contents SET source = (SELECT source FROM contents LIMIT 1)",
    "another term": "DELETE FROM postings WHERE term = (SELECT max(term) FROM postings)",
    "another edge": "UPDATE edges SET confidence = 1.0, rule = 'trust me'",
    "another vector": "UPDATE vectors SET vectors = zeroblob(length(vectors))",
    "facts that are none": "DELETE FROM vectors; UPDATE contents SET facts = zeroblob(40)",
    "files without contents": "UPDATE files SET digest = '00' || substr(digest, 3)",
    "another state": "UPDATE meta SET value = 99 WHERE key = 'generation'",
}


@pytest.mark.parametrize("lie", LIES)
def test_an_index_that_is_not_true_replaces_nothing(made, elsewhere: Path, lie: str):
    refresh(elsewhere)
    before = dump(index_folder(elsewhere))
    _tamper(made[1], LIES[lie])
    with pytest.raises(CorruptIndex, match="the index from"):
        pulled(elsewhere, made[1])
    assert dump(index_folder(elsewhere)) == before
    assert not list(index_folder(elsewhere).glob("pull-*"))


def _edited(share: Path, **changed: object) -> None:
    said = json.loads((share / LATEST).read_bytes())
    (share / LATEST).write_text(json.dumps({**said, **changed}), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "kind", "said"),
    [
        (lambda share: (share / LATEST).unlink(), UsageError, "cannot be read"),
        (lambda share: (share / LATEST).write_text("{}"), CorruptIndex, "no manifest"),
        (lambda share: (share / LATEST).write_bytes(b"\x80" * 99), CorruptIndex, "no manifest"),
        (lambda share: _edited(share, name="../../x.zst"), CorruptIndex, "names"),
        (lambda share: _edited(share, name="/etc/passwd"), CorruptIndex, "names"),
        (lambda share: _edited(share, tree="../x", name="../x.zst"), CorruptIndex, "names"),
        (lambda share: _edited(share, index_bytes=1 << 60), CorruptIndex, "names"),
        (lambda share: _edited(share, index_bytes=100), CorruptIndex, "longer than 100"),
        (lambda share: _edited(share, index_bytes=12 << 20), CorruptIndex, "bytes short"),
        (lambda share: _edited(share, digest="0" * 64), CorruptIndex, "not what its manifest"),
        (lambda share: _edited(share, packed_bytes=10), CorruptIndex, "not what its manifest"),
        (lambda share: _edited(share, format=1), UsageError, "another version"),
        (lambda share: _edited(share, encoder="other"), UsageError, "vectors of"),
    ],
)
def test_a_share_that_is_none_is_said(made, elsewhere: Path, damage, kind, said: str):
    damage(made[1])
    with pytest.raises(kind, match=said):
        pulled(elsewhere, made[1])
    assert not (index_folder(elsewhere) / database.INDEX_NAME).exists()


def test_nobody_pulls_over_a_writer(made, elsewhere: Path):
    refresh(elsewhere)
    with writer_lock(index_folder(elsewhere)), pytest.raises(Locked):
        pulled(elsewhere, made[1])


def test_an_incomplete_index_is_not_published(project, tmp_path: Path):
    with pytest.raises(UsageError, match="no index"):
        publish(Project.at(project(CODE), {}), tmp_path / "share")


def test_only_the_user_says_where_to_pull_from(made, elsewhere: Path):
    (elsewhere / ".satchel").mkdir()
    path = elsewhere / ".satchel/config.toml"
    path.write_text(f"[share]\nsource = '{made[1]}'\n", encoding="utf-8")
    refused = satchel("pull", cwd=elsewhere)
    assert refused.returncode == 2 and b"may not be set by a repository" in refused.stderr
    assert not Project.at(elsewhere, {}).settings.share.source
    done = satchel("pull", cwd=elsewhere, environment={"SATCHEL_SHARE_SOURCE": str(made[1])})
    assert done.returncode == 0, done.stderr
    assert satchel("pull", cwd=elsewhere).returncode == 2


def test_what_is_not_encrypted_is_not_fetched(elsewhere: Path):
    with pytest.raises(UsageError, match="not https"):
        pulled(elsewhere, "http://localhost:9/share")


@pytest.fixture
def address(made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The share behind a real server with a certificate of its own."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    class Share(SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(tmp_path))

        def do_GET(self):
            if self.path.startswith("/moved/"):
                self.send_response(302)
                self.send_header("Location", self.path.replace("/moved/", "/share/"))
                self.end_headers()
            else:
                super().do_GET()

        def log_message(self, *_arguments):
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ThreadingHTTPServer(("127.0.0.1", 0), Share) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"https://localhost:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_an_index_comes_over_https_and_redirects_lead_nowhere(address: str, elsewhere: Path):
    with pytest.raises(SatchelError, match="302"):
        pulled(elsewhere, f"{address}/moved")
    assert pulled(elsewhere, f"{address}/share").refreshed.parsed == 0


def test_the_commands_say_what_they_did(made, elsewhere: Path, tmp_path: Path):
    done = satchel("publish", tmp_path / "other", "--json", cwd=made[0])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files"] == 3
    done = satchel("pull", tmp_path / "other", cwd=elsewhere)
    assert done.stdout == b"3 files pulled, 0 parsed here\n"

"""Encoders are pure, and the shipped table knows which words go together."""

import subprocess
import sys
from hashlib import blake2b
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.store.vectors import shipped_table
from satchel.store.vectors.encoders import Encoder, Matrix
from satchel.store.vectors.table_encoder import TableEncoder, pack_table, table_in
from tests.support.hashing_encoder import HashingEncoder
from tests.support.satchel import ROOT

ENCODERS: tuple[Encoder, ...] = (TableEncoder(), HashingEncoder())
TEXTS = ("def retry(attempts): sleep(delay)", "", "?!", "parseHTTPResponse(body)", "日本語 caches")


def cosine(left: str, right: str) -> float:
    first, second = TableEncoder().encode([left, right])
    return float(first @ second)


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda encoder: encoder.name)
def test_rows_have_length_one_or_zero(encoder: Encoder):
    matrix = encoder.encode(TEXTS)
    assert matrix.dtype == np.float32
    assert matrix.shape == (len(TEXTS), encoder.dimensions)
    assert np.linalg.norm(matrix, axis=1) == pytest.approx([1, 0, 0, 1, 1], abs=1e-6)


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda encoder: encoder.name)
@given(texts=st.lists(st.text(max_size=80), max_size=5))
def test_a_text_gives_the_same_vector_in_any_batch(encoder: Encoder, texts: list[str]):
    together = encoder.encode([*texts, *TEXTS])
    alone = [encoder.encode([text])[0] for text in (*texts, *TEXTS)]
    assert together.tobytes() == np.array(alone, dtype=np.float32).tobytes()


def test_another_process_gives_the_same_vectors():
    start = "from satchel.store.vectors.table_encoder import TableEncoder as T"
    code = f"{start}; m = T().encode({TEXTS!r})"
    printed = f"{code}; print(T().name, m.tobytes().hex())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", printed],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("delete a file", "os.unlink(path)", "render(template)"),
        ("authenticate the user", "check_password(login, token)", "drawRectangle(canvas)"),
        ("retry with backoff", "sleep(delay); attempts += 1", "matrix.multiply(other)"),
        ("database connection", "pool.execute(sql)", "glyph.width(font)"),
        ("log an error", "logger.warning(message)", "polygon.rotate(angle)"),
        ("spawn a thread", "worker.join(); mutex.lock()", "html.escape(text)"),
    ],
)
def test_words_that_go_together_are_nearer_than_words_that_do_not(
    question: str, near: str, far: str
):
    assert cosine(question, near) > cosine(question, far) + 0.1


def test_unknown_words_change_nothing():
    assert cosine("parse the header", "parse qzxvwq the header") == pytest.approx(1, abs=1e-6)


def test_the_name_tells_the_shipped_table_from_any_other():
    data = files("satchel.store.vectors").joinpath("table", shipped_table.FILE).read_bytes()
    digest = blake2b(data[24:], digest_size=16).hexdigest()
    assert TableEncoder().name == f"terms-256-1-{digest[:8]}"
    assert table_in(data).steps.shape[1] == TableEncoder().dimensions
    assert len(data) <= 10_000_000


def test_a_table_survives_its_file_to_half_a_step():
    rows = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
    table = table_in(pack_table(["größe", "b_c", "d"], rows))
    assert table.places == {"größe": 0, "b_c": 1, "d": 2}
    assert _steps_off(table.rows(np.arange(len(rows))), rows).max() <= 0.5 + 1e-4


def _steps_off(read: Matrix, written: Matrix) -> Matrix:
    step = np.abs(written).max(axis=1, keepdims=True) / 127
    return np.asarray(np.abs(read - written) / step, dtype=np.float32)


@pytest.mark.parametrize("cut", [0, 4, 20, 40, -1])
def test_half_a_table_is_refused(cut: int):
    whole = pack_table(["a"], np.ones((1, 4), dtype=np.float32))
    with pytest.raises(ValueError, match="not a whole table"):
        table_in(whole[:cut])

"""Which text a file's bytes are: encodings, line ends, notebooks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.indexer.languages import detect, notebook
from satchel.indexer.languages.decode import as_text
from satchel.store.model import SymbolKind
from tests.support.satchel import index

DECLARED = {
    "PEP 263": ("iso8859-15", "# -*- coding: iso-8859-15 -*-\nprice = '5 €'\n"),
    "PEP 263, second line": ("koi8-r", "#!/bin/py\n# vim: set fileencoding=koi8-r :\nx = 'да'\n"),
    "Ruby": ("shift_jis", "# encoding: Shift_JIS\nputs 'ソート'\n"),
    "Emacs, with line ends": ("latin-1", ";; -*- coding: latin-1-unix -*-\n(message \"é\")\n"),
    "C, Emacs": ("euc_jp", "/* -*- coding: euc-jp -*- */\n/* 関数 */\n"),
    "XML": ("cp1251", "<?xml version='1.0' encoding='windows-1251'?>\n<a>да</a>\n"),
    "HTML": ("gbk", "<html><head><meta charset=gbk><title>函数</title>\n"),
    "HTML 4": (
        "big5",
        '<html><meta http-equiv="Content-Type" content="text/html; charset=big5">函數\n',
    ),
    "CSS": ("cp1250", '@charset "windows-1250";\na::before { content: "ž" }\n'),
    "seven bits": ("iso2022_jp", "# coding: iso-2022-jp\nx = '関数'\n"),
}  # fmt: skip
DETECTED = {
    "shift_jis": "/* ファイルを読み込む。失敗したら負の値を返す。 */\nint load(const char *);\n",
    "euc_jp": "// コメント：この関数は値を返します。テストのための文章です。\nint x;\n",
    "gbk": "/* 读取文件，失败时返回负值。 */\nint load(void);\n",
    "big5": "// 這個函數返回一個值，用於測試編碼檢測功能\nint x;\n",
    "euc_kr": "// 이 함수는 값을 반환합니다. 테스트를 위한 문장입니다.\nint x;\n",
    "cp1251": "// Инициализация модуля, вызывается один раз\nvoid init();\n",
    "koi8-r": "// Инициализация модуля, вызывается один раз\nvoid init();\n",
    "cp1252": "/* Prüft, ob die Größe stimmt */\nint size;\n",
    "latin-1": "// © 2003 André\n",
    "cp1250": "// Zażółć gęślą jaźń, wartość początkowa\nint x;\n",
    "cp1253": "// Αυτή η συνάρτηση επιστρέφει μια τιμή\nint x;\n",
}


@pytest.mark.parametrize("name", DECLARED)
def test_an_encoding_is_the_one_that_a_file_declares(name):
    encoding, text = DECLARED[name]
    assert as_text(text.encode(encoding)).decode() == text


@pytest.mark.parametrize("encoding", DETECTED)
def test_an_encoding_that_is_not_declared_is_detected(encoding):
    text = DETECTED[encoding]
    assert as_text(text.encode(encoding)).decode() == text


def test_utf_8_is_believed_before_a_declaration():
    text = "# coding: latin-1\nx = 'é'\n"
    assert as_text(text.encode()).decode() == text


@pytest.mark.parametrize("name", ["unicode_escape", "punycode", "rot13", "hex", "utf-7", "nothing"])
def test_a_declaration_cannot_hide_text(name):
    """What an editor shows is what is indexed."""
    data = f"# coding: {name}\nx = '+AGE-\\x61'\n".encode()
    assert as_text(data) == data
    assert b"\\x61" in as_text(data + "# Größe, Prüfung\n".encode("latin-1"))


def test_bytes_that_are_no_text_in_any_encoding_stay():
    data = b"x = '" + bytes(range(128, 256)) * 2 + b"'\n"
    assert as_text(data) == data


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n"])
def test_line_ends_are_plain(ends):
    assert as_text(ends.join(["a", "b", ""]).encode()) == b"a\nb\n"


def test_a_lone_carriage_return_among_lines_stays():
    assert as_text(b"a\rb\nc\r\n") == b"a\rb\nc\n"


@given(st.binary(max_size=300))
def test_no_bytes_are_refused(data):
    assert isinstance(as_text(data), bytes)


def test_crlf_makes_no_difference_to_an_index(tmp_path):
    text = "def send():\n    return 1\n"
    for name, ends in {"unix.py": "\n", "windows.py": "\r\n"}.items():
        (tmp_path / name).write_bytes(text.replace("\n", ends).encode())
    with index(tmp_path).snapshot() as snapshot:
        assert len({file.digest for file in snapshot.files.all()}) == 1


# --- notebooks -----------------------------------------------------------------------------------


def book(*cells: tuple[str, str], language: str = "python", indent: int | None = 1) -> bytes:
    made = [
        {
            "cell_type": kind,
            "metadata": {"source": ["not", "this"]},
            "outputs": [{"data": {"image/png": "iVBOR" * 90}, "text": ["source", "no"]}],
            "source": text.splitlines(keepends=True),
        }
        for kind, text in cells
    ]
    metadata = {"language_info": {"name": language}}
    whole = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=indent).encode()


CELLS = (
    ("markdown", "# Training\n\nSee [here](x)."),
    ("code", "%matplotlib inline\nimport os\n!ls\n\ndef train(model):\n    return os.getcwd()"),
    ("code", ""),
    ("code", "%%bash\necho 1"),
    ("code", "train(\"\\u00e9\")  # \"source\": ["),
)  # fmt: skip
SCRIPT = """# Jupyter notebook: python
# %% [markdown]
# # Training
#
# See [here](x).
# %%
# %matplotlib inline
import os
# !ls

def train(model):
    return os.getcwd()
# %%
# %%
# %%bash
# echo 1
# %%
train("\\u00e9")  # "source": [
"""


def test_a_notebook_is_the_source_of_its_cells_without_outputs():
    assert as_text(book(*CELLS, indent=None)).decode() == SCRIPT
    lines = as_text(book(*CELLS)).decode().split("\n")
    # Between cells lie the lines of what is left out; those within a cell stay together.
    assert [line for line in lines if line] == [line for line in SCRIPT.split("\n") if line]


def test_a_line_of_a_notebook_stands_where_it_stands_in_the_file():
    data = book(*CELLS)
    of_file, of_index = data.decode().split("\n"), as_text(data).decode().split("\n")
    for text in ("import os", "def train(model):"):
        assert json.dumps(text + "\n").strip('"') in of_file[of_index.index(text)]


@pytest.mark.parametrize("indent", [None, 0, 1, 2, 4])
def test_notebooks_of_other_kernels_are_read_in_their_language(indent):
    data = as_text(book(("code", "val x = 1\n"), ("raw", "note"), language="scala", indent=indent))
    assert detect.detect("a.ipynb", data[:100]).name == "scala"
    assert [line for line in data.decode().split("\n") if line] == [
        "// Jupyter notebook: scala", "// %%", "val x = 1", "// %% [raw]", "// note"
    ]  # fmt: skip
    for kernel, found in (("R", "r"), ("Wolfram Language", detect.TEXT)):
        other = as_text(book(("code", "x <- 1"), language=kernel))
        assert detect.detect("a.ipynb", other[:100]).name == found


@pytest.mark.parametrize(
    "data",
    [
        b'{"cells": 1, "nbformat": 4}',
        b'{"cells": [{"source": [1], "cell_type": "code"}], "nbformat": 4}',
        b'{"cells": [], "nbformat": 4, "metadata": []}',
        b'{"cells": [{}], "nbformat": 4}',
        b'{"cells" "nbformat"',
        b'{"cells": ' + b"[" * 100_000 + b'"nbformat"',
    ],
)
def test_what_only_looks_like_a_notebook_stays(data):
    assert as_text(data) == data


@given(st.lists(st.tuples(st.sampled_from(["code", "markdown"]), st.text(max_size=40)), max_size=4))
def test_any_cells_make_a_script_with_the_lines_of_the_file(cells):
    data = book(*cells)
    script = notebook.as_script(data)
    assert script.startswith(b"# Jupyter notebook: python\n")
    written = [line for _, text in cells for line in text.replace("\r\n", "\n").split("\n")]
    for line in written:
        if line.isidentifier():
            assert line.encode() in script


def test_a_notebook_with_long_outputs_is_indexed_as_code(tmp_path):
    cell = {
        "cell_type": "code", "metadata": {}, "source": ["def plotted():\n", "    pass"],
        "outputs": [{"data": {"image/png": "iVBOR" * 400_000}}],
    }  # fmt: skip
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4}
    (tmp_path / "a.ipynb").write_text(json.dumps(whole, indent=1), encoding="utf-8")
    with index(tmp_path).snapshot() as snapshot:
        [found] = snapshot.symbols.named("plotted")
        [file] = snapshot.files.all()
    assert (found.kind, found.line, file.language) == (SymbolKind.FUNCTION, 7, "python")

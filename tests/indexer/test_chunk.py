"""Chunks tile a file, follow its symbols, keep to their sizes and know where they belong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.indexer.extract.analyze import analyze
from satchel.indexer.extract.chunk import MAX_TOKENS, MIN_TOKENS
from satchel.indexer.languages.detect import by_name
from satchel.store import tokens
from satchel.store.model import ChunkKind, FileFacts


def facts_of(text: str | bytes, language: str = "python") -> FileFacts:
    data = text if isinstance(text, bytes) else text.encode()
    facts = analyze(data, by_name(language))
    position = 0
    for chunk in facts.chunks:
        assert chunk.span.start_byte == position < chunk.span.end_byte
        piece = data[position : chunk.span.end_byte].decode("utf-8", "replace")
        exact = tokens.count(piece)
        assert exact <= MAX_TOKENS
        assert exact >= MIN_TOKENS or len(facts.chunks) == 1
        assert abs(exact - chunk.tokens) <= max(10, 0.4 * exact)
        position = chunk.span.end_byte
    assert position == len(data)
    return facts


def body(n_lines: int, indent: str = "    ") -> str:
    return "".join(f"{indent}value_{n} = compute(value_{n}, {n})\n" for n in range(n_lines))


def names(facts: FileFacts) -> list[str]:
    return [
        facts.symbols[chunk.symbol].qualified_name if chunk.symbol >= 0 else "-"
        for chunk in facts.chunks
    ]


def test_an_empty_file_has_no_chunk():
    assert facts_of("").chunks == ()


def test_functions_of_some_size_have_a_chunk_each():
    facts = facts_of("".join(f"def f{n}():\n{body(12)}\n\n" for n in range(4)))
    assert names(facts) == ["f0", "f1", "f2", "f3"]
    assert {chunk.kind for chunk in facts.chunks} == {ChunkKind.DEFINITION}


def test_the_parts_of_a_long_function_know_its_name():
    head = "class A:\n    def first(self):\n        pass\n\n    def long(self):\n"
    facts = facts_of(head + body(400, " " * 8))
    assert len(facts.chunks) > 5
    assert set(names(facts)) == {"A.long"}
    assert {chunk.kind for chunk in facts.chunks[2:]} == {ChunkKind.PART}
    assert {chunk.header for chunk in facts.chunks[2:]} == {"A › def long(self)"}


def test_a_small_class_is_one_chunk_and_a_large_one_is_cut_along_its_methods():
    methods = "".join(f"    def m{n}(self):\n{body(10, ' ' * 8)}\n" for n in range(6))
    small = facts_of(
        "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    )
    large = facts_of(
        f"class A:\n    '''{'About this class and what it is for. ' * 4}'''\n\n{methods}"
    )
    assert names(small) == ["A"]
    assert names(large)[-6:] == [f"A.m{n}" for n in range(6)]
    assert large.chunks[0].kind == ChunkKind.HEADER


IMPORTS = {
    "python": "from billing.invoices import refund_invoice, total_of_lines\n",
    "typescript": 'import { refundInvoice, totalOfLines } from "./billing/invoices";\n',
    "php": "use Billing\\Invoices\\RefundInvoice;\n",
    "java": "import org.billing.invoices.RefundInvoice;\n",
    "rust": "use billing::invoices::{refund_invoice, total_of_lines};\n",
    "go": '"example.org/billing/invoices"\n',
}


@pytest.mark.parametrize("language", IMPORTS)
def test_lines_that_only_import_are_told_from_those_that_state_something(language: str):
    lines = IMPORTS[language] * 12
    if language == "go":
        lines = f"package billing\n\nimport (\n{lines})\n"
    first = facts_of("<?php\n" * (language == "php") + lines, language).chunks[0]
    assert first.kind == ChunkKind.IMPORTS
    stating = facts_of("from a import b\n" + "LIMITS = {'refund': 100, 'total': 2000}\n" * 12)
    assert stating.chunks[0].kind == ChunkKind.BLOCK


def test_a_comment_above_a_function_is_in_its_chunk():
    facts = facts_of(
        f"def f():\n{body(12)}\n\n# Says why g is needed.\n@decorated\ndef g():\n{body(12)}"
    )
    assert [chunk.span.start_line for chunk in facts.chunks] == [1, 16]


def test_tests_in_product_code_are_marked():
    product = f"fn product() {{\n{body(12)}}}\n"
    test = f"#[cfg(test)]\nmod tests {{\n    #[test]\n    fn works() {{\n{body(12)}    }}\n}}\n"
    facts = facts_of(f"{product}\n{test}", "rust")
    assert [chunk.is_test for chunk in facts.chunks] == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 30_000,
        "word " * 9_000,
        "日本語" * 5_000,
        "😀" * 4_000,
        "\n" * 5_000,
        " " * 20_000,
        "x = [" + "1, " * 9_000 + "]\n",
        "\t\t\n" * 3_000 + "x = 1\n",
        "a\r" * 9_000,
    ],
    ids=lambda text: repr(text[:4]),
)
@pytest.mark.parametrize("language", ["python", "markdown", "text", "json"])
def test_files_without_structure_are_cut_as_well(text: str, language: str):
    data = text.encode()
    facts = analyze(data, by_name(language))
    spans = [chunk.span for chunk in facts.chunks]
    assert [span.start_byte for span in spans] == [0, *[span.end_byte for span in spans[:-1]]]
    assert spans[-1].end_byte == len(data)
    for chunk in facts.chunks:
        data[chunk.span.start_byte : chunk.span.end_byte].decode()  # no character is cut in two
        assert chunk.tokens <= MAX_TOKENS


LINES = st.sampled_from(
    ["def f():", "    pass", "class A:", "    def m(self):", "        return 1", "", "x = 1",
     "# note", "'''doc", "'''", "@dec", "if x:", "\tpass", "é = '日本'", "import a.b"]
)  # fmt: skip


@given(st.lists(LINES, max_size=120).map("\n".join))
def test_chunks_tile_whatever_is_written(text: str):
    facts_of(text)


@given(st.binary(max_size=400), st.sampled_from(["python", "go", "markdown", "yaml", "text"]))
def test_chunks_tile_whatever_bytes_there_are(data: bytes, language: str):
    facts = analyze(data, by_name(language))
    ends = [0, *[chunk.span.end_byte for chunk in facts.chunks]]
    assert [chunk.span.start_byte for chunk in facts.chunks] == ends[:-1]
    assert ends[-1] == len(data)

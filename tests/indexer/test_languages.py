"""Every language against its sample: all facts as written down in the golden sheet beside it.

`UPDATE_GOLDEN=1 python -m pytest tests/indexer/test_languages.py` rewrites the sheets. Read the
difference before keeping it: a sheet is a claim about what is right, not a record of what came out.
"""

import os
import re
from functools import cache
from pathlib import Path

import pytest
from tree_sitter import Parser

from satchel.indexer.extract.analyze import analyze
from satchel.indexer.extract.chunk import MAX_TOKENS, MIN_TOKENS
from satchel.indexer.extract.parse import grammar, query
from satchel.indexer.languages.detect import LANGUAGES, detect
from satchel.store.model import FileFacts
from tests.support.factsheet import factsheet
from tests.support.satchel import ROOT

SAMPLES = ROOT / "tests" / "fixtures" / "languages"
QUERIES = ROOT / "indexer" / "languages" / "queries"
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


def _samples() -> list[Path]:
    return sorted(p for p in SAMPLES.glob("*/*") if p.suffix != ".facts")


@cache
def _facts(path: Path) -> FileFacts:
    data = path.read_bytes()
    return analyze(data, detect(path.name, data[:128]))


@pytest.mark.parametrize("sample", _samples(), ids=lambda p: str(p.relative_to(SAMPLES)))
class TestSample:
    def test_is_recognised_as_the_language_of_its_folder(self, sample):
        assert _facts(sample).language == sample.parent.name

    def test_says_what_its_golden_sheet_says(self, sample):
        golden = sample.parent / f"{sample.name.split('.')[0]}.facts"
        sheet = factsheet(_facts(sample))
        if UPDATE:
            golden.write_text(sheet, encoding="utf-8")
        assert sheet == golden.read_text(encoding="utf-8")

    def test_chunks_tile_the_file_within_the_size_limits(self, sample):
        facts = _facts(sample)
        edges = [chunk.span for chunk in facts.chunks]
        assert [s.start_byte for s in edges] == [0, *(s.end_byte for s in edges[:-1])]
        assert edges[-1].end_byte == len(sample.read_bytes())
        sizes = [chunk.tokens for chunk in facts.chunks]
        assert max(sizes) <= MAX_TOKENS
        assert len(sizes) == 1 or min(sizes) >= MIN_TOKENS

    def test_symbols_lie_inside_their_parents_in_source_order(self, sample):
        symbols = _facts(sample).symbols
        starts = [s.span.start_byte for s in symbols]
        assert starts == sorted(starts)
        for symbol in symbols:
            if symbol.parent >= 0:
                outer = symbols[symbol.parent].span
                assert outer.start_byte <= symbol.span.start_byte
                assert symbol.span.end_byte <= outer.end_byte

    def test_reads_every_cut_off_or_damaged_copy_without_raising(self, sample):
        data = sample.read_bytes()
        language = detect(sample.name, data[:128])
        for cut in range(0, len(data), max(1, len(data) // 12)):
            for damaged in (data[:cut], data[cut:], data[:cut] + b"\xff{(\x00" + data[cut:]):
                facts = analyze(damaged, language)
                covered = sum(c.span.end_byte - c.span.start_byte for c in facts.chunks)
                assert covered == len(damaged)


_QUERY_TOKEN = re.compile(r';.*|"(?:[^"\\]|\\.)*"|[(\[)\]]')


def patterns_in(text: str) -> int:
    """How many patterns a query has: what begins outside of brackets.

    The grammar's own count would take seconds: each query would be compiled a second time.
    """
    n, depth = 0, 0
    for token in _QUERY_TOKEN.findall(text):
        if token in (")", "]"):
            depth -= 1
        elif not token.startswith(";"):
            n += depth == 0
            depth += token in ("(", "[")
    return n


def test_every_query_compiles_against_its_grammar_and_no_pattern_is_lost():
    for language in LANGUAGES:
        if language.grammar:
            extraction = query(language.grammar, language.query)
            names = language.query.split("+")
            texts = [QUERIES.joinpath(f"{name}.scm").read_text("utf-8") for name in names]
            n_patterns = sum(map(patterns_in, texts))
            assert not any("#not-any-of?" in text for text in texts)
            assert len(extraction.types) == sum(text.count("(#type? ") for text in texts)
            assert extraction.anywhere.pattern_count == n_patterns
            root = Parser(grammar(language.grammar)).parse(b"").root_node.type
            is_rooted = any(f"\n({root} " in f"\n{text}" for text in texts)
            assert (extraction.at_root is not None) == is_rooted
            if extraction.at_root is not None:
                assert extraction.at_root.pattern_count == n_patterns


@pytest.mark.parametrize(
    ("language", "text", "signatures"),
    [
        (
            "ruby",
            "class Cart # Raised when\n  # it is empty\n  def total(a, # net\n      b)\n"
            "    # :call-seq:\n    a\n  end\nend\n",
            ["class Cart", "def total(a, b)"],
        ),
        ("python", "def f(x):  # noqa\n    # why\n    return x\n", ["def f(x)"]),
        ("go", "package a\nfunc F(a int /* b */, c int) {}\n", ["func F(a int, c int)"]),
        ("rust", "fn f(\n  /// a\n  a: u8,\n) -> u8 { a }\n", ["fn f( a: u8, ) -> u8"]),
    ],
)
def test_no_comment_is_part_of_a_signature(language: str, text: str, signatures: list[str]):
    facts = analyze(text.encode(), next(each for each in LANGUAGES if each.name == language))
    assert [symbol.signature for symbol in facts.symbols] == signatures


@pytest.mark.parametrize(
    ("language", "text", "places"),
    [
        ("c", "/* first */ int a(void) { return 1; }\nint b(void) { return 2; }\n", "a 1-1, b 2-2"),
        ("go", "package a\n/* x */ func A() {}\nfunc B() {}\n", "A 2-2, B 3-3"),
        (
            "rust",
            "#[inline] fn a() {}\n#[inline] fn b() {}\n#[x] #[y]\nfn c() {}\n",
            "a 1-1, b 2-2, c 3-4",
        ),
        (
            "dart",
            "class A {\n  @override int a() => 1;\n  @override int b() => 2;\n}\n",
            "A 1-4, a 2-2, b 3-3",
        ),
    ],
)
def test_what_stands_on_a_line_before_code_belongs_to_nothing_below(
    language: str, text: str, places: str
):
    facts = analyze(text.encode(), next(each for each in LANGUAGES if each.name == language))
    shown = (f"{s.name} {s.span.start_line}-{s.span.end_line}" for s in facts.symbols)
    assert ", ".join(shown) == places


def test_a_package_in_a_block_ends_with_it_and_has_its_own_name():
    text = (
        "package Shop::Cart;\nsub one { 1 }\n{\n  package Shop::Inner;\n  sub two { 2 }\n}\n"
        "sub three { 3 }\n"
        "package Shop::Block { sub four { 4 } }\nsub five { 5 }\naround one => sub { 1 };\n"
    )
    facts = analyze(text.encode(), next(each for each in LANGUAGES if each.name == "perl"))
    assert [s.qualified_name for s in facts.symbols] == [
        "Shop.Cart", "Shop.Cart.one", "Shop.Inner", "Shop.Inner.two", "Shop.Cart.three",
        "Shop.Block", "Shop.Block.four", "Shop.Cart.five", "Shop.Cart.one",
    ]  # fmt: skip


def test_a_test_of_python_asks_for_its_parameters_apart_from_self():
    text = b"class T:\n    def test_x(self, app): pass\n    @fixture\n    def f(cls, db): pass\n"
    facts = analyze(text, detect("test_a.py"))
    assert {use.name for use in facts.references} == {"app", "fixture", "db"}


def test_a_call_of_clojure_that_begins_like_a_definition_is_none():
    facts = analyze(b"(ns a)\n(default thing)\n(defroutes app)\n", detect("a.clj"))
    assert [symbol.name for symbol in facts.symbols] == ["a", "app"]


def test_a_test_of_r_keeps_its_whole_name_and_a_class_is_one():
    text = (
        'test_that("total adds", { 1 })\nA <- setRefClass("A", methods = list(go = function() 1))\n'
    )
    facts = analyze(text.encode(), next(each for each in LANGUAGES if each.name == "r"))
    assert [s.qualified_name for s in facts.symbols] == ["total adds", "A", "A.go"]
    assert [s.is_test for s in facts.symbols] == [True, False, False]

"""How many files of tests are known by their path: `… tests_by_path TREE …`, a folder a tree.

A file counts as a test when its text uses a test framework of its language: it imports one, or has
a test in that one's notation (`MARKS`). Of these files the share is told that Satchel takes for
tests by their path. Precision cannot be told so: helpers and data in a folder of tests are test
code and use no framework. It is judged by a person, from `--sample N`: of each language the same N
files that are taken for tests without a framework in them, and N that are taken for product code
without one. Rust and Zig keep tests within product files, which are told by their syntax and not
here; they are in the sample alone.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from bench.nothing import require
from satchel.indexer.languages import detect
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.indexer.scan.test_paths import is_test_path
from satchel.indexer.scan.walk import FoundFile, read, walk
from satchel.store.model import RepoPath

_ECMASCRIPT = r"^\s*(?:describe|it|test|suite)(?:\.\w+)*\(\s*['\"`]"
_C = r"^\s*(?:TEST|TEST_F|TEST_P|TEST_CASE)\s*\(|#include [<\"].*(?:gtest|catch2?|cmocka)\b"
MARKS = {
    "bash": r"^@test ",
    "c": _C,
    "cpp": _C,
    "clojure": r"^\(\s*(?:deftest|facts?|defspec)\b",
    "csharp": r"^\s*\[(?:Fact|Theory|Test|TestMethod|TestFixture|TestCase)\b",
    "dart": r"^import 'package:(?:flutter_)?test/",
    "elixir": r"^\s*use (?:ExUnit\.Case|\w+(?:\.\w+)*Case)\b",
    "erlang": r"^-include_lib\(\"(?:eunit|common_test|proper)/|^\w+_test_?\(\) ->",
    "gdscript": r"^extends\s+(?:\"res://addons/gut/test\.gd\"|GutTest)",
    "go": r"^func (?:Test|Benchmark|Example|Fuzz)\w*\([tbf ]",
    "groovy": r"\bextends \w*Spec(?:ification)?\b|^\s*@Test\b",
    "haskell": r"^import (?:qualified )?Test\.",
    "java": r"^\s*@(?:Test|ParameterizedTest|RunWith)\b|^import (?:static )?org\.(?:junit|testng)",
    "javascript": _ECMASCRIPT,
    "julia": r"^\s*@test(?:set|item)?\b",
    "kotlin": r"^\s*@Test\b|^import (?:kotlin\.test|org\.junit|io\.kotest)",
    "lua": r"^\s*describe\(\s*['\"]|require.*luaunit",
    "objc": r"\bXCTestCase\b|^SpecBegin|@import XCTest",
    "perl": r"^\s*use Test2?::",
    "php": r"\bextends \w*TestCase\b|^use PHPUnit\\",
    "powershell": r"^\s*Describe\s",
    "python": r"^\s*(?:import|from) (?:pytest|unittest)\b|^(?:async )?def test_\w+\(",
    "r": r"^\s*test_that\(",
    "ruby": r"^\s*(?:RSpec\.)?describe\b|\b(?:Minitest::|Test::Unit)|^require ['\"]"
    r"(?:minitest|spec_helper|test_helper|rspec)",
    "scala": r"^import (?:org\.scalatest|munit)|\bextends \w*(?:FunSuite|Spec|Suite)\b",
    "solidity": r"\bis (?:\w+, )*Test\b",
    "swift": r"^\s*import (?:XCTest|Quick|Testing|Nimble)\b",
    "tsx": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
}
_WITHIN = ("rust", "zig")
"""Languages whose tests stand in product files."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file of code: whether its text uses a test framework, and whether its path says test."""

    tree: str
    path: RepoPath
    language: str
    is_marked: bool
    is_test: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each language, and with `--missed` the files that a path did not tell."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.retrieval.tests_by_path", description=__doc__
    )
    parser.add_argument("trees", type=Path, nargs="+", metavar="TREE")
    parser.add_argument("--missed", action="store_true", help="list what was not told")
    parser.add_argument("--sample", type=int, metavar="N", help="print what a person is to judge")
    options = parser.parse_args(arguments)
    seen = [each for tree in options.trees for each in files(tree)]
    require(len(seen), "file of code in any tree")
    if options.sample:
        for each in sampled(seen, options.sample):
            kind = "test" if each.is_test else "product"
            print(f"{each.language}\t{kind}\t{each.tree}/{each.path}")
        return 0
    seen = [each for each in seen if each.language in MARKS]
    print("| language | files | with a test framework | known by path | taken for tests |")
    print("|---|---|---|---|---|")
    by_language: defaultdict[str, list[Seen]] = defaultdict(list)
    for each in seen:
        by_language[each.language].append(each)
    for language, of in sorted(by_language.items()):
        marked = [each for each in of if each.is_marked]
        known = sum(each.is_test for each in marked)
        share = f"{known:,} ({known / len(marked):.3f})" if marked else "none"
        taken = sum(each.is_test for each in of)
        print(f"| {language} | {len(of):,} | {len(marked):,} | {share} | {taken:,} |")
    if options.missed:
        for each in seen:
            if each.is_marked and not each.is_test:
                print(f"{each.tree}\t{each.language}\t{each.path}", file=sys.stderr)
    return 0


def sampled(seen: Sequence[Seen], n: int) -> Iterator[Seen]:
    """At most `n` files a language and kind that no framework decides about, the same each time."""
    groups: defaultdict[tuple[str, bool], list[Seen]] = defaultdict(list)
    for each in seen:
        if not each.is_marked:
            groups[each.language, each.is_test].append(each)
    for _, group in sorted(groups.items()):
        group.sort(key=lambda each: blake2b(f"{each.tree}/{each.path}".encode()).digest())
        yield from group[:n]


def files(tree: Path) -> Iterator[Seen]:
    """The files of a tree that would be indexed and are of a language that is judged, by path."""
    options = WalkOptions()
    for entry in walk(tree, options):
        if not isinstance(entry, FoundFile):
            continue
        data = read(tree, entry.path, options)
        if not isinstance(data, bytes):
            continue
        language = detect.detect(entry.path, data).name
        if language not in MARKS and language not in _WITHIN:
            continue
        text = data.decode("utf-8", "replace")
        mark = MARKS.get(language)
        is_marked = mark is not None and re.search(mark, text, re.MULTILINE) is not None
        is_test = is_test_path(entry.path, language, ())
        yield Seen(tree.name, entry.path, language, is_marked, is_test)


if __name__ == "__main__":
    sys.exit(main())

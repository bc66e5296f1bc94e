"""What runtimes, compilers and test runners print, and what is read of it.

`fixtures/artefacts/real` holds what programs printed on a made-up shop, `documented` what their
manuals say they print. Beside each lies a sheet of what is read: kinds, places in order (path,
line, function), failing tests. `UPDATE_GOLDEN=1 python -m pytest tests/ranking/test_notations.py`
rewrites the sheets. Read the difference: it is what a pack is made from. What is said beside places
and tests is what the index is searched for.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.assembler.query import artefacts, chatter, traces
from satchel.assembler.query.notations import NOTATIONS, VERDICTS
from tests.support.satchel import ROOT

UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
FOLDER = ROOT / "tests/fixtures/artefacts"
SAMPLES = sorted(FOLDER.glob("*/*.txt"))
LANGUAGES = {
    "python": ("pytest-short", "unittest"),
    "go": ("go-test",),
    "c": ("valgrind", "gdb", "asan"),
    "cpp": ("gtest", "ctest", "doctest", "assert"),
    "swift": ("swift", "xctest", "swift-testing"),
    "elixir": ("elixir", "exunit", "elixir-compiler"),
    "javascript": ("node", "jest", "mocha", "node-test", "ava"),
    "typescript": ("vitest", "tsc"),
    "tsx": ("vitest",),
    "vue": ("vitest",),
    "svelte": ("vitest",),
    "astro": ("vitest",),
    "haskell": ("haskell", "ghc", "hspec"),
    "lua": ("lua", "busted"),
    "bash": ("bash", "bats"),
    "zig": ("zig",),
    "csharp": ("dotnet-test", "nunit", "csc"),
    "kotlin": ("gradle", "kotlinc"),
    "scala": ("scalatest", "munit", "scalac"),
    "php": ("php", "phpunit"),
    "ruby": ("ruby", "rspec", "minitest", "test-unit"),
    "erb": ("rails",),
    "rust": ("cargo-test", "nextest", "rustc"),
    "java": ("java", "maven", "maven-compiler", "junit-console"),
}


def sheet(text: str) -> str:
    return "".join(f"{line}\n" for line in _read(text))


def _read(text: str) -> Iterator[str]:
    found = artefacts.read(text)
    assert found is not None
    yield ", ".join(found.kinds)
    for frame in found.frames:
        owner = f"{frame.parent}." if frame.parent else ""
        yield f"at {frame.path}:{frame.line} {owner}{frame.name}".rstrip()
    for failure in found.failures:
        where = f" in {failure.path}:{failure.line}" if failure.path else ""
        yield f"failed {failure.parent} > {failure.name}{where}"
    for line in found.prose.splitlines():
        yield f"says {line}"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_report_is_read_as_its_sheet_says(sample: Path):
    found = sheet(sample.read_text("utf-8"))
    target = sample.with_suffix(".sheet")
    if UPDATE:
        target.write_text(found, "utf-8")
    assert found == target.read_text("utf-8")


def test_every_language_has_a_sample():
    names = {sample.stem for sample in SAMPLES}
    from satchel.indexer.languages.code import CODE

    assert LANGUAGES.keys() == {language.name for language in CODE}
    assert {name for wanted in LANGUAGES.values() for name in wanted} <= names


def test_every_notation_reads_a_line_of_a_sample_first():
    lines = [
        traces.without_colour_and_time(line)
        for sample in SAMPLES
        for line in sample.read_text("utf-8").splitlines()
    ]
    for table in (NOTATIONS, VERDICTS):
        used = {next((n for n, r in enumerate(table) if r.pattern.match(x)), -1) for x in lines}
        unused = [f"{r.printer}: {r.pattern.pattern}" for n, r in enumerate(table) if n not in used]
        assert not unused


def test_what_every_run_prints_is_not_searched_for():
    said = [line for path in SAMPLES for line in sheet(path.read_text("utf-8")).splitlines()]
    words = " ".join(line.removeprefix("says ") for line in said if line.startswith("says "))
    for usual in ("Tests run", "examples,", "Finished in", "Randomized", "PHPUnit"):
        assert usual not in words


@pytest.mark.parametrize("end", ["x", "node:", "ms", "%]"])
@pytest.mark.parametrize("piece", [" ", "1", "\t", "a.", "(", "node:", "[ ", ": ", "test ", "F"])
def test_no_long_line_takes_the_square_of_its_length(piece: str, end: str):
    line = (piece * 2_000)[:2_000] + end
    # The processor's time: a pattern that went back over a run of spaces took 39 s for one line.
    before = time.process_time()
    chatter.without(line)
    assert time.process_time() - before < 5

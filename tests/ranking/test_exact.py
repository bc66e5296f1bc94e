"""Exact text and expressions: every line that Python's own `re` finds, and no other."""

import json
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.assembler.budget import MAX_COUNTED
from satchel.assembler.exact import patterns, required_text, search
from satchel.assembler.exact.search import Wanted
from satchel.assembler.kinds import Scope, TextMode
from satchel.store import grams
from satchel.store.errors import UsageError
from satchel.store.reading.snapshot import Snapshot
from tests.support.agent import asked, in_memory
from tests.support.satchel import ROOT, index, refresh, satchel

CODE = (
    '''
//- app/send.py
def send(message):
    """Send It."""
    raise IOError("Cannot open file %s: %s" % (message, "why"))

class Box:
    def cannot(self):
        return "cannot OPEN"
//- app/wide.py
LINE = "'''
    + "x" * 500
    + "needle"
    + "y" * 500
    + """"
//- docs/guide.md
# Guide

Cannot open file? Ask again.
//- src/lib.rs
pub fn cannot() -> i32 { 1 }

#[cfg(test)]
mod tests {
    fn inner() { let text = "Cannot open file"; }
}
//- tests/test_send.py
def test_send():
    assert "Cannot open file" in send(1)
"""
)


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


@pytest.fixture
def snapshot(root: Path) -> Iterator[Snapshot]:
    with index(root).snapshot() as snapshot:
        yield snapshot


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Snapshot]]:
    """Some of our own code, indexed."""
    root = tmp_path_factory.mktemp("ours") / "project"
    for package in ("assembler", "mcp_server"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, root / package, ignore=ignore)
    with index(root).snapshot() as snapshot:
        yield root, snapshot


def found(
    snapshot: Snapshot, text: str, mode: TextMode = TextMode.EXACT, **more: object
) -> list[str]:
    """`path:line` of everything that is found."""
    reply = search.find(snapshot, Wanted(text, mode, **more), 200)  # type: ignore[arg-type]
    assert reply.n_lines == len(reply.rows)
    assert reply.n_files == len({row.path for row in reply.rows})
    return [f"{row.path}:{row.line}" for row in reply.rows]


def test_text_is_found_wherever_it_stands_by_path_and_line(snapshot: Snapshot):
    everywhere = ["app/send.py:3", "docs/guide.md:3", "src/lib.rs:5", "tests/test_send.py:2"]
    assert found(snapshot, "Cannot open file") == everywhere
    assert found(snapshot, "Cannot open file", scope=Scope.IMPL) == everywhere[:2]
    assert found(snapshot, "Cannot open file", scope=Scope.TEST) == everywhere[2:]
    assert found(snapshot, "Cannot open file", path="app/") == everywhere[:1]
    assert found(snapshot, "cannot open") == []
    in_any_case = found(snapshot, "cannot open", ignore_case=True)
    assert sorted({*everywhere, "app/send.py:7"}) == in_any_case


def test_a_row_has_the_line_its_column_and_what_is_around_it(snapshot: Snapshot):
    reply = search.find(snapshot, Wanted("OPEN", TextMode.EXACT), 10)
    (row,) = reply.rows
    assert (row.text, row.column) == ('        return "cannot OPEN"', 24)
    assert (row.symbol, row.kind) == ("Box.cannot", "method")


def test_a_long_line_is_cut_around_its_match(snapshot: Snapshot):
    (row,) = search.find(snapshot, Wanted("needle", TextMode.EXACT), 10).rows
    assert len(row.text) < 300
    assert row.text.startswith("…x") and row.text.endswith("y…") and "needle" in row.text
    assert row.column == 509


def test_pages_follow_each_other_without_gap_or_overlap(ours: tuple[Path, Snapshot]):
    _, snapshot = ours
    wanted = Wanted("return", TextMode.EXACT)
    whole = [(r.path, r.line) for r in search.find(snapshot, wanted, 200).rows]
    pages: list[tuple[str, int]] = []
    offset = 0
    while len(pages) < len(whole):
        reply = search.find(snapshot, wanted, 7, offset)
        assert reply.n_lines == search.find(snapshot, wanted, 200).n_lines
        pages += [(row.path, row.line) for row in reply.rows]
        offset = reply.following
    assert pages[: len(whole)] == whole == sorted(whole)
    past = search.find(snapshot, wanted, 7, 9_000)
    assert (past.rows, past.following) == ((), 0)
    assert "offset 9000 is past the last" in str(past.absent[0])


EXPRESSIONS = [
    r"def \w+\(self", r"^from .* import", r"(foo|return|raise)\s+\w+\(", r"\bSequence\b.*\]$",
    r"(?i)SNAPSHOT", r"x*", r"[^\s]{60,}", r"\.(?:find|match)\(", r"a{2}|b{3}", r"#\s", r"\"\"\"$",
    r"(a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q)(z|y)", r"\\\(", r"\x64ef", r"colou?rs?", r"^$", r"é|…",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_finds_what_pythons_own_engine_finds(
    ours: tuple[Path, Snapshot], expression: str
):
    root, snapshot = ours
    lines = [
        f"{path.relative_to(root).as_posix()}:{number}"
        for path in sorted(
            filter(Path.is_file, root.rglob("*")), key=lambda p: p.relative_to(root).as_posix()
        )
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")[:-1], start=1)
        if re.search(expression, line)
    ]
    reply = search.find(snapshot, Wanted(expression, TextMode.REGEX), 200)
    assert reply.n_lines == min(len(lines), MAX_COUNTED)
    assert [f"{row.path}:{row.line}" for row in reply.rows] == lines[:200]


def _expressions(n: int) -> Iterator[str]:
    chance = random.Random(7)
    atoms = [
        "a",
        "b",
        "ab",
        "abc",
        ".",
        r"\w",
        "[ab]",
        r"\.",
        "[^a]",
        "(",
        "(?:",
        "|",
        ")",
        "^",
        "$",
    ]
    repeats = ["", "", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?"]
    while n:
        text = "".join(chance.choice(atoms) + chance.choice(repeats) for _ in range(8))
        try:
            re.compile(text)
            patterns.compiled(text, TextMode.REGEX, ignore_case=False)
        except (re.error, UsageError):
            continue
        n -= 1
        yield text


def test_what_an_expression_requires_stands_in_everything_it_matches():
    chance = random.Random(8)
    texts = [
        "".join(chance.choice("abcab.") for _ in range(chance.randrange(1, 12))) for _ in range(200)
    ]
    n_required = 0
    for expression in _expressions(400):
        ways = required_text.read(expression).ways
        n_required += () not in ways
        for text in texts:
            if re.search(expression, text):
                assert any(all(piece in text for piece in way) for way in ways), (expression, text)
    assert n_required > 50, "the expressions ask for something"


def test_a_signature_never_hides_a_text():
    chance = random.Random(9)
    for n_bytes in (0, 2, 3, 10, 300, 5_000, 200_000):
        data = bytes(chance.choice(b"abcdefABC \r\n\xc5\xbf\xff") for _ in range(n_bytes))
        signed = grams.Signatures.of([grams.signature(data), b""])
        plain = grams.with_plain_ends(data)
        for _ in range(50):
            start = chance.randrange(len(plain) + 1)
            piece = plain[start : start + chance.randrange(1, 40)]
            assert signed.holding([[piece], [piece.upper()]]).tolist() == [0, 1]
    assert grams.Signatures.of([grams.signature(b"abcdef")]).holding([[b"xyz"]]).tolist() == []


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("foo(bar", "at character 4: missing )"),
        ("ab[z-a]c", "at character 4: invalid character class range (z-a)"),
        ("a(?=b)", "at character 2: invalid perl operator ((?=)"),
        (r"ab\1", r"at character 3: invalid escape sequence (\1)"),
        ("x" + "(" * 3_000, "the expression has an error"),
        (r"a\nb", "contains a line break"),
        (r"\pL{300}\pL{300}", "too large"),
        (r"\pL{30}\d\pL{30}", "too large: "),
        ("", "nothing to look for"),
    ],
)
def test_an_expression_that_cannot_be_used_is_refused_with_the_place(expression: str, said: str):
    with pytest.raises(UsageError) as refused:
        patterns.compiled(expression, TextMode.REGEX, ignore_case=False)
    assert said in refused.value.message


@pytest.mark.parametrize("expression", [r"(a+a+)+b", r"(a|a)*b", r"(a*)*b", r"(.*)(.*)(.*)(.*)b$"])
def test_what_takes_a_backtracking_engine_for_ever_ends(project, expression: str):
    root = project("//- a.txt\n" + "a" * 50_000)
    with index(root).snapshot() as snapshot:
        assert found(snapshot, expression, TextMode.REGEX) == []


def test_work_that_is_bounded_says_where_it_stopped(
    ours: tuple[Path, Snapshot], monkeypatch: pytest.MonkeyPatch
):
    _, snapshot = ours
    wanted = Wanted("e", TextMode.REGEX)
    monkeypatch.setattr(search, "MAX_COUNTED", 50)
    reply = search.find(snapshot, wanted, 10)
    assert (reply.n_lines, reply.stopped) == (50, "lines after 50 were not counted")
    monkeypatch.setattr(search, "MAX_COUNTED", 10_000)
    monkeypatch.setattr(search, "MAX_WORK", 200_000)
    reply = search.find(snapshot, wanted, 10)
    assert "was looked at; name a path" in reply.stopped
    assert 0 < reply.n_lines < 10_000


def test_lines_of_windows_are_lines_and_text_may_go_over_several(project):
    root = project("//- a.txt\none")
    (root / "a.txt").write_bytes(b"one\r\ntwo three\r\n\xff bytes\r\n")
    with index(root).snapshot() as snapshot:
        assert found(snapshot, "one\ntwo") == found(snapshot, "one\r\ntwo") == ["a.txt:1"]
        assert found(snapshot, "three$", TextMode.REGEX) == ["a.txt:2"]
        assert found(snapshot, "bytes") == ["a.txt:3"]
        (row,) = search.find(snapshot, Wanted("one", TextMode.EXACT), 1).rows
        assert row.text == "one"


def test_what_is_saved_is_found_and_what_is_gone_is_not(root: Path):
    with index(root).snapshot() as before:
        assert found(before, "brand new text") == []
        (root / "app" / "send.py").write_text("# brand new text\n", encoding="utf-8")
        refresh(root)
        with index(root).snapshot() as after:
            assert found(after, "brand new text") == ["app/send.py:1"]
            assert found(after, "OPEN") == []
        assert found(before, "OPEN") == ["app/send.py:7"]


def test_the_command_prints_rows_and_json_and_says_why_there_are_none(root: Path):
    index(root)
    reply = satchel("search", "--exact", "Cannot open file", "--max-results", "2", cwd=root)
    assert reply.stdout.decode() == (
        'app/send.py\n  3 send|     raise IOError("Cannot open file %s: %s" % (message, "why"))\n'
        "docs/guide.md\n  3 Guide| Cannot open file? Ask again.\n"
    )
    assert reply.stderr.decode() == (
        "4 lines in 4 files, generation 2\n2 more; --offset 2 shows them\n"
    )
    reply = satchel("search", "--regex", r"OPEN|nee\w+", "--json", "--offset", "1", cwd=root)
    answer = json.loads(reply.stdout)
    assert (answer["lines"], answer["files"], answer["next_offset"]) == (2, 2, None)
    assert [(r["path"], r["line"]) for r in answer["results"]] == [("app/wide.py", 1)]
    reply = satchel("search", "--exact", "OPEN", "--path", "docs", cwd=root)
    assert b"1 match outside path docs" in reply.stdout
    reply = satchel("search", "--exact", "nowhere at all", cwd=root)
    assert b"none found: nothing matches in the 5 files" in reply.stdout


def test_what_files_outside_of_the_index_hold_is_not_called_absent(root: Path):
    lock = '# This file is automatically @generated by Cargo.\n[[package]]\nname = "serde"\n'
    (root / "Cargo.lock").write_text(lock, encoding="utf-8")
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0serde")
    index(root)
    for asked_for in (("--exact", "serde"), ("--regex", "ser.e")):
        reply = satchel("search", *asked_for, cwd=root)
        assert b"nothing matches in the 5 files" in reply.stdout
        assert b"not indexed, and holds it: Cargo.lock (1 line, generated)" in reply.stderr
        assert b"not searched: 1 binary; `satchel status --skipped` lists them" in reply.stderr
    reply = satchel("search", "--exact", "serde", "--path", "app", cwd=root)
    assert reply.stderr == b"0 lines in 0 files, generation 2\n"
    reply = satchel("search", "--exact", "Cannot open file", cwd=root)
    assert reply.stderr == b"4 lines in 4 files, generation 2\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--regex", "a("), b"missing )"),
        (("--exact", "a", "--regex", "b"), b"more than one question"),
        (("--exact", "a", "--explain"), b"ranks nothing"),
        (("--exact", "a", "--offset", "10000"), b"of 0 to 9999"),
        (("words", "--offset", "3"), b"belong to mode exact and regex"),
        (("--exact", ""), b"query is empty"),
    ],
)
def test_a_command_that_makes_no_sense_is_a_usage_error(
    root: Path, arguments: tuple[str, ...], said: bytes
):
    reply = satchel("search", *arguments, cwd=root)
    assert reply.returncode == 2
    assert said in reply.stderr


def test_a_batch_mixes_ranked_and_exact_questions(root: Path):
    lines = [
        {"id": 1, "query": "OPEN", "mode": "exact"},
        {"id": 2, "query": "send"},
        {"id": 3, "query": "open", "mode": "regex", "ignore_case": True, "max_results": 1},
        {"id": 4, "query": "open(", "mode": "regex"},
    ]
    stdin = "\n".join(map(json.dumps, lines)).encode()
    reply = satchel("search", "--batch", "-", "--quiet", cwd=root, stdin=stdin)
    first, second, third, fourth = map(json.loads, reply.stdout.splitlines())
    assert (first["lines"], third["lines"], third["next_offset"]) == (1, 5, 1)
    assert "score" in second["results"][0]
    assert "missing )" in fourth["error"]


def test_an_agent_needs_no_grep(root: Path):
    async def session(client):
        return (
            await asked(client, "search", query="Cannot open file", mode="exact", max_results=1),
            await asked(
                client, "search", query=r"open\b", mode="regex", ignore_case=True, offset=4
            ),
        )

    # A machine that has no time for the server makes it say that it is not done yet.
    first, second = (re.sub(r"\nnote: .*", "", reply) for reply in in_memory(root, session))
    # Following values, which the server does when nobody waits, makes another generation.
    assert re.sub(r"generation \d", "generation N", first).splitlines() == [
        "[satchel] 4 lines in 4 files, generation N",
        "app/send.py",
        '  3 send|     raise IOError("Cannot open file %s: %s" % (message, "why"))',
        "3 more; offset 1 shows them",
    ]
    assert second.splitlines()[1:] == [
        "tests/test_send.py",
        '  2 test_send|     assert "Cannot open file" in send(1)',
    ]


def test_a_line_cannot_pass_for_a_heading_or_hide_anything(project):
    root = project("//- a.txt\nx")
    (root / "a.txt").write_bytes("evil\u202e line\x1b[2J\rother.py\n".encode())
    index(root)
    reply = satchel("search", "--exact", "evil", cwd=root)
    assert reply.stdout.decode() == "a.txt\n  1| evil⟨U+202E⟩ line⟨U+001B⟩[2J⟨U+000D⟩other.py\n"

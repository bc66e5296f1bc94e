"""The hard promise: never above the budget, every line as its file has it, none shown twice."""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from satchel.assembler import assemble, quoting
from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET, Spending
from satchel.assembler.kinds import Detail, End, Scope
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack, Excerpt
from satchel.store import tokens
from satchel.store.model import FUNCTIONS, Symbol, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import copy_of_our_source, index

LONG = os.environ.get("SATCHEL_LONG") == "1"


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_our_source(tmp_path_factory.mktemp("budget"))


@pytest.fixture(scope="session")
def snapshot(source: Path) -> Iterator[Snapshot]:
    with index(source).snapshot() as snapshot:
        yield snapshot


@pytest.fixture(scope="session")
def functions(snapshot: Snapshot) -> list[Symbol]:
    """All functions of the index, in the order of their files."""
    every = [s for f in snapshot.files.all() for s in snapshot.symbols.of_file(f.path)]
    return [symbol for symbol in every if symbol.kind in FUNCTIONS]


WORDS = (
    "refresh index transaction worker chunk token budget pack excerpt receipt neighbour symbol"
    " reference import edge resolve ignore walk binary generated language grammar parse query"
    " score rank term posting length field path snapshot generation digest file line test"
    " Snapshot.files FileFacts derive_changed encode_path WalkOptions store/writer.py __init__"
    " self def return the a"
).split()
JUNK = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=60
) | st.sampled_from(["(((", "```\n", "é日本語", "\x00\x1b[31m", "*", "a" * 500, "\u2028", "1e9"])
QUERIES = st.lists(st.sampled_from(WORDS) | JUNK, min_size=1, max_size=8).map(" ".join)
BUDGETS = st.integers(MIN_BUDGET, 1024) | st.integers(MIN_BUDGET, MAX_BUDGET)


COUNTS: dict[str, Callable[[str], int]] = {
    "cl100k_base": tokens.count,
    "o200k_base": partial(tokens.count, name="o200k_base"),
    # Whatever a client counts in, with no vocabulary behind it.
    "bytes": lambda text: -(-len(text.encode("utf-8", "replace")) // 3),
    "words": lambda text: len(re.findall(r"\w+|\s+|[^\w\s]", text)),
    "lines": lambda text: 2 * len(text.split()) + text.count("\n"),
}


@pytest.mark.parametrize("encoding", COUNTS)
@settings(
    max_examples=2_100 if LONG else 24,
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(QUERIES, BUDGETS, st.sampled_from(Scope))
@example("how is the index refreshed", 256, Scope.IMPL)
@example("how is the index refreshed", 32_768, Scope.ALL)
def test_a_pack_is_within_its_budget_and_verbatim(
    snapshot: Snapshot, source: Path, encoding: str, query: str, budget: int, scope: Scope
):
    if not query.strip():
        return
    count = COUNTS[encoding]
    pack = assemble.context(
        snapshot,
        Question(query, scope),
        budget,
        assemble.PackOptions(encoding=encoding, count=count),
    )
    assert count(pack.text) == pack.receipt.used <= budget
    assert f" tokens {encoding}," in pack.text
    check_excerpts(pack, source)


def check_excerpts(pack: ContextPack, source: Path) -> None:
    """Every excerpt is what stands in the file at the lines it names, and none is shown twice."""
    shown: set[tuple[str, int]] = set()
    for excerpt in pack.excerpts:
        lines = (source / excerpt.path).read_bytes().decode("utf-8", "replace").split("\n")
        assert excerpt.text in pack.text
        if excerpt.detail == Detail.SIGNATURE:
            is_heading = excerpt.kind == SymbolKind.SECTION  # which loses its backticks
            signature = excerpt.text.partition("  # ")[0].removesuffix(" …")
            said = squeezed(signature, is_heading=is_heading)
            assert said[:20] in squeezed("\n".join(lines), is_heading=is_heading)
            continue
        assert excerpt.text == quoting.neutral("\n".join(shown_lines(excerpt, lines)))
        assert excerpt.detail == Detail.PART or not excerpt.omitted
        numbers = {(excerpt.path, n) for n in range(excerpt.start_line, excerpt.end_line + 1)}
        numbers -= {(excerpt.path, n) for a, b in excerpt.omitted for n in range(a, b + 1)}
        assert not shown & numbers
        shown |= numbers


def shown_lines(excerpt: Excerpt, lines: list[str]) -> Iterator[str]:
    """The lines that an excerpt says it shows, and a mark for each run that it leaves out."""
    at = excerpt.start_line
    for first, last in excerpt.omitted:
        yield from lines[at - 1 : first - 1]
        yield f"… {first}-{last}" if last > first else f"… {first}"
        at = last + 1
    yield from lines[at - 1 : excerpt.end_line]


def squeezed(text: str, *, is_heading: bool) -> str:
    return re.sub(r"[\s`]+" if is_heading else r"\s+", "", text)


def test_every_small_budget_holds(snapshot: Snapshot):
    for budget in range(MIN_BUDGET, 700, 1 if LONG else 13):
        pack = assemble.context(snapshot, Question("chunk symbols and tokens"), budget)
        assert tokens.count(pack.text) == pack.receipt.used <= budget
        assert pack.receipt.n_omitted
        assert pack.excerpts


def test_a_question_without_an_answer_says_how_much_was_searched(snapshot: Snapshot):
    pack = assemble.context(snapshot, Question("zqx" * 4), 256)
    assert pack.excerpts == ()
    assert f"nothing matches in the {snapshot.files.count():,} files" in pack.text
    assert tokens.count(pack.text) == pack.receipt.used


AWKWARD = {
    "many tiny files": {f"f{i}.py": f"def alpha{i}():\n    return beta({i})\n" for i in range(200)},
    "one long line": {"a.txt": "alpha beta " * 2000, "b.txt": "alpha beta " * 20},
    "paths longer than code": {
        "/".join(f"folder{i}" for i in range(40)) + f"/{n}.py": "alpha beta\n" * 50
        for n in range(20)
    },
    "characters of many tokens": {
        f"{i}.py": "# alpha 😀🏽‍👩‍👧‍👦日本語 ````\n" * 40 for i in range(20)
    },
    "windows line ends": {
        f"{i}.py": "def alpha(x):\r\n  return beta\r\n\r\n" * 10 for i in range(20)
    },
    "blank lines": {f"{i}.py": "alpha = 1\n" + "\n" * 200 + "b = alpha\n" * 9 for i in range(20)},
    "not text": {f"{i}.py": "# alpha \udcff\udcfe\udc80\udcc3( \udce9\n" * 40 for i in range(20)},
}


@pytest.mark.parametrize("files", AWKWARD.values(), ids=AWKWARD.keys())
def test_awkward_material_stays_within_the_budget_as_well(tmp_path: Path, files: dict[str, str]):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with index(tmp_path).snapshot() as snapshot:
        for budget in (256, 300, 333, 512, 1024, 4096):
            for encoding in ("cl100k_base", "o200k_base"):
                question = Question("alpha", Scope.ALL)
                pack = assemble.context(
                    snapshot, question, budget, assemble.PackOptions(encoding=encoding)
                )
                assert tokens.count(pack.text, encoding) == pack.receipt.used <= budget


def whole_lines(pack: ContextPack) -> set[tuple[str, int]]:
    """The lines of what a pack shows whole; blank ones may belong to no piece."""
    return {
        (excerpt.path, line)
        for excerpt in pack.excerpts
        if excerpt.detail == Detail.FULL
        for line, text in enumerate(excerpt.text.split("\n"), excerpt.start_line)
        if text.strip()
    }


def lines_in(pack: ContextPack) -> set[tuple[str, int]]:
    """The lines of code that a pack shows."""
    return {
        (excerpt.path, line)
        for excerpt in pack.excerpts
        if excerpt.detail != Detail.SIGNATURE
        for line in range(excerpt.start_line, excerpt.end_line + 1)
        if not any(first <= line <= last for first, last in excerpt.omitted)
    }


@settings(
    max_examples=2_000 if LONG else 12,
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(QUERIES, st.lists(BUDGETS, min_size=8, max_size=8), st.sampled_from(Scope))
@example("how is the index refreshed", [256, 512, 1024, 2048, 4096, 8192, 16384, 32768], Scope.IMPL)
@example(
    "fix `n_fitting` of budget.py, it hangs", [256, 300, 400, 700, 900, 950, 1000, 4000], Scope.ALL
)
def test_a_larger_pack_shows_whole_what_a_smaller_one_shows_whole(
    snapshot: Snapshot, query: str, budgets: list[int], scope: Scope
):
    if not query.strip():
        return
    packs = [assemble.context(snapshot, Question(query, scope), each) for each in sorted(budgets)]
    for smaller, larger in pairwise(packs):
        assert whole_lines(smaller) <= lines_in(larger)


@st.composite
def pasted(draw: st.DrawFn) -> tuple[str, list[tuple[float, float]]]:
    """A kind of question and, as shares of the number of functions and of lines, what it is of."""
    kind = draw(st.sampled_from(["lines", "trace", "failing test", "diff", "named"]))
    share = st.floats(0, 0.999)
    return kind, draw(st.lists(st.tuples(share, share), min_size=1, max_size=6))


def written(
    functions: list[Symbol], source: Path, kind: str, of: list[tuple[float, float]]
) -> Question:
    """Such a question, of functions of an index."""
    chosen = [(functions[int(share * len(functions))], rest) for share, rest in of]
    if kind == "diff":
        hunks: list[str] = []
        for path, share in {symbol.path: share for symbol, share in chosen}.items():
            lines = (source / path).read_text("utf-8").split("\n")
            first = int(share * len(lines))
            added = [f"+{line}" for line in lines[first:]]
            head = f"@@ -{first + 1},0 +{first + 1},{len(added)} @@"
            hunks += [f"--- a/{path}", f"+++ b/{path}", head, *added]
        return Question("", Scope.ALL, changes="\n".join(hunks))
    texts: list[str] = []
    for symbol, share in chosen:
        first, last = symbol.span.start_line, symbol.span.end_line
        at = first + int(share * (last - first))
        texts += {
            "lines": [f"{symbol.path}:{at}-{last + int(300 * share)}"],
            "trace": [f'  File "{symbol.path}", line {at}, in {symbol.name}', "    fail()"],
            "failing test": [f"FAILED {symbol.path}::{symbol.name} - assert 1 == 2"],
            "named": [f"`{symbol.qualified_name}`"],
        }[kind]
    if kind == "trace":
        texts = ["Traceback (most recent call last):", *texts, "ValueError: no such line"]
    return Question("\n".join(texts), Scope.ALL)


@settings(
    max_examples=2_000 if LONG else 12,
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    pasted(),
    st.lists(BUDGETS, min_size=8, max_size=8),
    st.lists(st.text("abc de", min_size=1, max_size=400), max_size=4),
)
@example(("diff", [(0.1, 0.0), (0.5, 0.3)]), [256, 999, 1000, 2000, 3999, 4000, 8000, 9000], ["a"])
@example(("lines", [(0.2, 0.1), (0.7, 0.9)]), [256, 300, 600, 900, 1500, 2000, 4000, 8000], [])
@example(
    ("failing test", [(0.97, 0.5)]), [256, 400, 800, 1200, 2000, 4000, 8000, 16000], ["b" * 99]
)
def test_so_does_one_for_something_pasted_whatever_is_said_beside_it(
    snapshot: Snapshot,
    functions: list[Symbol],
    source: Path,
    of: tuple[str, list[tuple[float, float]]],
    budgets: list[int],
    notices: list[str],
):
    question = written(functions, source, *of)
    options = assemble.PackOptions(
        notices=tuple(notices), known=lambda _, room: ["a\n"] * (room // 2)
    )
    packs = [assemble.context(snapshot, question, each, options) for each in sorted(budgets)]
    for smaller, larger in pairwise(packs):
        assert tokens.count(smaller.text) == smaller.receipt.used <= smaller.receipt.budget
        assert whole_lines(smaller) <= lines_in(larger)
        assert hunk_lines(smaller, is_whole=True) <= hunk_lines(larger, is_whole=False)


def hunk_lines(pack: ContextPack, *, is_whole: bool) -> set[tuple[str, str]]:
    """The lines of the hunks that a pack shows, or shows whole."""
    return {
        (excerpt.path, line)
        for excerpt in pack.excerpts
        if excerpt.detail == Detail.HUNK
        if not (is_whole and excerpt.text.rpartition("\n")[2].startswith("… "))
        for line in excerpt.text.split("\n")
    }


def test_a_pack_without_a_written_budget_is_the_beginning_of_one_with(snapshot: Snapshot):
    question = Question("how does a pack stay within its token budget")
    paying = assemble.context(snapshot, question, Spending(4_096, turn=1_000))
    filled = assemble.context(snapshot, question, 4_096)
    assert paying.receipt.ending and paying.receipt.ending.end == End.ENOUGH
    assert 0 < paying.receipt.used < filled.receipt.used
    assert whole_lines(paying) <= lines_in(filled)
    dearer = assemble.context(snapshot, question, Spending(4_096, turn=10_000))
    assert paying.receipt.used < dearer.receipt.used


def test_a_line_of_a_comment_that_a_failing_test_leads_to_stays_in_a_larger_pack(
    project: Callable[[str], Path],
):
    said = "\n".join(
        f"        Line {n} says what the register keeps of a tester." for n in range(9)
    )
    declared = "".join(
        f"    @t.overload\n    def tester(self, name: T{n}) -> T{n}: ...\n" for n in range(2)
    )
    body = "".join(f"        self.n{n} = name\n" for n in range(20))
    tree = project(
        f"//- app/book.py\nclass Book:\n{declared}    def tester(self, name):\n"
        f'        """Registers a tester. The name\n\n{said}\n        """\n{body}'
        "        return self.add_tester(name)\n\n    def add_tester(self, name):\n"
        '        """Adds one.\n\n        Works like the :meth:`tester` decorator.\n\n'
        f'{said}\n        """\n        self.testers.append(name)\n'
    )
    asked = Question("FAILED app/book.py::Book::tester - AssertionError: assert 1 == 2", Scope.IMPL)
    with index(tree).snapshot() as small:
        packs = [assemble.context(small, asked, budget) for budget in (256, 320, 400, 512, 1_000)]
    for smaller, larger in pairwise(packs):
        assert whole_lines(smaller) <= lines_in(larger)
    assert "Works like" in packs[0].text

"""The call-graph bench on a program small enough to score by hand."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from bench.callgraph import rustdoc, score
from bench.callgraph.observed import observe
from bench.callgraph.programs import PROGRAMS, Written, indexed, read
from bench.callgraph.pycg import calls
from satchel.indexer.extract.pool import Pool
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite.database import connect

PROGRAM = """\
class A:
    def __init__(self): pass

def wrap(f):
    return f

@wrap
def f():
    return len([])

value = f()
"""
EXPECTED = {
    "main": ["main.wrap", "main.f", "main.g"],
    "main.f": ["<builtin>.len"],
    "main.g": [],
    "main.wrap": [],
}


def test_edges_are_scored_in_the_names_of_the_benchmark(tmp_path: Path, capsys):
    folder = tmp_path / "category" / "program"
    folder.mkdir(parents=True)
    (folder / "main.py").write_text(PROGRAM + "def g(): pass\n", encoding="utf-8")
    (folder / "callgraph.json").write_text(json.dumps(EXPECTED), encoding="utf-8")
    assert score.main(["pycg", str(tmp_path), "--wrong"]) == 0
    printed = capsys.readouterr().out
    assert "| category | 1 | 0 | 3 | 2 | 2 | 1.000 | 0.667 |" in printed
    assert "missing  category/program: main -> main.g" in printed
    assert "<builtin>" not in printed


def test_a_folder_without_programs_is_said_to_be_one(tmp_path: Path):
    with pytest.raises(SystemExit, match="nothing to score: no program below"):
        score.main(["pycg", str(tmp_path)])


GO = """\
package p

func helper() {}

func caller() { helper(); other() }

func other() {}
"""
GO_NAMES = (
    ("definition", 2, 5, 11, "a.go:2:5"),
    ("definition", 4, 5, 11, "a.go:4:5"),
    ("definition", 6, 5, 10, "a.go:6:5"),
    ("call", 4, 16, 22, "a.go:2:5"),
    ("call", 4, 26, 31, "outside"),
)


def test_edges_are_held_against_what_a_compiler_says_of_each_name(tmp_path: Path, capsys):
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.go").write_text(GO, encoding="utf-8")
    rows = [f"a.go\t{line}\t{a}\t{z}\t{role}\t{to}" for role, line, a, z, to in GO_NAMES]
    names = tmp_path / "tree.tsv"
    names.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert score.main(["names", f"tree={root}={names}", "--wrong"]) == 0
    printed = capsys.readouterr().out
    assert "| tree | 1 | 1 | 1.000 | 2 | 1 | 0.500 | 0 |" in printed
    assert "wrong    tree local: a.go:5 other -> a.go:7" in printed


PAGE = """<html><body><pre class="rust"><code>\
<a href=#1 id=1 data-nosnippet>1</a><span class="kw">fn </span>run(x: <a href="#4">Old</a>) {
<a href=#2 id=2 data-nosnippet>2</a>    <a href="b.rs.html#1-3">make</a>(); x.<a \
href="https://doc.rust-lang.org/std/x.html#method.len">len</a>(); <a href="#1">run</a>;
<a href=#3 id=3 data-nosnippet>3</a>}
<a href=#4 id=4 data-nosnippet>4</a><span class="kw">use </span>b::New <span>as</span> Old;
</code></pre></body></html>"""
OTHER = """<pre class="rust"><code><a href=#1 id=1 data-nosnippet>1</a>pub fn make() {
<a href=#2 id=2 data-nosnippet>2</a>}
</code></pre>"""


def test_the_links_of_a_rust_page_are_names_with_a_meaning(tmp_path: Path):
    (tmp_path / "a.rs.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "b.rs.html").write_text(OTHER, encoding="utf-8")
    names = rustdoc.read(tmp_path)
    uses = {(n.line, n.start, n.symbol, n.is_call) for n in names["a.rs"] if not n.is_definition}
    assert {
        (1, 4, "b.rs:1:make", True),
        (1, 14, "outside", True),
        (1, 21, "a.rs:1:run", False),
    } <= uses
    (defined,) = (n for n in names["b.rs"] if n.is_definition)
    assert (defined.line, defined.start, defined.end) == (0, 7, 11)


OBSERVED = [
    "asynchronous workers around a queue",
    "decorators with arguments, on functions and on classes",
    "a command line with subcommands",
]


@pytest.mark.parametrize("name", OBSERVED)
def test_what_programs_are_expected_to_call_is_what_they_call_when_they_run(name: str):
    program = next(each for each in read(PROGRAMS) if each.name == name)
    assert observe(program).differs(program.expected) == []


def test_a_run_says_which_expected_call_is_not_made_and_which_made_call_is_not_expected():
    text = (
        "import re\n"
        "def a(): return re.sub('x', key, 'x')\n"
        "def key(x): return ''.join(steps())\n"
        "def steps(): yield b()\n"
        "def b(): return 'y'\n"
        "a()\n"
    )
    # `key` is called by a library: from where it was handed over, or from where it runs.
    right = {("main", "a"), ("main", "key"), ("key", "steps"), ("steps", "b")}
    written = Written(
        "python", "c", "n", (("main.py", text),), frozenset(), frozenset(), frozenset()
    )
    seen = observe(written)
    assert seen.differs(frozenset(right)) == []
    assert seen.differs(frozenset({*right, ("a", "b")} - {("key", "steps")})) == [
        "+ key -> steps",
        "- a -> b",
    ]


def test_a_graph_without_grammars_is_no_result(tmp_path: Path):
    """Over files that nobody parsed every program without calls would be exact."""
    (tmp_path / "state").mkdir()
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "a.py").write_text("def (:\n", encoding="utf-8")
    limits = WorkerLimits(n_workers=1)
    with Pool(limits) as pool, indexed(tmp_path / "program", tmp_path / "state", limits, pool) as s:
        assert list(calls(s)) == []
    with closing(connect(tmp_path / "state", writable=True)) as db:
        db.execute("UPDATE problems SET kind = 'grammar', detail = 'python: no grammar'")
        no_result = pytest.raises(RuntimeError, match="nothing to score: python: no grammar")
        with SqliteSnapshot(db) as snapshot, no_result:
            list(calls(snapshot))

"""Code in a language that no row reads: it is code, and says so where something is missing."""

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.assembler.assemble import context
from satchel.assembler.kinds import Scope
from satchel.assembler.lookup.symbols import lookup
from satchel.assembler.query.question import Question
from satchel.assembler.ranking.path_roles import role_of
from satchel.indexer.extract.analyze import analyze
from satchel.indexer.languages.detect import by_name, detect
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import index, satchel

PLAYER = """
extends Node
# @onready and signals are left out.

var health = 10

# Lowers the health, and lets the player die.
func take_damage(amount):
	health -= amount
	if health <= 0:
		die()
"""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("game")
    (root / "player.zz").write_text(PLAYER, encoding="utf-8")
    (root / "README.md").write_text("# A game\n\nPlayers take damage.\n", encoding="utf-8")
    (root / "shelf.py").write_text("class Shelf:\n    def put(self): pass\n", encoding="utf-8")
    inner = root / "inner"
    inner.mkdir()
    (inner / "shelf.py").write_text("class Shelf:\n    def take(self): pass\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def snapshot(game: Path) -> Iterator[Snapshot]:
    with index(game).snapshot() as found:
        yield found


@pytest.mark.parametrize("path", ["a/b.dart", "Jenkinsfile", "x.tmpl.zz", "b.q9", "a/UP.QQ"])
def test_whatever_is_not_known_prose_output_or_data_is_code(path: str):
    language = detect(path).name
    assert by_name(language) is detect(path)
    assert role_of(path, language, is_test=False).topic is None


@pytest.mark.parametrize(
    "path",
    "a.txt b.log c.csv README LICENSE.MIT readme changelog .gitignore d.po e.svg f.snap".split(),
)
def test_prose_output_and_data_are_text(path: str):
    assert detect(path).name == "text"


def test_tests_in_a_language_without_a_row_are_known_by_usual_names():
    tests = "a_test.zz test_a.zz pkg/CartTest.zz tests/a.zz a.spec.zz test/a.zz"
    product = "contest.zz latest/a.zz attest_a.zz testimony.zz"
    assert all(is_test_path(RepoPath(path), ".zz", ()) for path in tests.split())
    assert not any(is_test_path(RepoPath(path), ".zz", ()) for path in product.split())


def test_a_pack_shows_a_function_of_an_unknown_language_whole(snapshot: Snapshot):
    pack = context(snapshot, Question("take_damage"), 500)
    assert PLAYER[PLAYER.index("# Lowers") :].strip() in pack.text


def test_a_name_in_what_is_not_parsed_is_not_denied(snapshot: Snapshot):
    assert [s.path for s in lookup(snapshot, "take_damage", "", Scope.ALL, 5).definitions] == [
        "player.zz"
    ]
    said = [str(each) for each in lookup(snapshot, "health", "", Scope.ALL, 5).absent]
    assert said == ["not indexed: 1 .zz file is not parsed; player.zz has the name in line 5"]
    assert lookup(snapshot, "nowhere", "", Scope.ALL, 5).absent == ()


def test_status_names_the_extensions_that_are_not_parsed(game: Path):
    said = satchel("status", cwd=game).stdout.decode().splitlines()
    assert "languages: python 2, markdown 1" in said
    assert "not parsed: .zz 1" in said


def test_members_of_a_class_in_the_top_folder_are_listed_once(snapshot: Snapshot):
    found = lookup(snapshot, "Shelf.*", "", Scope.ALL, 9).definitions
    assert [s.qualified_name for s in found] == ["Shelf.put", "Shelf.take"]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("func (s *Stack) Push(v int) {\n  x()\n}\n", ["Push 1-3"]),
        ("static int\nadd(int a)\n{\n}\nint sub(int a) {\n  f(a);\n}\n", ["add 2-4", "sub 5-7"]),
        ("class A\n{\n    int f(int a,\n          int b)\n    {\n    }\n}\n", ["A 1-7", "A.f 3-6"]),
        ("class A {\n  match(\n    a: X,\n  ): B<X> {\n  }\n}\n", ["A 1-6", "A.match 2-5"]),
        ("fn f(\n  a: X,\n) -> B\nwhere\n  X: Y,\n{\n  a\n}\nb()\n", ["f 1-8"]),
        ("export const f = async (\n  a: X,\n): B => {\n  b\n}\nx = g(a)\n", ["f 1-5"]),
        ("def f():\n    a\n    # b\n\n# c\nx = 1\n", ["f 1-3"]),
        ("int f(int a) {\n  b();\nout:\n  c();\n}\n", ["f 1-5"]),
        ("template <T>\nauto f(T a,\n       T b)\n    -> X<T> {\n  b;\n}\n", ["f 1-6"]),
        ("f(a,\n  b)\nmatch x {\n}\ng(a, () => {\n  h()\n})\nsynchronized (x) {\n}\n", []),
        ("procedure Foo;\nvar x: int;\nbegin\n  y;\nend;\n\nprocedure B;\n", ["Foo 1-5", "B 7-7"]),
        ("(defun area (r)\n  (* r r))\n(define (twice x)\n  x)\n", ["area 1-2", "twice 3-4"]),
        ("def f(\n  a,\n) do\n  a\nend\ndef g, do: 1\n", ["f 1-5", "g 6-6"]),
        ("class A {\n  run() {\n    if (x) {\n    }\n  }\n}\n", ["A 1-6", "A.run 2-5"]),
        ("the function is called\nif (x) {\n}\nreturn f(x)\nimport a from b\n", []),
        ("twice <- function(x) {\n  x\n}\nlocal f = function (x)\nend\n", ["twice 1-3", "f 4-5"]),
        ("def f # rubocop:disable X\n  a\nend\n", ["f 1-3"]),
        ("class A {\n  #run(\n    a\n  ) {\n    b\n  }\n}\n", ["A 1-7", "A.run 2-6"]),
        ("impl<'a, T> Read<'a> for File<T> {\n  x\n}\n", ["File 1-3"]),
        ("template <class T> struct Box {\n  x\n}\n", ["Box 1-3"]),
        ("const make = build('a', (b) => {\n  c\n})\nif x\n  d = {\n  }\n", ["make 1-3"]),
        ("def f(1), do: 2\ndef f(n), do: 3\n\ndef f(n, m), do: 4\n", ["f 1-2", "f 4-4"]),
        ("match x {\n  Some(y) => {\n    z\n  }\n}\n", []),
        ("area :: Int -> Int\narea 0 = 0\narea r =\n  r * r\n\nmain = x\n", ["area 1-4"]),
        ("let area r =\n  r\nlet rec twice r = r\nlet x = 5\n", ["area 1-2", "twice 3-3"]),
        ("area(R) when R > 0 ->\n  R;\narea(_) -> 0.\nmain() -> ok.\n", ["area 1-3", "main 4-4"]),
        ("function Get-Area ($r) {\n  x\n}\nfun `a b`() {\n}\n", ["Get-Area 1-3", "a b 4-5"]),
        ("get-area() {\n  x\n}\nint one(int a) { return a; }\n", ["get-area 1-3", "one 4-4"]),
        ("mod inner {\n  x\n}\nnamespace A\\B;\npackage C::D;\n",
         ["inner 1-3", "A\\B 4-4", "C::D 5-5"]),
    ],
)  # fmt: skip
def test_what_most_languages_call_a_definition_is_one(code: str, found: list[str]):
    symbols = analyze(textwrap.dedent(code).encode(), by_name(".zz")).symbols
    places = [f"{s.qualified_name} {s.span.start_line}-{s.span.end_line}" for s in symbols]
    assert places == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("fn f() {\n  g(1)\n  a.b.h(2)\n  g(3)\n}\n", ["f: g 2", "f: a.b.h 3"]),
        ("fn f() {\n  f(1)\n  make()\n    .then(x)\n}\n", ["f: make 3", "f: ().then 4"]),
        # What has no brackets where it is defined has none where it is used.
        ("fun area r =\n  r * r\n\nfun twice r =\n  add (area r) r\n", ["twice: area 5"]),
        ("fn total() {\n}\nfn f() {\n  total = 1\n  total()\n}\n", ["f: total 5"]),
        ('fn f() {\n  # g()\n  x = "h()" // i()\n  """\n  j()\n  """\n  k()\n}\n', ["f: k 7"]),
        ("interface A {\n  f(): string\n}\n", []),
        ("if (x) return (y)\ng(z)\n", [": g 2"]),
    ],
)
def test_calls_are_found_in_the_text_of_a_language_without_a_grammar(code: str, found: list[str]):
    facts = analyze(code.encode(), by_name(".zz"))
    names = [symbol.qualified_name for symbol in facts.symbols] + [""]
    uses = [
        f"{names[use.scope]}: {use.receiver + '.' if use.receiver else ''}{use.name} {use.line}"
        for use in facts.references
    ]
    assert uses == found


def test_headings_of_documents_are_called_by_nobody():
    assert analyze(b"# f\n\nCall f() first.\n", by_name("markdown")).references == ()


def test_callers_in_a_language_without_a_grammar_are_listed(tmp_path: Path):
    (tmp_path / "a.zz").write_text("func take_damage(n)\n\tlose(n)\n", encoding="utf-8")
    (tmp_path / "b.zz").write_text("func hit(p)\n\ttake_damage(3)\n", encoding="utf-8")
    index(tmp_path)
    said = satchel("deps", "take_damage", cwd=tmp_path).stdout.decode()
    assert "<- hit  b.zz:1  (call, unique 0.80)  2| take_damage(3)" in said

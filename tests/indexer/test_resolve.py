"""Which definition a use means, rule by rule, on projects small enough to read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from tests.support.satchel import index

CASES: dict[str, tuple[str, list[str]]] = {
    "a function of the same file": (
        "//- a.py\ndef f():\n    g()\ndef g(): pass",
        ["a.f -> a.g by local"],
    ),
    "the innermost of two": (
        "//- a.py\ndef g(): pass\ndef f():\n    def g(): pass\n    g()",
        ["a.f -> a.f.g by local"],
    ),
    "a method through self": (
        "//- a.py\nclass A:\n    def f(self):\n        self.g()\n    def g(self): pass\n"
        "//- b.py\ndef g(): pass",
        ["a.A.f -> a.A.g by self"],
    ),
    "a method through this": (
        "//- a.js\nclass A {\n  f() { this.g(); }\n  g() {}\n}\n//- b.js\nfunction g() {}",
        ["a.A.f -> a.A.g by self"],
    ),
    "a member of a type of the same file": (
        "//- a.py\nclass A:\n    @staticmethod\n    def g(): pass\ndef f():\n    A.g()\n"
        "//- b.py\nclass B:\n    def g(self): pass",
        ["a.f -> a.A.g by qualified"],
    ),
    "an imported name": (
        "//- a.py\nfrom pkg.b import g\ndef f():\n    g()\n"
        "//- pkg/b.py\ndef g(): pass\n//- pkg/c.py\ndef g(): pass",
        ["a.f -> pkg/b.g by import"],
    ),
    "an imported name under an alias": (
        "//- a.py\nfrom pkg.b import g as h\ndef f():\n    h()\n"
        "//- pkg/b.py\ndef g(): pass\n//- pkg/c.py\ndef g(): pass\n//- d.py\ndef h(): pass",
        ["a.f -> pkg/b.g by import"],
    ),
    "a name from everything a module has": (
        "//- a.py\nfrom pkg.b import *\ndef f():\n    g()\n"
        "//- pkg/b.py\ndef g(): pass\n//- pkg/c.py\ndef g(): pass",
        ["a.f -> pkg/b.g by import"],
    ),
    "a function of an imported module": (
        "//- a.py\nfrom pkg import b\ndef f():\n    b.g()\n"
        "//- pkg/b.py\ndef g(): pass\n//- pkg/c.py\ndef g(): pass",
        ["a.f -> pkg/b.g by import"],
    ),
    "a member of an imported class": (
        "//- a.py\nfrom pkg.b import B\ndef f():\n    B.g()\n"
        "//- pkg/b.py\nclass B:\n    def g(): pass\n//- pkg/c.py\nclass C:\n    def g(): pass",
        ["a.f -> pkg/b.B.g by import"],
    ),
    "a base class": (
        "//- a.py\nfrom b import Base\nclass A(Base): pass\n//- b.py\nclass Base: pass",
        ["a.A -> b.Base by import"],
    ),
    "a file of the same package": (
        "//- p/a.go\npackage p\n\nfunc f() { g() }\n//- p/b.go\npackage p\n\nfunc g() {}\n"
        "//- q/c.go\npackage q\n\nfunc g() {}",
        ["p/a.f -> p/b.g by package"],
    ),
    "a function of a module that an alias leads to": (
        "//- a.ex\ndefmodule A do\n  alias Out.Type\n  def f(), do: Type.Inner.g()\nend\n"
        "//- b.ex\ndefmodule Out.Type.Inner do\n  def g(), do: 1\nend\n"
        "//- c.ex\ndefmodule Other.Inner do\n  def g(), do: 1\nend",
        ["a.A.f -> b.Out.Type.Inner.g by import"],
    ),
    "a function by the whole name of its module": (
        "//- a.ex\ndefmodule A do\n  def f(), do: Out.Inner.g()\nend\n"
        "//- b.ex\ndefmodule Out.Inner do\n  def g(), do: 1\nend\n"
        "//- c.ex\ndefmodule Inner do\n  def g(), do: 1\nend",
        ["a.A.f -> b.Out.Inner.g by import"],
    ),
    "an extension that is imported by its name": (
        "//- src/main/kotlin/app/A.kt\npackage app\nimport out.tell\n"
        "fun f(x: String) { x.tell() }\n"
        "//- src/main/kotlin/out/B.kt\npackage out\nfun String.tell() {}\n"
        "//- src/main/kotlin/other/C.kt\npackage other\nfun String.tell() {}\n",
        ["src/main/kotlin/app/A.f -> src/main/kotlin/out/B.String.tell by extension"],
    ),
    "no extension of the file where another one is imported": (
        "//- A.kt\nimport elsewhere.tell\nfun f(x: String) { x.tell() }\n"
        "private fun Int.tell() {}\nfun g(x: Int) { x.say() }\nprivate fun Int.say() {}\n",
        ["A.g -> A.Int.say by extension"],
    ),
    "an extension of C# in a namespace that is used": (
        "//- A.cs\nusing Out;\nnamespace App { class A { void F(string x) { x.Tell(); } } }\n"
        "//- B.cs\nnamespace Out { static class B { public static void Tell(this string s) {}"
        " } }\n"
        "//- C.cs\nnamespace Other { static class C { public static void Tell(this string s)"
        " {} } }\n",
        ["A.App.A.F -> B.Out.B.Tell by extension"],
    ),
    "the only one of that name": (
        "//- a.py\ndef f(x):\n    x.only()\n//- b.py\nclass B:\n    def only(self): pass",
        ["a.f -> b.B.only by unique"],
    ),
    "a member of what a constructor gave": (
        "//- a.py\nfrom b import B\ndef f():\n    x = B()\n    x.g()\n"
        "//- b.py\nclass B:\n    def g(self): pass\n//- c.py\nclass C:\n    def g(self): pass",
        ["a.f -> b.B by import", "a.f -> b.B.g by assigned"],
    ),
    "a constructor, own or inherited": (
        "//- a.py\nclass A:\n    def __init__(self): pass\nclass B(A): pass\ndef f():\n    B()",
        ["a.B -> a.A by local", "a.f -> a.A.__init__ by constructor", "a.f -> a.B by local"],
    ),
    "a member of an annotated parameter": (
        "//- a.py\nfrom b import B\ndef f(x: B | None):\n    x.g()\n"
        "//- b.py\nclass B:\n    def g(self): pass\n//- c.py\nclass C:\n    def g(self): pass",
        ["a.f -> b.B by import", "a.f -> b.B.g by declared"],
    ),
    "a member of an attribute set elsewhere": (
        "//- a.py\nfrom b import B\nclass A:\n    def __init__(self):\n        self.b = B()\n"
        "    def f(self):\n        self.b.g()\n//- b.py\nclass B:\n    def g(self): pass\n"
        "//- c.py\nclass C:\n    def g(self): pass",
        ["a.A.__init__ -> b.B by import", "a.A.f -> b.B.g by assigned"],
    ),
    "a member of what a function returns": (
        "//- a.py\nfrom b import make\ndef f():\n    make().g()\n"
        "//- b.py\nclass B:\n    def g(self): pass\ndef make() -> 'B': ...\n"
        "//- c.py\nclass C:\n    def g(self): pass",
        ["a.f -> b.B.g by returned", "a.f -> b.make by import"],
    ),
    "a class that a method makes from its own and a given one": (
        "//- a.py\nclass A:\n    @classmethod\n    def make(cls, other):\n"
        "        class B(cls, other): pass\n        return B\n"
        "def f():\n    A.make(KeyError)()",
        ["a.f -> a.A.make by qualified", "a.f -> a.A.make.B by returned"],
    ),
    "an inherited member, in the order of bases": (
        "//- a.py\nclass A:\n    def g(self): pass\nclass B:\n    def g(self): pass\n"
        "class C(B, A):\n    def f(self):\n        self.g()\n        super().g()",
        ["a.C -> a.A by local", "a.C -> a.B by local", "a.C.f -> a.B.g by inherited"],
    ),
    "a name that a package exports again": (
        "//- a.py\nfrom pkg import g\ndef f():\n    g()\n"
        "//- pkg/__init__.py\nfrom .inner import g\n"
        "//- pkg/inner.py\ndef g(): pass\n//- c.py\ndef g(): pass",
        ["a.f -> pkg/inner.g by import"],
    ),
    "a function given as an argument": (
        "//- a.py\ndef g(): pass\ndef call(h):\n    h()\ndef f():\n    call(g)",
        ["a.call -> a.g by argument", "a.f -> a.call by local"],
    ),
    "a function kept in a dictionary": (
        "//- a.py\ndef g(): pass\ndef h(): pass\ntable = {'g': g, 'h': h}\n"
        "def f():\n    table['g']()",
        ["a.f -> a.g by assigned"],
    ),
    "what only a derived class has": (
        "//- a.py\nclass A:\n    def f(self):\n        self.g()\n"
        "class B(A):\n    def g(self): pass\n//- b.py\nclass C:\n    def g(self): pass",
        ["a.A.f -> a.B.g by heir", "a.B -> a.A by local"],
    ),
    "nobody, when the name was imported from elsewhere": (
        "//- a.py\nimport os\ndef f():\n    os.only()\n//- b.py\ndef only(): pass",
        [],
    ),
    "nobody, when a class is known and has no such member": (
        "//- a.py\nclass A: pass\ndef f():\n    A().only()\n"
        "//- b.py\nclass B:\n    def only(self): pass",
        ["a.f -> a.A by local"],
    ),
    "a function handed to something else": (
        "//- a.py\nfrom threading import Thread\ndef g(): pass\ndef f():\n    Thread(target=g)",
        ["a.f -> a.g by handed"],
    ),
    "TypeScript: a member of a field with a declared type": (
        "//- a.ts\nimport { Store } from './b.js';\nclass A {\n  private store: Store;\n"
        "  f() { this.store.get(); }\n}\n//- b.ts\nexport class Store { get() {} }\n"
        "//- c.ts\nexport class Other { get() {} }",
        ["a.A.f -> b.Store.get by declared", "a.A.store -> b.Store by import"],
    ),
    "TypeScript: through a barrel": (
        "//- a.ts\nimport { make } from './lib';\nfunction f() { make().go(); }\n"
        "//- lib/index.ts\nexport * from './make';\n"
        "//- lib/make.ts\nexport class T { go() {} }\n"
        "export function make(): T { return new T(); }",
        [
            "a.f -> lib/make.T.go by returned",
            "a.f -> lib/make.make by import",
            "lib/make.make -> lib/make.T by local",
        ],
    ),
    "JavaScript: a member of what was constructed": (
        "//- a.js\nconst B = require('./b');\nfunction f() { const x = new B(); x.g(); }\n"
        "//- b.js\nclass B { g() {} }\nmodule.exports = B;\n//- c.js\nclass C { g() {} }",
        ["a.f -> b.B by assigned", "a.f -> b.B.g by assigned"],
    ),
    "Go: a method of what a function of another package returns": (
        "//- main.go\npackage main\n\nimport \"x.io/m/store\"\n\n"
        "func f() {\n\ts, err := store.New()\n\ts.Get()\n}\n"
        "//- store/s.go\npackage store\n\ntype Store struct{}\n\n"
        "func New() (*Store, error) { return nil, nil }\n\n"
        "func (s *Store) Get() { s.inner() }\n//- store/t.go\npackage store\n\n"
        "func (s *Store) inner() {}\n\ntype T struct{}\n\nfunc (t T) Get() {}",
        [
            "main.f -> store/s.New by import",
            "main.f -> store/s.Store.Get by returned",
            "store/s.New -> store/s.Store by local",
            "store/s.Store.Get -> store/t.Store.inner by declared",
        ],
    ),
    "Java: a method of a field's type": (
        "//- p/A.java\npackage p;\nimport q.B;\nclass A {\n  private B b;\n"
        "  void f() { b.g(); }\n}\n//- q/B.java\npackage q;\npublic class B { void g() {} }\n"
        "//- q/C.java\npackage q;\nclass C { void g() {} }",
        ["p/A.A.b -> q/B.B by import", "p/A.A.f -> q/B.B.g by declared"],
    ),
    "Rust: a method of what `new` gives": (
        "//- src/main.rs\nuse crate::b::B;\nfn f() { let x = B::new(); x.g(); }\n"
        "//- src/b.rs\npub struct B;\nimpl B {\n  pub fn new() -> Self { B }\n"
        "  pub fn g(&self) {}\n}\npub struct C;\nimpl C { fn g(&self) {} }",
        ["src/main.f -> src/b.B.g by returned", "src/main.f -> src/b.B.new by import"],
    ),
    "Go: no type of the tree, where the package is outside of it": (
        "//- go.mod\nmodule example.org/x\n//- x.go\npackage x\n\ntype Duration int\n"
        "//- app/a.go\npackage app\n\nimport (\n\t\"time\"\n\t\"example.org/x\"\n)\n\n"
        "func f(d time.Duration) {}\n\nfunc g(d x.Duration) {}",
        ["app/a.g -> x.Duration by import"],
    ),
    "TypeScript: nothing of the tree under a name that a package brings": (
        "//- src/a.ts\nimport { merge, Options } from 'lodash'\nimport { part } from './c'\n"
        "export function f(o: Options) { merge(o); part(o) }\n"
        "//- src/b.ts\nexport function merge(o) {}\nexport function part(o) {}\n"
        "export interface Options { x: number }",
        ["src/a.f -> src/b.part by unique"],
    ),
    "Java: no type of the tree, where one of the language is imported": (
        "//- src/main/java/p/A.java\npackage p;\nimport java.time.Duration;\n"
        "class A {\n  Duration f() { return Duration.ofDays(1); }\n}\n"
        "//- src/main/java/p/B.java\npackage p;\nimport q.Duration;\n"
        "class B {\n  Duration f() { return Duration.ofDays(1); }\n}\n"
        "//- src/main/java/q/Duration.java\npackage q;\n"
        "public class Duration { public static void ofDays(int n) {} }",
        [
            "src/main/java/p/B.B.f -> src/main/java/q/Duration.Duration by import",
            "src/main/java/p/B.B.f -> src/main/java/q/Duration.Duration.ofDays by import",
        ],
    ),
    "Kotlin: no type of the tree, where one of the language is imported": (
        "//- A.kt\npackage p\nimport java.time.Duration\n"
        "fun f(d: Duration) = Duration.ofDays(1)\n"
        "//- B.kt\npackage q\nclass Duration { companion object { fun ofDays(n: Int) {} } }",
        [],
    ),
    "Kotlin: extensions of one name in several files of a package that is imported": (
        "//- src/main/kotlin/o/internal/Jvm.kt\npackage o.internal\n"
        "fun Socket.shut() {}\n"
        "//- src/main/kotlin/o/internal/Common.kt\npackage o.internal\n"
        "fun Closeable.shut() {}\n"
        "//- src/main/kotlin/o/other/More.kt\npackage o.other\n"
        "fun Writer.shut() {}\n"
        "//- src/main/kotlin/o/app/Body.kt\npackage o.app\nimport o.internal.shut\n"
        "class Body(val s: java.net.Socket) {\n  fun close() { s.shut() }\n}",
        [
            "src/main/kotlin/o/app/Body.Body.close -> src/main/kotlin/o/app/Body.Body.s by self",
            "src/main/kotlin/o/app/Body.Body.close"
            " -> src/main/kotlin/o/internal/Common.Closeable.shut by extension",
            "src/main/kotlin/o/app/Body.Body.close"
            " -> src/main/kotlin/o/internal/Jvm.Socket.shut by extension",
        ],
    ),
    "Rust: no function of the tree, where one of the language is called": (
        "//- src/main.rs\nuse std::env;\nmod clock;\n"
        "fn f() { env::var(1); std::env::var(2); }\n"
        "//- src/clock.rs\npub struct Clock;\nimpl Clock { pub fn var(n: u64) {} }",
        [],
    ),
    "Python: an instance of the class that a class method was called on": (
        "//- a.py\nimport typing as t\nclass Base:\n    @classmethod\n"
        "    def said(cls) -> t.Self: ...\n    @classmethod\n    def made(cls):\n"
        "        it = cls()\n        return it\n"
        "class A(Base):\n    def one(self): ...\n    def two(self): ...\n"
        "class B:\n    def one(self): ...\n    def two(self): ...\n"
        "def f():\n    A.said().one()\ndef g():\n    A.made().two()",
        [
            "a.A -> a.Base by local",
            "a.Base.made -> a.Base by local",
            "a.f -> a.A.one by returned",
            "a.f -> a.Base.said by inherited",
            "a.g -> a.A.two by returned",
            "a.g -> a.Base.made by inherited",
        ],
    ),
    "nobody, when two could be meant": (
        "//- a.py\ndef f(x):\n    x.both()\n//- b.py\nclass B:\n    def both(self): pass\n"
        "//- c.py\nclass C:\n    def both(self): pass",
        [],
    ),
    "nobody, when only another language has the name": (
        "//- a.py\ndef f():\n    only()\n//- b.rb\ndef only\nend",
        [],
    ),
    "product code rather than a test": (
        "//- a.py\ndef f(x):\n    x.only()\n//- b.py\nclass B:\n    def only(self): pass\n"
        "//- tests/test_b.py\nclass TestB:\n    def only(self): pass",
        ["a.f -> b.B.only by unique"],
    ),
    "no type inside of another by its bare name, unless the scope is in that or inherits from it": (
        "//- Sources/Results.swift\nstruct Results {\n  struct Codable { var a: Int }\n}\n"
        "//- Other/URI.swift\nstruct URI: Codable {}\n"
        "extension Results { func f(c: Codable) {} }\n",
        ["Other/URI.Results.f -> Sources/Results.Results.Codable by import"],
    ),
    "no associated type of Rust by its bare name": (
        "//- src/a.rs\npub struct Batch;\nimpl Iterator for Batch {\n  type Item = u8;\n}\n"
        "//- src/b.rs\npub fn merge(all: impl IntoIterator<Item = u8>) {}\n",
        [],
    ),
    "a function of a helper module that a class mixes in": (
        "//- app/helper.rb\nmodule Helper\n  def token(a)\n  end\nend\n"
        "//- app/base.rb\nclass Base\n  include Outside\n  def go\n    token(1)\n  end\nend\n",
        ["app/base.Base.go -> app/helper.Helper.token by unique"],
    ),
    "a type inside of another by a path of C++": (
        "//- src/log.h\nstruct Log { struct Entry { static int Hash(int a); }; };\n"
        "//- src/log.cc\n#include \"log.h\"\nint Log::Entry::Hash(int a) { return a; }\n"
        "//- src/use.cc\n#include \"log.h\"\nint f() { return Log::Entry::Hash(1); }\n",
        ["src/use.f -> src/log.Log.Entry.Hash by import"],
    ),
    "no function of Rust behind a value, and for certain one that a path names in full": (
        "//- src/error.rs\npub fn report(s: &str) {}\n"
        "//- src/b.rs\npub fn f(x: Out) { x.report(\"\"); }\n"
        "pub fn g() { crate::error::report(\"\"); }\npub fn h() { error::report(\"\"); }\n",
        ["src/b.g -> src/error.report by import", "src/b.h -> src/error.report by import"],
    ),
    "no member that libraries have, on a receiver that is unknown": (
        "//- a.rb\nclass A\n  def to_s\n  end\n  def save\n  end\nend\n"
        "//- b.rb\ndef f(x)\n  x.to_s\n  x.save\nend\n",
        [],
    ),
}  # fmt: skip


def edges(snapshot: Snapshot) -> list[str]:
    found = list(snapshot.graph.edges())
    ids = sorted({edge.source for edge in found} | {edge.target for edge in found})
    names = {
        record.id: f"{record.path.rpartition('.')[0]}.{record.qualified_name}"
        for record in snapshot.symbols.by_id(ids)
    }
    return sorted(f"{names[e.source]} -> {names[e.target]} by {e.rule}" for e in found)


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_a_use_means(project: Callable[[str], Path], text: str, expected: list[str]):
    with index(project(text)).snapshot() as snapshot:
        assert edges(snapshot) == expected


def test_an_edge_says_how_sure_it_is_and_where_it_is_used(project: Callable[[str], Path]):
    with index(project("//- a.py\ndef g(): pass\ndef f():\n\n    g()\n    g()")).snapshot() as snap:
        (edge,) = snap.graph.edges()
    assert (edge.kind, edge.line, edge.confidence) == ("call", 4, 0.95)


def test_a_function_that_is_handed_over_is_used_where_that_is_done(project):
    text = """
    app.use(first);
    app.get("/", second);
    app.get("/more", third);
    other.get("/other", fourth);
    function first() {} function second() {} function third() {} function fourth() {}
    """
    with index(project(f"//- a.js{text}")).snapshot() as snapshot:
        found = list(snapshot.graph.edges())
        names = {r.id: r.name for r in snapshot.symbols.by_id([edge.target for edge in found])}
    assert {names[edge.target]: edge.line for edge in found} == {
        "first": 1, "second": 2, "third": 3, "fourth": 4,
    }  # fmt: skip


def test_a_use_without_a_definition_is_kept_and_resolves_when_one_appears(project):
    root = project("//- a.py\nfrom b import late\ndef f():\n    late()")
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == []
        assert [use.path for use in snapshot.symbols.references_to("late", 9)] == ["a.py"]
    project("//- b.py\ndef late(): pass")
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == ["a.f -> b.late by import"]


def test_a_definition_finds_a_use_that_appears_later(project):
    root = project("//- b.py\ndef late(): pass")
    index(root)
    project("//- a.py\nfrom b import late\ndef f():\n    late()")
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == ["a.f -> b.late by import"]


def test_an_edge_goes_with_its_target_and_comes_back_with_it(project):
    root = project("//- a.py\nfrom b import g\ndef f():\n    g()\n//- b.py\ndef g(): pass")
    index(root)
    (root / "b.py").unlink()
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == []
    project("//- b.py\ndef g(): pass")
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == ["a.f -> b.g by import"]


def test_a_second_definition_makes_a_unique_one_ambiguous(project):
    root = project(
        "//- a.py\ndef f(x):\n    x.only()\n//- b.py\nclass B:\n    def only(self): pass"
    )
    index(root)
    project("//- c.py\nclass C:\n    def only(self): pass")
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == []


def test_what_go_mod_says_leads_imports_from_the_moment_it_is_there(project):
    root = project(
        "//- draw.go\npackage draw\n\nfunc Make() {}\n"
        '//- cmd/main.go\npackage main\n\nimport "example.org/draw/v2"\n\n'
        "func main() { draw.Make() }"
    )
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == []
    project("//- go.mod\nmodule example.org/draw/v2\n")
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == ["cmd/main.main -> draw.Make by import"]
    project("//- go.mod\nmodule example.org/other\n")
    with index(root).snapshot() as snapshot:
        assert edges(snapshot) == []


OVERLOADS = """
//- A.java
class A {
  static void put(int[] to, int at) {}
  static void put(String to, int... at) {}
  static void put(Object to) {}
  void plain(int[] held) { put(held, 1); }
  void text() { put("x", 1, 2, 3); }
  void made() { put(new Object()); }
  void unknown(B b) { put(b.c(), 2); }
}
"""


KOTLIN_OVERLOADS = """
//- A.kt
fun Type.put(a: Int): Int = this.put(a, 1, 2)
private fun Type.put(a: Int, b: Int, c: Int): Int = c
fun String.put(a: Int): Int = a
class A {
  fun say(a: Int, b: Int = 1) {}
  fun say(a: Int, b: Int, then: () -> Unit) {}
  fun none() { say(1) }
  fun two() { say(1, 2) }
  fun last() { say(1, 2, { 3 }) }
  fun tell(a: Long?) {}
  fun tell(a: String) {}
  fun text() { tell("a") }
  fun given(b: Long) { tell(b) }
}
"""


def test_overloads_of_kotlin_are_told_apart_by_the_arguments(project):
    with index(project(KOTLIN_OVERLOADS)).snapshot() as snapshot:
        records = {r.id: r for name in ("put", "say", "tell") for r in snapshot.symbols.named(name)}
        edges = [e for e in snapshot.graph.edges() if e.target in records]
        sources = {r.id: r for r in snapshot.symbols.by_id([edge.source for edge in edges])}
        found = {(sources[e.source].name, records[e.target].line, e.confidence) for e in edges}
    assert found == {
        ("put", 2, 0.95), ("none", 5, 0.95), ("two", 5, 0.95), ("last", 6, 0.95),
        ("text", 11, 0.95), ("given", 10, 0.95),
    }  # fmt: skip


def test_overloads_are_told_apart_by_the_number_and_the_types_of_arguments(project):
    with index(project(OVERLOADS)).snapshot() as snapshot:
        records = {r.id: r for name in ("put",) for r in snapshot.symbols.named(name)}
        called: dict[str, list[int]] = {}
        for edge in snapshot.graph.edges():
            (source,) = snapshot.symbols.by_id([edge.source])
            if edge.target in records:
                called.setdefault(source.name, []).append(records[edge.target].line)
    # Of the last one's first argument nothing is known; a fixed number of parameters is preferred.
    assert called == {"plain": [2], "text": [3], "made": [4], "unknown": [2]}


MODELS = """
//- app/models/story.rb
class Story < ApplicationRecord
  belongs_to :user
  has_many :comments, dependent: :destroy
  scope :active, ->(user) { where(user: user) }
  scope :recent, lambda { order(:id) }
end
//- app/controllers/home.rb
class Home
  def index
    Story.active(1)
    Story.recent
  end
end
//- config/routes.rb
Rails.application.routes.draw do
  scope :admin do
    get "/x"
  end
end
//- db/migrations/add.rb
class Add < Migration
  class Story < Record
  end
end
"""


def test_scopes_and_associations_of_rails_are_definitions(project):
    with index(project(MODELS)).snapshot() as snapshot:
        found = {
            s.qualified_name: s.kind
            for s in snapshot.symbols.of_file(RepoPath("app/models/story.rb"))
        }
        assert found == {
            "story": "module", "Story": "class", "Story.user": "property",
            "Story.comments": "property", "Story.active": "method", "Story.recent": "method",
        }  # fmt: skip
        assert not snapshot.symbols.named("admin")
        assert {e for e in edges(snapshot) if "Story." in e} == {
            f"app/controllers/home.Home.index -> app/models/story.Story.{name} by import"
            for name in ("active", "recent")
        }  # fmt: skip


MACROS = """
//- paths.h
#include "other.h"
int clean(const Path& path, bool deep = true);
//- kinds.h
enum Kind : KIND_TYPE { One, Two };
//- paths.cc
#include "paths.h"
#define IF_FIRST(cond)                      \\
  if constexpr (!FIRST) check(!(cond)); /* on */ \\
  if constexpr (FIRST) if (cond)            /* off */

template <bool FIRST>
bool Cache::dirty(const Node* node) {
  IF_FIRST (!node->exists(one(1), 2)) {
    return log("%" PRId64
               " of %" PRId64 "now", node->time());
  }
  return false;
}

class Tool {
  typedef int (Tool::*Run)(int);
  int run(int n) { return n; }
};

void clean(string* path) { clean(path, 1); }
void clean(char* path, int n) { free(path); }
//- app.cc
#include "paths.h"
void start(string* path) { clean(path); }
//- paths_test.cc
namespace { void clean(string* path) { ::clean(path, 2); } }
TEST(Paths, Clean) { clean(&path); }
"""


def test_macros_of_cpp_that_end_in_a_condition_hide_no_function(project):
    with index(project(MACROS)).snapshot() as snapshot:
        named = {s.qualified_name for s in snapshot.symbols.of_file(RepoPath("paths.cc"))}
        assert {"Cache.dirty", "Tool", "Tool.run", "clean"} <= named
        assert list(snapshot.files.problems()) == []
        assert snapshot.symbols.of_file(RepoPath("kinds.h"))[1].kind == "enum"


def test_overloads_of_one_file_are_called_though_a_test_has_a_function_of_their_name(project):
    with index(project(MACROS)).snapshot() as snapshot:
        assert "app.start -> paths.clean by unique" in edges(snapshot)

"""Edges of C and C++ lead to what defines a function, and not to what declares it."""

from contextlib import closing
from random import Random

import pytest

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup.dependencies import Direction, dependencies
from satchel.assembler.lookup.symbols import lookup
from satchel.assembler.output.listings import dependencies_lines
from satchel.assembler.survey.dead_code import dead_code
from satchel.assembler.survey.impact import symbol_impact
from satchel.indexer.callgraph import linker
from satchel.store.reading.prototypes import parameter_types
from satchel.store.sqlite import database
from tests.support.satchel import index

USE = '//- use.cc\n#include "a.h"\nvoid use(A* a) { a->go(1); }\n'
CLASS = "//- a.h\nclass A {\n public:\n  int go(int n);\n};\n"
FREE = "//- lib.h\nint go(int n);\n"
CALL = '//- use.c\n#include "lib.h"\nvoid use(void) { go(1); }\n'

CASES = {
    "a method that is defined in another file": (
        f"{CLASS}//- a.cc\nint A::go(int number) {{ return number; }}\n{USE}",
        ["use.cc:2 a.cc:1 declared 0.95"],
    ),
    "a method that is defined below its class": (
        f"{CLASS}int A::go(int n) {{ return n; }}\n{USE}",
        ["use.cc:2 a.h:5 declared 0.95"],
    ),
    "a method of a template": (
        "//- a.h\ntemplate <typename T>\nclass A {\n public:\n  int go(T n);\n};\n"
        "template <typename T>\nint A<T>::go(T n) { return 1; }\n"
        "//- use.cc\nvoid use(A<int>* a) { a->go(1); }\n",
        ["use.cc:1 a.h:7 declared 0.95"],
    ),
    "a method in a namespace that its file only uses": (
        "//- a.h\nnamespace out {\nclass A {\n public:\n  int go(int n);\n};\n}\n"
        "//- a.cc\nusing namespace out;\nint A::go(int n) { return n; }\n"
        "//- use.cc\nvoid use(out::A* a) { a->go(1); }\n",
        ["use.cc:1 a.cc:2 declared 0.95"],
    ),
    "a method that nothing here defines": (f"{CLASS}{USE}", ["use.cc:2 a.h:3 declared 0.95"]),
    "the overload with as many parameters": (
        "//- a.h\nclass A {\n public:\n  int go(int n);\n  int go(int n, int m);\n};\n"
        "//- a.cc\nint A::go(int n, int m) { return n; }\nint A::go(int n) { return n; }\n" + USE,
        ["use.cc:2 a.cc:2 declared 0.95"],
    ),
    "the overload with the same types": (
        "//- a.h\nclass A {\n public:\n  int go(const S& s = S());\n  int go(char c);\n};\n"
        "//- a.cc\nint A::go(char c) { return 1; }\nint A::go(const ns::S &s) { return 2; }\n"
        + USE,
        ["use.cc:2 a.cc:2 declared 0.95"],
    ),
    "a function of C": (
        f"{FREE}//- lib.c\nint go(int n) {{ return n; }}\n{CALL}",
        ["use.c:2 lib.c:1 unique 0.8"],
    ),
    "a static function that is declared above": (
        "//- a.c\nstatic int go(int n);\nvoid use(void) { go(1); }\n"
        "static int go(int n) { return n; }\n//- b.c\nstatic int go(int n) { return 2; }\n",
        ["a.c:2 a.c:3 local 0.95"],
    ),
    "no static function of another file": (
        "//- a.c\nint go(int n);\nvoid use(void) { go(1); }\n"
        "//- b.c\nstatic int go(int n) { return 2; }\n",
        ["a.c:2 a.c:1 local 0.95"],
    ),
    "the copy in the same folder": (
        "//- x/lib.h\nint go(int n);\nstatic void use(void) { go(1); }\n"
        "//- x/body.c\nint go(int n) { return 1; }\n//- y/body.c\nint go(int n) { return 2; }\n",
        ["x/lib.h:2 x/body.c:1 local 0.95"],
    ),
    "none of two copies elsewhere": (
        "//- x/lib.h\nint go(int n);\nstatic void use(void) { go(1); }\n"
        "//- y/body.c\nint go(int n) { return 1; }\n//- z/body.c\nint go(int n) { return 2; }\n",
        ["x/lib.h:2 x/lib.h:1 local 0.95"],
    ),
    "the first of two variants in a file": (
        f"{FREE}//- lib.c\n#ifdef FAST\nint go(int n) {{ return n; }}\n#else\n"
        "int go(int n) { return n + 1; }\n#endif\n"
        "//- use.h\nint go(int n);\nstatic void use(void) { go(1); }\n",
        ["use.h:2 lib.c:2 local 0.95"],
    ),
    "what overrides, where it is defined": (
        "//- a.h\nclass A {\n public:\n  virtual int go(int n) = 0;\n};\n"
        "class B : public A {\n public:\n  int go(int n) override;\n};\n"
        "//- a.cc\nint B::go(int n) { return n; }\nA* make() { return new B(); }\n" + USE,
        ["use.cc:2 a.cc:1 override 0.3", "use.cc:2 a.h:3 declared 0.95"],
    ),
    "what a declared method returns": (
        "//- a.h\nclass B {\n public:\n  int go(int n);\n};\nclass A {\n public:\n  B* b();\n};\n"
        "//- use.cc\nvoid use(A* a) { a->b()->go(1); }\n",
        ["use.cc:1 a.h:3 returned 0.9"],
    ),
    "what a field holds, in a method that is defined outside of its class": (
        "//- a.h\nnamespace out {\nclass B {\n public:\n  int go(int n);\n};\n"
        "class C {\n public:\n  int go(int n);\n};\n"
        "class A {\n  B* const b_;\n  void use();\n};\n}\n"
        "//- a.cc\nnamespace out {\nvoid A::use() { b_->go(1); }\n}\n",
        ["a.cc:2 a.h:4 declared 0.95"],
    ),
    "a field with an annotation of locks": (
        "//- a.h\nclass B {\n public:\n  int go(int n);\n};\n"
        "class C {\n public:\n  int go(int n);\n};\n"
        "class A {\n  B* const b_ GUARDED_BY(mutex_);\n  void use() { b_->go(1); }\n};\n",
        ["a.h:11 a.h:3 declared 0.95"],
    ),
}


def calls_of_go(root):
    """Edges to what is called `go`, as places with rule and confidence."""
    with index(root).snapshot() as snapshot:
        records = {r.id: r for r in snapshot.symbols.named("go")}
        edges = snapshot.symbols.edges_to(sorted(records))
        sources = {r.id: r for r in snapshot.symbols.by_id([e.source for e in edges])}
        return sorted(
            f"{sources[e.source].path}:{e.line} {records[e.target].path}:{records[e.target].line}"
            f" {e.rule} {e.confidence}"
            for e in edges
        )


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_a_call_leads_to(project, text, expected):
    assert calls_of_go(project(text)) == expected


@pytest.mark.parametrize(
    ("signature", "types"),
    [
        ("int go(void);", ()),
        ("int go(const char *name, size_t n = sizeof(int));", ("constchar*", "size_t")),
        ("void A::go(std::map<int, ns::S> const& m, unsigned int)", (
            "map<int,S>const&", "unsignedint",
        )),
        ("int go(struct S *s, int (*f)(int, int))", ("S*", "int(*f)(int,int)")),
        ("T& go(int at) const", ("int", "const")),
        ("ATTRIBUTE(2, 3) int go(char argv[])", ("char*",)),
        ("int go(a_type_that_is_very_long…;", None),
    ],
)  # fmt: skip
def test_types_of_parameters_as_written(signature, types):
    assert parameter_types("go", signature) == types


TREE = f"""{CLASS}  class Unused {{
  void never();
}};
//- a.cc
#include "a.h"
int A::go(int n) {{ return n; }}
void Unused::never() {{}}
{USE}//- tests/a_test.cc
void test_go() {{ A a; use(&a); }}
"""


def test_who_asks_about_a_prototype_is_told_of_its_definition(project):
    root = project(TREE)
    with index(root).snapshot() as snapshot:
        asked = lookup(snapshot, "A.go", "", Scope.ALL, 9)
        assert [(r.path, r.line) for r in asked.definitions] == [("a.cc", 2), ("a.h", 3)]
        at = dependencies(snapshot, "a.h:3", (Direction.CALLERS, 1), Scope.IMPL, 9)
        assert [(r.path, r.line) for r in at.roots] == [("a.h", 3), ("a.cc", 2)]
        assert [edge.source.name for edge in at.edges] == ["use"]
        assert not any("definitions are meant" in line for line in dependencies_lines(at))
        broken = symbol_impact(snapshot, "a.h:3", 3, 9)
        assert [test.path for test in broken.tests] == ["tests/a_test.cc"]


def test_a_function_is_dead_once_and_a_prototype_of_what_is_alive_is_not(project):
    with index(project(TREE)).snapshot() as snapshot:
        found = dead_code(snapshot)
    assert [(row.symbol.qualified_name, row.symbol.path) for row in found.rows] == [
        ("Unused.never", "a.cc"), ("Unused", "a.h"),
    ]  # fmt: skip


VERSIONS = {
    "a.h": (
        "class A {\n public:\n  int go(int n);\n  int go(char c);\n  A* next();\n};\n",
        "class A {\n public:\n  int go(int n);\n  A* next() { return this; }\n};\n",
        "class A {\n public:\n  int go(int n) { return n; }\n};\nint go(int n);\n",
        "namespace out {\nclass A {\n public:\n  int go(int n);\n  A* next();\n};\n}\n",
    ),
    "a.cc": (
        "int A::go(int n) { return n; }\nint A::go(char c) { return 1; }\n",
        "using namespace out;\nint A::go(int n) { return n; }\nA* A::next() { return 0; }\n",
        "int go(int n) { return n; }\n",
        "static int go(int n);\nint o() { return go(1); }\nstatic int go(int n) { return n; }\n",
    ),
    "b.cc": ("int go(int n) { return n; }\n", "static int go(int n) { return n; }\n", "int b;\n"),
    "use.cc": (
        "void use(A* a) { a->go(1); a->next()->go(2); go(3); }\n",
        "void use(out::A* a) { a->next()->next()->go(2); }\nvoid more() { go(3); }\n",
    ),
}


@pytest.mark.parametrize("seed", range(2))
def test_any_edits_give_the_edges_of_a_fresh_start(project, seed):
    random = Random(seed)
    root = project("".join(f"//- {path}\n{texts[0]}" for path, texts in VERSIONS.items()))
    n_edges = 0
    for _ in range(12):
        path = random.choice(sorted(VERSIONS))
        if random.random() < 0.2:
            (root / path).unlink(missing_ok=True)
        else:
            (root / path).write_text(random.choice(VERSIONS[path]), encoding="utf-8")
        opened = index(root)
        with closing(database.connect(opened.directory, writable=False)) as connection:
            fresh, _ = linker.compute_edges(connection)
        with opened.snapshot() as snapshot:
            known = list(snapshot.graph.edges())
        assert known == fresh
        n_edges += len(fresh)
    assert n_edges > 20

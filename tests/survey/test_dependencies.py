"""The call graph as it is asked for: kinds, pages, cycles, tests that reach a symbol, drawings."""

from pathlib import Path

import numpy as np
import pytest

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup.dependencies import (
    EVERY_EDGE,
    Dependencies,
    Direction,
    Filter,
    dependencies,
)
from satchel.assembler.lookup.personalised_pagerank import personalised_pagerank
from satchel.assembler.lookup.symbols import lookup, matching
from satchel.assembler.output import drawings, listings
from satchel.assembler.output.definition_lines import symbols_lines
from satchel.indexer.languages.detect import LANGUAGES, PROGRAMMING, by_name
from satchel.store.errors import UsageError
from satchel.store.reading.languages import RECEIVERS, LanguageKind, family_of, kind_of
from tests.support.satchel import index, satchel

PROJECT = """
//- app.py
class Base: pass

class Leaf(Base):
    def ping(self):
        self.pong()

    def pong(self):
        self.ping()

def outer():
    Leaf().ping()
//- tests/test_app.py
from app import outer

def test_outer():
    outer()
"""


def found(root: Path, name: str, way: Direction, chosen: Filter = EVERY_EDGE, limit: int = 99):
    with index(root).snapshot() as snapshot:
        return dependencies(snapshot, name, (way, 5), Scope.ALL, limit, chosen)


def ends(answer: Dependencies) -> list[str]:
    return [f"{e.source.qualified_name} -> {e.target.qualified_name}" for e in answer.edges]


def test_only_the_kinds_that_were_asked_for(project):
    root = project(PROJECT)
    kinds = Filter(kinds=frozenset({"inherit"}))
    assert ends(found(root, "Leaf", Direction.CALLEES, kinds)) == ["Leaf -> Base"]


def test_an_edge_that_closes_a_cycle_says_so(project):
    answer = found(project(PROJECT), "Leaf.ping", Direction.CALLEES)
    assert [(e.target.name, e.is_cycle) for e in answer.edges] == [("pong", False), ("ping", True)]
    assert listings.edge_line(answer.edges[1]).endswith(", cycle)  8| self.ping()")


def test_tests_are_found_through_the_code_between(project):
    answer = found(project(PROJECT), "Leaf.pong", Direction.CALLERS, Filter(tests=True))
    assert ends(answer) == ["test_outer -> outer"]


def test_pages_follow_each_other_without_a_gap(project):
    root = project(PROJECT)
    whole = ends(found(root, "outer", Direction.BOTH))
    pages = [
        edge
        for offset in range(0, len(whole), 2)
        for edge in ends(found(root, "outer", Direction.BOTH, Filter(offset=offset), 2))
    ]
    assert len(whole) > 2
    assert pages == whole


@pytest.mark.parametrize(
    ("drawing", "line"),
    [
        ("dot", '  n0 -> n2 [label="call 0.95"];'),
        ("mermaid", "  n0 -->|call 0.95| n2"),
    ],
)
def test_a_drawing_has_every_edge_once(project, drawing: str, line: str):
    answer = found(project(PROJECT), "outer", Direction.BOTH)
    lines = list(drawings.DRAWINGS[drawing](answer))
    assert line in lines
    assert sum("->" in each for each in lines) == len(answer.edges)


def test_a_name_cannot_end_a_label(project):
    root = project('//- a.js\nconst o = {"say \\"hi\\"": function () { f(); }};\nfunction f() {}')
    answer = found(root, "f", Direction.CALLERS)
    assert answer.edges
    for lines in drawings.dot_lines(answer), drawings.mermaid_lines(answer):
        assert all(line.count('"') in (0, 2) for line in lines)


OVERLOADS = """
//- a.py
from typing import overload

@overload
def load(x: int) -> int: ...
@overload
def load(x: str) -> str: ...
def load(x): return x
"""


def test_of_overloads_a_line_picks_one_and_the_text_says_so(project):
    root = project(OVERLOADS)
    every = found(root, "load", Direction.BOTH)
    assert "  3 definitions are meant; `path:line` picks one" in listings.dependencies_lines(every)
    lines = [record.line for record in every.roots]
    for line in lines:
        assert [r.line for r in found(root, f"a.py:{line}", Direction.BOTH).roots] == [line]


ROOT_PACKAGE = """
//- go.mod
module example.org/mini/v2
//- root.go
package mini

type Box struct{}

func (b Box) Open() {}

func Root() {}
//- inner/inner.go
package inner

func Root() {}
//- tools/go.mod
module example.org/tools
//- tools/tool.go
package tools

func Root() {}
"""


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("mini.Root", "root.go"),
        ("mini.Box.Open", "root.go"),
        ("example.org/mini/v2.Root", ""),
        ("example.org/mini.Root", "root.go"),
        ("mini.inner.Root", "inner/inner.go"),
        ("inner.Root", "inner/inner.go"),
        ("tools.Root", "tools/tool.go"),
        ("other.Root", ""),
    ],
)
def test_a_name_may_begin_with_the_package_at_the_root_of_a_go_module(project, name, path):
    with index(project(ROOT_PACKAGE)).snapshot() as snapshot:
        assert [record.path for record in matching(snapshot, name)] == ([path] if path else [])


TWINS = """
//- a/one.py
def load():
    parse()

def parse(): pass
//- b/two.py
def load(): pass

def user():
    load()
"""


def test_a_path_picks_one_of_several_definitions_and_the_text_says_so(project):
    root = project(TWINS)
    both = found(root, "load", Direction.BOTH)
    assert [record.path for record in both.roots] == ["a/one.py", "b/two.py"]
    assert "  2 definitions are meant; `path:name` picks one" in listings.dependencies_lines(both)
    for name in ("two.py:load", "b/two.py:load", "b/two.py:1"):
        assert ends(found(root, name, Direction.BOTH)) == ["user -> load"]


def test_a_name_that_nothing_has_is_answered_with_those_that_are_close(project):
    with pytest.raises(UsageError) as refused:
        found(project(TWINS), "loader", Direction.BOTH)
    assert refused.value.hint == "close to it: load"


def test_the_code_below_a_test_is_what_it_calls_in_the_product(project):
    with index(project(PROJECT)).snapshot() as snapshot:
        answer = dependencies(snapshot, "test_outer", (Direction.CALLEES, 5), Scope.IMPL, 99)
    assert ends(answer)[:2] == ["test_outer -> outer", "outer -> Leaf"]


def test_definitions_come_in_pages(project):
    root = project("//- a.py\n" + "".join(f"def item_{i}(): pass\n" for i in range(5)))
    with index(root).snapshot() as snapshot:
        pages = [lookup(snapshot, "item_*", "", Scope.ALL, 2, offset) for offset in (0, 2, 4)]
    names = [record.name for page in pages for record in page.definitions]
    assert names == [f"item_{i}" for i in range(5)]
    assert {page.n_found for page in pages} == {5}


def dense_ranks(edges: list[tuple[int, int]], seed: int, n: int) -> np.ndarray:
    """Personalised PageRank by twenty lines of algebra, with the weights of `pagerank`."""
    weights = np.zeros((n, n))
    for source, target in edges:
        weights[source, target] += 1.0
        weights[target, source] += 0.9
    steps = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    start = np.eye(n)[seed]
    return 0.2 * start @ np.linalg.inv(np.eye(n) - 0.8 * steps)


def test_ranks_are_those_of_the_whole_graph_and_can_sort_edges(project):
    calls = {0: [1, 2], 1: [2], 2: [3], 3: [4, 0], 4: []}
    text = "//- a.py\n" + "".join(
        f"def f{i}():\n" + "".join(f"    f{j}()\n" for j in to) + "    pass\n"
        for i, to in calls.items()
    )
    root = project(text)
    with index(root).snapshot() as snapshot:
        ids = {r.name: r.id for i in calls for r in snapshot.symbols.named(f"f{i}")}
        ranks = personalised_pagerank(snapshot, [ids["f0"]])
    expected = dense_ranks([(i, j) for i, to in calls.items() for j in to], 0, 5)
    assert [ranks[ids[f"f{i}"]] for i in calls] == pytest.approx(expected.tolist(), abs=0.01)
    answer = found(root, "f0", Direction.CALLEES, Filter(ranked=True))
    assert [e.target.name for e in answer.edges][:2] == ["f0", "f2"]


UNTIED = """
//- shop.py
class Cart:
    def total(self): return 1

def ask(cart):
    return cart.total()

def bill():
    return Cart().total()

def total():
    return 0
//- web.js
export function ask(cart) { return cart.total() }
//- tests/test_shop.py
def test_total(cart):
    cart.total()
"""


def test_uses_that_may_be_meant_are_not_passed_over(project):
    with index(project(UNTIED)).snapshot() as snapshot:
        answer = dependencies(snapshot, "Cart.total", (Direction.CALLERS, 1), Scope.IMPL, 9)
    assert ends(answer) == ["bill -> Cart.total"]
    assert [line for line in listings.dependencies_lines(answer) if "?" in line] == [
        "  ?  shop.py:5  cart.total  (unresolved call)"
    ]


def test_only_ten_uses_that_may_be_meant_are_listed(project):
    calls = "".join(f"def f{n}(it):\n    it.go()\n" for n in range(13))
    classes = "".join(f"class {name}:\n    def go(self): pass\n" for name in "AB")
    root = project(f"//- a.py\n{classes}{calls}")
    answer = found(root, "A.go", Direction.CALLERS)
    assert (len(answer.unresolved), answer.n_maybe_uses) == (10, 3)
    assert list(listings.dependencies_lines(answer))[-1] == (
        "  ?  3 more uses of this name, tied to no definition; search it"
    )


SHAPES = """
//- shapes.py
class Shape:
    def area(self):
        raise NotImplementedError

class Circle(Shape):
    def area(self):
        return 3

def total(shape: Shape):
    mystery(1)
    return shape.area()
//- tests/test_shapes.py
from shapes import Circle, total

def test_total():
    assert total(Circle()) == 3
"""


def test_an_edge_has_the_text_of_the_line_that_it_stands_on(project):
    root = project(SHAPES)
    callers = found(root, "shapes.py:total", Direction.CALLERS)
    assert [(e.line, e.text) for e in callers.edges] == [(4, "assert total(Circle()) == 3")]
    lines = list(listings.dependencies_lines(callers))
    assert lines[1].endswith("  4| assert total(Circle()) == 3")


def test_a_long_line_is_cut(project):
    root = project("//- a.py\ndef f(x): pass\ndef g(): f('" + "x" * 500 + "')\n")
    (edge,) = found(root, "f", Direction.CALLERS).edges
    assert edge.text == ("def g(): f('" + "x" * 500)[:120] + "…"


def test_what_overrides_a_method_is_told_with_its_callers_and_counted_in_the_head(project):
    root = project(SHAPES)
    callers = found(root, "Shape.area", Direction.CALLERS)
    assert [o.member.qualified_name for o in callers.overrides] == ["Circle.area"]
    line = next(line for line in listings.dependencies_lines(callers) if line.startswith("  = "))
    assert line.startswith("  =  Circle.area  shapes.py:6  overrides Shape.area at shapes.py:2")
    callees = found(root, "Circle.area", Direction.CALLEES)
    assert [o.base.qualified_name for o in callees.overrides] == ["Shape.area"]
    total = found(root, "total", Direction.CALLEES)
    assert listings.dependencies_head(total) == "3 edges"
    assert "  not defined here: mystery" in listings.dependencies_lines(total)


def test_an_operator_that_leads_nowhere_is_no_use_that_anybody_wrote(project):
    root = project("//- a.py\ndef f(task):\n    g(task.tries + 1 > task.most)\n")
    callees = found(root, "f", Direction.CALLEES)
    assert (callees.unresolved, callees.outside) == ((), (("g", 1),))


MEMBERS = """
//- shop/cart.py
class Cart:
    limit = 3

    def add(self, item):
        return isinstance(item, int) and isinstance(item, str) and len(item)

    def add_all(self, items):
        return missing(items)

class Other:
    def add(self): pass
"""


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("Cart.*", ["Cart.add", "Cart.add_all", "Cart.limit"]),
        ("Cart.add*", ["Cart.add", "Cart.add_all"]),
        ("cart.py:Cart.*", ["Cart.add", "Cart.add_all", "Cart.limit"]),
        ("Nobody.*", []),
    ],
)
def test_a_star_behind_a_class_means_its_members(project, name: str, listed: list[str]):
    with index(project(MEMBERS)).snapshot() as snapshot:
        answer = lookup(snapshot, name, "", Scope.ALL, 99)
    assert [record.qualified_name for record in answer.definitions] == listed


def test_what_a_language_defines_itself_is_counted_and_no_unresolved_use(project):
    answer = found(project(MEMBERS), "Cart", Direction.CALLEES)
    assert answer.builtins == ()  # the members use them
    answer = found(project(MEMBERS), "Cart.add", Direction.CALLEES)
    assert answer.builtins == (("isinstance", 2), ("len", 1))
    assert answer.unresolved == ()
    assert "  built in: isinstance ×2, len" in listings.dependencies_lines(answer)
    answer = found(project(MEMBERS), "Cart.add_all", Direction.CALLEES)
    assert answer.unresolved == ()
    assert "  not defined here: missing" in listings.dependencies_lines(answer)


GENERIC = """
//- watch.ts
import { ref } from 'vue'
export class Watcher<TData = unknown, const TError extends Error = Error> extends Base<TData> {
  run(): TData | TError {
    ref(1)
    ref(2)
    helper()
  }
}
//- other.ts
function helper() {}
//- more.ts
function helper() {}
"""


def test_type_parameters_and_what_libraries_define_are_no_unresolved_uses(project):
    root = project(GENERIC)
    answer = found(root, "Watcher.run", Direction.CALLEES)
    assert answer.outside == (("TData", 1), ("TError", 1), ("ref", 2))
    assert {use.name for use in answer.unresolved} == {"helper"}
    answer = found(root, "Watcher", Direction.CALLEES)
    assert "TData" not in {use.name for use in answer.unresolved} | dict(answer.outside).keys()
    inherited = Filter(kinds=frozenset({"inherit"}))
    calls = found(root, "Watcher.run", Direction.CALLEES, inherited)
    assert (calls.unresolved, calls.outside) == ((), ())


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("Folder./", ["Folder./"]),
        ("Folder.==", ["Folder.=="]),
        ("Folder.-", []),
        ("a:b.rb:Folder", ["Folder"]),
        ("a:b.rb:3", ["Folder./"]),
    ],
)
def test_operators_and_paths_with_a_colon_are_found(project, name: str, listed: list[str]):
    source = (
        "class Folder\n  # A folder below.\n  def /(name)\n  end\n  def ==(other)\n  end\nend\n"
    )
    root = project("//- x.rb\nX = 1\n")
    (root / "a:b.rb").write_text(source, "utf-8")
    with index(root).snapshot() as snapshot:
        answer = lookup(snapshot, name, "", Scope.ALL, 99)
    assert [record.qualified_name for record in answer.definitions] == listed


def test_a_long_signature_is_listed_without_its_type_parameters(project):
    parameters = ", ".join(f"TParameter{n} extends (a: string) => Map<A, B>" for n in range(4))
    root = project(
        f"//- a.ts\nexport function useIt<{parameters}>(options: One<Two>): Three {{}}\n"
    )
    with index(root).snapshot() as snapshot:
        (line,) = symbols_lines(lookup(snapshot, "useIt", "", Scope.ALL, 9), 1)
    assert line.endswith("useIt<…>(options: One<…>): Three")


def test_a_printed_path_with_a_space_is_taken_back(project):
    root = project("//- x.py\nX = 1\n")
    (root / 'sp "ace.py').write_text("def one():\n    return 1\n", "utf-8")
    index(root)
    told = satchel("symbols", "one", "--quiet", cwd=root).stdout.decode()
    printed = told.split("  ")[0]
    assert printed == '"sp \\"ace.py":1-2'
    assert "return 1" in satchel("show", printed, "--quiet", cwd=root).stdout.decode()


def test_a_revision_in_place_of_a_symbol_is_told_from_a_name(project):
    root = project("//- x.py\ndef one():\n    return 1\n")
    index(root)
    told = satchel("impact", "HEAD~1", "--quiet", cwd=root)
    assert told.returncode == 2
    assert b"HEAD~1 is a revision" in told.stderr and b"impact --diff HEAD~1" in told.stderr


def test_tests_are_told_by_their_files_and_how_to_look_further_where_there_is_none(project):
    root = project(
        "//- app.py\ndef low(): return 1\n\ndef mid(): return low()\n\ndef high(): return mid()\n"
        "//- tests/test_app.py\nfrom app import high\n\n"
        + "".join(f"def test_{n}():\n    assert high()\n\n" for n in range(15))
    )
    chosen = Filter(tests=True)
    lines = list(
        listings.dependencies_lines(found(root, "low", Direction.CALLERS, chosen), tests=True)
    )
    assert len(lines) == 2
    assert lines[1].startswith("  <- tests/test_app.py  (3 steps)  test_0:3, test_1:6, ")
    assert lines[1].endswith("test_11:36 and 3 more")
    with index(root).snapshot() as snapshot:
        near = dependencies(snapshot, "low", (Direction.CALLERS, 2), Scope.ALL, 99, chosen)
    assert [str(absent) for absent in near.absent] == [
        "none found: no test reaches it within 2 steps; depth 5 looks further"
    ]


READS = """
//- app.py
from conf import SETTINGS

class Request:
    @property
    def args(self):
        return 1

def view(request):
    return request.args + SETTINGS["a"]

def other(args):
    return args
//- conf.py
SETTINGS = {"a": 1}
//- tests/test_view.py
def test_view(request):
    assert request.args
"""


def test_reads_of_constants_and_properties_are_listed_by_their_name(project):
    root = project(READS)
    with index(root).snapshot() as snapshot:
        constant = dependencies(snapshot, "SETTINGS", (Direction.CALLERS, 2), Scope.ALL, 99)
        member = dependencies(snapshot, "Request.args", (Direction.BOTH, 2), Scope.IMPL, 99)
        first = dependencies(snapshot, "SETTINGS", (Direction.CALLERS, 2), Scope.ALL, 1)
    assert [(m.path, m.line, m.symbol) for m in constant.mentions.rows] == [
        ("app.py", 1, ""), ("app.py", 9, "view"),
    ]  # fmt: skip
    # What may read a property is listed, without a type that says so; the test is out of scope.
    assert [(use.path, use.line) for use in member.unresolved] == [("app.py", 9)]
    lines = list(listings.dependencies_lines(constant))
    assert '  ~  app.py:9 in view  (by its name)  return request.args + SETTINGS["a"]' in lines
    assert lines[-1] == (
        "none found: no edge leads there or on from it in the call graph; it has no reads of such"
    )
    assert "  ~  1 more line with the name; an exact search lists them" in list(
        listings.dependencies_lines(first)
    )


def test_a_function_with_edges_is_not_looked_for_by_its_name(project):
    answer = found(project(PROJECT), "outer", Direction.CALLERS)
    assert answer.edges and not answer.mentions.rows


def test_unresolved_uses_in_templates_are_listed(project):
    root = project(
        "//- app/story.rb\nclass Story\n  def is_new?\n    true\n  end\nend\n"
        "class Comment\n  def is_new?\n    false\n  end\nend\n"
        "//- app/views/a.html.erb\n<p><% if story.is_new? %>new<% end %></p>\n"
    )
    answer = found(root, "Story.is_new?", Direction.CALLERS)
    assert [(use.path, use.line) for use in answer.unresolved] == [("app/views/a.html.erb", 1)]


def test_prose_that_holds_the_name_of_a_property_is_no_use_of_it(project):
    root = project(
        "//- loop.py\nclass Loop:\n    @property\n    def last(self):\n"
        '        """Whether it is the last."""\n        return True\n\n\n'
        "def show(loops):\n    # the last one\n    return [each.last for each in loops]\n"
    )
    lines = list(listings.dependencies_lines(found(root, "Loop.last", Direction.CALLERS)))
    assert [line for line in lines if "each.last" in line]
    assert not [line for line in lines if "the last" in line]


def test_every_language_has_its_kind_and_its_family_where_questions_are_answered():
    programming = {language.name for language in PROGRAMMING}
    assert {n for n in programming if kind_of(n) is not LanguageKind.CODE} == set()
    assert [kind_of(n) for n in ("markdown", "text", "json", ".zz")] == [
        LanguageKind.PROSE,
        LanguageKind.TEXT,
        LanguageKind.CONFIGURATION,
        LanguageKind.CODE,
    ]
    assert {n for n in RECEIVERS if by_name(n).implicit_receiver} == set()
    for language in LANGUAGES:
        family = language.family or language.name
        assert family_of(language.name) == {
            each.name for each in LANGUAGES if (each.family or each.name) == family
        }


def test_an_edge_has_all_lines_of_its_user_with_the_same_use(project):
    root = project(
        "//- app.py\nclass Disk:\n    def stat(self):\n        return 1\n\n"
        "def finish(disk: Disk, other):\n    disk.stat()\n    other.stat()\n    disk.stat()\n"
        "    return Disk(), Disk()\n\ndef again():\n    Disk()\n    return Disk()\n"
    )
    [edge] = [e for e in found(root, "Disk.stat", Direction.CALLERS).edges if e.depth == 1]
    assert (edge.line, edge.lines) == (6, (6, 8))
    assert listings.edge_line(edge).endswith("6| disk.stat()  (also 8)")
    lines = {e.source.name: e.lines for e in found(root, "Disk", Direction.CALLERS).edges}
    assert lines["again"] == (12, 13)

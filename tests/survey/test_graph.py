"""The call graph as a graph: ways, cycles, rules, communities, ranks, dead code, export."""

import io
import json
import re
from pathlib import Path

import networkx as nx
import pytest
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

from satchel.assembler.graph import export
from satchel.assembler.graph.call_graph import call_graph
from satchel.assembler.graph.centrality import pagerank
from satchel.assembler.graph.cycles import cycles
from satchel.assembler.graph.layers import read_rules, unknown, violations
from satchel.assembler.graph.modules import FOLDERS, module_graph
from satchel.assembler.graph.neighbourhoods import neighbourhoods
from satchel.assembler.graph.overrides import overridden, overriders
from satchel.assembler.graph.paths import paths
from satchel.assembler.survey.dead_code import dead_code
from satchel.indexer.refresh import refresh
from satchel.store.errors import ConfigError
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import SATISFIES
from satchel.store.sqlite import database
from satchel.workspace.lock import writer_lock
from satchel.workspace.project import Project
from tests.support.satchel import index, satchel, silent

CODE = """
//- pyproject.toml
[project.scripts]
shop = "shop.cli:main"
//- shop/cli.py
from shop.order import place

def main():
    place(3)
//- shop/order.py
from shop.price import rounded, total
from store.rows import write

def place(n):
    write(total(n))
    return rounded(n)
//- shop/price.py
from shop import order

def rounded(value):
    return value

def total(n):
    return sum(n, rounded(n))

def again(n):
    return order.place(n)

def _forgotten():
    return _forgotten_too()

def _forgotten_too():
    return rounded(1)
//- store/rows.py
def write(row):
    return Table().put(row)

class Base:
    def put(self, row):
        return row

    def drop(self, row):
        return None

class Table(Base):
    def put(self, row):
        return super().put(row)
//- tests/test_order.py
from shop.price import again

def test_again():
    assert again(1)
"""


@pytest.fixture
def opened(project) -> Project:
    return index(project(CODE))


def named(snapshot: Snapshot, name: str):
    return snapshot.symbols.named(name)


def test_the_ways_between_two_symbols_come_surest_first(opened: Project):
    with opened.snapshot() as snapshot:
        found = paths(snapshot, named(snapshot, "main"), named(snapshot, "rounded"), 5)
        ways = [[step.target.name for step in path.steps] for path in found.paths]
    assert sorted(ways) == [["place", "rounded"], ["place", "total", "rounded"]]
    sure = [path.confidence for path in found.paths]
    assert sure == sorted(sure, reverse=True)
    # Each step is a line of the source where the target is used.
    step = found.paths[0].steps[0]
    assert (step.source.path, step.line) == ("shop/cli.py", 4)


def test_a_path_is_what_networkx_finds_in_the_whole_graph(opened: Project):
    with opened.snapshot() as snapshot:
        graph = call_graph(snapshot)
        start, end = named(snapshot, "test_again")[0], named(snapshot, "write")[0]
        (found,) = paths(snapshot, [start], [end], 1).paths
        assert [start.id, *(s.target.id for s in found.steps)] == nx.shortest_path(
            graph, start.id, end.id
        )
        # There is no way back.
        assert paths(snapshot, [end], [start], 1).paths == ()


def test_modules_that_need_each_other_are_cut_where_fewest_uses_are(opened: Project):
    with opened.snapshot() as snapshot:
        graph = module_graph(snapshot)
        (cycle,) = cycles(graph)
        assert cycles(module_graph(snapshot, depth=FOLDERS)) == ()
    assert cycle.modules == ("shop/order.py", "shop/price.py")
    (cut,) = cycle.cuts
    assert (cut.source, cut.target, cut.uses) == ("shop/price.py", "shop/order.py", 1)
    graph.remove_edge(cut.source, cut.target)
    assert nx.is_directed_acyclic_graph(graph)


def test_an_interface_that_is_satisfied_without_being_named_is_no_use_of_its_module(project):
    root = project(
        """
//- go.mod
module example.org/shop
//- shop.go
package shop

import "example.org/shop/rows"

type Writer interface { Write(row string) error; Close() error }

func Place() { rows.Open() }
//- rows/rows.go
package rows

type Table struct{}

func (t *Table) Write(row string) error { return nil }
func (t *Table) Close() error { return nil }
func Open() *Table { return &Table{} }
"""
    )
    with index(root).snapshot() as snapshot:
        rules = {edge.rule for edge in snapshot.graph.edges()}
        assert SATISFIES in rules
        uses = snapshot.graph.module_uses(tests=True)
        assert [(use.source, use.target) for use in uses] == [("shop.go", "rows/rows.go")]
        assert cycles(module_graph(snapshot)) == ()


def test_without_the_cuts_no_cycle_is_left_in_a_knot():
    graph: nx.DiGraph = nx.gnp_random_graph(40, 0.1, seed=3, directed=True)
    graph = nx.relabel_nodes(graph, {n: f"m{n:02}.py" for n in graph})
    for number, (u, v) in enumerate(sorted(graph.edges)):
        graph.edges[u, v].update(uses=1 + number % 7, weight=1.0, path=u, line=1)
    found = cycles(graph)
    cuts = [(cut.source, cut.target) for cycle in found for cut in cycle.cuts]
    left = graph.copy()
    left.remove_edges_from(cuts)
    assert nx.is_directed_acyclic_graph(left)
    # None of them is there for nothing.
    for cut in cuts:
        left.add_edge(*cut)
        assert not nx.is_directed_acyclic_graph(left)
        left.remove_edge(*cut)


RULES = {
    "store -> nothing": [],
    "shop -> nothing": ["shop/order.py"],
    "shop -> store": [],
    "shop !> store": ["shop/order.py"],
    "store > shop": ["shop/order.py"],
    "shop > store": [],
    "shop/cli.py, shop/order.py > shop/price.py": ["shop/price.py"],
}


def test_a_rule_finds_the_uses_that_break_it(opened: Project):
    with opened.snapshot() as snapshot:
        modules = module_graph(snapshot)
    for rule, broken in RULES.items():
        found = violations(modules, read_rules([rule]))
        assert [one.source for one in found] == broken, rule
        assert all(one.rule == rule for one in found)


def test_a_rule_about_nothing_is_told_and_what_is_no_rule_is_refused(opened: Project):
    with opened.snapshot() as snapshot:
        assert unknown(module_graph(snapshot), read_rules(["shop -> cellar"])) == ("cellar",)
    for text in ("shop", "-> shop", "a -> b -> c", "a >", " > "):
        with pytest.raises(ConfigError, match="no rule"):
            read_rules([text])


def test_validate_checks_the_rules_of_the_team(project):
    root: Path = project(
        CODE + '//- .satchel/config.toml\n[architecture]\nrules = ["shop -> nothing"]\n'
    )
    satchel("reindex", cwd=root)
    done = satchel("validate", "--level", "standard", cwd=root)
    assert done.returncode == 1
    assert b"V071" in done.stdout
    assert b"shop/order.py:5" in done.stdout
    rules = satchel("graph", "rules", "--json", cwd=root)
    assert rules.returncode == 1
    (row,) = json.loads(rules.stdout)["violations"]
    assert (row["source"], row["target"]) == ("shop/order.py", "store/rows.py")


def test_ranks_are_those_of_networkx():
    graph: nx.DiGraph = nx.gnp_random_graph(60, 0.06, seed=5, directed=True)
    for number, (u, v) in enumerate(graph.edges):
        graph.edges[u, v]["weight"] = 0.3 + number % 5 / 10
    ours = pagerank([(u, v, data["weight"], 0) for u, v, data in graph.edges(data=True)])
    graph.remove_nodes_from([node for node in list(graph) if graph.degree(node) == 0])
    theirs = _pagerank_python(graph, tol=1e-10)
    assert ours.keys() == theirs.keys()
    assert all(abs(ours[node] - theirs[node]) < 1e-6 for node in ours)
    assert abs(sum(ours.values()) - 1) < 1e-9


def test_files_that_use_each_other_are_a_neighbourhood():
    graph: nx.DiGraph = nx.DiGraph()
    for group in ("a", "b"):
        files = [f"{group}/{n}.py" for n in range(4)]
        for u in files:
            for v in files:
                if u != v:
                    graph.add_edge(u, v, uses=2, weight=2.0)
    graph.add_edge("a/0.py", "b/0.py", uses=1, weight=1.0)
    graph.add_node("alone.py")
    first, second = neighbourhoods(graph)
    assert (first.name, first.inner, first.outer) == ("a/", 24, 1)
    assert second.name == "b/"
    # The order in which files were added does not matter.
    turned: nx.DiGraph = nx.DiGraph()
    turned.add_edges_from(reversed(list(graph.edges(data=True))))
    assert neighbourhoods(turned) == (first, second)


def test_neighbourhoods_of_one_folder_are_named_after_what_is_used_most_in_them():
    graph: nx.DiGraph = nx.DiGraph()
    for group in ("a", "b"):
        for n in range(4):
            graph.add_edge(f"app/{group}{n}.rb", f"app/{group}9.rb", uses=2, weight=2.0)
    names = [each.name for each in neighbourhoods(graph)]
    assert names == ["app/a9.rb", "app/b9.rb"]


def test_dead_code_is_what_nothing_reaches(opened: Project):
    with opened.snapshot() as snapshot:
        found = dead_code(snapshot)
        rows = {row.symbol.qualified_name: row for row in found.rows}
        public = dead_code(snapshot, exports=True)
    # `_forgotten_too` is named by what is dead itself, so it comes after `_forgotten`.
    assert list(rows) == ["_forgotten", "Base.drop", "_forgotten_too"]
    assert rows["_forgotten"].reasons == ()
    assert rows["Base.drop"].reasons == ("public: code elsewhere may use it",)
    assert (found.n_found, found.n_unnamed) == (3, 2)
    assert {row.symbol.name for row in public.rows} == {"_forgotten", "_forgotten_too"}


def test_what_python_looks_up_among_its_globals_by_part_of_a_name_is_alive(project):
    text = """
//- shop/http.py
def _parse_date(text):
    return _digits(text)

def _digits(text):
    return text

def other(text):
    return text

class Box:
    def _parse_inside(self):
        pass

def __getattr__(name):
    return globals()[f"_parse_{name}"]
//- shop/app.py
def _parse_date(text):
    return text
"""
    with index(project(text)).snapshot() as snapshot:
        found = {(row.symbol.path, row.symbol.name) for row in dead_code(snapshot).rows}
    assert {each for each in found if each[1] != "__getattr__"} == {
        ("shop/app.py", "_parse_date"), ("shop/http.py", "Box"), ("shop/http.py", "other"),
    }  # fmt: skip


def test_what_runs_when_a_package_of_go_is_loaded_is_alive_and_its_files_need_each_other(project):
    text = """
//- go.mod
module shop
//- bind/a.go
package bind

var JSON = jsonBinding{}

func init() { register() }

func helper() {}
//- bind/b.go
package bind

type jsonBinding struct{}

func register() { helper() }

func forgotten() {}
"""
    with index(project(text)).snapshot() as snapshot:
        assert {row.symbol.qualified_name for row in dead_code(snapshot).rows} == {"forgotten"}
        assert cycles(module_graph(snapshot)) == ()


def test_overrides_are_found_both_ways(opened: Project):
    with opened.snapshot() as snapshot:
        upper, lower = sorted(named(snapshot, "put"), key=lambda s: s.line)
        assert [(o.member, o.base) for o in overriders(snapshot, [upper])] == [(lower, upper)]
        assert [o.base for o in overridden(snapshot, [lower])] == [upper]
        assert overriders(snapshot, [lower]) == ()


def edges_of(graph: nx.MultiDiGraph) -> set[tuple[object, ...]]:
    names = nx.get_node_attributes(graph, "symbol")
    return {
        (names[u].path, names[u].qualified_name, names[v].qualified_name, kind, *data.values())
        for u, v, kind, data in graph.edges(keys=True, data=True)
    }


def test_a_reader_of_an_older_generation_sees_its_own_graph(opened: Project):
    with opened.snapshot() as old:
        (opened.root / "shop/cli.py").write_text("def main():\n    pass\n")
        with writer_lock(opened.directory):
            connection = database.connect(opened.directory, writable=True)
            refresh(connection, opened.root, opened.options(), silent)
            connection.close()
        with opened.snapshot() as new:
            assert not [e for e in edges_of(call_graph(new)) if e[1] == "main"]
        assert [e for e in edges_of(call_graph(old)) if e[1] == "main"]


def test_every_format_is_read_back(opened: Project):
    with opened.snapshot() as snapshot:
        portable = export.of_symbols(call_graph(snapshot))
    written = {name: write(portable) for name, write in export.WRITERS.items()}
    wanted = {(u, v, d["kind"], d["line"]) for u, v, d in portable.edges(data=True)}
    assert wanted
    back = {
        "graphml": nx.parse_graphml(written["graphml"], force_multigraph=True),
        "gexf": nx.read_gexf(io.BytesIO(written["gexf"].encode())),
        "json": nx.node_link_graph(json.loads(written["json"]), edges="edges"),
    }
    for name, graph in back.items():
        seen = {(u, v, d["kind"], d["line"]) for u, v, d in graph.edges(data=True)}
        assert seen == wanted, name
        assert {n: d["line"] for n, d in graph.nodes(data=True)} == {
            n: d["line"] for n, d in portable.nodes(data=True)
        }, name
    for name, node, edge in (
        ("dot", r'^  n\d+ \[label="([^"\\]*)"\];', r"n\d+ -> n\d+ \["),
        ("mermaid", r'n\d+\["([^"]*)"\]', r"n\d+ -[-.]*>\|\w+\| n\d+"),
    ):
        labels = re.findall(node, written[name], re.MULTILINE)
        assert sorted(labels) == sorted(d["label"] for _, d in portable.nodes(data=True)), name
        assert len(re.findall(edge, written[name])) == portable.number_of_edges(), name


def test_names_of_files_cannot_break_out_of_an_export():
    graph: nx.DiGraph = nx.DiGraph()
    hostile = 'a"]; evil -> \\"<script>&%%{init}\x00\x1b[2J\udcff`.py'
    graph.add_edge(hostile, "b.py", uses=1, weight=1.0, path=hostile, line=1)
    portable = export.of_modules(graph)
    written = {name: write(portable) for name, write in export.WRITERS.items()}
    assert nx.parse_graphml(written["graphml"]).number_of_edges() == 1
    assert nx.read_gexf(io.BytesIO(written["gexf"].encode())).number_of_edges() == 1
    assert written["dot"].count("\n") == 5
    assert written["dot"].count('"') == 6
    assert "<script>" not in written["mermaid"]
    assert "%%{" not in written["mermaid"]
    assert all("\x00" not in text and "\x1b" not in text for text in written.values())


def test_the_command_answers_each_question(opened: Project):
    def said(*arguments: str) -> str:
        return satchel(*arguments, cwd=opened.root).stdout.decode()

    assert "cli.py" in said("graph", "path", "shop/cli.py", "write")
    until = said("deps", "main", "--until", "write", "--json")
    assert json.loads(until)["paths"][0]["steps"][-1]["target"]["name"] == "write"
    for refused in (("main",), ("write", "--tests"), ("write", "--format", "dot")):
        assert satchel("deps", "main", "--until", *refused, cwd=opened.root).returncode == 2
    assert "cut shop/price.py -> shop/order.py" in said("graph", "cycles")
    assert "_forgotten" in said("graph", "dead")
    assert "used by" in said("graph", "central")
    assert "shop/" in said("graph", "neighbourhoods")
    drawn = said("graph", "export", "--format", "mermaid", "--of", "modules")
    assert drawn.startswith("flowchart LR")
    for what in ("cycles", "dead", "central", "neighbourhoods", "export"):
        for path in ("nowhere", "shop/*"):
            lost = satchel("graph", what, "--path", path, cwd=opened.root)
            assert (lost.returncode, lost.stdout) == (2, b"")
            assert f"no indexed file's path starts with {path}\n".encode() in lost.stderr


RAILS = """
//- config/routes.rb
Rails.application.routes.draw do
  resources :stories
end
//- app/controllers/stories_controller.rb
class StoriesController < ApplicationController
  def index
    find_stories
  end

  private

  def find_stories; end

  def forgotten; end
end
//- app/models/story.rb
class Story
  def unused; end
end
"""


def test_what_rails_calls_by_its_routes_is_alive_and_is_said_to_count(project):
    root = project(RAILS)
    with index(root).snapshot() as snapshot:
        found = dead_code(snapshot)
    assert [row.symbol.qualified_name for row in found.rows] == [
        "StoriesController.forgotten", "Story",
    ]  # fmt: skip
    told = satchel("graph", "dead", cwd=root).stdout.decode()
    assert "routes are not read: what is public in app/controllers/ counts" in told

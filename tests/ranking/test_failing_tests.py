"""What a pasted failing test, trace or diff brings first, in a pack as an agent gets it."""

from pathlib import Path

import pytest

from satchel.assembler import assemble
from satchel.assembler.kinds import Detail, Scope
from satchel.assembler.places import failing_tests, seeds, test_blocks
from satchel.assembler.places.failing_tests import FailedTest, Lead
from satchel.assembler.places.seeds import Tree
from satchel.assembler.query import artefacts
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack
from satchel.assembler.weights import DEFAULT
from satchel.store import tokens
from tests.support.satchel import index

LONG = "".join(f"    assert shelf.count({n}) == {n}  # row {n}\n" for n in range(400))
SHOP = f"""
//- shop/__init__.py
//- shop/shelf.py
from shop.tally import tally


class Shelf:
    def count(self, thing):
        return rows(thing) - 1

    def label(self):
        return "shelf"


def rows(thing):
    return tally(thing)
//- shop/tally.py
def tally(thing):
    return thing + 7
//- src/depot/core.py
def stored(thing):
    return thing * 31
//- tests/conftest.py
def filled():
    return 1 / 0
//- tests/test_shelf.py
from shop.shelf import Shelf


def test_count():
    assert Shelf().count(1) == 1


def test_everything():
    shelf = Shelf()
{LONG}"""


def pack_of(root: Path, text: str, budget: int = 1500, changes: str = "") -> ContextPack:
    with index(root).snapshot() as snapshot:
        pack = assemble.context(snapshot, Question(text, Scope.IMPL, "", changes), budget)
    assert tokens.count(pack.text) == pack.receipt.used <= budget
    return pack


def shown(pack: ContextPack) -> list[tuple[str, str]]:
    return [(e.path, e.symbol) for e in pack.excerpts if e.detail not in (Detail.SIGNATURE,)]


def test_a_failing_test_brings_its_function_then_what_it_calls_nearest_first(project):
    text = "FAILED tests/test_shelf.py::test_count - assert 0 == 1\n"
    found = shown(pack_of(project(SHOP), text))
    assert found[0] == ("tests/test_shelf.py", "test_count")
    assert found.index(("shop/shelf.py", "Shelf.count")) < found.index(("shop/tally.py", "tally"))


CALLED_BESIDE_A_MATCH = """
//- shop/shelf.py
def stacked(thing):
    return thing - 1
//- post/office.py
def postage(parcel, weight):
    return parcel + weight
//- tests/test_shelf.py
from shop.shelf import stacked


def test_count():
    assert stacked(1) == 1
"""


def test_what_a_failing_test_calls_is_read_after_what_matches_it_best(project):
    text = (
        "FAILED tests/test_shelf.py::test_count - assert 0 == 1\n\n"
        "Is the postage of a parcel taken off by its weight?"
    )
    found = shown(pack_of(project(CALLED_BESIDE_A_MATCH), text))
    assert [path for path, _ in found] == ["tests/test_shelf.py", "post/office.py", "shop/shelf.py"]


def test_beside_a_failing_test_nothing_is_shown_that_only_shares_its_words(project):
    others = "".join(
        f"//- other/part{n}.py\ndef part{n}(rows):\n    return rows  # {n} of a count\n"
        for n in range(20, 50)
    )
    root = project(SHOP + others)
    text = "FAILED tests/test_shelf.py::test_count - assert 0 == 1\n"
    failing, asked = shown(pack_of(root, text)), shown(pack_of(root, "assert the count of rows"))
    assert not [path for path, _ in failing if path.startswith("other/")]
    assert [path for path, _ in asked if path.startswith("other/")]
    assert ("shop/tally.py", "tally") in failing


def test_a_long_test_leaves_room_for_the_code(project):
    line = 9 + 350
    text = f"tests/test_shelf.py:{line}: in test_everything\nE   assert 6 == 340\n"
    pack = pack_of(project(SHOP), text)
    of_tests = "\n".join(e.text for e in pack.excerpts if e.path.startswith("tests/"))
    assert f"# row {line - 11}" in of_tests
    assert of_tests.count("# row") < 80
    assert "return rows(thing) - 1" in pack.text


def test_a_fixture_that_fails_is_shown(project):
    text = (
        "____ ERROR at setup of test_count ____\n\ntests/conftest.py:2: in filled\n"
        "    return 1 / 0\nE   ZeroDivisionError: division by zero\n"
    )
    found = shown(pack_of(project(SHOP), text))
    assert ("tests/conftest.py", "filled") in found[:2]


@pytest.mark.parametrize(
    "installed",
    [
        "/usr/lib/python3/dist-packages/shop/tally.py",
        "/usr/lib/python3.11/site-packages/depot/core.py",
        "C:\\Python311\\Lib\\site-packages\\depot\\core.py",
        "/venv/lib/python2.7/site-packages/depot-2.3.0-py2.7.egg/depot/core.py",
        "/app/somewhere/shop/tally.py",
    ],
)
def test_frames_of_an_installed_package_are_those_of_the_checkout(project, installed: str):
    text = f'  File "{installed}", line 2, in nothing\n    pass\nKeyError: 7\n'
    wanted = installed.replace("\\", "/").rsplit("/", 2)[-2:]
    assert shown(pack_of(project(SHOP), text))[0][0].endswith("/".join(wanted))


def test_libraries_are_named_once_in_one_line(project):
    text = (
        'File "/usr/lib/python3.11/json/decoder.py", line 3, in decode\n'
        'File "/usr/lib/python3.11/json/scanner.py", line 9, in scan\n'
        'File "/venv/lib/python3.11/site-packages/requests/models.py", line 9, in get\n'
        'File "/venv/lib/python3.11/site-packages/shop/tally.py", line 2, in tally\n'
    )
    pack = pack_of(project(SHOP), text)
    assert pack.text.count("frames outside this code base: requests, json\n") == 1
    assert shown(pack)[0] == ("shop/tally.py", "tally")


MANIFESTS = {
    "package.json": ('{"name": "@acme/shop"}', "src/shelf.ts", "export function take() {}\n",
                     "/app/node_modules/@acme/shop/dist/esm/shelf.js"),
    "Cargo.toml": ('[package]\nname = "shop"\n', "src/shelf.rs", "pub fn take() {}\n",
                   "/home/ann/.cargo/registry/src/index.crates.io-6f17/shop-1.2.0/src/shelf.rs"),
    "go.mod": ("module example.com/shop\n", "stock/shelf.go", "package stock\nfunc Take() {}\n",
               "/home/ann/go/pkg/mod/example.com/shop@v1.2.0/stock/shelf.go"),
    "composer.json": ('{"name": "acme/shop"}', "src/Shelf.php", "<?php\nfunction take() {}\n",
                      "/srv/app/vendor/acme/shop/src/Shelf.php"),
    "shop.gemspec": ('Gem::Specification.new { |s| s.name = "shop" }', "lib/shop/shelf.rb",
                     "def take; end\n", "/usr/lib/ruby/gems/shop-1.2.0/lib/shop/shelf.rb"),
    "mix.exs": ("defmodule M do\n  def project, do: [app: :shop]\nend\n", "lib/shelf.ex",
                "defmodule Shelf do\nend\n", "deps/shop/lib/shelf.ex"),
}  # fmt: skip


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_manifest_says_which_package_is_developed_here(project, manifest: str):
    said, path, code, written = MANIFESTS[manifest]
    root = project(f"\n//- pkg/{manifest}\n{said}\n//- pkg/{path}\n{code}\n//- other.py\nx = 1\n")
    with index(root).snapshot() as snapshot:
        tree = Tree(snapshot)
        assert tree.matching(written) == [f"pkg/{path}"]
        assert tree.matching(written.replace("shop", "mall")) == []


BLOCKS = """
//- src/shelf.js
export function take(thing) {
  return count(thing);
}
export function count(thing) {
  return thing - 1;
}
export function other() {
  return 5;
}
//- test/shelf.test.js
import { count, other, take } from "../src/shelf.js";

describe("Shelf", () => {
  it("is another", () => {
    expect(other()).toBe(5);
  });

  it.each([
    [1],
  ])("takes a thing", (thing) => {
    expect(take(thing)).toBe(1);
  });
});
"""


@pytest.mark.parametrize(
    "text",
    [
        " FAIL  test/shelf.test.js > Shelf > takes a thing\nAssertionError: no\n",
        "  1) takes a thing\n      at Context.<anonymous> (test/shelf.test.js:11:12)\n",
        "FAIL test/shelf.test.js\n  ● Shelf › takes a thing\n\n    expect(received)\n",
    ],
)
def test_a_test_without_a_name_is_its_block_and_calls_what_is_called_in_it(project, text: str):
    with index(project(BLOCKS)).snapshot() as snapshot:
        tree = Tree(snapshot)
        artefact = artefacts.read(text)
        assert artefact is not None
        located = seeds.resolve(tree, artefact, DEFAULT.pointing).located
        (test,) = failing_tests.tests(tree, artefact, located)
        called = failing_tests.called(tree, [test], {})
    assert (test.first_line, test.last_line) == (8, 12)
    assert [each.symbol.name for each in called] == ["take"]


MACRO = """
//- src/lib.rs
pub fn sum(numbers: &[i32]) -> i32 {
    numbers.iter().sum()
}
//- tests/sums.rs
use shop::sum;

macro_rules! total {
    ($first:expr) => {
        $first
    };
    ($first:expr, $($rest:expr),*) => {
        $first + total!($($rest),*)
    };
}

#[test]
fn sums_what_is_given() {
    assert_eq!(sum(&[1, 2]), total!(1, 2));
}
"""


def test_a_macro_of_a_test_that_calls_itself_is_followed_once(project):
    text = (
        "---- sums_what_is_given stdout ----\n"
        "thread 'sums_what_is_given' panicked at tests/sums.rs:14:5:\nassertion failed\n"
    )
    with index(project(MACRO)).snapshot() as snapshot:
        tree = Tree(snapshot)
        (macro,) = snapshot.symbols.named("total")
        assert macro.id in [edge.target for edge in snapshot.symbols.edges_from([macro.id])]
        artefact = artefacts.read(text)
        assert artefact is not None
        located = seeds.resolve(tree, artefact, DEFAULT.pointing).located
        (test,) = failing_tests.tests(tree, artefact, located)
        called = failing_tests.called(tree, [test], {})
    assert [each.symbol.name for each in called] == ["sum"]


def test_blocks_end_where_their_indentation_does():
    lines = ['describe "a" do', '  it "b" do', "    one", "", "    two", "  end", "end"]
    assert test_blocks.around(lines, 5) == (2, 6)
    assert test_blocks.titled(lines, "b") == (2, 6)
    assert test_blocks.around(lines, 7) is None
    assert test_blocks.around(lines, 99) is None


DIFF = """\
--- a/shop/shelf.py
+++ b/shop/shelf.py
@@ -4,4 +4,3 @@
 class Shelf:
     def count(self, thing):
-        self.lock()
         return rows(thing) - 1
--- a/shop/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-gone = 1
"""


@pytest.mark.parametrize("how", ["pasted", "asked for"])
def test_a_review_begins_with_its_hunks_and_goes_on_with_callers(project, how: str):
    root = project(SHOP)
    pack = pack_of(root, DIFF) if how == "pasted" else pack_of(root, "", changes=DIFF)
    first = pack.excerpts[0]
    assert (first.path, first.detail) == ("shop/shelf.py", Detail.HUNK)
    assert "-        self.lock()\n         return rows(thing) - 1" in first.text
    assert "removed by the diff: shop/gone.py" in pack.text
    calls = [e for e in pack.excerpts if e.reason.startswith("calls Shelf.count")]
    assert calls[0].path == "tests/test_shelf.py"


def test_a_changed_file_that_is_not_indexed_is_named(project):
    changes = """--- a/shop/stock.bin
+++ b/shop/stock.bin
@@ -1,1 +1,1 @@
-old
+new
--- a/shop/tally.py
+++ b/shop/tally.py
@@ -1,2 +1,2 @@
 def tally(thing):
-    return thing + 8
+    return thing + 7
"""
    pack = pack_of(project(SHOP), "", changes=changes)
    assert "changed, not indexed: shop/stock.bin" in pack.text
    assert "shop/tally.py" not in pack.text.partition("not indexed")[2].splitlines()[0]


def test_a_new_file_is_shown_as_far_as_it_fits_and_leaves_room_for_the_rest(project):
    body = "".join(f"def made_{n}():\n    return {n}\n\n\n" for n in range(300))
    added = "".join(f"+{line}\n" for line in body.splitlines())
    n_lines = body.count("\n")
    new = f"--- /dev/null\n+++ b/shop/new.py\n@@ -0,0 +1,{n_lines} @@\n{added}"
    pack = pack_of(project(f"{SHOP}//- shop/new.py\n{body}"), "", changes=new + DIFF)
    hunks = [e for e in pack.excerpts if e.detail == Detail.HUNK]
    assert {e.path for e in hunks} == {"shop/new.py", "shop/shelf.py"}
    cut = next(e for e in hunks if e.path == "shop/new.py")
    assert cut.tokens > 0.4 * pack.receipt.budget
    assert "changed places are not shown" in pack.text
    assert "-        self.lock()" in pack.text


def test_a_package_that_is_missing_leads_to_the_line_of_a_manifest_that_names_it(project):
    root = project(
        """
//- pyproject.toml
[dependency-groups]
dev = [
    "ephemeral-port-reserve-more",
    "ephemeral-port-reserve",
"""
        + "".join(f'    "other-{n}",\n' for n in range(60))
        + """]
//- tests/conftest.py
import ephemeral_port_reserve


def port():
    return ephemeral_port_reserve.reserve()
"""
    )
    report = """ImportError while loading conftest '/home/ci/x/tests/conftest.py'.
tests/conftest.py:1: in <module>
    import ephemeral_port_reserve
E   ModuleNotFoundError: No module named 'ephemeral_port_reserve'
"""
    shown = {(e.path, e.start_line): e.reason for e in pack_of(root, report).excerpts}
    assert shown["pyproject.toml", 4] == "names ephemeral_port_reserve"


@pytest.mark.parametrize(
    "place",
    [
        "file:///home/ci/app/node_modules/got/dist/source/core/index.js:900:18",
        "/home/ci/got/dist/source/core/index.js:900:18",
        "/home/dist/got/dist/esm/source/core/index.js:900:18",
    ],
)
def test_a_frame_in_what_the_code_is_built_into_leads_to_its_source(project, place: str):
    root = project("""
//- package.json
{"name": "got"}
//- source/core/index.ts
export class Request {
  _other() { return 1 }
  _sendBody(body: string) {
    return body.trim()
  }
}
//- source/core/errors.ts
export class Failed {}
""")
    report = f"TypeError: Cannot read properties of undefined\n    at Request._sendBody ({place})\n"
    first = pack_of(root, report).excerpts[0]
    assert (first.path, first.symbol) == ("source/core/index.ts", "Request._sendBody")
    assert first.reason == "in the trace"


def test_what_shares_a_name_with_what_a_test_calls_is_not_said_to_be_called(project):
    root = project("""
//- web/matchers.py
class MatchHost:
    def match(self, host):
        return host == self.host


class MatchPath:
    def match(self, path):
        return path.startswith(self.path)
//- tests/test_matchers.py
from web.matchers import MatchPath


def test_paths_are_matched():
    matcher = MatchPath()
    assert matcher.match("/a")
""")
    with index(root).snapshot() as snapshot:
        [test] = snapshot.symbols.named("test_paths_are_matched")
        failed = FailedTest(test.path, test.span.start_line, test.span.end_line, test)
        leads = {
            each.symbol.qualified_name: each.lead
            for each in failing_tests.called(Tree(snapshot), [failed], {})
        }
    assert leads["MatchPath.match"] == Lead.CALLED
    assert leads["MatchHost.match"] == Lead.NAMED


def test_what_a_test_hands_over_is_tested_as_well(project):
    root = project("""
//- web/router.py
class Router:
    def use(self, step):
        self.steps.append(step)
//- web/trimmed.py
def trimmed(path):
    return path.rstrip("/")


def unrelated(path):
    return path
//- tests/test_trimmed.py
from web.router import Router
from web.trimmed import trimmed


def test_steps_are_used():
    router = Router()
    router.use(trimmed)
    assert router.get("/a/") == "/a"
""")
    report = (
        "FAILED tests/test_trimmed.py::test_steps_are_used - AssertionError: assert '/' == '/a'"
    )
    shown = {e.symbol: e.reason for e in pack_of(root, report).excerpts}
    assert shown["trimmed"] == "named in the failing test"

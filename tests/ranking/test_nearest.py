"""Packs for pasted places: the first step of the call graph, then matches by words."""

from pathlib import Path

from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import read
from satchel.assembler.search import ranked_by
from satchel.assembler.weights import DEFAULT
from satchel.store import tokens
from tests.support.satchel import index, satchel

SHOP = """
//- shop/orders.py
from shop.stock import reserve
from shop.mail import notify


def checkout(order):
    notify(order)
    return place(order)


def place(order):
    return reserve(order, LIMIT)


LIMIT = 5


def refund(order):
    raise ValueError("not enough left of the order")
//- shop/stock.py
def reserve(thing, limit):
    if over(thing, limit):
        raise ValueError("not enough left")
    return thing


def over(thing, limit):
    return compare(thing, limit)


def compare(thing, limit):
    return thing > limit
//- shop/mail.py
def notify(order):
    return "to " + order
//- tests/test_stock.py
from shop.stock import reserve


def made():
    return prepared()


def prepared():
    return 3


def test_reserve_keeps_what_is_left():
    assert reserve(made(), 4) == 3


def test_limit_itself_is_not_over():
    assert reserve(4, 4) == 4
"""
TRACE = """Traceback (most recent call last):
  File "/app/shop/orders.py", line 7, in checkout
    return place(order)
  File "/app/shop/orders.py", line 11, in place
    return reserve(order, LIMIT)
  File "/app/shop/stock.py", line 3, in reserve
    raise ValueError("not enough left")
ValueError: not enough left
"""
TOLD = """
I see this each time that somebody orders twice in a row. Our refunds still work without any
trouble at all. It began with the last release of the shop on Monday.
"""
FAILED = """
=================================== FAILURES ===================================
____________________ test_reserve_keeps_what_is_left ____________________
    def test_reserve_keeps_what_is_left():
>       assert reserve(made(), 4) == 3
E       assert None == 3

tests/test_stock.py:13: AssertionError
"""


def pack(root: Path, text: str) -> str:
    reply = satchel("context", "-", "--budget", "2000", "--quiet", cwd=root, stdin=text.encode())
    return reply.stdout.decode()


def required(root: Path, text: str) -> list[str]:
    """The first lines of the places that pasted text requires, in the order of a pack."""
    with index(root).snapshot() as snapshot:
        question = Question(text)
        ranked = ranked_by(snapshot, question, read(question, DEFAULT), None, DEFAULT)
        assert ranked.pasted is not None
        places = ranked.pasted.required(ranked.items, tokens.count, DEFAULT.pointing).required
        lines = {p.path: (root / p.path).read_text("utf-8").split("\n") for p in places}
    return [lines[place.path][place.first_line - 1].strip() for place in places]


def test_a_trace_requires_its_functions_and_what_the_innermost_call(project):
    found = required(project(SHOP), TRACE)
    assert found == [
        'raise ValueError("not enough left")',
        "return reserve(order, LIMIT)",
        "return place(order)",
        "def over(thing, limit):",
        "def reserve(thing, limit):",
        "LIMIT = 5",
    ]


def test_what_the_words_of_a_trace_match_comes_after_its_places(project):
    text = pack(project(SHOP), TRACE)
    assert "def refund" in text, "it says that something is not left, too"
    assert text.index("def over") < text.index("def refund")


def test_a_failing_test_requires_the_helpers_of_its_file_and_what_it_calls(project):
    assert required(project(SHOP), FAILED) == [
        "assert reserve(made(), 4) == 3",
        "def made():",
        "def prepared():",
        "def reserve(thing, limit):",
    ]


DIFF = """diff --git a/shop/stock.py b/shop/stock.py
--- a/shop/stock.py
+++ b/shop/stock.py
@@ -11,2 +11,2 @@ def over(thing, limit):
 def compare(thing, limit):
-    return thing > limit
+    return thing >= limit
"""


def test_a_change_ends_with_what_it_touches_unless_somebody_tells_more(project):
    text = pack(project(SHOP), DIFF)
    assert "def refund" not in text
    assert "; ends here: nothing else is likely" in text.splitlines()[-1]
    told = pack(project(SHOP), DIFF + TOLD)
    assert "def refund" in told


def test_a_change_brings_the_tests_that_share_its_words(project):
    text = pack(project(SHOP), DIFF)
    assert "test_limit_itself_is_not_over" in text
    assert "test of what changes" in text
    assert "def over" in text, "it calls what changed"


HANDED_OUT = """
//- lib/lookup.js
module.exports = function lookupFiles(pattern) {
  return [pattern];
};
//- lib/collect.js
const lookupFiles = require('./lookup');

function collect(patterns) {
  return patterns.map((pattern) => lookupFiles(pattern));
}
"""
CHANGE = """diff --git a/lib/lookup.js b/lib/lookup.js
--- a/lib/lookup.js
+++ b/lib/lookup.js
@@ -1,3 +1,3 @@ module.exports = function lookupFiles(pattern) {
 module.exports = function lookupFiles(pattern) {
-  return pattern;
+  return [pattern];
 };
"""


def test_a_function_handed_out_without_a_name_is_called_by_that_of_its_users(project):
    assert "calls lookupFiles" in pack(project(HANDED_OUT), CHANGE)


STEPS = "".join(f"def step_{n}(order):\n    return order + {n}\n\n\n" for n in range(20))
LONG = f"""
//- shop/steps.py
{STEPS}
//- shop/run.py
from shop.steps import *


def run(order):
""" + "".join(f"    order = step_{n}(order)\n" for n in range(20))


def test_of_a_long_frame_the_callees_nearest_to_its_line_are_shown(project):
    root = project(LONG + "    return order\n")
    lines = (root / "shop/run.py").read_text("utf-8").split("\n")
    at = lines.index("    order = step_12(order)") + 1
    trace = "Traceback (most recent call last):\n" + (
        f'  File "/app/shop/run.py", line {at}, in run\n    order = step_12(order)\n'
        "TypeError: unsupported operand\n"
    )
    called = [line for line in required(root, trace) if line.startswith("def step_")]
    assert called == [f"def step_{n}(order):" for n in range(10, 15)]


ROUTES = """
//- web/routes.go
package web

type Routes struct{ tree map[string]int }

func (r *Routes) Add(method string, path string) {
	if r.tree == nil {
		panic("no tree was made for the routes, which is a mistake of whoever built them")
	}
	r.keep(method, path)
	r.serveWith(r.dispatch)
	r.count(path)
	path = "/" + path
	path = path + "/1"
	path = path + "/2"
	path = path + "/3"
	path = path + "/4"
	path = path + "/5"
	path = path + "/6"
	path = path + "/7"
	path = path + "/8"
	path = path + "/9"
}

func (r *Routes) keep(method string, path string) { r.tree[method+path] = 1 }

func (r *Routes) serveWith(handler func(string) string) { handler("") }

func (r *Routes) dispatch(method string) string {
	if r.tree[method] == 0 {
		return refusedMethod(method)
	}
	return logged(method)
}

func refusedMethod(method string) string {
	return "the Allow header of a refused method " + method
}

func logged(text string) string {
	return text
}

func (r *Routes) count(path string) int {
	return len(r.tree) + len(path)
}

func RefusedMethods() []string {
	return nil
}
//- web/routes_test.go
package web

import "testing"

func TestRefusedMethods(t *testing.T) {
	r := &Routes{}
	r.Add("GET", "/hi")
	t.Fatal("Allow header of the refused method is missing")
}
"""
REFUSED = """--- FAIL: TestRefusedMethods (0.00s)
    routes_test.go:8: Allow header of the refused method is missing
FAIL
FAIL\tshop/web\t0.412s
"""


def test_what_a_test_is_about_is_shown_though_it_is_some_calls_away(project):
    text = pack(project(ROUTES), REFUSED)
    assert "func refusedMethod" in text, "it holds the words of the message"
    assert text.index(") Add(") < text.index("func refusedMethod")


def test_a_title_that_is_the_name_of_a_function_brings_it(project):
    assert "func RefusedMethods" in pack(project(ROUTES), REFUSED)


GETTER = """
//- lib/request.js
define(req, 'ip', function ip() {
  return this.address;
});
define(req, 'port', function port() {
  return this.number;
});
//- test/req.test.js
describe('req', function () {
  describe('.ip', function () {
    it('is that of the client', function () {
      send(req.ip);
    });
  });
});
"""


def test_a_suite_that_is_titled_by_a_member_brings_it(project):
    report = "  1) req\n       .ip\n         is that of the client:\n     Error: expected p1\n"
    found = required(
        project(GETTER), report + "      at Context.<anonymous> (test/req.test.js:4:12)\n"
    )
    assert "define(req, 'ip', function ip() {" in found
    assert "define(req, 'port', function port() {" not in found


NESTED = """
//- lib/spec.js
function Spec(runner) {
  function indent() {
    return ' ';
  }
  const color = runner.color;
  return indent() + color();
}
//- lib/doc.js
function Doc(runner) {
  function indent() {
    return '\t';
  }
  return indent();
}
//- lib/mocha.js
class Mocha {
  color(is_on) {
    return is_on;
  }
}
"""


def test_a_bare_name_means_no_helper_or_method_of_another_file(project):
    trace = "TypeError: no\n    at new Spec (/srv/app/lib/spec.js:6:8)\n"
    found = required(project(NESTED), trace)
    assert "return indent() + color();" in found
    assert not any("Doc" in line or "is_on" in line for line in found)


PRINTS = "".join(f"        print({n})\n" for n in range(60))
WORKER = f"""
//- work/worker.py
STEP = "trying again in a while"


class Worker:
    is_first = True

    def connect(self):
        def failed(error):
            print(error, STEP)
            return prepared(error)

        return failed

    def other(self):
{PRINTS}        return 1


def prepared(error):
    return str(error)


def unused(error):
    return repr(error)
"""
RETRY = """--- a/work/worker.py
+++ b/work/worker.py
@@ -5,3 +5,5 @@ class Worker:
     is_first = True

+    n_tries = 0
+
     def connect(self):
@@ -9,4 +11,5 @@ class Worker:
         def failed(error):
+            self.n_tries += 1
             print(error, STEP)
             return prepared(error)

"""


def test_a_line_between_the_methods_of_a_long_class_does_not_bring_all_of_it(project):
    found = required(project(WORKER), RETRY)
    assert "def failed(error):" in found
    assert "def other(self):" not in found


def test_a_change_brings_the_helpers_beside_it_and_the_constants_of_its_module(project):
    found = required(project(WORKER), RETRY)
    assert "def prepared(error):" in found
    assert 'STEP = "trying again in a while"' in found, "a function within a method uses it"
    assert "def unused(error):" not in found


def test_a_change_to_which_little_belongs_brings_the_rest_of_its_file(project):
    root = project(f"{WORKER}//- work/elsewhere.py\ndef tries_again(worker):\n    return worker\n")
    text = pack(root, RETRY)
    assert "def unused" in text
    assert "def tries_again" not in text


HEADED = """
//- shop/till.py
def opened(till):
    till.drawer = "open"
    return till


def counted(coins):
    return sum(coins)


def closed(till):
    return counted(till.coins)


def rung(till):
    return opened(till)
//- tests/test_till.py
from shop.till import counted


def test_coins_are_summed():
    assert counted([1, 2]) == 3
"""
HEADED_BY_THE_FUNCTION_ABOVE = """diff --git a/shop/till.py b/shop/till.py
--- a/shop/till.py
+++ b/shop/till.py
@@ -4,5 +4,5 @@ def opened(till):
\x20
\x20
 def counted(coins):
-    return sum(coins)
+    return sum(coins, 0)
\x20
"""


def test_the_function_above_a_hunk_did_not_change(project):
    found = pack(project(HEADED), HEADED_BY_THE_FUNCTION_ABOVE)
    assert "closed calls counted" in found
    assert "test_coins_are_summed" in found
    assert "opened changed here" not in found
    assert "calls opened" not in found

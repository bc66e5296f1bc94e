"""Packs for pasted places: the first step of the call graph, the tests that say most, no more."""

from pathlib import Path

import pytest

from tests.support.satchel import satchel

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


def test_a_trace_brings_what_its_innermost_functions_call_and_ends_there(project):
    text = pack(project(SHOP), TRACE)
    for shown in ("def reserve", "def place", "def checkout", "def over", "LIMIT = 5"):
        assert shown in text
    for further in ("def compare", "def notify", "def refund"):
        assert further not in text
    assert "; nothing nearer is left" in text.splitlines()[-1]


def test_words_count_as_well_where_somebody_tells_more_around_a_trace(project):
    text = pack(project(SHOP), TRACE + TOLD)
    assert "def refund" in text
    assert "nothing nearer" not in text


def test_a_failing_test_brings_the_helpers_of_its_file_and_what_it_calls(project):
    text = pack(project(SHOP), FAILED)
    for shown in ("test_reserve_keeps", "def made", "def prepared", "def reserve", "def over"):
        assert shown in text
    for other in ("test_limit_itself", "def notify", "def refund"):
        assert other not in text


DIFF = """diff --git a/shop/stock.py b/shop/stock.py
--- a/shop/stock.py
+++ b/shop/stock.py
@@ -11,2 +11,2 @@ def over(thing, limit):
 def compare(thing, limit):
-    return thing > limit
+    return thing >= limit
"""


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


MERGED = """
//- src/core.ts
export interface Url { href: string }
export const Url = make("Url", (inst) => {
  inst.check = (input) => new URL(input).href;
});
export function url<T extends Url>(Class: Maker<T>): T {
  return new Class();
}
//- test/core.test.ts
import { url } from "../src/core";

test("url is kept", () => {
  expect(url(Url).check("a")).toBe("a");
});
"""


@pytest.mark.parametrize("at", ["test/core.test.ts:4:31"])
def test_a_function_that_hands_on_leads_to_the_value_named_like_its_type(project, at: str):
    text = pack(project(MERGED), f" FAIL  test/core.test.ts > url is kept\n ❯ {at}\n")
    assert "inst.check" in text


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
    text = pack(root, trace)
    assert [n for n in range(20) if f"def step_{n}(" in text] == [10, 11, 12, 13, 14]

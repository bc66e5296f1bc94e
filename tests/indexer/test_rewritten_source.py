"""What grammars cannot read is rewritten for them: definitions are found, and places stay."""

import json

import pytest

from satchel.indexer.extract.analyze import analyze
from satchel.indexer.languages.detect import by_name
from satchel.indexer.languages.notebook import as_script

CASES = {
    "a loop head in each branch": ("c", """
int before(void)
{
#if Q >= 5
    for (int i = 0; i < 3; i++) {
#else
    for (int i = 0; i < 4; i++) {
#endif
        use(i);
    }
    return 1;
}
int after(void) { return before(); }
""", "before after"),
    "an else if that one system has": ("c", """
int before(int a)
{
    if (a) {
        use(a);
#ifdef X
    } else if (a > 1) {
        use(1);
#endif
    }
    return 1;
}
int after(void) { return 1; }
""", "before after"),
    "three branches, one within another": ("c", """
int before(int a)
{
#ifdef A
# ifdef B
    while (a) {
# else
    while (a > 1) {
# endif
#elif defined(C)
    do {
#else
    for (;;) { /* } */
#endif
        puts("}");
    }
    return 1;
}
int after(void) { return 1; }
""", "before after"),
    "whole functions in each branch": ("c", """
#ifdef A
int one(void) { return 1; }
#else
int two(void) { return 2; }
#endif
""", "one two"),
    "cfg_if with branches": ("rust", """
cfg_if::cfg_if! {
    if #[cfg(unix)] {
        pub fn one() -> u32 { let s = "}"; 1 }
    } else if #[cfg(windows)] {
        pub fn two() -> u32 { 2 }
    } else {
        mod three { pub fn four() {} }
    }
}
fn after() {}
""", "one two three three.four after"),
    "items in macros of features": ("rust", """
cfg_rt! {
    /// Said of it.
    #[derive(Debug)]
    pub struct Conf { a: u32 }
    impl Conf { pub fn go(&self) -> char { '{' } }
}
lazy_static! {
    static ref NAMES: Vec<u32> = make();
}
thread_local! { static HERE: u32 = 1; }
""", "Conf Conf.a Conf Conf.go NAMES HERE"),
    "templates of source stay tokens": ("rust", """
fn make() -> TokenStream {
    quote! {
        pub fn generated() {}
    }
}
bitflags! { pub struct Flags: u32 { const A = 1; } }
""", "make"),
    "strings of several dollars": ("kotlin", """
class D {
    val p = $$"${a.b:}#{x}"
    val q = $$\"\"\"{"$ref": "$$name"}\"\"\"
    fun after() = 1
}
fun last() = 2
""", "D D.p D.q D.after last"),
    "guards of when": ("kotlin", """
fun guarded(a: Any): Int = when (a) {
    is String if a.isEmpty() -> inner(1)
    else if check(a) -> 4
    else -> 2
}
fun plain(a: Int): Int {
    val f = { x: Int -> if (x > 1) x else if (x < 0) 3 else 2 }
    return if (a > 1) f(a) else listOf(1).map { it -> it }.first()
}
fun last() = 1
""", "guarded plain last"),
    "context parameters and delegated objects": ("kotlin", """
class M(val o: Runnable) {
    context(d: D)
    fun ctx() = 1
    fun mk(): Runnable = object : Runnable by o { override fun run() { ctx() } }
    fun last() = 1
}
""", "M M.o M.ctx M.mk M.mk.run M.last"),
    "functions without a body": ("lua", """
local M = {}
function M.setup() end
function noop()
end
local function own() end
M.on_close = function() end
function M:reset() end
M.t = { close = function() end }
function M.full() return 1 end
""", "M M.setup noop own M.on_close M.reset M.t M.t.close M.full"),
}  # fmt: skip


@pytest.mark.parametrize(("language", "text", "names"), CASES.values(), ids=CASES.keys())
def test_definitions_are_found_where_they_stand(language: str, text: str, names: str):
    data, row = text.encode(), by_name(language)
    facts = analyze(data, row)
    variables = {"i", "f", "s"}
    found = [s for s in facts.symbols if s.name not in variables]
    assert [symbol.qualified_name for symbol in found] == names.split()
    for symbol in found:
        assert symbol.name.encode() in data.split(b"\n")[symbol.line - 1]
    assert row.prepare is None or len(row.prepare(data)) == len(data)
    assert facts.problems == ()


@pytest.mark.parametrize(
    ("magic", "is_python"),
    [("%%time", True), ("%%timeit -n 3", True), ("%%capture out", True), ("%%ipytest -q", True),
     ("%%bash", False), ("%%sql db", False), ("%%timer", False), ("%%writefile a.py", False)],
)  # fmt: skip
def test_a_cell_that_is_only_measured_stays_python(magic: str, is_python: bool):
    cell = {"cell_type": "code", "source": [f"{magic}\n", "def f(x):\n", "    return x\n"]}
    script = as_script(json.dumps({"cells": [cell], "nbformat": 4}).encode()).decode()
    assert f"# {magic}\n" in script
    assert ("\ndef f(x):\n" in script) == is_python

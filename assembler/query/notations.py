"""How programs write places and failing tests: a table with a row for each notation.

Rows are tried in order and the first that matches a line reads it. Each is named after what prints
it: `tests/ranking/test_notations.py` has a sample of every row, taken from a real run where the
program could be run. Notations are those of CPython `traceback`, the V8 stack trace API,
`Throwable.printStackTrace`, Go `runtime.Stack`, Rust `std::backtrace`, .NET `Exception.ToString`,
Ruby, PHP, Elixir, Lua, Perl and Zig backtraces, GHC's `CallStack`, Swift's backtraces, gdb, lldb,
valgrind and the sanitizers; the GNU standards for compiler messages and what deviates from them;
and the reports of the usual test runners.
"""

import re
from functools import cache

from msgspec import Struct

TRACE, COMPILER, TESTS = "stack trace", "compiler output", "test output"


# Most questions paste nothing, and to compile all of these takes a tenth of a short command.
_compiled = cache(re.compile)


class Notation(Struct, frozen=True):
    """A way to write a place.

    Groups of the pattern: `path`, `line`, `name` (of a function, its types before it), `type` (a
    qualified name that stands for a folder) and `package` (what the path is relative to).
    `innermost_last` says that the frames of one trace come in that order; `names_inner` that the
    name is what was called at the place, so that it is the function of the frame before;
    `quotes_source` that the lines below a place are its source.
    """

    printer: str
    kind: str
    expression: str
    innermost_last: bool = False
    names_inner: bool = False
    quotes_source: bool = False
    is_bare: bool = False
    """Whether it is a place and nothing else, which is a question of its own in a text of one
    line."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """What a line with such a place matches; compiled when it is asked for."""
        return _compiled(self.expression)


class Verdict(Struct, frozen=True):
    """A way to say which test failed.

    Groups of the pattern: `name` (of a function, or a title), and where the line tells, `parent`
    (the class, module or suite), `path` and `line`. `module` is a dotted path to a file.
    """

    printer: str
    expression: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """What such a line matches; compiled when it is asked for."""
        return _compiled(self.expression)


_FILE = r"(?P<path>(?:[A-Za-z]:)?[^\s:()\"'<>|*?]*[\w)\]-]\.[A-Za-z][\w+]{0,9})"
_LINE = r"(?P<line>\d{1,7})"
_SCRIPT = r"(?:[cm]?[jt]sx?|vue|svelte)"


def _row(
    printer: str,
    kind: str,
    *pattern: str,
    innermost_last: bool = False,
    names_inner: bool = False,
    quotes_source: bool = False,
    is_bare: bool = False,
) -> Notation:
    # Who prints the innermost frame last, Python, prints sources too.
    quotes_source |= innermost_last
    expression = "".join(pattern)
    return Notation(printer, kind, expression, innermost_last, names_inner, quotes_source, is_bare)


def _says(printer: str, *pattern: str) -> Verdict:
    return Verdict(printer, "".join(pattern))


NOTATIONS = (
    _row("python", TRACE, r'^\s*(?:[|+]\s*)?File "(?P<path>[^"]+)", line ', _LINE,
         r"(?:, in (?P<name>\S+))?", innermost_last=True),
    # Java, Kotlin, Scala, Clojure; a module or class loader may stand before the type.
    _row("jvm", TRACE, r"^\s*(?:at )?(?:[\w.@$-]*/)*(?P<type>[\w.$]+)\.(?P<name>[\w$<>-]+)",
         r"\((?P<path>[\w$-]+\.\w+):", _LINE, r"\)"),
    _row("dotnet", TRACE, r"^\s*at (?P<name>.{1,300}?)\(.*\) in (?P<path>.+):line ", _LINE),
    _row("v8", TRACE, r"^\s*(?:at|❯|›) (?:(?:async |new )*",
         r"(?P<name>[^\s()]+)(?: \[as [^\]]*\])? \(?)?",
         r"(?P<path>[^\s()]*[^\s():]):", _LINE, r":\d+\)?$"),
    _row("node:test", TRACE, r"^\s+(?:(?:async |new )*(?P<name>[^\s()]+) \()",
         rf"(?P<path>[^\s()]*[^\s():]\.{_SCRIPT}):", _LINE, r":\d+\)$"),
    _row("node:test", TESTS, rf"^\s+(?:location: '|test at )(?P<path>[^']+\.{_SCRIPT}):", _LINE,
         r":\d+'?$"),
    _row("ava", TESTS, rf"^\s+(?P<path>[^\s:]+\.{_SCRIPT}):", _LINE, "$", quotes_source=True),
    _row("firefox", TRACE, r"^\s*(?P<name>[\w$.]*)@(?P<path>\S+):", _LINE, r":\d+$"),
    _row("node", TRACE, rf"^(?P<path>(?:file://)?/\S+\.{_SCRIPT}):", _LINE, r"$"),
    _row("gdb", TRACE, r"^\s*#\d+\s+(?:0x[0-9a-f]+ )?in (?P<name>[^\s(]+).*? (?:at )?",
         _FILE, ":", _LINE, r"(?::\d+)?\s*$"),
    _row("gdb", TRACE, r"^\s*#\d+\s+(?P<name>[^\s(]+) \(.*\) at ", _FILE, ":", _LINE, "$"),
    _row("lldb", TRACE, r"^\s*\*?\s*frame #\d+: 0x[0-9a-f]+ [^`]*`(?P<name>[^\s(]+).*? at ",
         _FILE, ":", _LINE),
    _row("valgrind", TRACE, r"^==\d+==\s+(?:at|by) 0x[0-9A-F]+: (?P<name>[^\s(]+).* \(",
         _FILE, ":", _LINE, r"\)$"),
    _row("assert", TRACE, r"^\S+: ", _FILE, ":", _LINE, r": (?P<name>.*): Assertion .* failed\.?$"),
    _row("php", TRACE, r"^\s*#\d+ (?P<path>\S.*?\.\w+)\(", _LINE, r"\): (?P<name>[^\s(]+)?",
         names_inner=True),
    _row("php", TRACE, r"^.*\b(?:in|at) (?P<path>\S+\.(?:php|inc|phtml))(?::| on line )", _LINE),
    _row("phpunit", TESTS, r"^(?P<path>(?:[A-Za-z]:)?\S*\.(?:php|phpt)):", _LINE, "$"),
    # Ruby; since 3.4 with a quote and the class. RSpec puts "# " before.
    _row("ruby", TRACE, r"^\s*(?:from |\d+: from |# )?",
         r"(?P<path>[^\s:'\"]+(?:\.(?:rb|rake|ru|gemspec|erb)|bin/[\w-]+)):", _LINE,
         r":in [`'](?P<name>[^']+)'"),
    _row("ruby", TRACE, r"^\s+(?:from |# )(?P<path>[^\s:'\"]+\.(?:rb|rake|ru|erb)):", _LINE, "$"),
    # Of a view, which has no method, Rails prints the place alone.
    _row("rails", TRACE, r"^\s*(?P<path>[^\s:'\"]+\.(?:rb|erb|haml|slim|jbuilder)):", _LINE,
         r"\s*$", is_bare=True),
    # A tab, the place, and the offset in the function unless it was inlined.
    _row("go", TRACE, r"^\s+(?P<path>\S+\.go):", _LINE, r"(?: \+0x[0-9a-f]+)?$"),
    _row("gin", TRACE, r"^(?P<path>\S+\.go):", _LINE, r" \(0x[0-9a-f]+\)$", quotes_source=True),
    _row("rust", TRACE, r"^.*\bpanicked at (?:'.*', )?(?P<path>\S+\.rs):", _LINE, r":\d+"),
    _row("elixir", TRACE, r"^\s*(?:└─ |\((?P<package>\w+) [\d.]\S*\) )?",
         r"(?P<path>[^\s:]+\.(?:exs?|erl|[hl]?eex)):",
         _LINE, r"(?::\d+)?: (?P<name>\S.*)$"),
    _row("exunit", TESTS, r"^\s+(?P<path>[^\s:]+\.exs):", _LINE, "$"),
    _row("lua", TRACE, r"^\s+(?P<path>[^\s:]+\.lua):", _LINE,
         r": in (?:(?:function|method|local|upvalue|field|global) '(?P<name>[^']+)'|.*$)"),
    _row("lua", TRACE, r"^lua[\w.-]*: (?P<path>[^\s:]+\.lua):", _LINE, ": "),
    _row("bash", TRACE, r"^(?P<path>\S*(?:/[^\s/:]+|\.(?:sh|bash|zsh|ksh|bats))): line ",
         _LINE, ": "),
    _row("bats", TESTS, r"^#\s+\(?(?:from function `(?P<name>[^']+)' )?in (?:test )?file ",
         r"(?P<path>[^\s,]+), line ", _LINE, r"[,)]"),
    _row("haskell", TRACE, r"^\s+(?P<name>\S+), called at (?P<path>\S+\.l?hs):", _LINE, r":\d+ in ",
         names_inner=True),
    _row("hspec", TESTS, r"^\s+(?P<path>\S+\.l?hs):", _LINE, r":(?:\d+:)?\s*$"),
    _row("zig", TRACE, r"^(?P<path>\S+\.zig):", _LINE, r":\d+: 0x[0-9a-f]+ in (?P<name>\S+) \("),
    _row("swift", TRACE, r"^\s*\d+ (?:\[\w+\] )*(?:0x[0-9a-f]+ )?",
         r"(?P<name>.{1,200}?)(?: \+ \d+)? in",
         r" \S+ at (?P<path>\S+\.swift):", _LINE),
    _row("swift testing", TESTS, r"^. Test .* recorded an issue.* at (?P<path>\S+\.swift):", _LINE),
    _row("perl", TRACE, r"^\s+(?P<name>[\w:]+)\(.*\) called at (?P<path>\S+) line ", _LINE,
         names_inner=True),
    _row("perl", TRACE, r"^.*\bat (?P<path>\S+\.(?:p[lm]|t|psgi|cgi)) line ", _LINE),
    # pytest's own style of traces.
    _row("pytest", TESTS, r"^(?:E\s+)?(?P<path>[^\s:]+\.py):", _LINE, r": in (?P<name>\S+)",
         innermost_last=True),
    _row("pytest", TESTS, r"^(?P<path>[^\s:]+\.py):", _LINE, r": (?:[A-Z]\w+|$)",
         innermost_last=True),
    _row("go test", TESTS, r"^\s+(?P<path>[\w./-]+_test\.go):", _LINE, ": "),
    _row("gradle", TESTS, r"^\s+[\w.$]+ at (?P<path>[\w$]+\.(?:java|kt|groovy|scala)):",
         _LINE, "$"),
    _row("scalatest", TESTS, r"^.*\((?P<path>[\w$]+\.scala):", _LINE, r"\)$"),
    _row("munit", TESTS, r"^.*munit\.\w+: (?P<path>\S+\.scala):", _LINE),
    _row("gtest", TESTS, "^", _FILE, r"[:(]", _LINE,
         r"\)?: (?:Failure|FAILED:|(?:FATAL )?ERROR: \w+\()"),
    _row("busted", TESTS, r"^(?:Failure|Error) (?:->|→) (?P<path>\S+\.(?:lua|moon)) @ ", _LINE),
    _row("playwright", TESTS, r"^\s*(?:\d+\) )?(?:\[[^\]]+\] › )?(?P<path>[^\s:]+):", _LINE,
         r":\d+ › "),
    _row("rustc", COMPILER, r"^\s*(?:-->|:::|╭▸) (?P<path>\S.*?):", _LINE, r":\d+"),
    _row("tsc", COMPILER, r"^\s*(?P<path>\S.*?\.\w+)\(", _LINE, r",\d+\): (?:error|warning)"),
    _row("maven", COMPILER, r"^\[(?:ERROR|WARNING)\] (?P<path>\S+):\[", _LINE, r",\d+\] "),
    _row("kotlinc", COMPILER, r"^[ew]: (?P<path>\S+\.kts?): \(", _LINE, r", \d+\): "),
    _row("scalac", COMPILER, r"^(?:\[error\] )?-- (?:\[E\d+\] )?.*?: (?P<path>\S+\.scala):", _LINE,
         r":\d+ "),
    _row("gcc", COMPILER, r"^(?:In file included from |\s+from )", _FILE, ":", _LINE),
    _row("gnu", COMPILER, r"^(?:\[(?:error|warn|info)\] |[ew]: )?(?:file://)?",
         _FILE, ":", _LINE, r"(?::\d+)?(?:-\d+)?(?::| -| [a-z]+:?) "),
    _row("gnu", COMPILER, r"^[ew]: (?:file://)?", _FILE, ":", _LINE, r":\d+ "),
)  # fmt: skip
"""Places, by what prints them."""

VERDICTS = (
    _says("pytest", r"^(?:SUB)?(?:FAILED|ERROR)(?:\S*) (?P<path>[^\s:]+\.py)::",
          r"(?:(?P<parent>[\w:]+)::)?(?P<name>\w+)"),
    _says("pytest", r"^(?P<path>[^\s:]+\.py)::(?:(?P<parent>[\w:]+)::)?(?P<name>\w+)\S* ",
          r"(?:FAILED|ERROR)"),
    _says("pytest", r"^_{3,} (?:ERROR at (?:setup|teardown) of )?(?:(?P<parent>[\w.]+)\.)?",
          r"(?P<name>\w+)(?:\[.*\])?(?: \(.*\))? _{3,}$"),
    _says("unittest", r"^(?:FAIL|ERROR): (?P<name>\w+) \((?P<module>[\w.]+?)(?:\.(?P=name))?\)"),
    _says("vitest", rf"^\s*FAIL\s+(?:\|[^|]+\| )?(?P<path>\S+\.{_SCRIPT}) > (?:(?P<parent>.+) > )?",
          r"(?P<name>.+)$"),
    _says("jest", rf"^\s*(?:FAIL|✕|×|❯)\s+(?P<path>[\w@./-]+\.{_SCRIPT})(?P<name>)\b"),
    _says("jest", r"^\s+● (?:(?P<parent>.+) › )?(?P<name>[^›]+)$"),
    _says("ava", r"^\s*✘ \[fail\]: (?:(?P<parent>.+) › )?(?P<name>[^›]+?)",
          r"(?: Error thrown in test| Rejected promise returned by test)?$"),
    _says("node:test", r"^\s*✖ (?P<name>.+?) \([\d.]+ms\)$"),
    _says("tap", r"^\s*not ok \d+ (?:- )?(?P<name>.+)$"),
    _says("go test", r"^\s*--- FAIL: (?P<name>\w+)\S* \("),
    _says("cargo test", r"^test (?:(?P<parent>[\w:]+)::)?(?P<name>\w+) \.\.\. FAILED$"),
    _says("cargo test", r"^---- (?:(?P<parent>[\w:]+)::)?(?P<name>\w+) stdout ----$"),
    _says("nextest", r"^\s+FAIL \[.*\] \S+ (?:(?P<parent>[\w:]+)::)?(?P<name>\w+)$"),
    _says("surefire", r"^\[ERROR\]\s+(?P<name>\w+)(?:\[.*\])?\((?P<parent>[\w.$]+)\)"),
    _says("surefire", r"^\[ERROR\]\s+(?P<parent>[\w.$]+)\.(?P<name>\w+)(?:\S*)? -- Time elapsed"),
    _says("surefire", r"^\[ERROR\]\s+(?P<parent>\w+)\.(?P<name>\w+):\d+ "),
    _says("gradle", r"^(?P<parent>[\w.$]+)(?: > [^>]+)* > (?P<name>[^>(\[]+?)(?:\(.*?\))?",
          r"(?:\[.*\])? FAILED$"),
    _says("junit", r"^.*className = '(?P<parent>[\w.$]+)', methodName = '(?P<name>\w+)'"),
    _says("rspec", r"^rspec '?(?P<path>[^\s:'\[]+)(?::(?P<line>\d+)|\[[\d:]+\]')? # (?P<name>.+)$"),
    _says("rails", r"^(?:bin/)?rails test (?P<path>[^\s:]+):(?P<line>\d+)(?P<name>)$"),
    _says("minitest", r"^(?P<parent>[\w:]+)#(?P<name>.+?) \[(?P<path>[^\s:]+):(?P<line>\d+)\]:$"),
    _says("minitest", r"^(?P<parent>[A-Z][\w:]*)#(?P<name>[^:]+):$"),
    _says("test-unit", r"^(?:Failure|Error): (?P<name>\w+)\((?P<parent>[\w:]+)\)"),
    _says("phpunit", r"^\d+\) (?P<parent>[\w\\]+)::(?P<name>\w+)"),
    _says("exunit", r"^\s+\d+\) (?:test|property) (?P<name>.+) \((?P<parent>[\w.]+)\)$"),
    _says("dotnet test", r"^\s*(?:Failed|X) (?P<parent>[\w.+]+)\.(?P<name>\w+)(?:\(.*\))? \[[\d<]"),
    _says("xunit", r"^(?:\[xUnit\.net .*\])?\s+(?P<parent>[\w.+]+)\.(?P<name>\w+)(?:\(.*\))? ",
          r"\[FAIL\]$"),
    _says("nunit", r"^\d+\) (?:Failed|Error) : (?P<parent>[\w.+]+)\.(?P<name>\w+)"),
    _says("gtest", r"^\[  FAILED  \] (?:\w+/)?(?P<parent>\w+)(?:/\d+)?\.(?P<name>\w+)"),
    _says("doctest", r"^TEST CASE:\s+(?P<name>\S.*)$"),
    _says("ctest", r"^\s+\d+ - (?P<parent>\w+)\.(?P<name>\w+) \("),
    _says("xctest", r"^.*error: -?\[?(?:\w+\.)?(?P<parent>\w+)[ .](?P<name>test\w*)\]? : "),
    _says("xctest", r"^Test Case '-?\[?(?:\w+\.)?(?P<parent>\w+)[ .](?P<name>\w+)\]?' failed"),
    _says("swift testing", r"^. Test (?P<name>\w+)\(.*\) (?:recorded an issue|failed)"),
    _says("munit", r"^==> X (?P<parent>[\w.]+)\.(?P<name>.+?)(?:\s{2,}[\d.]+s|$)"),
    _says("scalatest", r"^(?:\[info\] )?\s*- (?P<name>.+) \*\*\* FAILED \*\*\*"),
    _says("zig test", r"^error: '(?P<parent>[\w.]+)\.test[._](?P<name>.+?)' failed"),
    _says("zig test", r"^\d+/\d+ (?P<parent>[\w.]+)\.test[._](?P<name>.+?)\.\.\.\s?FAIL"),
)  # fmt: skip
"""Failing tests, by what reports them; a line may hold a place as well."""

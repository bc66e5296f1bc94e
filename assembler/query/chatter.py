"""What test runners, build tools and runtimes print in every run, whatever went wrong. Pure.

A pasted run is searched for by what it says of the fault: the message of an error, the name of a
test, values. How many tests ran and how long it took leads to code about tests and time, so such
lines are left out, and beginnings such as `Exception in thread "main"` are cut off.
"""

import re
from functools import cache

_LINES = (
    # Maven with surefire or failsafe
    r"\[(?:INFO|ERROR|WARNING)\](?:\s*| (?:Running \S+|Results:|Failures:\s*|Errors:\s*|BUILD \w+"
    r"|Total time:.*|Finished at:.*|Failed to execute goal.*|To see the full stack.*|Re-run Maven.*"
    r"|For more information.*|There are test failures\..*|After correcting.*|\[Help .*))",
    r"(?:\[\w+\] )?Tests run: .*",
    # Gradle, JUnit
    r"\d+ tests? completed\b.*", r"> Task .*", r"FAILURE: Build failed.*", r"BUILD FAILED.*",
    r"\* (?:What went wrong|Try|Get more help.*|Exception is):?", r"Execution failed for task .*",
    r"> There were failing tests.*", r"> Run with --.*", r"Failures \(\d+\):",
    # go test and testify
    r"(?:FAIL|PASS|ok)(?:\s+\S+\s+(?:\(cached\)|[\d.]+s).*)?", r"=== (?:RUN|PAUSE|CONT|NAME)\b.*",
    r"--- (?:PASS|SKIP): .*", r"Error Trace:.*", r"Error:\s+(?:Not equal:|Should be \w+)\s*",
    r"Test:\s+\S+",
    # RSpec, minitest, test-unit
    r"(?:Failures|Failed examples|Errors):", r"Finished in .*", r"\(compared using .*\)",
    r"\d+ (?:examples?|runs|tests|doctests?), .*", r"\d+\) (?:Failure|Error):",
    r"bin/(?:rake|rails) test .*", r"Run options: .*", r"Loaded suite .*", r"Started",
    # ExUnit, Mix
    r"Randomized with seed \d+.*", r"Assertion with .* failed", r"Compiling \d+ files? .*",
    r"Generated \w+ app", r"The following output was logged:",
    # PHPUnit
    r"PHPUnit [\d.]+ by .*", r"There (?:was|were) \d+ (?:failure|error)s?:",
    r"(?:FAILURES|ERRORS)!", r"Tests: \d+, Assertions: .*", r"Runtime: .*", r"Configuration: .*",
    r"Time: .*, Memory: .*",
    r"Failed asserting that (?:two \w+ are (?:equal|identical|the same)|(?:true|false) is \w+)\.",
    # .NET
    r"Failed!\s+- Failed: .*", r"Assert\.\w+\(\) Failure.*", r"(?:Error Message|Stack Trace):",
    r"Errors, Failures and Warnings",
    # node:test, Mocha, Jest, Vitest, TAP
    r"\u2139 .*", r"(?:\u2716 )?failing tests:", r"test at \S+:\d+:\d+", r"generatedMessage: .*",
    r"operator: '.*',?", r"code: 'ERR_ASSERTION',?", r"name: 'AssertionError',?",
    r"(?:failureType|duration_ms): .*", r"(?:stack|error): \|-",
    r"(?:[+-] )?(?:actual|expected) (?:[+-] )?(?:actual|expected)",
    r"\d+ (?:passing|failing|pending)\b.*",
    r"Test(?:s| Files| Suites)?:?\s+\d+ (?:failed|passed).*",
    r"(?:Snapshots|Time|Start at|Duration):?\s+\d.*", r"Ran all test suites.*", r"RUN  v\d.*",
    r"# (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) .*", r"Node\.js v\d.*",
    r"TAP version \d+", r"\d+\.\.\d+", r".*\(?node:[\w/]+:\d+:\d+\)?",
    # Perl's prove
    r"Test Summary Report", r"Result: FAIL", r"Files=\d.*", r"Dubious, test returned .*",
    r"Non-zero exit status: .*", r"Parse errors: .*", r"Failed \d+/\d+ subtests",
    r"Failed tests?: .*",
    # Cargo
    r"running \d+ tests?", r"test .* \.\.\. (?:ok|ignored.*)", r"failures:", r"test result: .*",
    r"assertion `left == right` failed", r"error: test failed, to rerun .*",
    r"(?:Compiling|Running|Finished|Doc-tests) .* ?(?:v[\d.]+|\(.*\)|target\(s\)).*",
    # GoogleTest, CTest, doctest
    r"\[[-= A-Z]{8,10}\] (?!.*\bFAILED\b).*", r"\[  FAILED  \] \d+ tests?, listed below:",
    r"Expected equality of these values:", r"\d+ FAILED TESTS?", r"Note: Google Test filter.*",
    r"Running main\(\) from .*", r"Total Test time .*", r"The following tests FAILED:",
    r"Test project /.*", r"Start \d+: \S+", r"Errors while running CTest", r"Use \"--rerun-.*",
    r"Output from these tests are in: .*", r"\[doctest\] .*",
    # gdb
    r"Using host libthread_db .*", r"\[Thread debugging using .*\]",
    # XCTest, Swift Testing
    r"Test Suite .* (?:started|passed|failed) at .*", r"Test Case .* (?:started|passed)\b.*",
    r"Executed \d+ tests?, .*", r"Failing tests:", r". Test \w+\(.*\) (?:started|passed)\b.*",
    # pytest, unittest
    r"platform \w+ -- .*", r"(?:rootdir|plugins|configfile|cachedir|benchmark): .*",
    r"(?:collecting \.\.\. )?collected \d+ items?.*", r"E\s*", r"E\s+\?.*",
    r"\d+ (?:failed|passed), .*", r"Ran \d+ tests? in.*", r"FAILED \(\w+=\d+.*\)",
    r"(?:\S+\.\w+ )?[.FEsSxXR]{1,}(?:\s+\[\s*\d+%\]|\s+\d+ / \d+ \(\d+%\))?",
    # differences of two values, and labels without a value
    r"Diff:", r"--- [Ee]xpected.*", r"\+\+\+ [Aa]ctual.*", r"@@ (?:-[\d,]+ \+[\d,]+ )?@@",
    r"(?:[Ee]xpected|[Rr]eceived|[Aa]ctual|[Gg]ot|[Ee]rror|[Ss]tack(?: ?trace(?:back)?)?):",
    r"Expected (?:values?|objects) to (?:strictly |loosely )?(?:deep-)?(?:be )?equal(?: to)?[:.]",
    # where a test stands, and brackets of a value that is printed over several lines
    r":\d+(?::\d+)?", r"[{}\[\]()]+[,;]?",
)  # fmt: skip
"""Whole lines, after who prints them."""
_BEGINNINGS = (
    r"\[(?:INFO|ERROR|WARN|WARNING)\]\s+", r"Exception in thread \".{0,200}?\" ", r"Caused by: ",
    r"Unhandled exception[.:] ", r"panic: ", r"E\s{2,}",
    # That an assertion failed says nothing of what it is about.
    r"(?:[\w.]+\.)?(?:AssertionError|AssertionFailedError|ComparisonFailure)"
    r"(?: \[ERR_ASSERTION\])?:\s*",
)  # fmt: skip
"""What is cut off at the beginning of a line, one after the other."""
_ENDINGS = (
    r"(?: --)? Time elapsed: [\d.]+ s(?:ec)?(?: <<< (?:FAILURE|ERROR)!)?(?: -- in \S+)?",
    # Spaces and digits are taken once and from their first on, so that long runs of them take no
    # square of time.
    r"(?<![\s\d.])\s*+(?:[:(\[]\s*+)?[\d.]++ ?(?:ms|s|sec|seconds)[)\]]?\.?", r" \(failed\)",
    r" <<< (?:FAILURE|ERROR)!", r"^ ?ms\]", r"(?<!\s)\s++\[\s*+\d++%\]", r" \[recovered\]",
    r" \u2500{3,}",
)  # fmt: skip
"""What is cut off at its end, likewise."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    # Most questions paste nothing, so nothing is compiled before a run is read.
    return (
        re.compile(rf"\s*+(?:{'|'.join(_LINES)})\s*+"),
        re.compile(rf"\s*+(?:{'|'.join(_BEGINNINGS)})"),
        re.compile(rf"(?:{'|'.join(_ENDINGS)})\s*+$"),
    )


def without(line: str) -> str:
    """What a line of a run says of the fault, "" where that is nothing."""
    lines, beginnings, endings = _patterns()
    if lines.fullmatch(line):
        return ""
    while match := beginnings.match(line):
        line = line[match.end() :]
    while match := endings.search(line):
        line = line[: match.start()]
    return "" if lines.fullmatch(line) else line

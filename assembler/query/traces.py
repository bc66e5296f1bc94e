"""Places in stack traces, compiler errors and test output of ten languages, by their notation.

The table `_NOTATIONS` has a row for each way of writing a place; rows are tried in order and the
first that matches a line reads it. Languages that print the innermost frame last are turned
around, and of chained errors the root cause comes first, so that the most telling frame is first.
Notations: CPython `traceback`, V8 stack trace API, `Throwable.printStackTrace`, Go `runtime.Stack`,
Rust `std::backtrace`, .NET `Exception.ToString`, Ruby and PHP backtraces, gdb and sanitizers; the
GNU standards for compiler messages, rustc, tsc, javac, go vet; pytest, jest, `go test`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

_TRACE, _COMPILER, _TESTS = "stack trace", "compiler output", "test output"
_MAX_LINE = 2000
"""Longer lines name no place that a person would look at; expressions stay quick without them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A place as written: lines are 1-based, 0 for unknown; `name` is a function, "" if unknown.

    `old_line` is where a hunk began before a change, for diffs that are not applied yet.
    """

    path: str
    line: int = 0
    end_line: int = 0
    name: str = ""
    old_line: int = 0


@dataclass(frozen=True, slots=True)
class Traced:
    """What was recognised, as the kinds of text, frames (best first) and the remaining words."""

    kinds: tuple[str, ...]
    frames: tuple[Frame, ...]
    prose: str


@dataclass(frozen=True, slots=True)
class _Notation:
    """A way to write a place; `type` in a pattern is a qualified name that stands for a folder."""

    kind: str
    pattern: re.Pattern[str]
    innermost_last: bool = False


_FILE = r"(?P<path>(?:[A-Za-z]:)?[^\s:()\"'<>|*?]*[\w)\]-]\.[A-Za-z][\w+]{0,9})"
_LINE = r"(?P<line>\d{1,7})"


def _row(kind: str, *pattern: str, innermost_last: bool = False) -> _Notation:
    return _Notation(kind, re.compile("".join(pattern)), innermost_last)


_NOTATIONS = (
    # Python, and pytest's native style; the innermost frame is last.
    _row(_TRACE, rf'^\s*(?:\|\s*)?File "(?P<path>[^"]+)", line {_LINE}(?:, in (?P<name>\S+))?',
         innermost_last=True),
    # Java, Kotlin and Scala; a module or class loader may stand before the type.
    _row(_TRACE, r"^\s*at (?:[\w.@$-]*/)*(?P<type>[\w.$]+)\.(?P<name>[\w$<>]+)",
         rf"\((?P<path>[\w$-]+\.\w+):{_LINE}\)"),
    # C#.
    _row(_TRACE, rf"^\s*at (?P<name>.{{1,300}}?)\(.*\) in (?P<path>.+):line {_LINE}"),
    # JavaScript and TypeScript, also inside jest's report.
    _row(_TRACE, r"^\s*at (?:(?:async |new )*(?P<name>[^\s()]+)(?: \[as [^\]]*\])? \()?",
         rf"(?P<path>[^\s()]*[^\s():]):{_LINE}:\d+\)?$"),
    # gdb, lldb and sanitizers.
    _row(_TRACE, r"^\s*#\d+\s+(?:0x[0-9a-f]+ )?in (?P<name>[^\s(]+).*? (?:at )?",
         rf"{_FILE}:{_LINE}(?::\d+)?\s*$"),
    _row(_TRACE, rf"^\s*#\d+\s+(?P<name>[^\s(]+) \(.*\) at {_FILE}:{_LINE}$"),
    # PHP.
    _row(_TRACE, rf"^\s*#\d+ (?P<path>\S.*?\.\w+)\({_LINE}\): (?P<name>[^\s(]+)?"),
    _row(_TRACE, rf"^.*\b(?:in|at) (?P<path>/\S+\.(?:php|inc|phtml))(?::| on line ){_LINE}"),
    # Ruby; since 3.4 with a quote and the class.
    _row(_TRACE, r"^\s*(?:from |\d+: from )?(?P<path>\S+\.(?:rb|rake|ru|gemspec))",
         rf":{_LINE}:in [`'](?P<name>[^']+)'"),
    # Go: a tab, the place, the offset in the function.
    _row(_TRACE, rf"^\s+(?P<path>\S+\.go):{_LINE} \+0x[0-9a-f]+$"),
    # Rust: a panic, and the frames of its backtrace.
    _row(_TRACE, rf"^.*\bpanicked at (?:'.*', )?(?P<path>\S+\.rs):{_LINE}:\d+"),
    _row(_TRACE, rf"^\s+at (?P<path>\S+\.rs):{_LINE}(?::\d+)?$"),
    # pytest: summary, then frames and failures in its own style.
    _row(_TESTS, r"^(?:FAILED|ERROR) (?P<path>[^\s:]+\.py)::(?:\w+::)*(?P<name>\w+)(?P<line>)"),
    _row(_TESTS, rf"^(?:E\s+)?(?P<path>[^\s:]+\.py):{_LINE}: in (?P<name>\S+)",
         innermost_last=True),
    _row(_TESTS, rf"^(?P<path>[^\s:]+\.py):{_LINE}: (?:[A-Z]\w+|$)", innermost_last=True),
    # go test.
    _row(_TESTS, rf"^\s+(?P<path>[\w./-]+_test\.go):{_LINE}: "),
    # jest names the file of a failing suite.
    _row(_TESTS, r"^\s*(?:FAIL|✕|×)\s+(?P<path>[\w@./-]+\.(?:[cm]?[jt]sx?))(?P<line>)\b"),
    # Compilers: rustc, tsc (both ways), GNU style (gcc, clang, javac, go, swiftc, ghc).
    _row(_COMPILER, rf"^\s*(?:-->|:::) (?P<path>\S.*?):{_LINE}:\d+"),
    _row(_COMPILER, rf"^(?P<path>\S.*?\.\w+)\({_LINE},\d+\): (?:error|warning)"),
    _row(_COMPILER, rf"^(?:In file included from |\s+from ){_FILE}:{_LINE}"),
    _row(_COMPILER, rf"^{_FILE}:{_LINE}(?::\d+)?(?:-\d+)?(?::| -) "),
)  # fmt: skip
_CAUSE = re.compile(r"^\s*(?:\[?Caused by|Caused by:|\[cause\]:)")
_NOISE = re.compile(
    r"^\s*(?:Traceback \(most recent call last\):|Stack trace:|stack backtrace:|goroutine \d+ .*"
    r"|During handling of the above.*|The above exception was.*|\.\.\. \d+ (?:more|common frames.*)"
    r"|[~^|\s>.]+|\d*\s*\|.*|[=_\-*~ ]{8,}.*|\d+:\s+0x[0-9a-f]+.*|note: .*RUST_BACKTRACE.*"
    r"|\[Previous line repeated.*|exit status \d+|at .*|#\d+ .*|created by .*)$"
)
_HEADING = re.compile(r"^_{3,} \S.* _{3,}$")
"""pytest's, above each failure."""
_GO_FUNCTION = re.compile(
    r"^(?:created by )?(?:[\w.\-~]+/)*[\w\-]+\.(?P<name>[\w.()*\[\]]+?)\(.*\)$"
)
_RUST_FUNCTION = re.compile(r"^\s+\d+:\s+(?:0x[0-9a-f]+ - )?(?P<name>[\w:<>{}#& ]+?)\s*$")


@dataclass(slots=True)
class _Reading:
    """A text on the way through: frames of the trace being read, and of those before it."""

    kinds: list[str] = field(default_factory=list)
    blocks: list[list[Frame]] = field(default_factory=lambda: [[]])
    last: list[Frame] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    above: str = ""
    echoes: bool = False

    def close(self) -> None:
        """A run of frames that ends with the innermost is turned around."""
        if self.last:
            self.blocks[-1] += reversed(self.last)
            self.last = []


def read(text: str) -> Traced:
    """Every place that a text names in a known notation; no frames when it names none."""
    reading = _Reading()
    for line in text.splitlines():
        _read_line(line[:_MAX_LINE], reading)
        reading.above = line
    reading.close()
    # Java writes causes below; the last is the root. Other languages never start a new block.
    frames = tuple(frame for block in reversed(reading.blocks) for frame in block)
    prose = "\n".join(dict.fromkeys(line.strip() for line in reading.prose if line.strip()))
    return Traced(tuple(dict.fromkeys(reading.kinds)), frames, prose)


def _read_line(line: str, reading: _Reading) -> None:
    if _CAUSE.match(line):
        reading.close()
        reading.blocks.append([])
    notation, match = next(_matches(line), (None, None))
    if notation is None or match is None:
        echoed = reading.echoes and line.startswith("    ")
        # A line of source below a Python frame belongs to the frame.
        if _HEADING.match(line):
            reading.close()
        elif not echoed and not _NOISE.match(line) and not _function_above(line):
            # pytest shows arguments between the frames of one failure.
            if reading.kinds[-1:] != [_TESTS]:
                reading.close()
            reading.prose.append(line)
        return
    reading.kinds.append(notation.kind)
    frame = _frame(match, reading.above)
    reading.echoes = notation.innermost_last
    if notation.innermost_last:
        reading.last.append(frame)
    else:
        reading.close()
        reading.blocks[-1].append(frame)
    said = line[match.end() :].strip() if notation.kind != _TRACE else line[: match.start()]
    reading.prose.append(said.removeprefix("- "))


def _matches(line: str) -> Iterator[tuple[_Notation, re.Match[str]]]:
    for notation in _NOTATIONS:
        if match := notation.pattern.match(line):
            yield notation, match


def _function_above(line: str) -> bool:
    return bool(_GO_FUNCTION.match(line) or _RUST_FUNCTION.match(line))


def _frame(match: re.Match[str], above: str) -> Frame:
    groups = match.groupdict()
    line = int(groups["line"] or 0)
    frame = Frame(groups["path"], line, line, _simple(groups.get("name") or ""))
    if "type" in groups:
        folder = groups["type"].split("$")[0].rpartition(".")[0].replace(".", "/")
        frame = replace(frame, path=f"{folder}/{frame.path}" if folder else frame.path)
    if not frame.name and frame.path.endswith((".go", ".rs")):
        named = _GO_FUNCTION.match(above) or _RUST_FUNCTION.match(above)
        frame = replace(frame, name=_simple(named["name"]) if named else "")
    return frame


_PLAIN = re.compile(r"[A-Za-z_]\w*")


def _simple(name: str) -> str:
    """The simple name of a function: `app::Store<T>::get::{{closure}}` → `get`."""
    if name.endswith(">") and ("." in name or name.startswith("<")):
        return ""  # Object.<anonymous>, <module>, <lambda>
    name = re.sub(r"<[^<>]*>|\{\{[^}]*\}\}|\([^()]*\)|\.func\d[\w.]*", "", name)
    parts: Sequence[str] = _PLAIN.findall(name)
    return parts[-1] if parts else ""

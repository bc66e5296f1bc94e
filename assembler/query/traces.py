"""Places and failing tests that the output of a program names, line by line. Pure.

How they are written is the table in `assembler.query.notations`. Languages that print the
innermost frame last are turned around, and of chained errors the root cause comes first, so that
the most telling frame is first. What is neither a place nor the machine's own noise is the `prose`
of the text.
"""

import re
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.assembler.query import chatter
from satchel.assembler.query.notations import NOTATIONS, TESTS, TRACE, VERDICTS, Notation

_MAX_LINE = 2000
"""Longer lines name no place that a person would look at; expressions stay quick without them."""


class Frame(Struct, frozen=True):
    """A place as written: lines are 1-based, 0 for unknown; `name` is a function, "" if unknown.

    `parent` is the simple name of the type that the function is in, "" if unknown.
    """

    path: str
    line: int = 0
    end_line: int = 0
    name: str = ""
    parent: str = ""


class Failure(Struct, frozen=True):
    """A test that failed, by name: of a function, or a title. What is unknown is "" or 0.

    `parent` is the last part of the suite, class or module as written.
    """

    name: str
    parent: str = ""
    path: str = ""
    line: int = 0


class Traced(Struct, frozen=True):
    """What was recognised: the kinds of text, frames (best first), failing tests in the order
    of the report, and the remaining words."""

    kinds: tuple[str, ...]
    frames: tuple[Frame, ...]
    prose: str
    failures: tuple[Failure, ...] = ()


_CAUSE = re.compile(r"^\s*(?:\[?Caused by|Caused by:|\[cause\]:)")
TERMINAL_CODE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""A colour, or a movement of the cursor."""
_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z ")
"""What CI services put before each line of a log."""
_NOISE = re.compile(
    # The first spaces are given back to nothing, so that lines of spaces take no square of time.
    r"^(?=.)\s*+(?:Traceback \(most recent call last\):|Stack trace:|stack backtrace:|stacktrace:"
    r"|stack traceback:|goroutine \d+ .*|CallStack \(from HasCallStack\):|code: .*"
    r"|During handling of the above.*|The above exception was.*|\.\.\. \d+ (?:more|common frames.*)"
    r"|[~^|\s>.\u276f\u2500-\u257f]*|>?\s*+\d*+\s*+\|.*|[=_\-*~\u23af ]{8,}.*|\d+:\s+0x[0-9a-f]+.*"
    r"|note: .*RUST_BACKTRACE.*|\[Previous line repeated.*|exit status \d+|at .*|#\d+ .*"
    r"|created by .*|\[C\]: .*|_ _ _.*)$"
)
_WORDS = re.compile(r"(?!.*(?:FAIL|_{3}|-{3}|\.{3}))[A-Za-z_ ,?./()-]*")
"""Words and names alone, in which no notation of places or failing tests is found."""
_HEADING = re.compile(r"^_{3,} \S.* _{3,}$")
"""pytest's, above each failure."""
_GO_FUNCTION = re.compile(
    r"^(?:created by )?(?:[\w.\-~]+/)*[\w\-]+\.(?P<name>[\w.()*\[\]]+?)\(.*\)$"
)
_RUST_FUNCTION = re.compile(
    r"^\s++\d++:\s++(?:0x[0-9a-f]+ - )?(?P<name>[\w:<>{}#&](?:[\w:<>{}#& ]*[\w:<>{}#&])?)\s*$"
)


class _Reading(Struct):
    """A text on the way through: frames of the trace being read, and of those before it."""

    kinds: list[str] = field(default_factory=list)
    blocks: list[list[Frame]] = field(default_factory=lambda: [[]])
    last: list[Frame] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    above: str = ""
    suite: str = ""
    """The test file that was named last, for reports that name it once."""
    echoes: bool = False
    is_lone: bool = False
    """Whether the text is a single line."""

    def close(self) -> None:
        """A run of frames that ends with the innermost is turned around."""
        if self.last:
            self.blocks[-1] += reversed(self.last)
            self.last = []


def read(text: str) -> Traced:
    """Every place and failing test that a text names in a known notation; none when it has none."""
    reading = _Reading(is_lone="\n" not in text.strip())
    for raw in text.splitlines():
        line = without_colour_and_time(raw)
        _read_line(line, reading)
        reading.above = line
    reading.close()
    # Java writes causes below; the last is the root. Other languages never start a new block.
    frames = tuple(frame for block in reversed(reading.blocks) for frame in block)
    prose = "\n".join(dict.fromkeys(line.strip() for line in reading.prose if line.strip()))
    kinds = tuple(dict.fromkeys(reading.kinds))
    return Traced(kinds, frames, prose, _distinct(reading.failures))


def without_colour_and_time(line: str) -> str:
    """A line without colours and the time that a log puts before it, cut to a readable length."""
    return _STAMP.sub("", TERMINAL_CODE.sub("", line[:_MAX_LINE]))


def _read_line(line: str, reading: _Reading) -> None:
    if _CAUSE.match(line):
        reading.close()
        # Each cause has a trace of its own, so its frames are kept apart from those of what it
        # caused.
        reading.blocks.append([])
    is_words = _WORDS.fullmatch(line) is not None
    failed = None if is_words else _read_verdict(line, reading)
    rows = (n for n in NOTATIONS if not (is_words or (n.is_bare and reading.is_lone)))
    matches = ((notation, notation.pattern.match(line)) for notation in rows)
    notation, match = next((pair for pair in matches if pair[1]), (None, None))
    if notation is None or match is None:
        # A line that names no place: of source below a Python frame, of noise, or of prose.
        # Python and gin print the source of a frame below it; as prose these lines would be
        # searched for.
        echoed = reading.echoes and line.startswith(("    ", "\t"))
        if _HEADING.match(line):
            reading.close()
            reading.prose.append(failed or "")
        elif not (echoed or any(p.match(line) for p in (_NOISE, _GO_FUNCTION, _RUST_FUNCTION))):
            # pytest shows arguments between the frames of one failure.
            if reading.kinds[-1:] != [TESTS]:
                reading.close()
            reading.prose.append(chatter.without(line) if failed is None else failed)
        if failed is not None:
            reading.kinds.append(TESTS)
        return
    reading.kinds.append(notation.kind)
    frame = _frame(notation, match, reading.above)
    reading.echoes = notation.quotes_source
    if notation.innermost_last:
        reading.last.append(frame)
    else:
        reading.close()
        _add_frame(frame, reading.blocks[-1], notation)
    message = line[match.end() :].strip() if notation.kind != TRACE else line[: match.start()]
    said = chatter.without(message.removeprefix("- "))
    reading.prose.append(said if failed is None else failed)


def _read_verdict(line: str, reading: _Reading) -> str | None:
    """What a line says of a test that failed, which is noted: its names and the message behind
    them. None where it tells of no test."""
    match = next(filter(None, (row.pattern.match(line) for row in VERDICTS)), None)
    if match is None:
        return None
    fields = match.groupdict()
    path = fields.get("path") or _file_of(fields.get("module") or "")
    if path:
        reading.suite = path
    parent = re.split(r"::| > | › |[.\\$:]", fields.get("parent") or fields.get("module") or "")[-1]
    found = Failure(
        fields["name"].strip(), parent, path or reading.suite, int(fields.get("line") or 0)
    )
    # Some reports name no more than the file that failed, which is then a place without a line.
    if found.name or found.line:
        reading.failures.append(found)
    elif path:
        reading.blocks[-1].append(Frame(path))
    # The folders and packages of a test say nothing that its own names do not.
    message = chatter.without(line[match.end() :].removeprefix(" - "))
    return " ".join(filter(None, (parent, found.name, message.strip())))


def _file_of(module: str) -> str:
    """The file of a dotted Python name that may end with a class: `tests.test_a.TestA`."""
    parts = [part for part in module.split(".") if part and not part[0].isupper()]
    return f"{'/'.join(parts)}.py" if parts and parts != ["__main__"] else ""


def _distinct(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """Each test once, with all that is said of it anywhere in the report."""
    known: dict[tuple[str, str], Failure] = {}
    for failure in failures:
        key = (failure.name, failure.parent)
        before = known.get(key)
        if before is None:
            known[key] = failure
        else:
            path, line = before.path or failure.path, before.line or failure.line
            known[key] = replace(before, path=path, line=line)
    # A report names a test with its suite in one place and bare in another; the bare one is the
    # same test.
    named = {failure.name for failure in known.values() if failure.parent}
    return tuple(f for f in known.values() if f.parent or f.name not in named or not f.name)


def _add_frame(frame: Frame, block: list[Frame], notation: Notation) -> None:
    """Add a frame; where names are those of the callee, the frame before takes its name."""
    if notation.names_inner:
        if block and not block[-1].name:
            # The frame before is the one further in, which is what this line calls.
            block[-1] = replace(block[-1], name=frame.name, parent=frame.parent)
        frame = replace(frame, name="", parent="")
    block.append(frame)


def _frame(notation: Notation, match: re.Match[str], above: str) -> Frame:
    groups = match.groupdict()
    line = int(groups["line"] or 0)
    written = groups.get("name") or ""
    # Go and Rust print the function on the line above its place.
    if not written and groups["path"].endswith((".go", ".rs")):
        named = _GO_FUNCTION.match(above) or _RUST_FUNCTION.match(above)
        written = named["name"] if named else ""
    name, parent = _simple(written)
    frame = Frame(groups["path"], line, line, name, parent=parent)
    if groups.get("package"):
        frame = replace(frame, path=f"deps/{groups['package']}/{frame.path}")
    if "type" in groups:
        # The JVM prints only a file's name, so its folder is read from the package; "$" divides
        # inner classes, which lie in the same file.
        folder, _, kind = groups["type"].split("$")[0].rpartition(".")
        path = f"{folder.replace('.', '/')}/{frame.path}" if folder else frame.path
        frame = replace(frame, path=path, parent=kind)
    return frame


_PLAIN = re.compile(r"[A-Za-z_]\w*[?!]?")
_BLOCK = re.compile(r"^(?:block|rescue|ensure)(?: \(\d+ levels\))? in ")
_STATE_MACHINE = re.compile(r"<(\w+)>[a-z]__\w*(?:\.MoveNext)?")
_CLOSURE = re.compile(r"^anonymous fn/\d+ in ")


def _simple(written: str) -> tuple[str, str]:
    """The simple name of a function and of the type it is in: `app::Store<T>::get` → get, Store."""
    name = _CLOSURE.sub("", _BLOCK.sub("", written))
    name = _STATE_MACHINE.sub(r"\1", name)
    if name.endswith(">") and ("." in name or name.startswith("<")):
        return "", ""  # Object.<anonymous>, <module>, <lambda>
    name = re.sub(r"<[^<>]*>|\{\{[^}]*\}\}|\([^()*]*\)|\.func\d[\w.]*|/\d+$|\".*\"", "", name)
    parts = _PLAIN.findall(name)
    return (parts[-1] if parts else ""), (parts[-2] if len(parts) > 1 else "")

"""The two surveys: `changes` and `overview`, with the names other systems gave them."""

from dataclasses import replace

from satchel.mcp_server.tool import Answer, Call, Tool, lines, tool_of
from satchel.questions.changes import CHANGES
from satchel.questions.overview import OVERVIEW
from satchel.store.counted import counted
from satchel.workspace.checkout_view import CheckoutView


def head(code: CheckoutView, what: str) -> str:
    """The first line of an answer: what it holds, and of which generation."""
    return f"[satchel] {what}, {code.state}"


def _progress(call: Call) -> Answer:
    with call.code() as code:
        counts = code.snapshot.files.counts()
        waiting = code.project.chunks_without_vectors()
        # An index without chunks lacks no vector, and the division would fail.
        share = 1.0 - waiting / counts.chunks if counts.chunks else 1.0
        n_broken = len({path for path, *_ in code.snapshot.files.problems()})
        found = (
            f"{counted(counts.files, 'file')}, {counted(counts.chunks, 'chunk')},"
            f" {counted(counts.symbols, 'symbol')}",
            f"{counted(counts.chunks - waiting, 'chunk')} with vectors ({share:.0%}),"
            f" {waiting:,} pending",
            f"{counted(n_broken, 'file')} failed to parse as a whole; satchel validate names them",
        )
        return Answer(lines(head(code, "enrichment"), code.notices, found))


_CHANGES = tool_of(
    CHANGES, "changes",
    "Symbols that changed, users that did not change with them, and tests to run.", is_slow=True,
)  # fmt: skip
_OVERVIEW = tool_of(
    OVERVIEW, "overview", "Size, languages, entry points, central symbols, state of the index.",
    is_slow=True,
)  # fmt: skip
_DAY = tuple(
    replace(param, required=False, default="24h") if param.name == "since" else param
    for param in _CHANGES.params
    if param.name != "path"
)
TOOLS = (
    _CHANGES,
    _OVERVIEW,
    # A hub has no other system's names.
    replace(_CHANGES, name="diff", about="Another name of changes.", params=_DAY, listed=False,
            question=None),
    replace(_OVERVIEW, name="summary", about="Another name of overview.", params=(), listed=False,
            question=None),
    Tool(
        "enrichment_status",
        "How much of the index has vectors, what is pending, what failed to parse.",
        (),
        _progress,
        listed=False,
    ),
)  # fmt: skip

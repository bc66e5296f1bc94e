"""The two surveys: `changes` and `overview`, with the names other systems gave them."""

from __future__ import annotations

from satchel.assembler.lookup.absence import behind
from satchel.assembler.output.reports import changes_lines, overview_lines
from satchel.assembler.survey.changes import changes
from satchel.assembler.survey.overview import PROJECT, overview
from satchel.assembler.values import Scope
from satchel.mcp_server.arguments import Kind, Param
from satchel.mcp_server.tool import Answer, Call, Tool, lines
from satchel.mcp_server.tools.code_tools import PATH_PREFIX, SCOPE, head
from satchel.workspace.index_paths import inside
from satchel.workspace.knowledge import surveyed

_SINCE = 200
_PATH = 4_096


def _changes(call: Call) -> Answer:
    said = call.said
    with call.code() as code:
        history = code.project.history(code.snapshot, said.text("since"))
        # A client may give an absolute path; it is cut to the root before it is compared with the
        # index.
        path = inside(code.project.root, said.text("path"))
        scope = Scope(said.text("scope"))
        found = changes(code.snapshot, history, scope, path, said.whole("limit"))
        first = head(code, f"{found.n_changes} changes")
        said_of_it = surveyed(code.project, code.snapshot, path, said.text("since"))
        notices = (*code.notices, *behind(code.snapshot))
        return Answer(lines(first, notices, [*changes_lines(found), *said_of_it.lines]))


def _overview(call: Call) -> Answer:
    with call.code() as code:
        scope = inside(code.project.root, call.said.text("scope")) or PROJECT
        found = overview(code.snapshot, scope)
        said_of_it = surveyed(code.project, code.snapshot, scope)
        listed = [*overview_lines(found), *said_of_it.lines]
        notices = (*code.notices, *behind(code.snapshot))
        return Answer(lines(head(code, "overview"), notices, listed))


def _progress(call: Call) -> Answer:
    with call.code() as code:
        counts = code.snapshot.files.counts()
        waiting = code.project.chunks_without_vectors()
        # An index without chunks lacks no vector, and the division would fail.
        share = 1.0 - waiting / counts.chunks if counts.chunks else 1.0
        found = (
            f"{counts.files:,} files, {counts.chunks:,} chunks, {counts.symbols:,} symbols",
            f"{counts.chunks - waiting:,} chunks have vectors ({share:.0%})",
        )
        return Answer(lines(head(code, "enrichment"), code.notices, found))


_LIMIT = Param("limit", Kind.WHOLE, low=1, high=500, default=50, quiet=True)

TOOLS = (
    Tool(
        "changes",
        "Symbols added, modified, moved or removed, and who uses them without having changed.",
        (
            Param("since", about="24h, 7d, ISO time or git revision", required=True,
                  low=1, high=_SINCE),
            SCOPE,
            PATH_PREFIX,
            _LIMIT,
        ),
        _changes,
    ),
    Tool(
        "overview",
        "Size, languages, entry points, central symbols, index state.",
        (
            Param("scope", about="a path, or project", high=_PATH, default=PROJECT, quiet=True),
        ),
        _overview,
    ),
    Tool(
        "diff",
        "Another name of changes.",
        (Param("since", default="24h", low=1, high=_SINCE), SCOPE, _LIMIT),
        _changes,
        listed=False,
    ),
    Tool("summary", "Another name of overview.", (), _overview, listed=False),
    Tool(
        "enrichment_status",
        "How much of the index has vectors.",
        (),
        _progress,
        listed=False,
    ),
)  # fmt: skip

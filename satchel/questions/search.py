"""`search`: the best places for a question, or every line that holds a text or an expression.

What ranks is imported where it runs: exact text is found without it, and a face reads the request
before any index is opened.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Meta, Struct, structs

from satchel.assembler.budget import (
    MAX_BUDGET,
    MAX_COUNTED,
    MAX_INPUT,
    MAX_RESULTS,
    check_query,
)
from satchel.assembler.kinds import Absent, Scope, TextMode
from satchel.assembler.output import listings
from satchel.assembler.output.numbering import numbered
from satchel.questions.params import said
from satchel.questions.request import About, Path, Question, ReplyText, Request, Style
from satchel.questions.rows import VERSION, Row
from satchel.questions.view import View, changed_since
from satchel.store.counted import counted
from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.assembler.exact.search import LinesReply, Wanted
    from satchel.assembler.values import Scored, SearchReply
    from satchel.store.records import ChunkRecord

QUERY_NAMES = ("task", "question", "prompt", "text", "pattern", "q")


class Mode(StrEnum):
    """How a question is answered: ranked, as places or with their source, or line by line."""

    LOCATE = "locate"
    FULL = "full"
    EXACT = "exact"
    REGEX = "regex"


class Search(Request, frozen=True, kw_only=True):
    """Where something is. Ranked answers leave tests out, exact ones look everywhere."""

    query: Annotated[
        str, Meta(min_length=1, max_length=MAX_INPUT),
        said("terms, exact text or a regex", other_names=QUERY_NAMES),
    ]  # fmt: skip
    mode: Annotated[Mode, said("full adds source; exact, regex: every line", setting="search.mode")]
    max_results: Annotated[
        int, Meta(ge=1, le=MAX_RESULTS),
        said("how many", setting="search.max_results", other_names=("limit",)),
    ]  # fmt: skip
    min_score: Annotated[float, Meta(ge=0.0, le=1.0), said("least score to list", listed=False)] = (
        0.0
    )
    explain: Annotated[bool, said("what each signal adds to a score", listed=False)] = False
    path: Annotated[Path, said("path prefix")] = ""
    scope: Annotated[
        Scope | None, said("default impl; all in mode exact and regex", listed=False)
    ] = None
    ignore_case: Annotated[bool, said("in mode exact and regex", listed=False)] = False
    offset: Annotated[
        int, Meta(ge=0, le=MAX_COUNTED - 1),
        said("lines to skip in mode exact and regex", listed=False),
    ] = 0  # fmt: skip

    @property
    def is_exact(self) -> bool:
        """Whether every line is wanted."""
        return self.mode in (Mode.EXACT, Mode.REGEX)

    @property
    def is_ranked(self) -> bool:
        """Whether vectors are asked for: lines of text have no score."""
        return not self.is_exact

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(self.query, path=self.path)

    def check(self) -> None:
        """Raises: UsageError, for what only the other kind of answer understands."""
        if self.is_exact:
            if self.explain or self.min_score:
                hint = "leave out explain and min_score, or ask with mode locate"
                raise UsageError(f"mode {self.mode} ranks nothing", hint)
            # A pattern that cannot be compiled is refused before anything is indexed for it.
            from satchel.assembler.exact.search import checked

            checked(self.wanted(self.path), self.max_results, self.offset)
        elif self.ignore_case or self.offset:
            raise UsageError(
                "ignore_case and offset belong to mode exact and regex",
                "leave them out, or name one",
            )
        else:
            check_query(self.query)

    def wanted(self, path: str) -> Wanted:
        """The text that is looked for, below a path of the index."""
        from satchel.assembler.exact.search import Wanted

        # Who looks for exact text wants every line, so tests are searched unless they are left out
        # by name.
        scope = self.scope or Scope.ALL
        return Wanted(self.query, TextMode(self.mode), self.ignore_case, scope, path)


class Lines(Struct, frozen=True):
    """A page of lines, and the state of the index that they are of."""

    found: LinesReply
    state: str


class Places(Struct, frozen=True):
    """Results, with `texts` by the ids of their chunks where their source was asked for.

    `n_whole` counts the tokens of the files that are quoted.
    """

    found: SearchReply
    state: str
    texts: dict[int, str] | None = None
    explain: bool = False
    n_whole: int = 0


Reply = Lines | Places


def answer(view: View, asked: Search) -> Reply:
    """The lines or places that are asked for.

    Raises:
        UsageError: the path lies elsewhere.
    """
    return _lines(view, asked) if asked.is_exact else _places(view, asked)


def _lines(view: View, asked: Search) -> Lines:
    from satchel.assembler.exact.search import find

    wanted = asked.wanted(view.path(asked.path))
    found = find(view.snapshot, wanted, asked.max_results, asked.offset)
    found = view.current_lines(wanted, found)
    return Lines(structs.replace(found, notices=(*view.notices, *found.notices)), view.state)


def _places(view: View, asked: Search) -> Places:
    from satchel.assembler.query import long_input
    from satchel.assembler.query.question import Question as Asked
    from satchel.assembler.search import search, text_of

    read = long_input.read(asked.query)
    question = Asked(
        view.question_text(read.text),
        asked.scope or Scope.IMPL,
        view.path(asked.path),
        likely=view.likely,
    )
    found = search(
        view.snapshot, question, asked.max_results, min_score=asked.min_score, vectors=view.vectors
    )
    notices = (*view.notices, *read.notices, *found.notices)
    if asked.mode != Mode.FULL:
        return Places(structs.replace(found, notices=notices), view.state, None, asked.explain)
    # What is quoted is compared with the disk: times and sizes can be forged.
    is_current = view.is_current()
    kept = tuple(r for r in found.results if is_current(r.chunk.path, r.chunk.digest))
    if left_out := len(found.results) - len(kept):
        notices += (changed_since(left_out),)
    sizes = accumulate(item.chunk.tokens for item in kept)
    if left_out := sum(size > MAX_BUDGET for size in sizes):
        kept = kept[:-left_out]
        notices += (f"{left_out} left out: source of {MAX_BUDGET:,} tokens is shown at most",)
    texts = {item.chunk.id: text_of(view.snapshot, item.chunk) for item in kept}
    n_whole = view.snapshot.chunks.tokens_of(sorted({item.chunk.path for item in kept}))
    found = structs.replace(found, results=kept, notices=notices)
    return Places(found, view.state, texts, asked.explain, n_whole)


def text(reply: Reply, style: Style) -> ReplyText:
    """Results best first, or lines by file, which are source where they begin with a space."""
    if isinstance(reply, Lines):
        return ReplyText(
            f"{listings.exact_head(reply.found)}, {reply.state}", reply.found.notices,
            tuple(listings.exact_lines(reply.found)),
            tuple(listings.exact_tail(reply.found, option=style.option("offset"))), quotes=True,
        )  # fmt: skip
    found, texts = reply.found, reply.texts
    results = counted(len(found.results), "result")
    head = f"{results} in {counted(found.n_searched, 'file')}, {reply.state}"

    def shown(chunk: ChunkRecord) -> str:
        source = texts[chunk.id] if texts else ""
        return numbered(source.rstrip("\n"), chunk.span.start_line) if style.numbers else source

    rows = listings.search_lines(found, None if texts is None else shown, explain=reply.explain)
    return ReplyText(head, found.notices, tuple(rows))


class SearchResult(Struct, frozen=True):
    """The JSON of ranked results, best first."""

    id: str | int | None
    results: list[Row]
    files_searched: int
    generation: int
    complete: bool
    notices: tuple[str, ...] = ()
    absent: tuple[Absent, ...] = ()
    schema: int = VERSION


class LineRow(Struct, frozen=True):
    """A line that holds what was looked for; the first match begins at `column`, from 1."""

    path: str
    line: int
    column: int
    symbol: str
    kind: str
    text: str


class LinesResult(Struct, frozen=True):
    """The JSON of lines, by path and line.

    `lines` and `files` count all that there are, up to where `stopped` says; `next_offset` is that
    of the next page, null after the last.
    """

    id: str | int | None
    results: list[LineRow]
    lines: int
    files: int
    next_offset: int | None
    stopped: str
    files_searched: int
    generation: int
    complete: bool
    notices: tuple[str, ...] = ()
    absent: tuple[Absent, ...] = ()
    schema: int = VERSION


def json(reply: Reply) -> Struct:
    """The reply as JSON; with their source, results have its exact count of tokens."""
    if isinstance(reply, Lines):
        lines = reply.found
        rows = [
            LineRow(r.path, r.line, r.column, r.symbol, r.kind or "", r.text) for r in lines.rows
        ]
        return LinesResult(
            None, rows, lines.n_lines, lines.n_files, lines.following or None,
            lines.stopped, lines.n_searched, lines.generation, lines.complete,
            lines.notices, lines.absent,
        )  # fmt: skip
    found = reply.found
    return SearchResult(
        None, [_row(item, reply) for item in found.results], found.n_searched, found.generation,
        found.complete, found.notices, found.absent,
    )  # fmt: skip


def _row(item: Scored, reply: Places) -> Row:
    chunk = item.chunk
    source = None if reply.texts is None else reply.texts[chunk.id]
    n_tokens = chunk.tokens
    if source is not None:
        # What is printed whole is counted exactly; the number in the index belongs to the chunk as
        # it was cut.
        from satchel.store import tokens

        n_tokens = tokens.count(source)
    return Row(
        chunk.path, chunk.span.start_line, chunk.span.end_line, chunk.symbol,
        chunk.symbol_kind or "", round(item.score, 4), n_tokens,
        text=UNSET if source is None else source,
        why={e.signal: round(e.share, 4) for e in item.why} if reply.explain else UNSET,
    )  # fmt: skip


SEARCH: Question[Search, Reply] = Question(
    Search,
    answer,
    text,
    json,
    lambda r: bool(r.found.rows if isinstance(r, Lines) else r.found.results),
    lambda r: 0 if isinstance(r, Lines) else r.n_whole,
)

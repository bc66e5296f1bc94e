"""The JSON that `--json` and `--batch` print; `schema` names the version of its shape.

A field is never renamed or removed within a version; new ones may be added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, Struct, UnsetType

from satchel.assembler.quoting import decodable

if TYPE_CHECKING:
    from satchel.assembler.exact.search import LinesReply
    from satchel.assembler.kinds import Absent
    from satchel.assembler.values import ContextPack, Scored, SearchReply
    from satchel.store.reading.snapshot import Snapshot
    from satchel.store.records import SymbolRecord

VERSION = 1


class Row(Struct, frozen=True):
    """A piece of code: a search result or an excerpt of a pack.

    `parsed` says of an excerpt whether the parser read all of its file.
    """

    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    score: float
    tokens: int
    text: str | UnsetType = UNSET
    detail: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    why: dict[str, float] | UnsetType = UNSET
    parsed: bool | UnsetType = UNSET


class AbsentRow(Struct, frozen=True):
    """What a reply lacks; `kind` is one of five, see `satchel.assembler.kinds.Absence`."""

    kind: str
    detail: str


class ReceiptRow(Struct, frozen=True):
    """What a pack cost and left out."""

    id: str
    budget: int
    used: int
    tokenizer: str
    generation: int
    complete: bool
    excerpts: int
    neighbours: int
    omitted: int
    files_searched: int
    notices: tuple[str, ...]
    absent: tuple[AbsentRow, ...] = ()


class ContextResult(Struct, frozen=True):
    """The answer to `context`; `text` is exactly what a model should be given."""

    id: str | int | None
    text: str
    excerpts: list[Row]
    receipt: ReceiptRow
    schema: int = VERSION


class SearchResult(Struct, frozen=True):
    """The answer to `search`, best first."""

    id: str | int | None
    results: list[Row]
    files_searched: int
    generation: int
    complete: bool
    notices: tuple[str, ...] = ()
    absent: tuple[AbsentRow, ...] = ()
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
    """The answer to `search` for exact text, by path and line.

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
    absent: tuple[AbsentRow, ...] = ()
    schema: int = VERSION


class Failure(Struct, frozen=True):
    """What a line of a batch gets when its question cannot be answered."""

    id: str | int | None
    error: str
    hint: str
    schema: int = VERSION


class SymbolRow(Struct, frozen=True):
    """A definition."""

    name: str
    qualified_name: str
    kind: str
    path: str
    line: int
    start_line: int
    end_line: int
    signature: str
    doc: str
    visibility: str
    is_test: bool


def absent_rows(absent: tuple[Absent, ...]) -> tuple[AbsentRow, ...]:
    """What a reply lacks as JSON."""
    return tuple(AbsentRow(each.kind, decodable(each.detail)) for each in absent)


def context_result(question_id: str | int | None, pack: ContextPack) -> ContextResult:
    """A pack as JSON."""
    rows = [
        Row(
            decodable(e.path), e.start_line, e.end_line, e.symbol, e.kind or "",
            round(e.score, 4), e.tokens, e.text, detail=e.detail, reason=e.reason,
            parsed=not e.is_broken,
        )
        for e in pack.excerpts
    ]  # fmt: skip
    receipt = pack.receipt
    told = ReceiptRow(
        receipt.id, receipt.budget, receipt.used, receipt.encoding, receipt.generation,
        receipt.complete,
        receipt.n_excerpts, receipt.n_neighbours, receipt.n_omitted, receipt.n_searched,
        receipt.notices, absent_rows(receipt.absent),
    )  # fmt: skip
    return ContextResult(question_id, decodable(pack.text), rows, told)


def search_result(
    question_id: str | int | None,
    reply: SearchReply,
    snapshot: Snapshot,
    *,
    full: bool,
    explain: bool,
) -> SearchResult:
    """A search reply as JSON; with `full`, rows carry their text and its exact token count."""
    rows = [_result(item, snapshot, full=full, explain=explain) for item in reply.results]
    return SearchResult(
        question_id,
        rows,
        reply.n_searched,
        reply.generation,
        reply.complete,
        reply.notices,
        absent_rows(reply.absent),
    )


def lines_result(
    question_id: str | int | None, reply: LinesReply, notices: tuple[str, ...]
) -> LinesResult:
    """A page of lines as JSON."""
    rows = [
        LineRow(decodable(r.path), r.line, r.column, r.symbol, r.kind or "", r.text)
        for r in reply.rows
    ]
    return LinesResult(
        question_id, rows, reply.n_lines, reply.n_files, reply.following or None,
        decodable(reply.stopped), reply.n_searched, reply.generation, reply.complete,
        notices, absent_rows(reply.absent),
    )  # fmt: skip


def symbol_row(record: SymbolRecord) -> SymbolRow:
    """A definition as JSON."""
    return SymbolRow(
        record.name, record.qualified_name, record.kind, decodable(record.path), record.line,
        record.span.start_line, record.span.end_line, record.signature, record.doc,
        record.visibility, record.is_test,
    )  # fmt: skip


def _result(item: Scored, snapshot: Snapshot, *, full: bool, explain: bool) -> Row:
    # Who looks a name up prints rows as well, and does not wait for what ranks and counts.
    from satchel.assembler.search import text_of
    from satchel.store import tokens

    chunk = item.chunk
    text = text_of(snapshot, chunk) if full else ""
    return Row(
        decodable(chunk.path), chunk.span.start_line, chunk.span.end_line, chunk.symbol,
        chunk.symbol_kind or "", round(item.score, 4),
        # What is printed whole is counted exactly; the number in the index belongs to the chunk as
        # it was cut.
        tokens.count(text) if full else chunk.tokens,
        text=text if full else UNSET,
        why={each.signal: round(each.share, 4) for each in item.why} if explain else UNSET,
    )  # fmt: skip

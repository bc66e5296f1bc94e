"""The JSON that `--json` and `--batch` print; `schema` names the version of its shape.

A field is never renamed or removed within a version; new ones may be added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler.quoting import decodable
from satchel.questions.rows import VERSION, AbsentRow, Row, absent_rows

if TYPE_CHECKING:
    from satchel.assembler.values import ContextPack


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


class Failure(Struct, frozen=True):
    """What a line of a batch gets when its question cannot be answered."""

    id: str | int | None
    error: str
    hint: str
    schema: int = VERSION


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

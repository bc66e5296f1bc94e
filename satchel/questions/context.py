"""`context`: what a model should see for a task, in at most so many tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, field, structs

from satchel.assembler.budget import (
    MAX_BUDGET,
    MAX_INPUT,
    MIN_BUDGET,
    Spending,
    check_query,
)
from satchel.assembler.kinds import Absence, Absent, Scope
from satchel.assembler.values import Sent
from satchel.questions.params import said
from satchel.questions.request import About, Path, Question, ReplyText, Request, Style
from satchel.questions.rows import VERSION, Row, shaped
from satchel.questions.search import QUERY_NAMES
from satchel.questions.view import PackRecord, View
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath

if TYPE_CHECKING:
    from satchel.assembler.query.question import NamedPlace
    from satchel.assembler.values import ContextPack

_MARKED = (
    "≡ … sent #n: this session was sent it in reply n, and it is unchanged; leave out only_new to"
    " be sent it again"
)
_MAX_DIGITS = 9
"""Digits of a line number; no file that is indexed is as long."""
MAX_REVISION = 200


class ByHand(Struct, frozen=True):
    """Places (`path:12-40`) that a person chose.

    Those that are `put_in` are shown first, whatever their score; of those taken out nothing is.
    """

    put_in: tuple[str, ...] = ()
    take_out: tuple[str, ...] = ()


class Context(Request, frozen=True, kw_only=True):
    """A task, pasted output, or a change to review."""

    query: Annotated[
        str, Meta(min_length=1, max_length=MAX_INPUT),
        said("terms and names; pasted errors, logs, diffs", other_names=QUERY_NAMES),
    ] = ""  # fmt: skip
    budget_tokens: Annotated[
        Annotated[int, Meta(ge=MIN_BUDGET, le=MAX_BUDGET)] | None,
        said("default: what pays, at most 4096", other_names=("max_tokens", "budget")),
    ] = None  # fmt: skip
    scope: Annotated[Scope | None, said("default impl; all with diff")] = None
    path: Annotated[Path, said("prefix, or package:NAME")] = ""
    diff: Annotated[
        str, Meta(min_length=1, max_length=MAX_REVISION),
        said("git revision: review what changed since"),
    ] = ""  # fmt: skip
    # What follows is a face's own to say.
    session: str = ""
    """Whose focus counts for what is known, "" where that is unknown."""
    sent: Sent | None = None
    """What the reader was sent before and need not be sent again."""
    by_hand: ByHand = ByHand()

    @property
    def is_ranked(self) -> bool:
        """Vectors are asked for."""
        return True

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(self.query, path=self.path, since=self.diff)

    def check(self) -> None:
        """Raises: UsageError, for a text that is none."""
        if not self.diff:
            check_query(self.query)


class Reply(Struct, frozen=True):
    """A pack, and the tokens of all files that it quotes from."""

    pack: ContextPack
    n_whole: int


def answer(view: View, asked: Context) -> Reply:
    """A pack of files as they are now.

    Raises:
        UsageError: a place names nothing, nothing has changed, or the source has no changes.
    """
    from satchel.assembler import assemble
    from satchel.assembler.query import long_input
    from satchel.assembler.query.question import Question as Asked

    read = long_input.read(asked.query, reviews=not asked.diff)
    text = read.text
    path = view.path(asked.path)
    changes = view.changes_since(asked.diff, path) if asked.diff else read.changes
    put_in, taken_out = (
        tuple(place(view, each) for each in written) for written in structs.astuple(asked.by_hand)
    )
    question = Asked(
        text if changes else view.question_text(text),
        asked.scope or (Scope.ALL if changes else Scope.IMPL),
        path, changes, put_in, taken_out, view.likely,
    )  # fmt: skip
    sent = asked.sent or Sent()
    spending = view.spending
    if asked.budget_tokens is not None:
        spending = Spending(asked.budget_tokens)
    # The mark is explained only where there may be one: the sentence costs tokens in each pack.
    notices = (*view.notices, *read.notices, *([_MARKED] if sent.held else []))
    pack = assemble.context(
        view.snapshot,
        question,
        spending,
        assemble.PackOptions(
            encoding=view.encoding,
            notices=notices,
            vectors=view.vectors,
            is_current=view.is_current(),
            sent=sent,
            known=view.knowledge_lines(text, asked.session),
            weights=view.weights,
            reached=view.reached,
        ),
    )
    view.reached("pack")
    view.record(pack, PackRecord(question, spending, notices, sent))
    quoted = {excerpt.path for excerpt in pack.excerpts}
    return Reply(pack, view.snapshot.chunks.tokens_of(sorted(quoted)))


def place(view: View, written: str) -> NamedPlace:
    """The place that `path:first-last` or `path:line` names.

    Raises:
        UsageError: it names none, or no indexed file.
    """
    from satchel.assembler.query.question import NamedPlace
    from satchel.assembler.query.written_places import closed, plain

    hint = "write path:12-40 or path:12, with the path of an indexed file"
    path, _, lines = closed(plain(written)).rpartition(":")
    first, _, last = lines.partition("-")
    last = last or first
    # `isdecimal` alone takes digits of any script, and a number without end takes long to read.
    if not all(n.isascii() and n.isdecimal() and len(n) <= _MAX_DIGITS for n in (first, last)):
        raise UsageError(f"{written!r} is no place", hint)
    if not 1 <= int(first) <= int(last):
        raise UsageError(f"{written!r} names no lines", f"lines begin with 1; {hint}")
    found = NamedPlace(RepoPath(view.path(path)), int(first), int(last))
    if not view.snapshot.files.identity(found.path):
        raise UsageError(f"{written!r} is in no indexed file", hint)
    return found


def text(reply: Reply, style: Style) -> ReplyText:
    """The pack as it is; numbers of lines come on top of its budget."""
    whole = reply.pack.text
    if style.numbers:
        from satchel.assembler.output.numbering import numbered_pack

        whole = numbered_pack(whole)
    return ReplyText("", (), (), whole=whole)


class ReceiptRow(Struct, frozen=True):
    """What a pack cost and left out."""

    id: str
    budget: int
    used: int
    encoding: str = field(name="tokenizer")
    generation: int
    complete: bool
    n_excerpts: int = field(name="excerpts")
    n_neighbours: int = field(name="neighbours")
    n_omitted: int = field(name="omitted")
    n_searched: int = field(name="files_searched")
    notices: tuple[str, ...]
    absent: tuple[Absent, ...] = ()


class ContextResult(Struct, frozen=True):
    """The JSON of a pack; `text` is exactly what a model should be given."""

    id: str | int | None
    text: str
    excerpts: list[Row]
    receipt: ReceiptRow
    schema: int = VERSION


def json(reply: Reply) -> ContextResult:
    """The reply as JSON."""
    rows = [
        Row(
            e.path, e.start_line, e.end_line, e.symbol, e.kind or "",
            round(e.score, 4), e.tokens, e.text, detail=e.detail, reason=e.reason,
            parsed=not e.lost,
        )
        for e in reply.pack.excerpts
    ]  # fmt: skip
    return ContextResult(None, reply.pack.text, rows, shaped(reply.pack.receipt, ReceiptRow))


def _is_stale(reply: Reply) -> bool:
    # A file that changed while the pack was made is left out of it.
    return any(absent.kind == Absence.STALE for absent in reply.pack.receipt.absent)


CONTEXT: Question[Context, Reply] = Question(
    Context, answer, text, json, lambda reply: bool(reply.pack.excerpts),
    lambda reply: reply.n_whole, _is_stale,
)  # fmt: skip

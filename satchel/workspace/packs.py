"""A pack for a question: composed in one place for the API, the command line and MCP.

Whoever asks says how the index is opened, since a server waits for it otherwise than a command
does. Everything else is the same for all of them: the budget, vectors, what is known of the code,
the comparison with the files as they are now, and the record that `context --replay` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from satchel.assembler import assemble
from satchel.assembler.assemble import KnowledgeLines
from satchel.assembler.budget import MAX_QUERY
from satchel.assembler.kinds import Absence, Scope
from satchel.assembler.query import long_input
from satchel.assembler.query.question import NamedPlace, Question
from satchel.assembler.values import ContextPack, Sent
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.workspace import pack_log, span_check
from satchel.workspace.checkout_view import CheckoutView
from satchel.workspace.configuration import tuned
from satchel.workspace.index_paths import inside, path_in
from satchel.workspace.project import Project

_MARKED = (
    "≡ … sent #n: this session was sent it in reply n, and it is unchanged; leave out only_new to"
    " be sent it again"
)
_MAX_DIGITS = 9
"""Digits of a line number; no file that is indexed is as long."""


OpenView = Callable[[], AbstractContextManager[CheckoutView]]
"""Opens the index for one attempt at a pack."""


@dataclass(frozen=True, slots=True)
class PackRequest:
    """What is asked.

    Attributes:
        query: the task in words or names, or pasted output; may be empty with `diff`.
        budget: tokens; None takes the setting.
        scope: None is product code, or all code with `diff`.
        path: only files whose path starts with this, as written by whoever asks.
        diff: review what changed since this revision, "" for none.
        session: whose focus counts for what is known, "" where that is unknown.
        sent: what the reader was sent before and need not be sent again.
        put_in: places (`path:12-40`) that are shown first, whatever their score.
        take_out: places of which nothing is shown.
    """

    query: str
    _: KW_ONLY
    budget: int | None = None
    scope: Scope | None = None
    path: str = ""
    diff: str = ""
    session: str = ""
    sent: Sent = field(default_factory=Sent)
    put_in: Sequence[str] = ()
    take_out: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class MadePack:
    """A pack, and the tokens of all files that it quotes from."""

    pack: ContextPack
    whole_tokens: int


def compose(
    request: PackRequest, open_view: OpenView, open_newer: OpenView | None = None
) -> MadePack:
    """A pack of files as they are now, recorded for `context --replay`.

    A pack that finds files changed since they were indexed is made a second time from
    `open_newer`, by default from `open_view` again.

    Raises:
        UsageError: a value is out of bounds, nothing is asked, or nothing changed since `diff`.
    """
    for open_index in (open_view, open_newer or open_view):
        with open_index() as opened:
            pack = _compose(request, opened)
            quoted = {excerpt.path for excerpt in pack.excerpts}
            made = MadePack(pack, opened.snapshot.chunks.tokens_of(sorted(quoted)))
        # A file that changed while the pack was made is left out of it, so a newer index is asked.
        # It is asked once: files that change all the time would keep the answer from coming.
        if not any(absent.kind == Absence.STALE for absent in pack.receipt.absent):
            break
    return made


def place(root: Path, snapshot: Snapshot, written: str) -> NamedPlace:
    """The place that `path:first-last` or `path:line` names.

    Raises:
        UsageError: it names none, or no indexed file.
    """
    hint = "write path:12-40 or path:12, with the path of an indexed file"
    path, _, lines = written.rpartition(":")
    first, _, last = lines.partition("-")
    last = last or first
    # `isdecimal` alone takes digits of any script, and a number without end takes long to read.
    if not all(n.isascii() and n.isdecimal() and len(n) <= _MAX_DIGITS for n in (first, last)):
        raise UsageError(f"{written!r} is no place", hint)
    if not 1 <= int(first) <= int(last):
        raise UsageError(f"{written!r} names no lines", f"lines begin with 1; {hint}")
    found = NamedPlace(RepoPath(inside(root, path)), int(first), int(last))
    if not snapshot.files.knows(found.path):
        raise UsageError(f"{written!r} is in no indexed file", hint)
    return found


def _compose(request: PackRequest, opened: CheckoutView) -> ContextPack:
    project, snapshot, settings = opened.project, opened.snapshot, opened.project.settings.context
    query, changes = request.query, ""
    if request.diff:
        changes = project.changes_since(snapshot, request.diff)
    elif len(query) > MAX_QUERY:
        from satchel.assembler.pasted_places import review_of  # most questions are short

        query, changes = review_of(query)
    text, shortening = long_input.within_bounds(query)
    put_in, taken_out = (
        tuple(place(project.root, snapshot, each) for each in written)
        for written in (request.put_in, request.take_out)
    )
    question = Question(
        text, request.scope or (Scope.ALL if changes else Scope.IMPL),
        path_in(snapshot, project.root, request.path), changes, put_in, taken_out,
    )  # fmt: skip
    budget = settings.budget_tokens if request.budget is None else request.budget
    # The mark is explained only where there may be one: the sentence costs tokens in each pack.
    marks = [_MARKED] if request.sent.held else []
    notices = (*opened.notices, *shortening, *marks)
    pack = assemble.context(
        snapshot, question, budget, encoding=settings.tokenizer, notices=notices,
        vectors=opened.vectors, is_current=span_check.checker(project), sent=request.sent,
        known=_knowledge_for(project, snapshot, request.session, text),
        weights=tuned.weights(project.directory),
    )  # fmt: skip
    made = pack_log.PackRecord(
        question, budget, settings.tokenizer, snapshot.generation, notices,
        opened.vectors is not None, pack_log.digest_of(pack.text), request.sent,
        pack.receipt.known,
    )  # fmt: skip
    # Everything the pack depends on is kept, so that `context --replay` makes the same bytes again.
    pack_log.write(project.directory, pack, made)
    return pack


def _knowledge_for(
    project: Project, snapshot: Snapshot, session: str, text: str
) -> KnowledgeLines | None:
    """The function by which a pack asks what is known of its files; None where nothing is known."""
    # Most projects keep nothing, and loading what reads it takes longer than making the pack.
    each = (project, *(member.project for member in project.members))
    if not any(one.folders.has_knowledge for one in each):
        return None
    from satchel.workspace.multi_root import known

    return known.pack_knowledge(project, snapshot, session, text)


def replay(project: Project, pack_id: str) -> ContextPack:
    """A pack that was made before, byte for byte.

    Raises:
        UsageError: it is not kept, or the index is not what it was made from.
    """
    asked = pack_log.read(project.directory, pack_id)
    with project.snapshot() as snapshot:
        # Another generation would give another pack, and a replay that is not the same to the byte
        # proves nothing.
        if snapshot.generation != asked.generation:
            raise UsageError(
                f"pack {pack_id} was made from generation {asked.generation} of the index,"
                f" which is gone: it is at {snapshot.generation}",
                "ask the question again",
            )
        vectors, _ = project.vector_search(snapshot)
        pack = assemble.context(
            snapshot, asked.question, asked.budget, encoding=asked.encoding, notices=asked.notices,
            vectors=vectors if asked.had_vectors else None, sent=asked.sent,
            known=lambda _paths, _limit: asked.known, weights=tuned.weights(project.directory),
        )  # fmt: skip
    # Vectors and settings are no part of the generation, so only the digest shows that they have
    # changed.
    if pack_log.digest_of(pack.text) != asked.digest:
        raise UsageError(
            f"pack {pack_id} cannot be made again: vectors or settings have changed since",
            "ask the question again",
        )
    return pack

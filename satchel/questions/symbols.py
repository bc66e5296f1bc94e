"""`symbols`: the definitions of a name, looked up rather than ranked; their source on request."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from satchel.assembler.budget import MAX_BUDGET, MIN_BUDGET
from satchel.assembler.kinds import Absent, Scope
from satchel.assembler.lookup import symbols
from satchel.assembler.lookup.symbols import Lookup
from satchel.assembler.output import definition_lines, listings
from satchel.assembler.query import qualified, written_places
from satchel.assembler.quoting import unquoted
from satchel.questions.params import Kind, said
from satchel.questions.request import (
    MAX_NAME,
    About,
    Name,
    Offset,
    Question,
    ReplyText,
    Request,
    Rows,
    ScopeOf,
    Style,
    more,
)
from satchel.questions.rows import (
    VERSION,
    ReferenceRow,
    SymbolRow,
    shaped,
)
from satchel.questions.view import View
from satchel.store.counted import counted
from satchel.store.errors import UsageError

if TYPE_CHECKING:
    from satchel.assembler.lookup.definition_source import DefinitionSource
    from satchel.store.model import Digest, RepoPath
    from satchel.store.records import SymbolRecord

_MOST_NAMES = 20
NAME_NAMES = ("symbol", "query", "function")


class Symbols(Request, frozen=True, kw_only=True):
    """The definitions of a name, else its uses."""

    name: Annotated[
        Name,
        said("names, Class.method, prefix* or path:line", other_names=NAME_NAMES, kind=Kind.NAMES),
    ]
    kind: Annotated[
        str, Meta(max_length=MAX_NAME), said("function, class, method, …", listed=False)
    ] = ""
    source: Annotated[bool, said("show them whole")] = False
    budget_tokens: Annotated[
        int, Meta(ge=MIN_BUDGET, le=MAX_BUDGET),
        said("size of the source", setting="context.budget_tokens", listed=False,
             other_names=("max_tokens", "budget")),
    ]  # fmt: skip
    scope: ScopeOf = Scope.IMPL
    limit: Rows = 50
    offset: Offset = 0

    @property
    def about(self) -> About:
        """Where its answer lies."""
        return About(names=tuple(dict.fromkeys((self.name, *qualified.listed(self.name)))))

    def check(self) -> None:
        """Raises: UsageError, for a name or kind that nothing can have."""
        symbols.check(self.name, self.kind)


class Reply(Struct, frozen=True):
    """Definitions; `sources` where they were asked for, and what these repeat.

    `n_whole` counts the tokens of the files that are quoted.
    """

    found: Lookup
    following: int
    n_files: int
    state: str
    generation: int
    notices: tuple[str, ...]
    sources: tuple[DefinitionSource, ...] | None = None
    again: tuple[SymbolRecord, ...] = ()
    changed: frozenset[str] = frozenset()
    """Paths of files that are not what was indexed."""
    n_whole: int = 0
    is_behind: bool = False
    """Whether the index may not have caught up with its files."""

    def is_current(self, path: RepoPath, _digest: Digest) -> bool:
        """Whether the file of a definition that is quoted is what was indexed."""
        return path not in self.changed


def answer(view: View, asked: Symbols) -> Reply:
    """The definitions that are asked for.

    Raises:
        UsageError: the name has a path that lies elsewhere.
    """
    snapshot = view.snapshot
    found = symbols.lookup_each(
        snapshot, names_in(view, asked.name), asked.kind, asked.scope, asked.limit, asked.offset
    )
    sources: tuple[DefinitionSource, ...] | None = None
    again: list[SymbolRecord] = []
    n_whole = 0
    if asked.source and found.definitions:
        # Most names are looked up for their places, and counting tokens takes long to load.
        from satchel.assembler.lookup.definition_source import sources as shown
        from satchel.store import tokens

        # A method inside a class that is shown already would cost its tokens twice.
        once, again = symbols.told_once(found.definitions)
        count = partial(tokens.count, name=view.encoding)
        sources = tuple(shown(snapshot, once, asked.budget_tokens, count))
        n_whole = snapshot.chunks.tokens_of(sorted({r.path for r in found.definitions}))
    # Compared while the view is open, so that a reply is a value that depends on no file any more.
    is_current = view.is_current()
    changed = {s.record.path for s in sources or () if not is_current(s.record.path, s.digest)}
    return Reply(
        found, asked.offset + len(found.definitions), snapshot.files.count(), view.state,
        snapshot.generation, view.notices, sources, tuple(again), frozenset(changed), n_whole,
        view.is_behind,
    )  # fmt: skip


def names_in(view: View, written: str) -> tuple[str, ...]:
    """The names that somebody wrote: one, or several where the whole is the name of nothing.

    Words between spaces are names where one of them is; a heading is one name.

    Raises:
        UsageError: one has a path that lies elsewhere, or they are too many.
    """
    whole, parts = name_in(view, written), qualified.listed(written)
    if len(parts) < 2 or symbols.matching(view.snapshot, whole):
        return (whole,)
    if len(parts) > _MOST_NAMES:
        raise UsageError(f"these are {len(parts)} names", f"ask for at most {_MOST_NAMES} at once")
    names = tuple(name_in(view, part) for part in parts)
    is_list = "," in written or any(symbols.matching(view.snapshot, name) for name in names)
    return names if is_list else (whole,)


def name_in(view: View, written: str) -> str:
    """A name that somebody wrote, as it is looked up. Raises: UsageError: it lies elsewhere."""
    return view.symbol(written_places.plain(unquoted(written)))


def text(reply: Reply, style: Style) -> ReplyText:
    """Definitions, a line each or with their source; what an unknown name may have meant."""
    found = reply.found
    if reply.sources is None:
        rows = [*definition_lines.symbols_lines(found, reply.n_files, is_behind=reply.is_behind)]
    else:
        rows = [*listings.sources_lines(reply.sources, reply.is_current)]
        rows += map(definition_lines.repeated_line, reply.again)
    rest = more(found.n_found, reply.following, style)
    if found.close:
        rest = (definition_lines.close_line(found.close), *rest)
    head = f"{counted(found.n_found, 'definition')}, {reply.state}"
    return ReplyText(head, reply.notices, tuple(rows), rest)


class SourceRow(Struct, frozen=True):
    """A definition as it stands in its file; "" where it does not fit, or the file has changed."""

    path: str
    start_line: int
    symbol: str
    text: str


class SymbolsResult(Struct, frozen=True):
    """The JSON of definitions."""

    definitions: list[SymbolRow]
    references: list[ReferenceRow]
    found: int
    absent: tuple[Absent, ...] = ()
    close: tuple[str, ...] = ()
    generation: int = 0
    notices: tuple[str, ...] = ()
    sources: list[SourceRow] = []
    undefined: tuple[str, ...] = ()
    schema: int = VERSION


def json(reply: Reply) -> SymbolsResult:
    """The reply as JSON."""
    found = reply.found
    return SymbolsResult(
        shaped(found.definitions, list[SymbolRow]), shaped(found.references, list[ReferenceRow]),
        found.n_found, found.absent, found.close,
        reply.generation, reply.notices,
        [
            SourceRow(
                s.record.path, s.start_line, s.record.qualified_name,
                (s.text or "") if reply.is_current(s.record.path, s.digest) else "",
            )
            for s in reply.sources or ()
        ],
        found.undefined,
    )  # fmt: skip


SYMBOLS: Question[Symbols, Reply] = Question(
    Symbols, answer, text, json, lambda reply: bool(reply.found.n_found or reply.found.references),
    lambda reply: reply.n_whole,
)  # fmt: skip

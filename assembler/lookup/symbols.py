"""Definitions by name: exact, qualified (`Class.method`), by prefix (`get_*`) or place. Pure.

A name may be written as it stands in code or in an import (`query.qualified`). A place is
`path:name` or `path:line`; of the path its end will do. Of several definitions those that a name is
asked for come first: product code before tests, types and functions before members, what is defined
before what is only declared.
"""

import re
import unicodedata
from collections.abc import Sequence

from msgspec import Struct

from satchel.assembler.kinds import Absent, Scope
from satchel.assembler.lookup import absence, unknown_names
from satchel.assembler.lookup.definition_source import files_by_path
from satchel.assembler.lookup.module_names import ends_in, imported_as
from satchel.assembler.query.qualified import (
    WILD_HINT,
    last_part,
    operator_member,
    parts_of,
    place,
    without_call,
)
from satchel.assembler.quoting import clean
from satchel.store.errors import UsageError
from satchel.store.model import TYPES, RepoPath, SymbolKind
from satchel.store.reading.prototypes import is_prototype
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ReferenceRecord, SymbolRecord

_REFERENCES = 50
_PREFIXED = 10_000
"""Definitions that `prefix*` means at most."""
_FIRST = (TYPES - {SymbolKind.TYPE}) | {SymbolKind.FUNCTION, SymbolKind.MACRO}
_LAST = frozenset(
    {SymbolKind.PROPERTY, SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.SECTION,
     SymbolKind.MODULE}
)  # fmt: skip
_COLON = re.compile(r"(?<=[^:\s]):(?=[^:\s])")
_IS_WORD = re.compile(r"\w+").fullmatch
_MEMBERS = re.compile(r"(.+?)(?:::|->|[.#])([^.:#>*]*)\*")
"""`Class.*` and `Class.prefix*`."""


class Lookup(Struct, frozen=True):
    """What a name stands for; `references` are given when nothing defines it.

    `absent` says why nothing is listed of what does, `close` what an unknown name may have meant.
    """

    definitions: tuple[SymbolRecord, ...]
    references: tuple[ReferenceRecord, ...]
    n_found: int
    """How many definitions there are; more than are listed when a limit cut them."""
    absent: tuple[Absent, ...] = ()
    close: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    """Names that nothing here defines, and no file that was left out may."""


def check(name: str, kind: str) -> None:
    """Raises: UsageError, as `lookup` does, before there is an index."""
    if not name.strip("*"):
        if name:
            raise UsageError("a * alone names every symbol", WILD_HINT)
        raise UsageError("symbol name is empty", "give a name, Class.method or prefix*")
    if kind and kind not in set(SymbolKind):
        raise UsageError(f"unknown kind {kind!r}", f"known: {', '.join(SymbolKind)}")


def lookup_each(
    snapshot: Snapshot, names: Sequence[str], kind: str, scope: Scope, limit: int, offset: int = 0
) -> Lookup:
    """What each of several names stands for, in their order; `lookup` has the rest.

    Raises:
        UsageError: as `lookup`.
    """
    if len(names) == 1:
        return lookup(snapshot, names[0], kind, scope, limit, offset)
    each = [lookup(snapshot, name, kind, scope, offset + limit) for name in names]
    found = tuple(dict.fromkeys(record for one in each for record in one.definitions))
    absent = [absent_of(name, a) for name, one in zip(names, each, strict=True) for a in one.absent]
    return Lookup(
        found[offset : offset + limit], tuple(use for one in each for use in one.references),
        sum(one.n_found for one in each), tuple(absent),
        tuple(dict.fromkeys(close for one in each for close in one.close)),
        tuple(name for one in each for name in one.undefined),
    )  # fmt: skip


def absent_of(name: str, absent: Absent) -> Absent:
    """Why something of one of several names is not listed."""
    return Absent(absent.kind, f"of {clean(name)}: {absent.detail}")


def lookup(
    snapshot: Snapshot, name: str, kind: str, scope: Scope, limit: int, offset: int = 0
) -> Lookup:
    """Definitions called `name`, in the order of `matching`, `offset` of them skipped.

    Raises:
        UsageError: `name` is empty or `kind` is not a kind of symbol.
    """
    check(name, kind)
    every = matching(snapshot, name)
    absent: list[Absent] = []
    # A path to a file of tests says that these are meant.
    # Written with the file that it is in, as `tests/test_a.py:name`.
    if ":" in name.replace("::", "") and all(record.is_test for record in every):
        scope = Scope.ALL
    if not any(scope.admits(record.is_test) for record in every):
        # A name in other capitals is looked up even if the exact one exists outside the scope.
        other = _in_its_case(snapshot, name, scope)
        if other:
            every = other
            first = every[0]
            is_qualified = len(parts_of(without_call(name))) > 1
            listed_as = first.qualified_name if is_qualified else first.name
            absent.append(absence.other_case(name, listed_as))
    admitted = [record for record in every if scope.admits(record.is_test)]
    found = [record for record in admitted if not kind or record.kind == kind]
    listed = tuple(found[offset : offset + limit])
    if not every:
        return _used(snapshot, name, absent)
    if found and not listed:
        absent.append(absence.past_the_end(offset, len(found), "definition"))
    elif not found:
        absent += absence.outside_scope(len(every) - len(admitted), scope)
        absent += absence.other_kinds(record.kind for record in admitted)
    return Lookup(listed, (), len(found), tuple(absent))


def _used(snapshot: Snapshot, name: str, absent: list[Absent]) -> Lookup:
    """The uses of a name that nothing here defines: it may be one of a library."""
    references = snapshot.symbols.references_to(last_part(without_call(name)), _REFERENCES)
    # A name that is used is spelled well, but what stands before it may not be.
    if references:
        close = unknown_names.of_other_owners(snapshot, name)
    else:
        close = unknown_names.similar_names(snapshot, name)
        absent += unknown_names.why(snapshot, name)
    absent += absence.unparsed(snapshot, last_part(without_call(name)))
    return Lookup((), tuple(references), 0, tuple(absent), close, () if absent else (name,))


def _in_its_case(snapshot: Snapshot, name: str, scope: Scope) -> list[SymbolRecord]:
    """What `name` means with its parts as some definition in scope writes them."""
    last = last_part(without_call(name)).rstrip("*")
    if not last:  # as in `../..`
        return []
    before, _, behind = name.rpartition(last)
    for written in snapshot.symbols.in_any_case(last):
        exact = matching(snapshot, f"{before}{written}{behind}") if written != last else []
        found = exact or _owned_in_any_case(snapshot, name, written)
        if any(scope.admits(record.is_test) for record in found):
            return found
    return []


def _owned_in_any_case(snapshot: Snapshot, name: str, written: str) -> list[SymbolRecord]:
    """Definitions called `written` in what `name` says before it, whatever its case."""
    parts = [part.casefold() for part in parts_of(without_call(name))]
    if len(parts) < 2 or name.endswith("*") or place(name):
        return []
    named = snapshot.symbols.named(written)
    found = [r for r in named if ends_in(r.qualified_name.casefold().split("."), parts)]
    return sorted(found, key=_list_order)


def matching(snapshot: Snapshot, name: str) -> list[SymbolRecord]:
    """Every definition that `name` can mean: what is likelier to be asked for, then by path and
    line; for a prefix by name first."""
    # A name as written comes first, because parentheses belong to some names, such as `operator()`.
    found = _matching(snapshot, name) or _matching(snapshot, without_call(name))
    if not found and not name.isascii():
        # Python's names are in this form, whatever letters they were written with.
        found = _matching(snapshot, unicodedata.normalize("NFKC", name))
    by_name = name.endswith("*")
    return sorted(found, key=lambda record: (record.name if by_name else "", *_list_order(record)))


def at_place_or_name(snapshot: Snapshot, name: str) -> list[SymbolRecord]:
    """Every definition that `name` can mean, or all of the file whose path ends so.

    Raises:
        UsageError: nothing is called so.
    """
    found = matching(snapshot, name)
    if not found:
        found = [
            s for path in files_by_path(snapshot, name) for s in snapshot.symbols.of_file(path)
        ]
    if not found:
        raise unknown_names.unknown(snapshot, name)
    return found


def _list_order(record: SymbolRecord) -> tuple[bool, int, bool, str, int, int, str]:
    """A sort key by which the definition that is likeliest meant by a name comes first."""
    # An alias at top level is a type like any other; one inside a type is a member of it.
    is_alias = record.kind == SymbolKind.TYPE and "." not in record.qualified_name
    tier = 0 if is_alias or record.kind in _FIRST else 2 if record.kind in _LAST else 1
    place = record.path, record.line, record.span.start_byte
    is_announced = is_prototype(record.kind, record.signature)
    return record.is_test, tier, is_announced, *place, record.qualified_name


def _matching(snapshot: Snapshot, name: str) -> list[SymbolRecord]:
    if operator := operator_member(name):
        owner, called = operator
        known = snapshot.symbols.named(called)
        parts = parts_of(owner)
        if found := [r for r in known if ends_in(r.qualified_name.split(".")[:-1], parts)]:
            return found
    # A path may have a colon in it as well.
    if places := [(name[: m.start()], name[m.end() :]) for m in _COLON.finditer(name)]:
        found = next(filter(None, (_definitions_at(snapshot, *place) for place in places)), [])
        if found or len(places) > 1 or not _IS_WORD(places[0][0]):
            return found  # else `module:function` of Erlang
    if members := _MEMBERS.fullmatch(name):
        return _members(snapshot, members[1], members[2])
    if name.endswith("*"):
        return snapshot.symbols.with_prefix(name[:-1], _PREFIXED)
    found = snapshot.symbols.named(name)
    if found:
        return found
    parts = parts_of(name)
    known = snapshot.symbols.named(parts[-1]) if len(parts) > 1 else []
    inside = [record for record in known if ends_in(record.qualified_name.split("."), parts)]
    return inside or imported_as(snapshot, known, parts)


def _members(snapshot: Snapshot, owner: str, prefix: str) -> list[SymbolRecord]:
    """What the definitions called `owner` hold, and begins with `prefix`.

    A language may define members outside of their class, also in other files of its folder.
    """
    owners = [record for record in _matching(snapshot, owner) if "*" not in owner]
    names = {record.qualified_name for record in owners}
    folders = {record.path.rpartition("/")[0] for record in owners}
    if prefix:
        found = snapshot.symbols.with_prefix(prefix, _PREFIXED)
    else:
        # One at a time: a folder may lie in another of them.
        listed = (f.path for each in sorted(folders) for f in snapshot.files.all([RepoPath(each)]))
        paths = dict.fromkeys(listed)
        near_by = [path for path in paths if path.rpartition("/")[0] in folders]
        found = [record for path in near_by for record in snapshot.symbols.of_file(path)]
    return [
        record
        for record in found
        if record.qualified_name.rpartition(".")[0] in names
        and record.path.rpartition("/")[0] in folders
    ]


def _definitions_at(snapshot: Snapshot, path: str, wanted: str) -> list[SymbolRecord]:
    """The definitions of a file that are called `wanted`, or the innermost around that line."""
    if not wanted.isdecimal():
        found = _matching(snapshot, wanted)
        return [r for r in found if r.path == path or r.path.endswith(f"/{path}")]
    line = int(wanted)
    innermost: list[SymbolRecord] = []
    for each in files_by_path(snapshot, path):
        around = [
            record
            for record in snapshot.symbols.of_file(each)
            if record.span.start_line <= line <= record.span.end_line
        ]
        # Symbols of a file come in source order, so the last one around a line is the innermost.
        innermost += around[-1:]
    return innermost


def told_once(
    records: Sequence[SymbolRecord],
) -> tuple[list[SymbolRecord], list[SymbolRecord]]:
    """Definitions to show the source of, and those that it would repeat.

    These lie in one before them, or are the module that holds one before them.
    """
    once: list[SymbolRecord] = []
    again: list[SymbolRecord] = []
    for record in records:
        of_file = [other for other in once if other.path == record.path]
        repeats = any(
            _holds(other, record) or (record.kind == SymbolKind.MODULE and _holds(record, other))
            for other in of_file
        )
        (again if repeats else once).append(record)
    return once, again


def _holds(outer: SymbolRecord, inner: SymbolRecord) -> bool:
    around, within = outer.span, inner.span
    return around.start_byte <= within.start_byte and within.end_byte <= around.end_byte

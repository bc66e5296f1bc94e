"""Definitions by name: exact, qualified (`Class.method`), by prefix (`get_*`) or place. Pure.

A name may be written as it stands in code or in an import: `func()`, `Class::method`,
`Class/method`, `module:function/2`, `-[Class method:]`, `package.module.name`. Several stand
between commas or spaces.
A place is `path:name` or `path:line`; of the path its end will do. Of several definitions those
that a name is asked for come first: product code before tests, types and functions before members,
what is defined before what is only declared.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from pathlib import PurePosixPath

from msgspec import Struct

from satchel.assembler import quoting
from satchel.assembler.kinds import Absence, Absent, Scope
from satchel.assembler.lookup import absence
from satchel.assembler.lookup.definition_source import source_at
from satchel.assembler.lookup.module_names import ends_in, imported_as
from satchel.assembler.query.qualified import last_part, operator_member
from satchel.assembler.quoting import clean
from satchel.store.counted import counted, first_of
from satchel.store.errors import UnknownName, UsageError
from satchel.store.model import TYPES, RepoPath, SymbolKind
from satchel.store.reading.prototypes import is_prototype
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ReferenceRecord, SymbolRecord

_REFERENCES = 50
_NEAR = 5
_SHARING = 10
"""Records read for each name that is suggested, since several may have one name."""
_PREFIXED = 10_000
"""Definitions that `prefix*` means at most."""
_ALIKE = 2_000
"""Definitions that are compared with a name that was perhaps misspelt."""
_SHORT, _SLIP = 4, 0.85
"""Of a name in prose: letters it has at least for a slip, and likeness (0..1) that is one."""
_FIRST = (TYPES - {SymbolKind.TYPE}) | {SymbolKind.FUNCTION, SymbolKind.MACRO}
_LAST = frozenset(
    {SymbolKind.PROPERTY, SymbolKind.FIELD, SymbolKind.VARIABLE, SymbolKind.SECTION,
     SymbolKind.MODULE}
)  # fmt: skip
_PLACE = re.compile(r"([^:]*[^:\s]):(?!:)([^:\s].*)")
_COLON = re.compile(r"(?<=[^:\s]):(?=[^:\s])")
_CALL = re.compile(r"[`\s]*([^\s`(]+)(?:\(.*\))?[`\s;]*", re.DOTALL)
"""A name with the parentheses and arguments of a call, or in backticks."""
_ARITY = re.compile(r"(?<=[\w?!])/\d{1,3}$")
_MESSAGE = re.compile(r"(?:[-+]\[(\w+)(?:\(\w*\))?\s+)?(\w+):?(?:\w*:)*\]?")
"""A method of Objective-C: `-[Class name:with:]`, or its selector alone, `name:with:`."""
_SEPARATORS = re.compile(r"::|->|[.#/:]")
_BETWEEN = re.compile(r"[,;\s]+(?![^(<\[]*[)>\]])")
"""What stands between several names, and not between arguments."""
_IS_WORD = re.compile(r"\w+").fullmatch
_LINES = re.compile(r"(.+):(\d{1,9}-\d{1,9})")
_MEMBERS = re.compile(r"(.+?)(?:::|->|[.#])([^.:#>*]*)\*")
"""`Class.*` and `Class.prefix*`."""
_WILD_HINT = (
    "a * stands at the end: prefix*, Class.* or Class.prefix*; `search` in mode regex finds parts"
)


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
            raise UsageError("a * alone names every symbol", _WILD_HINT)
        raise UsageError("symbol name is empty", "give a name, Class.method or prefix*")
    if kind and kind not in set(SymbolKind):
        raise UsageError(f"unknown kind {kind!r}", f"known: {', '.join(SymbolKind)}")


def parts_of(written: str) -> tuple[str, ...]:
    """The names between commas or spaces."""
    return tuple(filter(None, _BETWEEN.split(written.strip())))


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
            is_qualified = len(_SEPARATORS.split(without_call(name))) > 1
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
    close = _of_other_owners(snapshot, name) if references else similar_names(snapshot, name)
    if not references:
        check_wildcards(name)
        absent += left_out(snapshot, name) or _of_file(snapshot, name) or _of_line(snapshot, name)
    absent += absence.unparsed(snapshot, last_part(without_call(name)))
    return Lookup((), tuple(references), 0, tuple(absent), close, () if absent else (name,))


def _of_file(snapshot: Snapshot, name: str) -> list[Absent]:
    """That a name is the path of a file, perhaps with lines, and how to ask for these."""
    place = _LINES.fullmatch(name)
    path, asked = (place[1], place[2]) if place else (name, "1-80")
    files = files_by_path(snapshot, path) if set(path) & set("./") else []
    return [
        Absent(Absence.NONE_FOUND, f"that is a file: context {quoting.path(file)}:{asked} shows it")
        for file in files[:_NEAR]
    ]


def _of_line(snapshot: Snapshot, name: str) -> list[Absent]:
    """Why nothing is defined at a line that a name is the place of."""
    place = _PLACE.fullmatch(name)
    if not place or not place[2].isdecimal():
        return []
    if absent := not_there(snapshot, place[1], int(place[2])):
        return absent
    files = files_by_path(snapshot, place[1])
    lines = (_nothing_there(snapshot, file, place[2]) for file in files[:_NEAR])
    return [Absent(Absence.NONE_FOUND, line) for line in lines]


def not_there(snapshot: Snapshot, path: str, line: int) -> list[Absent]:
    """Why no indexed file of a path has a line, or why none has the path; none where one has."""
    files = files_by_path(snapshot, path)
    if not files:
        return left_out(snapshot, path) or [Absent(Absence.NOT_INDEXED, _no_file(snapshot, path))]
    counts = [(file, _n_lines(snapshot, file)) for file in files]
    if any(line <= n_lines for _, n_lines in counts):
        return []
    return [
        Absent(Absence.NONE_FOUND, f"{quoting.path(file)} has {counted(n_lines, 'line')}")
        for file, n_lines in counts[:_NEAR]
    ]


def _n_lines(snapshot: Snapshot, file: RepoPath) -> int:
    source = source_at(snapshot, file) or b""
    return source.count(b"\n") + (not source.endswith(b"\n"))


def _no_file(snapshot: Snapshot, path: str) -> str:
    close = near_paths(snapshot, path)
    meant = f"; close to it: {', '.join(close)}" if close else ""
    return f"no indexed file's path ends with {clean(path)}{meant}"


def _nothing_there(snapshot: Snapshot, file: RepoPath, where: str) -> str:
    """Why a file defines nothing at a line, or by a name."""
    n_lines = _n_lines(snapshot, file)
    if where.isdecimal() and not 1 <= int(where) <= n_lines:
        return f"{quoting.path(file)} has {counted(n_lines, 'line')}"
    return f"{quoting.path(file)} is indexed, but nothing is defined there"


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
    parts = [part.casefold() for part in _SEPARATORS.split(without_call(name))]
    if len(parts) < 2 or name.endswith("*") or _PLACE.fullmatch(name):
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
        raise unknown(snapshot, name)
    return found


def without_call(name: str) -> str:
    """A name without what surrounds it in code: `send(x)`, `send/2` and `send:to:` are `send`."""
    message = _MESSAGE.fullmatch(name) if name.endswith((":", "]")) else None
    if message:
        return ".".join(filter(None, message.groups()))
    written = _CALL.fullmatch(name)
    return _ARITY.sub("", written[1] if written else name)


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
        parts = [*_SEPARATORS.split(owner)]
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
    parts = _SEPARATORS.split(name)
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


def files_by_path(snapshot: Snapshot, path: str) -> list[RepoPath]:
    """The file with this path, else those whose paths end so."""
    if snapshot.files.identity(RepoPath(path)):
        return [RepoPath(path)]
    return [file.path for file in snapshot.files.all() if file.path.endswith(f"/{path}")]


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


def check_wildcards(name: str) -> None:
    """Raises: UsageError, for a name that nothing has and that holds a * where none may stand."""
    place = _PLACE.fullmatch(name)
    name = place[2] if place else name
    if "*" in name.removesuffix("*"):
        raise UsageError(f"{name!r} has a * where none may stand", _WILD_HINT)


def left_out(snapshot: Snapshot, name: str) -> list[Absent]:
    """Why a file of the tree that the name means, alone or in front of a symbol, is not indexed."""
    place = _PLACE.fullmatch(name)
    return absence.not_indexed(snapshot, [place[1] if place else name], "")


def unknown(snapshot: Snapshot, name: str) -> UnknownName:
    """The error for a name that nothing has; its hint says what else to ask for."""
    check_wildcards(name)
    if absent := left_out(snapshot, name):
        hint = "`satchel status --skipped` lists what is not indexed, and why"
        return UnknownName(str(absent[0]), hint)
    name = without_call(name)
    place = _PLACE.fullmatch(name)
    path = place[1] if place else name if "/" in name else ""
    files = files_by_path(snapshot, path) if path else []
    if len(files) > 1:
        hint = f"{path} may be each of {first_of(files, _NEAR)}"
    elif path and not files:
        hint = _no_file(snapshot, path)
    elif not place and (file := _of_file(snapshot, name)):
        hint = f"{file[0].detail}; `path:name` or `path:line` is a symbol in it"
    elif close := similar_names(snapshot, place[2] if place else name):
        hint = f"close to it: {', '.join(close)}"
    elif place:
        hint = _nothing_there(snapshot, files[0], place[2])
    else:
        hint = "`search` finds code by words, or in mode exact every line that holds a text"
    return UnknownName(f"nothing here is called {name!r}", hint)


def similar_names(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """A few names in the tree that an unknown one may have meant.

    First come those of its last part in owners that are spelled nearly so, then names that begin
    with it, then names that are spelled nearly so, the nearest first, then names that begin as its
    first half does.
    """
    last = last_part(without_call(name).rstrip("*.:#")).rstrip("*")
    if len(last) <= 2:
        return ()
    found = _of_other_owners(snapshot, name) or _beginning(snapshot, last)
    found = found or _spelled_like(snapshot, last)
    return found or _beginning(snapshot, last[: max(3, len(last) // 2)])


def misspelt(snapshot: Snapshot, written: Iterable[str]) -> list[Absent]:
    """Names that a question writes as code and nothing here has or uses, where a definition is
    spelled nearly so; of the first few such names, in the order of the question."""
    known = snapshot.symbols
    names = (name for name in map(last_part, written) if len(name) >= _SHORT)
    nowhere = (n for n in names if not known.named(n) and not known.references_to(n, 1))
    found: list[Absent] = []
    # Each takes half as long as a pack, and a report may name dozens from elsewhere.
    for name in islice(nowhere, _NEAR):
        if close := _spelled_like(snapshot, name, _SLIP):
            message = f"nothing here is called {clean(name)}; close to it: {', '.join(close)}"
            found.append(Absent(Absence.NONE_FOUND, clean(message)))
    return found


def _spelled_like(snapshot: Snapshot, name: str, cutoff: float = 0.7) -> tuple[str, ...]:
    """Names of definitions that are spelled nearly as `name` is, the nearest first."""
    # A slip is rarely in the first letter, except in its case; of many names, those that have the
    # second one too are not crowded out.
    begun = (name[:2], name[:1])
    starts = {form for each in begun for form in (each, each.lower(), each.capitalize())}
    names = {r.name for each in starts for r in snapshot.symbols.with_prefix(each, _ALIKE)}
    return _spelled_nearly(name, names, cutoff)


def near_paths(snapshot: Snapshot, written: str) -> tuple[str, ...]:
    """Indexed files that an unknown path may have meant, the nearest first."""
    name = PurePosixPath(written).name
    paths = [file.path for file in snapshot.files.all()]
    alike = set(_spelled_nearly(name, {PurePosixPath(path).name for path in paths}))
    return _spelled_nearly(written, {p for p in paths if PurePosixPath(p).name in alike}, 0.0)


def _of_other_owners(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """Qualified names that end as `name` does, in something that is spelled nearly so."""
    parts = _SEPARATORS.split(without_call(name))
    if len(parts) < 2:
        return ()
    named = snapshot.symbols.named(parts[-1])
    return _spelled_nearly(".".join(parts), {record.qualified_name for record in named})


def _beginning(snapshot: Snapshot, start: str) -> tuple[str, ...]:
    found = snapshot.symbols.with_prefix(start, _SHARING * _NEAR)
    return tuple(dict.fromkeys(record.qualified_name for record in found))[:_NEAR]


def _spelled_nearly(word: str, known: AbstractSet[str], cutoff: float = 0.7) -> tuple[str, ...]:
    # It loads slowly, and most names are spelled right.
    from difflib import get_close_matches

    return tuple(get_close_matches(word, sorted(known), n=_NEAR, cutoff=cutoff))

"""What is said of a name or path that nothing here has: why, and what it may have meant. Pure."""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from pathlib import PurePosixPath

from satchel.assembler import quoting
from satchel.assembler.kinds import Absence, Absent
from satchel.assembler.lookup import absence
from satchel.assembler.lookup.definition_source import files_by_path, source_at
from satchel.assembler.query import qualified
from satchel.assembler.query.qualified import (
    check_wildcards,
    last_part,
    parts_of,
    without_call,
)
from satchel.assembler.quoting import clean
from satchel.store.counted import counted, first_of
from satchel.store.errors import UnknownName
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

_NEAR = 5
_SHARING = 10
"""Records read for each name that is suggested, since several may have one name."""
_ALIKE = 2_000
"""Definitions that are compared with a name that was perhaps misspelt."""
_SHORT, _SLIP = 4, 0.85
"""Of a name in prose: letters it has at least for a slip, and likeness (0..1) that is one."""
_LINES = re.compile(r"(.+):(\d{1,9}-\d{1,9})")


def unknown(snapshot: Snapshot, name: str) -> UnknownName:
    """The error for a name that nothing has; its hint says what else to ask for."""
    check_wildcards(name)
    if absent := _left_out(snapshot, name):
        hint = "`satchel status --skipped` lists what is not indexed, and why"
        return UnknownName(str(absent[0]), hint)
    name = without_call(name)
    place = qualified.place(name)
    path = place[0] if place else name if "/" in name else ""
    files = files_by_path(snapshot, path) if path else []
    if len(files) > 1:
        hint = f"{path} may be each of {first_of(files, _NEAR)}"
    elif path and not files:
        hint = _no_file(snapshot, path)
    elif not place and (file := _of_file(snapshot, name)):
        hint = f"{file[0].detail}; `path:name` or `path:line` is a symbol in it"
    elif close := similar_names(snapshot, place[1] if place else name):
        hint = f"close to it: {', '.join(close)}"
    elif place:
        hint = _nothing_there(snapshot, files[0], place[1])
    else:
        hint = "`search` finds code by words, or in mode exact every line that holds a text"
    return UnknownName(f"nothing here is called {name!r}", hint)


def why(snapshot: Snapshot, name: str) -> list[Absent]:
    """Why nothing is called so: a file that is left out, a file itself, or a line of one.

    Raises:
        UsageError: a * stands where none may.
    """
    check_wildcards(name)
    return _left_out(snapshot, name) or _of_file(snapshot, name) or _of_line(snapshot, name)


def _left_out(snapshot: Snapshot, name: str) -> list[Absent]:
    """Why a file of the tree that the name means, alone or in front of a symbol, is not indexed."""
    place = qualified.place(name)
    return absence.not_indexed(snapshot, [place[0] if place else name], "")


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
    path, line = qualified.place(name) or ("", "")
    if not line.isdecimal():
        return []
    absent = not_there(snapshot, path, int(line))
    return absent or _at_line(snapshot, files_by_path(snapshot, path), line)


def not_there(snapshot: Snapshot, path: str, line: int) -> list[Absent]:
    """Why no indexed file of a path has a line, or why none has the path; none where one has."""
    files = files_by_path(snapshot, path)
    if not files:
        return _left_out(snapshot, path) or [Absent(Absence.NOT_INDEXED, _no_file(snapshot, path))]
    if any(line <= _n_lines(snapshot, file) for file in files):
        return []
    return _at_line(snapshot, files, str(line))


def _at_line(snapshot: Snapshot, files: Sequence[RepoPath], line: str) -> list[Absent]:
    """Why each of some files defines nothing at a line."""
    return [
        Absent(Absence.NONE_FOUND, _nothing_there(snapshot, file, line)) for file in files[:_NEAR]
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


def similar_names(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """A few names in the tree that an unknown one may have meant.

    First come those of its last part in owners that are spelled nearly so, then names that begin
    with it, then names that are spelled nearly so, the nearest first, then names that begin as its
    first half does.
    """
    last = last_part(without_call(name).rstrip("*.:#")).rstrip("*")
    if len(last) <= 2:
        return ()
    found = of_other_owners(snapshot, name) or _beginning(snapshot, last)
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


def of_other_owners(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """Qualified names that end as `name` does, in something that is spelled nearly so."""
    parts = parts_of(without_call(name))
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

"""Why a reply is empty or incomplete, as one of five kinds. Pure.

None found · not indexed (why) · ambiguous (candidates) · stale · filtered out. A reader that knows
which it is can do something about it: other words, another scope, a longer name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from satchel.assembler import quoting
from satchel.assembler.kinds import Absence, Absent, Scope
from satchel.assembler.lookup.definition_source import source_at
from satchel.assembler.query.qualified import last_part, qualifier
from satchel.store import path_filter, terms
from satchel.store.counted import counted, first_of
from satchel.store.model import CLASS_LIKE, ProblemKind, RepoPath
from satchel.store.reading.languages import is_unread
from satchel.store.records import SkippedRecord, SymbolRecord

if TYPE_CHECKING:
    from satchel.assembler.query.read_query import Query
    from satchel.store.reading.snapshot import Snapshot

_LISTED = 5
_LIBRARIES = 8
_SHORTEST_WORD = 2
"""Letters of a word that tells nothing where it is missing."""
_ASKING = frozenset("add explain fix happen happened happens occur occurs".split())
"""Words of the asking itself, which no code needs to have."""
_TELLING = 1 / 4
"""Share of a question's words that no file needs to have before it is told. Of a longer question
one such word is mostly how somebody puts it ("crashes"), not what it is about."""
_UNPARSED, _MOST_UNPARSED = 2, 200
"""Files with errors that are named for an unknown name, and in which it is looked for."""


def why_nothing(
    snapshot: Snapshot, written: Iterable[str], n_outside: int, scope: Scope, path: str
) -> list[Absent]:
    """Why a reply is empty, where `n_outside` places would have matched without scope and path.

    Where no indexed file lies below the path, another scope finds nothing there either: then that
    is all there is to say of it.
    """
    left_out = not_indexed(snapshot, written, path)
    if path and not any(path_filter.admits(path, known.path) for known in snapshot.files.all()):
        if path_filter.is_prefix(path):
            return left_out
        where = quoting.clean(path_filter.words(path))
        return [Absent(Absence.NOT_INDEXED, f"no indexed file's path matches {where}"), *left_out]
    return [nothing(snapshot.files.count(), n_outside, scope, path), *left_out]


def nothing(n_files: int, n_outside: int, scope: Scope, path: str) -> Absent:
    """An empty reply, where `n_outside` chunks would have matched without scope and path."""
    if not n_files:
        return Absent(Absence.NONE_FOUND, "no file is indexed here")
    if not n_outside:
        return Absent(
            Absence.NONE_FOUND, f"nothing matches in the {counted(n_files, 'file')} searched"
        )
    filters = [f"scope {scope}"] if scope != Scope.ALL or not path else []
    remedies = ["try scope all"] if filters else []
    if path:
        filters.append(f"path {quoting.clean(path_filter.words(path))}")
        remedies.append("leave out the path")
    matches = counted(n_outside, "match", "matches")
    message = f"{matches} outside {' and '.join(filters)}; {' or '.join(remedies)}"
    return Absent(Absence.FILTERED_OUT, message)


def outside_scope(n_outside: int, scope: Scope) -> list[Absent]:
    """What a scope keeps out of a reply."""
    if not n_outside:
        return []
    where = "outside tests" if scope == Scope.TEST else "in tests"
    return [Absent(Absence.FILTERED_OUT, f"{n_outside} {where}; scope all lists them")]


def other_kinds(kinds: Iterable[str]) -> list[Absent]:
    """What a kind that was asked for keeps out of a reply, by the kinds there are."""
    tally = sorted(Counter(kinds).items())
    if not tally:
        return []
    message = ", ".join(f"{n} {kind}" for kind, n in tally)
    return [Absent(Absence.FILTERED_OUT, f"of other kinds: {message}")]


def other_case(name: str, found: str) -> Absent:
    """A name that nothing has exactly, and something has in another case."""
    message = (
        f"nothing is called {quoting.clean(name)} with these capitals;"
        f" listed is {quoting.clean(found)}"
    )
    return Absent(Absence.NONE_FOUND, message)


def outside_path(n_files: int, path: str) -> list[Absent]:
    """Files that a path keeps out of a reply."""
    if not n_files:
        return []
    where = quoting.clean(path_filter.words(path))
    message = f"{counted(n_files, 'changed file')} outside {where}"
    return [Absent(Absence.FILTERED_OUT, message)]


def stale_graph(snapshot: Snapshot) -> tuple[str, ...]:
    """What to know of edges that are behind the text."""
    if snapshot.linked or not snapshot.complete:
        return ()
    return ("the call graph is older than the text: neighbours may be missing",)


def weak_match(best: float) -> str:
    """A notice that the best match of a question scores this, and that it is not much."""
    return (
        f"weak matches (best {best:.2f}), perhaps not what was meant; ask with a name, message or"
        " path from the code"
    )


def unknown_words(words: Iterable[str], idf: Mapping[str, float]) -> list[Absent]:
    """Words of a question that no indexed file has, in a form of the same stem or in part.

    Nothing is told where they are a small part of the question. `idf` has the terms of the
    question; that of a term which stands nowhere is 0.
    """
    asked = [w for w in words if len(w) > _SHORTEST_WORD and w.lower() not in _ASKING]
    missing = [w for w in asked if all(idf.get(term) == 0.0 for term in terms.split(w))]
    if not missing or len(missing) < _TELLING * len(asked):
        return []
    what = "the word" if len(missing) == 1 else "any of the words"
    message = f"no indexed file has {what} {_name_list(missing, _LISTED)}"
    return [Absent(Absence.NONE_FOUND, message)]


def too_low(n_found: int, best: float, min_score: float) -> Absent:
    """Results that score less than was asked for."""
    message = f"{n_found} score less than {min_score:g}, the best {best:.2f}"
    return Absent(Absence.FILTERED_OUT, message)


def past_the_end(offset: int, n_found: int, what: str) -> Absent:
    """A page behind the last one."""
    return Absent(
        Absence.FILTERED_OUT, f"offset {offset} is past the last of {counted(n_found, what)}"
    )


def not_indexed(snapshot: Snapshot, written: Iterable[str], path: str) -> list[Absent]:
    """Paths that a question names (and the prefix it is limited to) but the index does not hold.

    Those of libraries, which a trace names, are no part of the tree.
    """
    found: list[Absent] = []
    inside = [name for name in written if not name.startswith(("/", "<"))]
    # A glob that matches nothing is told of as a filter; only a prefix can be looked for.
    prefix = path if path_filter.is_prefix(path) else ""
    wanted = [name for name in dict.fromkeys((*inside, prefix)) if name]
    if not wanted:
        return found
    skipped = snapshot.files.skipped()
    indexed: list[RepoPath] | None = None
    for name in wanted:
        tail = name.replace("\\", "/").removeprefix("./").rstrip("/")
        entry = next((e for e in skipped if _is_left_out(tail, e)), None)
        if entry is None and name != path:
            continue
        # Listing all files is dear in a large tree, so it is done at the first name that needs it.
        if indexed is None:
            indexed = [known.path for known in snapshot.files.all()]
        if any(_names_path(tail, p) for p in indexed):
            continue
        if entry is not None:
            detail = f", {quoting.clean(entry.detail)}" if entry.detail else ""
            message = f"{quoting.clean(name)} ({entry.reason}{detail})"
        else:
            message = f"no indexed file's path starts with {quoting.clean(name)}"
        found.append(Absent(Absence.NOT_INDEXED, message))
    return found[:_LISTED]


def unparsed(snapshot: Snapshot, name: str) -> list[Absent]:
    """Files that hold a name and that no parser read, or not as a whole: a definition there may be
    missing."""
    paths = [path for path, kind, *_ in snapshot.files.problems() if kind != ProblemKind.ENCODING]
    holds = re.compile(rb"\b" + re.escape(name.encode("utf-8", "replace")) + rb"\b")
    found: list[Absent] = []
    for path in dict.fromkeys(paths[:_MOST_UNPARSED]) if name else ():
        source = source_at(snapshot, path) or b""
        if match := holds.search(source):
            line = source.count(b"\n", 0, match.start()) + 1
            message = f"{quoting.clean(path)} did not parse as a whole and has the name in"
            found.append(Absent(Absence.NOT_INDEXED, f"{message} line {line}"))
    return [*found[:_UNPARSED], *_in_unread_languages(snapshot, name, holds)]


def _in_unread_languages(
    snapshot: Snapshot, name: str, holds: re.Pattern[bytes]
) -> Iterator[Absent]:
    """A file for each language without a grammar in which a name stands."""
    counts = dict(snapshot.files.counts().languages)
    left = {language for language in counts if is_unread(language)}
    wanted = ((name.encode("utf-8", "surrogateescape"),),)
    # Files come by path, and the first of each language says enough.
    for file in snapshot.texts.holding(wanted) if left and name else ():
        if file.language in left and (match := holds.search(snapshot.texts.source(file))):
            left.remove(file.language)
            line = snapshot.texts.source(file).count(b"\n", 0, match.start()) + 1
            n_files = counts[file.language]
            are = f"{file.language} {'file is' if n_files == 1 else 'files are'} not parsed"
            message = f"{n_files:,} {are}; {quoting.clean(file.path)} has the name in line {line}"
            yield Absent(Absence.NOT_INDEXED, message)
        if not left:
            return


def frames_outside(written: Sequence[str]) -> list[Absent]:
    """Frames of a trace in a standard library or in packages that are not developed here."""
    names = list(dict.fromkeys(filter(None, map(_library, written))))
    if not names:
        return []
    message = f"frames outside this code base: {_name_list(names, _LIBRARIES)}"
    return [Absent(Absence.NOT_INDEXED, message)]


def of_diff(deleted: Sequence[str], unindexed: Sequence[str]) -> list[Absent]:
    """Files of a diff of which nothing can be shown: those that it removes, and those that are not
    indexed."""
    said = (("removed by the diff", deleted), ("changed, not indexed", unindexed))
    return [
        Absent(Absence.NOT_INDEXED, f"{what}: {_name_list(paths, _LISTED)}")
        for what, paths in said
        if paths
    ]


def _name_list(names: Sequence[str], most: int) -> str:
    return first_of([*map(quoting.clean, names)], most)


def _library(written: str) -> str:
    """What a file outside is called: by its package, or else by its last two parts."""
    from satchel.assembler.lookup import installed_packages
    from satchel.assembler.lookup.written_paths import normal

    path = normal(written)
    place = installed_packages.read(path)
    return str(place) if place else "/".join(path.split("/")[-2:])


def unknown_members(snapshot: Snapshot, identifiers: Iterable[str]) -> list[Absent]:
    """Members that a question names of classes that are defined here, and that nothing here is
    called."""
    found: list[Absent] = []
    for name in identifiers:
        owner, member = qualifier(name), last_part(name)
        owners = snapshot.symbols.named(owner) if owner else []
        if not any(s.kind in CLASS_LIKE for s in owners) or snapshot.symbols.named(member):
            continue
        if not snapshot.symbols.references_to(member, 1):
            message = (
                f"nothing here is called {quoting.clean(member)}, in {quoting.clean(owner)} or"
            )
            found.append(Absent(Absence.NONE_FOUND, f"{message} elsewhere"))
    return found[:_LISTED]


def ambiguous(query: Query, definitions: Sequence[SymbolRecord]) -> list[Absent]:
    """A question that is one name, which several definitions have."""
    # Overloads have one path and one name, and which of them is meant is not a question a longer
    # name answers.
    places = {(s.path, s.qualified_name): s for s in definitions}
    if not query.symbol or len(places) < 2:
        return []
    meant = [
        f"{s.qualified_name} ({s.path}:{s.line})"
        for s in sorted(places.values(), key=lambda s: (s.path, s.line))
    ]
    name = quoting.clean(query.symbol)
    message = f"{len(meant)} definitions of {name}: {_name_list(meant, _LISTED)}"
    return [Absent(Absence.AMBIGUOUS, message)]


def stale(paths: Iterable[RepoPath]) -> list[Absent]:
    """Files that changed since they were indexed, which are left out for that."""
    changed = sorted(paths)
    if not changed:
        return []
    message = f"changed while this was made and left out: {_name_list(changed, _LISTED)}"
    return [Absent(Absence.STALE, message)]


def _names_path(written: str, path: str) -> bool:
    """Whether a path as written means an indexed one: equal, its tail, or a folder above it."""
    inside = f"/{path}".find(f"/{written}/") >= 0
    return inside or path.startswith(written) or f"/{path}".endswith(f"/{written}")


def _is_left_out(written: str, entry: SkippedRecord) -> bool:
    """Whether a path as written means one that was skipped; a bare name, a file of that name."""
    if "/" not in written:
        return f"/{entry.path}".endswith(f"/{written}")
    is_below = written.startswith(f"{entry.path.rstrip('/')}/")
    return is_below or _names_path(written, entry.path)

"""Where the options are declared that shown code reads: a table, a class or a parser far from it.

Adding an option changes two places: the code that behaves differently, which the words of the
question find, and a list of options, which says nothing of behaviour. Existing options lead from
one to the other: `options.max_redirects` in the code is a field of that name in the list, a key, or
`"--max-redirects"`. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct

from satchel.assembler.ranking.expand import Admits
from satchel.assembler.ranking.members import KINDS, shown_functions
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.values import MAX_MEANT, Origin, Scored
from satchel.assembler.weights import EdgeWeights
from satchel.store.model import RepoPath, SymbolKind
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord, SymbolRecord

_NAMES = 150
"""Names that are followed, those of the best places first."""
_POOL = 200
"""Best chunks in whose text declarations are looked for."""
_COMMON = 4
"""Fields of one name in more places than these do not tell which of them is meant."""
_LINES = 16
"""Lines in which options of one list stand: a few show how another is added."""
_ABOVE, _BELOW = 2, 3
"""Lines around these: a declaration may begin before its name and end after it."""
_LISTS = 3
"""Lists that are shown."""
_LEAST = 1.0
"""A list counts at least as much as one name."""
_LONGEST = 40
"""Lines of a declaration that is shown."""
_PLACES = frozenset(
    "arg args argument arguments builder cli conf config configs configuration default defaults"
    " flag flags opt option options opts param parameter parameters params preferences setting"
    " settings".split()
)
"""Words in the name of a file, a folder or a type that holds options."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""A part of a name, in `max_redirects` as in `maxRedirects`."""
_MEMBER = re.compile(r"(?:\.|->|::|@)([A-Za-z_]\w{2,})\b(?!\s*\()")
_KEY = re.compile(r"""["'](?:--)?([A-Za-z_][\w-]{2,})["']|(?<!:):([a-z_]\w{2,})\b""")
_QUOTED = re.compile(r"""["'](?:--?)?([A-Za-z_][\w-]{2,})(?:[ =][^"']*)?["']""")
_DECLARED = re.compile(r"""\s*["':]?([A-Za-z_][\w-]{2,})["']?\??\s*(?:=>|=(?!=)|:(?!:))""")


class Listed(Struct, frozen=True):
    """Lines of a file in which options are declared that the function `of` reads; without one, an
    option that the question names."""

    chunk: ChunkRecord
    first: int
    last: int
    of: str
    score: float
    """0 or more."""


class _Name(Struct, frozen=True):
    """A name that the function `of` reads, `spelled` as there, with the worth of the function."""

    spelled: str
    weight: float
    of: str
    is_key: bool
    """Whether it is read by a string, as others may read it too."""


class _Hit(Struct, frozen=True, order=True):
    """A line that declares `name`."""

    path: RepoPath
    line: int
    name: str


Names = dict[str, _Name]
"""By name in small letters, without what joins its parts."""
Ranges = dict[RepoPath, list[tuple[int, int]]]


class _Known(Struct, frozen=True):
    """What is looked for: names, what each is worth, and the scores of matches by chunk id."""

    names: Names
    worth: Mapping[str, float]
    shares: Mapping[int, float]


def siblings(
    snapshot: Snapshot, options: Sequence[str], ranked: Sequence[Scored], admits: Admits
) -> Iterator[Listed]:
    """Where options that a question names are declared: by what is added it is seen how."""
    for option in options:
        head, *others = option.split("-")
        spelled = {"_".join((head, *others)), head + "".join(map(str.capitalize, others))}
        fields = [s for each in sorted(spelled) for s in snapshot.symbols.named(each)]
        fields = [s for s in fields if s.kind in KINDS and not s.is_test]
        called = [
            s for s in fields if _is_called_so(s.path, snapshot.symbols.of_file(s.path), s.line)
        ]
        places = {(s.path, s.line): (s.span.start_line, s.span.end_line) for s in called or fields}
        if not places:
            name = _Name(option, _LEAST, "", is_key=False)
            hits = _texts(snapshot, ranked, {_spelling_key(option): name})
            places = {(h.path, h.line): (h.line - _ABOVE, h.line + _BELOW) for h in sorted(hits)}
        for (path, line), (first, last) in places.items():
            if len(places) > MAX_MEANT or last - first > _LONGEST:
                continue
            for chunk in snapshot.chunks.of_file(path):
                if chunk.span.start_line <= line <= chunk.span.end_line and admits(chunk):
                    yield Listed(chunk, max(1, first), last, "", _LEAST)
                    break


def declared(
    snapshot: Snapshot,
    seeds: Sequence[Origin],
    ranked: Sequence[Scored],
    admits: Admits,
    weights: EdgeWeights,
) -> list[Listed]:
    """The lists of options that the shown functions of the best `seeds` read, best first.

    At most one is given for each file. `ranked` are the matches, best first.
    """
    names, shown = _options_read(snapshot, seeds)
    found = {*_fields(snapshot, names), *_texts(snapshot, ranked, names)}
    hits = sorted(hit for hit in found if not _is_inside(shown, hit))
    # An option that is declared everywhere is a word, not an option.
    spread = Counter(name for _, name in sorted({(hit.path, hit.name) for hit in hits}))
    worth = {name: _worth(names[name], weights) / n for name, n in spread.items()}
    every = _lists(snapshot, hits, names, worth, ranked, weights)
    lists = [one for one in every if admits(one.chunk)]
    lists.sort(key=lambda one: (-one.score, one.chunk.path, one.first))
    least = max(_LEAST, weights.option_least * lists[0].score) if lists else 0.0
    return [one for one in lists[:_LISTS] if one.score >= least]


def _options_read(snapshot: Snapshot, seeds: Sequence[Origin]) -> tuple[Names, Ranges]:
    """What shown functions read as members and as keys, and the lines of these functions."""
    names: Names = {}
    shown: Ranges = {}
    for seed, functions, _, source in shown_functions(snapshot, seeds):
        for function in functions:
            span = function.span
            shown.setdefault(seed.chunk.path, []).append((span.start_line, span.end_line))
            text = source[span.start_byte : span.end_byte].decode("utf-8", "replace")
            weight = seed.score * seed.shown[function.id]
            for pattern, is_key in ((_MEMBER, False), (_KEY, True)):
                for match in pattern.finditer(text):
                    spelled = next(filter(None, match.groups()))
                    name = _Name(spelled, weight, function.qualified_name, is_key)
                    if len(names) < _NAMES:
                        names.setdefault(_spelling_key(spelled), name)
    return names, shown


def _spelling_key(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _worth(name: _Name, weights: EdgeWeights) -> float:
    return name.weight * (1.0 if len(_PART.findall(name.spelled)) > 1 else weights.option_word)


def _fields(snapshot: Snapshot, names: Names) -> Iterator[_Hit]:
    """Fields and constants that have one of the names."""
    for plain, name in names.items():
        listed = [s for s in snapshot.symbols.named(name.spelled) if s.kind in KINDS]
        if len(listed) <= _COMMON:
            yield from (_Hit(s.path, s.line, plain) for s in listed if not s.is_test)


def _texts(snapshot: Snapshot, ranked: Sequence[Scored], names: Names) -> Iterator[_Hit]:
    """Lines of matches that declare one of the names as a string or a key."""
    by_path: dict[RepoPath, list[ChunkRecord]] = {}
    for item in ranked[:_POOL]:
        if not item.chunk.is_test:
            by_path.setdefault(item.chunk.path, []).append(item.chunk)
    first_of = [chunks[0] for chunks in by_path.values()]
    snapshot.files.read_ahead((chunk.digest, chunk.language) for chunk in first_of)
    for path, chunks in by_path.items():
        source = snapshot.files.source(chunks[0].digest, chunks[0].language)
        for span in (chunk.span for chunk in chunks):
            text = source[span.start_byte : span.end_byte].decode("utf-8", "replace")
            for line, content in enumerate(text.split("\n"), span.start_line):
                yield from (_Hit(path, line, plain) for plain in _declared_in(content, names))


def _declared_in(line: str, names: Names) -> Iterator[str]:
    """The names that a line declares."""
    begins = _DECLARED.match(line)
    if begins and _spelling_key(begins.group(1)) in names:
        yield _spelling_key(begins.group(1))
    for match in _QUOTED.finditer(line):
        key = _spelling_key(match.group(1))
        # What is read by a string is read by it elsewhere too, so the string alone tells nothing.
        if key in names and not names[key].is_key:
            yield key


def _is_inside(shown: Ranges, hit: _Hit) -> bool:
    return any(first <= hit.line <= last for first, last in shown.get(hit.path, ()))


def _lists(
    snapshot: Snapshot,
    hits: Iterable[_Hit],
    names: Names,
    worth: Mapping[str, float],
    ranked: Sequence[Scored],
    weights: EdgeWeights,
) -> Iterator[Listed]:
    """The lines of each file in which the options stand that are worth most together."""
    by_path: dict[RepoPath, list[_Hit]] = {}
    for hit in hits:
        by_path.setdefault(hit.path, []).append(hit)
    shares = {item.chunk.id: item.score / ranked[0].score for item in ranked[:_POOL]}
    known = _Known(names, worth, shares)
    for path, listed in by_path.items():
        chunks = snapshot.chunks.of_file(path)
        if chunks and role_of(path, chunks[0].language, is_test=False).topic is None:
            symbols = snapshot.symbols.of_file(path)
            found = _of_file(listed, chunks, symbols, known, weights)
            # The first of those that are worth as much stands highest in the file.
            yield from sorted(found, key=lambda one: (-one.score, one.first))[:1]


def _of_file(
    hits: Sequence[_Hit],
    chunks: Sequence[ChunkRecord],
    symbols: Sequence[SymbolRecord],
    known: _Known,
    weights: EdgeWeights,
) -> Iterator[Listed]:
    """For each hit of a file, what stands in the lines from there on."""
    for hit in hits:
        together = [h for h in hits if hit.line <= h.line < hit.line + _LINES]
        named = sorted({h.name for h in together})
        score = sum(known.worth[name] for name in named)
        of = known.names[max(named, key=lambda name: known.worth[name])].of
        first, last = max(1, hit.line - _ABOVE), together[-1].line + _BELOW
        for chunk in chunks:
            if chunk.span.start_line <= hit.line <= chunk.span.end_line:
                if _is_called_so(hit.path, symbols, hit.line):
                    score = weights.option_place * score
                    score += weights.option_match * known.shares.get(chunk.id, 0.0)
                yield Listed(chunk, first, last, of, score)
                break


def _is_called_so(path: RepoPath, symbols: Sequence[SymbolRecord], line: int) -> bool:
    """Whether the file, its folder or what is around the line is called after options."""
    around = (
        symbol.name
        for symbol in symbols
        if symbol.span.start_line <= line <= symbol.span.end_line
        and symbol.kind != SymbolKind.MODULE
    )
    words = (_PART.findall(name) for name in (*PurePosixPath(path).parts[-2:], *around))
    return any(word.lower() in _PLACES for listed in words for word in listed)

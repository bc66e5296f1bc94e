"""The analysis of one file: bytes and a language in, facts out. Pure.

It may be slow or die on hostile input inside a grammar, so callers run it in a worker process.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from msgspec.structs import replace

from satchel.indexer.extract import captures, chunk, definitions, flows, parse, references
from satchel.indexer.extract.captures import RawDefinition
from satchel.indexer.extract.comments import Attachments, clean_doc
from satchel.indexer.extract.source import Source
from satchel.indexer.extract.text_calls import calls
from satchel.indexer.languages import keywords, outline
from satchel.indexer.languages.outlines.braces import Declared
from satchel.indexer.languages.outlines.lines import extent, kind_of
from satchel.indexer.languages.spec import Language
from satchel.store.codec import digest_of
from satchel.store.counted import counted
from satchel.store.model import (
    CLASS_LIKE,
    FileFacts,
    Import,
    Problem,
    ProblemKind,
    Symbol,
    SymbolKind,
)

_NAME = re.compile(r"\w+[?!=]?")


def analyze(data: bytes, language: Language) -> FileFacts:
    """What the file says by itself."""
    return analyze_source(Source.of(data), language)


def analyze_source(source: Source, language: Language) -> FileFacts:
    """As `analyze`, for whoever needs the source as well."""
    data = source.data
    if not language.grammar:
        sections = _sections(source, language)
        facts = _facts(source, language, sections)
        # Headings of documents are called by nobody.
        is_code = language.is_outlined_code
        return (
            replace(facts, references=calls(source, sections, language.uses)) if is_code else facts
        )
    # Offsets stay the same, so that all texts below are cut from the bytes as they are.
    readable = language.prepare(data) if language.prepare else data
    root = parse.parse(readable, language.grammar)
    matches = parse.matches(root, language.grammar, language.query)
    attachments = Attachments.of(matches.notes, source)
    found = captures.raw_definitions(matches, source)
    if language.declares and root.has_error:
        found = _with_lost(found, language.declares(data))
    # What is blanked for the grammar, such as another branch of an `#if`, is no code to it.
    places = keywords.lost(
        language.name,
        data,
        lambda at: readable[at] != data[at] or parse.is_quoted(root, at),
        (raw.name for raw in found),
    )
    # The body of a type may have been lost in an error.
    without_body = (raw for raw in found if raw.kind in CLASS_LIKE and raw.body < 0)
    cut = [raw.name_start for raw in without_body] if root.has_error else []
    if places or cut:
        found = _with_lost(found, _declared([*places, *cut], source))
    symbols = definitions.symbols(found, language, source, attachments)
    by_keyword = {source.line_of(place) for place in places}
    parsed = [symbol for symbol in symbols if symbol.line not in by_keyword]
    lines = parse.lost_lines(root, parsed, source)
    problems = _not_understood(lines, places, source)
    imports = references.imports(matches.imports, source, language)
    facts = replace(
        _facts(source, language, symbols, imports, problems),
        references=references.references(
            matches, source, symbols, language, (raw.name_start for raw in found)
        ),
        flows=flows.flows(matches, source, symbols, language),
    )
    is_plain = data.isascii() or not language.names.compares_compatibly
    return facts if is_plain else _in_one_form(facts)


def _in_one_form(facts: FileFacts) -> FileFacts:
    """Facts with all names in normal form KC, in which Python compares them."""
    form = partial(unicodedata.normalize, "NFKC")
    return replace(
        facts,
        symbols=tuple(
            replace(each, name=form(each.name), qualified_name=form(each.qualified_name))
            for each in facts.symbols
        ),
        references=tuple(
            replace(each, name=form(each.name), receiver=form(each.receiver))
            for each in facts.references
        ),
        imports=tuple(
            replace(each, module=form(each.module), name=form(each.name), alias=form(each.alias))
            for each in facts.imports
        ),
        flows=tuple(
            replace(each, place=form(each.place), value=form(each.value)) for each in facts.flows
        ),
    )


def _not_understood(lines: list[int], places: list[int], source: Source) -> tuple[Problem, ...]:
    """What a parser lost: lines in which it met an error, and declarations without a symbol."""
    problems: list[Problem] = []
    if lines:
        n_lines = f"{len(lines):,} of {counted(source.n_lines, 'line')}"
        problems.append(Problem(ProblemKind.SYNTAX, lines[0], n_lines))
    if places:
        number = counted(len(places), "declaration")
        problems.append(Problem(ProblemKind.LOST, source.line_of(places[0]), number))
    return tuple(problems)


def _with_lost(found: list[RawDefinition], declared: list[Declared]) -> list[RawDefinition]:
    """The definitions of a file in which the parser met an error, with those that it lost, and
    those that it cut short whole."""
    known = {raw.name_start: raw for raw in found}
    for each in declared[: outline.MAX_HEADINGS]:
        raw = known.get(each.name_start)
        if raw:
            raw.end = max(raw.end, each.end)
            raw.kind = raw.kind if raw.kind in CLASS_LIKE else each.kind
        else:
            found.append(
                RawDefinition(
                    each.start, each.end, each.kind, each.name, each.name_start, body=each.body
                )
            )
    return sorted(found, key=lambda raw: (raw.start, -raw.end, raw.name_start))


def _declared(places: list[int], source: Source) -> list[Declared]:
    """What a keyword declares at some places, to where the indentation shows its end."""
    lines = source.text(0, len(source.data)).split("\n")
    result: list[Declared] = []
    for place in places:
        number = source.line_of(place)
        margin = source.line_start(number)
        head = source.text(margin, place).split()
        name = _NAME.match(source.text(place, source.line_start(number + 1)))
        start = margin + len(source.data[margin:place]) - len(source.data[margin:place].lstrip())
        end = source.line_start(extent(lines, number) + 1)
        kind = kind_of(head[-1].strip("(") if head else "")
        result.append(Declared(start, -1, end, kind, name[0] if name else "", place))
    return result


def analyze_as_text(source: Source, language: Language, problem: Problem) -> FileFacts:
    """The file cut into lines, for when its own grammar cannot be used on it."""
    return _facts(source, language, [], problems=(problem,))


def _facts(
    source: Source,
    language: Language,
    symbols: list[Symbol],
    imports: Mapping[tuple[int, int], list[Import]] = MappingProxyType({}),
    problems: tuple[Problem, ...] = (),
) -> FileFacts:
    try:
        source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        problems = (*problems, Problem(ProblemKind.ENCODING, source.line_of(error.start)))
    return FileFacts(
        digest=digest_of(source.data),
        language=language.name,
        n_lines=source.n_lines,
        symbols=tuple(symbols),
        references=(),
        imports=tuple(binding for bindings in imports.values() for binding in bindings),
        chunks=chunk.chunk(source, symbols, imports),
        problems=problems,
        flows=(),
    )


def _sections(source: Source, language: Language) -> list[Symbol]:
    """Headings as nested sections, each running to the next heading of its level or above."""
    found = language.outline(source.text(0, len(source.data))) if language.outline else []
    headings = found[: outline.MAX_HEADINGS]
    starts, ends = outline.starts(headings), outline.ends(headings, source.n_lines)
    result: list[Symbol] = []
    enclosing: list[tuple[int, int]] = []  # (level, index in `result`) of the open sections
    for heading, first, last in zip(headings, starts, ends, strict=True):
        while enclosing and (
            enclosing[-1][0] >= heading.level or result[enclosing[-1][1]].span.end_line < last
        ):
            enclosing.pop()
        parent = enclosing[-1][1] if enclosing else -1
        span = source.span(source.line_start(first), source.line_start(last + 1))
        prefix = result[parent].qualified_name if parent >= 0 else ""
        title = heading.title
        # What a definition is called has dots between its parts; those of a title are prose.
        is_definition = heading.kind != SymbolKind.SECTION
        comment = source.text(span.start_byte, source.line_start(heading.line))
        section = Symbol(
            name=title.rpartition(".")[2] or title if is_definition else title,
            qualified_name=f"{prefix}.{title}" if prefix else title,
            kind=heading.kind,
            span=span,
            line=heading.line,
            signature=heading.signature or title,
            doc=clean_doc(comment) if any(map(str.isalnum, comment)) else "",
            parent=parent,
        )
        result.append(section)
        enclosing.append((heading.level, len(result) - 1))
    return result

"""Lines and files that a question names, `path:10-40`; a pack shows them first. Pure.

The function that they lie in follows, since lines out of its middle cannot be edited by themselves.
Of a single line, `path:10` or "path line 10", the function is shown, or the lines around it.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from msgspec.structs import replace

from satchel.assembler.kinds import Scope
from satchel.assembler.lookup.definition_source import files_by_path, source_of_record
from satchel.assembler.places.seeds import innermost_function
from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import Query, Topic
from satchel.assembler.query.written_places import WrittenLines
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.values import MAX_MEANT, Required, Scored
from satchel.store import path_filter
from satchel.store.reading.snapshot import Snapshot

_DOCUMENTS = "a document, as asked for"
_MAX_DOCUMENTS = 3
"""Documents that are shown where these are asked for."""
_ASKED = "asked for by its lines"
_AROUND = "around the lines asked for"
_NAMED = "in the file named by the question"
_MARGIN = 8
"""Lines shown above and below a single one outside of functions."""
_MAX_FILES = 2
"""Files named in a question of which an excerpt is shown in any case."""


def ranges(snapshot: Snapshot, written: Iterable[WrittenLines]) -> list[Required]:
    """The lines that a question names, in its order, to be shown as they are."""
    found = [lines for each in written for lines in _in_file(snapshot, each, _ASKED)]
    return [*found, *(place for each in found for place in _functions_around(snapshot, each))]


def around(snapshot: Snapshot, written: Iterable[WrittenLines]) -> list[Required]:
    """The functions around single lines that a question in words names, in its order."""
    found: list[Required] = []
    for each in written:
        for line in _in_file(snapshot, each, _ASKED):
            beside = WrittenLines(line.path, line.first_line - _MARGIN, line.last_line + _MARGIN)
            functions = _functions_around(snapshot, line)
            found += functions or _in_file(snapshot, beside, _AROUND)
    return found


def files(paths: Sequence[str], ranked: Sequence[Scored]) -> list[Required]:
    """The best match in each of the first files that a question in words names, in its order.

    `paths` are as it writes them: the end of a path will do if one ranked file alone has it. A
    file of settings must be written with its folder, since its name is mostly said in passing.
    """
    found: list[Required] = []
    for written in paths:
        end = written.rstrip(".")
        meant = [i.chunk for i in ranked if f"/{i.chunk.path}".endswith(f"/{end}")]
        if not meant or len({chunk.path for chunk in meant}) > 1:
            continue
        best = meant[0]
        role = role_of(best.path, best.language, best.is_test)
        if "/" in end or role.topic is not Topic.CONFIGURATION:
            place = Required(best.path, best.span.start_line, best.span.end_line, _NAMED)
            found += [place] if place not in found else []
    return found[:_MAX_FILES]


def documents(ranked: Sequence[Scored]) -> list[Required]:
    """The best documents for a question that asks where or how something is documented."""
    found = (
        Required(chunk.path, chunk.span.start_line, chunk.span.end_line, _DOCUMENTS, is_asked=False)
        for chunk in (item.chunk for item in ranked if item.score > 0)
        if role_of(chunk.path, chunk.language, chunk.is_test).topic is Topic.DOCUMENTATION
    )
    return list(islice(found, _MAX_DOCUMENTS))


def of_one_file(snapshot: Snapshot, question: Question, asked: Query) -> Question:
    """The question, limited to the file that it names where it asks for nothing else, and as
    `of_tests_alone`."""
    if asked.file and not (question.path or question.changes):
        # A sentence may end with the path.
        files = files_by_path(snapshot, asked.file.rstrip("."))
        if len(files) == 1 and path_filter.is_prefix(files[0]):
            # A test that is named so is asked for.
            return replace(question, path=files[0], scope=Scope.ALL)
    return of_tests_alone(snapshot, question, asked)


def of_tests_alone(snapshot: Snapshot, question: Question, asked: Query) -> Question:
    """The question, about tests too where all that its path admits are tests, or where it names
    what only tests have."""
    if question.scope != Scope.IMPL or question.changes:
        return question
    if not question.path:
        # The output of a run names its tests too, and is read by itself.
        is_named = not asked.artefact and any(_is_of_tests(snapshot, word) for word in asked.tests)
        return replace(question, scope=Scope.ALL) if is_named else question
    below = (f.is_test for f in snapshot.files.all() if path_filter.admits(question.path, f.path))
    # Most paths lead to product code, which the first file below them tells.
    return replace(question, scope=Scope.ALL) if next(below, False) and all(below) else question


def _is_of_tests(snapshot: Snapshot, name: str) -> bool:
    """Whether a name is one that only tests define, or that of a file of tests."""
    if defined := snapshot.symbols.named(name.rpartition(".")[2]):
        return all(symbol.is_test for symbol in defined)
    # Of 90,000 files that is read once, as it takes longer than all else of a question.
    stems = snapshot.cached("stems of tests", partial(_stems_of_tests, snapshot))
    return name.split(".")[0] in stems


def _stems_of_tests(snapshot: Snapshot) -> frozenset[str]:
    """The names of the files of tests, without what follows their first dot."""
    return frozenset(
        file.path.rpartition("/")[2].split(".")[0] for file in snapshot.files.all() if file.is_test
    )


def _functions_around(snapshot: Snapshot, lines: Required) -> list[Required]:
    """The innermost functions that the first and the last of some lines lie in, if they go on."""
    found: list[Required] = []
    for line in (lines.first_line, lines.last_line):
        function = innermost_function(snapshot.symbols.of_file(lines.path), line)
        if function is None:
            continue
        span = function.span
        # A function that the range covers is shown already.
        if span.start_line < lines.first_line or span.end_line > lines.last_line:
            place = Required(lines.path, span.start_line, span.end_line, _AROUND)
            found += [place] if place not in found else []
    return found


def _in_file(snapshot: Snapshot, written: WrittenLines, why: str) -> Iterator[Required]:
    """The part of a range that lies in a file; of a path its end will do."""
    files = files_by_path(snapshot, written.path)
    for path in files if len(files) <= MAX_MEANT else ():
        _, source = source_of_record(snapshot, path)
        n_lines = source.rstrip(b"\n").count(b"\n") + 1
        start, end = max(written.first, 1), min(written.last, n_lines)
        if start <= end:
            yield Required(path, start, end, why, is_exact=True)

"""Checks the quality of what the index gives: parsing, resolution, packs, the team's questions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta, MsgspecError, Struct, json

from satchel.assembler import assemble
from satchel.assembler.kinds import Detail, Scope
from satchel.assembler.query.question import Question
from satchel.assembler.survey.overview import central_symbols
from satchel.assembler.values import ContextPack
from satchel.indexer.languages import detect
from satchel.indexer.scan.open_below import content
from satchel.store import tokens
from satchel.store.counted import counted
from satchel.store.errors import reason
from satchel.store.model import ProblemKind
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, Metric, Severity, error
from satchel.workspace.configuration import tuned

GOLDEN = "golden.jsonl"
"""In `.satchel` of the tree: one JSON object a line, see `Golden`."""
PARSED, RESOLVED = "parsed", "resolved"
_MAX_GOLDEN = 4 << 20
_MAX_QUESTIONS = 1_000
"""A pack each: more would take minutes."""
_BUDGETS = (256, 1024, 2048)
# Packs show an invisible character as "⟨U+200B⟩"; see `assembler.render`.
_ESCAPE = "⟨U+"
_NO_GRAMMAR = ProblemKind.GRAMMAR
_UNPARSED = {ProblemKind.SYNTAX, ProblemKind.CRASH, ProblemKind.LIMIT, ProblemKind.GRAMMAR}


class Golden(Struct, frozen=True, forbid_unknown_fields=True):
    """A question of the team's own, and the files that a pack of this budget must show."""

    query: str
    files: tuple[str, ...]
    budget: Annotated[int, Meta(ge=256, le=32_768)] = 4096
    scope: Scope = Scope.ALL


class Parsed(Struct, frozen=True):
    """The number of files of code, and the problems of those that did not parse cleanly."""

    n_files: int
    problems: tuple[tuple[str, str, int, str], ...]
    """(path, kind, line, detail)."""

    @property
    def share(self) -> float:
        """Files parsed cleanly, 0 to 1."""
        n_broken = len({path for path, *_ in self.problems})
        return 1.0 - n_broken / self.n_files if self.n_files else 1.0


def metrics(context: CheckContext) -> tuple[Metric, ...]:
    """The shares that a baseline remembers."""
    return (
        Metric(PARSED, round(_parsed(context).share, 4)),
        Metric(RESOLVED, round(_resolved(context), 4)),
    )


def parsed(context: CheckContext) -> Iterator[Finding]:
    """The share of code files that parse is above the minimum and not below the baseline."""
    found = _parsed(context)
    message = f"{found.share:.1%} of {found.n_files} files of code parse without an error"
    minimum = context.project.settings.validation.min_parsed
    yield from _below_floor(context, PARSED, found.share, minimum, message)
    # Syntax errors are usual in tests of parsers and in templates: only their share is reported.
    for path, kind, line, detail in found.problems:
        if kind not in (ProblemKind.SYNTAX, ProblemKind.GRAMMAR):
            yield Finding(Severity.INFO, path, line, f"not parsed: {kind}, {detail}")
    # A language that cannot be read at all is a fault of the installation, and of no file.
    missing = Counter(detail for _, kind, _, detail in found.problems if kind == _NO_GRAMMAR)
    for detail, n_files in sorted(missing.items()):
        message = f"{counted(n_files, 'file')} not parsed: no grammar loads, {detail}"
        yield Finding(Severity.ERROR, "", 0, message)


def _parsed(context: CheckContext) -> Parsed:
    code = {lang.name for lang in detect.LANGUAGES if lang.grammar and lang.query}
    paths = {f.path for f in context.snapshot.files.all() if f.language in code}
    problems = context.snapshot.files.problems()
    broken = [problem for problem in problems if problem[1] in _UNPARSED]
    return Parsed(len(paths), tuple(entry for entry in broken if entry[0] in paths))


def resolved(context: CheckContext) -> Iterator[Finding]:
    """The share of uses that resolve is above the minimum and not below the baseline."""
    share = _resolved(context)
    minimum = context.project.settings.validation.min_resolved
    message = f"{share:.1%} of the uses resolve to a definition"
    yield from _below_floor(context, RESOLVED, share, minimum, message)


def _resolved(context: CheckContext) -> float:
    counts = context.snapshot.files.counts()
    return counts.edges / counts.references if counts.references else 1.0


def _below_floor(
    context: CheckContext, name: str, share: float, minimum: float, message: str
) -> Iterator[Finding]:
    """A finding if a share is below its minimum, or has dropped too far since the baseline."""
    before = context.shares.get(name, 0.0)
    # Below the minimum is the graver of the two, and one finding is enough.
    if share < minimum:
        yield Finding(Severity.WARNING, "", 0, f"{message}, at least {minimum:.1%} should")
    elif share < before - context.project.settings.validation.max_drop:
        yield Finding(Severity.WARNING, "", 0, f"{message}; the baseline has {before:.1%}")


def budgets(context: CheckContext) -> Iterator[Finding]:
    """Packs stay within their budget, come out the same twice, and quote what is on disk."""
    encoding = context.project.settings.context.tokenizer
    snapshot = context.snapshot
    # Questions about the most central symbols, whose callers and callees make packs of every kind,
    # then about files spread over the tree.
    used = central_symbols(snapshot, "", len(_BUDGETS))
    asked = [f"{each.symbol.qualified_name} {each.symbol.doc[:200]}" for each in used]
    sources = {file.path: (file.digest, file.language) for file in context.snapshot.files.all()}
    paths = list(sources)
    step = max(1, len(paths) // len(_BUDGETS))
    # Budgets of all sizes, since a pack that is too long by a token shows at some of them only.
    for text, budget in zip([*asked, *paths[::step]], _BUDGETS, strict=False):
        # Asked twice, so that a pack that depends on anything but its input shows.
        first, second = (_pack(context, Question(text), budget) for _ in range(2))
        counted = tokens.count(first.text, encoding)
        if counted > budget or counted != first.receipt.used:
            message = f"a pack of {budget} tokens has {counted}, its receipt {first.receipt.used}"
            yield error(message)
        if first.text != second.text:
            yield error(f"two packs for {text[:60]!r} differ")
        # A shorter form of an excerpt leaves out parts of lines, so only whole ones are compared.
        for excerpt in first.excerpts:
            if excerpt.detail != Detail.FULL:
                continue
            source = context.snapshot.files.source(*sources[excerpt.path]).decode(
                "utf-8", "replace"
            )
            known = {line.rstrip() for line in source.split("\n")}
            quoted = {line.rstrip() for line in excerpt.text.split("\n") if _ESCAPE not in line}
            if not quoted <= known:
                yield error("a pack quotes a line that its file does not contain", excerpt.path)


def _pack(context: CheckContext, question: Question, budget: int) -> ContextPack:
    encoding = context.project.settings.context.tokenizer
    return assemble.context(
        context.snapshot,
        question,
        budget,
        assemble.PackOptions(
            encoding=encoding,
            vectors=context.vectors,
            weights=tuned.weights(context.project.directory),
        ),
    )


def golden(context: CheckContext) -> Iterator[Finding]:
    """Packs for the team's own questions show the files that they list.

    Questions may be missed as long as the share of answered ones is above the minimum.
    """
    try:
        questions = read_golden(context)
    except (OSError, MsgspecError, UnicodeDecodeError, RecursionError) as error:
        yield Finding(Severity.WARNING, GOLDEN, 0, f"cannot be read: {reason(error)}")
        return
    missed: list[Finding] = []
    for line, question in questions:
        pack = _pack(context, Question(question.query, question.scope), question.budget)
        absent = sorted(set(question.files) - {excerpt.path for excerpt in pack.excerpts})
        if absent:
            message = f"{question.query[:60]!r} at {question.budget} tokens does not show {absent}"
            missed.append(Finding(Severity.WARNING, f".satchel/{GOLDEN}", line, message))
    share = 1.0 - len(missed) / len(questions) if questions else 1.0
    if share < context.project.settings.validation.min_golden:
        yield from missed


def read_golden(context: CheckContext) -> Sequence[tuple[int, Golden]]:
    """(line, question) of the golden set; nothing when there is none."""
    path = context.project.folders.team / GOLDEN
    try:
        text = content(path, _MAX_GOLDEN, below=context.project.root).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return []
    decoder = json.Decoder(Golden)
    lines = enumerate(text.split("\n"), start=1)
    asked = [(number, decoder.decode(line)) for number, line in lines if line.strip()]
    return asked[:_MAX_QUESTIONS]

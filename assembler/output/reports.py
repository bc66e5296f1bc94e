"""`changes` and `overview` as the text a person or a model reads. Pure.

Every line is data: control characters in names and paths are escaped.
"""

from collections.abc import Iterable, Iterator, Sequence

from satchel.assembler.kinds import PROJECT
from satchel.assembler.output.definition_lines import use_line
from satchel.assembler.output.graph_lines import central_lines, neighbourhood_lines
from satchel.assembler.output.listings import mention_line
from satchel.assembler.quoting import clean
from satchel.assembler.render import fenced, location
from satchel.assembler.survey.changes import Changes, Impact
from satchel.assembler.survey.impact import KnownHere, TestFile
from satchel.assembler.survey.overview import Overview
from satchel.assembler.survey.review import Hunks
from satchel.assembler.survey.versions import ChangeKind, VersionChange
from satchel.store.counted import counted
from satchel.store.records import SURE

_LISTED = 50
"""Rows of a section of a comment; GitHub refuses comments of more than 65,536 characters."""
_TESTS = 20
"""Files of tests that are listed beside changes."""
_SIGNS = {
    ChangeKind.REMOVED: "-",
    ChangeKind.SIGNATURE: "!",
    ChangeKind.MODIFIED: "~",
    ChangeKind.MOVED: ">",
    ChangeKind.ADDED: "+",
}


def changes_lines(found: Changes) -> Iterator[str]:
    """What changed, a line each, then who uses it and was not changed."""
    tally = ", ".join(f"{n} {kind}" for kind, n in found.tally if n) or "none differ"
    yield f"since {clean(found.base)}: {counted(found.n_files, 'file')} changed; symbols: {tally}"
    for change in found.changes:
        yield change_line(change)
    yield from _rest_line(found.n_changes, len(found.changes))
    # Guesses come last in the order of impacts, so what follows the sure ones are exactly they.
    sure = [impact for impact in found.impacts if impact.confidence >= SURE]
    n_sure = found.n_impacts - found.n_guessed
    if sure:
        yield f"used by {n_sure} that did not change:"
    yield from (_impact_line(impact) for impact in sure)
    yield from _rest_line(n_sure, len(sure))
    if found.n_guessed:
        yield f"perhaps used by {found.n_guessed}, which are guesses with their confidence:"
    yield from (f"{_impact_line(i)[:-1]}, {i.confidence:.2f})" for i in found.impacts[len(sure) :])
    yield from _rest_line(found.n_guessed, len(found.impacts) - len(sure))
    if found.mentions:
        yield "lines with the names of what changed, where the graph may lack uses:"
    yield from map(mention_line, found.mentions)
    yield from _rest_line(found.n_mentions, len(found.mentions))
    for each in found.dangling:
        yield f"  ?  {use_line(each.use)}  (removed{_ELSEWHERE[each.elsewhere]})"
    for absent in found.absent:
        yield str(absent)


def hunks_lines(found: Hunks) -> Iterator[str]:
    """The differences of files, each between fences, then what did not fit."""
    for _, text in found.shown:
        yield fenced(text).rstrip("\n")
    for path, tokens in found.left_out:
        yield f"  {clean(path)}: {tokens} tokens of hunks do not fit; raise budget_tokens, or path"


def tests_lines(tests: Sequence[TestFile]) -> Iterator[str]:
    """The tests that may see a change, nearest first, a line for each, the first of them."""
    if tests:
        yield f"tests to run, nearest first, of {len(tests)}:"
    yield from (f"  {clean(test.path)}" for test in tests[:_TESTS])


_PACKAGES = 30
_ELSEWHERE = {
    False: ", and nothing else is called so",
    True: "; something else is called so, which no rule ties to it",
}


def _impact_line(impact: Impact) -> str:
    where = location(impact.user.path, impact.line, impact.line)
    name, of = clean(impact.user.qualified_name), clean(impact.change.at.name)
    return f"  {where}  {name}  ({impact.kind} {of})"


def change_line(change: VersionChange) -> str:
    """`~ path:line  kind qualified.name  what became of it`."""
    at = change.at
    head = (
        f"{_SIGNS[change.kind]} {location(at.path, at.line, at.line)}  {at.kind} {clean(at.name)}"
    )
    return f"{head}  {detail}" if (detail := _change_detail(change)) else head


def _change_detail(change: VersionChange) -> str:
    then, now = change.then, change.now
    members = f" ({change.n_members} inside)" if change.n_members else ""
    if then is None or now is None:
        return clean(change.at.signature) + members
    if change.kind == ChangeKind.SIGNATURE:
        return f"{clean(then.signature)} -> {clean(now.signature)}"
    if change.kind == ChangeKind.MOVED:
        edited = ", edited" if change.edited else ""
        whence = f"from {location(then.path, then.line, then.line)} {clean(then.name)}"
        return whence + edited + members
    return ""


def _rest_line(n_found: int, n_listed: int) -> Iterator[str]:
    if n_found > n_listed:
        yield f"  … {n_found - n_listed} more; raise the limit to see them"


def overview_lines(found: Overview) -> Iterator[str]:
    """A code base at a glance."""
    state = "" if found.complete else ", still building"
    yield (
        f"{clean(found.scope)}: {counted(found.n_files, 'file')}, {counted(found.n_lines, 'line')}"
        f" (generation {found.generation}{state})"
    )
    if not found.n_files:
        yield "no file is indexed here"
        return
    yield "languages: " + ", ".join(
        f"{each.language} {counted(each.lines, 'line')} in {counted(each.files, 'file')}"
        + (f" ({each.test_files:,} of tests)" if each.test_files else "")
        for each in found.languages
    )
    yield "largest: " + ", ".join(f"{clean(f.path)} {f.lines:,}" for f in found.folders)
    index = "index" if found.scope == PROJECT else "index of the whole project"
    yield (
        f"{index}: {counted(found.n_edges, 'edge')} from {counted(found.n_references, 'use')},"
        f" {counted(found.n_skipped, 'path')} skipped, {counted(found.n_problems, 'problem')}"
    )
    packages = (
        f"{clean(each.name)} ({each.kind}, {clean(each.folder) or 'root'})"
        for each in found.packages
    )
    yield from _on_a_line("packages", packages)
    copies = (f"{clean(each.folder)} ({clean(each.reason)})" for each in found.vendored)
    yield from _on_a_line("copies of other projects, ranked last", copies)
    if found.entry_points:
        yield "entry points:"
    for entry in found.entry_points:
        where = location(entry.path, entry.line, entry.line)
        yield f"  {where}  {clean(entry.name)} ({clean(entry.why)})"
    if found.central:
        yield "central (by PageRank):"
    yield from central_lines(found.central)
    if found.neighbourhoods:
        yield "neighbourhoods (files that use each other most):"
    yield from neighbourhood_lines(found.neighbourhoods)


def _on_a_line(title: str, every: Iterable[str]) -> Iterator[str]:
    listed = tuple(every)
    if listed:
        yield f"{title}: {', '.join(listed[:_PACKAGES])}"
    if len(listed) > _PACKAGES:
        yield f"  {len(listed) - _PACKAGES} more {title.partition(',')[0]}"


def impact_markdown(found: Changes, tests: Sequence[TestFile], known: Sequence[KnownHere]) -> str:
    """A comment for a pull request.

    Names stand in code spans that they cannot leave.
    """
    tally = ", ".join(f"{n} {kind}" for kind, n in found.tally if n) or "no symbol differs"
    lines = [f"### What this change touches\n\nSince {_span(found.base)}: {tally}."]
    if known:
        lines.append("\n**Decided or warned about here**\n")
        lines += [
            f"- {each.kind} at {_span(each.scope)}: {_without_markup(each.summary)}"
            for each in known
        ]
    lines += _section("Changed symbols", [_span(change_line(c)) for c in found.changes])
    sure = [_impact(i) for i in found.impacts if i.confidence >= SURE]
    lines += _section("Callers that did not change", sure)
    guesses = [f"{_impact(i)}, {i.confidence:.2f}" for i in found.impacts[len(sure) :]]
    lines += _section("Guessed callers, with their confidence", guesses)
    named = [_span(mention_line(each)) for each in found.mentions]
    lines += _section("Lines with the names of what changed, where uses may be missing", named)
    dangling = [_span(use_line(each.use)) for each in found.dangling]
    lines += _section("Uses of removed names", dangling)
    lines += _section("Tests to run first", [_span(test.path) for test in tests])
    return "\n".join(lines) + "\n"


def _impact(impact: Impact) -> str:
    where = _span(location(impact.user.path, impact.line, impact.line))
    of = _span(impact.change.at.name)
    return f"{where} {_span(impact.user.qualified_name)} ({impact.kind} of {of})"


def _section(title: str, rows: Sequence[str]) -> list[str]:
    if not rows:
        return []
    # A comment that is too long is refused as a whole, so each section is cut and says how much it
    # leaves out.
    listed = [f"- {row}" for row in rows[:_LISTED]]
    more = [f"- … and {len(rows) - _LISTED} more"] if len(rows) > _LISTED else []
    head = f"\n<details><summary>{title} ({len(rows)})</summary>\n"
    return [head, *listed, *more, "\n</details>"]


def _span(text: str) -> str:
    """A code span: backticks within become quotes, so that nothing in it is Markdown."""
    return f"`{clean(text).replace('`', chr(39)).strip() or ' '}`"


def _without_markup(text: str) -> str:
    """Prose that people wrote, with nothing in it that is a tag, a mention or a line."""
    return clean(text).replace("<", "&lt;").replace("@", "&#64;")

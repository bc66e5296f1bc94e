"""Chooses the layout of a reply, and gathers what Twining's sections show beside the items."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.knowledge import timestamps
from satchel.knowledge.model import Relation
from satchel.knowledge.output import render
from satchel.knowledge.ranking.fitting_items import Layout
from satchel.knowledge.ranking.presets import Format, Preset
from satchel.knowledge.ranking.score import ScoredItem
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import Recall
from satchel.knowledge.scopes import PATH, PROJECT, SYMBOL
from satchel.knowledge.storage import read

_MAX_RELATED = 10
_NOTHING_YET = "Nothing is stored yet; `remember` stores something."
# Characters of the task that the reply repeats.
_MAX_TASK = 200


def choose_layout(
    context: RequestContext,
    request: Recall,
    preset: Preset,
    ranked: Sequence[ScoredItem],
    query: str,
    scope: str,
) -> Layout:
    """The layout that a request asks for, else that of its preset."""
    wanted = Format(request.format) if request.format else preset.format
    generation = context.snapshot.generation if context.snapshot else 0
    if wanted == Format.JSON:
        return render.JsonLayout(explain=request.explain, generation=generation)
    if wanted == Format.SECTIONS:
        return sections_layout(context, ranked, query, scope)
    about = request.project
    if about is None:
        about = "all" if scope == PROJECT else scope
    found = render.MarkdownLayout(about, explain=request.explain, generation=generation)
    is_empty = not ranked and not read.visible_items(
        context.db, "1", (), context.caller.actor, "i.seq", 1
    )
    return replace(found, empty=_NOTHING_YET) if is_empty else found


def sections_layout(
    context: RequestContext, ranked: Sequence[ScoredItem], task: str, scope: str
) -> render.SectionsLayout:
    """Twining's sections; related entities are the symbols and files that most items are about."""
    links = read.links_from(context.db, [one.item.id for one in ranked])
    affected: dict[str, tuple[str, ...]] = {}
    named: dict[str, int] = {}
    for link in links:
        if link.rel == Relation.AFFECTS and link.dst.startswith(PATH):
            path = link.dst.removeprefix(PATH)
            affected[link.src] = (*affected.get(link.src, ()), path)
        if link.dst.startswith((PATH, SYMBOL)):
            named[link.dst] = named.get(link.dst, 0) + 1
    related = sorted(named, key=lambda dst: (-named[dst], dst))[:_MAX_RELATED]
    return render.SectionsLayout(
        timestamps.format_iso(context.caller.now), render.safe_line(task)[:_MAX_TASK], scope,
        affected, tuple(related),
    )  # fmt: skip

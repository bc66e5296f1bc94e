"""Which layout an answer takes."""

from __future__ import annotations

from collections.abc import Sequence

from satchel.knowledge import timestamps
from satchel.knowledge.code_links.anchors import PATH
from satchel.knowledge.context import Desk
from satchel.knowledge.output import render
from satchel.knowledge.ranking.pack import Layout
from satchel.knowledge.ranking.presets import Format, Preset
from satchel.knowledge.ranking.score import Ranked
from satchel.knowledge.requests import Recall
from satchel.knowledge.storage import read

_MOST_RELATED = 10
_TASK_SHOWN = 200


def layout_of(
    desk: Desk, request: Recall, preset: Preset, ranked: Sequence[Ranked], query: str, scope: str
) -> Layout:
    """The layout that a request asks for, or that its preset has."""
    wanted = Format(request.format) if request.format else preset.format
    if wanted == Format.JSON:
        return render.Rows(explain=request.explain)
    if wanted == Format.SECTIONS:
        return sections(desk, ranked, query, scope)
    project = request.project if request.project is not None else "all"
    return render.Markdown(project=project, explain=request.explain)


def sections(desk: Desk, ranked: Sequence[Ranked], task: str, scope: str) -> render.Sections:
    """Twining's sections; related entities are the symbols and files that most items are about."""
    links = read.links_from(desk.db, [one.item.id for one in ranked])
    affected: dict[str, tuple[str, ...]] = {}
    named: dict[str, int] = {}
    for link in links:
        if link.rel == "affects" and link.dst.startswith(PATH):
            path = link.dst.removeprefix(PATH)
            affected[link.src] = (*affected.get(link.src, ()), path)
        if link.dst.startswith((PATH, "symbol:")):
            named[link.dst] = named.get(link.dst, 0) + 1
    related = sorted(named, key=lambda dst: (-named[dst], dst))[:_MOST_RELATED]
    return render.Sections(
        timestamps.iso(desk.caller.now), render.line(task)[:_TASK_SHOWN], scope, affected,
        tuple(related),
    )  # fmt: skip

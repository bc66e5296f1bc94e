"""Checks whether the code that items of knowledge are about has changed or gone."""

from collections.abc import Iterator

from satchel.knowledge.code_links.anchors import Freshness
from satchel.knowledge.operations.overview import drifted_items
from satchel.knowledge.scopes import PROJECT
from satchel.validation.check_context import CheckContext
from satchel.validation.model import Finding, Severity
from satchel.workspace.knowledge import open_context

_HINT = "`satchel revise ID verify` if it still holds, else `reconsider` or `archive`"


def anchored(context: CheckContext) -> Iterator[Finding]:
    """Open items of knowledge whose code has changed or gone.

    Without `max_drifted`, gone code is a warning and changed code is no more than a note. With it,
    both are warnings when there are more of them than that, and notes up to there.
    """
    if not context.project.folders.has_knowledge:
        return
    most = context.project.settings.validation.max_drifted
    with open_context(context.project, snapshot=context.snapshot) as knowledge:
        found = drifted_items(knowledge, knowledge.resolve_scope(PROJECT))
    for item, anchors in found:
        gone = any(anchor.freshness == Freshness.ORPHANED for anchor in anchors)
        fails = gone if most < 0 else len(found) > most
        changes = ", ".join(anchor.description() for anchor in anchors)
        path = item.scope if item.scope != PROJECT else ""
        message = f"{item.kind} {item.id}: {changes}"
        yield Finding(Severity.WARNING if fails else Severity.INFO, path, 0, message, _HINT)

"""Renders items as the text that a model reads, safely.

What people and agents wrote is data and may try to pass for more. It stands in quoted lines or in
JSON strings, control characters are removed, and the marks by which a conversation tells who speaks
("system:", "<|im_start|>", "<system>") are escaped.
"""

import re
from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType, field

from satchel.assembler.quoting import clean
from satchel.knowledge import kinds, timestamps
from satchel.knowledge.code_links.anchors import Freshness
from satchel.knowledge.model import Item, Kind, Status
from satchel.knowledge.ranking.fitting_items import FittingItem, ItemTotals
from satchel.knowledge.ranking.presets import SIGNAL_NAMES
from satchel.knowledge.storage.rows import to_json
from satchel.store.counted import counted

# A role at the beginning of a line, behind marks of headings, quotes and lists too.
_ROLE = re.compile(
    r"(?im)^(\s*[#>*\-]*\s*)(system|assistant|user|human|developer|tool|function)(\s*):"
)
# The special tokens of chat templates all begin so.
_TOKEN = re.compile(r"<\|")
_TAG = re.compile(r"(?i)<(/?\s*(?:system|assistant|user|human|tool|function)[\w-]*)")
# C0 and C1 controls but for tab and line feed, and the marks that reorder text (Trojan Source).
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def safe_text(text: str) -> str:
    """The text, on several lines perhaps, escaped so that it is no turn of a conversation."""
    # Controls first: one in the middle of "sys\x00tem:" would hide the role from its pattern.
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\u2028", "\n"))
    text = _ROLE.sub(r"\1\2\3\\:", text)
    return _TAG.sub(r"<\\\1", _TOKEN.sub(r"<\\|", text))


def safe_line(text: str) -> str:
    """The text on one line, escaped likewise; characters that show nothing become code points."""
    return clean(safe_text(" ".join(text.split())))


def quoted_block(text: str) -> str:
    """The text with "> " before each line, which nothing in it can take away."""
    return "".join(f"> {part}".rstrip() + "\n" for part in safe_text(text).strip().split("\n"))


def status_marks(shown: FittingItem) -> list[str]:
    """What a reader should know before trusting an item: status, verdicts, changes of its code.

    Nothing is said of what is usual: an active, unverified item whose code is as it was.
    """
    item = shown.item
    found = [] if item.status == Status.ACTIVE else [str(item.status)]
    if item.verification != "unverified":
        found.append(str(item.verification))
    if shown.ranked.match.n_contradictions:
        found.append("contradicted")
    if shown.ranked.freshness:
        # One of the worst is named; `recall` with the id shows the links one by one.
        worst = [a for a in shown.ranked.anchors if a.freshness == shown.ranked.freshness]
        state = "drifted" if shown.ranked.freshness == Freshness.DRIFTED else "orphaned"
        found.append(f"{state}: {clean(worst[0].description())}")
    return found


class MarkdownLayout(Struct, frozen=True):
    """Shabka's pack: a header, then `## [kind] summary`, a line of facts and the text of each."""

    about: str = "all"
    """What the heading names: a project or a scope."""
    empty: str = "No memories found matching the query and filters."
    explain: bool = False
    generation: int = 0
    """Generation of the index that links were compared with; 0, which is not said, for none."""
    _made: dict[tuple[str, bool], str] = field(default_factory=dict)
    """Rendered blocks by item and length; the selection asks for each several times."""

    def block(self, shown: FittingItem) -> str:
        """One item with the rule below it."""
        item, key = shown.item, (shown.item.id, shown.short)
        if key in self._made:
            return self._made[key]
        tags = [f"tags: {', '.join(map(safe_line, item.tags))}"] if item.tags else []
        scope = [] if item.scope == "project" else [safe_line(item.scope)]
        facts = [
            timestamps.format_day(item.created_at), f"importance: {item.importance:g}", *tags,
            *scope, *status_marks(shown), item.id,
        ]  # fmt: skip
        parts = [
            f"## [{safe_line(item.label)}] {safe_line(item.summary)}\n",
            f"*{' | '.join(facts)}*\n",
        ]
        if self.explain:
            parts.append(f"*{shown.ranked.score:.3f} = {_score_shares(shown)}*\n")
        if not shown.short:
            parts += [quoted_block(text) for text in _item_texts(item)]
        self._made[key] = "".join(parts) + "\n---\n\n"
        return self._made[key]

    def whole(self, shown: Sequence[FittingItem], totals: ItemTotals) -> str:
        """The header and the items, best first."""
        if not shown:
            left_out = " within the token budget" if totals.considered else ""
            return f"{self.empty[:-1]}{left_out}{self._of_generation()}.\n"
        n_shown = counted(len(shown), "memory", "memories")
        head = f"# Project Context: {safe_line(self.about)} ({n_shown},"
        head += f" ~{totals.used_tokens} tokens{self._of_generation()})\n\n"
        return head + "".join(map(self.block, shown)).removesuffix("\n---\n\n") + "\n"

    def _of_generation(self) -> str:
        return f", generation {self.generation}" if self.generation else ""


def _item_texts(item: Item) -> list[str]:
    """The texts of an item below its summary, each with what it is."""
    texts = [item.detail, item.rationale and f"Because: {item.rationale}"]
    if item.body.context:
        texts.append(f"Context: {item.body.context}")
    if item.body.constraints:
        texts.append(f"Constraints: {'; '.join(item.body.constraints)}")
    rejected = (f"{a.option} ({a.reason_rejected})" for a in item.body.alternatives)
    if item.body.alternatives:
        texts.append(f"Instead of: {'; '.join(rejected)}")
    return [text for text in texts if text.strip()]


def _score_shares(shown: FittingItem) -> str:
    shares = ((name, getattr(shown.ranked.why, name)) for name in SIGNAL_NAMES)
    return " + ".join(f"{name} {share:.3f}" for name, share in shares if share)


class ItemRow(Struct, frozen=True):
    """An item in a JSON reply."""

    id: str
    kind: str
    summary: str
    scope: str
    status: str
    confidence: float
    score: float
    created_at: str
    detail: str | UnsetType = UNSET
    rationale: str | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    marks: tuple[str, ...] | UnsetType = UNSET
    why: dict[str, float] | UnsetType = UNSET


def item_row(shown: FittingItem, *, explain: bool) -> ItemRow:
    """An item as JSON; what is empty is left out."""
    item = shown.item
    why = {name: round(getattr(shown.ranked.why, name), 4) for name in SIGNAL_NAMES}
    return ItemRow(
        item.id, item.label, safe_text(item.summary), item.scope, item.status, item.confidence,
        round(shown.ranked.score, 3), timestamps.format_iso(item.created_at),
        detail=(safe_text(item.detail) if not shown.short else "") or UNSET,
        rationale=(safe_text(item.rationale) if not shown.short else "") or UNSET,
        tags=item.tags or UNSET, marks=tuple(status_marks(shown)) or UNSET,
        why={name: share for name, share in why.items() if share} if explain else UNSET,
    )  # fmt: skip


class JsonLayout(Struct, frozen=True):
    """A JSON object: totals, then a list of items on a line each, best first."""

    explain: bool = False
    generation: int = 0
    """Generation of the index that links were compared with, 0 for none."""

    def block(self, shown: FittingItem) -> str:
        """One item."""
        return to_json(item_row(shown, explain=self.explain)) + ",\n"

    def whole(self, shown: Sequence[FittingItem], totals: ItemTotals) -> str:
        """The object, its totals first."""
        # Written by hand: one item a line costs few tokens and can be read by people, and the
        # totals are numbers, which need no escapes.
        body = "".join(map(self.block, shown)).removesuffix(",\n")
        return (
            f'{{"used_tokens":{totals.used_tokens},"budget":{totals.budget},'
            f'"considered":{totals.considered},"packed":{totals.packed},'
            f'"generation":{self.generation},"items":[\n{body}]}}\n'
        )


# Twining's section for each kind; every other kind is a recent finding.
_SECTION = {
    Kind.DECISION: "active_decisions",
    Kind.NEED: "open_needs",
    Kind.WARNING: "active_warnings",
    Kind.QUESTION: "recent_questions",
    Kind.CONVENTION: "conventions",
}


class SectionRow(Struct, frozen=True, omit_defaults=True):
    """An item in a section, with Twining's names."""

    id: str
    summary: str
    detail: str = ""
    rationale: str = ""
    confidence: str = ""
    affected_files: tuple[str, ...] = ()
    scope: str = ""
    marks: tuple[str, ...] = ()


class AssembledContext(Struct, frozen=True, kw_only=True):
    """The reply to `twining_assemble`, what to mind and what is lacking first.

    Each section is best first.
    """

    assembled_at: str
    task: str
    scope: str
    token_estimate: int
    active_warnings: tuple[SectionRow, ...] = ()
    open_needs: tuple[SectionRow, ...] = ()
    active_decisions: tuple[SectionRow, ...] = ()
    recent_findings: tuple[SectionRow, ...] = ()
    recent_questions: tuple[SectionRow, ...] = ()
    conventions: tuple[SectionRow, ...] = ()
    related_entities: tuple[str, ...] = ()


class SectionsLayout(Struct, frozen=True):
    """Twining's assembled context: a JSON object with a list for each kind, best first."""

    assembled_at: str
    task: str
    scope: str
    affected: dict[str, tuple[str, ...]]
    """The files that each item affects."""
    related: tuple[str, ...] = ()

    def block(self, shown: FittingItem) -> str:
        """One item."""
        return to_json(self._row(shown)) + ","

    def whole(self, shown: Sequence[FittingItem], totals: ItemTotals) -> str:
        """All of it."""
        return to_json(self.value(shown, totals)) + "\n"

    def value(self, shown: Sequence[FittingItem], totals: ItemTotals) -> AssembledContext:
        """The reply as a value, with the same sections."""
        sections: dict[str, list[SectionRow]] = {}
        for one in shown:
            section = _SECTION.get(one.item.kind, "recent_findings")
            sections.setdefault(section, []).append(self._row(one))
        lists = {name: tuple(rows) for name, rows in sections.items()}
        return AssembledContext(
            assembled_at=self.assembled_at, task=self.task, scope=self.scope,
            token_estimate=totals.used_tokens, related_entities=self.related, **lists,
        )  # fmt: skip

    def _row(self, shown: FittingItem) -> SectionRow:
        item = shown.item
        decided = item.kind == Kind.DECISION  # no other kind has confidence and files there
        return SectionRow(
            item.id, safe_text(item.summary),
            detail="" if shown.short else safe_text(item.detail),
            rationale="" if shown.short else safe_text(item.rationale),
            confidence=kinds.confidence_word(item.confidence) if decided else "",
            affected_files=self.affected.get(item.id, ()) if decided else (),
            scope=item.scope, marks=tuple(status_marks(shown)),
        )  # fmt: skip

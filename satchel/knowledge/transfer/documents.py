"""Imports decisions and conventions that a code base already has: ADRs, CLAUDE.md, AGENTS.md.

Only headings, lists and paragraphs are read. Fenced blocks are examples and are no rules.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import PurePosixPath

from msgspec import Struct, field

from satchel.knowledge import timestamps
from satchel.knowledge.model import Body, Caller, Link, Origin, Relation, Status, Timestamp
from satchel.knowledge.scopes import PATH
from satchel.knowledge.transfer.import_drafts import Draft, make_draft_item
from satchel.store.errors import UsageError

CONVENTION_FILES = ("claude.md", "agents.md", "claude.local.md", "gemini.md")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_BULLET = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.*)$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_NUMBER = re.compile(r"^(?:adr[-\s]*)?0*(\d+)[.:)\s-]+\s*", re.I)
_FIELD = re.compile(r"^[-*\s]*\**(status|date|deciders|tags)\**\s*:\**\s*(.+)$", re.I)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# Words of an ADR's status by which it is mapped; the first that occurs counts, none is accepted.
_STATUSES = (
    ("supersed", Status.SUPERSEDED),
    ("deprecated", Status.ARCHIVED),
    ("reject", Status.ARCHIVED),
    ("propos", Status.PROVISIONAL),
    ("draft", Status.PROVISIONAL),
)
_MOST_RULES = 2_000


class _Section(Struct):
    title: str
    level: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


def _sections(text: str) -> list[_Section]:
    """The document cut at its headings; the text before the first has the title ""."""
    # No parser of Markdown: headings outside of fences are all that is asked of one.
    found = [_Section("", 0)]
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1][:3]
        heading = None if fence or mark else _HEADING.match(line)
        if heading:
            found.append(_Section(heading[2], len(heading[1])))
        else:
            found[-1].lines.append(line)
    return found


def read_adr(path: str, text: str, caller: Caller) -> list[Draft]:
    """One decision from an ADR (Nygard's, MADR's and their like): title, status, date, reason.

    Raises:
        UsageError: the file has no title, or nothing that was decided.
    """
    sections = _sections(text)
    title = next((s.title for s in sections if s.level == 1 and s.title), "")
    decided = _text_under(sections, "decision", "decision outcome", "outcome", "solution")
    if not title or not decided:
        raise UsageError(f"{path} is no decision record", "it needs a title and a decision")
    context = _text_under(sections, "context", "context and problem statement", "problem")
    # `Status: accepted` and the like from the head of the document, front matter included.
    head: dict[str, str] = {}
    # The head ends where the text begins: further down, "Status: …" is part of what is told.
    for section in sections[:3]:
        for line in section.lines[:20]:
            if field_ := _FIELD.match(line):
                head.setdefault(field_[1].casefold(), field_[2].strip("\"' *"))
    status = (head.get("status", "") or _text_under(sections, "status")).casefold()
    # Without a day it is 1970 and never today: reading the same file again on another day must
    # change nothing.
    named = _DATE.search(head.get("date", ""))
    at = timestamps.parse(named[0], caller.now, "date") if named else Timestamp(0)
    results = _text_under(sections, "consequences", "positive consequences")
    origin = Origin("adr", "decision", path)
    item = make_draft_item(
        caller, origin, "decision", _NUMBER.sub("", title), at,
        detail="\n\n".join(part for part in (decided, results) if part),
        rationale=context or decided,
        body=Body(origin=origin, context=context[:16_000]),
        status=next((known for word, known in _STATUSES if word in status), Status.ACTIVE),
        tags=("adr", *(tag.strip() for tag in head.get("tags", "").split(",") if tag.strip())),
    )  # fmt: skip
    return [Draft(item, (Link(item.id, Relation.DERIVED_FROM, f"{PATH}{path}"),))]


def _text_under(sections: list[_Section], *titles: str) -> str:
    """The text under the first heading with one of some titles, with the headings below it."""
    for place, section in enumerate(sections):
        if section.title.casefold().strip(" :") in titles:
            parts = [section.text]
            for below in sections[place + 1 :]:
                if below.level <= section.level:
                    break
                parts.append(f"{below.title}\n{below.text}")
            return "\n\n".join(part for part in parts if part.strip())
    return ""


def read_conventions(path: str, text: str, caller: Caller) -> list[Draft]:
    """A convention for each list entry of a file of instructions, with its folder as scope.

    Raises:
        UsageError: there are more than anybody writes.
    """
    folder = PurePosixPath(path).parent.as_posix()
    scope = "project" if folder in (".", "/") or PurePosixPath(path).is_absolute() else folder
    found: dict[str, Draft] = {}
    for title, rule in _rules(text):
        key = blake2b(f"{title}\x1f{rule}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        # The id follows from heading and text, so that moving a rule within the file keeps it.
        origin = Origin(PurePosixPath(path).name.casefold(), key, path)
        item = make_draft_item(
            caller, origin, "convention", rule, Timestamp(0), scope=scope,
            tags=(title,) if title else (), detail="" if len(rule) <= 200 else rule,
        )  # fmt: skip
        found.setdefault(
            item.id, Draft(item, (Link(item.id, Relation.DERIVED_FROM, f"{PATH}{path}"),))
        )
    if len(found) > _MOST_RULES:
        raise UsageError(f"{path} has more than {_MOST_RULES:,} rules", "divide it")
    return list(found.values())


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """(heading, rule) for each outermost list entry, with its nested entries and continued lines.

    One that ends with ":" and has nothing below it is a heading.
    """
    for section in _sections(text):
        rule: list[str] = []
        fence = False
        for line in [*section.lines, ""]:  # the last, empty line ends a rule that is still open
            if _FENCE.match(line):
                fence = not fence
                continue
            bullet = None if fence else _BULLET.match(line)
            is_continued = not fence and line.startswith(("  ", "\t")) and line.strip()
            if rule and not is_continued:
                text_of_rule = " ".join(" ".join(rule).split())
                if text_of_rule and not text_of_rule.endswith((":", "：")):
                    yield section.title, text_of_rule
                rule = []
            if bullet and (not bullet[1] or not rule):
                rule = [bullet[2]] if not bullet[1] else rule
            elif rule and is_continued:
                rule.append(_BULLET.sub(r"\2", line).strip())

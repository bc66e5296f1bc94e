"""Decisions and conventions that a code base already states: ADR files, CLAUDE.md and AGENTS.md.

Only headings, lists and paragraphs are read. What stands in fences is quoted, not said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import PurePosixPath

from satchel.knowledge import timestamps
from satchel.knowledge.model import Body, Caller, Link, Origin, Status, Timestamp
from satchel.knowledge.transfer.import_drafts import Draft, make_draft_item
from satchel.store.errors import UsageError

CONVENTION_FILES = ("claude.md", "agents.md", "claude.local.md", "gemini.md")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_BULLET = re.compile(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.*)$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_NUMBER = re.compile(r"^(?:adr[-\s]*)?0*(\d+)[.:)\s-]+\s*", re.I)
_FIELD = re.compile(r"^[-*\s]*\**(status|date|deciders|tags)\**\s*:\**\s*(.+)$", re.I)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_STATUSES = (
    ("supersed", Status.SUPERSEDED),
    ("deprecated", Status.ARCHIVED),
    ("reject", Status.ARCHIVED),
    ("propos", Status.PROVISIONAL),
    ("draft", Status.PROVISIONAL),
)
_MOST_RULES = 2_000
_LEAST_CHARACTERS = 8


@dataclass(slots=True)
class _Section:
    title: str
    level: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


def _sections(text: str) -> list[_Section]:
    """The document by headings; what stands before the first has the title ""."""
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
    said = _head_fields(sections)
    status = said.get("status", "") or _text_under(sections, "status")
    at = _named_day(said.get("date", ""), caller)
    results = _text_under(sections, "consequences", "positive consequences")
    origin = Origin("adr", "decision", path)
    item = make_draft_item(
        caller, origin, "decision", _NUMBER.sub("", title), at,
        detail="\n\n".join(part for part in (decided, results) if part),
        rationale=context or decided,
        body=Body(origin=origin, context=context[:16_000]), status=_parse_status(status),
        tags=("adr", *(tag.strip() for tag in said.get("tags", "").split(",") if tag.strip())),
    )  # fmt: skip
    return [(item, (Link(item.id, "derived_from", f"path:{path}"),))]


def _text_under(sections: list[_Section], *titles: str) -> str:
    """The text below the first heading with one of some titles, its own headings included."""
    for place, section in enumerate(sections):
        if section.title.casefold().strip(" :") in titles:
            parts = [section.text]
            for below in sections[place + 1 :]:
                if below.level <= section.level:
                    break
                parts.append(f"{below.title}\n{below.text}")
            return "\n\n".join(part for part in parts if part.strip())
    return ""


def _head_fields(sections: list[_Section]) -> dict[str, str]:
    """`Status: accepted` and its like from the head of the document, front matter included."""
    found: dict[str, str] = {}
    for section in sections[:3]:
        for line in section.lines[:20]:
            if said := _FIELD.match(line):
                found.setdefault(said[1].casefold(), said[2].strip("\"' *"))
    return found


def _named_day(date: str, caller: Caller) -> Timestamp:
    """The day that is named, 1970 for none: the same file gives the same id on any day."""
    named = _DATE.search(date)
    return timestamps.parse(named[0], caller.now, "date") if named else Timestamp(0)


def _parse_status(said: str) -> Status:
    folded = said.casefold()
    return next((status for word, status in _STATUSES if word in folded), Status.ACTIVE)


def read_conventions(path: str, text: str, caller: Caller) -> list[Draft]:
    """A convention for each list entry of a file of instructions, for the folder it lies in."""
    folder = PurePosixPath(path).parent.as_posix()
    scope = "project" if folder in (".", "/") or PurePosixPath(path).is_absolute() else folder
    found: dict[str, Draft] = {}
    for title, rule in _rules(text):
        key = blake2b(f"{title}\x1f{rule}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        origin = Origin(PurePosixPath(path).name.casefold(), key, path)
        item = make_draft_item(
            caller, origin, "convention", rule, Timestamp(0), scope=scope,
            tags=(title,) if title else (), detail="" if len(rule) <= 200 else rule,
        )  # fmt: skip
        found.setdefault(item.id, (item, (Link(item.id, "derived_from", f"path:{path}"),)))
    return list(found.values())[:_MOST_RULES]


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """(heading, rule) for each outermost list entry, with what is nested or goes on below it."""
    for section in _sections(text):
        rule: list[str] = []
        fence = False
        for line in [*section.lines, ""]:
            if _FENCE.match(line):
                fence = not fence
                continue
            bullet = None if fence else _BULLET.match(line)
            goes_on = not fence and line.startswith(("  ", "\t")) and line.strip()
            if rule and not goes_on:
                yield from _long_enough(section.title, rule)
                rule = []
            if bullet and (not bullet[1] or not rule):
                rule = [bullet[2]] if not bullet[1] else rule
            elif rule and goes_on:
                rule.append(_BULLET.sub(r"\2", line).strip())


def _long_enough(title: str, rule: list[str]) -> Iterator[tuple[str, str]]:
    said = " ".join(" ".join(rule).split())
    if len(said) >= _LEAST_CHARACTERS:
        yield title, said

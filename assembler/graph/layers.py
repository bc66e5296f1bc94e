"""Rules about what may use what, and the uses that break them. Pure.

A rule is a line of text over paths:

    store -> nothing            what lies below store/ uses nothing outside of it
    assembler -> store          it may use store/ and itself, nothing else
    cli !> indexer, store       it uses neither
    a > b > c                   layers: none uses one to the left of it

A path is a file or a folder of the index; what no rule names is not judged. Guesses do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.store.errors import ConfigError

if TYPE_CHECKING:
    import networkx as nx

MAX_RULES = 200
_NOTHING = "nothing"


class Rule(Struct, frozen=True):
    """`subject` may use `allowed` alone (None: anything), and none of `forbidden`."""

    text: str
    subject: str
    allowed: tuple[str, ...] | None
    forbidden: tuple[str, ...] = ()


class Violation(Struct, frozen=True):
    """A module that uses another against a rule: `uses` places, the first at `path`:`line`."""

    rule: str
    source: str
    target: str
    uses: int
    path: str
    line: int


def read_rules(texts: Sequence[str]) -> tuple[Rule, ...]:
    """The rules of some lines.

    Raises:
        ConfigError: a line is none of the four forms, or there are too many.
    """
    if len(texts) > MAX_RULES:
        raise ConfigError(
            f"architecture.rules has {len(texts)} rules, at most {MAX_RULES} are read",
            "write rules about folders instead of files",
        )
    return tuple(rule for text in texts for rule in _rules(text))


def _rules(text: str) -> Iterator[Rule]:
    sign = next((sign for sign in ("!>", "->", ">") if sign in text), "")
    parts = [part.strip() for part in text.split(sign)] if sign else []
    if not all(map(_paths, parts)) or len(parts) < 2 or (len(parts) > 2 and sign != ">"):
        raise ConfigError(
            f"architecture.rules: {text!r} is no rule",
            "write `a -> b, c`, `a -> nothing`, `a !> b` or `a > b > c`",
        )
    if sign == ">":
        for place, layer in enumerate(parts[1:], 1):
            above = tuple(path for upper in parts[:place] for path in _paths(upper))
            yield from (Rule(text, subject, None, above) for subject in _paths(layer))
        return
    named = () if parts[1] == _NOTHING else _paths(parts[1])
    for subject in _paths(parts[0]):
        yield Rule(text, subject, None, named) if sign == "!>" else Rule(text, subject, named)


def _paths(text: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("/") for part in text.split(",") if part.strip().strip("/"))


def violations(modules: nx.DiGraph[str], rules: Sequence[Rule]) -> tuple[Violation, ...]:
    """Every use that breaks a rule, by path; one that breaks several is listed for the first."""
    found = []
    for source, target in sorted(modules.edges):
        broken = next((rule for rule in rules if _breaks(rule, source, target)), None)
        if broken is not None:
            data = modules.edges[source, target]
            found.append(
                Violation(broken.text, source, target, data["uses"], data["path"], data["line"])
            )
    return tuple(found)


def unknown(modules: nx.DiGraph[str], rules: Sequence[Rule]) -> tuple[str, ...]:
    """Paths that rules name and no module lies at: a rule about nothing holds nothing."""
    named = {p for rule in rules for p in (rule.subject, *(rule.allowed or ()), *rule.forbidden)}
    return tuple(sorted(p for p in named if not any(_is_below(module, p) for module in modules)))


def _breaks(rule: Rule, source: str, target: str) -> bool:
    if not _is_below(source, rule.subject) or _is_below(target, rule.subject):
        return False
    if any(_is_below(target, path) for path in rule.forbidden):
        return True
    return rule.allowed is not None and not any(_is_below(target, path) for path in rule.allowed)


def _is_below(module: str, path: str) -> bool:
    return module == path or module.startswith(path + "/")

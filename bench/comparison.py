"""`python -m bench.comparison` writes docs/COMPARISON.md: Satchel beside its peers, on one page.

What was measured is taken from bench/RESULTS.md, table and command as they stand there, so that the
two cannot part; what others do and say comes from bench/peers.toml. A test holds the page equal to
what this makes, and every piece of evidence that it names to something that is there.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/COMPARISON.md"
_RESULTS = ROOT / "bench/RESULTS.md"
_PEERS = ROOT / "bench/peers.toml"
_SEEDS = ROOT / "bench/seeds.toml"
_MEASURED = ("Questions to files", "Fixes to functions")
"""Sections of bench/RESULTS.md in which peers were run by the same harness."""

ANSWERS = ("kept", "otherwise", "not kept")
"""What may become of a row of bench/seeds.toml."""


def page() -> str:
    """The whole page."""
    said = peers()
    return (
        "\n".join([*_head(), *_measured(), *_features(said), *_seeds(), *_published(said)]) + "\n"
    )


def peers() -> dict[str, Any]:
    """bench/peers.toml."""
    return tomllib.loads(_PEERS.read_text("utf-8"))


def seeds() -> list[dict[str, str]]:
    """The rows of bench/seeds.toml."""
    rows: list[dict[str, str]] = tomllib.loads(_SEEDS.read_text("utf-8"))["seed"]
    return rows


def _head() -> Iterator[str]:
    yield "# Beside its peers"
    yield ""
    yield (
        "Made by `python -m bench.comparison` from bench/RESULTS.md, bench/peers.toml and"
        " bench/seeds.toml; a test holds it equal."
    )


def _measured() -> Iterator[str]:
    yield "\n## Measured, by one harness on one machine"
    for heading in _MEASURED:
        command, about, table = section(heading)
        yield f"\n**{heading}.** {about}\n\n```\n{command}\n```\n\n{table}"


def section(heading: str) -> tuple[str, str, str]:
    """(command, first sentence, first table) of a section of bench/RESULTS.md.

    Raises:
        ValueError: it has not all three.
    """
    _, found, rest = _RESULTS.read_text("utf-8").partition(f"\n## {heading}\n")
    text = rest.partition("\n## ")[0]
    fence = re.search(r"```\n(.*?)\n```\n+(.*?)(?:\n|$)", text, re.DOTALL)
    table = re.search(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    if not found or fence is None or table is None:
        raise ValueError(f"bench/RESULTS.md: {heading!r} has no command, sentence and table")
    about = re.match(r".*?[a-z\d)]\.(?= |$)", fence[2])
    return fence[1], about[0] if about else fence[2], table[0].rstrip("\n")


def _features(said: dict[str, Any]) -> Iterator[str]:
    yield "\n## What they do\n"
    yield (
        "Read in the sources and documents of these versions, November 2026. “–”: none seen, which"
        " proves nothing. What Satchel does is held by what stands beside it.\n"
    )
    yield f"| | Satchel | held by | {' | '.join(said['peers'])} |"
    yield "|---|---|---|" + "---|" * len(said["peers"])
    for row in said["row"]:
        cells = (row["what"], row["satchel"], f"`{row['evidence']}`", *row["cells"])
        yield f"| {' | '.join(cells)} |"


def _seeds() -> Iterator[str]:
    rows = seeds()
    counted = [sum(row["answer"] == answer for row in rows) for answer in ANSWERS]
    yield "\n## What became of the systems that Satchel began from\n"
    yield (
        f"{len(rows)} rows: {counted[0]} kept, {counted[1]} met otherwise, {counted[2]} not kept."
        " Held by what stands in the last column.\n"
    )
    yield "| system | what | | how | held by |\n|---|---|---|---|---|"
    for row in rows:
        cells = (row["system"], row["what"], row["answer"], row["how"], f"`{row['evidence']}`")
        yield f"| {' | '.join(cells)} |"


def _published(said: dict[str, Any]) -> Iterator[str]:
    yield "\n## What others publish\n"
    yield (
        "Each on questions of its own, so no line can be held against another, or against the"
        " tables above. “N times fewer tokens” is left out: everybody chooses what to be compared"
        " with.\n"
    )
    yield "| system | figure | on | by |\n|---|---|---|---|"
    for row in said["published"]:
        yield f"| {row['system']} | {row['figure']} | {row['on']} | {row['by']} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

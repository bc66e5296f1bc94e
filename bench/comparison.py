"""`python -m bench.comparison` writes docs/COMPARISON.md: Satchel beside its peers, on one page.

What others do and say comes from bench/peers.toml, what the first five systems could do from
bench/seeds.toml. A test holds the page equal to what this makes, and every piece of evidence that
it names to something that is there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/COMPARISON.md"
_PEERS = ROOT / "bench/peers.toml"
_SEEDS = ROOT / "bench/seeds.toml"

_MARKS = {"kept": "", "another way": " (*)", "not kept": " (not kept)"}
ANSWERS = tuple(_MARKS)
"""What may become of a row of bench/seeds.toml."""


def page() -> str:
    """The whole page."""
    said = peers()
    return "\n".join([*_head(), *_features(said), *_seeds(), *_published(said)]) + "\n"


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
        "[bench/RESULTS.md](../bench/RESULTS.md) has what was measured beside peers; this page says"
        " what each does (`python -m bench.comparison` writes it)."
    )


def _features(said: dict[str, Any]) -> Iterator[str]:
    yield "\n## What they do\n"
    yield (
        "What the sources and documents of these versions say, read in November 2026. “–” means"
        " that nothing was seen, which does not prove that nothing is there. “Checked by” names the"
        " test or the measurement behind what is said of Satchel.\n"
    )
    yield f"| | Satchel | checked by | {' | '.join(said['peers'])} |"
    yield "|---|---|---|" + "---|" * len(said["peers"])
    for row in said["row"]:
        cells = (row["what"], row["satchel"], f"`{row['evidence']}`", *row["cells"])
        yield f"| {' | '.join(cells)} |"


def _seeds() -> Iterator[str]:
    rows = seeds()
    counted = [sum(row["answer"] == answer for row in rows) for answer in ANSWERS]
    yield "\n## The five systems that Satchel started from\n"
    yield (
        "Satchel was to do what five earlier systems did or promised: Shaktiman (an index of code"
        " with search and context for agents), Twining, Shabka and jido_code (memories of what a"
        " team knows) and riglm2 (a choice of tools that follows the task)."
        f" Of {len(rows)} things {counted[0]} are kept, {counted[1]} are met in another way (*),"
        f" and {counted[2]} are not kept.\n"
    )
    yield "| what it does or promises | in Satchel | checked by |\n|---|---|---|"
    for system, of_system in groupby(rows, itemgetter("system")):
        yield f"| **{system}** | | |"
        for row in of_system:
            how = f"{row['how']}{_MARKS[row['answer']]}"
            yield f"| {row['what']} | {how} | `{row['evidence']}` |"


def _published(said: dict[str, Any]) -> Iterator[str]:
    yield "\n## What others publish\n"
    yield (
        "Each figure was measured on other questions, so no row can be compared with another or"
        " with Satchel's. Claims of “N times fewer tokens” are left out: each author chose what to"
        " compare with.\n"
    )
    yield "| system | figure | on | by |\n|---|---|---|---|"
    for row in said["published"]:
        yield f"| {row['system']} | {row['figure']} | {row['on']} | {row['by']} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

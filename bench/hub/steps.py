"""Is a repository that was built step by step what it is when it is built at once, in PostgreSQL?

python -m bench.hub.steps [--steps N] [--seed S] [--every N]

Changes a tree at random (files come, go, change and move; names collide), builds it after each
change, and after every so many compares the rows with those of a hub that builds the same tree for
the first time: files and contents, symbols, terms, and edges by what they join. Prints how many
comparisons were made; exit 1 with the first difference.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.hub.team import build_named, new_database
from satchel.hub import creation, database, demo
from satchel.hub.database import Hub, Row, rows

_NAMES = ("load", "save", "retry", "jitter", "parse", "render")
_FILES = tuple(f"{folder}{name}.py" for folder in ("", "a/", "a/b/", "tests/") for name in _NAMES)
_OF_SYMBOL = (
    "SELECT f.path || '#' || (e.{0} - f.first_symbol)::text::bytea FROM files f"
    " WHERE f.build_id = e.build_id AND e.{0} >= f.first_symbol"
    " AND e.{0} < f.first_symbol + f.n_symbols"
)
_HELD = (
    "SELECT f.path, c.digest, c.language, f.is_test FROM files f JOIN contents c"
    " ON c.id = f.content_id ORDER BY 1",
    "SELECT f.path, s.ordinal, s.qualified, s.line FROM files f JOIN content_symbols s"
    " USING (content_id) ORDER BY 1, 2",
    "SELECT term, sum(n_chunks)::bigint FROM postings GROUP BY 1 ORDER BY 1",
    "SELECT field, total FROM field_lengths ORDER BY 1",
    f"SELECT ({_OF_SYMBOL.format('source_id')}) AS a, ({_OF_SYMBOL.format('target_id')}) AS b,"
    " kind, line, rule, confidence FROM edges e ORDER BY 1, 2, 3, 4",
    "SELECT path, reason FROM skipped ORDER BY 1",
)


def change(root: Path, chance: random.Random) -> None:
    """One change of a tree."""
    path = root / chance.choice(_FILES)
    there = sorted(each for each in root.rglob("*.py"))
    act = chance.random()
    if act < 0.15 and len(there) > 3:
        chance.choice(there).unlink()
    elif act < 0.3 and there and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        chance.choice(there).rename(path)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(chance), "utf-8")


def _text(chance: random.Random) -> str:
    lines = [
        f"from {chance.choice(_NAMES)} import {chance.choice(_NAMES)}"
        for _ in range(chance.randrange(1, 4))
    ]
    for name in chance.sample(_NAMES, chance.randrange(1, 4)):
        lines += [
            f"def {name}(n):",
            f"    return {chance.choice(_NAMES)}(n + {chance.random():.2f})",
        ]
    return "\n".join((*lines, ""))


def held(hub: Hub) -> list[list[Row]]:
    """What a hub holds, whatever ids its rows have."""
    return [rows(hub, sql) for sql in _HELD]


def run(server: str, folder: Path, steps: int, seed: int, every: int) -> int:
    """Change, build and compare; returns how many comparisons. Raises: AssertionError."""
    chance, root, compared = random.Random(seed), folder / "tree", 0
    root.mkdir()
    url = _new(server, "steps")
    with database.connected(url) as hub:
        for step in range(1, steps + 1):
            change(root, chance)
            build_named(url, hub, folder / "kept", root)
            if step % every and step != steps:
                continue
            fresh = _new(server, f"fresh{step}")
            with database.connected(fresh) as other:
                build_named(fresh, other, folder / f"fresh{step}", root)
                for mine, theirs in zip(held(hub), held(other), strict=True):
                    if mine != theirs:
                        differ = sorted(map(repr, set(map(tuple, mine)) ^ set(map(tuple, theirs))))
                        raise AssertionError(f"step {step}: {differ[:6]}")
            compared += 1
    return compared


def _new(server: str, name: str) -> str:
    url = new_database(server, name)
    creation.init(url)
    return url


def main(arguments: Sequence[str] | None = None) -> int:
    """Change, build, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=50)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, demo.server(None) as server:
        try:
            n = run(server, Path(folder), options.steps, options.seed, options.every)
        except AssertionError as error:
            print("DIFFERS", error)
            return 1
    print(f"{options.steps} steps, {n} comparisons, no difference")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

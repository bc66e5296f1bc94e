"""A file that was edited has the rows that it has in a fresh index, after a switch as well."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from satchel.indexer import carry_out
from satchel.indexer.extract.pool import Pool
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import RefreshOptions
from satchel.indexer.scan.ignore_rules import WalkOptions
from satchel.store.sqlite import database
from satchel.store.sqlite.dump import dump
from tests.support.satchel import silent

_LINES = [
    "import os",
    "",
    *[
        line
        for name in ("alpha", "beta", "gamma", "delta")
        for line in (f"def {name}(given):", "    made = open_it(given)",
                     f"    return os.path.join(made, {name}_of(given), strip(made))", "")
    ],
    "class Last:",
    "    def run(self):",
    "        return alpha(beta(gamma(delta(1))))",
]  # fmt: skip
Edit = Callable[[list[str]], None]


class Pair:
    """One file in a tree, and its index."""

    def __init__(self, folder: Path, pool: Pool) -> None:
        self.folder, self._pool = folder, pool
        self.root = folder / "tree"
        self.root.mkdir()
        self.write(_LINES)
        (self.root / "other.py").write_text("from a import alpha\n\nalpha(1)\n", encoding="utf-8")
        self.index = self._refreshed("index")

    def write(self, lines: list[str]) -> None:
        (self.root / "a.py").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _refreshed(self, name: str) -> Path:
        index = self.folder / name
        index.mkdir(exist_ok=True)
        with closing(database.connect(index, writable=True)) as connection:
            options = RefreshOptions(WalkOptions(), WorkerLimits(), 0)  # every file is looked at
            refresh(connection, self.root, options, silent, None, self._pool)
        return index

    def refresh_and_compare(self, name: str) -> None:
        self._refreshed("index")
        assert dump(self.index) == dump(self._refreshed(name))


@pytest.fixture(scope="module")
def pool() -> object:
    with Pool(WorkerLimits(n_workers=1)) as opened:
        yield opened


@pytest.fixture
def pair(tmp_path: Path, pool: Pool) -> Pair:
    return Pair(tmp_path, pool)


def _above(lines: list[str]) -> None:
    lines.insert(0, "# a comment")


def _between(lines: list[str]) -> None:
    lines.insert(6, "# a comment")


def _two_places(lines: list[str]) -> None:
    lines.insert(11, "# two\n# lines")
    del lines[5]


def _other_name(lines: list[str]) -> None:
    lines[:] = [line.replace("beta", "bet2") for line in ["", *lines]]


def _other_call(lines: list[str]) -> None:
    lines[3] = lines[3].replace("open_it", "close")
    lines.insert(4, "    # closed")


def _moved_within_a_line(lines: list[str]) -> None:
    lines[7] = "    made = open_it(given)  # a word"


def test_many_edits_one_after_the_other(pair: Pair) -> None:
    random = Random(5)
    lines = list(_LINES)
    for number in range(12):
        for _ in range(random.randrange(1, 4)):
            random.choice([_above, _between, _two_places, _other_call])(lines)
        pair.write(lines)
        pair.refresh_and_compare(f"fresh{number}")


def _more_calls(lines: list[str]) -> None:
    lines.insert(4, "    strip(made)\n    beta(made)")


def _broken(lines: list[str]) -> None:
    lines.append("x = = 1")


@pytest.fixture
def switched(monkeypatch: pytest.MonkeyPatch) -> None:
    """One changed file counts as a switched branch, whose edges are kept."""
    monkeypatch.setattr(carry_out, "SWITCHED_FILES", 1)
    monkeypatch.setattr(carry_out, "DERIVE_ALL_SHARE", 2.0)


@pytest.mark.usefixtures("switched")
@pytest.mark.parametrize(
    "edit",
    [_above, _between, _two_places, _other_name, _other_call, _more_calls, _moved_within_a_line],
)
def test_a_switch_back_takes_back_what_the_switch_did(pair: Pair, edit: Edit) -> None:
    lines = list(_LINES)
    edit(lines)
    pair.write(lines)
    pair.refresh_and_compare("there")
    for number, branch in enumerate((_LINES, lines, _LINES, lines)):
        pair.write(branch)
        pair.refresh_and_compare(f"fresh{number}")


@pytest.mark.usefixtures("switched")
def test_a_problem_comes_and_goes(pair: Pair) -> None:
    lines = list(_LINES)
    _broken(lines)
    for number, branch in enumerate((lines, _LINES, lines, _LINES)):
        pair.write(branch)
        pair.refresh_and_compare(f"fresh{number}")


@pytest.mark.usefixtures("switched")
def test_what_is_damaged_of_a_switch_is_told_again(pair: Pair) -> None:
    pair.write(["# above", *_LINES])
    pair.refresh_and_compare("there")
    with closing(database.connect(pair.index, writable=True)) as connection:
        connection.execute("UPDATE kept_edges SET edges = x'28b52ffd0102030405'")
        assert connection.changes() > 0
    pair.write(_LINES)
    pair.refresh_and_compare("back")

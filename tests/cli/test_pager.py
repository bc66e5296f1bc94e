"""Long output on a terminal goes through the pager that the user's environment names."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from satchel.cli import pager
from tests.support.pseudo_terminal import Seen, run
from tests.support.satchel import index, satchel

CODE = "\n".join(f"def number_{n}():\n    return {n}\n\n" for n in range(60))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "numbers.py").write_text(CODE, encoding="utf-8")
    index(root)
    return root


def script(path: Path, mark: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nsed 's/^/{mark}: /'\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def shown(root: Path, *words: str, lines: int = 24, **environment: str) -> Seen:
    seen = run(*words, cwd=root, environment=environment, size=(lines, 100))
    assert seen.code == 0, seen.text
    return seen


def test_what_is_longer_than_the_terminal_goes_through_the_pager(root: Path, tmp_path: Path):
    mine, other = script(tmp_path / "mine", "mine"), script(tmp_path / "other", "other")
    long, short = ("show", "numbers.py:1-100"), ("show", "number_7")
    text = shown(root, *long, SATCHEL_PAGER=str(mine), PAGER=str(other)).text
    assert "mine: def number_0():" in text
    assert "other: def number_0():" in shown(root, *long, PAGER=str(other)).text
    for words in (short, (*long, "--no-pager"), (*long, "--json")):
        assert "mine:" not in shown(root, *words, SATCHEL_PAGER=str(mine)).text
    for none in ("", "cat", "no-such-program", "'unclosed"):
        assert "def number_0():" in shown(root, *long, SATCHEL_PAGER=none, PAGER=str(mine)).text
    # In a pipe there is nobody to turn pages.
    piped = satchel(*long, cwd=root, environment={"SATCHEL_PAGER": str(mine)})
    assert piped.stdout.startswith(b"numbers.py:1-100\ndef number_0")


def test_a_repository_names_no_pager(root: Path, tmp_path: Path):
    planted = script(root / "less", "planted")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text(f"[core]\n\tpager = {planted}\n", encoding="utf-8")
    folders = {"": "", ".": ".", "both": f".{os.pathsep}{os.pathsep}{tmp_path / 'bin'}"}
    mine = script(tmp_path / "bin" / "less", "mine")
    for path in folders.values():
        found = pager._program({"PATH": path})
        assert found == ([str(mine)] if "bin" in path else [])
        assert pager._program({"PATH": path, "PAGER": "./less"}) == []
    text = shown(root, "show", "numbers.py:1-100", PATH=f".:{tmp_path / 'bin'}:/usr/bin:/bin").text
    assert "mine: def number_0():" in text and "planted" not in text


def test_lines_of_source_are_numbered_on_request(root: Path):
    (root / "long.py").write_text(
        "def long():\n    " + '"""Long.\n\n' + "    Prose about it.\n" * 12 + '    """\n'
        "    return the_end\n", encoding="utf-8",
    )  # fmt: skip
    pack = satchel("context", "-n", "long the_end", cwd=root).stdout.decode().splitlines()
    numbers = {line.split()[0]: line for line in pack if line.lstrip()[:1].isdigit()}
    assert numbers["17"] == "17      return the_end" and numbers["1"] == " 1  def long():"
    plain = satchel("context", "long the_end", cwd=root).stdout.decode().splitlines()
    assert [line for line in pack if line.startswith(("[", "`", "…"))] == [
        line for line in plain if line.startswith(("[", "`", "…"))
    ]
    full = satchel("search", "--mode", "full", "-n", "number_59", cwd=root).stdout.decode()
    assert "237  def number_59():" in full
    assert b"237  def number_59" in satchel("show", "-n", "number_59", cwd=root).stdout
    assert b":237-238" in satchel("symbols", "-n", "number_59", cwd=root).stdout

"""A first index in a terminal: it shows how far it is, and Ctrl-C loses nothing that was done."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.pseudo_terminal import CTRL_C, run
from tests.support.satchel import satchel

FILES = 900
BODY = "".join(f"def step_{n}(value):\n    return value + {n}\n\n\n" for n in range(40))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for number in range(FILES):
        (tmp_path / f"m{number}.py").write_text(f"NUMBER = {number}\n{BODY}", encoding="utf-8")
    return tmp_path


def test_every_phase_is_shown_and_ctrl_c_loses_nothing(root: Path) -> None:
    # The bar counts files that are in the index: that many must still be there.
    counted: list[int] = []

    def press(text: str) -> bytes:
        found = re.findall(r"indexing.*?\b([0-9]+) files", text)
        counted[:] = [int(found[-1])] if found and int(found[-1]) > 0 else []
        return CTRL_C if counted else b""

    stopped = run("reindex", cwd=root, press=press, environment={"SATCHEL_INDEX_WORKERS": "1"})
    assert stopped.code == 130, stopped.text
    assert "stopping…" in stopped.text
    kept = json.loads(satchel("status", "--json", cwd=root).stdout)
    assert 0 < counted[0] <= kept["files"] < FILES and not kept["complete"]
    assert f"interrupted; the index holds {kept['files']} files so far" in stopped.text
    again = run("reindex", cwd=root)
    assert again.code == 0
    assert f"{FILES - kept['files']} added, 0 changed, 0 removed, {kept['files']} unchanged" in (
        again.text
    )
    for phase in ("indexing", "vectors"):
        assert phase in stopped.text + again.text

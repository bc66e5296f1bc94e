"""What a pack says of an excerpt costs little beside the excerpt."""

import json
import re
from pathlib import Path
from statistics import median

from satchel.store import tokens
from tests.packing.test_golden_packs import GOLDEN
from tests.support.satchel import satchel

MOST = 12
"""Tokens of an excerpt's lines, symbol and score or reason, in the middle of all.

A long name costs more, and the fence comes on top."""


def test_lines_symbol_and_score_of_an_excerpt_cost_about_twelve_tokens():
    costs = []
    for file in sorted(GOLDEN.glob("*.txt")):
        text = file.read_text("utf-8")
        fence = re.escape(text.split()[1])
        said = re.findall(rf"^{fence}( \d.*)$", text, re.MULTILINE) if fence else []
        assert all(re.fullmatch(r" \d+(-\d+)? \S.*", line) for line in said)
        costs += [tokens.count(line + "\n") for line in said]
    assert len(costs) > 20 and median(costs) <= MOST


def test_a_pack_says_what_the_parser_lost_of_a_file(tmp_path: Path):
    (tmp_path / "half.py").write_text("def lease(job):\n    return job\n\n\ndef (((\n")
    (tmp_path / "whole.py").write_text("def lease_again(job):\n    return job\n")
    done = satchel("context", "lease a job", cwd=tmp_path)
    assert "half.py (not understood: 1 of 5 lines, from 5)" in done.stdout.decode()
    done = satchel("context", "lease a job", "--json", cwd=tmp_path)
    told = {each["path"]: each["parsed"] for each in json.loads(done.stdout)["excerpts"]}
    assert told == {"half.py": False, "whole.py": True}

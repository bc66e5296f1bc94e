"""What a pack says of an excerpt costs little beside the excerpt."""

import re
from statistics import median

from satchel.store import tokens
from tests.packing.test_golden_packs import GOLDEN

MOST = 12
"""Tokens of an excerpt's lines, symbol and score or reason, in the middle of all; a long name costs more, and the fence comes on top."""


def test_lines_symbol_and_score_of_an_excerpt_cost_twelve_tokens():
    costs = []
    for file in sorted(GOLDEN.glob("*.txt")):
        text = file.read_text("utf-8")
        fence = re.escape(text.partition(" between ")[2].partition(" ")[0])
        said = re.findall(rf"^{fence}( \d.*)$", text, re.MULTILINE) if fence else []
        assert all(re.fullmatch(r" \d+(-\d+)? \S.*", line) for line in said)
        costs += [tokens.count(line + "\n") for line in said]
    assert len(costs) > 20 and median(costs) <= MOST

"""Which messages of commits ask for a change of code."""

import pytest

from satchel.evaluation import messages


@pytest.mark.parametrize(
    ("subject", "asks"),
    [
        ("Fix the order of retries after a timeout", True),
        ("Update the reader when its file changes", True),
        ("update dev dependencies", False),
        ("Update all npm deps to fix an audit warning", False),
        ("Bump requests from 2.1 to 2.2", False),
        ("fix it", False),
    ],
)
def test_a_message_asks_for_a_change_or_not(subject: str, asks: bool):
    assert messages.is_question(subject) is asks

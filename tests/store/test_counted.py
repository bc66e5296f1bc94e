"""Messages count in the number of what they count."""

import pytest

from satchel.store.counted import counted


@pytest.mark.parametrize(
    ("n", "nouns", "said"),
    [
        (0, ("file",), "0 files"),
        (1, ("file",), "1 file"),
        (2, ("file",), "2 files"),
        (1_200, ("line",), "1,200 lines"),
        (1, ("match", "matches"), "1 match"),
        (3, ("match", "matches"), "3 matches"),
    ],
)
def test_a_number_comes_with_its_noun(n: int, nouns: tuple[str, ...], said: str):
    assert counted(n, *nouns) == said

"""Secrets made up in their issuers' formats are found, what looks alike is not."""

from bench.robustness.secret_scan import HARMLESS, SECRETS, labelled
from satchel.store.secrets import scan

EACH = 40
UNMARKED = {"password assigned", "JSON web token"}
"""Nothing tells them from other text; a rule for them would cry wolf."""


def test_what_has_a_mark_is_found_and_what_looks_alike_is_not():
    found, cried = labelled(EACH, seed=5)
    assert {kind for kind in SECRETS if found[kind] < 0.95 * EACH} == UNMARKED
    assert {kind for kind in HARMLESS if cried[kind]} == set()


def test_a_key_that_everybody_has_opens_nothing():
    known = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw"
    assert not list(scan(f"AccountKey={known}==".encode()))


def test_a_secret_is_found_in_a_long_text_at_even_and_odd_places():
    token = b"ghp_" + b"Zq3Rt7Wx9Lm2Kp5Vb8Nc4Hd6Jf1Gs0Ty3QwE"
    for blanks in (4_000, 4_001):
        (found,) = scan(b" " * blanks + b'"' + token + b'"\n')
        assert found == (1, "GitHub token")

"""Secrets made up in their issuers' formats are found, what looks alike is not."""

from bench.robustness.secret_scan import BESIDE, HARMLESS, SECRETS, beside, labelled
from satchel.store.secrets import redacted, scan

EACH = 40
UNMARKED = {"password assigned", "JSON web token"}
"""Nothing tells them from other text; a rule for them would cry wolf."""


def test_what_has_a_mark_is_found_and_what_looks_alike_is_not():
    found, cried = labelled(EACH, seed=5)
    assert {kind for kind in SECRETS if found[kind] < 0.95 * EACH} == UNMARKED
    assert {kind for kind in HARMLESS if cried[kind]} == set()


def test_what_is_assigned_beside_a_found_key_to_a_name_that_says_secret_is_one_too():
    found, cried = beside(EACH, seed=5)
    assert all(found[kind] > 0.8 * EACH for kind in BESIDE) and cried.total() == 0
    key, secret = "AKIAZQ3TR7WXLM2KP5VB", "qZ3Rt7Wx9Lm2Kp5Vb8Nc4Hd6Jf1Gs0Ty3QwE/x+4"
    text = (
        f"id = '{key}'\nsecret = '{secret}'\n\n" + "# more\n" * 9 + f"\ntoken = '{secret[::-1]}'\n"
    )
    assert [rule for _, rule in scan(text.encode())] == ["AWS access key", "secret beside another"]
    clean = redacted(text.encode())
    assert secret.encode() not in clean and secret[::-1].encode() in clean
    assert redacted(clean) == clean


def test_a_key_that_everybody_has_opens_nothing():
    known = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw"
    assert not list(scan(f"AccountKey={known}==".encode()))


def test_a_secret_is_found_in_a_long_text_at_even_and_odd_places():
    token = b"ghp_" + b"Zq3Rt7Wx9Lm2Kp5Vb8Nc4Hd6Jf1Gs0Ty3QwE"
    for blanks in (4_000, 4_001):
        (found,) = scan(b" " * blanks + b'"' + token + b'"\n')
        assert found == (1, "GitHub token")

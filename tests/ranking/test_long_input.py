"""Input that is longer than a question may be: what is kept of it."""

import pytest

from satchel.assembler.budget import MAX_QUERY
from satchel.assembler.query import diffs
from satchel.assembler.query.long_input import Input, read, shortened

LIMIT = 10_000
NOISE = [f"tests/test_{n}.py ........" for n in range(1_500)]


def test_what_is_short_enough_is_kept_as_it_is():
    assert shortened("how are retries scheduled", LIMIT) == ("how are retries scheduled", "")


def test_of_a_log_the_failure_and_the_end_are_kept():
    error = ["Traceback (most recent call last):", '  File "a.py", line 3, in f', "KeyError: 'x'"]
    text, note = shortened("\n".join(["run 7", *NOISE, *error, *NOISE, "2 failed"]), LIMIT)
    assert len(text) <= LIMIT
    assert text.startswith("run 7\n")
    assert text.endswith("\n2 failed")
    assert "\n".join(error) in text
    assert "\n[… " in text
    assert note.endswith(" of 3,005 lines")
    _, note = shortened("ERROR " + "x" * 20_000, LIMIT)
    assert note.endswith("1 of 1 line, at most 400 characters of each")


PANIC = "panic: assignment to entry in nil map\n\ngoroutine 7 [running]:\nmain.f(0x1)\n\t/s/a.go:3"
UNCAUGHT = 'Exception in thread "main" a.b.Odd\n\tat a.b.C.d(C.kt:28)\nCaused by: a.Deep: x'


@pytest.mark.parametrize("error", [PANIC, UNCAUGHT], ids=["Go", "Java"])
def test_one_failure_in_a_long_log_is_found(error: str):
    text, note = shortened("\n".join([*NOISE, error, *NOISE]), LIMIT)
    assert error in text
    assert "what failed" in note


def test_of_a_diff_whole_hunks_of_every_file_are_kept():
    files = [
        f"diff --git a/f{n}.py b/f{n}.py\n--- a/f{n}.py\n+++ b/f{n}.py\n"
        + "".join(f"@@ -{h},1 +{h},1 @@\n-old{h} {'x' * 40}\n+new{h}\n" for h in range(1, 21))
        for n in range(20)
    ]
    text, note = shortened("".join(files), LIMIT)
    assert len(text) <= LIMIT
    assert all(f"+++ b/f{n}.py" in text for n in range(20))
    assert "whole hunks" in note
    assert len({hunk.path for hunk in diffs.read(text).hunks}) == 20


def test_of_prose_the_beginning_and_the_end_are_kept():
    lines = [f"sentence {n} of a long report" for n in range(2_000)]
    text, _ = shortened("\n".join(lines), LIMIT)
    assert text.startswith("sentence 0 ")
    assert text.endswith("sentence 1999 of a long report")
    assert len(text) <= LIMIT


def test_a_long_diff_is_a_review_of_all_of_it():
    hunk = "--- a/{0}.py\n+++ b/{0}.py\n@@ -1,1 +1,2 @@\n old\n+{1}\n"
    diff = "".join(hunk.format(f"file{n}", "x" * 300) for n in range(40))
    asked = f"Is this right?\n\n{diff}"
    assert read(asked, reviews=True) == Input("Is this right?", asked)
    assert read(diff[:700], reviews=True) == Input(diff[:700]), "a short one is as it is"
    log = "error: nothing works\n" * 900
    assert not read(log, reviews=True).changes


def test_one_long_line_is_read_to_its_end_and_cut_between_words():
    words = [f"word{n}" for n in range(3_000)]
    cut = read(" ".join(words))
    text, (note,) = cut.text, cut.notices
    kept = text.replace("…", " ").split()
    assert {word for word in kept if word.startswith("word")} <= {*words}
    assert kept[0] == words[0] and kept[-1] == words[-1]
    assert len(text) > MAX_QUERY / 2 and "broken after 400 characters" in note
    log = read(f"FAILED a::b - {' '.join(words)}\n" * 30).text.splitlines()
    ends = {line.removesuffix("…").split()[-1] for line in log if line.startswith("FAILED")}
    assert ends and ends <= {*words}

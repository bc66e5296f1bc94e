"""What a question says: names, paths, what it is about, and how else its words are spelled."""

import pytest

from satchel.assembler.query import read_query
from satchel.store import terms


def spellings(text: str) -> dict[str, tuple[str, ...]]:
    return {term.text: term.spellings for term in read_query.read_words(text).terms}


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("configuration", "cfg"),
        ("cfg", "configuration"),
        ("authentication", "auth"),
        ("auth", "authorization"),
        ("requests", "req"),
        ("parameters", "param"),
        ("initialize", "init"),
        ("databases", "db"),
        ("transformation", "transform"),
        ("serialize", "serialization"),
        ("deployment", "deploy"),
    ],
)
def test_a_word_meets_its_abbreviation(asked: str, written: str):
    assert terms.split(written)[0] in spellings(asked)[terms.split(asked)[0]]


def test_a_spelling_that_is_asked_for_itself_is_not_counted_twice():
    found = spellings("which cfg is the configuration")
    assert terms.split("configuration")[0] not in found["cfg"]
    assert "conf" in found["cfg"]


@pytest.mark.parametrize(
    "text",
    ["Fix the retry of a job", "fix(queue)!: lose no lease", "worker: handle SIGTERM twice",
     "don't retry what is done", "Do not log secrets", "Fixes\n\na leak",
     "fix: wrong error when a queue is empty", "perf(scala): one pass is enough", "[BUGFIX] empty",
     "Worker.run() leaks a socket", "Added missing lock", "queue: empty names are accepted",
     "Log the name of a dropped job", "Jobs should be sent once", "Stopped retrying too early",
     "I want to mark single words", "Can you add a limit?", "please make it faster",
     "We need to support proxies", "I'd like the worker to accept a file",
     "Could you help me implement retries?", "It would be nice if users could hide the bell",
     "pls fix the retry of a job", "port the retry of a job", "retry jobs with jitter",
     "Bitte die Warteschlange beschleunigen", "der Export stürzt ab",
     "ajoute une option pour le délai", "corrige la cola vacía"],
)  # fmt: skip
def test_a_wish_for_a_change_is_told_from_a_question(text: str):
    assert read_query.read_words(text).is_change


@pytest.mark.parametrize(
    "text",
    ["how to fix a bug", "update", "fix_all handler", "handler", "where are jobs set up", "Fix",
     "config: how it is read", "Update::run", "the fix of a leak",
     "Show where jobs are retried", "update and delete statements", "log rotation handler",
     "how a failed job is not lost", "error handling of the queue", "Is a job ever retried?",
     "I want to know where jobs are retried", "Can you explain the queue", "please tell me why",
     "help me understand how jobs fail", "I want the list of handlers",
     "wie werden Aufträge wiederholt", "où est la file d'attente"],
)  # fmt: skip
def test_a_question_is_no_wish_for_a_change(text: str):
    assert not read_query.read_words(text).is_change


def test_words_that_only_ask_for_something_are_not_searched_for():
    asked = read_query.read_words("Could you please help me implement retries in the client?")
    assert asked.terms == read_query.read_words("implement retries in the client").terms
    assert asked.text.startswith("Could")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("why does send() block", ("send",)),
        ("add an option to z.string().url() and close()", ("z.string", "url", "close")),
        ("fix(parser): file(s) with option(al) parts (all)", ()),
    ],
)
def test_a_word_with_empty_brackets_is_a_name(text: str, names: tuple[str, ...]):
    assert set(names) == set(read_query.read_words(text).identifiers)


@pytest.mark.parametrize("tag", ["[Bug] ", "[bug]: ", "Bug: ", "Feature request: ", "[Issue] "])
def test_the_tag_of_a_tracker_is_not_searched_for(tag: str):
    title = "cookies are lost when the response is replaced"
    plain = read_query.read_words(title).terms
    assert read_query.read_words(tag + title).terms == plain
    # A component tells where to look.
    assert read_query.read_words(f"[cookie] {title}").terms != plain


def test_a_text_that_may_be_either_is_told_as_unsure():
    told = [read_query.read_words(t).change for t in ("fix: the queue", "handle errors", "x")]
    assert [change.sureness in (0.0, 1.0) for change in told] == [True, False, True]

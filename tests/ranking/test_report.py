"""A filled-in form is read as its report: what its template says finds nothing."""

from pathlib import Path

import pytest

from satchel.assembler.query import read_query, report
from satchel.assembler.query.question import Question
from satchel.assembler.query.read_query import Topic
from satchel.assembler.ranking import rank
from satchel.assembler.search import search
from satchel.assembler.values import Scored
from satchel.assembler.weights import DEFAULT
from satchel.store import terms
from satchel.store.model import RepoPath
from satchel.store.records import ChunkRecord
from tests.support.satchel import index

TITLE = "Delay of a retry is lost after the second attempt"
FORM = f"""# [Bug]: {TITLE}

<!-- Read CONTRIBUTING.md first; fixes go through PULL_REQUEST_TEMPLATE.md -->
### Is there an existing issue for this?
- [x] I have searched the documentation in docs/template.md

### Current behavior
`next_delay` gives the same number twice, see
https://github.com/owner/name/blob/main/src/queue.py#L10

**To Reproduce**
```
$ worker --burst --config settings.toml
```

### Environment
- OS: Ubuntu 22.04
- numpy==1.26.4 with the animal package

### Anything else?
_No response_
"""


def test_a_form_is_told_apart():
    told = report.read(FORM)
    assert told is not None
    assert told.title == TITLE
    assert (
        told.prose.split() == "`next_delay` gives the same number twice, see src/queue.py".split()
    )
    assert told.code == "$ worker --burst --config settings.toml"


@pytest.mark.parametrize(
    "text",
    [
        TITLE,
        f"{TITLE}\n\nIt was right before.",
        f"{TITLE}\n{'It was right before. ' * 10}\n--- a/delays.py\n+++ b/delays.py\n@@ -1 +1 @@",
        "<!-- a -->\n" * 40,
        "## Environment\n- OS: Linux\n" * 20,
    ],
)
def test_what_is_no_report_is_read_as_before(text: str):
    assert report.read(text) is None


@pytest.mark.parametrize(
    "title", ["Make sure that a retry waits", "Fix the length of list[int] and of tuple[str]"]
)
def test_a_title_stays_whole(title: str):
    told = report.read(f"{title}\n\n{'Something was wrong with the worker. ' * 6}")
    assert told is not None
    assert told.title == title


def test_the_questions_of_a_form_and_where_it_ran_are_no_part_of_what_is_reported():
    told = report.read(
        f"\N{BUG} [Bug]: {TITLE}\n\n### How do you use the worker?\n\nHosted (worker.io)\n\n"
        "### Which part of the worker is it about?\n\nThe queue\n\n"
        "### Terminal emulator\n\nGhostty\n\n"
        "### Shell\n\n- [x] zsh\nzsh 5\n\n### Steps to Reproduce\n\nStart two workers.\n"
        "![a screenshot](https://example.org/picture.png)\n\n**Traceback**\n```\nNone\n```\n\n"
        "## Shell completion\n\nIt has gone as well. Should it not stay?\n"
    )
    assert told is not None
    assert told.title == TITLE
    assert told.prose.splitlines() == [
        "The queue",
        "Start two workers.",
        "## Shell completion",
        "It has gone as well. Should it not stay?",
    ]


def test_a_sentence_ends_a_list_of_what_somebody_uses():
    told = report.read(
        "The menu still opens after a space\n\nMy setup is:\n\n    menu.setup({ spaces = 0 })\n\n"
        "For the first source this does what I want, its menu stays closed when I type a space.\n"
        "For the second source it does not, and my function is never called for that one.\n"
    )
    assert told is not None
    assert told.prose.startswith("For the first source")
    assert "menu.setup" not in told.text


def test_an_exception_of_java_is_no_version_of_it():
    message = "java.lang.IllegalStateException: the queue was closed before the job"
    told = report.read(
        f"{message}\n\nIt happens when two workers take the same job at the same time, and both of"
        " them are stopped from outside before the first has told the queue that it is done.\n"
        "Java: 21.0.2\n"
    )
    assert told is not None
    assert message in f"{told.title}\n{told.prose}"
    assert "21.0.2" not in f"{told.title}\n{told.prose}"


def test_words_count_by_their_place():
    query = read_query.read_text(FORM, DEFAULT)
    weights = {term.text: term.weight for term in query.terms}
    for word, weight in (
        ("attempt", 1.0), ("number", 1.0), ("burst", DEFAULT.quoting.half),
        ("animal", None),
    ):  # fmt: skip
        assert weights.get(terms.split(word)[0]) == weight
    # The form speaks of documentation and configuration; the report does not.
    assert not query.topics & {Topic.DOCUMENTATION, Topic.CONFIGURATION}
    assert query.paths == ("src/queue.py",)


def test_a_file_that_a_template_names_does_not_come_first(tmp_path: Path):
    (tmp_path / "delays.py").write_text("def next_delay(attempt):\n    return 2\n", "utf-8")
    for name in ("CONTRIBUTING.md", "PULL_REQUEST_TEMPLATE.md"):
        (tmp_path / name).write_text(f"# {name}\n\nSearch for an existing issue.\n", "utf-8")
    with index(tmp_path).snapshot() as snapshot:
        found = search(snapshot, Question(FORM), 5).results
    assert found[0].chunk.path == "delays.py"


def test_the_title_is_a_question_of_its_own():
    title = read_query.read_text(FORM, DEFAULT).title
    assert title is not None
    assert title.text == TITLE
    assert title.title is None


def _chunks(root: Path) -> list[ChunkRecord]:
    for name in "abc":
        (root / f"{name}.py").write_text(f"def {name}():\n    return 1\n", "utf-8")
    with index(root).snapshot() as snapshot:
        return [snapshot.chunks.of_file(RepoPath(f"{name}.py"))[0] for name in "abc"]


def test_two_rankings_are_one_by_place(tmp_path: Path):
    chunks = _chunks(tmp_path)
    first = [Scored(chunk, score) for chunk, score in zip(chunks, (0.9, 0.5, 0.2), strict=True)]
    second = [Scored(chunks[2], 0.4), Scored(chunks[1], 0.3)]
    found = rank.fused(first, second)
    assert [item.chunk.path for item in found] == ["c.py", "b.py", "a.py"]
    # Scores belong to places, and what ties shares the last of its places.
    assert [item.score for item in found] == pytest.approx([0.9, 0.5, 0.2])
    tied = [Scored(chunk, 0.4) for chunk in chunks]
    assert rank.fused(first, tied) == first


def test_one_more_signal_of_equal_weight_makes_the_mean_of_two_scores(tmp_path: Path):
    chunks = _chunks(tmp_path)
    items = [Scored(chunks[0], 0.5, {"terms": 0.5}), Scored(chunks[1], 0.4, {"terms": 0.4})]
    titled = [(chunks[1], 0.3), (chunks[2], 0.1)]
    found = rank.boosted(items, titled, "title", 1.0)
    assert [item.chunk.path for item in found] == ["b.py", "a.py", "c.py"]
    assert [item.score for item in found] == pytest.approx([0.35, 0.25, 0.05])
    assert dict(found[0].shares) == pytest.approx({"terms": 0.2, "title": 0.15})
    assert rank.boosted(items, (), "title", 1.0) == items


def test_a_report_quotes_functions_and_no_table_of_messages(tmp_path: Path):
    message = "no such queue for this worker"
    (tmp_path / "messages.py").write_text(f'MESSAGES = {{"gone": "{message}"}}\n', "utf-8")
    (tmp_path / "queues.py").write_text(
        f"def find(name):\n    raise KeyError('{message}')\n", "utf-8"
    )
    (tmp_path / "delays.py").write_text("def next_delay(attempt):\n    return 2\n", "utf-8")
    text = f"Worker stops after some retries of a delay\n\nIt says {message}, always.\n" + FORM
    with index(tmp_path).snapshot() as snapshot:
        found = search(snapshot, Question(text), 9).results
    assert {item.chunk.path for item in found if item.shares.get("quoted")} == {"queues.py"}

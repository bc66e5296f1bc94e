"""A pack shows something of each file that the question names, and pages as it shows code."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from satchel.assembler import assemble
from satchel.assembler.query.question import Question
from satchel.assembler.values import Excerpt
from tests.support.satchel import index

# The functions have the words of the questions, and the pages hardly any.
PAGES = """
//- shop/pages/_footer.html
<footer>
  <a href="/imprint">Imprint</a>
</footer>
//- shop/pages/login/index.html
<form action="/login">
  <input name="password">
</form>
//- shop/pages/search/index.html
<form action="/search">
  <input name="words">
</form>
//- shop/style.css
.imprint {
  color: grey;
}
//- docs/version.html
<p>The version is shown on every page that the version policy names.</p>
//- settings/package.json
{"name": "shop", "scripts": {"start": "node server.js"}}
//- shop/version.py
def show_version(page):
    \"\"\"Show the version on a page.\"\"\"
    return page.replace("{version}", VERSION)


def version_changed(page):
    return show_version(page) != page


def package_version(package):
    return package["version"]
"""


@pytest.fixture
def excerpts(project):
    checkout = index(project(PAGES))

    def ask(text: str) -> Sequence[Excerpt]:
        with checkout.snapshot() as snapshot:
            pack = assemble.context(snapshot, Question(text), 800)
        assert pack.receipt.used <= 800
        return pack.excerpts

    return ask


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("change shop/pages/_footer.html so that it shows the version", "shop/pages/_footer.html"),
        ("show the version in _footer.html.", "shop/pages/_footer.html"),
        ("pages/login/index.html: show the version", "shop/pages/login/index.html"),
        ("show the version in style.css too", "shop/style.css"),
        ("bump the version in settings/package.json", "settings/package.json"),
    ],
)
def test_a_file_that_the_question_names_is_shown_beside_what_matches(excerpts, question, path):
    assert {path, "shop/version.py"} <= {each.path for each in excerpts(question)}


@pytest.mark.parametrize(
    ("question", "path"),
    [
        # Two pages are called so.
        ("show the version in index.html", "shop/pages/login/index.html"),
        # A file of settings is mostly named in passing.
        ("show the version though package.json is invalid", "settings/package.json"),
    ],
)
def test_a_name_that_may_mean_another_file_requires_none(excerpts, question, path):
    required = {each.path for each in excerpts(question) if "named by" in each.reason}
    assert path not in required


def test_a_page_is_shown_beside_code_that_matches_better(excerpts):
    paths = [each.path for each in excerpts("show the imprint on a page")]
    assert "shop/pages/_footer.html" in paths
    assert "docs/version.html" not in paths


TESTED = """
//- shop/env.py
def make_env(path):
    return Env(path)
//- tests/env_helper.py
class TestEnv:
    def new(self, path):
        return path


class Lonely:
    pass
//- tests/search_spec.py
def finds_quoted_phrases():
    assert search('"a b"')
//- shop/search.py
def search(phrases):
    return quoted(phrases)
"""


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("TestEnv", "tests/env_helper.py"),
        ("TestEnv new", "tests/env_helper.py"),
        ("Lonely", "tests/env_helper.py"),
        ("failing test in search_spec quoted phrases", "tests/search_spec.py"),
    ],
)
def test_a_name_that_only_tests_have_brings_tests(project, question: str, path: str):
    with index(project(TESTED)).snapshot() as snapshot:
        found = assemble.context(snapshot, Question(question), 1_000).excerpts
    assert path in {each.path for each in found}


@pytest.mark.parametrize("question", ["how are the tests of search run", "search quoted phrases"])
def test_a_question_that_names_no_test_brings_none(project, question: str):
    with index(project(TESTED)).snapshot() as snapshot:
        found = assemble.context(snapshot, Question(question), 1_000).excerpts
    assert not [each.path for each in found if each.path.startswith("tests/")]


MORE = "".join(f"def stale_time_{n}(value):\n    return stale_time(value)\n" for n in range(9))
DOCUMENTED = f"""
//- docs/limits.md
# Limits

The stale time says after how long a value is asked for again.
//- shop/stale.py
def stale_time(value):
    return value.time


def is_stale(value, time):
    return stale_time(value) < time


{MORE}
"""


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("where is stale_time documented", True),
        ("documentation of stale_time defaults", True),
        ("show the docs of stale_time", True),
        ("where is stale_time read", False),
        ("Fix the stale_time that is documented wrongly", False),
    ],
)
def test_a_question_for_documents_is_shown_documents(project, question: str, is_shown: bool):
    with index(project(DOCUMENTED)).snapshot() as snapshot:
        found = assemble.context(snapshot, Question(question), 1_000).excerpts
    reasons = {each.path: each.reason for each in found}
    assert (reasons.get("docs/limits.md") == "a document, as asked for") == is_shown

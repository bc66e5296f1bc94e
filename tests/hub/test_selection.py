"""Which repositories of a hub a question is about."""

from pathlib import Path

from msgspec.structs import replace

from satchel.assembler.weights import DEFAULT, Repositories
from satchel.hub import database, selection
from satchel.hub.database import Hub
from satchel.hub.reading.pg_snapshot import builds

_BUG = "The invoice has the wrong rounding when a refund is partial"
_REPORT = f"""{_BUG}

### Environment
- dashboard version: 2.13.1
- browser: Firefox

### Checklist
- [x] I have read the dashboard guide and searched the dashboard for widgets
- [x] The dashboard widgets are reproducible in the browser environment
"""


def test_the_template_of_a_report_chooses_no_repository(built, hub: Hub, tmp_path: Path) -> None:
    code = {
        "billing": "def round_invoice(refund):\n    return partial_refund(refund)\n",
        "dashboard": "def widgets(browser, environment, checklist, guide):\n    return browser\n",
    }
    for name, text in code.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text, encoding="utf-8")
        assert built(tmp_path / name).problem == ""
    with database.reading(hub):
        found = builds(hub)
        for question in (_BUG, _REPORT):
            first = selection.choose(hub, found, question, 2)[0]
            assert first.build.repository == "billing"
        # A question that is put to one in words asks the rest of itself there.
        for words in (f"{_BUG} in dashboard?", f"In the dashboard repo: {_BUG}"):
            chosen, rest = selection.addressed(found, words)
            assert ([build.repository for build in chosen], rest) == (["dashboard"], _BUG)
        assert selection.addressed(found, _BUG) == ([], _BUG)
        # Who asks for it by its name means it.
        named = selection.choose(hub, found, "widgets of the dashboard", 2)[0]
        assert named.build.repository == "dashboard"


def test_a_question_that_names_a_language_is_about_what_is_written_in_it(
    built, hub: Hub, tmp_path: Path
) -> None:
    code = {"web": ("page.js", "function render(page) { return page; }\n"),
            "api": ("page.py", "def render(page):\n    return page\n")}  # fmt: skip
    for name, (file, text) in code.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(text, encoding="utf-8")
        assert built(tmp_path / name).problem == ""
    with database.reading(hub):
        found = builds(hub)
        for language, name in (("python", "api"), ("JavaScript", "web")):
            first = selection.choose(hub, found, f"how is a page rendered in {language}?", 2)[0]
            assert first.build.repository == name


def test_each_number_of_the_choice_acts(built, hub: Hub, tmp_path: Path) -> None:
    names = ("invoice", "refund", "rounding", "partial", "total")
    code = {"billing": "".join(f"def {name}(page):\n    return page\n\n\n" for name in names),
            "pages": "def page(partial):\n    return refund\n"}  # fmt: skip
    for name, text in code.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.py").write_text(text, encoding="utf-8")
        assert built(tmp_path / name).problem == ""
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "page.js").write_text("function total() { return page; }\n", "utf-8")
    assert built(tmp_path / "web").problem == ""
    question = f"{' '.join(names)} in JavaScript"
    with database.reading(hub):
        found = builds(hub)

        # A span that none of the three falls out of.
        numbers = replace(DEFAULT.repositories, span=20.0)

        def likely(numbers: Repositories) -> list[tuple[str, float]]:
            weights = replace(DEFAULT, repositories=numbers)
            chosen = selection.choose(hub, found, question, 3, weights)
            return [(each.build.repository, each.likely) for each in chosen]

        for name in ("density", "definition", "definitions", "language", "span"):
            other = replace(numbers, **{name: getattr(numbers, name) / 2})
            assert likely(other) != likely(numbers), name

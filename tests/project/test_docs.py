"""What the documents say is so: examples run, tables match the code, paths and links exist.

`UPDATE_GOLDEN=1 python -m pytest tests/project/test_docs.py` rewrites what documents take from the
code: the output of the examples and the tables. Numbers in examples may drift (a score, a token
count) without failing; everything else must match.
"""

import importlib.util
import os
import re
import subprocess
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from satchel.cli.command_line import parser
from satchel.indexer.languages.detect import LANGUAGES, TEXT
from satchel.store import errors
from tests.indexer.test_constructs import KINDS, TOLD
from tests.support import reference
from tests.support.git import git
from tests.support.satchel import FOLDERS, ROOT, warm_command

UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
README = ROOT / "README.md"
COMMANDS = ROOT / "docs/COMMANDS.md"
LANGUAGES_TABLE = ROOT / "docs/LANGUAGES.md"
FOLDERS_OF_DOCUMENTS = (".", "docs", "docs/decisions", "bench")
DOCUMENTS = sorted(path for name in FOLDERS_OF_DOCUMENTS for path in (ROOT / name).glob("*.md"))
DECISIONS = ROOT / "docs/DECISIONS.md"
LIMITS = {
    "docs/DECISIONS.md": 40, "docs/ARCHITECTURE.md": 280, "docs/STYLE.md": 60,
}  # fmt: skip

SHOP = '''
//- shop/signals.py
"""Signals: somebody says that something happened, whoever listens is told."""


class Signal:
    """An event that receivers can connect to."""

    def __init__(self):
        self.receivers = []

    def connect(self, receiver):
        """Tell `receiver` about every later send, in the order of connection."""
        self.receivers.append(receiver)

    def send(self, sender, **named):
        """Dispatch the signal: call each receiver and collect what it returns."""
        return [(receiver, receiver(sender, **named)) for receiver in self.receivers]


paid = Signal()
//- shop/orders.py
"""Orders and what happens to them."""

from shop.signals import paid


class Order:
    """Something that a customer wants."""

    def __init__(self, total):
        self.total = total
        self.is_paid = False

    def pay(self):
        """Pay the order and tell whoever listens."""
        self.is_paid = True
        paid.send(self, total=self.total)


def receipt(order):
    """Print what an order cost."""
    print(order.total)
//- tests/test_orders.py
from shop.orders import Order


def test_an_order_is_paid():
    order = Order(3)
    order.pay()
    assert order.is_paid
//- shop/empty.bin
\0
'''

_EXAMPLE = re.compile(r"(?<=<!-- example -->\n````console\n)(.*?)(?=````\n)", re.DOTALL)
_KEY = re.compile(r"((?:index/shop-|knowledge/))[0-9a-f]{16,24}")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("docs") / "shop"
    for part in SHOP.split("\n//- ")[1:]:
        name, _, body = part.partition("\n")
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body + "\n", encoding="utf-8")
    _commit(root)
    return root


def _commit(root: Path) -> None:
    """Two commits that have the same names everywhere: receipts said less in the first."""
    orders, dates = root / "shop/orders.py", ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
    environment = {**os.environ, **dict.fromkeys(dates, "2026-01-01T00:00:00Z")}
    text = orders.read_text("utf-8")
    git(root, "init", "-q", "-b", "main")
    for version in (text.replace("print(order.total)", "print(order)"), text):
        orders.write_text(version, encoding="utf-8")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "A receipt", environment=environment)


def _examples() -> list[tuple[Path, int]]:
    """Each example, by its document and its place there."""
    return [(path, index) for path in (README, COMMANDS) for index in range(len(_shown(path)))]


def _shown(document: Path) -> list[str]:
    return _EXAMPLE.findall(document.read_text("utf-8"))


def _commands() -> list[str]:
    lines = "".join(_shown(COMMANDS)).splitlines()
    return [line[2:] for line in lines if line.startswith("$ ")]


def _run(command: str, root: Path) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=root,
        env={**os.environ, "PATH": f"{warm_command().parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"$ {command}\n{done.stderr}"
    said = done.stdout.replace(str(root), "/home/you/shop").replace(os.environ["HOME"], "/home/you")
    return _KEY.sub(r"\1…", said).rstrip("\n") + "\n"


def _rewrite(document: Path, start: str, end: str, text: str) -> None:
    before, mark, rest = document.read_text("utf-8").partition(start)
    _, close, after = rest.partition(end)
    assert mark and close, f"{document.name} has no {start} … {end}"
    document.write_text(f"{before}{mark}\n{text}{close}{after}", encoding="utf-8")


def _between(document: Path, start: str, end: str) -> str:
    return document.read_text("utf-8").partition(start)[2].partition(end)[0].lstrip("\n")


@pytest.mark.parametrize(("document", "index"), _examples(), ids=str)
def test_an_example_prints_what_is_shown(shop: Path, document: Path, index: int):
    shown = _shown(document)[index]
    commands = [line for line in shown.splitlines() if line.startswith("$ ")]
    _run("satchel reindex --quiet", shop)
    ran = "".join(f"{line}\n{_run(line[2:], shop)}" for line in commands)
    if UPDATE:
        text = document.read_text("utf-8")
        document.write_text(text.replace(shown, ran, 1), encoding="utf-8")
    assert _NUMBER.sub("0", _shown(document)[index]) == _NUMBER.sub("0", ran)


def _subcommands() -> dict[str, ArgumentParser]:
    actions = parser()._actions
    found = [action for action in actions if isinstance(action, _SubParsersAction)]
    return dict(found[0].choices)


def test_every_command_and_option_is_described_and_has_an_example():
    text, examples = COMMANDS.read_text("utf-8"), "\n".join(_commands())
    options = {"--version"}
    for name, command in _subcommands().items():
        assert f"**`satchel {name}`**" in text
        assert f"satchel {name}" in examples
        actions = [*command._actions]
        for action in command._actions:
            if name in ("graph", "bench") and isinstance(action, _SubParsersAction):
                actions += [each for nested in action.choices.values() for each in nested._actions]
        options |= {option for action in actions for option in action.option_strings}
    assert {option for option in options if option.startswith("--") and option not in text} == set()
    shown = set(re.findall(r"(?<!\S)--[a-z-]+", examples))
    assert shown <= options


def test_exit_codes_are_the_ones_errors_have():
    tree = errors.SatchelError
    codes = {error.exit_code for error in (tree, *tree.__subclasses__())}
    listed = re.search(r"Exit codes: (.*?)\.", COMMANDS.read_text("utf-8"))
    assert listed is not None
    assert {int(part.split()[0]) for part in listed[1].split(" · ")} == {0, 130, *codes}


@cache
def _made() -> dict[Path, str]:
    return reference.documents()


@pytest.mark.parametrize("name", ["CONFIGURATION", "TOOLS", "OPERATIONS", "ARCHITECTURE"])
def test_documents_made_from_the_code_are_what_it_makes(name: str):
    path = ROOT / f"docs/{name}.md"
    made = _made()[path]
    if UPDATE:
        path.write_text(made, encoding="utf-8")
    assert path.read_text("utf-8") == made, "`python -m tests.support.reference` writes it"


@pytest.mark.parametrize("kind", ["parsed", "outlined"])
def test_the_table_of_languages_is_the_code(kind: str):
    rows = ["| language | files |", "|---|---|"]
    for language in sorted(LANGUAGES, key=lambda row: row.name):
        if bool(language.grammar) == (kind == "parsed") and language.name != TEXT:
            named = [f"`{name}`" for name in (*language.extensions, *language.filenames)]
            more = f" and {len(named) - 8} more" if len(named) > 8 else ""
            rows.append(f"| {language.name} | {' '.join(named[:8])}{more} |")
    table = "\n".join(rows) + "\n"
    start, end = f"<!-- languages {kind} -->", f"<!-- /languages {kind} -->"
    if UPDATE:
        _rewrite(LANGUAGES_TABLE, start, end, table)
    assert _between(LANGUAGES_TABLE, start, end) == table


def test_the_table_of_constructs_is_that_of_their_tests():
    told = {
        kind: sorted(set(rows) & {row.name for row in LANGUAGES}) for kind, rows in KINDS.items()
    }
    table = "| kind | languages |\n|---|---|\n"
    table += "".join(f"| {TOLD[kind]} | {', '.join(told[kind])} |\n" for kind in TOLD)
    start, end = "<!-- constructs -->\n", "<!-- /constructs -->"
    if UPDATE:
        _rewrite(LANGUAGES_TABLE, start, end, table)
    assert _between(LANGUAGES_TABLE, start, end) == table


def test_make_targets_that_are_named_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {
        name
        for document in DOCUMENTS
        for name in re.findall(r"(?:`|^)make ([a-z]+)", document.read_text("utf-8"), re.MULTILINE)
    }
    assert {"demo", "test"} <= named <= targets


def test_ci_runs_the_command_of_the_readme():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text("utf-8").rstrip().endswith("exec make test")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
class TestDocument:
    def test_links_lead_somewhere(self, document: Path):
        links = re.findall(r"\]\(([^)#]+)", document.read_text("utf-8"))
        inside = [link for link in links if "://" not in link]
        assert [link for link in inside if not (document.parent / link).exists()] == []

    def test_links_into_a_document_lead_to_a_heading(self, document: Path):
        links = re.findall(r"\]\(([^)#: ]*)#([^)]+)\)", document.read_text("utf-8"))
        missing = [
            f"{name}#{anchor}"
            for name, anchor in links
            if anchor not in map(_anchor, _headings(document.parent / name if name else document))
        ]
        assert missing == []

    def test_modules_that_are_run_exist(self, document: Path):
        named = re.findall(r"python -m ([a-z_]+\.[\w.]*\w)", document.read_text("utf-8"))
        assert [name for name in named if importlib.util.find_spec(name) is None] == []

    def test_paths_of_code_exist(self, document: Path):
        assert [path for path in _code_paths(document) if not (ROOT / path).exists()] == []

    def test_is_not_longer_than_it_should_be(self, document: Path):
        limit = LIMITS.get(document.relative_to(ROOT).as_posix(), 400)
        assert len(document.read_text("utf-8").splitlines()) <= limit


def test_every_subject_of_decisions_is_listed():
    written = [f"decisions/{path.name}" for path in (ROOT / "docs/decisions").glob("*.md")]
    listed = re.findall(r"^- \[.+?\]\((.+?)\)$", DECISIONS.read_text("utf-8"), re.MULTILINE)
    assert listed == sorted(written)


def test_decisions_that_code_names_exist():
    missing = []
    for folder in (*FOLDERS, "bench", "training"):
        for path in (ROOT / folder).rglob("*.py"):
            text = re.sub(r"\n\s*(?:# )?", " ", path.read_text("utf-8"))
            for name, title in re.findall(r'(docs/decisions/\w+\.md)(?:, "(.+?)")?', text):
                heads = _headings(ROOT / name) if (ROOT / name).exists() else []
                if not any(head.startswith(title) for head in heads):
                    missing.append(f"{path.name}: {name} {title}")
    assert missing == []


@cache
def _headings(document: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)


def _anchor(heading: str) -> str:
    """How a link names a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _code_paths(document: Path) -> Iterator[str]:
    """What stands in backticks and looks like a file or folder of this project."""
    tops = "|".join((*FOLDERS, "bench", "tests", "docs"))
    yield from re.findall(rf"`((?:{tops})/[\w./-]*)`", document.read_text("utf-8"))


def test_the_changelog_starts_with_the_version_to_be_released():
    [version] = re.findall(r'^RELEASE = "(.+)"', (ROOT / "hatch_build.py").read_text("utf-8"), re.M)
    heads = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert heads[0] in ("Unreleased", version) and version not in heads[1:]

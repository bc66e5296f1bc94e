"""Several code bases at once: one tree to ask, each with its own index and its own knowledge."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from satchel.assembler.exact import search as exact
from satchel.assembler.exact.search import Wanted
from satchel.assembler.kinds import Scope, TextMode
from satchel.mcp_server import surface
from satchel.questions.params import schema
from satchel.store import tokens
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from satchel.workspace.configuration.settings import Settings
from satchel.workspace.multi_root import roots
from satchel.workspace.multi_root.workspace import Workspace
from tests.support.agent import asked, over_stdio, refused
from tests.support.git import commit_all, git, needs_git
from tests.support.satchel import index, satchel

API = """
//- api/billing.py
from api.store import save

def charge(order):
    '''Charge an order, retried when the bank does not answer.'''
    save(order)
//- api/store.py
def save(order):
    return [order]
//- tests/test_billing.py
def test_charge():
    charge(1)
"""
WEB = """
//- src/checkout.ts
export function checkout(order: Order) {
  // the order is sent to the bank
  return charge(order)
}
//- README.md
# Web
The shop window.
"""


@pytest.fixture
def both(project, tmp_path: Path) -> Path:
    """A folder with two checkouts and something beside them."""
    for name, code in (("shop-api", API), ("shop-web", WEB)):
        (root := project(code)).rename(tmp_path / name)
        assert not root.exists()
        (tmp_path / name / ".satchel").mkdir()
    (tmp_path / "notes.txt").write_text("no repository\n", encoding="utf-8")
    return tmp_path


def _ids(mask: np.ndarray) -> list[int]:
    return np.flatnonzero(mask).tolist()


def workspace(folder: Path, pattern: str = "") -> Workspace:
    found = Workspace.of(str(folder), {**os.environ, "SATCHEL_INDEX_WORKERS": "1"})
    if not found.is_indexed:
        found.refresh(lambda _: None)
    return found.limited(pattern)


def test_what_is_read_of_several_is_what_is_read_of_one_tree_that_holds_them(both: Path):
    (both / "notes.txt").unlink()
    joined, whole = workspace(both), index(both)
    with joined.snapshot() as here, whole.snapshot() as there:
        sizes = [[(f.path, f.n_lines) for f in each.files.all()] for each in (here, there)]
        assert sizes[0] == sizes[1]
        assert here.files.counts().symbols == there.files.counts().symbols
        paths = [file.path for file in there.files.all()]
        assert [file.path for file in here.files.all()] == paths
        for prefix in ("", "shop", "shop-web", "shop-web/", "shop-web/src", "elsewhere"):
            assert here.files.starting_with(prefix, 3) == there.files.starting_with(prefix, 3)
            below = [RepoPath(prefix.rstrip("/"))]
            assert [f.path for f in here.files.all(below)] == [
                f.path for f in there.files.all(below)
            ]
        for path in paths:
            assert here.files.identity(path) == there.files.identity(path)
            mine, theirs = here.chunks.of_file(path), there.chunks.of_file(path)
            assert [(c.path, c.span, c.symbol) for c in mine] == [
                (c.path, c.span, c.symbol) for c in theirs
            ]
            assert here.chunks.by_id([c.id for c in mine]) == mine
            symbols = here.symbols.of_file(path)
            assert [(s.name, s.line) for s in symbols] == [
                (s.name, s.line) for s in there.symbols.of_file(path)
            ]
            ids = [s.id for s in symbols]
            assert here.symbols.by_id(ids) == symbols
            assert list(here.symbols.uses_of(ids)) == [
                (e.source, e.target) for e in here.symbols.edges_from(ids) if e.confidence >= 0.5
            ]
        # No edge leads from one index to another, so only uses within a root are the same.
        within = [
            pair
            for pair in there.symbols.files_used(paths)
            if len({path.split("/")[0] for path in pair}) == 1
        ]
        assert here.symbols.files_used(paths) == within
        for is_test in (None, True, False):
            for path in ("shop-api", "shop-web/src", "*.py", "shop-*/tests/*", "shop-api\n*.md"):
                mine, theirs = (
                    sorted(
                        (chunk.path, chunk.span.start_line)
                        for chunk in s.chunks.by_id(_ids(s.chunks.allowed(is_test, path)))
                    )
                    for s in (here, there)
                )
                assert mine == theirs, (is_test, path)
        for term in ("order", "bank", "window"):
            mine, theirs = (s.terms.postings(term) for s in (here, there))
            assert mine.counts.sum() == theirs.counts.sum()
            assert all(np.diff(mine.chunks) >= 0)
        wanted = Wanted("order", TextMode.EXACT, False, Scope.ALL, "")
        mine, theirs = (exact.find(s, wanted, 100) for s in (here, there))
        assert mine.rows == theirs.rows
        assert mine.n_lines > 5


def test_a_pack_over_several_says_whose_each_excerpt_is_and_keeps_to_its_budget(both: Path):
    packs = [
        satchel(
            "context", "charge an order at checkout", "--workspace", both, "--budget", n, cwd=both
        ).stdout
        for n in ("256", "600", "600")
    ]
    for pack, budget in zip(packs, (256, 600, 600), strict=True):
        assert tokens.count(pack.decode()) <= budget
    assert packs[1] == packs[2]
    assert b"shop-api/api/billing.py\n" in packs[1]
    assert b"shop-web/src/checkout.ts\n" in packs[1]
    one = satchel(
        "context", "charge an order at checkout", "--workspace", both, "--repo", "*web", cwd=both
    ).stdout
    assert b"shop-web/src/checkout.ts" in one
    assert b"shop-api" not in one


def test_every_command_says_whose_its_rows_are(both: Path):
    def run(*words: str) -> str:
        done = satchel(*words, "--workspace", both, cwd=both)
        assert not done.returncode, done.stderr
        return done.stdout.decode()

    assert "shop-api/api/billing.py:3" in run("symbols", "charge")
    # What one repository uses of another has no edge, and is not hidden.
    callers = run("deps", "charge", "--scope", "all")
    assert "shop-api/tests/test_billing.py" in callers
    lines = run("search", "--exact", "charge(").splitlines()
    assert lines[-2:] == ["shop-web/src/checkout.ts", "  3 checkout|   return charge(order)"]
    named = [line for line in run("reindex").splitlines() if line.endswith(":")]
    assert named == ["shop-api:", "shop-web:"]
    assert [json.loads(line)["files"] for line in run("status", "--json").splitlines()] == [3, 2]
    assert run("validate").count("nothing found") == 2
    assert "shop-web/" in run("overview")
    assert "def charge" in run("show", "charge")
    wrong = satchel("symbols", "charge", "--workspace", both, "--repo", "nope", cwd=both)
    assert wrong.returncode == 2
    assert b"there are shop-api, shop-web" in wrong.stderr


def test_paths_are_meant_from_where_somebody_stands(both: Path):
    done = satchel(
        "search", "order", "--workspace", both, "--path", "src", cwd=both / "shop-web"
    ).stdout.decode()
    assert done.split(":", 1)[0] == "shop-web/src/checkout.ts"
    assert "shop-api" not in done


@needs_git
def test_changes_are_told_in_each_repository_by_its_own_history(both: Path):
    commit_all(both / "shop-api")
    commit_all(both / "shop-web")
    (both / "shop-web/src/checkout.ts").write_text("export function pay() {}\n", encoding="utf-8")
    done = satchel("changes", "HEAD", "--workspace", both, cwd=both)
    assert b"shop-web/src/checkout.ts" in done.stdout
    assert b"shop-api/" not in done.stdout
    assert git(both / "shop-web", "status", "--porcelain")


def test_each_repository_keeps_what_is_known_of_it(both: Path):
    def run(*words: str, root: Path | None = None) -> str:
        named = ("--root", root) if root else ("--workspace", both)
        done = satchel(*words, *named, cwd=both)
        assert not done.returncode, done.stderr
        return done.stdout.decode()

    run("remember", "warning", "The bank is slow", "--scope", "shop-api/api/billing.py")
    run("remember", "convention", "Orders have ids of nine digits")
    assert "The bank is slow" in run("recall", root=both / "shop-api")
    assert "nine digits" not in run("recall", root=both / "shop-api")
    every = run("recall")
    assert every.index("[all repositories]") < every.index("nine digits")
    assert every.index("[shop-api]") < every.index("The bank is slow")
    assert "The bank is slow" not in run("recall", "--scope", "shop-web/src")
    assert "shop-api: " in run("context", "charge an order at checkout", "--budget", "900")
    assert run("context", "charge an order at checkout").count("The bank is slow") == 1
    found = run("recall", root=both / "shop-api")
    number = next(word for word in found.replace("]", " ").split() if len(word) >= 20)
    assert "resolved" in run("revise", "resolve", number.strip("[]()*"), "--reason", "a new bank")


def test_a_server_of_several_lists_one_parameter_more_and_answers_of_those_named(both: Path):
    async def session(client):
        listed = (await client.list_tools()).tools
        pack = await asked(
            client, "context", query="charge an order at checkout", budget_tokens=700
        )
        web = await asked(client, "search", query="order", repositories="shop-web")
        uses = await asked(client, "search", query="charge(", mode="exact")
        unknown = await refused(client, "symbols", {"name": "charge", "repositories": "nope"})
        return listed, pack, web, uses, unknown, client.instructions

    listed, pack, web, uses, unknown, told = over_stdio(
        both, session, flags=["--workspace", str(both)]
    )
    assert tokens.count(pack) <= 700
    assert "shop-api/api/billing.py" in pack
    assert "shop-web/src/checkout.ts" in pack
    assert "shop-web/" in web
    assert "shop-api/" not in web
    assert uses.count("shop-") >= 2
    assert "there are shop-api, shop-web" in unknown
    assert "shop-api, shop-web" in told
    names = {tool.name for tool in listed if "repositories" in tool.input_schema["properties"]}
    assert names == {"context", "search", "symbols", "dependencies", "changes", "overview"}
    # Nobody who serves one code base pays for it.
    for tool in surface.tools():
        assert "repositories" not in schema(tool.params, Settings(), full=True)["properties"]


def test_roots_are_named_by_the_user(both: Path, tmp_path: Path):
    def names(said: str = "", *configured: str) -> list[str]:
        return [name for name, _ in roots.find(said, configured, both).names]

    assert names("", "~/shop-*") == ["shop-api", "shop-web"]
    assert names("", str(both / "shop-web")) == ["shop-web"]
    (both / "team.toml").write_text('roots = ["shop-api", "shop-w*"]\n', encoding="utf-8")
    assert names(str(both / "team.toml")) == ["shop-api", "shop-web"]
    far = both / "far" / "away"
    far.mkdir(parents=True)
    assert names("", str(far), str(both / "shop-api")) == ["far/away", "shop-api"]
    assert roots.matching(["far/away", "shop-api"], "away") == ["far/away"]
    for configured in ((), (str(both), str(both / "shop-api")), (str(both / "nowhere"),)):
        with pytest.raises(UsageError):
            names("", *configured)


def test_a_repository_cannot_add_roots(both: Path):
    config = both / "shop-api/.satchel/config.toml"
    config.write_text(f'[workspace]\nroots = ["{both}"]\n', encoding="utf-8")
    done = satchel("context", "charge", "--workspace", both, cwd=both)
    assert done.returncode == 0 and b"charge" in done.stdout
    assert b"workspace.roots may not be set by a repository" in done.stderr


def test_the_setting_is_asked_where_a_repository_is_named(both: Path):
    environment = {"SATCHEL_WORKSPACE_ROOTS": f"{both}/shop-*"}
    done = satchel("symbols", "checkout", "--repo", "*", cwd=both, environment=environment)
    assert done.stdout.startswith(b"shop-web/src/checkout.ts:1")

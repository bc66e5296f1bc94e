"""Each question through every face over one tree: a command, a tool, Python, the page, a hub."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client

import satchel as library
from bench.hub.team import PATIENCE_S
from satchel.assembler.output import definition_lines, listings
from satchel.assembler.output.graph_lines import paths_lines
from satchel.hub import access
from satchel.hub.database import Hub
from tests.support.agent import Served, asked, in_memory, over_http, refused
from tests.support.satchel import index, satchel

_NAME = "retry_with_jitter"
_SAME = {
    "search": ({"query": "retry with jitter"}, ("search", "retry with jitter")),
    "search exact": ({"query": "retry", "mode": "exact"}, ("search", "--exact", "retry")),
    "search full": (
        {"query": "retry with jitter", "mode": "full", "explain": True},
        ("search", "retry with jitter", "--mode", "full", "--explain"),
    ),
    "symbols": ({"name": _NAME}, ("symbols", _NAME)),
    "symbols source": ({"name": _NAME, "source": True}, ("symbols", _NAME, "--source")),
    "symbols unknown": ({"name": "retry_with_jiter"}, ("symbols", "retry_with_jiter")),
    "dependencies": ({"name": _NAME}, ("deps", _NAME)),
    "dependencies drawn": ({"name": _NAME, "format": "dot"}, ("deps", _NAME, "--format", "dot")),
    "dependencies impact": ({"name": _NAME, "direction": "impact"}, ("impact", _NAME)),
    "overview": ({"path": "project"}, ("overview",)),
    "overview of a path": ({"path": "shared.py"}, ("overview", "shared.py")),
    "changes": ({"since": "7d"}, ("changes", "7d")),
    "dependencies until": (
        {"name": "only_in_open", "until": _NAME},
        ("deps", "only_in_open", "--until", _NAME),
    ),
}
_REFUSED = (
    ("search", {"query": "x", "offset": 5}, ("search", "x", "--offset", "5")),
    ("search", {"query": "x", "mode": "exact", "explain": True},
     ("search", "--exact", "x", "--explain")),
    ("search", {"query": "", "mode": "exact"}, ("search", "--exact", "")),
    ("search", {"query": "x", "mode": "vague"}, ("search", "x", "--mode", "vague")),
    ("dependencies", {"name": _NAME, "direction": "impact", "tests": True},
     ("deps", _NAME, "--direction", "impact", "--tests")),
    ("dependencies", {"name": _NAME, "direction": "up"}, ("deps", _NAME, "--direction", "up")),
    ("symbols", {"name": "x" * 1_001}, ("symbols", "x" * 1_001)),
    ("symbols", {"name": ""}, ("symbols", "")),
    ("context", {"query": "x", "budget_tokens": 1}, ("context", "x", "--budget", "1")),
    ("context", {"query": "x", "scope": "tests"}, ("context", "x", "--scope", "tests")),
    ("context", {"query": "x", "path": "../.."}, ("context", "x", "--path", "../..")),
    ("context", {"query": ""}, ("context", "")),
)  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, address: str) -> Path:
    """The checkout of a repository of the hub; `address` puts its tree there."""
    index(tmp_path / "open")  # with all of its edges, as a repository of a hub has them
    return tmp_path / "open"


@pytest.fixture
def ann(address: str, hub: Hub) -> Served:
    """Somebody who may read that repository alone."""
    return Served(address, access.new_token(hub, "ann", 1), None)


def _rows(text: str) -> list[str]:
    """What a reply says, without whose it is: its repository, generation and size."""
    told = re.sub(r"\bopen/|generation \d+(, 1 repository)?|1 repository, ", "", text)
    # A checkout says by what it tells what has changed, which a hub has one way for; and the folder
    # that all of its files lie in has a name on a hub.
    told = re.sub(r" \(by [^)]*\)|(?m:^largest: .*$|^  [\w./]*: (?=\d+ files))", "", told)
    return [line for line in told.splitlines() if not line.startswith(("[satchel] ", "note: "))]


def _command(root: Path, *words: str) -> str:
    """All that a command prints: rows first, then what it says of them."""
    reply = satchel(*words, cwd=root)
    return (reply.stdout + reply.stderr).decode()


@pytest.mark.parametrize("name", _SAME)
def test_a_command_a_tool_and_a_hub_say_the_same(root: Path, ann: Served, url: str, name: str):
    arguments, words = _SAME[name]

    async def through(client: Client) -> str:
        return await asked(client, name.split()[0], **arguments)

    async def there(client: Client) -> str:
        given = {key: _of_hub(value) for key, value in arguments.items()}
        return await asked(client, name.split()[0], **given)

    tool, served = in_memory(root, through), over_http(ann, there)
    # A command writes its options as options, and says after its rows how many there are.
    shown = satchel(*words, cwd=root).stdout.decode()
    expected = _rows(tool)
    assert expected
    assert _rows(served) == expected
    assert [line for line in expected if "close to it" not in line] == _rows(shown)
    assert all("generation " in text.splitlines()[0] for text in (tool, served))
    if words[0] != "impact":
        asks = [*map(_of_hub, words), "--hub", url, "--repo", "open"]
        assert _rows(satchel(*asks, cwd=root).stdout.decode()) == _rows(shown)


def _of_hub(value: object) -> object:
    """What is asked of a hub, where every path begins with its repository."""
    return value.replace("shared.py", "open/shared.py") if isinstance(value, str) else value


def test_the_graph_of_a_hub_is_that_of_a_checkout(root: Path, ann: Served, url: str):
    for words in (
        ("cycles",), ("rules", "--rule", "shared.py -> nothing"), ("dead",), ("central",),
        ("neighbourhoods",), ("path", "only_in_open", _NAME), ("export", "--format", "dot"),
    ):  # fmt: skip
        here = satchel("graph", *words, cwd=root)
        asks = [*map(_of_hub, words), "--hub", url, "--repo", "open"]
        there = satchel("graph", *asks, cwd=root)
        assert here.returncode == there.returncode
        assert _rows(here.stdout.decode()) == _rows(there.stdout.decode()) != [], words


@pytest.mark.parametrize(("tool", "arguments", "words"), _REFUSED)
def test_what_one_refuses_all_refuse_in_the_same_words(
    root: Path, ann: Served, tool: str, arguments: dict[str, object], words: tuple[str, ...]
):
    async def through(client: Client) -> str:
        return await refused(client, tool, arguments)

    said = in_memory(root, through)
    assert over_http(ann, through) == said
    assert satchel(*words, cwd=root).stderr.decode().removeprefix("satchel: ").strip() == said
    first, *others = arguments
    with library.open(root) as code, pytest.raises(library.SatchelError) as error:
        getattr(code, tool)(arguments[first], **{name: arguments[name] for name in others})
    assert f"{error.value.message}\nhint: {error.value.hint}" == said


def test_a_pack_has_the_same_excerpts_through_every_face(
    root: Path, ann: Served, url: str, hub: Hub
):
    # Longer than a question may be: a diff is reviewed and not cut, whoever is asked.
    hunk = "@@ -1,2 +1,2 @@\n def retry_with_jitter():\n-    return 1\n+    return 2\n"
    head = "diff --git a/shared.py b/shared.py\n--- a/shared.py\n+++ b/shared.py\n"
    long = head + hunk + f"# {'x' * 12_000}\n"
    for query in ("retry with jitter", long):

        async def through(client: Client, query: str = query) -> str:
            return await asked(client, "context", query=query, scope="all", budget_tokens=2_048)

        with library.open(root) as code:
            made = code.context(query, scope="all", budget=2_048)
        batch = json.dumps({"query": query, "scope": "all", "budget": 2_048}).encode()
        told = [
            satchel("context", "--batch", "-", *of, cwd=root, stdin=batch).stdout
            for of in ((), ("--hub", url, "--repo", "open"))
        ]
        page = _page(ann, "/api/context", {"question": query, "scope": "all", "budget": 2_048})
        packs = [
            made.text, in_memory(root, through), over_http(ann, through), page["pack"]["text"],
            *(json.loads(each)["text"] for each in told),
        ]  # fmt: skip
        expected = _excerpts(packs[0])
        assert len(expected) == len(made.excerpts) > 0
        assert [_excerpts(text) for text in packs] == [expected] * len(packs)


def _excerpts(pack: str) -> list[str]:
    """The first line of each excerpt, which says what it is and why it is there."""
    return re.findall(r"^```\d+ (\d.*)$", pack, re.MULTILINE)


def _page(person: Served, path: str, body: object) -> dict:
    """What the page of the hub is told."""
    base = person.url.removesuffix("/mcp")
    with httpx2.Client(base_url=base, timeout=PATIENCE_S) as http:
        opened = http.post("/session", json={"token": person.token}).json()
        http.headers["Authorization"] = f"Bearer {opened.get('session')}"
        return http.post(path, json=body).json()


def test_python_and_the_page_have_the_values_that_commands_print(root: Path, ann: Served):
    with library.open(root) as code:
        found = code.search("retry with jitter")
        symbols = code.symbols(_NAME)
        edges = code.dependencies(_NAME)
        ways = code.dependencies("only_in_open", until=_NAME)
        said = {
            ("search", "retry with jitter"): listings.search_lines(found),
            ("symbols", _NAME): definition_lines.symbols_lines(symbols, 2),
            ("deps", _NAME): listings.dependencies_lines(edges),
            ("graph", "path", "only_in_open", _NAME): paths_lines(ways),
        }
    for words, lines in said.items():
        assert satchel(*words, cwd=root).stdout.decode().splitlines() == list(lines)
    drawn = _page(ann, "/api/graph", {"symbol": _NAME, "depth": 2})
    assert (drawn["n_found"], len(drawn["edges"])) == (edges.n_found, len(edges.edges))
    there = _page(ann, "/api/graph/way", {"source": "only_in_open", "target": _NAME})["there"]
    assert len(there["paths"]) == len(ways.paths) == 1


def test_what_a_team_knows_is_in_every_pack_of_its_hub(root: Path, ann: Served, url: str) -> None:
    async def remembers(client: Client) -> str:
        await asked(client, "remember", kind="warning", summary="Jitter is drawn evenly",
                    scope="open/shared.py")  # fmt: skip
        return await asked(client, "context", query="retry with jitter")

    packs: list[Callable[[], str]] = [
        lambda: over_http(ann, remembers),
        lambda: satchel("context", "retry with jitter", "--hub", url, cwd=root).stdout.decode(),
        lambda: _page(ann, "/api/context", {"question": "retry with jitter"})["pack"]["text"],
    ]
    assert ["Jitter is drawn evenly" in pack() for pack in packs] == [True] * 3


def test_what_a_hub_has_no_answer_to_it_says_alike_everywhere(
    root: Path, ann: Served, url: str
) -> None:
    async def through(client: Client) -> str:
        return await refused(client, "context", {"query": "x", "diff": "HEAD"})

    words = "a hub has no working tree to review"
    shown = satchel("context", "x", "--diff", "HEAD", "--hub", url, cwd=root).stderr.decode()
    page = _page(ann, "/api/context", {"question": "x", "diff": "HEAD"})
    assert [words in text for text in (over_http(ann, through), shown, page["error"])] == [True] * 3

"""The tools as an agent meets them: their list, their answers, and how they refuse."""

import json
import os
import re
import time
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from satchel.assembler.budget import MAX_INPUT
from satchel.mcp_server import surface
from satchel.mcp_server.app import SatchelServer
from satchel.mcp_server.tool import MAX_CHARACTERS
from satchel.questions.params import Kind, default_of, schema
from satchel.store import tokens
from satchel.workspace.configuration.settings import Settings
from tests.support.agent import PATIENCE_S, asked, in_memory, refused
from tests.support.git import commit_all
from tests.support.satchel import ROOT, index, satchel

CODE = """
//- app/send.py
from app.queue import push

class Mail:
    def send(self, message):
        '''Deliver a message later.'''
        push(message)
//- app/queue.py
def push(item):
    return [item, missing(item)]
//- tests/test_send.py
def test_send():
    Mail().send(1)
"""
LIST = ROOT / "tests" / "fixtures" / "mcp" / "tools.json"
MAX_TOKENS, MAX_WITH_MEMORY = 900, 1_100


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


def test_the_list_of_tools_is_what_was_agreed_and_costs_few_tokens(root: Path):
    async def session(client):
        return (await client.list_tools()).model_dump(mode="json", by_alias=True, exclude_none=True)

    listed = in_memory(root, session)["tools"]
    text = json.dumps(listed, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        LIST.write_text(text, encoding="utf-8")
    assert text == LIST.read_text(encoding="utf-8")
    assert _cost(listed) <= MAX_TOKENS


def _cost(listed: list[dict]) -> int:
    compact = json.dumps({"tools": listed}, ensure_ascii=False, separators=(",", ":"))
    return tokens.count(compact)


_OF_MEMORY = ["remember", "revise", "recall", "set_context"]


def test_tools_of_memory_are_listed_once_something_is_kept_and_asking_keeps_nothing(root: Path):
    changed: list[str] = []

    async def hear(message: object) -> None:
        changed.append(type(getattr(message, "root", message)).__name__)

    async def names(client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    async def session(client):
        before = client.instructions, await names(client)
        await asked(client, "recall", query="retries")
        asked_only = await names(client)
        assert "ToolListChangedNotification" not in changed
        await asked(client, "remember", kind="fact", summary="Parcels are counted twice")
        listed = (await client.list_tools()).model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
        return before, asked_only, listed["tools"]

    (told, before), asked_only, after = in_memory(root, session, hear=hear, mode="legacy")
    assert before == asked_only and not {*before} & {*_OF_MEMORY}
    assert "recall" not in told and "remember" not in told
    assert [tool["name"] for tool in after] == [*before, *_OF_MEMORY]
    assert "ToolListChangedNotification" in changed
    assert _cost(after) <= MAX_WITH_MEMORY

    async def again(client):
        return client.instructions, await names(client)

    told, now = in_memory(root, again)
    assert "`recall`" in told and now == [tool["name"] for tool in after]
    assert tokens.count(told) <= 200


def test_tools_of_memory_are_listed_where_the_user_asks(root: Path):
    async def session(client):
        return client.instructions, [tool.name for tool in (await client.list_tools()).tools]

    told, names = in_memory(root, session, SATCHEL_MCP_TOOLS="memory")
    assert names[-4:] == _OF_MEMORY and "`recall`" in told


@pytest.mark.parametrize("full", [False, True], ids=["compact", "full"])
def test_every_schema_describes_what_it_lists_with_its_default_and_what_is_allowed(full: bool):
    for tool in surface.tools(with_upstreams=True):
        listed = schema(tool.params, Settings(), full=full)["properties"]
        for param in tool.params:
            if not (full or param.listed):
                assert param.name not in listed
                continue
            shown = listed[param.name]
            assert shown["description"], (tool.name, param.name)
            of_each = shown.get("items", shown)  # of a list each entry is one of them
            assert tuple(of_each.get("enum", ())) == param.choices
            if param.kind in (Kind.WHOLE, Kind.NUMBER):
                assert (shown.get("minimum"), shown.get("maximum")) == (param.low, param.high)
            default = default_of(param, Settings())
            assert shown.get("default") == (default if default not in ("", None) else None)


def test_defaults_in_the_list_are_those_of_the_settings(root: Path):
    async def session(client):
        return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    listed = in_memory(root, session, SATCHEL_SEARCH_MAX_RESULTS="77")
    assert listed["search"]["properties"]["max_results"]["default"] == 77


def test_a_call_over_http_is_checked_against_the_schema_that_is_listed(root: Path):
    """The SDK asks for the schema of the one tool, and makes the list where nobody tells."""
    servers: list[SatchelServer] = []

    def seen(server: SatchelServer) -> SatchelServer:
        servers.append(server)
        return server

    async def session(client):
        return {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    listed = in_memory(root, session, over=seen)
    [server] = servers
    assert server.get_tool_input_schema is not None
    assert {name: server.get_tool_input_schema(name) for name in listed} == listed
    assert server.get_tool_input_schema("summary") is None


def test_what_is_plain_is_taken(root: Path):
    async def session(client):
        return (
            [
                await asked(client, "context", query="push", budget_tokens=512),
                await asked(client, "context", query="push", budget_tokens="512"),
                await asked(client, "context", question="push", max_tokens=512.0),
            ],
            [
                await asked(client, "search", query="push", max_results=1, explain=True),
                await asked(client, "search", text="push", limit="1", explain="true"),
            ],
            [
                await asked(client, "symbols", name=name)
                for name in (
                    "Mail.send", "Mail/send", "Mail::send", "Mail#send", "Mail.send()",
                    "app.send.Mail.send", "send.Mail.send(message)", "`Mail.send`",
                )
            ],
            [
                await asked(client, "dependencies", name="push", depth=1),
                await asked(client, "dependencies", symbol="app.queue.push()", depth="1"),
            ],
            [
                await asked(client, "overview", path="app"),
                await asked(client, "overview", scope="app"),
            ],
        )  # fmt: skip

    index(root)
    for answers in in_memory(root, session):
        assert len({re.sub(r"generation \d+|pack \w+", "", text) for text in answers}) == 1


def test_symbols_come_with_their_source_when_asked(root: Path):
    (root / "app" / "slow.py").write_text(
        "import functools\n\n@functools.cache\ndef long():\n" + "    x = [1, 2, 3, 4]\n" * 99,
        "utf-8",
    )

    async def session(client):
        return [
            await asked(client, "symbols", name="Mail.send", source=True),
            await asked(client, "symbols", name="long", source=True, budget_tokens=4096),
            await asked(client, "symbols", name="long", source=True, budget_tokens=256),
        ]

    index(root)
    method, long, cut = in_memory(root, session)
    assert method.splitlines()[1:] == [
        "app/send.py:4-6  method Mail.send  def send(self, message)",
        "```",
        "    def send(self, message):",
        "        '''Deliver a message later.'''",
        "        push(message)",
        "```",
    ]
    assert "app/slow.py:4-103  function long" in long
    assert "\n@functools.cache\ndef long():\n" in long and long.count("x = [1") == 99
    assert cut.endswith("tokens of source do not fit: raise budget_tokens\n")
    assert "x = [1" not in cut


def test_of_a_class_that_does_not_fit_the_functions_are_listed(project):
    body = "".join(f"        x = [{n}]\n" for n in range(200))
    root = project(f"//- a.py\nclass Long:\n    def one(self):\n{body}    def two(self): ...\n")
    index(root)

    async def session(client):
        return await asked(client, "symbols", name="Long", source=True, budget_tokens=256)

    *_, refused, one, two = in_memory(root, session).splitlines()
    assert refused.endswith("tokens of source do not fit: raise budget_tokens; its functions:")
    assert (one, two) == ("  2-202  Long.one  def one(self)", "  203-203  Long.two  def two(self)")


def test_what_is_hidden_is_listed_on_request_and_callable_either_way(root: Path):
    async def session(client):
        return [tool.name for tool in (await client.list_tools()).tools]

    every = [tool.name for tool in surface.tools()]
    assert in_memory(root, session, SATCHEL_MCP_TOOLS="full") == every
    assert in_memory(root, session) == [
        tool.name for tool in surface.tools() if tool.listed and not tool.is_memory
    ]


def test_the_first_500_characters_of_the_instructions_stand_alone():
    first = surface.INSTRUCTIONS[:500]
    assert all(word in first for word in ("`context`", "`search`", "grep"))
    assert first.rstrip()[-1] == "." or "." in first[-120:]
    assert tokens.count(surface.INSTRUCTIONS) <= 200


def test_context_search_symbols_and_dependencies_answer(root: Path):
    async def session(client):
        return [
            await asked(client, "context", query="deliver a message", budget_tokens=400),
            await asked(client, "search", query="deliver a message", max_results=1),
            await asked(client, "search", query="push", mode="full", explain=True, scope="all"),
            await asked(client, "symbols", name="Mail.send"),
            await asked(client, "symbols", name="missing"),
            await asked(client, "dependencies", name="push", direction="incoming", depth=1),
        ]

    pack, pointers, full, defined, used, callers = in_memory(root, session)
    assert pack.startswith("[satchel] ") and "def send(self, message):" in pack
    assert tokens.count(pack) <= 400
    assert pointers.startswith("[satchel] 1 result in 3 files, generation ")
    assert pointers.splitlines()[1].startswith("app/send.py:")
    assert "def push(item):" in full and "terms" in full
    assert "app/send.py:4-6  method Mail.send  def send(self, message)" in defined
    assert "missing is not defined in the 3 files" in used and "app/queue.py:2" in used
    assert "  <- Mail.send  app/send.py:4  (call, " in callers


def test_a_tool_answers_in_the_words_of_the_command(root: Path):
    async def session(client):
        return await asked(client, "search", query="deliver a message", explain=True)

    told = in_memory(root, session)
    shown = satchel("search", "deliver a message", "--explain", "--root", root, cwd=root)
    assert told.partition("\n")[2] == shown.stdout.decode()


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        (
            "context",
            {},
            "query is missing\nhint: say what you are about to do, or set_context first",
        ),
        ("context", {"query": ""}, "query is empty\nhint: give a text of 1 to 10000"),
        ("context", {"query": " "}, "query is empty\nhint: "),
        ("context", {"query": "x" * (MAX_INPUT + 1)}, "query has 1000001 characters"),
        ("context", {"query": 7}, "query is 7\nhint: give a text"),
        ("context", {"query": "x", "budget_tokens": 255}, "budget_tokens is 255\nhint: give a who"),
        ("context", {"query": "x", "budget_tokens": 32769}, "of 256 to 32768"),
        ("context", {"query": "x", "budget_tokens": "4k"}, "budget_tokens is '4k'"),
        ("context", {"query": "x", "budget_tokens": "64"}, "budget_tokens is 64\nhint: give a"),
        (
            "context",
            {"query": "x", "budget_tokens": 512, "max_tokens": 600},
            "budget_tokens is given twice\nhint: 'max_tokens' is another name of it",
        ),
        ("context", {"query": "x", "budget_tokens": True}, "budget_tokens is True"),
        (
            "context",
            {"query": "x", "budget_tokens": 1e20},
            "budget_tokens is 100000000000000000000",
        ),
        ("search", {"query": "x", "scope": "some"}, "use one of: impl, test, all"),
        (
            "context",
            {"query": "x", "budgett": 512},
            "unknown parameter 'budgett'\nhint: did you mean",
        ),
        ("context", {"query": "x", "root": "/etc"}, "unknown parameter 'root'"),
        ("search", {"query": "x", "max_results": 0}, "of 1 to 200"),
        ("search", {"query": "x", "max_results": 2.5}, "max_results is 2.5"),
        (
            "search",
            {"query": "x", "min_score": 1.01},
            "min_score is 1.01\nhint: give a number of 0",
        ),
        ("search", {"query": "x", "mode": "all"}, "use one of: locate, full"),
        ("search", {"query": "x", "explain": "yes"}, "explain is 'yes'\nhint: give true or false"),
        ("symbols", {"name": "*"}, "a * alone names every symbol"),
        ("symbols", {"name": "push", "kind": "spell"}, "unknown kind 'spell'"),
        ("dependencies", {"name": "nobody"}, "nothing here is called 'nobody'"),
        ("dependencies", {"name": "push", "depth": 6}, "depth is 6\nhint: give a whole number"),
        ("dependencies", {"name": "push", "direction": "up"}, "callers, callees, both"),
        ("dependencies", {"name": "push", "format": "png"}, "text, dot, mermaid"),
        ("dependencies", {"name": "push", "kind": "use"}, "call, inherit, implement, type"),
    ],
)
def test_a_mistaken_call_names_the_field_the_bounds_and_the_remedy(root, tool, arguments, words):
    async def session(client):
        return await refused(client, tool, arguments)

    assert words in in_memory(root, session)


def test_an_unknown_tool_is_a_protocol_error(root: Path):
    async def session(client):
        with pytest.raises(MCPError) as refusal:
            await client.call_tool("read_file", {"path": "/etc/passwd"})
        return refusal.value.error.message

    ours = "context, search, symbols, dependencies, changes, overview"
    assert in_memory(root, session) == f"unknown tool read_file; tools: {ours}"


def test_several_names_are_looked_up_at_once_and_a_path_is_told_from_a_name(root: Path):
    async def session(client):
        names = ("push, Mail.send, nothing", "push Mail.send(message, 1) nothing",
                 ["push", "Mail.send", "nothing"], '["push", "Mail.send", "nothing"]')  # fmt: skip
        return (
            [await asked(client, "symbols", name=name) for name in names],
            await asked(client, "symbols", name="push,Mail.send", limit=1, offset=1),
            await asked(client, "symbols", name="app/queue.py"),
            await asked(client, "symbols", name="send.py:3-9"),
            await asked(client, "symbols", name="[]"),
            await asked(client, "symbols", name="./app/queue.py:push"),
        )

    index(root)
    several, second, file, lines, operator, here = in_memory(root, session)
    assert len(set(map(body, several))) == 1
    head, *rows = several[0].splitlines()
    assert head.startswith("[satchel] 2 definitions, generation ")
    assert [row.split("  ")[0] for row in rows[:2]] == ["app/queue.py:1-2", "app/send.py:4-6"]
    assert rows[2] == "nothing is not defined in the 3 files searched"
    assert second.splitlines()[1].startswith("app/send.py:4-6") and "1 more" not in second
    assert "that is a file: context app/queue.py:1-80 shows it" in file
    assert "that is a file: context app/send.py:3-9 shows it" in lines
    assert "[] is not defined in the 3 files searched" in operator
    assert "app/queue.py:1-2" in here


def test_changes_without_a_beginning_are_those_that_are_not_committed(root: Path):
    commit_all(root)
    (root / "app" / "queue.py").write_text("def push(item, later):\n    return [item]\n", "utf-8")

    async def session(client):
        return await asked(client, "changes"), await asked(client, "changes", since="HEAD")

    every, since_head = in_memory(root, session)
    assert "! app/queue.py:1  function push" in every
    assert every.partition("\nsince HEAD")[2] == since_head.partition("\nsince HEAD")[2]


def body(answer: str) -> str:
    """An answer without its generation: edges may be linked between two calls."""
    return re.sub(r"generation \d+|note: the call graph is behind.*\n", "", answer)


def test_changes_and_overview_answer_under_other_names_too(root: Path):
    commit_all(root)
    (root / "app" / "queue.py").write_text("def push(item, later):\n    return [item]\n", "utf-8")

    async def session(client):
        # Edges are derived after the text, so the first answers may say that they are older.
        deadline = time.monotonic() + PATIENCE_S
        while "call graph is older" in str(await asked(client, "changes", since="HEAD")):
            assert time.monotonic() < deadline
        return [
            await asked(client, "changes", since="HEAD"),
            await asked(client, "diff", since="HEAD"),
            await asked(client, "overview"),
            await asked(client, "summary"),
            await asked(client, "enrichment_status"),
            await refused(client, "changes", {"since": "no-such-revision"}),
        ]

    changes, diff, overview, summary, vectors, unknown = in_memory(root, session)
    assert "! app/queue.py:1  function push" in changes and "Mail.send" in changes
    assert body(changes) == body(diff)
    assert "project: 3 files" in overview and body(overview) == body(summary)
    assert "chunks with vectors" in vectors
    assert "no-such-revision" in unknown and "hint: " in unknown


def test_changes_come_with_the_tests_to_run_and_with_hunks_on_request(root: Path):
    test = "from app.queue import push\n\ndef test_push():\n    assert push(1)\n"
    (root / "tests" / "test_queue.py").write_text(test, "utf-8")
    commit_all(root)
    (root / "app" / "queue.py").write_text("def push(item, later):\n    return [item]\n", "utf-8")
    long = "".join(f"def f_{n}():\n    return 'a sentence about number {n}'\n" for n in range(99))
    (root / "app" / "long.py").write_text(long, "utf-8")

    async def session(client):
        return [
            await asked(client, "changes", since="HEAD"),
            await asked(client, "changes", since="HEAD", hunks=True),
            await asked(client, "changes", since="HEAD", hunks=True, max_tokens="512"),
            await asked(client, "changes", since="HEAD", hunks=True, path="app/long.py"),
        ]

    index(root)
    plain, whole, few, below = in_memory(root, session)
    assert "tests to run, nearest first, of 1:\n  tests/test_queue.py\n" in plain
    assert "@@" not in plain and "99 inside" not in plain
    for text in (whole, few):
        assert (
            "-def push(item):\n-    return [item, missing(item)]\n+def push(item, later):" in text
        )
    assert "+def f_98():" in whole and "+def f_98():" not in few
    assert "app/long.py: " in few and " tokens of hunks do not fit; raise budget_tokens" in few
    assert "+def f_98():" in below and "push(item" not in below.partition("```")[2]


def test_everything_is_sent_again_unless_a_session_asks_for_what_is_new(root: Path):
    async def session(client):
        ask = {"query": "deliver a message later", "budget_tokens": 600}
        plain = [await asked(client, "context", **ask) for _ in range(2)]
        mine = [await asked(client, "context", session="main", **ask) for _ in range(2)]
        new = await asked(client, "context", session="main", only_new=True, **ask)
        other = await asked(client, "context", session="reviewer", only_new=True, **ask)
        return plain, mine, new, other

    index(root)
    plain, mine, new, other = in_memory(root, session)
    for text in (*plain, *mine, other):
        assert "push(message)" in text and "sent #" not in text
    assert "push(message)" not in new and "sent #" in new
    assert "leave out only_new to be sent it again" in new


def test_what_is_new_needs_a_session_that_says_who_reads(root: Path):
    async def session(client):
        return await refused(client, "context", {"query": "deliver", "only_new": True})

    assert "only_new needs a session" in in_memory(root, session)


def test_a_function_that_is_named_is_sent_whole_whatever_was_sent(root: Path):
    async def session(client):
        ask = {"session": "main", "only_new": True}
        await asked(client, "context", query="deliver a message later", **ask)
        return await asked(client, "context", query="what does Mail.send() do", **ask)

    index(root)
    assert "push(message)" in in_memory(root, session)


def test_changes_can_be_reviewed(root: Path):
    commit_all(root)
    (root / "app" / "queue.py").write_text("def push(item, later):\n    return [item]\n", "utf-8")

    async def session(client):
        review = await asked(client, "context", diff="HEAD", budget_tokens=600)
        nothing = await refused(client, "context", {"diff": "no-such-revision"})
        return review, nothing

    review, nothing = in_memory(root, session)
    assert "def push(item, later):" in review and " calls push" in review
    assert "no-such-revision" in nothing


def test_dependencies_come_in_pages_and_name_the_tests_that_reach_a_symbol(project):
    root = project(
        "//- app.py\ndef low():\n    return 1\n\ndef mid():\n    return low()\n"
        "//- tests/test_app.py\nfrom app import mid\n\ndef test_mid():\n    assert mid()\n"
    )

    async def session(client):
        around = {"name": "mid", "scope": "all", "limit": 1, "depth": 1}
        page = await asked(client, "dependencies", **around)
        rest = await asked(client, "dependencies", offset=1, **around)
        tests = await asked(client, "dependencies", name="low", tests=True, depth=2)
        drawn = await asked(client, "dependencies", name="low", format="mermaid", kind="call")
        bases = await asked(client, "dependencies", name="low", kind="inherit")
        return page, rest, tests, drawn, bases

    page, rest, tests, drawn, bases = in_memory(root, session)
    assert "flowchart LR" in drawn and "call 0.95" in drawn and "0 edges" in bases
    assert "1 more; offset 1 shows them" in page
    edges = [line for text in (page, rest) for line in text.splitlines() if line[:2] == "  "]
    assert sorted(line.split()[1] for line in edges) == ["low", "test_mid"]
    assert "test_mid" in tests and "<- mid" not in tests


def test_tests_are_looked_for_as_far_as_the_command_line_does(project):
    root = project(
        "//- app.py\ndef low(): return 1\n\ndef mid(): return low()\n\ndef high(): return mid()\n"
        "//- tests/test_app.py\nfrom app import high\n\ndef test_high():\n    assert high()\n"
    )

    async def session(client):
        return await asked(client, "dependencies", name="low", tests=True)

    assert "  <- tests/test_app.py  (3 steps)  test_high:3" in in_memory(root, session)
    printed = satchel("deps", "low", "--tests", cwd=root).stdout.decode()
    assert "  <- tests/test_app.py  (3 steps)  test_high:3" in printed


def test_a_reply_is_bounded_however_much_is_asked_for(project):
    source = "".join(f"def wake_{n}(dog):\n" + "    dog.run('far')\n" * 300 for n in range(60))
    names = "".join(f"{'wake_a_very_sleepy_dog' * 6}_{n} = {n}\n" for n in range(2_000))
    root = project(f"//- a.py\n{source}//- names.py\n{names}")
    index(root)

    async def session(client):
        return (
            await asked(client, "search", query="wake dog run", mode="full", max_results=200),
            await asked(client, "symbols", name="wake_a*", limit=10_000),
        )

    full, listed = in_memory(root, session)
    assert tokens.count(full) < 40_000
    assert "left out: source of 32,768 tokens is shown at most" in full
    assert len(listed) <= MAX_CHARACTERS
    assert listed.splitlines()[-1].endswith("lines are left out: ask for less, with limit or path")


def test_what_is_kept_is_dated_and_says_which_settings_were_left_out(root: Path):
    (root / ".satchel").mkdir()
    (root / ".satchel" / "config.toml").write_text('[search]\nmax_results = "many"\n', "utf-8")

    async def session(client):
        await asked(client, "search", query="push")  # which makes the index
        return [
            await asked(client, "remember", kind="fact", summary="Parcels are counted twice"),
            await asked(client, "recall", query="parcels"),
            await asked(client, "set_context", query="count parcels"),
        ]

    for reply in in_memory(root, session):
        assert re.search(r"generation \d", reply), reply
        assert "note: 1 problem with .satchel/config.toml" in reply

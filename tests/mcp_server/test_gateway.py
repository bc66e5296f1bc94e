"""Mounted servers: listed by focus, called by name, learned from, and kept from doing harm."""

import sys
import threading
import time
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client

from satchel.knowledge.operations import learn, stats
from satchel.knowledge.requests import SetContext
from satchel.knowledge.storage import read
from satchel.mcp_server.app import create_server
from satchel.mcp_server.gateway import mounted_tools
from satchel.mcp_server.gateway import upstreams as gateway_module
from satchel.mcp_server.serving import Serving
from satchel.store.errors import SatchelError
from satchel.workspace import knowledge
from satchel.workspace.configuration.upstreams import Upstream
from satchel.workspace.project import Project
from tests.support.agent import PATIENCE_S, asked, said
from tests.support.knowing import team
from tests.support.satchel import satchel, warm_upstream

WORDS = [
    "pandas_read:Read_a_table_from_a_CSV_file", "csv_parse:Parse_rows_of_CSV_text",
    "git_log:Show_commits_of_a_repository", "git_diff:Show_changes_between_commits",
    "send_mail:Send_an_electronic_message", "weather:Forecast_for_a_city",
    *(f"thing_{n}:Does_the_thing_number_{n}" for n in range(24)),
]  # fmt: skip


@pytest.fixture
def serve(project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a session against a server whose user has configured upstream servers."""
    root = project("//- a.py\ndef f():\n    return 1\n")
    home = tmp_path / "config"

    def run(session, upstreams: dict[str, list[str]], mode: str = "auto", hear=None):
        entries = [
            f'[[upstream]]\nname = "{name}"\ncommand = "{warm_upstream()}"\nargs = {words!r}\n'
            for name, words in upstreams.items()
        ]
        (home / "satchel").mkdir(parents=True, exist_ok=True)
        (home / "satchel" / "config.toml").write_text("\n".join(entries), "utf-8")
        environment = {"XDG_CONFIG_HOME": str(home), "SATCHEL_INDEX_WORKERS": "1"}
        serving = Serving(Project.at(root, environment))
        serving.start()
        try:
            _wait(lambda: serving.gateway.is_settled)

            async def main():
                with anyio.fail_after(PATIENCE_S):
                    async with Client(
                        create_server(serving), mode=mode, message_handler=hear
                    ) as client:
                        return await session(client, serving)

            return anyio.run(main)
        finally:
            serving.close()

    return run


def _wait(condition) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_servers_that_come_and_go_do_not_stand_for_one_that_was_never_reached(monkeypatch):
    """Sessions end by an exception as well as in order; neither counts a server twice."""
    goes = Upstream("goes", str(warm_upstream()), ("crash",))
    silent = Upstream("silent", sys.executable, ("-c", "import time; time.sleep(600)"))
    monkeypatch.setattr(gateway_module, "_PAUSES", (0.01,))
    monkeypatch.setattr(gateway_module, "CALL_SECONDS", 5.0)
    gateway = gateway_module.Gateway((goes, silent))
    gateway.start()
    try:
        for _ in range(3):
            _wait(lambda: [tool.name for tool in gateway.tools()] == ["goes__crash"])
            before = gateway.version
            with pytest.raises(SatchelError):
                gateway.call("goes__crash", {})
            _wait(lambda before=before: gateway.version > before)  # gone, and perhaps back again
        assert not gateway.is_settled
    finally:
        gateway.close()


def test_a_process_that_is_being_started_is_not_cut_off_by_the_end(monkeypatch):
    """asyncio would leave its pipe open."""
    begun, seen = threading.Event(), []
    plain = gateway_module.stdio_client

    @asynccontextmanager
    async def slow(*arguments, **options):
        begun.set()
        try:
            await anyio.sleep(0.2)
        except anyio.get_cancelled_exc_class():
            seen.append("cut off")
            raise
        async with plain(*arguments, **options) as streams:
            seen.append("started")
            yield streams

    monkeypatch.setattr(gateway_module, "stdio_client", slow)
    gateway = gateway_module.Gateway((Upstream("up", str(warm_upstream()), ("echo",)),))
    gateway.start()
    assert begun.wait(PATIENCE_S)
    gateway.close()
    assert seen == ["started"]


async def names(client) -> list[str]:
    listed = await client.list_tools(cache_mode="refresh")
    return [tool.name for tool in listed.tools if "__" in tool.name]


def test_a_focus_brings_up_what_fits_and_hides_nothing_for_good(serve):
    async def session(client, serving):
        everything = await names(client)
        assert len(everything) == 30
        told = await asked(client, "set_context", query="analyze this CSV", intent="data analysis")
        assert "15 of 30 tools are not listed, and can be called all the same\n" in told
        shown = await names(client)
        assert len(shown) == 15 and {"up__pandas_read", "up__csv_parse"} <= set(shown[:4])
        assert "up__weather" not in shown
        answer = await client.call_tool("up__weather", {"text": "Paris"})
        assert said(answer) == "weather did Paris"
        found = await asked(client, "find_tools", query="send an electronic message")
        assert found.splitlines()[0].startswith("up__send_mail  [up] Send an")
        assert " of 30 tools are not listed" in found.splitlines()[-1]
        await client.call_tool("up__send_mail", {})
        assert {"up__weather", "up__send_mail"} <= set(await names(client))  # used just now
        with knowledge.open_context(serving.project) as context:
            learned = {pair.target: pair.confidence for pair in learn.associations(context.db)}
        assert learned == {"tool:up__weather": 0.5, "tool:up__send_mail": 1.5}
        await asked(client, "set_context", query="zzz qqq")
        assert await names(client) == everything  # it says nothing of these tools

    serve(session, {"up": WORDS})


def test_what_failed_teaches_nothing_and_what_was_learned_outlives_the_process(serve):
    async def first(client, serving):
        await asked(client, "set_context", query="quarterly numbers")
        assert "up__thing_7" not in await names(client)  # nothing but use ties the two
        failed = await client.call_tool("up__fail", {})
        assert failed.is_error
        await client.call_tool("up__thing_7", {})
        with knowledge.open_context(serving.project) as context:
            assert [pair.target for pair in learn.associations(context.db)] == ["tool:up__thing_7"]
            session = context.db.execute("SELECT id FROM session").get
            assert read.find_session(context.db, session).calls == ("up__thing_7",)

    async def second(client, _serving):
        await asked(client, "set_context", query="quarterly numbers please")
        shown = await names(client)
        assert shown[0] == "up__thing_7"
        await asked(client, "set_context", query="analyze CSV rows")
        assert (await names(client))[0] == "up__csv_parse"

    serve(first, {"up": [*WORDS, "fail"]})
    serve(second, {"up": [*WORDS, "fail"]})


def test_much_use_changes_nothing_for_another_matter_and_figures_tell_of_it(serve):
    async def session(client, serving):
        async def listed(name: str) -> list[str]:
            said_ = {"query": "parse rows of a CSV text", "session": name}
            await asked(client, "set_context", **said_)
            return [each.name for each in mounted_tools.visible(serving, name)]

        before = await listed("one")
        await asked(client, "set_context", query="quarterly numbers of the company")
        await names(client)
        for _ in range(5):
            await client.call_tool("up__weather", {})
        assert await listed("two") == before
        with knowledge.open_context(serving.project) as context:
            focus = stats.stats(context).focus
        assert focus.sessions == 3 and focus.sessions_with_focus == 1.0
        assert focus.calls_shown is not None and focus.succeeded_with_focus == 1.0
        assert focus.expected_by_chance is not None

    serve(session, {"up": WORDS})


def test_what_is_learned_stays_bounded_while_the_server_runs(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(learn, "MAX_ASSOCIATIONS", 20)
    monkeypatch.setattr(learn, "_AFTER_EVICTION", 15)
    with team(tmp_path, session="s") as ann:
        for n in range(60):
            ann.ask(SetContext, query=f"matter {n} of {n * 7}")
            learn.record_tool_success(ann.context, f"up__thing_{n}")
            assert len(learn.associations(ann.context.db)) <= 20
        month = ann.later(31)
        month.ask(SetContext, query="something else")
        learn.record_tool_success(month.context, "up__other")
        assert [pair.target for pair in learn.associations(ann.context.db)] == ["tool:up__other"]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_changed_list_is_told_in_both_eras(serve, mode: str):
    heard = []

    async def hear(message):
        heard.append(type(message).__name__)

    async def session(client, serving):
        told = anyio.Event()
        if mode == "auto":
            async with client.listen(tools_list_changed=True) as changes:
                await asked(client, "set_context", query="analyze CSV")
                async for _ in changes:
                    told.set()
                    break
            assert told.is_set()
        assert len(await names(client)) == (15 if mode == "auto" else 30)
        await asked(client, "set_context", query="analyze CSV")
        assert len(await names(client)) == 15
        assert len(mounted_tools.visible(serving, "")) == 30  # nobody knows whose focus

    serve(session, {"up": WORDS}, mode, hear)
    assert mode == "auto" or "ToolListChangedNotification" in heard


def test_a_server_that_hangs_crashes_or_floods_harms_nobody_else(serve, monkeypatch):
    async def session(client, serving):
        for tool in ("hang", "crash", "flood"):
            with monkeypatch.context() as patched:
                # Only who never answers is given up: the others have time on a busy machine, too.
                if tool == "hang":
                    patched.setattr(gateway_module, "CALL_SECONDS", 1.0)
                result = await client.call_tool(f"bad{tool}__{tool}", {})
            assert result.is_error and f"bad{tool}" in said(result)
            assert said(await client.call_tool("good__echo", {"text": "hi"})) == "echo did hi"
            assert "a.py" in await asked(client, "context", query="f", budget_tokens=300)
        assert len(said(await client.call_tool("good__loud", {}))) < 101_000
        _wait(lambda: len(serving.gateway.tools()) == 5)  # all are back

    serve(session, {
        "badhang": ["hang"], "badcrash": ["crash"], "badflood": ["flood"],
        "good": ["echo", "loud"],
    })  # fmt: skip


def test_a_refusal_is_passed_on_and_ends_nobody(serve):
    async def session(client, serving):
        before = serving.gateway.version
        refused = await client.call_tool("up__nope", {})
        assert refused.is_error and "nope" in said(refused) and "started again" not in said(refused)
        assert said(await client.call_tool("up__echo", {"text": "hi"})) == "echo did hi"
        assert serving.gateway.version == before

    serve(session, {"up": ["echo"]})


def test_only_the_users_own_file_may_run_commands(project):
    root = project("//- a.py\nx = 1\n")
    (root / ".satchel").mkdir()
    (root / ".satchel/config.toml").write_text('[[upstream]]\nname = "x"\ncommand = "touch"\n')
    asked = Project.at(root, {})
    assert not asked.upstreams and "names upstream servers" in asked.left_out[0].problem
    done = satchel("config", cwd=root)
    assert done.returncode == 2 and b"only your own configuration" in done.stderr

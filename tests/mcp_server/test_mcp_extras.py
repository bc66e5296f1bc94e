"""Resources, prompts, completion, progress and cancellation, as a real client meets them."""

from pathlib import Path

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from satchel.indexer.refresh_values import Stage
from satchel.mcp_server.prompts import PROMPTS
from satchel.mcp_server.resources import FILE, SYMBOL
from satchel.mcp_server.serving import Serving, Stop
from satchel.store.errors import Interrupted
from satchel.workspace.project import Project
from tests.support.agent import asked, in_memory

CODE = """
//- app/send.py
def send(message):
    return message
//- app/sort.py
def sort(items):
    return sorted(items)
//- .env
TOKEN=1
//- .gitignore
hidden.py
//- hidden.py
secret = 1
"""


@pytest.fixture
def root(project) -> Path:
    return project(CODE)


def test_resources_are_listed_and_read(root: Path):
    async def session(client):
        fixed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        read = {}
        for uri in ("satchel://status", "satchel://file/app/send.py", "satchel://symbol/sort"):
            [content] = (await client.read_resource(uri)).contents
            read[uri] = content.text
        return [str(r.uri) for r in fixed], [t.uri_template for t in templates], read

    fixed, templates, read = in_memory(root, session)
    assert fixed == ["satchel://status"]
    assert templates == [FILE, SYMBOL]
    assert "project: " in read["satchel://status"]
    assert read["satchel://file/app/send.py"] == (root / "app" / "send.py").read_text("utf-8")
    assert "app/sort.py:1-2  function sort  def sort(items)" in read["satchel://symbol/sort"]


@pytest.mark.parametrize(
    "uri",
    [
        "satchel://file/",
        "satchel://file/hidden.py",
        "satchel://file/app/../app/send.py",
        "satchel://file/%2e%2e/outside.txt",
        "satchel://file//etc/passwd",
        "satchel://file/app/send.py%00",
        "satchel://file/app/link.py",
        "satchel://symbol/nobody",
        "satchel://nothing",
        "file:///etc/passwd",
    ],
)
def test_what_is_not_indexed_cannot_be_read(root: Path, uri: str):
    (root.parent / "outside.txt").write_text("outside", encoding="utf-8")
    (root / "app" / "link.py").symlink_to(root.parent / "outside.txt")

    async def session(client):
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        return caught.value.error

    error = in_memory(root, session)
    assert error.code == -32602
    assert "hint: " in error.message and "outside" not in error.message


def test_a_file_that_became_a_link_is_not_followed(root: Path):
    (root.parent / "outside.txt").write_text("outside", encoding="utf-8")

    async def session(client):
        await asked(client, "overview")
        (root / "app").rename(root.parent / "moved")
        (root / "app").symlink_to(root.parent / "moved")
        with pytest.raises(MCPError) as caught:
            await client.read_resource("satchel://file/app/send.py")
        return caught.value.error.message

    assert "return message" not in in_memory(root, session)


def test_prompts_take_their_argument_and_hold_nothing_indexed(root: Path):
    async def session(client):
        listed = (await client.list_prompts()).prompts
        texts = {}
        for prompt in PROMPTS:
            got = await client.get_prompt(prompt.name, {prompt.argument: "send {value}"})
            texts[prompt.name] = got.messages[0].content.text
        review = await client.get_prompt("review-changes", {})
        with pytest.raises(MCPError, match="symbol is missing"):
            await client.get_prompt("explain-symbol", {})
        with pytest.raises(MCPError, match="unknown prompt"):
            await client.get_prompt("exploit", {})
        return [prompt.name for prompt in listed], texts, review.messages[0].content.text

    names, texts, review = in_memory(root, session)
    assert names == ["explain-symbol", "review-changes", "plan-task"] == list(texts)
    assert all("send {value}" in text for text in texts.values())
    assert "since HEAD" in review


def test_paths_and_symbols_are_completed(root: Path):
    async def session(client):
        async def values(ref, name, start):
            found = await client.complete(ref, {"name": name, "value": start})
            return found.completion.values

        file, symbol = ResourceTemplateReference(uri=FILE), ResourceTemplateReference(uri=SYMBOL)
        return [
            await values(file, "path", "app/s"),
            await values(file, "path", "hid"),
            await values(file, "path", "%"),
            await values(symbol, "name", "so"),
            await values(PromptReference(name="explain-symbol"), "symbol", "se"),
            await values(PromptReference(name="plan-task"), "task", "x"),
        ]

    assert in_memory(root, session) == [
        ["app/send.py", "app/sort.py"], [], [], ["sort"], ["send"], [],
    ]  # fmt: skip


def test_a_question_about_a_first_index_hears_progress_and_gets_an_answer(tmp_path: Path):
    for n in range(1500):
        (tmp_path / f"m{n}.py").write_text(f"def f{n}(x):\n    return x + {n}\n", encoding="utf-8")
    heard: list[tuple[float, str]] = []

    async def listen(progress, _total, message):
        heard.append((progress, message))

    async def session(client):
        return await client.call_tool("symbols", {"name": "f7"}, progress_callback=listen)

    # A busy machine may take longer than a question waits by default.
    result = in_memory(tmp_path, session, SATCHEL_INDEX_PATIENCE_SECONDS="600")
    assert not result.is_error
    progress = [progress for progress, _ in heard]
    assert progress == sorted(progress)
    assert heard
    assert all(message.startswith(tuple(Stage)) for _, message in heard), heard


def test_a_cancelled_call_ends_and_the_server_goes_on(root: Path):
    async def session(client):
        await asked(client, "overview")
        with anyio.move_on_after(0.001) as scope:
            await client.call_tool("context", {"query": "send sort " * 500, "scope": "all"})
        return scope.cancelled_caught, await asked(client, "symbols", name="send")

    cancelled, text = in_memory(root, session)
    assert cancelled
    assert "app/send.py:1" in text


def test_work_that_nobody_waits_for_is_stopped(root: Path):
    serving = Serving(Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"}))
    serving.start()
    try:
        stop = Stop()
        with pytest.raises(Interrupted), serving.code(stop) as code:
            stop.set()
            for _ in range(100_000):
                code.snapshot.files.counts()
        with pytest.raises(Interrupted), serving.code(Stop(seconds=5.0)) as code:
            while True:
                code.snapshot.files.counts()
    finally:
        serving.close()


def test_who_waits_for_a_turn_may_give_up_and_the_turn_is_free_again(root: Path):
    serving = Serving(Project.at(root, {"SATCHEL_INDEX_WORKERS": "1"}))
    serving.start()
    try:
        last = Stop(seconds=0.3)
        with serving.code(Stop()), serving.code(Stop()), pytest.raises(Interrupted):
            serving.code(last).__enter__()
        with serving.code(Stop()) as code:
            assert code.snapshot.files.count()
    finally:
        serving.close()


def test_a_page_of_an_impact_says_what_follows(project):
    users = "".join(
        f"//- u{n}.py\nfrom a import wake\n\ndef u{n}():\n    wake()\n" for n in range(3)
    )
    root = project(f"//- a.py\ndef wake():\n    pass\n{users}")

    async def session(client):
        return [
            await asked(
                client, "dependencies", name="wake", direction="impact", limit=2, offset=offset
            )
            for offset in (0, 2)
        ]

    first, last = in_memory(root, session)
    assert "1 more; offset 2 shows them" in first
    assert "more; offset" not in last

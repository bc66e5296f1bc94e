"""A server that a client starts in a home folder serves what the client says it has open."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPDeprecationWarning

from tests.support.agent import Session, T, asked, over_stdio, refused, said

WAKE, SEND = "def wake(dog):\n    return dog\n", "def send(message):\n    return message\n"
REFUSED = "is indexed only if you confirm it: it is a home folder"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with two code bases, one of which has a folder of its own."""
    home = (tmp_path / "home").resolve()
    for name, text in (("dogs & cats/dogs.py", WAKE), ("mail/mail.py", SEND)):
        file = home / name
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    return home


def _in(home: Path, folders: list[str] | None, session: Session[T], **options: object) -> T:
    """What `session` makes of a server that was started in `home`."""
    where = {"HOME": str(home)}
    return over_stdio(
        home, session, cwd=home, environment=where, mode="legacy", open_folders=folders,
        **options,  # type: ignore[arg-type]
    )  # fmt: skip


def test_the_folder_that_a_client_has_open_is_served(home: Path):
    async def session(client: Client) -> str:
        return await asked(client, "symbols", name="wake")

    folder = (home / "dogs & cats").as_uri()
    assert "dogs.py:1" in _in(home, [folder, f"{folder}/"], session)


def test_of_several_folders_a_workspace_is_served(home: Path):
    async def session(client: Client) -> tuple[str, str, bool]:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        both = await asked(client, "symbols", name="wake, send")
        one = await asked(client, "search", query="return", repositories="mail")
        return both, one, "repositories" in tools["search"].input_schema["properties"]

    # The home folder itself, what is no folder and what lies in another one are left out.
    inside = home / "mail" / "inside"
    inside.mkdir()
    paths = [home / "mail", home, home / "gone", inside, home / "dogs & cats"]
    both, one, is_listed = _in(home, [path.as_uri() for path in paths], session)
    assert '"dogs & cats/dogs.py":1' in both and "mail/mail.py:1" in both
    assert "mail/mail.py" in one and "dogs.py" not in one
    assert is_listed


@pytest.mark.parametrize("folders", [None, [], ["{home}"], ["file:///"], ["{home}/gone"]])
def test_without_a_folder_to_serve_the_refusal_says_what_a_model_can_do(
    home: Path, folders: list[str] | None
):
    async def session(client: Client) -> str:
        return await refused(client, "context", {"query": "wake"})

    given = folders and [each.format(home=home.as_uri()) for each in folders]
    text = _in(home, given, session)
    assert REFUSED in text and "cd CODE_BASE && satchel context" in text and "--root" in text


def test_a_client_that_opens_another_folder_is_followed(home: Path):
    folders: list[str] = []

    async def session(client: Client) -> tuple[str, str, str]:
        first = said(await client.call_tool("symbols", {"name": "wake"}))
        folders.append((home / "dogs & cats").as_uri())
        second = await asked(client, "symbols", name="wake")
        folders[:] = [(home / "mail").as_uri()]
        with pytest.warns(MCPDeprecationWarning):
            await client.send_roots_list_changed()
        return first, second, await asked(client, "symbols", name="send")

    first, second, third = _in(home, folders, session)
    assert REFUSED in first
    assert "dogs.py:1" in second
    assert "mail.py:1" in third


def test_what_a_user_names_is_served_whatever_a_client_has_open(home: Path):
    async def session(client: Client) -> str:
        return await asked(client, "symbols", name="wake")

    flags = ["--root", str(home / "dogs & cats")]
    assert "dogs.py:1" in _in(home, [(home / "mail").as_uri()], session, flags=flags)

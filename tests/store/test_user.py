"""Who runs a process, also where the system has never heard of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from satchel.store.errors import ConfigError
from satchel.store.platform import isolation, user
from satchel.workspace.state.find_root import own_settings_file
from satchel.workspace.state.state_folder import bases_of

UNKNOWN_ID = 1_234_567


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process under a made-up id, as in a container that is started with `--user`."""
    if sys.platform == "win32":
        pytest.skip("accounts have no numbers here")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: UNKNOWN_ID)


@pytest.mark.usefixtures("stranger")
def test_an_account_without_a_name_writes_under_its_number():
    assert user.name_of({}) == str(UNKNOWN_ID)
    assert user.name_of({"USER": "ada"}) == "ada"
    assert bases_of({"HOME": "/"}).account == str(UNKNOWN_ID)


@pytest.mark.usefixtures("stranger")
def test_without_a_home_folder_the_error_says_what_to_set(tmp_path: Path):
    with pytest.raises(ConfigError) as found:
        bases_of({})
    assert found.value.hint == "set the variable HOME"
    assert isolation.home({}) == isolation.NEUTRAL
    # Whoever says where everything lies needs none.
    assert own_settings_file({"XDG_CONFIG_HOME": str(tmp_path)}).is_relative_to(tmp_path)
    assert bases_of({}, str(tmp_path)).data == tmp_path.resolve()


def test_a_leading_tilde_is_the_home_of_the_environment_that_is_given(tmp_path: Path):
    given = {"HOME": str(tmp_path)}
    assert user.expanded("~/share", given) == tmp_path / "share"
    assert user.expanded("~", given) == tmp_path
    assert user.expanded("share", given) == Path("share")
    assert bases_of(given, "~/state").data == (tmp_path / "state").resolve()

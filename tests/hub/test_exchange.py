"""Knowledge of checkouts, pushed to the team's and pulled from it, with conflicts shown."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.hub.database import Hub, rows
from tests.support.satchel import TIMEOUT_S, warm_command

Checkout = Callable[..., str]


@pytest.fixture
def checkouts(tmp_path: Path, built, url: str, hub: Hub) -> Callable[[str], Checkout]:
    """Commands in checkouts of one repository, by whose they are."""
    tree = tmp_path / "api"
    tree.mkdir()
    (tree / "a.py").write_text("def a():\n    pass\n")
    assert built(tree).problem == ""

    def of(person: str) -> Checkout:
        def run(*arguments: str) -> str:
            environment = {
                **os.environ, "SATCHEL_STATE_FOLDER": str(tmp_path / person),
                "SATCHEL_KNOWLEDGE_ACTOR": person, "SATCHEL_KNOWLEDGE_PRIVACY": "team",
            }  # fmt: skip
            done = subprocess.run(
                [warm_command(), *arguments, "--root", tree], env=environment, capture_output=True,
                text=True, timeout=TIMEOUT_S, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            return done.stdout + done.stderr

        return run

    return of


def test_what_is_kept_goes_to_the_team_and_back_and_conflicts_are_shown(
    checkouts, url: str, hub: Hub
) -> None:
    ann, bob = checkouts("ann"), checkouts("bob")
    kept = ann("remember", "note", "Prefer a.py", "--scope", "a.py")
    number = kept.split()[0]
    ann("remember", "note", "mine alone", "--privacy", "private")
    pushed = ann("knowledge", "push", "--hub", url)
    assert "1 sent" in pushed
    assert "1 private item kept here" in pushed
    assert "1 the same" in ann("knowledge", "push", "--hub", url)
    assert rows(hub, "SELECT repository, person, privacy FROM knowledge") == [
        ("api", "ann", "team")
    ]
    assert "1 newer on the other side" in bob("knowledge", "push", "--hub", url)
    assert "1 taken" in bob("knowledge", "pull", "--hub", url)
    assert "Prefer a.py" in bob("recall", "prefer")
    bob("revise", "edit", number, "--set", "summary=Prefer b.py")
    assert "1 newer on the other side" in bob("knowledge", "pull", "--hub", url)
    assert "1 sent" in bob("knowledge", "push", "--hub", url)
    ann("revise", "edit", number, "--set", "summary=Prefer c.py")
    for way in ("push", "pull"):
        said = ann("knowledge", way, "--hub", url)
        assert "1 in conflict" in said
        assert "here 'Prefer c.py', there 'Prefer b.py'" in said
    assert "Prefer c.py" in ann("recall", "prefer")
    line = rows(hub, "SELECT line FROM knowledge")[0][0]
    assert "Prefer b.py" in line
    team = subprocess.run(
        [warm_command(), "recall", "prefer", "--hub", url, "--repo", "a*"], capture_output=True,
        text=True, timeout=TIMEOUT_S, check=True,
    )  # fmt: skip
    assert "Prefer b.py" in team.stdout
    assert "api/a.py" in team.stdout
    # Both say the same again, and nothing is left to tell.
    ann("revise", "edit", number, "--set", "summary=Prefer b.py")
    assert "in conflict" in ann("knowledge", "pull", "--hub", url)


def test_an_item_of_another_repository_is_not_written_over_and_not_called_sent(
    checkouts, tmp_path: Path, built, url: str, hub: Hub
) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web/b.py").write_text("def b():\n    pass\n")
    assert built(tmp_path / "web").problem == ""
    ann = checkouts("ann")
    kept = ann("remember", "note", "Prefer a.py", "--scope", "a.py").split()[0]
    assert "1 sent" in ann("knowledge", "push", "--hub", url)
    other = ann("knowledge", "push", "--hub", url, "--name", "web")
    assert "0 sent" in other and "kept with another repository" in other
    hub.execute("UPDATE knowledge SET privacy = 'private', line = 'theirs'")
    ann("revise", "edit", kept, "--set", "summary=Prefer b.py")
    assert "0 sent" in ann("knowledge", "push", "--hub", url)
    assert rows(hub, "SELECT repository, line FROM knowledge") == [("api", "theirs")]

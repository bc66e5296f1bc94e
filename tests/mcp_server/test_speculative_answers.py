"""Answers that are computed while the initial scan of the tree goes on, and given if valid."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from satchel.knowledge.requests import Entry, Remember
from satchel.mcp_server import serving as serving_module
from satchel.mcp_server import surface
from satchel.mcp_server.answering.worker import ReadOnly
from satchel.mcp_server.serving import Serving, Stop
from satchel.mcp_server.tool import STDIO, run_counted, run_here, run_speculatively
from satchel.workspace import knowledge
from satchel.workspace.project import Project
from satchel.workspace.serving.index_version import IndexVersion
from satchel.workspace.serving.live import LiveState, Role
from tests.support.satchel import index, silent

_TOOLS = {tool.name: tool for tool in surface.tools()}
_LATE = "the index is being brought up to date"


class _Looking(ReadOnly):
    """Looks at the tree until somebody waits for it; `ends` is called then, and tells notices."""

    def __init__(self, project: Project, ends: Callable[[], tuple[str, ...]]) -> None:
        super().__init__(project)
        self._ends = ends
        self._lock = threading.Lock()
        self._told: tuple[str, ...] | None = None
        self.role = Role.STARTING
        self.n_waits = 0

    def state(self) -> LiveState:
        return LiveState(self.role)

    def wait_fresh(
        self, *, seconds: float, stop: object = None, waits_for_saves: bool = False
    ) -> tuple[str, ...]:
        self.n_waits += 1
        with self._lock:
            if self._told is None:
                self._told = self._ends()
            self.role = Role.OWNER
            return self._told


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "dog.py").write_text("def wake(dog):\n    return dog\n", encoding="utf-8")
    return index(tmp_path)


def _asked(
    project: Project, ends: Callable[[], tuple[str, ...]], tool: str, **given: object
) -> tuple[str, _Looking]:
    looking = _Looking(project, ends)
    serving = Serving(project, live=looking)
    text = run_counted(_TOOLS[tool], given, serving, Stop(), STDIO, run_speculatively).text
    return text, looking


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done for an answer: "speculative" for beginning it, "opened" for each index."""
    found: list[str] = []
    usual = Serving._view

    def view(serving: Serving, *asked: object, ranked: bool) -> object:
        found.append("opened")
        return usual(serving, *asked, ranked=ranked)  # type: ignore[arg-type]

    def recording(directory: Path) -> IndexVersion:
        found.append("speculative")
        return IndexVersion(directory)

    monkeypatch.setattr(Serving, "_view", view)
    monkeypatch.setattr(serving_module, "IndexVersion", recording)
    return found


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("symbols", {"name": "wake"}),
        ("search", {"query": "wake the dog"}),
        ("context", {"query": "wake the dog"}),
    ],
)
def test_an_answer_that_holds_is_made_once_and_as_usual(
    project: Project, steps: list[str], tool: str, given: dict[str, object]
):
    speculative, looking = _asked(project, lambda: (), tool, **given)
    assert (steps, looking.n_waits) == (["speculative", "opened"], 1)
    serving = Serving(project, live=ReadOnly(project))
    assert speculative == run_counted(_TOOLS[tool], given, serving, Stop(), STDIO, run_here).text


@pytest.mark.parametrize("tool", ["search", "context"])
def test_an_answer_of_an_index_that_is_written_meanwhile_is_made_again(
    project: Project, steps: list[str], tool: str
):
    def ends() -> tuple[str, ...]:
        (project.root / "cat.py").write_text("def wake_cat(cat): pass\n", encoding="utf-8")
        project.refresh(silent)
        return ()

    text, _ = _asked(project, ends, tool, query="wake the cat")
    assert "cat.py" in text
    assert steps == ["speculative", "opened", "opened"]


def test_an_error_of_an_index_that_does_not_hold_is_none(project: Project):
    def ends() -> tuple[str, ...]:
        (project.root / "cat.py").write_text("def purr(): pass\n", encoding="utf-8")
        project.refresh(silent)
        return ()

    text, _ = _asked(project, ends, "dependencies", symbol="purr")
    assert "purr" in text and "cat.py" in text


def test_who_waited_in_vain_is_told_so_and_does_not_wait_twice(project: Project):
    text, looking = _asked(project, lambda: (_LATE,), "search", query="wake the dog")
    assert f"note: {_LATE}" in text
    assert looking.n_waits == 1


def test_nothing_is_made_early_where_showing_what_is_known_leaves_a_trace(
    project: Project, steps: list[str]
):
    entry = Entry(kind="warning", summary="dogs wake first", scope="dog.py")
    knowledge.ask(project, Remember((entry,)))
    text, _ = _asked(project, lambda: (), "context", query="wake the dog")
    assert "dogs wake first" in text
    assert steps == ["opened"]

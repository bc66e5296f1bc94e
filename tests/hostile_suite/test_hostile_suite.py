"""Scenes of a hostile author: a part here, all with `python -m bench.robustness.hostile`."""

import ast
import inspect
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from bench.robustness.fuzz import fuzz
from satchel.assembler import quoting
from satchel.mcp_server.tool import reply_text
from tests.hostile_suite import SCENES
from tests.hostile_suite.databases import DATABASES, GUARD, OPENERS
from tests.hostile_suite.demonstrations import DEMONSTRATIONS
from tests.hostile_suite.promises import PROMISES
from tests.hostile_suite.stage import STATE_MOVED, Stage
from tests.support.architecture import product_files
from tests.support.satchel import COMMAND, ROOT, warm_command

WHOLE = os.environ.get("SATCHEL_HOSTILE") == "1"
PLAYED = [
    scene for scene in SCENES
    if (WHOLE or scene.quick) and (STATE_MOVED or not scene.after_state)
]  # fmt: skip

STARTED = {
    f"tests.hostile_suite.{name}" for name in ("running", "surroundings", "exhaustion", "hub")
}
"""Modules of scenes about how the command starts, and what its process takes."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A file of the product: its path from the checkout on, its text, and what it calls."""

    name: str
    text: str
    tree: ast.Module
    calls: tuple[tuple[str, ast.Call], ...]


@cache
def _product() -> tuple[_Read, ...]:
    """Every file of the product, read once for all tests that look for something in them."""
    return tuple(map(_read, product_files(ROOT)))


@cache
def _read(path: Path) -> _Read:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = tuple((ast.unparse(node.func), node) for node in calls)
    return _Read(path.relative_to(ROOT).as_posix(), text, tree, named)


def test_there_are_enough_of_them_and_each_has_a_name():
    assert len(SCENES) >= 150
    assert len({scene.name for scene in SCENES}) == len(SCENES)


def test_every_demonstration_has_scenes():
    names = {scene.name for scene in SCENES}
    for what, shown_by in DEMONSTRATIONS.items():
        assert names.issuperset(shown_by), what


def test_every_kind_of_scene_that_readers_are_told_of_is_there():
    rows = re.findall(r"\| ([^|]+) \|\n", (ROOT / "SECURITY.md").read_text("utf-8"))
    named = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}
    assert "running" in named
    assert named <= {scene.play.__module__.rpartition(".")[2] for scene in SCENES}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("scene", PLAYED, ids=[scene.name for scene in PLAYED])
def test_scene(scene, tmp_path: Path):
    is_started = scene.play.__module__ in STARTED
    scene.play(Stage(tmp_path, COMMAND if is_started else warm_command()))


def test_every_promise_has_scenes_or_tests_that_exist():
    names = {scene.name for scene in SCENES}
    for shown_by in PROMISES.values():
        for each in shown_by:
            file, _, test = each.partition("::")
            assert each in names if not test else f"def {test}(" in (ROOT / file).read_text("utf-8")


STARTERS = {
    "indexer/extract/pool.py": "subprocess.Popen(isolation.command(",
    "indexer/extract/worker.py": "if os.fork() == 0:",
    "satchel/cli/background.py": "command = isolation.command(",
    "satchel/store/platform/programs.py": "limited if os.path.exists(_SHELL) else command",
    "mcp_server/answering/pool.py": "isolation.command(_FORK_SERVER,",
    "mcp_server/answering/fork_server.py": "pid = os.fork()",
    "mcp_server/gateway/relay.py": "with subprocess.Popen(sys.argv[1:]",
    "mcp_server/gateway/upstreams.py": "isolation.command(",
    "mcp_server/transport/probe.py": "env=dict(environment), cwd=cwd",
    "satchel/cli/commands/doctor.py": "isolation.command(_MAIN,",
    "satchel/cli/pager.py": "cwd=os.path.abspath(os.sep)",
    "satchel/hub/building/cluster.py": "chdir(isolation.NEUTRAL)",
    "satchel/hub/demo.py": "chdir(isolation.NEUTRAL)",
    "satchel/hub/serving/workers.py": "with chdir(isolation.NEUTRAL): process =",
}
"""Who starts processes, and how: our own isolated, those of others bounded or away from here."""
_STARTING = ("subprocess.", "os.exec", "os.spawn", "os.fork", "os.system", "os.posix_spawn",
             "StdioServerParameters", "stdio_client", "LocalCluster", "get_server",
             "multiprocessing", "ProcessPoolExecutor")  # fmt: skip


def test_every_process_that_is_started_is_known():
    found = set()
    for file in _product():
        calls = {called for called, _ in file.calls}
        if "probe" in calls or any(start in called for called in calls for start in _STARTING):
            found.add(file.name)
    assert found == set(STARTERS)
    for name, how in STARTERS.items():
        text = (ROOT / name).read_text("utf-8")
        assert "".join(how.split()) in "".join(text.split()), name


EXITS = {
    "satchel/cli/terminal.py": {"sys.stdout", "sys.stderr"},
    "satchel/cli/command_line.py": {"sys.stdout"},
    "satchel/cli/main.py": {"sys.stdout", "sys.stderr"},
}
"""Who may write to the streams: the terminal, what closes a broken pipe, and what ends a process,
which flushes them and says in words of its own and the system's that output cannot be written."""


def test_the_terminal_is_the_only_way_out_and_shows_what_hides():
    streams = {"sys.stdout", "sys.stderr", "sys.__stdout__"}
    for file in _product():
        of_sys = [node for node in ast.walk(file.tree) if isinstance(node, ast.Attribute)
                  and isinstance(node.value, ast.Name)]  # fmt: skip
        used = {ast.unparse(node) for node in of_sys}
        assert used & streams <= EXITS.get(file.name, set()), file.name
    source = (ROOT / "satchel/cli/terminal.py").read_text("utf-8")
    writes = [line.strip() for line in source.splitlines() if ".write(" in line]
    assert writes and all("quoting.neutral(" in w or "quoting.escaped(" in w for w in writes)


TEXTS = {"TextContent", "TextResourceContents"}


def test_every_text_that_an_agent_gets_goes_through_one_function():
    """`printable`, which `reply_text` calls, or for the texts of other servers `foreign`; a hub's
    server included."""
    whole = inspect.getsource(reply_text).partition('"""\n')[2].splitlines()
    assert whole[0].strip() == "shown = printable(text)" and "text" not in "".join(whole[1:])
    served = [*(ROOT / "mcp_server").rglob("*.py"), *(ROOT / "satchel/hub").rglob("*.py")]
    for path in sorted(served):
        for called, node in _read(path).calls:
            if called in TEXTS:
                (text,) = [word.value for word in node.keywords if word.arg == "text"]
                said = ast.unparse(text)
                is_shown = said.startswith(("printable(", "reply_text("))
                assert is_shown or path.parent.name == "gateway", (path, said)


GIT_COMMANDS = {
    "cat-file", "config", "log", "ls-files", "ls-tree", "merge-base", "rev-list", "rev-parse",
}  # fmt: skip
"""None of them starts a filter, a hook or a program that shows differences; `log` would start one
that checks signatures, which `git_checkout` turns off."""


PASSED_ON = "satchel/evaluation/commits.py"
"""Where `git_output` hands its words on to `run_git`."""


def test_git_is_asked_in_a_strangers_checkout_for_nothing_that_starts_programs():
    asked = set()
    for file in _product():
        name = file.name
        if "programs.run(" in file.text:
            assert name in ("indexer/scan/git_checkout.py", "satchel/hub/building/git_clone.py")
        if "run_git" not in file.text and name != PASSED_ON:
            continue
        tuples = {
            ast.unparse(target): node.value.elts[0]
            for node in ast.walk(file.tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
            for target in node.targets
            if node.value.elts
        }
        for called, node in file.calls:
            is_passed_on = name == PASSED_ON and ast.unparse(node).endswith(", *arguments)")
            is_asked = name == PASSED_ON and called == "git_output"
            if is_asked or (called.endswith("run_git") and not is_passed_on):
                word = node.args[1]
                if isinstance(word, ast.Starred):
                    word = tuples[ast.unparse(word.value)]
                assert isinstance(word, ast.Constant), (name, ast.unparse(node))
                asked.add(word.value)
    assert asked == GIT_COMMANDS


def test_every_database_that_is_opened_is_known_and_goes_through_one_function():
    """And each has scenes in which it is a link, and in which something in it would act."""
    found = set()
    libraries = {"apsw", "sqlite3", "chromadb", "psycopg", "postgres_server"}
    for file in _product():
        name, guards = file.name, "platform.guarded import" in file.text
        for called, call in file.calls:
            place, _, last = called.rpartition(".")
            if last not in OPENERS:
                continue
            if called == "apsw.Connection" and name != GUARD:
                assert ast.unparse(call.args[0]) == "':memory:'", (name, ast.unparse(call))
            elif place in libraries or (guards and called == "opened"):
                found.add(name)
    assert found - {GUARD} == set(DATABASES)
    played = {scene.name for scene in SCENES}
    for file in (file for files in DATABASES.values() for file in files):
        assert f"{file} is a link to a database of the user" in played
        assert {f"{file} with a trigger", f"{file} with a view"} <= played


def test_toml_of_anybody_is_read_in_one_place_that_bounds_its_keys():
    read_by = [file.name for file in _product() if "tomllib.loads(" in file.text]
    assert read_by == ["satchel/store/platform/toml_text.py"]


PAGE_EXITS = {
    "satchel/ui/access.py", "satchel/ui/app.py", "satchel/ui/api_calls.py", "satchel/ui/health.py",
    "satchel/hub/serving/server.py", "satchel/hub/serving/webhooks.py",
}  # fmt: skip
"""Who may answer a browser: refusals and cookies, the shell and the last pack, JSON, progress, and
a hub's refusals and what it says to a webhook, which are plain text of its own."""


def test_what_a_browser_gets_is_json_or_escaped():
    """The page's scripts write JSON as text; tests/ui/test_hostile.py looks at it in a browser."""
    calls = (ROOT / "satchel/ui/api_calls.py").read_text("utf-8")
    assert "return quoting.json_of(value).encode()" in calls and "json.encode(" not in calls
    encoder = inspect.getsource(quoting.json_of)
    assert encoder.endswith("return escaped(document.decode())\n") and encoder.count("return") == 1
    asked = [*(ROOT / "satchel/ui").rglob("*.py"), *(ROOT / "satchel/hub").rglob("*.py")]
    for path in sorted(asked):
        name, made = _read(path).name, {called for called, _ in _read(path).calls}
        answers = {word for word in made if word.endswith("Response")}
        assert name in PAGE_EXITS or not answers, (name, answers)
        if "HTMLResponse" in made:
            assert "html.escape(quoting.neutral(" in path.read_text("utf-8"), name
    for path in sorted((ROOT / "satchel/ui/static").glob("*.js")):
        text = path.read_text("utf-8")
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text, path.name


def test_mutations_of_what_others_wrote_neither_crash_nor_reach_outside():
    found = fuzz(100, seed=3)
    assert found.bad == () and found.n == 100

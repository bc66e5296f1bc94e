"""Code of a repository that would like to run: modules, commands in configurations, CI."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import yaml

from satchel.cli.clients.client_files import CLIENTS, Home
from satchel.mcp_server.serving import Serving
from satchel.workspace.project import Project
from tests.hostile_suite.stage import SECONDS, Scene, Stage, entry
from tests.support.satchel import COMMAND, ROOT

_RECIPES = Path(os.environ.get("SATCHEL_TEST_SOURCE") or ROOT)
MODULES = (
    "satchel/__init__.py", "mcp_server/__init__.py", "subprocess.py", "indexer/__init__.py",
    "msgspec/__init__.py", "apsw/__init__.py", "numpy/__init__.py", "sitecustomize.py",
    "usercustomize.py", "time.py", "json.py", "chromadb/__init__.py", "satchel/cli/__init__.py",
    "satchel/__init__.py", "tree_sitter/__init__.py", "anyio/__init__.py",
)  # fmt: skip
COMMANDS: dict[str, tuple[str, ...]] = {
    "reindex": ("reindex",),
    "context": ("context", "wake the dog"),
    "search": ("search", "wake"),
    "deps": ("deps", "wake"),
    "validate": ("validate", "--level", "standard"),
    "overview": ("overview",),
    "config": ("config", "show", "--origin"),
    "remember": ("knowledge", "stats"),
    "repair": ("repair",),
    "setup": ("setup", "claude-code", "--print"),
    "doctor": ("doctor",),
}


def _traps(stage: Stage) -> dict[str, str]:
    return {name: stage.trap() for name in MODULES} | {"dog.py": "def wake(dog):\n    pass\n"}


def _command(words: tuple[str, ...]) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone(_traps(stage))
        stage.shown(*words)
        stage.safe()

    return Scene(f"modules of the checkout and `satchel {words[0]}`", play, words[0] == "doctor")


def _upstream(stage: Stage, files: dict[str, str]) -> str:
    """Serves the clone with an upstream that tells what it was started with."""
    spy, told = stage.home / "spy.py", stage.folder / "told"
    text = (
        "import json, os\nfound = [os.getcwd(), os.environ.get('PYTHONPATH')]\n"
        f"open({str(told)!r}, 'w').write(json.dumps(found))\n"
    )
    spy.write_text(text, encoding="utf-8")
    stage.user_config(
        f'[[upstream]]\nname = "spy"\ncommand = "{sys.executable}"\nargs = ["{spy}"]\n'
    )
    stage.clone(files)
    serving = subprocess.Popen(
        [COMMAND, "serve"],
        cwd=stage.root, env=stage.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + SECONDS
        while not (told.exists() and told.read_text("utf-8")) and not stage.sprung.exists():
            assert time.monotonic() < deadline, "the upstream was never started"
            time.sleep(0.05)
    finally:
        serving.kill()
        serving.communicate()
    stage.safe()
    return told.read_text("utf-8")


def _module(name: str) -> Scene:
    def play(stage: Stage) -> None:
        folder, python_path = json.loads(_upstream(stage, {name: stage.trap()}))
        assert folder == str(stage.home) and not python_path

    return Scene(f"{name} and a gateway", play, quick=name == "mcp_server/__init__.py")


def _upstream_folder(stage: Stage) -> None:
    folder, python_path = json.loads(_upstream(stage, {"a.py": ""}))
    assert folder == str(stage.home) and not python_path


def _settled_upstream(stage: Stage) -> None:
    """An npm project's settings decide what `npx` runs where it is started: not here."""
    stage.user_config('[[upstream]]\nname = "own"\ncommand = "./run.sh"\n')
    stage.clone({"run.sh": stage.trap("sh")})
    serving = Serving(Project.at(stage.root, stage.environment))
    serving.start()
    try:
        deadline = time.monotonic() + SECONDS
        while serving.gateway and not serving.gateway.is_settled:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        serving.close()
    stage.safe()


CONFIGURED: dict[str, tuple[str, ...]] = {
    "another program": ("{trap}",),
    "another program by a relative path": ("./trap.sh",),
    "a shell": ("sh", "-c", "{trap}"),
    "setup with a command": ("satchel", "setup", "codex", "--command", "{trap}"),
    "setup elsewhere": ("satchel", "setup", "zed", "--command", "{trap}"),
    "an import": ("satchel", "knowledge", "import", "evil.jsonl"),
    "a reindex of the home": ("satchel", "reindex", "{home}", "--yes"),
    "a server on a port": ("satchel", "serve", "--http", "45321"),
    "a server of the home": ("satchel", "serve", "--root", "{home}", "--yes"),
    "a report elsewhere": ("satchel", "validate", "--output", "{home}/private.txt"),
    "its own satchel": ("./satchel", "serve"),
    "python": (sys.executable, "-c", "open('{sprung}', 'w')"),
    "python with a module": (sys.executable, "-m", "trap"),
    "options of ours": ("satchel", "--version"),
}


def _configured(what: str, words: tuple[str, ...]) -> Scene:
    def play(stage: Stage) -> None:
        trap = stage.root / "trap.sh"
        fill = {"{trap}": str(trap), "{home}": str(stage.home), "{sprung}": str(stage.sprung)}
        said = list(words)
        for name, value in fill.items():
            said = [word.replace(name, value) for word in said]
        files = {"trap.sh": stage.trap("sh"), "satchel": stage.trap("sh"), "trap.py": stage.trap()}
        # Another client's file names a program of the checkout, and is read in the same go.
        beside = {".cursor/mcp.json": entry("./satchel", "serve")}
        stage.clone({**files, **beside, ".mcp.json": entry(*said), "a.py": "x = 1\n"})
        shown = stage.shown("doctor")
        assert "not started" in shown and "FAILED  claude-code" in shown
        assert "FAILED  cursor" in shown
        assert not (stage.home / ".codex").exists() and not (stage.home / ".config/zed").exists()
        assert not (stage.home / ".satchel").exists()
        stage.safe()

    return Scene(f"doctor and {what}", play, quick=what == "setup with a command")


def _client(name: str, file: str) -> Scene:
    def play(stage: Stage) -> None:
        trap = stage.root / "trap.sh"
        server = {"command": str(trap), "args": []}
        one_list = {"type": "local", "command": [str(trap)]}
        said = {"mcpServers": {"satchel": server}, "servers": {"satchel": server},
                "amp.mcpServers": {"satchel": server}, "mcp": {"satchel": one_list}}  # fmt: skip
        stage.clone({"trap.sh": stage.trap("sh"), file: json.dumps(said)})
        assert "not started" in stage.shown("doctor")
        stage.safe()

    return Scene(f"doctor and {name}'s file", play)


def _ci(file: Path, what: str) -> Scene:
    """The installing step of a CI, run by bash in a checkout that has modules of its own."""

    def play(stage: Stage) -> None:
        traps = {name: stage.trap() for name in ("pip/__init__.py", "pip.py", "runpy.py", "os.py")}
        stage.clone(
            traps | {"sitecustomize.py": stage.trap(), "encodings/__init__.py": stage.trap()}
        )
        said = yaml.safe_load(file.read_text("utf-8"))
        if what == "action":
            (step,) = [s for s in said["runs"]["steps"] if s.get("name") == "Install"]
            script = step["run"].replace('install --quiet "$ACTION"', "--version")
            away = "working-directory" in step
        else:
            script = "\n".join(said[".satchel"]["before_script"])
            script, away = script.replace('install --quiet "$SATCHEL_WHEEL"', "--version"), False
        bin_folder = Path(sys.executable).parent
        done = subprocess.run(
            ["bash", "-c", script], cwd=stage.home if away else stage.root, timeout=SECONDS,
            env={**stage.environment, "PATH": f"{bin_folder}:/usr/bin:/bin"}, check=False,
            capture_output=True,
        )  # fmt: skip
        stage.safe()
        assert done.returncode == 0, done.stderr

    return Scene(f"a module called pip and the {what}", play, quick=True)


def _dotenv(text: str, what: str) -> Scene:
    def play(stage: Stage) -> None:
        stage.clone({".env": text, "a.py": "def wake():\n    return 1\n"})
        shown = stage.shown("reindex", SATCHEL_VECTORS_ENGINE="chroma")
        assert "Chroma holds" in shown, shown

    return Scene(f"Chroma and a .env with {what}", play)


SCENES = (
    *(_command(words) for words in COMMANDS.values()),
    *(_module(name) for name in MODULES[:6]),
    Scene("an upstream's folder and PYTHONPATH", _upstream_folder),
    Scene("an upstream's command is not looked for in the checkout", _settled_upstream),
    *(_configured(what, words) for what, words in CONFIGURED.items()),
    *(_client(c.name, c.file) for c in CLIENTS if c.home == Home.PROJECT),
    _ci(_RECIPES / "action.yml", "action"),
    _ci(_RECIPES / "ci/gitlab.yml", "pipeline"),
    _dotenv(
        "CHROMA_API_IMPL=chromadb.api.fastapi.FastAPI\nCHROMA_SERVER_HOST=192.0.2.1\n"
        "CHROMA_SERVER_HTTP_PORT=9\n", "a host"),
    _dotenv("CHROMA_SERVER_HTTP_PORT=not a number\n", "a value that is none"),
    _dotenv("IS_PERSISTENT=false\nPERSIST_DIRECTORY=/nowhere\nALLOW_RESET=true\n", "a folder"),
)  # fmt: skip

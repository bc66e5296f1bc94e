"""`setup` and `doctor` as a user runs them, on configuration files as they are found."""

import json
import tomllib
from pathlib import Path

import pytest
import yaml

from satchel.cli.clients import instructions
from satchel.cli.clients.client_files import CLIENTS, Home
from satchel.cli.commands.doctor import _refusal
from satchel.workspace.project import Project
from tests.support.satchel import COMMAND, satchel

CODEX = """\
# my settings
model = "gpt-5"   # the good one

[mcp_servers.other]
command = "npx"
args = ["-y", "other"]   # theirs

[profiles.fast]
model = 'o4'
"""


@pytest.fixture
def root(project, monkeypatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user" / ".config"))
    return project("//- a.py\ndef wake(dog):\n    return dog\n//- .git/HEAD\nref: refs/heads/main")


def _path(root: Path, name: str) -> Path:
    client = next(client for client in CLIENTS if client.name == name)
    user = root.parent / "user"
    return client.path(root, {"HOME": str(user), "XDG_CONFIG_HOME": str(user / ".config")})


@pytest.mark.parametrize("name", [client.name for client in CLIENTS])
def test_every_client_is_set_up_and_left_again(root: Path, name: str):
    path = _path(root, name)
    for rules in ("AGENTS.md", "CLAUDE.md", ".cursorrules"):
        (root / rules).write_text("Ours.\n", encoding="utf-8")
    assert satchel("setup", name, cwd=root).returncode == 0
    text = path.read_text("utf-8")
    client = next(client for client in CLIENTS if client.name == name)
    assert client.command(text)[:2] == (str(COMMAND), "serve")
    again = satchel("setup", name, cwd=root)
    assert again.stdout.decode() == f"{path}: nothing to change\n"
    assert path.read_text("utf-8") == text
    assert satchel("setup", name, "--remove", cwd=root).returncode == 0
    # Nothing else was in it, so neither the file stays nor a folder of the project made for it.
    assert not path.exists()
    assert (
        client.home is not Home.PROJECT
        or path.parent in (root, *root.parents)
        or not (path.parent.exists())
    )
    for rules in ("AGENTS.md", "CLAUDE.md", ".cursorrules"):
        assert (root / rules).read_text("utf-8") == "Ours.\n"


def test_the_words_are_those_of_the_clients_documentation(root: Path):
    entries = {client.name: client.entry("satchel") for client in CLIENTS}
    assert entries["claude-code"] == {"type": "stdio", "command": "satchel", "args": ["serve"]}
    assert entries["vscode"]["args"] == ["serve", "--root", "${workspaceFolder}"]
    assert entries["opencode"]["command"] == ["satchel", "serve"]
    assert entries["gemini"]["timeout"] == 30_000


def test_codex_keeps_its_comments_and_its_order(root: Path):
    path = _path(root, "codex")
    path.parent.mkdir(parents=True)
    path.write_text(CODEX, encoding="utf-8")
    path.chmod(0o600)
    satchel("setup", "codex", "--command", "satchel", cwd=root)
    text = path.read_text("utf-8")
    servers = tomllib.loads(text)["mcp_servers"]
    assert servers["satchel"] == {
        "command": "satchel",
        "args": ["serve"],
        "startup_timeout_sec": 30,
    }
    assert [line for line in text.splitlines() if line in CODEX.splitlines()] == CODEX.splitlines()
    assert path.stat().st_mode & 0o777 == 0o600
    satchel("setup", "codex", "--remove", cwd=root)
    assert path.read_text("utf-8") == CODEX


GOOSE = """\
# my settings
GOOSE_MODE: smart_approve   # the good one
slash_commands:
- command: run-tests
  recipe_path: /r.yaml
extensions:
  # ours, bundled
  developer:
    bundled: true
    enabled: true
    name: developer
    available_tools: []

# where it searches
GOOSE_SEARCH_PATHS:
- "/usr/local/bin"
"""
WRITTEN_BY_GOOSE = """\
extensions:
  satchel:
    enabled: false
    type: stdio
    name: satchel
    description: ''
    cmd: /old/satchel
    args:
    - serve
    - --root
    - "/a b"
    env_keys: [ONE, 'two']
    envs: {}
    timeout: 300
  developer: {enabled: true}
"""


def test_goose_keeps_its_comments_and_its_order(root: Path):
    path = _path(root, "goose")
    path.parent.mkdir(parents=True)
    path.write_text(GOOSE, encoding="utf-8")
    assert satchel("setup", "goose", cwd=root).returncode == 0
    text = path.read_text("utf-8")
    after = yaml.safe_load(text)
    entry = {"name": "satchel", "type": "stdio", "cmd": str(COMMAND), "args": ["serve"]}
    assert after["extensions"].pop("satchel") == {**entry, "enabled": True, "timeout": 300}
    assert after == yaml.safe_load(GOOSE)
    doctor = json.loads(satchel("doctor", "--json", cwd=root).stdout)
    assert [(each["client"], each["ok"]) for each in doctor["clients"]] == [("goose", True)]
    assert satchel("setup", "goose", "--remove", cwd=root).returncode == 0
    assert path.read_text("utf-8") == GOOSE


def test_an_entry_that_goose_wrote_again_is_read_and_replaced():
    goose = next(client for client in CLIENTS if client.name == "goose")
    written = yaml.safe_load(WRITTEN_BY_GOOSE)["extensions"]["satchel"]
    assert goose.found(WRITTEN_BY_GOOSE) == {**written, "envs": {}}
    assert goose.command(WRITTEN_BY_GOOSE) == ("/old/satchel", "serve", "--root", "/a b")
    after = goose.with_entry(WRITTEN_BY_GOOSE, "satchel")
    assert goose.command(after) == ("satchel", "serve")
    assert yaml.safe_load(goose.without_entry(after)) == {
        "extensions": {"developer": {"enabled": True}}
    }
    assert yaml.safe_load(goose.with_entry("a: 1\nextensions: {}", "satchel"))["a"] == 1
    # A text of several lines at the end of a file has no end of line of its own.
    assert yaml.safe_load(goose.with_entry("extensions: {}\na: |\n  b", "satchel"))["a"] == "b"


@pytest.mark.parametrize(
    "text",
    [
        *("extensions: {a: {b: 1}}", "extensions:\n- a", "- a\n", "a: [\n", "{[]: 1}"),
        *("[" * 9_000, "# long\n" * 9_000),
    ],
    ids=range(7),
)
def test_yaml_that_is_not_understood_is_left_alone(root: Path, text: str):
    path = _path(root, "goose")
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    reply = satchel("setup", "goose", cwd=root)
    assert reply.returncode == 2 and str(path) in reply.stderr.decode()
    assert path.read_text("utf-8") == text


def test_opencode_is_set_up_in_either_of_its_shapes(root: Path):
    path = _path(root, "opencode")
    path.write_text('{"mcp": {"timeout": 9, "servers": {"a": {"type": "local"}}}}', "utf-8")
    satchel("setup", "opencode", "--command", "satchel", cwd=root)
    written = json.loads(path.read_text("utf-8"))["mcp"]
    assert written["servers"]["satchel"] == {"type": "local", "command": ["satchel", "serve"]}
    assert written.keys() == {"timeout", "servers"} and written["servers"].keys() == {
        "a",
        "satchel",
    }
    satchel("setup", "opencode", "--remove", cwd=root)
    assert json.loads(path.read_text("utf-8"))["mcp"]["servers"].keys() == {"a"}
    path.write_text('{"mcp": {"servers": {"type": "local", "command": ["x"]}}}', "utf-8")
    satchel("setup", "opencode", cwd=root)
    assert json.loads(path.read_text("utf-8"))["mcp"].keys() == {"servers", "satchel"}


@pytest.mark.parametrize(
    ("name", "variable", "file"),
    [
        ("codex", "CODEX_HOME", "config.toml"),
        ("copilot", "COPILOT_HOME", "mcp-config.json"),
        ("cline", "CLINE_MCP_SETTINGS_PATH", None),
    ],
)
def test_a_client_whose_folder_is_moved_is_found_there(
    root: Path, name: str, variable: str, file: str | None, monkeypatch
):
    moved = root.parent / "moved.d"
    monkeypatch.setenv(variable, str(moved))
    assert satchel("setup", name, cwd=root).returncode == 0
    path = moved / file if file else moved
    assert "serve" in path.read_text("utf-8") and not _path(root, name).exists()
    doctor = json.loads(satchel("doctor", "--json", cwd=root).stdout)
    assert [each["file"] for each in doctor["clients"]] == [str(path)]


def test_an_entry_that_its_client_no_longer_reads_is_told(root: Path):
    reply = satchel("setup", "windsurf", cwd=root)
    assert reply.returncode == 0 and b"satchel setup devin" in reply.stderr
    [client] = json.loads(satchel("doctor", "--json", cwd=root).stdout)["clients"]
    assert client["ok"] and "devin" in client["message"]


def test_print_shows_and_writes_nothing(root: Path):
    reply = satchel("setup", "claude-code", "--print", cwd=root)
    assert json.loads(reply.stdout)["mcpServers"]["satchel"]["args"] == ["serve"]
    assert not _path(root, "claude-code").exists()


@pytest.mark.parametrize(("name", "text"), [("cursor", '{"a": }'), ("codex", "a = = 1")])
def test_a_file_that_cannot_be_read_is_left_alone(root: Path, name: str, text: str):
    path = _path(root, name)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    reply = satchel("setup", name, cwd=root)
    assert reply.returncode == 2
    assert str(path) in reply.stderr.decode()
    assert path.read_text("utf-8") == text


def test_a_link_of_the_user_stays_a_link_and_one_of_the_repository_is_not_followed(root: Path):
    for name, text in (("windsurf", '{"mcpServers": {"a": 1}}'), ("claude-code", "{}")):
        target = root.parent / f"{name}.json"
        target.write_text(text, encoding="utf-8")
        path = _path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
        reply = satchel("setup", name, cwd=root)
        written = "satchel" in target.read_text("utf-8")
        assert path.is_symlink() and written == (name == "windsurf") == (reply.returncode == 0)
    windsurf = _path(root, "windsurf")
    windsurf.write_text("{}", "utf-8")
    for more in ((), ("--remove",)):
        satchel("setup", "windsurf", *more, cwd=root)
    assert windsurf.is_symlink() and json.loads(windsurf.read_text("utf-8")) == {"mcpServers": {}}


@pytest.mark.parametrize("name", [client.name for client in CLIENTS])
@pytest.mark.parametrize("before", ["", "# Ours\n\nBe kind.\n", "# Ours\r\n\r\nBe kind.\r\n"])
def test_a_section_for_agents_is_written_again_and_taken_out(root: Path, name: str, before: str):
    client = next(client for client in CLIENTS if client.name == name)
    path = root / client.instructions
    if before:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(before.encode())
    written = instructions.with_section(before, client.instructions)
    assert written.startswith(before) and instructions.BEGIN in written
    assert ("\r\n" in before) == ("\r\n" in written) and "\n\n\n" not in written
    assert instructions.with_section(written, client.instructions) == written
    older = written.replace("Call `recall`", "Perhaps call `recall`")
    assert instructions.with_section(older + "More of ours.\n", client.instructions) == (
        written + "More of ours.\n"
    )
    assert instructions.without_section(written) == before
    assert instructions.without_section(before) == before


def test_setup_writes_the_section_only_when_asked_and_leaves_no_trace(root: Path):
    rules = root / ".cursor" / "rules" / "satchel.mdc"
    plain = satchel("setup", "cursor", cwd=root)
    assert not rules.exists() and b"--instructions tells agents in .cursor/rules" in plain.stderr
    assert satchel("setup", "cursor", "--instructions", cwd=root).returncode == 0
    text = rules.read_text("utf-8")
    assert text.startswith("---\ndescription: ") and "alwaysApply: true" in text
    again = satchel("setup", "cursor", "--instructions", cwd=root)
    assert again.stdout.decode().count("nothing to change") == 2
    kept = satchel("setup", "cursor", "--remove", cwd=root)
    assert rules.exists() and b"--remove --instructions takes it out" in kept.stderr
    satchel("setup", "cursor", "--remove", "--instructions", cwd=root)
    assert not (root / ".cursor").exists()


def test_a_skill_a_subagent_and_hooks_are_written_when_asked_and_leave_no_trace(root: Path):
    asked = ("setup", "claude-code", "--skill", "--hooks")
    assert satchel(*asked, cwd=root).returncode == 0
    skill = (root / ".claude/skills/satchel/SKILL.md").read_text("utf-8")
    head = yaml.safe_load(skill.split("---\n")[1])
    assert head.keys() == {"name", "description"} and head["name"] == "satchel"
    assert len(head["description"]) <= 1024 and "satchel context" in skill
    agent = (root / ".claude/agents/find-code.md").read_text("utf-8")
    assert yaml.safe_load(agent.split("---\n")[1]).keys() == {"name", "description", "tools"}
    hooks = json.loads((root / ".claude/settings.json").read_text("utf-8"))["hooks"]
    assert hooks["PreToolUse"][0]["matcher"] == "Grep"
    assert hooks["SessionStart"][0]["hooks"][0]["command"] == f"{COMMAND} hook session-start"
    again = satchel(*asked, cwd=root).stdout.decode()
    assert again.count("nothing to change") == 4
    satchel(*asked, "--remove", cwd=root)
    assert not (root / ".claude").exists()
    satchel("setup", "codex", "--skill", cwd=root)
    assert (root / ".agents/skills/satchel/SKILL.md").read_text("utf-8") == skill
    assert satchel("setup", "codex", "--hooks", cwd=root).returncode == 2


def test_the_hook_before_the_end_is_entered_only_where_it_is_named(root: Path):
    settings = root / ".claude/settings.json"

    def entered(*names: str) -> set[str]:
        assert satchel("setup", "claude-code", "--hooks", *names, cwd=root).returncode == 0
        return {*json.loads(settings.read_text("utf-8"))["hooks"]}

    assert entered() == {"SessionStart", "PreToolUse"}
    assert entered("before-stop") == {"SessionStart", "PreToolUse", "Stop"}
    assert satchel("setup", "claude-code", "--hooks", "nothing", cwd=root).returncode == 2
    satchel("setup", "claude-code", "--hooks", "--remove", cwd=root)
    assert not settings.exists()


def test_hooks_and_skills_of_others_stay(root: Path):
    settings = root / ".claude" / "settings.json"
    settings.parent.mkdir()
    theirs = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}]}, "model": "m"}
    settings.write_text(json.dumps(theirs), "utf-8")
    agent = root / ".claude" / "agents" / "find-code.md"
    agent.parent.mkdir()
    agent.write_text("Mine.\n", "utf-8")
    assert satchel("setup", "claude-code", "--hooks", cwd=root).returncode == 0
    assert len(json.loads(settings.read_text("utf-8"))["hooks"]["PreToolUse"]) == 2
    satchel("setup", "claude-code", "--hooks", "--remove", cwd=root)
    assert json.loads(settings.read_text("utf-8")) == theirs
    assert satchel("setup", "claude-code", "--skill", cwd=root).returncode == 2
    assert agent.read_text("utf-8") == "Mine.\n"


def test_what_others_wrote_stays_when_we_are_taken_out(root: Path):
    path = _path(root, "vscode")
    path.parent.mkdir()
    path.write_text('{\n  // ours\n  "servers": {}\n}\n', "utf-8")
    satchel("setup", "vscode", cwd=root)
    satchel("setup", "vscode", "--remove", cwd=root)
    assert "// ours" in path.read_text("utf-8")


def test_the_section_goes_through_no_link_and_not_over_half_a_marker(root: Path):
    target = root.parent / "agents.md"
    target.write_text("Theirs.\n", "utf-8")
    (root / "AGENTS.md").symlink_to(target)
    (root / "GEMINI.md").write_text(f"{instructions.BEGIN}\nhalf\n", "utf-8")
    linked = satchel("setup", "opencode", "--instructions", cwd=root)
    half = satchel("setup", "gemini", "--instructions", cwd=root)
    assert linked.returncode == half.returncode == 2
    assert target.read_text("utf-8") == "Theirs.\n"
    assert b"satchel: end" in half.stderr
    assert (root / "GEMINI.md").read_text("utf-8") == f"{instructions.BEGIN}\nhalf\n"


def test_what_serve_must_be_told_is_written_and_doctor_knows_it(root: Path):
    state = root.parent / "state"
    given = ("--tools", "full", "--state", state)
    assert satchel("setup", "vscode", *given, cwd=root).returncode == 0
    entry = json.loads(_path(root, "vscode").read_text("utf-8"))["servers"]["satchel"]
    assert entry["args"][-4:] == ["--tools", "full", "--state", str(state)]
    words = [str(COMMAND), "serve", "--root", str(root), *map(str, given)]
    project = Project.at(root, {})
    environment = {"PATH": str(COMMAND.parent)}
    assert _refusal(words, project, environment) == ""
    assert "another folder" in _refusal([*words[:3], str(root.parent)], project, environment)
    assert "other arguments" in _refusal([*words, "--http", "1"], project, environment)
    assert "other arguments" in _refusal([*words, "--root"], project, environment)


def test_doctor_starts_what_is_set_up_and_tells_what_it_heard(root: Path):
    satchel("setup", "vscode", cwd=root)
    reply = satchel("doctor", "--json", cwd=root)
    result = json.loads(reply.stdout)
    [client] = result["clients"]
    assert reply.returncode == 0, client
    assert client["client"] == "vscode" and client["ok"]
    assert "speaks 2026-07-28: 6 tools" in client["message"]
    assert (result["memory_mb"], result["nice"]) == (2048, 5) and result["workers"] >= 1
    assert tuple(map(int, result["sqlite"].split("."))) >= (3, 51, 3)


def test_doctor_runs_nothing_that_a_repository_names(root: Path):
    trap = root / "trap.sh"
    trap.write_text("#!/bin/sh\ntouch sprung\n", encoding="utf-8")
    trap.chmod(0o755)
    satchel("setup", "claude-code", "--command", str(trap), cwd=root)
    reply = satchel("doctor", cwd=root)
    assert reply.returncode == 1
    assert b"FAILED  claude-code" in reply.stdout and b"not started" in reply.stdout
    assert not (root / "sprung").exists()

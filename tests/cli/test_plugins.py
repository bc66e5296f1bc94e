"""The plugin folder has what `satchel setup` writes, in the shapes that clients document.

`UPDATE_GOLDEN=1 python -m pytest tests/cli/test_plugins.py` writes it again.
"""

import json
import os
import re
import tomllib

import yaml

from satchel.cli.clients import instructions
from tests.support.satchel import ROOT

PLUGIN = ROOT / "plugins" / "satchel"
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
[_RELEASE] = re.findall(r'^RELEASE = "(.+)"', (ROOT / "hatch_build.py").read_text("utf-8"), re.M)
_SERVER = {"command": "satchel", "args": ["serve"]}
# What Claude Code calls the tools of a plugin's server: by the plugin, then by the server.
_OF_PLUGIN = "mcp__plugin_satchel_satchel__"
_ABOUT = {
    "name": "satchel",
    "version": _RELEASE,
    "description": "Finds the code that a task needs, within a token budget, on this machine.",
}


def _text(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


WRITTEN = {
    # Claude Code: code.claude.com/docs/en/plugins-reference
    PLUGIN / ".claude-plugin/plugin.json": _text({**_ABOUT, "license": _PROJECT["license"]}),
    PLUGIN / ".mcp.json": _text({"mcpServers": {"satchel": _SERVER}}),
    PLUGIN / "skills/satchel/SKILL.md": instructions.SKILL,
    PLUGIN / "agents/find-code.md": instructions.SUBAGENT.replace("mcp__satchel__", _OF_PLUGIN),
    # Gemini CLI and Antigravity: geminicli.com/docs/extensions
    PLUGIN / "gemini-extension.json": _text(
        {**_ABOUT, "mcpServers": {"satchel": _SERVER}, "contextFileName": "SATCHEL.md"}
    ),
    PLUGIN / "SATCHEL.md": instructions.with_section("", "SATCHEL.md"),
    # MCP bundles: github.com/modelcontextprotocol/mcpb, MANIFEST.md
    PLUGIN / "manifest.json": _text(
        {
            "manifest_version": "0.3",
            **_ABOUT,
            "author": {"name": "Satchel"},
            "server": {"type": "binary", "entry_point": "satchel", "mcp_config": _SERVER},
        }
    ),
    ROOT / ".claude-plugin/marketplace.json": _text(
        {
            "name": "satchel",
            "owner": {"name": "Satchel"},
            "plugins": [
                {
                    "name": "satchel",
                    "source": "./plugins/satchel",
                    "description": _ABOUT["description"],
                }
            ],
        }
    ),
}


def test_the_plugin_has_what_setup_writes():
    for path, text in WRITTEN.items():
        if os.environ.get("UPDATE_GOLDEN") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert path.read_text("utf-8") == text, path
    files = {path for path in PLUGIN.rglob("*") if path.is_file()}
    assert files == {path for path in WRITTEN if path.is_relative_to(PLUGIN)}


def test_a_skill_says_when_it_is_used_and_agents_name_tools_that_exist():
    from satchel.mcp_server.surface import tools

    head = yaml.safe_load((PLUGIN / "agents/find-code.md").read_text("utf-8").split("---\n")[1])
    named = [name.strip() for name in head["tools"].split(",")]
    ours = {f"{_OF_PLUGIN}{tool.name}" for tool in tools()}
    named = {name for name in named if name.startswith("mcp__")}
    assert named and named <= ours
    assert len(re.findall(r"mcp__satchel__\w+", instructions.SUBAGENT)) == len(named)
    # As agentskills.io limits them.
    skill = yaml.safe_load(
        (PLUGIN / "skills/satchel/SKILL.md").read_text("utf-8").split("---\n")[1]
    )
    assert len(skill["name"]) <= 64 and len(skill["description"]) <= 1024

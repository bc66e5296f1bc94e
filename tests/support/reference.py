"""`python -m tests.support.reference` writes the documents that are made from the code.

docs/CONFIGURATION.md comes from the settings and what config.toml says of each, docs/TOOLS.md from
the tools of the server, the tables of docs/ARCHITECTURE.md from docstrings.
`tests/project/test_docs.py` holds all of them equal to what this makes.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import fields

from satchel.mcp_server import surface
from satchel.mcp_server.tool import Tool
from satchel.questions.params import Param
from satchel.validation.checks.table import CHECKS
from satchel.workspace.configuration.setting_authority import REPOSITORY, May
from satchel.workspace.configuration.settings import ENVIRONMENT_PREFIX, Limits, Settings, limits
from tests.support import module_map

ROOT = Path(__file__).parents[2]
_COMMENT = re.compile(r"^(\w+) = [^#]*#\s*(.*)$")
_TABLE = re.compile(r"^\[(\w+)\]")


def configuration() -> str:
    """docs/CONFIGURATION.md."""
    lines = [
        "# Configuration",
        "",
        "Made by `python -m tests.support.reference` from the settings; a test holds it equal.",
        "",
        "Settings come from, weakest first: the defaults, `~/.config/satchel/config.toml` (or under"
        " `$XDG_CONFIG_HOME`), `.satchel/config.toml` in the indexed folder, environment variables,"
        " flags. Unknown keys and variables are errors; what a repository's own file says wrong is"
        " left out with a note, and `validate` and `graph rules` refuse then. It may set what the"
        " column says and nothing else: no program, host, path outside, identity, place of state,"
        " or limit above the default; `[[upstream]]` is yours alone as well."
        " `satchel config show --origin` says what is in force and who said so.",
        "",
        "| key | default | what it is | a repository may set it | environment variable |",
        "|---|---|---|---|---|",
    ]
    meanings = dict(_meanings())
    for section in fields(Settings):
        values = getattr(Settings(), section.name)
        for key in fields(values):
            default = getattr(values, key.name)
            shown = list(default) if isinstance(default, tuple) else default
            name = (section.name, key.name)
            variable = f"{ENVIRONMENT_PREFIX}{section.name}_{key.name}".upper()
            meaning = _with_limits(meanings.get(name, ""), limits(*name))
            may = REPOSITORY.get(".".join(name), May.NOTHING)
            row = (f"`{'.'.join(name)}`", f"`{shown}`", meaning, str(may), f"`{variable}`")
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _meanings() -> Iterator[tuple[tuple[str, str], str]]:
    """What the comments of config.toml say of each key."""
    table = ""
    for line in (ROOT / "config.toml").read_text("utf-8").splitlines():
        if head := _TABLE.match(line):
            table = head[1]
        elif comment := _COMMENT.match(line):
            yield (table, comment[1]), comment[2].replace("|", "or")


def _with_limits(meaning: str, may_be: Limits) -> str:
    """The meaning, and what it does not say yet of the values that are allowed."""
    unsaid = [choice for choice in may_be.choices if choice not in meaning]
    text = ""
    if may_be.choices and len(unsaid) > 1:
        text = "one of " + ", ".join(f"`{choice}`" for choice in may_be.choices)
    elif may_be.highest is not None and f"{may_be.highest:g}" not in meaning:
        text = f"{may_be.lowest:,g} to {may_be.highest:,.12g}"
    return "; ".join(filter(None, (meaning, text)))


def tools() -> str:
    """docs/TOOLS.md."""
    lines = [
        "# Tools",
        "",
        "Made by `python -m tests.support.reference` from the MCP server; a test holds it equal."
        " What agents are told is in English and counted in tokens, so this page is as terse.",
        "",
    ]
    for tool in surface.tools():
        lines += _tool(tool)
    return "\n".join(lines).rstrip("\n") + "\n"


def _tool(tool: Tool) -> Iterator[str]:
    notes = [] if tool.listed else ['listed with `mcp.tools = "full"`']
    notes += [] if tool.reads else ["writes"]
    yield f"## {tool.name}" + (f" ({', '.join(notes)})" if notes else "")
    yield ""
    yield tool.about
    yield ""
    if tool.params:
        yield "| parameter | kind | default | bounds | what it is |"
        yield "|---|---|---|---|---|"
    for param in tool.params:
        default = "required" if param.required else _code(param.default)
        cells = (f"`{param.name}`", param.kind, default, _bounds(param), _cell(param.about))
        yield f"| {' | '.join(cells)} |"
    yield ""


def _bounds(param: Param) -> str:
    if param.choices:
        return ", ".join(f"`{choice}`" for choice in param.choices)
    if param.low is None and param.high is None:
        return ""
    if param.low is None:
        return f"at most {param.high:,}"
    return f"{param.low:,} to {param.high:,}" if param.high is not None else f"from {param.low:,}"


def _code(value: object) -> str:
    return "" if value is None or value == "" else f"`{value}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def checks() -> str:
    """The table of checks in docs/OPERATIONS.md."""
    lines = ["| code | level | promise | exit code | repaired by |", "|---|---|---|---|---|"]
    lines += [
        f"| {c.code} | {c.level.name.lower()} | {c.meaning} | {int(c.fault)} |"
        f" {c.remedy if c.remedy == 'a person' else f'`satchel {c.remedy}`'} |"
        for c in CHECKS
    ]
    return "\n".join(lines) + "\n"


def documents() -> dict[Path, str]:
    """Each document that is made from the code, with what it should say."""
    operations = ROOT / "docs/OPERATIONS.md"
    architecture = ROOT / "docs/ARCHITECTURE.md"
    return {
        ROOT / "docs/CONFIGURATION.md": configuration(),
        ROOT / "docs/TOOLS.md": tools(),
        operations: module_map.between(operations, "checks", checks()),
        architecture: module_map.between(architecture, "rooms", module_map.tables()),
    }


if __name__ == "__main__":
    for path, text in documents().items():
        path.write_text(text, encoding="utf-8")

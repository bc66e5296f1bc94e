"""What it costs an agent to have the lines it needs: calls and tokens, by Satchel and by others.

    python -m bench.serving.agent_tasks CORPORA [--codegraph EXE] [--semble-python EXE]
        [--jcodemunch EXE]

CORPORA holds checkouts by the names in `agent_tasks.toml`. A task is a question as an agent writes
it down, and the definitions somebody has to see to answer it. The agent is a script, the same for
all: it asks the question; then for the definitions that are not there yet by their names; then it
reads the whole file. Lines are there when nine in ten of the code lines of a definition (no
comments, no docstrings) stand in what was returned, whatever the layout. Tokens are those of
cl100k_base.

Satchel is asked over MCP as its descriptions say, and in ways that leave out one of their sentences
each: what a sentence is worth is the difference. codegraph is asked with `explore` and `node`,
jcodemunch with `search_symbols` and `get_symbol_source`, semble by its own ranking without its
vector model, which would have to be downloaded (`bench.peers.semble_worker`), five results a
question.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

from bench.nothing import require
from bench.processes import SATCHEL
from satchel.store import tokens

_SECONDS = 600
_SHARE = 0.9
_COMMENT = re.compile(r"\s*(?:#(?!include)|//|/\*|\*)")
_DOCSTRING = re.compile(r'^\s*[rb]?"""(?:.|\n)*?"""', re.MULTILINE)
_RESULTS = 5
_TASKS = Path(__file__).with_suffix(".toml")

Ask = Callable[[str], str]
AskNames = Callable[[Sequence[str]], Sequence[str]]
Tool = Callable[..., str]
"""Calls a tool of a server: its name, then its arguments by name."""


@dataclass(frozen=True, slots=True)
class WantedDefinition:
    """A definition: its file, its first line as far as it tells it, and what it is called."""

    path: str
    first: str
    name: str


@dataclass(frozen=True, slots=True)
class Task:
    """A question about a checkout, and what has to be seen to answer it."""

    tree: str
    sentence: str
    terms: str
    needed: tuple[WantedDefinition, ...]


def tasks() -> tuple[Task, ...]:
    """The tasks of `agent_tasks.toml`, in its order."""
    read = tomllib.loads(_TASKS.read_text("utf-8"))["task"]
    return tuple(
        Task(each["tree"], each["sentence"], each["terms"],
             tuple(WantedDefinition(*needed) for needed in each["needed"]))
        for each in read
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class System:
    """What answers: a question, and names; a reply for each call that this took."""

    question: Ask
    names: AskNames
    takes_terms: bool = True
    """Whether its descriptions ask for terms, where others ask for a question in words."""


def one_by_one(ask: Ask) -> AskNames:
    """Names are asked for in a call each."""
    return lambda names: [ask(name) for name in names]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a task took; `at_once` is whether the first reply had all of it."""

    calls: int
    tokens: int
    at_once: bool


def code_lines(text: str, first: str) -> list[str]:
    """The lines of a definition that are code, without what is around them."""
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line.lstrip().startswith(first))
    depth = len(lines[start]) - len(lines[start].lstrip())
    # A signature of several lines ends at the depth of its beginning, as the definition does.
    end = start + 1
    while end < len(lines) and not _ends(lines[end], depth):
        end += 1
    body = _DOCSTRING.sub("", "\n".join(lines[start:end])).split("\n")
    found = (line.strip() for line in body if not _COMMENT.match(line))
    return [line for line in found if len(line) > len("else:")]


def _ends(line: str, depth: int) -> bool:
    bare = line.lstrip()
    return bool(bare) and len(line) - len(bare) <= depth and bare[0] not in ")}]{"


def cost_of(task: Task, system: System, root: Path) -> Cost:
    """Ask until all lines are there."""
    wanted = {
        place: code_lines((root / place.path).read_text("utf-8"), place.first)
        for place in task.needed
    }
    shown = [system.question(task.terms if system.takes_terms else task.sentence)]
    missing = _missing(wanted, shown)
    at_once = not missing
    if missing:
        shown += system.names(list(dict.fromkeys(place.name for place in missing)))
    files = dict.fromkeys(place.path for place in _missing(wanted, shown))
    shown += [(root / path).read_text("utf-8") for path in files]
    return Cost(len(shown), sum(tokens.count(text) for text in shown), at_once)


def _missing(
    wanted: Mapping[WantedDefinition, Sequence[str]], shown: Sequence[str]
) -> list[WantedDefinition]:
    text = "\n".join(shown)
    return [
        place for place, lines in wanted.items()
        if sum(line in text for line in lines) < _SHARE * len(lines)
    ]  # fmt: skip


def _run(words: Sequence[str], root: Path, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        words, cwd=root, env={**os.environ, **environment}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False,
    )  # fmt: skip
    return done.stdout


def _served(stack: ExitStack, command: Sequence[str], root: Path, **environment: str) -> Tool:
    """The tools of a server on standard input, which ends with the stack."""
    parameters = StdioServerParameters(
        command=command[0], args=[*command[1:]], cwd=root, env={**os.environ, **environment}
    )
    portal = stack.enter_context(start_blocking_portal())
    client = stack.enter_context(
        portal.wrap_async_context_manager(Client(stdio_client(parameters), mode="legacy"))
    )

    def call(name: str, /, **arguments: Any) -> str:  # noqa: ANN401 - as the tool takes them
        result = portal.call(client.call_tool, name, arguments)
        return "\n".join(getattr(each, "text", "") for each in result.content)

    return call


def satchel(stack: ExitStack, root: Path, state: Path) -> dict[str, System]:
    """This checkout's own server: as its descriptions say, and without a sentence of them each."""
    environment = {"SATCHEL_STATE_FOLDER": str(state)}
    _run((*SATCHEL, "reindex"), root, environment)
    tool = _served(stack, (*SATCHEL, "serve"), root, **environment)

    def pack(text: str) -> str:
        return tool("context", query=text)

    def source(names: Sequence[str]) -> list[str]:
        return [tool("symbols", name=", ".join(names), source=True)]

    return {
        "satchel": System(pack, source),
        "a question, not terms": System(pack, source, takes_terms=False),
        "a call a name": System(pack, one_by_one(lambda name: source([name])[0])),
        "no source of names": System(pack, lambda names: [tool("symbols", name=", ".join(names))]),
        "files, not symbols": System(pack, lambda _: []),
        "search, not context": System(lambda text: tool("search", query=text), source),
        "grep and read": System(
            lambda text: tool("search", query="|".join(text.split()), mode="regex"), lambda _: []
        ),
    }


def codegraph(root: Path, program: str) -> System:
    """codegraph's command, which prints what its tools return."""
    quiet = {"CODEGRAPH_TELEMETRY": "0", "NO_COLOR": "1"}
    _run((program, "init", "-y", "."), root, quiet)
    return System(
        lambda text: _run((program, "explore", text), root, quiet),
        one_by_one(lambda name: _run((program, "node", name), root, quiet)),
    )


def jcodemunch(stack: ExitStack, root: Path, program: str, state: Path) -> System:
    """jcodemunch's server: a search for symbols, then the source of those that are wanted.

    A name that the question's reply does not have is searched for first.
    """
    tool = _served(stack, (program, "serve"), root, CODE_INDEX_PATH=str(state))
    made = tool("index_folder", path=str(root), use_ai_summaries=False)
    repository = json.loads(made)["repo"]
    known: dict[str, str] = {}

    def search(text: str) -> str:
        found = tool("search_symbols", repo=repository, query=text)
        paths = dict(re.findall(r"^(@\d+)=(.*)$", found, re.MULTILINE))
        for path, name, kind in re.findall(r"^s,(@?[^:,]+)::([^#,]+)(#\w+)", found, re.MULTILINE):
            known.setdefault(name.rpartition(".")[2], f"{paths.get(path, path)}::{name}{kind}")
        return found

    def source(names: Sequence[str]) -> list[str]:
        plain = [name.rpartition(".")[2] for name in names]
        replies = [search(name) for name in plain if name not in known]
        ids = [known[name] for name in plain if name in known]
        return [*replies, tool("get_symbol_source", repo=repository, symbol_ids=ids)]

    def question(text: str) -> str:
        known.clear()
        return search(text)

    return System(question, source)


def semble(root: Path, python: str) -> System:
    """semble's ranking in its own environment, a process for each question."""
    worker = Path(__file__).parents[1] / "peers" / "semble_worker.py"

    def ask(text: str) -> str:
        start = json.dumps({"root": str(root), "chunk": 0})
        wanted = json.dumps({"queries": [text], "top_k": _RESULTS, "ranked": True})
        done = subprocess.run(
            [python, worker], input=f"{start}\n{wanted}\n", capture_output=True, text=True,
            timeout=_SECONDS, check=True,
        )  # fmt: skip
        rows = json.loads(done.stdout.splitlines()[-1])[0]
        return "\n".join(f"{path}:{first}-{last}\n{code}" for path, first, last, code in rows)

    return System(ask, one_by_one(ask), takes_terms=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each task, and the sums."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.serving.agent_tasks", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--codegraph", metavar="EXE", help="of `npm install` of the package")
    parser.add_argument("--semble-python", metavar="EXE")
    parser.add_argument("--jcodemunch", metavar="EXE")
    parser.add_argument("--trees", nargs="*", help="only these")
    options = parser.parse_args(arguments)
    costs: dict[str, list[Cost]] = {}
    for tree in dict.fromkeys(task.tree for task in tasks()):
        if not options.trees or tree in options.trees:
            with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
                # A copy, since codegraph writes into the tree.
                root = Path(folder) / tree
                shutil.copytree(options.corpora / tree, root, symlinks=True)
                systems = _systems(stack, root, options)
                _measure(tree, systems, root, costs)
    require(len(costs), "task")
    print("| system | calls | tokens | at once |\n|---|--:|--:|--:|")
    for name, of in costs.items():
        print(
            f"| {name} | {sum(c.calls for c in of)} | {sum(c.tokens for c in of):,}"
            f" | {sum(c.at_once for c in of)} of {len(of)} |"
        )
    return 0


def _systems(stack: ExitStack, root: Path, options: argparse.Namespace) -> dict[str, System]:
    state = root.parent / "state"
    systems = satchel(stack, root, state)
    if options.codegraph:
        systems["codegraph"] = codegraph(root, options.codegraph)
    if options.semble_python:
        systems["semble"] = semble(root, options.semble_python)
    if options.jcodemunch:
        systems["jcodemunch"] = jcodemunch(stack, root, options.jcodemunch, root.parent / "other")
    return systems


def _measure(
    tree: str, systems: Mapping[str, System], root: Path, costs: dict[str, list[Cost]]
) -> None:
    for task in tasks():
        if task.tree == tree:
            found = {name: cost_of(task, system, root) for name, system in systems.items()}
            for name, cost in found.items():
                costs.setdefault(name, []).append(cost)
            cells = (f"{name} {c.calls}, {c.tokens:,}" for name, c in found.items())
            print(f"{tree}: {task.terms}: {'; '.join(cells)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

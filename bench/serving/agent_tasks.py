"""What it costs an agent to have the lines it needs: calls and tokens, by Satchel and two others.

    python -m bench.serving.agent_tasks CORPORA [--codegraph EXE] [--semble-python EXE]

CORPORA holds checkouts by the names in `TASKS`. A task is a question as an agent writes it down,
and the definitions somebody has to see to answer it. The agent is a script, the same for all: it
asks the question; then for each definition that is not there yet by its name; then it reads the
whole file. Lines are there when nine in ten of the code lines of a definition (no comments, no
docstrings) stand in what was returned, whatever the layout. Tokens are those of cl100k_base.

codegraph is asked with `explore` and `node`, semble by its own ranking without its vector model,
which would have to be downloaded (`bench.peers.semble_worker`), five results a question.
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.nothing import require
from bench.processes import SATCHEL
from satchel.store import tokens

_SECONDS = 600
_SHARE = 0.9
_COMMENT = re.compile(r"\s*(?:#(?!include)|//|/\*|\*)")
_DOCSTRING = re.compile(r'^\s*[rb]?"""(?:.|\n)*?"""', re.MULTILINE)
_RESULTS = 5

Ask = Callable[[str], str]


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
    question: str
    needed: tuple[WantedDefinition, ...]


def _task(tree: str, question: str, *needed: tuple[str, str, str]) -> Task:
    return Task(tree, question, tuple(WantedDefinition(*each) for each in needed))


TASKS = (
    _task("requests", "which redirects drop the Authorization header, and where are they followed",
          ("src/requests/sessions.py", "def should_strip_auth(", "should_strip_auth"),
          ("src/requests/sessions.py", "def resolve_redirects(", "resolve_redirects")),
    _task("requests", "where does a proxy get its credentials, and a connection its certificate",
          ("src/requests/adapters.py", "def cert_verify(", "cert_verify"),
          ("src/requests/adapters.py", "def proxy_headers(", "proxy_headers")),
    _task("flask", "in which order do before_request functions and error handlers run",
          ("src/flask/app.py", "def full_dispatch_request(", "full_dispatch_request"),
          ("src/flask/app.py", "def preprocess_request(", "preprocess_request"),
          ("src/flask/app.py", "def handle_user_exception(", "handle_user_exception")),
    _task("flask", "how is the session cookie signed",
          ("src/flask/sessions.py", "def get_signing_serializer(", "get_signing_serializer")),
    _task("click", "how does an option prompt for its value and confirm it",
          ("src/click/core.py", "def prompt_for_value(", "prompt_for_value")),
    _task("click", "how does shell completion find the command that is being completed",
          ("src/click/shell_completion.py", "def _resolve_context(", "_resolve_context"),
          ("src/click/shell_completion.py", "def get_completions(", "get_completions")),
    _task("gin", "how are wildcards in a route's path parsed and inserted into the tree",
          ("tree.go", "func findWildcard(", "findWildcard"),
          ("tree.go", "func (n *node) insertChild(", "insertChild")),
    _task("gin", "what does the recovery middleware do with a broken pipe",
          ("recovery.go", "func CustomRecoveryWithWriter(", "CustomRecoveryWithWriter")),
    _task("express", "how does res.send set the ETag and answer 304",
          ("lib/response.js", "res.send = function send(", "send")),
    _task("express", "how does app.render find the file of a view",
          ("lib/application.js", "app.render = function render(", "render"),
          ("lib/view.js", "View.prototype.lookup = function lookup(", "lookup")),
    _task("sinatra", "how is a request matched against routes, and what does pass do",
          ("lib/sinatra/base.rb", "def route!(", "route!"),
          ("lib/sinatra/base.rb", "def process_route(", "process_route")),
    _task("chi", "how is a sub router mounted and its path handed on",
          ("mux.go", "func (mx *Mux) Mount(", "Mount"),
          ("mux.go", "func (mx *Mux) routeHTTP(", "routeHTTP")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class System:
    """What answers: a question, and a name."""

    question: Ask
    name: Ask


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
    return bool(bare) and len(line) - len(bare) <= depth and bare[0] not in ")}]"


def cost_of(task: Task, system: System, root: Path) -> Cost:
    """Ask until all lines are there."""
    wanted = {
        place: code_lines((root / place.path).read_text("utf-8"), place.first)
        for place in task.needed
    }
    shown = [system.question(task.question)]
    at_once = not _missing(wanted, shown)
    for place in task.needed:
        if place in _missing(wanted, shown):
            shown.append(system.name(place.name))
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


def satchel(root: Path, state: Path) -> System:
    """This checkout's own command, as an agent has it: a pack, then the source of a name."""
    environment = {"SATCHEL_STATE_FOLDER": str(state)}
    _run((*SATCHEL, "reindex"), root, environment)
    return System(
        lambda text: _run((*SATCHEL, "context", text), root, environment),
        lambda name: _run((*SATCHEL, "show", name), root, environment),
    )


def codegraph(root: Path, program: str) -> System:
    """codegraph's command, which prints what its tools return."""
    quiet = {"CODEGRAPH_TELEMETRY": "0", "NO_COLOR": "1"}
    _run((program, "init", "-y", "."), root, quiet)
    return System(
        lambda text: _run((program, "explore", text), root, quiet),
        lambda name: _run((program, "node", name), root, quiet),
    )


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

    return System(ask, ask)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each task, and the sums."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.serving.agent_tasks", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--codegraph", metavar="EXE", help="of `npm install` of the package")
    parser.add_argument("--semble-python", metavar="EXE")
    parser.add_argument("--tasks", type=int, default=len(TASKS), help="only the first so many")
    options = parser.parse_args(arguments)
    names = ["satchel", *(["codegraph"] if options.codegraph else []),
             *(["semble"] if options.semble_python else [])]  # fmt: skip
    print(f"| task | {' | '.join(f'{name}: calls, tokens' for name in names)} |")
    print(f"|---|{'---|' * len(names)}")
    require(len(TASKS[: options.tasks]), "task")
    costs: dict[str, list[Cost]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        systems: dict[str, dict[str, System]] = {}
        for task in TASKS[: options.tasks]:
            # A copy each, since codegraph writes into the tree.
            root = Path(folder) / task.tree
            if task.tree not in systems:
                shutil.copytree(options.corpora / task.tree, root, symlinks=True)
                made = {"satchel": satchel(root, Path(folder) / "state")}
                if options.semble_python:
                    made["semble"] = semble(root, options.semble_python)
                if options.codegraph:
                    made["codegraph"] = codegraph(root, options.codegraph)
                systems[task.tree] = made
            for name in names:
                costs[name].append(cost_of(task, systems[task.tree][name], root))
            cells = (f"{costs[n][-1].calls}, {costs[n][-1].tokens:,}" for n in names)
            print(f"| {task.tree}: {task.question} | {' | '.join(cells)} |", flush=True)
    sums = (
        f"{sum(c.calls for c in of)}, {sum(c.tokens for c in of):,};"
        f" {sum(c.at_once for c in of)} of {len(of)} at once"
        for of in costs.values()
    )
    print(f"| all | {' | '.join(sums)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Which share of the tools that tasks need does a focus bring up? With real upstream servers.

    python -m bench.knowledge.gateway --servers SERVERS.toml [--part dev|held-out|fresh|all]
                            [--minilm MODEL.onnx TOKENIZER.json]

SERVERS.toml names the servers as a user's configuration does; bench/README.md has the one of the
figures in bench/RESULTS.md and says how to install them. `bench/knowledge/gateway_tasks.jsonl`
holds the tasks: what an agent would say to `set_context`, and the calls it then needs, each with
what would do as well. Numbers were chosen on "dev" and "dev again", which says the same in other
words; "held-out" had been looked at twice before the last change to them, "fresh" once.

Cold: nothing was learned. Warm: other tasks were carried out before, every call a success; one
that was not listed was looked for with `find_tools` by the words of its name. "dev again" comes
before "dev" and the other way round, both of them before the other parts; "by other matters" leaves
out what says the same. riglm2 is given the number of tools that Satchel shows for the same task.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.knowledge.riglm2 import Riglm2
from bench.peers.minilm import MiniLm
from bench.retrieval.metrics import bootstrap
from satchel.knowledge.operations import learn
from satchel.knowledge.ranking.tool_ranking import ToolDescription, rank_tools
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.requests import SetContext
from satchel.knowledge.storage import read, write
from satchel.mcp_server.gateway import mounted_tools
from satchel.mcp_server.serving import Serving
from satchel.store import tokens
from satchel.store.vectors.encoders import Encoder
from satchel.store.vectors.table_encoder import TableEncoder
from satchel.workspace import knowledge
from satchel.workspace.project import Project

_TASKS = Path(__file__).with_name("gateway_tasks.jsonl")
_PATIENCE = 90.0
_PARTS = ("dev", "dev again", "held-out", "fresh")


class Task(Struct, frozen=True):
    """What is said, and the calls that follow; any tool of a call will do for it."""

    part: str
    query: str
    calls: tuple[tuple[str, ...], ...]
    intent: str = ""


class Shown(Struct, frozen=True):
    """What a system listed for a task."""

    task: Task
    names: frozenset[str]

    def hits(self) -> list[float]:
        """For each call, whether a tool for it was listed."""
        return [float(not self.names.isdisjoint(call)) for call in self.task.calls]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=Path, required=True)
    parser.add_argument("--part", choices=["dev", "held-out", "fresh", "all"], default="dev")
    parser.add_argument("--minilm", type=Path, nargs=2, metavar=("MODEL", "TOKENIZER"))
    parser.add_argument("--missed", action="store_true", help="name the calls that were not shown")
    args = parser.parse_args()
    tasks = [msgspec.json.decode(line, type=Task) for line in _TASKS.read_bytes().splitlines()]
    encoders: list[Encoder] = [TableEncoder()]
    encoders += [MiniLm(*args.minilm)] if args.minilm else []
    with _served(args.servers) as serving:
        bench = Bench(serving, encoders)
        bench.describe(tasks)
        for title, folds in _conditions(tasks, args.part):
            bench.compare(title, folds, named=args.missed)


Fold = tuple[Sequence[Task], Sequence[Task]]
"""(learned from before, measured)."""


def _conditions(tasks: Sequence[Task], part: str) -> Iterator[tuple[str, list[Fold]]]:
    parts = {name: [task for task in tasks if task.part == name] for name in _PARTS}
    dev, again = parts["dev"], parts["dev again"]
    if part == "dev":
        yield "dev, cold", [((), [*again, *dev])]
        yield "dev, warm", [(dev, again), (again, dev)]
        some, rest = [*dev[0::2], *again[0::2]], [*dev[1::2], *again[1::2]]
        yield "dev, warm by other matters", [(some, rest), (rest, some)]
        return
    measured = [*parts["held-out"], *parts["fresh"]] if part == "all" else parts[part]
    yield f"{part}, cold", [((), measured)]
    yield f"{part}, warm", [([*dev, *again], measured)]


@contextmanager
def _served(servers: Path) -> Iterator[Serving]:
    with tempfile.TemporaryDirectory() as made:
        home, root = Path(made) / "home", Path(made) / "code"
        (home / "satchel").mkdir(parents=True)
        root.mkdir()
        (root / "a.py").write_text("x = 1\n", encoding="utf-8")
        shutil.copy(servers, home / "satchel" / "config.toml")
        serving = Serving(Project.at(root, {"XDG_CONFIG_HOME": str(home)}))
        serving.start()
        try:
            deadline = time.monotonic() + _PATIENCE
            while serving.gateway and not serving.gateway.is_settled:
                if time.monotonic() > deadline:
                    sys.exit("the upstream servers did not settle")
                time.sleep(0.1)
            yield serving
        finally:
            serving.close()


class Bench:
    """The mounted tools, and who ranks them."""

    def __init__(self, serving: Serving, encoders: Sequence[Encoder]) -> None:
        self._serving = serving
        self._encoders = encoders
        self._n = 0
        gateway = serving.gateway
        assert gateway is not None, "no upstream servers are configured"
        self._tools = gateway.tools()
        self._offered = [
            ToolDescription(each.name, each.about, each.params) for each in self._tools
        ]
        self._cost = {
            each.name: tokens.count(each.tool.model_dump_json(by_alias=True, exclude_none=True))
            for each in self._tools
        }

    def describe(self, tasks: Sequence[Task]) -> None:
        """Say what there is, and hold that every label is a tool."""
        known = set(self._cost)
        wanted = {name for task in tasks for call in task.calls for name in call}
        if wanted - known:
            sys.exit(f"not mounted: {', '.join(sorted(wanted - known))}")
        servers = sorted({name.partition("__")[0] for name in known})
        n_calls = sum(len(task.calls) for task in tasks)
        print(f"{len(known)} tools of {len(servers)} servers: {', '.join(servers)}")
        print(f"{sum(self._cost.values()):,} tokens to list all of them")
        print(f"{len(tasks)} tasks, {n_calls} calls of {len(wanted)} tools")

    def compare(self, title: str, folds: Sequence[Fold], *, named: bool) -> None:
        """Print a table of the systems under one condition."""
        print(f"\n{title}\n")
        print("| system | calls shown | 95 % | tasks with all calls | tools listed | tokens |")
        print("|---|--:|--:|--:|--:|--:|")
        everything = frozenset(self._cost)
        ours = [shown for fold in folds for shown in self._ours(fold)]
        self._row("everything", [Shown(one.task, everything) for one in ours])
        self._row("Satchel", ours)
        for encoder in self._encoders:
            equal, built = [], []
            rest = iter(ours)
            for fold in folds:
                for task, names, is_sure in self._riglm2(fold, encoder):
                    n_shown = len(next(rest).names)
                    equal.append(Shown(task, frozenset(names[:n_shown])))
                    built.append(Shown(task, frozenset(names[:15]) if is_sure else everything))
            self._row(f"riglm2, {encoder.name}", equal, against=ours)
            self._row(f"riglm2 as built, {encoder.name}", built)
        for one in ours if named else ():
            missed = [call for call, hit in zip(one.task.calls, one.hits(), strict=True) if not hit]
            if missed:
                print(f"missed: {one.task.query!r} ({one.task.intent}): {missed}")

    def _row(self, name: str, shown: Sequence[Shown], against: Sequence[Shown] = ()) -> None:
        hits = [one.hits() for one in shown]
        interval = _interval(hits)
        n_listed = sum(len(one.names) for one in shown) / len(shown)
        cost = sum(self._cost[name] for one in shown for name in one.names) / len(shown)
        whole = sum(all(each) for each in hits) / len(hits)
        print(f"| {name} | {_share(hits):.3f} | {interval} | {whole:.3f} | {n_listed:.1f}"
              f" | {cost:,.0f} |")  # fmt: skip
        if against:
            pairs = list(zip((one.hits() for one in against), hits, strict=True))
            better = sum(sum(a) > sum(b) for a, b in pairs)
            worse = sum(sum(a) < sum(b) for a, b in pairs)
            print(f"| … Satchel shows more for {better} tasks, less for {worse} | | | | | |")

    def _ours(self, fold: Fold) -> list[Shown]:
        learned, measured = fold
        directory = self._serving.project.directory
        for file in directory.glob("knowledge.db*"):
            file.unlink()
        for task in learned:
            key, names = self._listed(task)
            for call in task.calls:
                called = next((name for name in call if name in names), call[0])
                with knowledge.open_context(self._serving.project, key) as context:
                    if called not in names:
                        self._searched(context, called)
                    learn.record_tool_success(context, called)
        return [Shown(task, frozenset(self._listed(task)[1])) for task in measured]

    def _searched(self, context: RequestContext, name: str) -> None:
        """As `find_tools` does when it is asked for the words of a tool's name."""
        query = name.partition("__")[2].replace("_", " ")
        now = context.caller.now
        found = [
            fit.name
            for fit in rank_tools(self._offered, query, learn.associations(context.db), now)[:10]
        ]
        session = read.find_session(context.db, context.caller.session)
        assert session is not None
        write.save_session(context.db, learn.with_search_results(session, found))

    def _listed(self, task: Task) -> tuple[str, list[str]]:
        """A session of its own, and what `tools/list` holds for it."""
        self._n += 1
        key = f"task {self._n}"
        said = SetContext(query=task.query, intent=task.intent)
        knowledge.ask(self._serving.project, said, session=key)
        return key, [each.name for each in mounted_tools.visible(self._serving, key)]

    def _riglm2(self, fold: Fold, encoder: Encoder) -> Iterator[tuple[Task, list[str], bool]]:
        learned, measured = fold
        told = [ToolDescription(each.name, each.tool.description or "") for each in self._tools]
        filter_ = Riglm2(told, encoder)
        for task in learned:
            for call in task.calls:
                filter_.learn(task.query, call[0])
        for task in measured:
            yield task, *filter_.ranked(task.query)


def _share(hits: Sequence[Sequence[float]]) -> float:
    return sum(map(sum, hits)) / sum(map(len, hits))


def _interval(hits: Sequence[Sequence[float]]) -> str:
    """Over tasks, each the share of its calls."""
    found = bootstrap([sum(each) / len(each) for each in hits])
    return f"{found.low:.3f}–{found.high:.3f}"


if __name__ == "__main__":
    main()

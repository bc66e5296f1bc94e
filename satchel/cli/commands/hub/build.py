"""`hub demo`, `init`, `add`, `sync` and `remove`: from repositories to what can be asked."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler.quoting import clean
from satchel.cli import options, terminal
from satchel.cli.output import hub_answers
from satchel.questions.rows import VERSION, shaped
from satchel.store.counted import counted
from satchel.store.errors import HubUnavailable, UsageError

# The packages of the extra `team` may be missing, so nothing of `satchel.hub` is imported here.
if TYPE_CHECKING:
    from satchel.hub.building.build import BuildReport
    from satchel.hub.repositories import Repository

_WORKERS = 2
_LEAST_PAUSE = 5


class SyncRow(Struct, frozen=True):
    """How building a repository ended."""

    name: str
    problem: str
    changed: bool
    files: int
    lines: int
    parsed: int
    new_contents: int
    seconds: float


class SyncResult(Struct, frozen=True):
    """The answer to `hub sync`."""

    repositories: list[SyncRow]
    schema: int = VERSION


def add(actions: options.Commands) -> None:
    """Add the actions."""
    about = "Try it: a PostgreSQL of its own, the named repositories, and one question."
    demo = options.command(actions, "demo", _demo, about)
    demo.add_argument("repo", nargs="*", help="as `add` takes them (default: the folder here)")
    demo.add_argument("--query", help="ask this and stop (default: keep running until Ctrl-C)")
    demo.add_argument("--data", type=Path, help="keep PostgreSQL's data there (default: nowhere)")
    demo.add_argument("--workers", type=int, default=_WORKERS, help=f"default: {_WORKERS}")

    about = "Make a hub in an empty database, or bring an older hub up to this version."
    options.add_hub_address(options.command(actions, "init", _init, about))

    about = "Add repositories: folders, git addresses, NAME=…, or files that list them."
    adding = options.command(actions, "add", _add, about)
    options.add_hub_address(adding)
    adding.add_argument(
        "repo", nargs="+",
        help="a file has one a line, or is a listing of an organisation as JSON",
    )  # fmt: skip

    about = "Bring repositories up to date; one that fails is listed and stops no other."
    sync = options.command(actions, "sync", _sync, about)
    options.add_hub_address(sync)
    sync.add_argument("--repo", metavar="GLOB", default="*", help="only these (default: all)")
    sync.add_argument("--dask", metavar="ADDRESS", default="", help="a scheduler (default: own)")
    sync.add_argument(
        "--workers", type=int, default=_WORKERS,
        help=f"without --dask, processes on this machine (default: {_WORKERS})",
    )  # fmt: skip
    sync.add_argument(
        "--watch", type=int, metavar="SECONDS",
        help="go on: look again after so long, and at once when a webhook says so",
    )  # fmt: skip

    about = "Take repositories out of a hub."
    remove = options.command(actions, "remove", _remove, about)
    options.add_hub_address(remove)
    remove.add_argument("glob", help="their names")


def _demo(args: Namespace, environment: Mapping[str, str]) -> None:
    hub_answers.need_team()
    from satchel.hub import creation, demo

    with demo.server(args.data) as url:
        creation.init(url)
        _add_sources(url, args.repo or ["."])
        # What follows is what `hub sync` does, so that the demonstration shows nothing else.
        args.url, args.repo, args.dask, args.watch = url, "*", "", None
        try:
            _sync(args, environment)
        # The repositories that were built can be asked all the same.
        except options.Reported as error:
            terminal.error(error.message, error.hint)
        if args.query:
            # The command is shown as somebody would type it, to be tried on a hub of their own.
            terminal.note(f"\n$ satchel context {args.query!r} --hub {url}")
            _ask(args, url)
            return
        terminal.note(f"\nthe hub runs until Ctrl-C; ask it in another terminal:\n  {url}")
        Event().wait()


def _ask(args: Namespace, url: str) -> None:
    """The question of a demonstration, as `context` answers it."""
    from satchel.cli import asking, command_line
    from satchel.questions.context import CONTEXT

    # Read as it would be typed, so that every option of `context` is at its default.
    typed = ["context", "--hub", url, *(["--json"] if args.json else []), "--", args.query]
    asking.ask(CONTEXT, command_line.parser("context").parse_args(typed), {})


def _init(args: Namespace, _environment: Mapping[str, str]) -> None:
    hub_answers.need_team()
    from satchel.hub import creation

    changed = creation.init(args.url)
    message = "the hub is ready" if changed else "there is a hub of this version already"
    hint = "`satchel hub add URL REPO…` adds repositories"
    with hub_answers.connected(args.url) as hub:
        from satchel.hub.repositories import repositories

        # Those that an older version has read must be read again.
        if any(not each.built for each in repositories(hub)):
            hint = "`satchel hub sync URL` builds its repositories"
    terminal.out(f"{message}; {hint}")


def _add(args: Namespace, _environment: Mapping[str, str]) -> None:
    n_new, n_all = _add_sources(args.url, args.repo)
    terminal.out(f"{n_new} added, {n_all - n_new} known already; `satchel hub sync` builds them")


def _add_sources(url: str, sources_given: list[str]) -> tuple[int, int]:
    with hub_answers.connected(url) as hub:
        from satchel.hub import repositories

        sources = repositories.read_sources(sources_given)
        return repositories.add(hub, sources), len(sources)


def _sync(args: Namespace, environment: Mapping[str, str]) -> None:
    # Checked before anything is connected to: Dask would wait for a worker that never comes.
    if args.workers < 1:
        raise UsageError(f"--workers is {args.workers}, must be 1 or more", "2 suits most machines")
    if args.watch is not None and args.watch < _LEAST_PAUSE:
        hint = "it is the number of seconds between two rounds"
        raise UsageError(f"--watch is {args.watch}, must be {_LEAST_PAUSE} or more", hint)
    if args.watch is not None and args.json:
        raise UsageError("--watch never ends, so --json would print nothing", "leave one out")
    failed = _sync_once(args, environment, None)
    while args.watch is not None:
        # A connection for each wait: one that PostgreSQL has closed ends one round only.
        try:
            with hub_answers.connected(args.url) as hub:
                from satchel.hub.building import wanted

                ids = wanted.wait(hub, args.watch)
            _sync_once(args, environment, ids or None)
        except HubUnavailable as error:
            terminal.error(error.message, error.hint)
            Event().wait(_LEAST_PAUSE)
    if failed:
        raise failed


def _sync_once(
    args: Namespace, environment: Mapping[str, str], ids: Sequence[int] | None
) -> options.Reported | None:
    """Sync what is named, or of that only some; what failed is told and returned."""
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import nearest, selection
        from satchel.hub.building import unchanged, wanted
        from satchel.hub.repositories import repositories

        chosen = selection.of_names(repositories(hub), args.repo)
        chosen = [each for each in chosen if ids is None or each.id in ids]
        began = wanted.clock(hub)
        same = unchanged.unchanged(hub, chosen, environment)
        unchanged.mark(hub, sorted(same), began)
    # Those that have nothing new need no worker, and no cluster if that is all of them.
    reports = _built(args, environment, [each for each in chosen if each.id not in same])
    failed = [report for report in reports if report.problem]
    if reports:
        with hub_answers.connected(args.url) as hub:
            nearest.keep_index(hub)
            # A worker that died could not note it.
            numbers = {each.name: each.id for each in chosen}
            for report in (each for each in failed if not each.is_noted):
                wanted.note_problem(hub, numbers[report.name], report.problem, began)
    if args.json:
        from satchel.hub.building.build import BuildReport

        kept = (each for each in chosen if each.id in same)
        reports += [BuildReport(each.name, files=each.files, lines=each.lines) for each in kept]
        reports.sort(key=lambda report: report.name)
        terminal.out_json(SyncResult(shaped(reports, list[SyncRow])))
    elif same and not args.quiet:
        terminal.note(f"{len(same):,} unchanged: their newest commits are built already")
    if not failed:
        return None
    # Others were built, but a script must see by the exit code that not all were.
    return options.Reported(
        f"{len(failed)} of {counted(len(chosen), 'repository', 'repositories')} failed",
        "`satchel hub status` says why",
    )


def _built(
    args: Namespace, environment: Mapping[str, str], chosen: Sequence[Repository]
) -> list[BuildReport]:
    """Build repositories with Dask; no worker is started for none."""
    from hashlib import blake2b

    from satchel.hub.building import cluster
    from satchel.hub.building.build import BuildReport
    from satchel.workspace.state.state_folder import bases_of

    # Starting a cluster takes seconds, which most syncs of a watched hub do not need.
    if not chosen:
        return []
    # Where local workers keep the indexes that the next sync continues from.
    cache = bases_of(environment, environment.get(options.STATE, "")).cache
    scratch = cache / "satchel" / "hub" / blake2b(args.url.encode(), digest_size=8).hexdigest()
    scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Starting workers and building the first one takes a while in which nothing else is said.
    if not (args.json or args.quiet):
        by = f"the workers of {args.dask}" if args.dask else counted(args.workers, "worker")
        what = counted(len(chosen), "repository", "repositories")
        terminal.note(clean(f"building {what} with {by}"))
    if args.dask and not args.dask.startswith("tls://"):
        about = f"{args.dask} does not speak TLS: whoever reaches it reads the hub's address and"
        terminal.note(clean(f"note: {about} runs code as its workers"))
    try:
        with cluster.client(args.dask, min(args.workers, len(chosen)), scratch) as connected:
            tasks = cluster.tasks(args.url, chosen, "" if args.dask else str(scratch))
            return cluster.build_all(connected, tasks, environment, lambda r: _note_build(args, r))
    except cluster.NoWorkers as error:
        failed = [BuildReport(each.name, f"{error.message}; {error.hint}") for each in chosen]
        for report in failed:
            _note_build(args, report)
        return failed


def _note_build(args: Namespace, report: BuildReport) -> None:
    """One line for a repository that was built."""
    if args.json or args.quiet:
        return
    if report.problem:
        outcome = f"failed: {report.problem}"
    elif not report.changed:
        outcome = "unchanged"
    else:
        outcome = (
            f"{counted(report.files, 'file')}, {counted(report.lines, 'line')};"
            f" {report.parsed:,} parsed,"
            f" {report.new_contents:,} new to the hub"
        )
    terminal.note(clean(f"{report.name}: {outcome} ({report.seconds:.1f} s)"))


def _remove(args: Namespace, _environment: Mapping[str, str]) -> None:
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import repositories

        for name in repositories.remove(hub, args.glob):
            terminal.out(clean(f"{name}: removed"))

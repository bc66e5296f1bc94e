"""`hub`: a team's repositories on PostgreSQL: added, built by Dask, asked over all of them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler.render import clean
from satchel.cli import options, terminal
from satchel.cli.output import schema
from satchel.store.errors import SatchelError, UsageError

# The packages of the extra `team` may be missing, so nothing of `satchel.hub` is imported here.
if TYPE_CHECKING:
    from satchel.cli.options import Commands
    from satchel.hub.building.build import BuildReport
    from satchel.hub.repositories import Repository

_WORKERS = 2
# Longer than any sync takes, since one may be copying contents that no file names yet.
_KEPT_HOURS = 24
_DAYS = 90
_PORT = 8765


class RepositoryRow(Struct, frozen=True):
    """A repository of the hub; `problem` says why the last try to build it failed."""

    name: str
    source: str
    built: str
    head: str
    generation: int
    files: int
    lines: int
    problem: str


class HubStatus(Struct, frozen=True):
    """The answer to `hub status`."""

    repositories: list[RepositoryRow]
    contents: int
    bytes: int
    schema: int = schema.VERSION


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
    schema: int = schema.VERSION


class SyncFailed(SatchelError):
    """Some repositories could not be built; the others were."""


def add(commands: Commands) -> None:
    """Add the command and its actions."""
    about = "A team's repositories on PostgreSQL: add them, build them with Dask, ask them all."
    command = commands.add_parser("hub", help=about, description=about)
    actions = command.add_subparsers(required=True, metavar="ACTION", dest="action")
    _add_building(actions)
    _add_keeping(actions)
    _add_access(actions)


def _add_building(actions: Commands) -> None:
    about = "Try it: a PostgreSQL of its own, the named repositories, and one question."
    demo = options.command(actions, "demo", about, _demo)
    demo.add_argument("repo", nargs="*", help="as `add` takes them (default: the folder here)")
    demo.add_argument("--query", help="ask this and stop (default: keep running until Ctrl-C)")
    demo.add_argument("--data", type=Path, help="keep PostgreSQL's data there (default: nowhere)")
    demo.add_argument("--workers", type=int, default=_WORKERS, help=f"default: {_WORKERS}")

    about = "Make a hub in an empty database, or one that a newer version can read."
    _with_url(options.command(actions, "init", about, _init))

    about = "Add repositories: folders, git addresses, NAME=…, or files that list them."
    adding = options.command(actions, "add", about, _add)
    _with_url(adding)
    adding.add_argument(
        "repo", nargs="+",
        help="a file has one a line, or is a listing of an organisation as JSON",
    )  # fmt: skip

    about = "Bring repositories up to date; one that fails is listed and stops no other."
    sync = options.command(actions, "sync", about, _sync)
    _with_url(sync)
    sync.add_argument("--repo", metavar="GLOB", default="*", help="only these (default: all)")
    sync.add_argument("--dask", metavar="ADDRESS", default="", help="a scheduler (default: own)")
    sync.add_argument(
        "--workers", type=int, default=_WORKERS,
        help=f"without --dask, processes on this machine (default: {_WORKERS})",
    )  # fmt: skip


def _add_keeping(actions: Commands) -> None:
    about = "The repositories of a hub, when they were built, and why some were not."
    _with_url(options.command(actions, "status", about, _status))

    about = "Answer agents (MCP over HTTP) and people (a page), with a token for each person."
    serve = options.command(actions, "serve", about, _serve)
    _with_url(serve)
    serve.add_argument("--port", type=int, default=_PORT, help=f"default: {_PORT}")

    about = "Take repositories out of a hub."
    remove = options.command(actions, "remove", about, _remove)
    _with_url(remove)
    remove.add_argument("glob", help="their names")

    about = "Remove what no repository holds any more."
    collect = options.command(actions, "gc", about, _collect)
    _with_url(collect)
    collect.add_argument(
        "--hours", type=int, default=_KEPT_HOURS,
        help=f"keep what is younger (default: {_KEPT_HOURS})",
    )  # fmt: skip


def _add_access(actions: Commands) -> None:
    about = "Let a person or machine read repositories, those that are added later too."
    grant = options.command(actions, "grant", about, _grant)
    _with_person(grant)
    grant.add_argument("glob", help="names of repositories, with * and ?")

    about = "Take a grant back; without GLOB all of them, and every token."
    revoke = options.command(actions, "revoke", about, _revoke)
    _with_person(revoke)
    revoke.add_argument("glob", nargs="?", default="", help="as it was granted")

    about = "Make a token for a person who was granted something; it is shown once."
    token = options.command(actions, "token", about, _token)
    _with_person(token)
    token.add_argument("--days", type=int, default=_DAYS, help=f"1 to 366 (default: {_DAYS})")


def _with_person(command: ArgumentParser) -> None:
    _with_url(command)
    command.add_argument("person", help="a-z, 0-9, '.', '_' and '-'")


def _with_url(command: ArgumentParser) -> None:
    command.add_argument("url", help="postgresql://… of the database")


def _demo(args: Namespace, environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    hub_answers.need_team()
    from satchel.hub import database, demo

    with demo.server(args.data) as url:
        database.init(url)
        _add_sources(url, args.repo or ["."])
        # What follows is what `hub sync` does, so that the demonstration shows nothing else.
        args.url, args.repo, args.dask = url, "*", ""
        try:
            _sync(args, environment)
        # The repositories that were built can be asked all the same.
        except SyncFailed as error:
            terminal.error(error.message, error.hint)
        if args.query:
            # The command is shown as somebody would type it, to be tried on a hub of their own.
            terminal.note(f"\n$ satchel context {args.query!r} --hub {url}")
            _ask(args, url)
            return
        terminal.note(f"\nthe hub runs until Ctrl-C; ask it in another terminal:\n  {url}")
        from threading import Event

        Event().wait()


def _ask(args: Namespace, url: str) -> None:
    """The question of a demonstration, as `context` answers it."""
    from satchel.cli.output import hub_answers

    # Every option of `context` at its default, since the printing code reads them all.
    asked = Namespace(
        command="context", hub=url, repo="*", query=args.query, batch=None, budget=None,
        scope=None, path="", diff=None, explain=False, json=args.json,
    )  # fmt: skip
    hub_answers.ranked(asked)


def _init(args: Namespace, _environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    hub_answers.need_team()
    from satchel.hub import database

    changed = database.init(args.url)
    message = "the hub is ready" if changed else "there is a hub of this version already"
    terminal.out(f"{message}; `satchel hub add URL REPO…` adds repositories")


def _add(args: Namespace, _environment: Mapping[str, str]) -> None:
    n_new, n_all = _add_sources(args.url, args.repo)
    terminal.out(f"{n_new} added, {n_all - n_new} known already; `satchel hub sync` builds them")


def _add_sources(url: str, sources_given: list[str]) -> tuple[int, int]:
    from satchel.cli.output import hub_answers

    with hub_answers.connected(url) as hub:
        from satchel.hub import repositories

        sources = repositories.read_sources(sources_given)
        return repositories.add(hub, sources), len(sources)


def _sync(args: Namespace, environment: Mapping[str, str]) -> None:
    from hashlib import blake2b

    from satchel.cli.output import hub_answers
    from satchel.workspace.state.state_folder import bases_of

    # Said before anything is connected to, since Dask would wait for a worker that never comes.
    if args.workers < 1:
        raise UsageError(f"--workers is {args.workers}", "1 or more")
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import selection
        from satchel.hub.building import cluster
        from satchel.hub.repositories import repositories

        chosen = selection.of_names(repositories(hub), args.repo)
    # Where local workers keep the indexes that the next sync continues from.
    cache = bases_of(environment, environment.get(options.STATE, "")).cache
    scratch = cache / "satchel" / "hub" / blake2b(args.url.encode(), digest_size=8).hexdigest()
    scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    with cluster.client(args.dask, min(args.workers, len(chosen)), scratch) as connected:
        tasks = cluster.tasks(args.url, chosen, "" if args.dask else str(scratch))
        reports = cluster.build_all(connected, tasks, environment, lambda r: _told(args, r))
    if args.json:
        rows = [
            SyncRow(
                r.name, r.problem, r.changed, r.files, r.lines, r.parsed, r.new_contents,
                round(r.seconds, 3),
            )
            for r in reports
        ]  # fmt: skip
        terminal.out_json(SyncResult(rows))
    failed = [report for report in reports if report.problem]
    if failed:
        # Others were built, but a script must see by the exit code that not all were.
        raise SyncFailed(
            f"{len(failed)} of {len(reports)} repositories failed", "`satchel hub status` says why"
        )


def _told(args: Namespace, report: BuildReport) -> None:
    """One line for a repository that was built."""
    if args.json or args.quiet:
        return
    if report.problem:
        outcome = f"failed: {report.problem}"
    elif not report.changed:
        outcome = "unchanged"
    else:
        outcome = (
            f"{report.files:,} files, {report.lines:,} lines; {report.parsed:,} parsed,"
            f" {report.new_contents:,} new to the hub"
        )
    terminal.note(clean(f"{report.name}: {outcome} ({report.seconds:.1f} s)"))


def _status(args: Namespace, _environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    with hub_answers.connected(args.url) as hub:
        from satchel.hub import repositories

        listed = repositories.repositories(hub)
        contents, size = repositories.sizes(hub)
    if args.json:
        rows = [
            RepositoryRow(*(getattr(r, n) for n in RepositoryRow.__struct_fields__)) for r in listed
        ]
        terminal.out_json(HubStatus(rows, contents, size))
        return
    for each in listed:
        terminal.out(clean(_line(each)))
    n_lines = sum(each.lines for each in listed)
    terminal.out(
        f"{len(listed)} repositories, {n_lines:,} lines, {contents:,} contents,"
        f" {size / 1e6:,.1f} MB in PostgreSQL"
    )


def _line(each: Repository) -> str:
    state = f"{each.files:,} files, {each.lines:,} lines, built {each.built}"
    if not each.built:
        state = "not built yet"
    commit = f", at {each.head[:12]}" if each.head else ""
    problem = f"; last try failed: {each.problem}" if each.problem else ""
    return f"{each.name}  {state}{commit}{problem}"


def _remove(args: Namespace, _environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    with hub_answers.connected(args.url) as hub:
        from satchel.hub import repositories

        for name in repositories.remove(hub, args.glob):
            terminal.out(clean(f"{name}: removed"))


def _collect(args: Namespace, _environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    with hub_answers.connected(args.url) as hub:
        from satchel.hub import repositories

        # Less than nothing would reach into the future, and take what a sync is writing just now.
        n_gone = repositories.collect_garbage(hub, max(0, args.hours))
    terminal.out(f"{n_gone:,} contents removed that no repository holds")


def _serve(args: Namespace, _environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    hub_answers.need_team()
    from satchel.hub.serving import server

    address = f"http://127.0.0.1:{args.port}"
    terminal.note(f"answering agents at {address}/mcp until Ctrl-C")
    terminal.note(f"and people at {address}/#token=TOKEN, each with a token of `satchel hub token`")
    server.run(args.url, args.port)


def _grant(args: Namespace, _environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    with hub_answers.connected(args.url) as hub:
        from satchel.hub import access

        access.grant(hub, args.person, args.glob)
        # All grants are listed, so that a mistyped glob is seen at once.
        for each in access.grants(hub):
            terminal.out(clean(f"{each.person} may read {each.glob}"))


def _revoke(args: Namespace, _environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    with hub_answers.connected(args.url) as hub:
        from satchel.hub import access

        n_grants, n_tokens = access.revoke(hub, args.person, args.glob)
    terminal.out(f"{n_grants} grants and {n_tokens} tokens revoked")


def _token(args: Namespace, _environment: Mapping[str, str]) -> None:
    from satchel.cli.output import hub_answers

    with hub_answers.connected(args.url) as hub:
        from satchel.hub import access

        # To standard output and nowhere else: a script can read it, and no log keeps it.
        terminal.out(access.new_token(hub, args.person, args.days))

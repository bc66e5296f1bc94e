"""`hub status`, `gc`, `validate`, `backup-check` and `config`: maintenance of a hub."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.assembler.quoting import clean
from satchel.cli import options, terminal
from satchel.cli.output import hub_answers
from satchel.questions.rows import VERSION, shaped
from satchel.store.counted import counted
from satchel.store.errors import CorruptIndex, UsageError

if TYPE_CHECKING:
    from satchel.hub.checks import Checked
    from satchel.hub.database import Hub
    from satchel.hub.repositories import Repository

# Longer than any sync takes, since one may be copying contents that no file names yet.
_KEPT_HOURS = 24


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
    people: int
    tokens: int
    knowledge: int
    asked_today: int
    schema: int = VERSION


class CheckRow(Struct, frozen=True):
    """A check of `hub validate`: what it promises, and what it found."""

    name: str
    promise: str
    findings: list[str]
    n_found: int


class HubValidation(Struct, frozen=True):
    """The answer to `hub validate`."""

    checks: list[CheckRow]
    schema: int = VERSION


def add(actions: options.Commands) -> None:
    """Add the actions."""
    about = "The repositories of a hub, when they were built, and why some were not."
    options.add_hub_address(options.command(actions, "status", _status, about))

    about = "Remove what no repository holds any more."
    collect = options.command(actions, "gc", _collect, about)
    options.add_hub_address(collect)
    collect.add_argument(
        "--hours", type=int, default=_KEPT_HOURS,
        help=f"keep what is younger (default: {_KEPT_HOURS})",
    )  # fmt: skip

    about = "Check that what a hub holds is true; exit 0 ok, 1 findings, 4 damaged."
    validate = options.command(actions, "validate", _validate, about)
    options.add_hub_address(validate)
    validate.add_argument("--deep", action="store_true", help="read every stored byte as well")

    about = "Check a restored backup: everything is read, compared, and a question asked."
    backup = options.command(actions, "backup-check", _check_backup, about)
    options.add_hub_address(backup)
    backup.add_argument(
        "--against", metavar="URL", help="the hub that was backed up and has not changed since"
    )
    backup.add_argument("--query", default="main", help="the question (default: main)")

    about = "The hub's configuration: all of it, one key, or a new value."
    config = options.command(actions, "config", _config, about)
    options.add_hub_address(config)
    config.add_argument("key", nargs="?", help="as the list names it")
    config.add_argument("value", nargs="?", help="the new value; '' is the default, - reads a line")


def _status(args: Namespace, _environment: Mapping[str, str]) -> None:
    def read(hub: Hub) -> tuple[list[Repository], int, int, tuple[int, int, int, int]]:
        from satchel.hub import repositories

        return (
            repositories.repositories(hub), *repositories.sizes(hub), repositories.counts(hub)
        )  # fmt: skip

    listed, contents, size, counts = hub_answers.patiently(args.url, read)
    if args.json:
        repositories = shaped(listed, list[RepositoryRow])
        terminal.out_json(HubStatus(repositories, contents, size, *counts))
        return
    for each in listed:
        terminal.out(clean(_line(each)))
    n_lines = sum(each.lines for each in listed)
    people, tokens, knowledge, asked = counts
    n_failed = sum(bool(each.problem) for each in listed)
    n_new = sum(not each.built for each in listed)
    terminal.out(
        f"{counted(people, 'person', 'people')} and {counted(tokens, 'token')},"
        f" {counted(knowledge, 'item')} of knowledge,"
        f" {counted(asked, 'call')} in a day; {counted(n_failed, 'repository', 'repositories')}"
        f" failed, {n_new} not built yet"
    )
    terminal.out(
        f"{counted(len(listed), 'repository', 'repositories')}, {counted(n_lines, 'line')},"
        f" {counted(contents, 'content')},"
        f" {size / 1e6:,.1f} MB in PostgreSQL"
    )


def _line(each: Repository) -> str:
    state = f"{counted(each.files, 'file')}, {counted(each.lines, 'line')}, built {each.built}"
    if not each.built:
        state = "not built yet"
    commit = f", at {each.head[:12]}" if each.head else ""
    problem = f"; last try failed: {each.problem}" if each.problem else ""
    wanted = ", changed since" if each.is_wanted else ""
    return f"{each.name}  {state}{commit}{wanted}{problem}"


def _collect(args: Namespace, _environment: Mapping[str, str]) -> None:
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import repositories

        # Less than nothing would reach into the future, and take what a sync is writing just now.
        n_gone = repositories.collect_garbage(hub, max(0, args.hours))
    terminal.out(f"{counted(n_gone, 'content')} removed that no repository holds")


def _validate(args: Namespace, _environment: Mapping[str, str]) -> None:
    made = hub_answers.patiently(args.url, partial(_checked, deep=args.deep))
    if args.json:
        rows = [CheckRow(m.check.name, m.check.promise, list(m.findings), m.n_found) for m in made]
        terminal.out_json(HubValidation(rows))
    else:
        for each in made:
            _print_check(each)
    _raise_findings(made)


def _checked(hub: Hub, *, deep: bool) -> list[Checked]:
    from satchel.hub import checks, database

    # Of one moment: a sync that commits in between would look like damage.
    with database.explained_errors(), database.reading(hub):
        return list(checks.validate(hub, deep=deep))


def _print_check(made: Checked) -> None:
    if not made.n_found:
        terminal.out(f"ok     {made.check.name}: {made.check.promise}")
        return
    terminal.out(f"FOUND  {made.check.name}: not so that {made.check.promise} ({made.n_found:,})")
    for finding in made.findings:
        terminal.out(f"       {clean(finding)}")


def _raise_findings(made: list[Checked]) -> None:
    """Raise what the exit code of a validation is."""
    # Damage first: its exit code is the one that a script must not overlook.
    damaged = [each.check.name for each in made if each.n_found and each.check.is_damage]
    if damaged:
        hint = "restore the backup, or `satchel hub remove` and add what is named, then sync"
        raise CorruptIndex(f"the hub is damaged: {', '.join(damaged)}", hint)
    if any(each.n_found for each in made):
        raise options.Reported("some checks found something", "nothing that is answered is wrong")


def _check_backup(args: Namespace, _environment: Mapping[str, str]) -> None:
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import checks

        made = _checked(hub, deep=True)
        for each in made:
            _print_check(each)
        here = checks.fingerprint(hub)
        n_rows = sum(n for n, _ in here.values())
        terminal.out(f"{counted(len(here), 'table')}, {counted(n_rows, 'row')}")
        differs = False
        if args.against:
            with hub_answers.connected(args.against) as other:
                differs = _compared(here, checks.fingerprint(other))
        _raise_findings(made)
        # Checks look at rows; only a question shows that they answer.
        text = hub_answers.one_pack(hub, args.query)
        terminal.out(f"a question is answered: {text}")
    if differs:
        # Calls and the log of them go on while a backup is made.
        raise options.Reported("the two hubs differ", "compare with a hub that has not changed")


def _compared(here: Mapping[str, tuple[int, str]], there: Mapping[str, tuple[int, str]]) -> bool:
    """Print what two hubs hold, table by table; whether that differs."""
    for table in sorted(here.keys() | there.keys()):
        (n, seal), (m, other) = (found.get(table, (0, "")) for found in (here, there))
        terminal.out(f"{'same' if seal == other else 'DIFFERS'}  {table}: {n:,} and {m:,}")
    return here != there


def _config(args: Namespace, _environment: Mapping[str, str]) -> None:
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import settings

        if args.value is not None:
            # A secret in the arguments of a command can be seen by other users of the machine.
            given = input() if args.value == "-" else args.value
            settings.put(hub, args.key, given)
        if args.key and args.key not in settings.KEYS:
            raise UsageError(f"there is no key {args.key!r}", "`hub config URL` lists them")
        # Shown after it was set as well, so that a mistake is seen at once.
        for name, value in settings.values(hub).items():
            if args.key in (None, name):
                key = settings.KEYS[name]
                shown = "(set)" if key.is_secret and value else value
                terminal.out(clean(f"{name} = {shown}") + f"  # {key.about}")

"""`hub grant`, `revoke`, `token` and `serve`: access rights, and serving."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from satchel.assembler.quoting import clean
from satchel.cli import options, terminal
from satchel.cli.output import hub_answers
from satchel.store.counted import counted
from satchel.store.errors import HubUnavailable

if TYPE_CHECKING:
    from satchel.hub.database import Hub

_DAYS = 90
_PORT = 8765


def add(actions: options.Commands) -> None:
    """Add the actions."""
    about = "Answer agents (MCP over HTTP) and people (a page), with a token for each person."
    serve = options.command(actions, "serve", _serve, about)
    options.add_hub_address(serve)
    serve.add_argument("--port", type=int, default=_PORT, help=f"default: {_PORT}")
    serve.add_argument(
        "--workers", type=int, default=1, help="processes that share the port (default: 1)"
    )

    about = "Let a person or machine read repositories, those that are added later too."
    grant = options.command(actions, "grant", _grant, about)
    _with_person(grant)
    grant.add_argument("glob", help="names of repositories, with * and ?")

    about = "Take a grant back; without GLOB all of them, and every token."
    revoke = options.command(actions, "revoke", _revoke, about)
    _with_person(revoke)
    revoke.add_argument("glob", nargs="?", default="", help="as it was granted")

    about = "End the queries that run for a person just now."
    _with_person(options.command(actions, "cancel", _cancel, about))

    about = "Make a token for a person who was granted something; it is shown once."
    token = options.command(actions, "token", _token, about)
    _with_person(token)
    token.add_argument("--days", type=int, default=_DAYS, help=f"1 to 366 (default: {_DAYS})")
    token.add_argument(
        "--calls-a-minute", type=int, default=0, help="at most so many (default: the hub's limit)"
    )
    token.add_argument(
        "--seconds", type=int, default=0, help="that a query may take (default: the hub's limit)"
    )


def _with_person(command: ArgumentParser) -> None:
    options.add_hub_address(command)
    command.add_argument("person", help="a-z, 0-9, '.', '_' and '-'")


def _cancel(args: Namespace, _environment: Mapping[str, str]) -> None:
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import access

        terminal.out(f"{access.cancel(hub, args.person)} queries ended")


def _serve(args: Namespace, _environment: Mapping[str, str]) -> None:
    hub_answers.need_team()
    from satchel.hub.serving import workers

    address = f"http://127.0.0.1:{args.port}"
    terminal.note(f"answering agents at {address}/mcp until Ctrl-C")
    terminal.note(f"and people at {address}/#token=TOKEN, each with a token of `satchel hub token`")
    workers.run(args.url, args.port, args.workers)


def _grant(args: Namespace, _environment: Mapping[str, str]) -> None:
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import access

        access.grant(hub, args.person, args.glob)
        # All grants are listed, so that a mistyped glob is seen at once.
        for each in access.grants(hub):
            terminal.out(clean(f"{each.person} may read {each.glob}"))


def _revoke(args: Namespace, _environment: Mapping[str, str]) -> None:
    def revoke(hub: Hub) -> tuple[int, int]:
        from satchel.hub import access

        return access.revoke(hub, args.person, args.glob)

    try:
        n_grants, n_tokens = hub_answers.patiently(args.url, revoke)
    except HubUnavailable as error:
        raise HubUnavailable(
            f"NOT REVOKED: {clean(args.person)} may read as before; {error.message}",
            f"revoke it again when PostgreSQL answers; {error.hint}",
        ) from error
    terminal.out(f"{counted(n_grants, 'grant')} and {counted(n_tokens, 'token')} revoked")


def _token(args: Namespace, _environment: Mapping[str, str]) -> None:
    with hub_answers.connected(args.url) as hub:
        from satchel.hub import access

        token = access.new_token(
            hub, args.person, args.days, calls_a_minute=args.calls_a_minute, seconds=args.seconds
        )
    # To standard output and nowhere else: a script can read it, and no log keeps it.
    terminal.out(token)

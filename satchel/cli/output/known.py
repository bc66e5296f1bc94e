"""`remember`, `revise` and `recall`: from arguments to requests, and what comes back."""

from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from satchel.cli import options, served, terminal
from satchel.cli.asking import given_values, lines_of
from satchel.knowledge import requests
from satchel.knowledge.requests import Request
from satchel.questions.rows import VERSION
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.private import is_there
from satchel.workspace.index_paths import scope_inside
from satchel.workspace.multi_root import known
from satchel.workspace.project import Project

_ENOUGH = 51
"""Lines of a batch: one more than a request may have items, which then says how many it may."""
_NUMBERS = ("confidence", "importance")


class Answered(Struct, frozen=True):
    """The JSON of these commands: `text` is what would have been printed."""

    result: Struct
    text: str
    schema: int = VERSION


def run(args: Namespace, environment: Mapping[str, str]) -> None:
    """Carry out one of the commands."""
    project = options.project_of(args, environment)
    request = _READ[args.command](args, project.root)
    if project.is_indexed:  # links are anchored to the code as it is
        for notice in options.catch_up(project, args):
            terminal.note(f"note: {notice}")
    ask_and_print(project, request, args, args.session)


def ask_and_print(project: Project, request: Request, args: Namespace, session: str = "") -> None:
    """Ask and print what is answered."""
    reply = known.ask(project, request, session=session)
    if args.json:
        terminal.out_json(Answered(reply.value, reply.text))
    else:
        terminal.out(reply.text, end="")
    _check_done(reply.value)


def _check_done(value: Struct) -> None:
    """What could be done is done, and a script sees by the exit code that this is not all.

    Raises: Reported.
    """
    from satchel.knowledge.operations.revise import ReviseReply
    from satchel.knowledge.replies import RememberReply

    if isinstance(value, RememberReply) and (n := sum(bool(row.error) for row in value.items)):
        raise options.Reported(f"{n} of {counted(len(value.items), 'item')} not kept")
    if isinstance(value, ReviseReply) and (n := len(value.wrong_status) + len(value.not_found)):
        raise options.Reported(f"{counted(n, 'item')} not changed")


def _remember(args: Namespace, root: Path) -> Request:
    # A batch goes through the same request as the agents' tool, so both have the same bounds.
    if args.batch:
        return requests.read(
            requests.Remember, {"items": list(islice(_json_lines(args.batch), _ENOUGH))}
        )
    if args.kind is None or args.summary is None:
        raise UsageError(
            "there is nothing to remember", "give a kind and a summary, or --batch FILE"
        )
    fields = given_values(args, requests.Entry) | {
        "links": _links(args.link), "importance": args.importance,
        "provisional": args.provisional, "on_duplicate": "add" if args.add_duplicate else "skip",
    }  # fmt: skip
    return requests.Remember((requests.read(requests.Entry, _from_here(root, fields)),))


def _revise(args: Namespace, root: Path) -> Request:
    fields: dict[str, Any] = {}
    for pair in args.set or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--set {pair!r} has no value", "write FIELD=VALUE")
        fields[name] = _number(value) if name in _NUMBERS else value
    if args.tag is not None:
        # An empty --tag is how somebody says that there are to be no tags.
        fields["tags"] = [tag for tag in args.tag if tag]
    if args.link is not None:
        fields["links"] = _links(args.link)
    asked = given_values(args, requests.Revise)
    return requests.read(requests.Revise, {**asked, "fields": _from_here(root, fields)})


def recall_of(args: Namespace, root: Path | None = None) -> Request:
    """The request that the arguments of `recall` are, of a hub without a root."""
    fields = given_values(args, requests.Recall)
    return requests.read(requests.Recall, _from_here(root, fields) if root else fields)


_READ: dict[str, Callable[[Namespace, Path], Request]] = {
    "remember": _remember,
    "revise": _revise,
    "recall": recall_of,
}


def _from_here(root: Path, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with the path of a scope, and of links that name a file, from the root on."""
    found = dict(fields)
    if found.get("scope"):
        found["scope"] = scope_inside(root, found["scope"], options.from_here)
    if found.get("links"):
        found["links"] = [{**link, "to": _target(root, link["to"])} for link in found["links"]]
    return found


def _target(root: Path, to: str) -> str:
    """What a link leads to; ids, commits and addresses are no paths."""
    return options.from_here(root, to) if is_there(served.here() / to) else to


def _number(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _links(pairs: Iterable[str] | None) -> list[dict[str, str]] | None:
    if pairs is None:
        return None
    found = []
    for pair in pairs:
        rel, equals, to = pair.partition("=")
        if not equals:
            raise UsageError(
                f"--link {pair!r} names no target", "write REL=TO, as affects=src/a.py"
            )
        found.append({"rel": rel, "to": to})
    return found


def _json_lines(name: str) -> Iterable[Any]:
    for number, line in enumerate(lines_of(name), start=1):
        if line.strip():
            try:
                yield msgspec.json.decode(line)
            except msgspec.DecodeError as error:
                raise UsageError(
                    f"{name}, line {number}: {error}", "one JSON object a line"
                ) from error

"""`context` and `search` as commands: their arguments beside those of the questions."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from functools import partial

from satchel.cli import asking, options
from satchel.questions.context import CONTEXT, Context, Reply
from satchel.questions.search import SEARCH, Search
from satchel.store.errors import UsageError

_QUERY = "the question, in words or names; - or a pipe: standard input, as the output of a test run"


def add(commands: options.Commands) -> None:
    """Add the commands."""
    command = options.command(commands, "context", _context)
    command.add_argument("query", nargs="*", help=_QUERY)
    command.add_argument(
        "--diff", "--since", nargs="?", const="HEAD", metavar="REV",
        help="review the working tree: what changed since REV (default: HEAD), its users and tests",
    )  # fmt: skip
    command.add_argument(
        "--explain", action="store_true",
        help="say on stderr why each excerpt is there, what it displaced, where the budget went",
    )  # fmt: skip
    command.add_argument(
        "--replay", metavar="ID", help="print a pack again, byte for byte, by the id in its receipt"
    )
    asking.add_fields(
        command, Context, {"budget_tokens": ("--budget",)}, without=("query", "path", "diff")
    )
    _add_question(command)
    command = options.command(commands, "search", partial(asking.ask, SEARCH))
    command.add_argument("query", nargs="*", help=_QUERY)
    command.add_argument("--exact", metavar="TEXT", help="every line that holds TEXT, as grep -F")
    command.add_argument(
        "--regex", metavar="RE", help="every line that matches RE, in the syntax of RE2"
    )
    asking.add_fields(
        command, Search,
        {"max_results": ("--max-results", "--limit"), "ignore_case": ("-i", "--ignore-case")},
        without=("query", "path"),
    )  # fmt: skip
    _add_question(command)


def _add_question(command: ArgumentParser) -> None:
    options.add_path(command)
    command.add_argument(
        "--batch", metavar="FILE",
        help='answer JSON lines {"id", "query", …} from FILE (- for stdin), one JSON line each',
    )  # fmt: skip
    options.add_root(command)
    options.add_hub(command)
    options.add_line_numbers(command)
    options.add_dependencies(command)


def _context(args: Namespace, environment: Mapping[str, str]) -> None:
    def explain(reply: Reply) -> None:
        if args.explain:
            from satchel.assembler.output import explain
            from satchel.cli import terminal

            # To standard error: what stands on standard output is the pack and nothing else.
            terminal.note(explain.explanation(reply.pack))

    # A replayed pack is made from the present index, so nothing is updated before.
    if args.replay:
        from satchel.workspace import pack_log

        if args.hub:
            raise UsageError("a hub keeps no packs", "leave out --hub, or ask the question again")
        reply = Reply(pack_log.replay(options.project_of(args, environment), args.replay), 0)
        asking.show(CONTEXT, reply, args)
        explain(reply)
        return
    asking.ask(CONTEXT, args, environment, explain)

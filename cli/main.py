"""The `satchel` command: arguments, exit codes, and what an interruption means.

Exit codes: 0 ok · 1 failed · 2 usage · 3 stale · 4 corrupt · 5 locked · 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct

from cli import terminal
from indexer.refresh import RefreshReport
from store.errors import Locked, SatchelError
from workspace.project import Project, VectorReport, find_root

_INTERRUPTED = 130
_CHUNKS_AT_ONCE = 20_000
"""Chunks that are encoded before an answer, about two seconds of work; more wait until after."""


class ReindexResult(Struct, frozen=True):
    """What `reindex` did, as JSON; `schema` names the version of its shape."""

    index: RefreshReport
    vectors: VectorReport
    schema: int = 1


def main() -> None:
    """Run the command line and exit with its code."""
    gc.set_threshold(50_000)  # a short life of many small values: 4 % of a full index otherwise
    try:
        code = run(sys.argv[1:], os.environ)
    except BrokenPipeError:
        # Whoever read our output has seen enough; a second error at exit would help nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run one command; returns the exit code."""
    args = parser().parse_args(arguments)
    try:
        args.run(args, environment)
    except SatchelError as error:
        terminal.error(error.message, error.hint)
        return error.exit_code
    except KeyboardInterrupt:
        terminal.error("interrupted; what was indexed is kept", "run the command again to continue")
        return _INTERRUPTED
    return 0


def parser() -> ArgumentParser:
    """The whole command line."""
    top = ArgumentParser(
        prog="satchel",
        description="Packs the right code into the tokens you have.",
        epilog='example: satchel context "how are retries scheduled" --budget 4096',
        formatter_class=RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"satchel {_version()}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", dest="command")
    _add_reindex(commands)
    _add_context(commands)
    _add_search(commands)
    _add_symbols(commands)
    _add_deps(commands)
    _add_status(commands)
    return top


def _version() -> str:
    try:
        return version("satchel")
    except PackageNotFoundError:
        return "(not installed)"


def _command(commands, name: str, about: str, run) -> ArgumentParser:  # type: ignore[no-untyped-def]  # noqa: ANN001
    command: ArgumentParser = commands.add_parser(name, help=about, description=about)
    command.set_defaults(run=run)
    command.add_argument(
        "--json", action="store_true", help="print JSON (its shape has a version: `schema`)"
    )
    command.add_argument("--quiet", action="store_true", help="no progress")
    return command


def _add_root(command: ArgumentParser) -> None:
    command.add_argument(
        "--root", type=Path, help="the folder to work on (default: the checkout around here)"
    )


def _add_scope(command: ArgumentParser) -> None:
    command.add_argument(
        "--scope", choices=["impl", "test", "all"], default="impl",
        help="product code, test code or both (default: impl)",
    )  # fmt: skip


def _add_reindex(commands) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    about = "Bring the index up to date; Ctrl-C keeps what is done and the next run continues."
    command = _command(commands, "reindex", about, _reindex)
    command.add_argument("path", nargs="?", type=Path, help="the folder to index (default: here)")
    command.add_argument("--full", action="store_true", help="forget everything and start anew")


def _add_context(commands) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    about = "What a model should see of this code for a task, in at most N tokens."
    command = _command(commands, "context", about, _answer)
    command.add_argument("query", nargs="?", help="the task or question, in words or names")
    command.add_argument("--budget", type=int, help="tokens, 256 to 32768 (default: 4096)")
    _add_question(command)


def _add_search(commands) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    about = "The best places for a question, as pointers or with their source."
    command = _command(commands, "search", about, _answer)
    command.add_argument("query", nargs="?", help="the question, in words or names")
    command.add_argument("--mode", choices=["locate", "full"], help="pointers, or full source")
    command.add_argument("--max-results", type=int, help="1 to 200 (default: 10)")
    command.add_argument("--min-score", type=float, help="0.0 to 1.0 (default: 0.0)")
    command.add_argument("--explain", action="store_true", help="show each signal's share")
    _add_question(command)


def _add_question(command: ArgumentParser) -> None:
    command.add_argument("--path", default="", help="only files whose path starts with this")
    command.add_argument(
        "--batch", metavar="FILE",
        help='answer JSON lines {"id", "query", …} from FILE (- for stdin), one JSON line each',
    )  # fmt: skip
    _add_scope(command)
    _add_root(command)


def _add_symbols(commands) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    about = "Definitions of a name: exact, Class.method, or prefix*."
    command = _command(commands, "symbols", about, _lookup)
    command.add_argument("name")
    command.add_argument("--kind", default="", help="only this kind: function, class, method, …")
    command.add_argument("--limit", type=int, default=50, help="at most this many (default: 50)")
    _add_scope(command)
    _add_root(command)


def _add_deps(commands) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    about = "The call graph around a symbol, with the rule and confidence of every edge."
    command = _command(commands, "deps", about, _lookup)
    command.add_argument("symbol")
    command.add_argument("--direction", choices=["callers", "callees", "both"], default="both")
    command.add_argument("--depth", type=int, default=2, help="1 to 5 (default: 2)")
    command.add_argument("--limit", type=int, default=100, help="at most this many (default: 100)")
    _add_scope(command)
    _add_root(command)


def _add_status(commands) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    about = "How much is indexed, what is not, and why."
    command = _command(commands, "status", about, _status)
    command.add_argument("--skipped", action="store_true", help="list every skipped path")
    _add_root(command)


def _project(args: Namespace, environment: Mapping[str, str]) -> Project:
    root: Path | None = args.root
    return Project.at(root if root else find_root(Path.cwd()), environment)


def _reindex(args: Namespace, environment: Mapping[str, str]) -> None:
    root: Path = args.path if args.path else find_root(Path.cwd())
    project = Project.at(root, environment)
    with terminal.ProgressBar(quiet=args.quiet) as bar:
        report = project.refresh(bar.update, full=args.full)
        if not args.json:
            terminal.out(_summary(report))
        vectors = project.build_vectors(partial(bar.count, "vectors"), partial(bar.count, "chroma"))
    if args.json:
        terminal.out_json(ReindexResult(report, vectors))
    elif vectors.encoded or vectors.mirror:
        terminal.out(_vector_summary(vectors))


def _summary(report: RefreshReport) -> str:
    return (
        f"generation {report.generation}: {report.added} added, {report.changed} changed,"
        f" {report.removed} removed, {report.unchanged} unchanged, {report.skipped} skipped"
    )


def _vector_summary(report: VectorReport) -> str:
    text = f"vectors: {report.encoded:,} chunks encoded"
    if report.mirror is None:
        return text
    mirror = report.mirror
    return (
        f"{text}; Chroma holds {mirror.held:,} ({mirror.added:,} added,"
        f" {mirror.removed:,} removed), recall@50 {mirror.recall:.3f} against the exact scan"
    )


def _answer(args: Namespace, environment: Mapping[str, str]) -> None:
    from cli import answers

    project = _project(args, environment)
    notices = _catch_up(project, args)
    answer = answers.context if args.command == "context" else answers.search
    # Text and graph answer at once; vectors come first only where that takes a moment.
    late = project.chunks_without_vectors() > _CHUNKS_AT_ONCE
    if not late:
        _encode(project, args)
    with project.snapshot() as snapshot:
        vectors, said = project.vector_search(snapshot)
        answer(project, snapshot, args, vectors, (*notices, *said))
    if late:
        _encode(project, args)


def _encode(project: Project, args: Namespace) -> None:
    """Build vectors unless another process is at it, which then sees to them."""
    with suppress(Locked), terminal.ProgressBar(quiet=args.quiet) as bar:
        project.build_vectors(partial(bar.count, "vectors"), partial(bar.count, "chroma"))


def _lookup(args: Namespace, environment: Mapping[str, str]) -> None:
    from cli import lookups

    look_up = lookups.symbols_command if args.command == "symbols" else lookups.deps_command
    project = _project(args, environment)
    for notice in _catch_up(project, args):
        terminal.note(f"note: {notice}")
    with project.snapshot() as snapshot:
        look_up(project, snapshot, args)


def _catch_up(project: Project, args: Namespace) -> tuple[str, ...]:
    if not project.is_indexed and not args.quiet:
        terminal.note(f"indexing {project.root} for the first time")
    with terminal.ProgressBar(quiet=args.quiet) as bar:
        return project.catch_up(bar.update)


def _status(args: Namespace, environment: Mapping[str, str]) -> None:
    from cli import lookups

    project = _project(args, environment)
    with project.snapshot() as snapshot:
        lookups.status_command(project, snapshot, args)

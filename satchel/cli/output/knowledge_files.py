"""`knowledge`: export, import, prune, drift, check and stats, over all that is known."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct, structs

from satchel.assembler.quoting import clean
from satchel.cli import options, terminal
from satchel.indexer.scan.open_below import content
from satchel.knowledge.operations import overview, prune, stats
from satchel.knowledge.request_context import RequestContext
from satchel.knowledge.storage import read
from satchel.knowledge.storage.integrity import IntegrityProblem, check_integrity
from satchel.knowledge.transfer import export_format
from satchel.knowledge.transfer.detect_source import read_source
from satchel.knowledge.transfer.import_drafts import Draft
from satchel.knowledge.transfer.ingest import IngestResult, ingest
from satchel.questions.rows import VERSION
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.workspace import knowledge
from satchel.workspace.project import Project

_MOST_FILES = 2_000
_INPUT = ("-", "/dev/stdin")
"""Names of what is piped in: the one pipe that is read."""
_MOST_BYTES = 50_000_000
_MOST_LISTED = 100_000


class Exported(Struct, frozen=True):
    """How much an export holds, and how many private items stay behind; `file` is "" for stdout."""

    items: int
    file: str
    private: int
    schema: int = VERSION


class Imported(Struct, frozen=True):
    """What became of what was read."""

    files: int
    added: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    older: tuple[str, ...]
    refused: tuple[str, ...]
    schema: int = VERSION


class PrunedResult(Struct, frozen=True):
    """What was put away."""

    archived: tuple[str, ...]
    operations: int
    associations: int
    dry_run: bool
    schema: int = VERSION


class DriftRow(Struct, frozen=True):
    """An item whose code has changed or is gone; `changes` says how, a line for each link."""

    id: str
    summary: str
    changes: tuple[str, ...]


class DriftResult(Struct, frozen=True):
    """Items whose code has changed or gone, then those whose code was never found, each by id."""

    items: tuple[DriftRow, ...]
    schema: int = VERSION


class CheckResult(Struct, frozen=True):
    """Whether what is derived from items is what items say."""

    flaws: tuple[IntegrityProblem, ...]
    schema: int = VERSION


class StatsResult(Struct, frozen=True):
    """How much is known and how it is used."""

    stats: stats.Stats
    schema: int = VERSION


def run(args: Namespace, environment: Mapping[str, str]) -> None:
    """Carry out one of the commands."""
    project = options.project_of(args, environment)
    # Only these two hold what is said against the code, so the others need no index at all.
    needs_code = args.what in ("drift", "import")
    if needs_code and (project.is_indexed or args.what == "drift"):
        for notice in options.catch_up(project, args):
            terminal.note(f"note: {notice}")
    knowledge.run_counted(
        project, lambda context: _WHAT[args.what](project, context, args), f"knowledge_{args.what}"
    )


def _export(_project: Project, context: RequestContext, args: Namespace) -> None:
    items = read.visible_items(context.db, "1", (), context.caller.actor, "i.id", -1)
    links = read.links_from(context.db, [item.id for item in items])
    text = export_format.export_text(items, links, private=args.private)
    n_items = text.count("\n")
    # An export has one item a line, so its lines tell how many private ones were left out.
    n_left = len(items) - n_items
    if n_left and not args.json:
        kept = counted(n_left, "private item")
        terminal.note(f"{kept} kept here; `--private` exports yours as well")
    if not args.file:
        terminal.out_document(text)
        return
    target = Path(args.file[0])
    terminal.write_document(target, text)
    if args.json:
        terminal.out_json(Exported(n_items, str(target), n_left))
    else:
        terminal.note(f"{counted(n_items, 'item')} written to {target}")


def _import(project: Project, context: RequestContext, args: Namespace) -> None:
    if not args.file:
        raise UsageError("no file to import", "name files, or folders of them")
    texts = list(_texts(args.file))
    drafts: list[Draft] = []
    for path, text in texts:
        resolved = path.resolve()
        inside = resolved.is_relative_to(project.root)
        # A path below the root is named from there, and one from elsewhere by its file name alone.
        name = resolved.relative_to(project.root).as_posix() if inside else path.name
        read_here = read_source(name, text, context.caller)
        if not read_here:
            terminal.note(f"note: nothing in {clean(name)} is an item")
        drafts += read_here
    done: IngestResult = ingest(context, drafts, dry_run=args.dry_run)
    if args.json:
        terminal.out_json(Imported(len(texts), *structs.astuple(done)))
        return
    terminal.row(
        f"{counted(len(texts), 'file')}: {len(done.added)} added, {len(done.updated)} updated,"
        f" {len(done.unchanged)} known, {len(done.refused)} refused"
    )
    if done.older:
        n_older = counted(len(done.older), "item")
        terminal.note(f"note: {n_older} not written over: changed here later than in the file")


def _texts(names: list[str]) -> Iterator[tuple[Path, str]]:
    """The files that are named, and those in folders that are named; a link in a folder is not
    followed, one that is named is."""
    paths: list[tuple[Path, Path | None]] = []
    for name in names:
        path = Path(name)
        if os.path.isdir(path):  # noqa: PTH112 — a name that is too long makes the other raise
            listed = (p for p in walked(path) if p.suffix in (".md", ".json", ".jsonl"))
            paths += [(p, path) for p in listed]
        else:
            paths.append((path, None))
    # A file that was named may be a link, since the person chose it; one that was found in a folder
    # may not.
    if len(paths) > _MOST_FILES:
        raise UsageError(f"more than {_MOST_FILES:,} files", "import them folder by folder")
    for path, below in paths:
        if str(path) in _INPUT:
            data = sys.stdin.buffer.read(_MOST_BYTES + 1)
            if len(data) > _MOST_BYTES:
                raise UsageError(f"{path} is more than {_MOST_BYTES:,} bytes", "divide it")
            yield path, data.decode("utf-8", "replace")
            continue
        try:
            yield path, content(path, _MOST_BYTES, below=below).decode("utf-8", "replace")
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}", "name files that exist") from error


def walked(folder: Path) -> Iterator[Path]:
    """The regular files below a folder by path, at most so many; links are left out."""
    found: list[Path] = []
    for at, folders, names in os.walk(folder):
        # The walk follows a sorted order, because what lies beyond the limit would otherwise depend
        # on the file system.
        folders.sort()
        paths = (Path(at, name) for name in names)
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
        if len(found) > _MOST_LISTED:
            break
    return iter(sorted(found))


def _prune(_project: Project, context: RequestContext, args: Namespace) -> None:
    done = prune.prune(context, args.days, dry_run=args.dry_run)
    ids = tuple(item.id for item in done.archived)
    if args.json:
        terminal.out_json(PrunedResult(ids, done.operations, done.associations, args.dry_run))
        return
    would = "would be " if args.dry_run else ""
    for item in done.archived:
        terminal.row(f"{item.id} {would}archived: {clean(item.summary)}")
    terminal.row(f"{counted(len(ids), 'item')} {would}archived")


def _drift(_project: Project, context: RequestContext, args: Namespace) -> None:
    found = overview.drifted_items(context, context.resolve_scope("project"))
    rows = [
        DriftRow(item.id, item.summary, tuple(a.description() for a in stale))
        for item, stale in found
    ]
    rows += [
        DriftRow(item.id, item.summary, tuple(missing))
        for item, missing in overview.items_about_missing_code(context)
    ]
    if args.json:
        terminal.out_json(DriftResult(tuple(rows)))
        return
    for row in rows:
        terminal.row(f"{row.id} {clean(row.summary)}: {clean('; '.join(row.changes))}")
    if not rows:
        terminal.row("no anchored code has changed")


def _check(_project: Project, context: RequestContext, args: Namespace) -> None:
    found = check_integrity(context.db, repair=args.repair)
    if args.json:
        terminal.out_json(CheckResult(tuple(found)))
    else:
        for flaw in found:
            mended = " (repaired)" if flaw.repaired else ""
            terminal.row(f"{flaw.item or 'knowledge.db'}: {clean(flaw.what)}{mended}")
        n_found = counted(len(found), "problem")
        terminal.row(n_found if found else "everything is as the items say")
    # Flaws that were mended are no failure, so the exit code speaks only of those that are still
    # there.
    if not all(flaw.repaired for flaw in found):
        hint = "`satchel knowledge check --repair` repairs what it can; otherwise restore a copy"
        n_left = sum(not flaw.repaired for flaw in found)
        raise options.Reported(f"{counted(n_left, 'problem')} not repaired", hint)


def _stats(_project: Project, context: RequestContext, args: Namespace) -> None:
    found = stats.stats(context)
    if args.json:
        terminal.out_json(StatsResult(found))
        return
    for title, tally in (("items", found.items), ("statuses", found.statuses)):
        shares = ", ".join(f"{name} {n:,}" for name, n in tally.items())
        terminal.row(f"{title}: {shares or 'none'}")
    terminal.row(
        f"{found.links:,} links, {found.events:,} events, {found.associations:,} associations,"
        f" {found.file_bytes / 1e6:.1f} MB"
    )
    for row in found.operations:
        failed = f", {row.failed} failed" if row.failed else ""
        terminal.row(f"{row.op}: {row.n}{failed}, p50 {row.p50_ms} ms, p95 {row.p95_ms} ms")
    focus = found.focus
    for name in focus.__struct_fields__:
        value = getattr(focus, name)
        shown = "nothing yet" if value is None else f"{value:.2f}" if value != int(value) else value
        terminal.row(f"focus, {name.replace('_', ' ')}: {shown}")


def _exchange(project: Project, context: RequestContext, args: Namespace) -> None:
    from satchel.cli.output import hub_knowledge

    hub_knowledge.exchange(project, context, args)


_WHAT: dict[str, Callable[[Project, RequestContext, Namespace], None]] = {
    "check": _check,
    "export": _export,
    "import": _import,
    "prune": _prune,
    "drift": _drift,
    "stats": _stats,
    "push": _exchange,
    "pull": _exchange,
}

"""Checks of the index against the working tree: nothing missing, nothing left over, nothing old."""

from __future__ import annotations

import os
from collections.abc import Iterator

from satchel.indexer.extract.analyze import digest_of
from satchel.indexer.extract.source import as_utf8
from satchel.indexer.languages import detect
from satchel.indexer.scan import git_checkout, walk
from satchel.indexer.scan.classify import classify
from satchel.indexer.scan.walk import FoundFile
from satchel.store.model import RepoPath, Skipped, SkipReason
from satchel.store.records import SkippedRecord
from satchel.store.sqlite.rows import decode_path
from satchel.validation.check_context import CheckContext, StoredFile
from satchel.validation.model import Finding, Severity

_HEAD_BYTES = 16_384
_BY_CONTENT = {
    SkipReason.BINARY, SkipReason.TOO_LARGE, SkipReason.MINIFIED, SkipReason.GENERATED,
    SkipReason.UNREADABLE, SkipReason.VANISHED, SkipReason.SPECIAL, SkipReason.SYMLINK,
    SkipReason.SYMLINK_OUTSIDE, SkipReason.SYMLINK_LOOP,
}  # fmt: skip
# What rules of Satchel's own begin with or end in: git does not know them.
_OURS = ("default", "extra_ignore", ".satchelignore")


def fresh(context: CheckContext) -> Iterator[Finding]:
    """The index says what the working tree says: by stat, and by bytes where the stat changed."""
    plan = context.plan
    found = set(plan.present)
    skipped = {record.path: record for record in plan.skipped}
    for candidate in plan.candidates:
        said = _current_state(context, candidate)
        if isinstance(said, SkippedRecord):
            skipped[said.path] = said
            continue
        found.add(candidate.path)
        known = plan.known.get(candidate.path)
        if known is None:
            yield _stale(candidate.path, "is not in the index yet")
        elif said != (known.digest, known.language):
            yield _stale(candidate.path, "has changed since it was indexed")
    for path in sorted(plan.known.keys() - found):
        yield _stale(path, "is in the index and no longer in the tree, or no longer wanted")
    yield from _skip_findings(context, skipped)


def _current_state(context: CheckContext, found: FoundFile) -> SkippedRecord | tuple[str, str]:
    """(digest, language) of a file as it is, or why it would be left out."""
    options = context.options.walk
    data = walk.read(context.root, found.path, options)
    if isinstance(data, bytes):
        reason = classify(found.path, data, options.max_file_bytes)
        if reason is None:
            data = as_utf8(data)
            return digest_of(data), detect.detect(found.path, data[:_HEAD_BYTES]).name
        data = Skipped(found.path, reason)
    return SkippedRecord(data.path, data.reason, data.detail)


def _skip_findings(context: CheckContext, now: dict[RepoPath, SkippedRecord]) -> Iterator[Finding]:
    known = context.plan.known_skipped
    for path in sorted(known.keys() | now.keys()):
        then, said = known.get(path), now.get(path)
        if then is None and path not in context.plan.known:
            yield _stale(path, "is left out, and the index does not say so")
        elif said is None and then is not None:
            yield _stale(path, "is said to be left out, and is not")
        elif then and said and (then.reason, then.detail) != (said.reason, said.detail):
            yield _stale(path, f"is left out as {_why(said)}, the index says {_why(then)}")


def _why(record: SkippedRecord) -> str:
    return f"{record.reason} ({record.detail})" if record.detail else str(record.reason)


def head(context: CheckContext) -> Iterator[Finding]:
    """The commit that is checked out is the one that was indexed."""
    plan = context.plan
    if plan.head is not None and plan.head != plan.known_head:
        message = f"HEAD is {plan.head[:10] or 'unborn'}, indexed was {plan.known_head[:10] or '-'}"
        hint = "harmless while no file differs; `satchel reindex` takes note"
        yield Finding("V013", Severity.INFO, "", 0, message, hint)


def same_bytes(context: CheckContext, held: StoredFile) -> Iterator[Finding]:
    """A file whose stat did not change did not change, and what is kept are its bytes."""
    digest = held.row[2]
    if digest_of(held.source) != digest or held.projection.facts.digest != digest:
        yield _error("V012", held.path, "the bytes or the facts that are kept are not its own")
    if held.path not in context.plan.present:
        return  # said to be stale by `fresh`, or touched and found the same
    data = walk.read(context.root, RepoPath(held.path), context.options.walk)
    if not isinstance(data, bytes) or digest_of(as_utf8(data)) != digest:
        yield _error("V012", held.path, "has changed although size and time have not")


def retired(context: CheckContext) -> Iterator[Finding]:
    """What is kept for the day it comes back is what it is kept as."""
    for digest, language in context.audit.retired():
        facts, source, _ = context.audit.content(digest, language)
        if (facts.digest, facts.language) != (digest, language) or digest_of(source) != digest:
            yield _error("V014", "", f"kept contents {digest[:10]} are not what they are kept as")


def ignored(context: CheckContext) -> Iterator[Finding]:
    """What git would not ignore is in the index or left out for a reason of ours, and only that."""
    listed = _git_files(context)
    if listed is None:
        return
    nested = tuple(path for path in listed if path.endswith("/"))
    skipped = {record.path: record for record in context.plan.known_skipped.values()}
    ours = tuple(path for path, record in skipped.items() if _is_ours(record))
    for path in sorted(listed - context.plan.known.keys()):
        record = skipped.get(RepoPath(path))
        gone = not (context.root / path).is_file()
        if gone or path.startswith((*ours, *nested)) or (record and _is_ours(record)):
            continue
        yield Finding("V011", Severity.ERROR, path, 0, "git does not ignore it, the index does")
    for path in sorted(context.plan.known.keys() - listed):
        if not path.startswith(nested) and path not in ours:
            yield Finding("V011", Severity.ERROR, path, 0, "git ignores it, the index does not")


def _is_ours(record: SkippedRecord) -> bool:
    return record.reason in _BY_CONTENT or any(mark in record.detail for mark in _OURS)


def _git_files(context: CheckContext) -> set[str] | None:
    """What git lists below the root, untracked repositories with a final "/"; None without git."""
    root = os.fsencode(context.root)
    if not git_checkout.run_git(root, "rev-parse", "--git-dir"):
        return None
    answer = git_checkout.run_git(
        root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"
    )
    staged = git_checkout.run_git(root, "ls-files", "-z", "--stage").split(b"\0")
    modules = {decode_path(e.partition(b"\t")[2]) + "/" for e in staged if e.startswith(b"160000")}
    return {decode_path(path) for path in answer.split(b"\0") if path} | modules


def _stale(path: str, message: str) -> Finding:
    return Finding("V010", Severity.ERROR, path, 0, message)


def _error(code: str, path: str, message: str) -> Finding:
    return Finding(code, Severity.ERROR, path, 0, message)

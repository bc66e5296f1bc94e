"""Checks the index against the working tree: no file missing, left over or out of date."""

import os
from collections.abc import Iterator

from satchel.indexer.extract.source import indexed
from satchel.indexer.languages import detect
from satchel.indexer.scan import git_checkout, walk
from satchel.indexer.scan.classify import classify
from satchel.indexer.scan.ignore_rules import Tree, is_kept_by_own_rule, tree_at
from satchel.indexer.scan.walk import FoundFile
from satchel.store.codec import digest_of
from satchel.store.model import RepoPath, SkipReason
from satchel.store.records import SkippedRecord
from satchel.store.sqlite.rows import decode_path
from satchel.validation.check_context import CheckContext, StoredFile
from satchel.validation.model import Finding, Severity, error
from satchel.workspace.state.index_place import CHECKOUT_FOLDER

# Reasons to leave a file out that have nothing to do with git's ignore rules.
_BY_CONTENT = {
    SkipReason.BINARY, SkipReason.TOO_LARGE, SkipReason.MINIFIED, SkipReason.GENERATED,
    SkipReason.VENDORED, SkipReason.WORKTREE, SkipReason.LFS_POINTER,
    SkipReason.UNREADABLE, SkipReason.VANISHED, SkipReason.SPECIAL, SkipReason.SYMLINK,
    SkipReason.SYMLINK_OUTSIDE, SkipReason.SYMLINK_LOOP, SkipReason.SECRET, SkipReason.RULES_CUT,
}  # fmt: skip
# The detail of a skipped record names the rule; these are Satchel's own, which git does not know.
_CHECKOUT_PREFIX = f"{CHECKOUT_FOLDER}/"
_OURS = ("default", "extra_ignore", ".satchelignore")


def fresh(context: CheckContext) -> Iterator[Finding]:
    """Every file of the tree is indexed as it is, or left out for the reason that the index has.

    Compared by stat, and by bytes where the stat has changed: a touched file is not stale.
    """
    plan = context.plan
    found = set(plan.present)
    skipped = {record.path: record for record in plan.skipped}
    for candidate in plan.candidates:
        current = _current_state(context, candidate)
        if isinstance(current, SkippedRecord):
            skipped[current.path] = current
            continue
        found.add(candidate.path)
        known = plan.known.get(candidate.path)
        if known is None:
            yield error("is not in the index yet", candidate.path)
        elif current != (known.digest, known.language):
            yield error("has changed since it was indexed", candidate.path)
    for path in sorted(plan.known.keys() - found):
        yield error("is in the index and no longer in the tree, or no longer wanted", path)
    yield from _skip_findings(context, skipped)


def _current_state(context: CheckContext, found: FoundFile) -> SkippedRecord | tuple[str, str]:
    """(digest, language) of a file as it is now, or the reason to leave it out."""
    options = context.options.walk
    # The same steps in the same order as a refresh takes: read, classify, recode, digest.
    data = walk.read(context.project.root, found.path, options)
    if isinstance(data, bytes):
        refused = classify(found.path, data, options.max_file_bytes)
        if refused is None:
            data = indexed(data)
            return digest_of(data), detect.detect(found.path, data).name
        data = refused
    return SkippedRecord(data.path, data.reason, data.detail)


def _skip_findings(context: CheckContext, now: dict[RepoPath, SkippedRecord]) -> Iterator[Finding]:
    """Differences between what the tree leaves out now and what the index says is left out."""
    recorded = context.plan.known_skipped
    for path in sorted(recorded.keys() | now.keys()):
        if (
            path == _CHECKOUT_PREFIX
        ):  # whoever writes a baseline there changes nothing that is indexed
            continue
        then, today = recorded.get(path), now.get(path)
        # What tools make while nobody looks (`__pycache__`, a build) was never to be indexed, so
        # the index is as true as before when it appears or goes.
        if SkipReason.IGNORED in {r.reason for r in (then, today) if r} and (
            today is None or (then is None and path not in context.plan.known)
        ):
            continue
        if then is None and path not in context.plan.known:
            yield error("is skipped, but the index does not list it as skipped", path)
        elif today is None and then is not None:
            yield error("is listed as skipped, but should be indexed", path)
        elif then and today and (then.reason, then.detail) != (today.reason, today.detail):
            yield error(f"is left out as {_why(today)}, the index says {_why(then)}", path)


def _why(record: SkippedRecord) -> str:
    return f"{record.reason} ({record.detail})" if record.detail else str(record.reason)


def head(context: CheckContext) -> Iterator[Finding]:
    """The commit that is checked out is the one that was indexed."""
    plan = context.plan
    # Of less than the whole tree nobody knows the commit.
    if plan.head is not None and plan.head != plan.before.head:
        message = (
            f"HEAD is {plan.head[:10] or 'unborn'}, indexed was {plan.before.head[:10] or '-'}"
        )
        hint = "harmless while no file differs; `satchel reindex` takes note"
        yield Finding(Severity.INFO, "", 0, message, hint)


def same_bytes(context: CheckContext, file: StoredFile) -> Iterator[Finding]:
    """The stored source is that of the file's digest, and so are the bytes in the tree.

    Bytes that change while size and time stay are missed by every refresh, so they are read here.
    """
    digest = file.row.digest
    if digest_of(file.source) != digest or file.projection.facts.digest != digest:
        yield error("the stored bytes or facts belong to other contents", file.path)
    if file.path not in context.plan.present:
        return  # reported by `fresh`, or touched and found to be the same
    data = walk.read(context.project.root, RepoPath(file.path), context.options.walk)
    if not isinstance(data, bytes) or digest_of(indexed(data)) != digest:
        yield error("has changed, although its size and time are the same", file.path)


def retired(context: CheckContext) -> Iterator[Finding]:
    """Contents that no file has at the moment are those of their digest, and so is whose they were.

    They are stored for branch switches: a file that comes back need not be parsed again, and what
    changed can be told without git.
    """
    for digest, language in context.audit.retired():
        facts, source, _ = context.audit.content(digest, language)
        if (facts.digest, facts.language) != (digest, language) or digest_of(source) != digest:
            yield error(f"kept contents {digest[:10]} do not match their digest")
    for number, _, holds in context.audit.replaced():
        if not holds:
            yield error(f"row {number} of what files were before is damaged")


def ignored(context: CheckContext) -> Iterator[Finding]:
    """Exactly the files that git does not ignore are indexed, or left out by rules of Satchel's."""
    listed = _git_files(context)
    if listed is None:
        return
    # git lists a nested repository as one folder, and what is in it not at all.
    nested = tuple(path for path in listed if path.endswith("/"))
    # With what is left out by now: a `__pycache__` may have appeared since the index was made.
    now = {record.path: record for record in context.plan.skipped}
    skipped = now | dict(context.plan.known_skipped)
    ours = tuple(path for path, record in skipped.items() if _is_ours(record))
    for path in sorted(listed - context.plan.known.keys()):
        record = skipped.get(RepoPath(path))
        # git's list has files that were deleted and not committed; and what lies in a folder that a
        # rule of Satchel's leaves out has no record of its own.
        gone = not (context.project.root / path).is_file()
        if gone or path.startswith((*ours, *nested)) or (record and _is_ours(record)):
            continue
        yield error("git does not ignore it, the index does", path)
    if any(record.reason == SkipReason.RULES_CUT for record in skipped.values()):
        return  # git goes on where our rules end; the reason is listed
    tree = tree_at(context.project.root, context.options.walk)
    for path in sorted(context.plan.known.keys() - listed):
        if not path.startswith(nested) and path not in ours and not _is_kept_by_rule(tree, path):
            yield error("git ignores it, the index does not", path)


def _is_kept_by_rule(tree: Tree, path: str) -> bool:
    try:
        return is_kept_by_own_rule(tree, os.fsencode(path))
    except OSError:
        return False  # gone meanwhile, which is told by `fresh`


def _is_ours(record: SkippedRecord) -> bool:
    return record.reason in _BY_CONTENT or any(mark in record.detail for mark in _OURS)


def _git_files(context: CheckContext) -> set[str] | None:
    """What git lists below the root, untracked repositories with a final "/"; None without git."""
    root = os.fsencode(context.project.root)
    if not git_checkout.run_git(root, "rev-parse", "--git-dir"):
        return None
    answer = git_checkout.run_git(
        root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"
    )
    staged = git_checkout.run_git(root, "ls-files", "-z", "--stage").split(b"\0")
    modules = {decode_path(e.partition(b"\t")[2]) + "/" for e in staged if e.startswith(b"160000")}
    return {decode_path(path) for path in answer.split(b"\0") if path} | modules

"""Earlier contents of a checkout's files, read from git and parsed like other files.

Where there is no git history the index's own record answers (`satchel.workspace.past.recorded`).
Nothing is checked out and no filter runs: blobs are compared by git's own object names, computed
from the bytes in the index, and those that differ are read from the object store.
"""

import hashlib
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from satchel.assembler.survey.changes import History
from satchel.assembler.survey.versions import PastFile
from satchel.indexer.extract.pool import Pool
from satchel.indexer.extract.source import indexed
from satchel.indexer.extract.worker import Task
from satchel.indexer.languages import detect
from satchel.indexer.refresh_values import RefreshOptions
from satchel.indexer.scan import walk
from satchel.indexer.scan.classify import classify
from satchel.indexer.scan.git_checkout import blobs, run_git
from satchel.indexer.scan.test_paths import is_test_path
from satchel.store import codec
from satchel.store.codec import digest_of
from satchel.store.errors import UsageError
from satchel.store.model import Digest, FileFacts, RepoPath
from satchel.store.platform.since import EPOCH, moment_ns, refuse_future
from satchel.store.reading.snapshot import Snapshot
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite.rows import decode_path
from satchel.workspace.past import recorded
from satchel.workspace.past.recorded import is_below
from satchel.workspace.state.identity import checkout_at

_MEANT = "use 24h, 7d, 2026-01-31 or a revision"
# Git's modes of plain and of executable files, and of submodules; links are none of ours.
_REGULAR = (b"100644", b"100755")
_SUBMODULE = b"160000"
_PORTION_BYTES = 64 << 20
"""Contents that git is asked for at once; `run_git` bounds how long an answer may be."""
_COMMITS = 3_000
"""Commits that are looked at for the age of files: in most projects some years, read in a second
or two."""


class _Blob(Struct, frozen=True):
    name: bytes
    size: int
    below: str = ""
    """The submodule whose repository holds it, "" for none."""


class _UnparsedFile(Struct, frozen=True):
    """A file as it was, before anybody knows what it says."""

    path: RepoPath
    language: str
    digest: Digest
    data: bytes


def history(root: Path, snapshot: Snapshot, since: str, options: RefreshOptions) -> History:
    """The difference between the tree at `since` and the index.

    `since` is an age (`24h`, `7d`), an ISO date or time, or a revision; `REVISION...` is where
    HEAD's history left that of the revision. Of a time is meant the last commit of HEAD's history
    before it; before the first commit there was nothing. Without git it is the index that says what
    it saw change.

    Raises:
        UsageError: `since` names nothing here, or a revision where there is no git history.
    """
    head = _head(root)
    if not head:
        # A workspace asks each of its members, and a hub has a past of its own.
        assert isinstance(snapshot, SqliteSnapshot)
        return recorded.history(snapshot, since, time.time_ns())
    commit, base = _commit(root, since, head)
    tree, untold = _tree(root, commit) if commit else ({}, set())
    known = {file.path: file for file in snapshot.files.all()}
    differs = {
        path
        for path, file in known.items()
        if (path not in tree and not is_below(path, untold))
        or (
            path in tree
            and _blob_name(snapshot.files.source(file.digest, file.language), tree[path].name)
            != tree[path].name
        )
    }
    # What the index leaves out, for a rule, its size or its name, is on the disk all the same: it
    # counts neither as removed nor as changed.
    unindexed = {entry.path.rstrip("/") for entry in snapshot.files.skipped()}
    unindexed |= _outside_of_sparse(root) if tree.keys() - known.keys() else set()
    wanted = {
        path: blob
        for path, blob in tree.items()
        if (path in differs if path in known else not is_below(path, unindexed))
        and blob.size <= walk.max_bytes(path, options.walk.max_file_bytes)
    }
    was = list(_read_files(root, wanted, options.walk.max_file_bytes))
    # What is indexed of a file may not be its very bytes; then git's names differ all the same.
    same = {old.path for old in was if old.path in known and known[old.path].digest == old.digest}
    differs -= same
    then = _parse_files(snapshot, [old for old in was if old.path not in same], options)
    return History(base, tuple(then), tuple(known[path] for path in sorted(differs)))


def _commit(root: Path, since: str, head: str | None = None) -> tuple[str, str]:
    """The commit that is meant ("": before the first) and how to call it.

    `head` is the commit that is checked out, where the caller has asked git for it.
    """
    # No argument of a process can hold a NUL: Python would raise a ValueError.
    if "\0" in since:
        raise UsageError("since has a NUL in it", _MEANT)
    head = _head(root) if head is None else head
    if not head:
        raise UsageError(
            f"{root} has no git history", "changes are computed from commits: name a checkout"
        )
    before = _before(since.strip())
    if before:
        found = (
            run_git(os.fsencode(root), "rev-list", "-1", f"--before={before}", head)
            .decode()
            .strip()
        )
        return found, f"{since} ({found[:10] or 'before the first commit'})"
    # Three dots are how a caller asks for the merge base, and no part of what a person wrote.
    written = since.removesuffix("...")
    name = f"{written}^{{commit}}"
    # A revision that begins with a dash must not be taken for an option.
    question = ("rev-parse", "--verify", "--quiet", "--end-of-options", name)
    found = run_git(os.fsencode(root), *question).decode().strip()
    if not found:
        raise _no_commit(written)
    # As in `git diff A...B`: what others did on their side since is no change of ours.
    if since.endswith("..."):
        found = run_git(os.fsencode(root), "merge-base", found, head).decode().strip()
        if not found:
            raise UsageError(f"{written!r} and HEAD have no commit in common", "fetch more of it")
    return found, f"{written} ({found[:10]})"


def _no_commit(written: str) -> UsageError:
    first = written.partition("..")[0]
    if not first or first == written:
        return UsageError(f"since is {written!r}, which is no commit here", _MEANT)
    hint = f"what follows is always the files as they are: give {first} alone"
    return UsageError(f"since is {written!r}, which is a range", hint)


def _head(root: Path) -> str:
    """The commit that is checked out, "" for none."""
    question = ("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return run_git(os.fsencode(root), *question).decode().strip()


def _before(since: str) -> str:
    """A moment in git's words; "" for a revision."""
    # Git reads ages and dates in its own way: a bare date as that day at the present hour.
    now_ns = time.time_ns()
    found = moment_ns(since, now_ns)
    refuse_future(since, found or 0, now_ns)
    return "" if found is None else (EPOCH + timedelta(microseconds=found // 1_000)).isoformat()


def commit_of(root: Path, since: str) -> str:
    """The commit that is meant, "" for a time before the first one.

    Raises:
        UsageError: `root` is not in a git checkout, or `since` names nothing there.
    """
    return _commit(root, since)[0]


def check(root: Path, since: str) -> None:
    """Raises: UsageError, when `since` names nothing here; no index is needed to say so."""
    head = _head(root)
    if head:
        _commit(root, since, head)
    else:
        recorded.moment(since, time.time_ns())


def moment(root: Path, since: str) -> str:
    """When a revision was committed, as ISO 8601; "" where `since` names none.

    Of `REVISION...` it is the commit where HEAD's history left that of the revision.
    """
    try:
        commit, _ = _commit(root, since)
    except UsageError:
        return ""
    if not commit:
        return ""
    # The first line repeats the commit.
    answer = run_git(os.fsencode(root), "rev-list", "-1", "--format=%cI", commit).decode()
    return answer.partition("\n")[2].strip()


def last_commits(root: Path) -> dict[RepoPath, int]:
    """The time of the last commit of each file, in seconds since the epoch.

    What none of the newest 3,000 commits touched is left out, and outside of git everything is.
    """
    # Merges say nothing of a file that the merged commits do not say. Paths are relative to root,
    # which may lie below the top of the checkout.
    question = ("log", f"-n{_COMMITS}", "--no-merges", "--no-renames", "--relative", "-z")
    answer = run_git(
        os.fsencode(root), *question, "--format=%x00%ct", "--name-only", "HEAD", "--", "."
    )
    found: dict[RepoPath, int] = {}
    committed, starts, first = 0, False, False
    # A commit is a word without text, its time, its first path after a new line, and more paths.
    for word in answer.split(b"\0"):
        if starts:
            committed = int(word) if word.isdigit() else 0
        elif word:
            # Newest commits come first, so the first time of a path is its last.
            found.setdefault(decode_path(word.removeprefix(b"\n") if first else word), committed)
        first, starts = starts, not word
    return found


def _tree(root: Path, commit: str, below: str = "") -> tuple[dict[RepoPath, _Blob], set[str]]:
    """Every regular file below root at a commit, with those of submodules at their commits then.

    Behind them the folders of submodules of which nothing can be told: they are not checked out, or
    do not have that commit. `below` is the submodule that is read.
    """
    found: dict[RepoPath, _Blob] = {}
    untold: set[str] = set()
    folder = f"{below}/" if below else ""
    lines = run_git(os.fsencode(root / below), "ls-tree", "-r", "-z", "-l", commit).split(b"\0")
    for line in lines:
        head, _, name = line.partition(b"\t")
        path = decode_path(folder.encode("utf-8", "surrogateescape") + name)
        if head.startswith(_REGULAR):
            _, _, blob, size = head.split()
            # A partial clone lacks contents, which are not fetched for a question.
            if not size.isdigit():
                raise UsageError(f"git cannot read {path} as it was", "run `git fetch --refetch`")
            found[path] = _Blob(blob, int(size), below)
        elif head.startswith(_SUBMODULE):
            then = head.split()[2].decode()
            if not _has_commit(root, path, then):
                untold.add(path)
                continue
            inner, unknown = _tree(root, then, path)
            found |= inner
            untold |= unknown
    return found, untold


def _has_commit(root: Path, submodule: RepoPath, commit: str) -> bool:
    """Whether a folder is the checkout of a submodule that holds a commit."""
    place = root / submodule
    # A link could name any repository of the machine, and so could a `.git` file that nothing
    # proves.
    if place.is_symlink() or place.resolve() != root.resolve() / submodule:
        return False
    checkout = checkout_at(place)
    if not checkout.is_git or checkout.below:
        return False
    return bool(
        run_git(os.fsencode(place), "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    )


def _outside_of_sparse(root: Path) -> set[str]:
    """Files that a sparse checkout leaves out: they are not there, and have not been removed."""
    listed = run_git(os.fsencode(root), "ls-files", "-z", "-t").split(b"\0")
    return {decode_path(line[2:]) for line in listed if line.startswith(b"S ")}


def _blob_name(data: bytes, like: bytes) -> bytes:
    """What git calls these bytes, by the hash that `like` was made with."""
    # A repository names its objects by SHA-1 in 40 digits, or by SHA-256 in 64.
    made = hashlib.sha1(usedforsecurity=False) if len(like) == 40 else hashlib.sha256()
    made.update(b"blob %d\0" % len(data))
    made.update(data)
    return made.hexdigest().encode()


def _read_files(
    root: Path, wanted: dict[RepoPath, _Blob], max_file_bytes: int
) -> Iterator[_UnparsedFile]:
    """The files that would have been indexed, by repository and path."""
    for below in sorted({blob.below for blob in wanted.values()}):
        here = {path: blob for path, blob in wanted.items() if blob.below == below}
        for paths in _portions(here):
            found = blobs(os.fsencode(root / below), [here[path].name for path in paths])
            for path, data in zip(paths, found, strict=True):
                # Left out, it would be told as a file that was not there then.
                if data is None:
                    raise UsageError(f"git cannot read {path} as it was", "run `git fsck`")
                if classify(path, data, max_file_bytes) is None:
                    data = indexed(data)
                    language = detect.detect(path, data).name
                    yield _UnparsedFile(path, language, digest_of(data), data)


def _portions(blobs: dict[RepoPath, _Blob]) -> Iterator[list[RepoPath]]:
    """Paths in order, in portions that git may write at once."""
    portion: list[RepoPath] = []
    size = 0
    for path in sorted(blobs):
        if portion and size + blobs[path].size > _PORTION_BYTES:
            yield portion
            portion, size = [], 0
        portion.append(path)
        size += blobs[path].size
    if portion:
        yield portion


def _parse_files(
    snapshot: Snapshot, files: list[_UnparsedFile], options: RefreshOptions
) -> Iterator[PastFile]:
    """What the files said: from the index where it knows the bytes, else analysed in workers."""
    # Facts depend on bytes and language alone, so that copies and renamed files are parsed once.
    indexed_contents = {(file.digest, file.language) for file in snapshot.files.all()}
    facts: dict[tuple[Digest, str], FileFacts] = {}
    new: list[_UnparsedFile] = []
    for file in files:
        key = (file.digest, file.language)
        if key in facts:
            continue
        if key in indexed_contents:
            facts[key] = snapshot.files.facts(*key)
        else:
            new.append(file)
    if new:
        with Pool(options.limits) as pool:
            for analyzed in pool.analyze(Task(file.language, file.data) for file in new):
                facts[analyzed.digest, analyzed.language] = codec.decode_facts(analyzed.facts)
    for file in files:
        is_test = is_test_path(file.path, file.language, options.walk.tests)
        file_facts = facts[file.digest, file.language]
        yield PastFile(file.path, file.language, is_test, file_facts, file.data)

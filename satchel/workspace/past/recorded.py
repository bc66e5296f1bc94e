"""Earlier contents of files from the index's own record, for trees without git.

The record begins with the first index and knows when the index saw a change, which without a server
is when somebody asked next. Contents are kept within bounds (`store.sqlite.earlier.retention`):
files whose earlier contents were dropped are counted and otherwise left out.
"""

from datetime import UTC, datetime

from satchel.assembler.survey.changes import History
from satchel.assembler.survey.versions import PastFile
from satchel.store.counted import counted
from satchel.store.errors import UsageError
from satchel.store.model import RepoPath
from satchel.store.platform.since import moment_ns, refuse_future
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot


def moment(since: str, now_ns: int) -> int:
    """The time that an age (`24h`, `7d`) or an ISO date or time means, in ns since 1970; UTC
    without an offset.

    Raises:
        UsageError: it is neither.
    """
    found = moment_ns(since, now_ns)
    if found is None:
        written = since.removesuffix("...")
        # HEAD is what a question that names nothing means.
        raise UsageError(
            "there is no git history here, so nothing says what is not committed"
            if written == "HEAD"
            else f"{written[:40]!r} is no time, and there is no git history here in which it could"
            " be a revision",
            "give a time: 24h, 7d or 2026-01-31; without git the index answers from its own record"
            " of changes (a `.git` that names or borrows from what lies elsewhere is not asked)",
        )
    refuse_future(since, found, now_ns)
    return max(0, found)  # the record holds nothing older


def history(snapshot: SqliteSnapshot, since: str, now_ns: int) -> History:
    """The difference between the files at `since` and the index, as far as it is recorded.

    Raises:
        UsageError: `since` means no time.
    """
    then_ns = moment(since, now_ns)
    began, replaced = snapshot.replaced(then_ns)
    known = {file.path: file for file in snapshot.files.all()}
    skipped = {entry.path.rstrip("/") for entry in snapshot.files.skipped()}
    then: list[PastFile] = []
    now = []
    n_lost = 0
    for was in replaced:
        is_now = known.get(was.path)
        # What was changed and changed back is as it was; what is left out now is not gone.
        if is_now.digest == was.digest if is_now else not was.digest or is_below(was.path, skipped):
            continue
        if not was.is_kept:
            n_lost += 1
            continue
        if is_now:
            now.append(is_now)
        if was.digest:
            facts = snapshot.files.facts(was.digest, was.language)
            source = snapshot.files.source(was.digest, was.language)
            then.append(PastFile(was.path, was.language, was.is_test, facts, source))
    return History(_base(since, then_ns, began, n_lost), tuple(then), tuple(now))


def is_below(path: RepoPath, folders: set[str]) -> bool:
    """Whether a path or a folder above it was left out of the index: then it is not gone."""
    parts = path.split("/")
    return any("/".join(parts[:n]) in folders for n in range(1, len(parts) + 1))


def _base(since: str, then_ns: int, began: int | None, n_lost: int) -> str:
    """How the earlier time is called, with what is not known of it."""
    parts = ["by the index's own record"]
    if began is None:
        parts.append("which has not begun")
    elif then_ns < began:
        at = datetime.fromtimestamp(began // 1_000_000_000, UTC).isoformat().replace("+00:00", "Z")
        parts.append(f"which begins at {at}")
    if n_lost:
        files = counted(n_lost, "file")
        parts.append(f"without {files} whose contents of then are not kept any more")
    return f"{since} ({', '.join(parts)})"

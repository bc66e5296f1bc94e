"""Earlier contents of a hub's files for `changes`, from what builds replaced."""

from satchel.assembler.survey.changes import History
from satchel.assembler.survey.versions import PastFile
from satchel.hub.database import Hub, rows
from satchel.hub.reading.pg_snapshot import PgSnapshot
from satchel.knowledge import timestamps
from satchel.knowledge.model import Timestamp
from satchel.store import codec
from satchel.store.errors import UsageError
from satchel.store.reading.read_files import checked_source
from satchel.store.sqlite.rows import decode_path

_MOST = 5_000
"""Files that differ: of more no answer is made."""


def moment(since: str, now: Timestamp) -> Timestamp:
    """The time that is meant.

    Raises:
        UsageError: it is none; a hub keeps no revisions.
    """
    try:
        return timestamps.parse(since, now, "since")
    except UsageError as error:
        raise UsageError(error.message, "a hub takes times, not revisions: 24h, 7d") from error


def history(hub: Hub, snapshot: PgSnapshot, base: str, since: Timestamp) -> History:
    """The difference between some repositories at a time and now; `base` is how it is called.

    Before the first build of a repository nothing is known to have changed.

    Raises:
        UsageError: more files differ than one answer is made of.
    """
    # Compared by content and not by time: what was touched and says the same has not changed.
    known = {file.path: file for file in snapshot.files.all()}
    then: list[PastFile] = []
    now = []
    sql = (
        # The first that was replaced since then is what was there at that time.
        "SELECT DISTINCT ON (p.path) p.path, p.is_test, c.digest, c.language, c.facts, c.source"
        " FROM replaced p JOIN builds b ON b.repository_id = p.repository_id"
        " LEFT JOIN contents c ON c.id = p.content_id"
        " WHERE b.id = %s AND p.until >= to_timestamp(%s / 1000.0) ORDER BY p.path, p.until"
        f" LIMIT {_MOST + 1}"
    )
    for part in snapshot.parts:
        found = rows(hub, sql, (part.build.id, since))
        if len(found) > _MOST:
            raise UsageError(f"over {_MOST:,} files differ", "name a later time or a repository")
        for path, is_test, digest, language, facts, source in found:
            at = decode_path(part.prefix + path)
            is_now = known.get(at)
            # What was changed and changed back is as it was.
            if is_now is not None and is_now.digest == digest:
                continue
            if is_now is not None:
                now.append(is_now)
            if digest is not None:
                read = codec.decode_facts(bytes(facts))
                text = checked_source(bytes(source), digest, "run `satchel hub sync`")
                then.append(PastFile(at, language, is_test, read, text))
    return History(base, tuple(sorted(then, key=lambda file: file.path)), tuple(now))

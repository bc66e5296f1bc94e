"""The format of knowledge.db, as the migrations that lead from one version to the next.

Knowledge cannot be built again, so a file of an older version is migrated step by step after a copy
of it was made, and a file of a newer version is left alone. A migration is never changed once it
was released: what it got wrong, the next one corrects.
"""

NAME = "knowledge.db"
APPLICATION_ID = 0x5A7C4E2  # the index's, and one more

_CREATE_ITEMS = """
-- One row a piece of knowledge. Times are milliseconds since 1970 UTC.
CREATE TABLE item (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,   -- ULID
    kind       TEXT NOT NULL,
    subkind    TEXT NOT NULL,
    status     TEXT NOT NULL,
    summary    TEXT NOT NULL,
    detail     TEXT NOT NULL,
    rationale  TEXT NOT NULL,
    body       TEXT NOT NULL,          -- JSON of satchel.knowledge.model.Body
    scope      TEXT NOT NULL,
    project    TEXT NOT NULL,
    tags       TEXT NOT NULL,          -- JSON list
    privacy    TEXT NOT NULL,
    confidence REAL NOT NULL,
    importance REAL NOT NULL,
    verification TEXT NOT NULL,
    source     TEXT NOT NULL,
    actor      TEXT NOT NULL,
    session    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    status_at  INTEGER NOT NULL,
    touched_at INTEGER,
    uses       INTEGER NOT NULL,
    digest     TEXT NOT NULL           -- of the normalised text; equal texts share it
) STRICT;
-- Everything a filter asks for, so that a rare value is found without reading a row.
CREATE INDEX item_filter ON item
    (status, kind, project, scope, privacy, actor, confidence, created_at, subkind);
CREATE INDEX item_scope ON item (scope, status);
CREATE INDEX item_weighty ON item (status, importance, created_at);
CREATE INDEX item_created ON item (created_at);
CREATE INDEX item_digest ON item (digest);

CREATE TABLE tag (
    tag TEXT NOT NULL, seq INTEGER NOT NULL REFERENCES item (seq) ON DELETE CASCADE,
    PRIMARY KEY (tag, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_item ON tag (seq);

CREATE TABLE link (
    src TEXT NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    rel TEXT NOT NULL,
    dst TEXT NOT NULL,                 -- item:…, path:…, symbol:…, commit:…, url:…
    strength REAL NOT NULL,
    note TEXT NOT NULL,
    anchor TEXT NOT NULL,              -- digest of what dst held, '' for none
    PRIMARY KEY (src, rel, dst)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_dst ON link (dst);

-- What happened, to items (item_id set) and in general. Added, never changed.
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    session TEXT NOT NULL,
    action TEXT NOT NULL,
    item_id TEXT NOT NULL,
    summary TEXT NOT NULL,
    from_status TEXT NOT NULL,
    to_status TEXT NOT NULL,
    reason TEXT NOT NULL,
    changes TEXT NOT NULL              -- JSON list of satchel.knowledge.model.Change
) STRICT;
CREATE INDEX event_item ON event (item_id, seq);
CREATE INDEX event_at ON event (at);

CREATE TABLE session (
    id TEXT PRIMARY KEY,
    query TEXT NOT NULL, intent TEXT NOT NULL, scope TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    assembled_at INTEGER,
    calls TEXT NOT NULL, shown TEXT NOT NULL, searched TEXT NOT NULL   -- JSON lists
) STRICT, WITHOUT ROWID;

-- Terms as satchel.knowledge.storage.fulltext splits them, separated by blanks; rows are numbered
-- by item.seq.
CREATE VIRTUAL TABLE item_text USING fts5(
    summary, rest, content = '', contentless_delete = 1, detail = 'column',
    tokenize = "ascii tokenchars '_'"
);
CREATE VIRTUAL TABLE item_vocabulary USING fts5vocab(item_text, row);
"""

_ADD_USE_TABLES = """
-- Learned: under this focus, this target was of use.
CREATE TABLE association (
    focus TEXT NOT NULL,
    target TEXT NOT NULL,              -- tool:…, item:…
    confidence REAL NOT NULL,          -- 0 to 1.5
    hits INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    PRIMARY KEY (focus, target)
) STRICT, WITHOUT ROWID;

-- One row an operation: what it did, never what was in it.
CREATE TABLE operation (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    op TEXT NOT NULL,
    outcome TEXT NOT NULL,             -- 'ok' or the error's code
    session TEXT NOT NULL,
    ms REAL NOT NULL,
    considered INTEGER NOT NULL, packed INTEGER NOT NULL,
    used_tokens INTEGER NOT NULL, budget INTEGER NOT NULL,
    target TEXT NOT NULL,              -- the tool that was called, '' for none
    shown INTEGER                      -- whether that tool was in the list, NULL without a focus
) STRICT;
CREATE INDEX operation_at ON operation (at);
"""

_ADD_SORTED_INDEXES = """
-- In the orders in which the weightiest and the newest are looked for, so that a hundred of them
-- are found without sorting all.
CREATE INDEX item_standing ON item (kind, importance DESC, created_at DESC, id);
CREATE INDEX item_important ON item (importance DESC, created_at DESC, id);
CREATE INDEX item_newest ON item (created_at DESC, id);
DROP INDEX item_weighty;
DROP INDEX item_created;
"""

_ADD_VECTORS = """
-- What items mean: a vector of whole numbers, -127 to 127, its length of no account; `version` is
-- that of the change that wrote it.
CREATE TABLE vector (
    seq INTEGER PRIMARY KEY REFERENCES item (seq) ON DELETE CASCADE,
    vector BLOB NOT NULL, version INTEGER NOT NULL
) STRICT;
CREATE INDEX vector_version ON vector (version);
-- One row: by which encoder, up to which seq everything has a vector, how many changes there were,
-- and a number by which caches tell one file from another.
CREATE TABLE encoded (
    name TEXT NOT NULL, upto INTEGER NOT NULL, version INTEGER NOT NULL, birth INTEGER NOT NULL
) STRICT;
"""

# A warning that Satchel wrote of conflicting decisions was known by how its summary begins, which
# anybody may edit. From here on `derived_kind` in its body says so. Older files tell such a warning
# by the event of its creation, also when its summary was edited since; one that was imported has no
# such event here, only its summary. A body that cannot be read stays as it is: `check` names it.
_MARK_CONFLICT_WARNINGS = """
UPDATE item SET body = json_set(body, '$.derived_kind', 'conflict')
WHERE kind = 'warning' AND source = 'derived' AND json_valid(body) AND (
    substr(summary, 1, 23) = 'Conflicting decisions: '
    OR id IN (SELECT item_id FROM event WHERE action = 'create' AND reason = 'conflict')
);
"""

MIGRATIONS = (
    _CREATE_ITEMS, _ADD_USE_TABLES, _ADD_SORTED_INDEXES, _ADD_VECTORS, _MARK_CONFLICT_WARNINGS,
)  # fmt: skip
"""Migration n leads from version n to n + 1."""

VERSION = len(MIGRATIONS)

"""The tables of a hub, as one commented string, and the version they are known by.

What bytes say is kept by content, for all repositories together: `contents` and the tables beside
it. What a repository holds is a build: rows that name contents, with ids of chunks and symbols that
are those of the index the build was made from. A build never changes. A new one takes the place of
the one before in one transaction, which also removes the old one: readers that have begun keep it,
because PostgreSQL keeps rows for as long as a snapshot may see them.

`DDL` is the first format. A new hub gets the steps of `satchel.hub.migrations` right after it, so
columns and tables that came later, and the policies as they are now, are written there.

Row-level security is the second wall. A reader is a role of its own, and sees the rows of the
repositories that `grants` name for it; owners of the tables see everything.
"""

FORMAT_VERSION = 5
READERS = "satchel_readers"
"""The role that every reader is a member of: it may read tables, and policies say which rows."""

DDL = """
CREATE SCHEMA satchel;
SET LOCAL search_path = satchel;

-- COLLATE "C" orders by bytes, as SQLite does: a hub and a checkout list names in the same order.

-- 'format' and 'facts': see satchel.store.sqlite.schema for the second.
CREATE TABLE hub (key text PRIMARY KEY, value text NOT NULL);

-- What bytes say, whoever holds them: parsed, embedded and kept once.
CREATE TABLE contents (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest   text COLLATE "C" NOT NULL,   -- BLAKE2b-128 of the bytes, hex
    language text COLLATE "C" NOT NULL,
    facts    bytea NOT NULL,              -- as in the index of a checkout: compressed
    source   bytea NOT NULL,
    postings bytea NOT NULL,
    flows    bytea NOT NULL,
    grams    bytea NOT NULL,
    n_lines  integer NOT NULL,
    n_refs   integer NOT NULL,
    end_byte integer NOT NULL,            -- where the last chunk ends
    chunk_tests  bytea NOT NULL,          -- a byte a chunk: 1 where an inline marker makes it test
    symbol_tests bytea NOT NULL,          -- the same for symbols, without the module's own
    made_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (digest, language)
);
CREATE TABLE content_chunks (
    content_id bigint NOT NULL REFERENCES contents ON DELETE CASCADE,
    ordinal    integer NOT NULL,
    symbol     integer NOT NULL,          -- number of the symbol it belongs to, -1 for none
    kind       text COLLATE "C" NOT NULL,
    start_line integer NOT NULL, end_line integer NOT NULL,
    start_byte integer NOT NULL, end_byte integer NOT NULL,
    header     text COLLATE "C" NOT NULL,
    tokens     integer NOT NULL,
    is_test    boolean NOT NULL,
    PRIMARY KEY (content_id, ordinal)
);
CREATE TABLE content_symbols (
    content_id bigint NOT NULL REFERENCES contents ON DELETE CASCADE,
    ordinal    integer NOT NULL,
    name       text COLLATE "C" NOT NULL,
    qualified  text COLLATE "C" NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    line       integer NOT NULL,
    start_line integer NOT NULL, end_line integer NOT NULL,
    start_byte integer NOT NULL, end_byte integer NOT NULL,
    signature  text COLLATE "C" NOT NULL,
    doc        text COLLATE "C" NOT NULL,
    visibility text COLLATE "C" NOT NULL,
    parent     integer NOT NULL,          -- number of the enclosing symbol, -1 at top level
    is_test    boolean NOT NULL,
    PRIMARY KEY (content_id, ordinal)
);
CREATE INDEX content_symbols_name ON content_symbols (name, content_id);
CREATE TABLE content_refs (
    content_id bigint NOT NULL REFERENCES contents ON DELETE CASCADE,
    ordinal    integer NOT NULL,
    scope      integer NOT NULL,          -- number of the symbol that uses it, -1 at top level
    name       text COLLATE "C" NOT NULL,
    receiver   text COLLATE "C" NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    line       integer NOT NULL,
    PRIMARY KEY (content_id, ordinal)
);
CREATE INDEX content_refs_name ON content_refs (name, content_id);
CREATE TABLE content_problems (
    content_id bigint NOT NULL REFERENCES contents ON DELETE CASCADE,
    ordinal    integer NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    line       integer NOT NULL,
    detail     text COLLATE "C" NOT NULL,
    PRIMARY KEY (content_id, ordinal)
);
-- One matrix a content and encoder, float16 in chunk order, and its checksum.
CREATE TABLE content_vectors (
    content_id bigint NOT NULL REFERENCES contents ON DELETE CASCADE,
    encoder    text COLLATE "C" NOT NULL,
    vectors    bytea NOT NULL,
    checksum   bytea NOT NULL,
    PRIMARY KEY (content_id, encoder)
);

-- build_id is the build that readers see, NULL before the first; problem says why the last try to
-- build it failed, '' where it did not.
CREATE TABLE repositories (
    id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name     text COLLATE "C" NOT NULL UNIQUE,
    build_id bigint,
    tried_at timestamptz,
    problem  text NOT NULL DEFAULT ''
);
-- Where a repository is fetched from: apart, since readers need not know.
CREATE TABLE sources (
    repository_id integer PRIMARY KEY REFERENCES repositories ON DELETE CASCADE,
    source        text NOT NULL
);
CREATE TABLE builds (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository_id integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    generation    bigint NOT NULL,
    content_generation bigint NOT NULL,
    linked        boolean NOT NULL,
    head          text NOT NULL,
    tree          text NOT NULL,          -- digest of all paths, contents and what is left out
    n_files       integer NOT NULL,
    n_lines       bigint NOT NULL,
    n_chunks      integer NOT NULL,
    chunk_ids     bigint NOT NULL,        -- all ids of chunks are below this, those of symbols
    symbol_ids    bigint NOT NULL,        -- below that
    encoder       text COLLATE "C" NOT NULL,
    made_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX builds_repository ON builds (repository_id);
-- Each of the two tables refers to the other, so this comes when both are there.
ALTER TABLE repositories ADD FOREIGN KEY (build_id) REFERENCES builds;

-- Paths are bytes: what a file system calls a file need be no UTF-8.
CREATE TABLE files (
    build_id     bigint NOT NULL REFERENCES builds ON DELETE CASCADE,
    id           integer NOT NULL,
    path         bytea NOT NULL,
    content_id   bigint NOT NULL REFERENCES contents,
    size         bigint NOT NULL,
    is_test      boolean NOT NULL,
    first_chunk  bigint NOT NULL, n_chunks  integer NOT NULL,
    first_symbol bigint NOT NULL, n_symbols integer NOT NULL,
    PRIMARY KEY (build_id, id)
);
CREATE INDEX files_content ON files (content_id, build_id);
CREATE TABLE skipped (
    build_id bigint NOT NULL REFERENCES builds ON DELETE CASCADE,
    path     bytea NOT NULL, reason text NOT NULL, detail text NOT NULL,
    PRIMARY KEY (build_id, path)
);
CREATE TABLE edges (
    build_id   bigint NOT NULL REFERENCES builds ON DELETE CASCADE,
    source_id  bigint NOT NULL, target_id bigint NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    line       integer NOT NULL,
    rule       text COLLATE "C" NOT NULL,
    confidence double precision NOT NULL,
    PRIMARY KEY (build_id, source_id, target_id, kind)
);
CREATE INDEX edges_target ON edges (build_id, target_id);
-- n_chunks is how many chunks of the block hold the term: summed up, its document frequency.
CREATE TABLE postings (
    build_id bigint NOT NULL REFERENCES builds ON DELETE CASCADE,
    term     text COLLATE "C" NOT NULL,
    block    integer NOT NULL,
    n_chunks integer NOT NULL,
    entries  bytea NOT NULL,
    PRIMARY KEY (build_id, term, block)
);
CREATE INDEX postings_term ON postings (term, build_id) INCLUDE (n_chunks);
CREATE TABLE field_lengths (
    build_id bigint NOT NULL REFERENCES builds ON DELETE CASCADE,
    field    integer NOT NULL, total bigint NOT NULL,
    PRIMARY KEY (build_id, field)
);

-- These are compressed already. Said here, since PostgreSQL 15 does not take it above.
ALTER TABLE contents
    ALTER facts SET STORAGE EXTERNAL, ALTER source SET STORAGE EXTERNAL,
    ALTER postings SET STORAGE EXTERNAL, ALTER flows SET STORAGE EXTERNAL,
    ALTER grams SET STORAGE EXTERNAL;
ALTER TABLE content_vectors ALTER vectors SET STORAGE EXTERNAL;
ALTER TABLE postings ALTER entries SET STORAGE EXTERNAL;

-- Who may read what. A pattern is one of LIKE over names of repositories.
CREATE TABLE grants (
    person text COLLATE "C" NOT NULL, pattern text COLLATE "C" NOT NULL,
    PRIMARY KEY (person, pattern)
);
CREATE TABLE tokens (
    id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person     text COLLATE "C" NOT NULL,
    hash       bytea NOT NULL UNIQUE,     -- BLAKE2b-256; the token itself is shown once
    made_at    timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);
-- Who asked what of how many repositories; never the text of a question.
CREATE TABLE audit (
    at           timestamptz NOT NULL DEFAULT now(),
    person       text NOT NULL, tool text NOT NULL,
    repositories text[] NOT NULL,
    outcome      text NOT NULL
);
CREATE INDEX audit_at ON audit (at);

-- The repositories that whoever asks may read. It runs as its owner, who may read `grants`; the
-- caller is the role that was set, or the one that logged in.
CREATE FUNCTION readable() RETURNS SETOF integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = satchel, pg_temp AS $$
    SELECT DISTINCT r.id FROM repositories r JOIN grants g ON r.name LIKE g.pattern
    WHERE 'satchel_reader_' || g.person
        = coalesce(nullif(current_setting('role'), 'none'), session_user)
$$;
CREATE FUNCTION readable_builds() RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = satchel, pg_temp AS $$
    SELECT build_id FROM repositories
    WHERE build_id IS NOT NULL AND id IN (SELECT readable())
$$;

DO $$ DECLARE each text; BEGIN
    -- Roles are those of the whole server: the hub in another database may have made it.
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'satchel_readers') THEN
        CREATE ROLE satchel_readers NOLOGIN;
    END IF;
    GRANT USAGE ON SCHEMA satchel TO satchel_readers;
    GRANT SELECT ON hub, repositories TO satchel_readers;
    -- The first four get no policy: a reader sees none of their rows, whatever is granted later.
    FOREACH each IN ARRAY ARRAY['sources', 'grants', 'tokens', 'audit', 'hub', 'repositories'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', each);
    END LOOP;
    CREATE POLICY readers ON hub FOR SELECT TO satchel_readers USING (true);
    CREATE POLICY readers ON repositories FOR SELECT TO satchel_readers
        USING (id = ANY (ARRAY(SELECT readable())));
    FOREACH each IN ARRAY
        ARRAY['files', 'skipped', 'edges', 'postings', 'field_lengths', 'builds'] LOOP
        EXECUTE format('GRANT SELECT ON %I TO satchel_readers', each);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', each);
        EXECUTE format(
            'CREATE POLICY readers ON %I FOR SELECT TO satchel_readers'
            ' USING (%I = ANY (ARRAY(SELECT readable_builds())))',
            each, CASE each WHEN 'builds' THEN 'id' ELSE 'build_id' END);
    END LOOP;
    -- Contents have no owner: they can be read by whoever can read a file that holds them.
    FOREACH each IN ARRAY ARRAY['contents', 'content_chunks', 'content_symbols', 'content_refs',
                                'content_problems', 'content_vectors'] LOOP
        EXECUTE format('GRANT SELECT ON %I TO satchel_readers', each);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', each);
        EXECUTE format(
            'CREATE POLICY readers ON %1$I FOR SELECT TO satchel_readers'
            ' USING (EXISTS (SELECT 1 FROM files f WHERE f.content_id = %1$I.%2$I))',
            each, CASE each WHEN 'contents' THEN 'id' ELSE 'content_id' END);
    END LOOP;
END $$;
"""

"""What was added to a hub's tables since the first format: a step for each format that followed.

What is indexed could be built again, but grants, tokens and what a team knows could not: a hub of
an older format gets the steps that it lacks. A step is never changed once it was released.
"""

_TEAM = """
-- The hub's configuration: keys as `satchel.hub.settings` has them. Some values are secrets.
CREATE TABLE settings (key text COLLATE "C" PRIMARY KEY, value text NOT NULL);

-- When a webhook said that a repository has changed; NULL once it was synced since.
ALTER TABLE repositories ADD COLUMN wanted_at timestamptz;

-- What a token may ask: 0 for what the hub allows everybody.
ALTER TABLE tokens ADD COLUMN calls_a_minute integer NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN seconds integer NOT NULL DEFAULT 0;
-- How often a caller has asked in a minute; a caller is a token or a person of the sign-on.
CREATE TABLE calls (
    caller text COLLATE "C" NOT NULL, minute timestamptz NOT NULL, n integer NOT NULL,
    PRIMARY KEY (caller, minute)
);
-- The text of a question, NULL unless the hub is configured to keep it.
ALTER TABLE audit ADD COLUMN question text;

-- Packages that manifests of a build publish, and those that they need.
CREATE TABLE packages (
    build_id  bigint NOT NULL REFERENCES builds ON DELETE CASCADE,
    ecosystem text COLLATE "C" NOT NULL,
    name      text COLLATE "C" NOT NULL,
    is_needed boolean NOT NULL,           -- false: it is published here
    manifest  bytea NOT NULL,             -- its path
    PRIMARY KEY (build_id, ecosystem, name, is_needed, manifest)
);
CREATE INDEX packages_name ON packages (ecosystem, name, is_needed);

-- What a file held until a build replaced it; content_id NULL where it was not there.
CREATE TABLE replaced (
    repository_id integer NOT NULL REFERENCES repositories ON DELETE CASCADE,
    path          bytea NOT NULL,
    content_id    bigint REFERENCES contents ON DELETE CASCADE,
    is_test       boolean NOT NULL,
    until         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repository_id, path, until)
);
CREATE INDEX replaced_content ON replaced (content_id);

-- What a team knows. `line` is the item as an export writes it; `person` brought it here.
CREATE TABLE knowledge (
    id         text COLLATE "C" PRIMARY KEY,
    repository text COLLATE "C" NOT NULL, -- by name, which outlives it; '' for the whole team
    person     text COLLATE "C" NOT NULL,
    privacy    text COLLATE "C" NOT NULL CHECK (privacy IN ('public', 'team', 'private')),
    line       text NOT NULL
);
CREATE INDEX knowledge_repository ON knowledge (repository);
CREATE TABLE focus (
    person text COLLATE "C" NOT NULL, session text COLLATE "C" NOT NULL,
    query  text NOT NULL, intent text NOT NULL, scope text NOT NULL,
    at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (person, session)
);

-- Whoever asks, by the name that `grants` knows; '' for owners of the tables.
CREATE FUNCTION reader() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = satchel, pg_temp AS $$
    SELECT CASE WHEN role LIKE 'satchel\\_reader\\_%' THEN substr(role, 16) ELSE '' END
    FROM (SELECT coalesce(nullif(current_setting('role'), 'none'), session_user) AS role) AS caller
$$;
-- Whether whoever asks may read what is kept of a repository, which need not be there any more.
CREATE FUNCTION may_know(repository text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = satchel, pg_temp AS $$
    SELECT EXISTS (
        SELECT 1 FROM grants g WHERE g.person = reader()
        AND (repository = '' OR repository LIKE g.pattern)
    )
$$;

DO $$ DECLARE each text; BEGIN
    FOREACH each IN ARRAY ARRAY['settings', 'calls', 'packages', 'replaced', 'knowledge', 'focus']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', each);
    END LOOP;
    GRANT SELECT ON packages, replaced, knowledge, focus TO satchel_readers;
    GRANT INSERT ON knowledge, focus TO satchel_readers;
    -- Who wrote an item and what it is about stays.
    GRANT UPDATE (line, privacy) ON knowledge TO satchel_readers;
    GRANT UPDATE (query, intent, scope, at) ON focus TO satchel_readers;
    CREATE POLICY readers ON packages FOR SELECT TO satchel_readers
        USING (build_id = ANY (ARRAY(SELECT readable_builds())));
    CREATE POLICY readers ON replaced FOR SELECT TO satchel_readers
        USING (repository_id = ANY (ARRAY(SELECT readable())));
    CREATE POLICY readers ON knowledge FOR SELECT TO satchel_readers
        USING (may_know(repository) AND (privacy <> 'private' OR person = reader()));
    CREATE POLICY writers ON knowledge FOR INSERT TO satchel_readers
        WITH CHECK (may_know(repository) AND person = reader());
    CREATE POLICY changers ON knowledge FOR UPDATE TO satchel_readers
        USING (may_know(repository) AND (privacy <> 'private' OR person = reader()))
        WITH CHECK (may_know(repository) AND (privacy <> 'private' OR person = reader()));
    CREATE POLICY own ON focus TO satchel_readers
        USING (person = reader()) WITH CHECK (person = reader());
    -- A file may be gone from every tree and still be what a change is told from.
    CREATE POLICY past ON contents FOR SELECT TO satchel_readers
        USING (EXISTS (SELECT 1 FROM replaced p WHERE p.content_id = contents.id));
END $$;
-- Packages are read while a build is copied, so every build is made again.
UPDATE builds SET tree = '';
"""

_PLACES = """
-- What an item is about, as it is shown: its scope and what it links to. NULL for rows of before,
-- which every question reads until they are written again.
ALTER TABLE knowledge ADD COLUMN places text[] COLLATE "C";
CREATE INDEX knowledge_places ON knowledge USING gin (places);
GRANT UPDATE (places) ON knowledge TO satchel_readers;
"""

_NEAREST = """
-- Whether `place_vectors` has the vectors of all its files; that table is made where pgvector is
-- installed, by satchel.hub.nearest.
ALTER TABLE builds ADD COLUMN is_placed boolean NOT NULL DEFAULT false;
"""

# What a policy asks is asked with every query and of every row, so it may not grow with all that
# there is. An array of the builds that may be read was put in order again for each row; and an
# EXISTS that PostgreSQL may take out of its row was answered from the contents of every file of
# every one of these builds. A list is hashed once a query, and OFFSET keeps an EXISTS in its row,
# where an index answers it. A reader is looked up once, since functions are called for each row.
_WALLS = """
CREATE OR REPLACE FUNCTION readable() RETURNS SETOF integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = satchel, pg_temp AS $$
DECLARE
    who text := reader();
BEGIN
    RETURN QUERY SELECT r.id FROM repositories r
    WHERE EXISTS (SELECT 1 FROM grants g WHERE g.person = who AND r.name LIKE g.pattern);
END $$;
CREATE OR REPLACE FUNCTION readable_builds() RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = satchel, pg_temp AS $$
DECLARE
    who text := reader();
BEGIN
    RETURN QUERY SELECT r.build_id FROM repositories r WHERE r.build_id IS NOT NULL
    AND EXISTS (SELECT 1 FROM grants g WHERE g.person = who AND r.name LIKE g.pattern);
END $$;
DO $$ DECLARE each text; BEGIN
    ALTER POLICY readers ON repositories USING (id IN (SELECT readable()));
    ALTER POLICY readers ON replaced USING (repository_id IN (SELECT readable()));
    FOREACH each IN ARRAY ARRAY['files', 'skipped', 'edges', 'postings', 'field_lengths', 'builds',
                                'packages'] LOOP
        EXECUTE format('ALTER POLICY readers ON %I USING (%I IN (SELECT readable_builds()))',
            each, CASE each WHEN 'builds' THEN 'id' ELSE 'build_id' END);
    END LOOP;
    FOREACH each IN ARRAY ARRAY['contents', 'content_chunks', 'content_symbols', 'content_refs',
                                'content_problems', 'content_vectors'] LOOP
        EXECUTE format('ALTER POLICY readers ON %1$I USING'
            ' (EXISTS (SELECT 1 FROM files f WHERE f.content_id = %1$I.%2$I OFFSET 0))',
            each, CASE each WHEN 'contents' THEN 'id' ELSE 'content_id' END);
    END LOOP;
    ALTER POLICY past ON contents
        USING (EXISTS (SELECT 1 FROM replaced p WHERE p.content_id = contents.id OFFSET 0));
    -- Made by satchel.hub.nearest, where pgvector is installed.
    IF to_regclass('satchel.place_vectors') IS NOT NULL THEN
        ALTER POLICY readers ON place_vectors USING (EXISTS (SELECT 1 FROM files f WHERE
            f.content_id = place_vectors.content_id AND f.path = place_vectors.path OFFSET 0));
    END IF;
END $$;

-- The languages that a fifth of a build's lines or more are written in, by name: a question that
-- names one would add up the files of all repositories.
ALTER TABLE builds ADD COLUMN languages text[] COLLATE "C" NOT NULL DEFAULT '{}';
UPDATE builds b SET languages = ARRAY(
    SELECT c.language FROM files f JOIN contents c ON c.id = f.content_id WHERE f.build_id = b.id
    GROUP BY 1 HAVING sum(c.n_lines) > 0 AND sum(c.n_lines) * 5 >= b.n_lines ORDER BY 1
);
"""

STEPS = (_TEAM, _PLACES, _NEAREST, _WALLS)
"""Step n leads from format n + 1 to n + 2."""

"""An index that was made in a checkout, copied into the hub: contents first, then the build.

Contents are committed as they come: nobody sees them until a file names them, and a sync that is
killed leaves work that the next one need not do. The build is one transaction: readers see the
repository as it was, or as it is now.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import apsw
from msgspec import Struct

from satchel.hub import nearest
from satchel.hub.building.manifests import named_packages
from satchel.hub.database import Hub, Row, copy, rows, written
from satchel.store import codec, postings
from satchel.store.model import Digest, FileFacts
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.records import Analyzed
from satchel.store.sqlite.database import batches, select
from satchel.store.sqlite.rows import EDGE_COLUMNS, encode_path
from satchel.store.sqlite.schema import FACTS_VERSION

# Small enough that a sync that is killed loses seconds of copying.
_AT_ONCE = 200
"""Contents in one transaction: some MB."""
_KEYS = 5_000
"""Keys that one query looks up: all those of a large tree would make it many megabytes long."""
_LANGUAGE_PARTS = 5
"""A repository is written in a language that one of so many parts of its lines is in."""
Key = tuple[str, str]
"""Digest and language."""


class Published(Struct, frozen=True):
    """What copying a build did; `new_contents` counts what no repository had before.

    `changed` is false where the hub holds this very tree already.
    """

    changed: bool
    generation: int
    files: int
    lines: int
    contents: int
    new_contents: int


def publish(hub: Hub, index: apsw.Connection, repository: int, encoder: str) -> Published:
    """Make the hub's copy of a repository what `index` holds."""
    with SqliteSnapshot(index) as snapshot:
        tree = tree_digest(index)
        visible = rows(
            hub,
            "SELECT b.generation, b.tree, b.encoder FROM repositories r"
            " JOIN builds b ON b.id = r.build_id WHERE r.id = %s",
            (repository,),
        )
        counts = snapshot.files.counts()
        if visible and visible[0][1:] == (tree, encoder):
            return Published(False, visible[0][0], counts.files, counts.lines, 0, 0)
        keys = select(index, "SELECT DISTINCT digest, language FROM files ORDER BY 1, 2")
        # Asked once for all files: what is known is neither sent nor written again.
        there = ids_of_contents(hub, keys)
        missing = [key for key in keys if key not in there]
        added = 0
        for start in range(0, len(missing), _AT_ONCE):
            with hub.transaction():
                added += _add_contents(hub, index, missing[start : start + _AT_ONCE])
        # A worker that lost its scratch folder counts from one again, and readers must never see a
        # generation go back.
        generation = max(snapshot.generation, visible[0][0] + 1 if visible else 0)
        with hub.transaction():
            _add_vectors(hub, index, keys, encoder)
            # The build comes before its rows, which refer to it.
            made = _NewBuild(repository, generation, tree, encoder)
            build = _add_build(hub, index, snapshot, made)
            _copy_rows(hub, index, build, ids_of_contents(hub, keys))
            _copy_packages(hub, snapshot, build)
            _keep_replaced(hub, repository, build)
            nearest.place(hub, build, encoder)
            # From here on readers see it, as soon as all of this is committed.
            hub.execute("UPDATE repositories SET build_id = %s WHERE id = %s", (build, repository))
            hub.execute(
                "DELETE FROM builds WHERE repository_id = %s AND id <> %s", (repository, build)
            )
    return Published(True, generation, counts.files, counts.lines, len(keys), added)


def tree_digest(index: apsw.Connection) -> str:
    """A digest of every path with its content, of what is left out, and of how both are read."""
    # With the version of the facts: the same tree, read in another way, is another build.
    digest = blake2b(str(FACTS_VERSION).encode(), digest_size=16)
    for sql in (
        "SELECT path, digest, language FROM files ORDER BY path",
        "SELECT path, reason, detail FROM skipped ORDER BY path",
    ):
        for row in select(index, sql):
            digest.update(repr(row).encode())
    return digest.hexdigest()


def ids_of_contents(hub: Hub, keys: Sequence[Key]) -> dict[Key, int]:
    """The ids of those contents that the hub has."""
    found: dict[Key, int] = {}
    sql = (
        "SELECT c.digest, c.language, c.id FROM contents c"
        " JOIN unnest(%s::text[], %s::text[]) AS w(digest, language)"
        " ON w.digest = c.digest AND w.language = c.language"
    )
    for start in range(0, len(keys), _KEYS):
        digests, languages = zip(*keys[start : start + _KEYS], strict=True)
        for digest, language, number in rows(hub, sql, (list(digests), list(languages))):
            found[digest, language] = number
    return found


def contents_of(hub: Hub, digest: str, language: str) -> Analyzed | None:
    """What some bytes say, where the hub knows it."""
    sql = (
        "SELECT facts, postings, source, flows, grams FROM contents"
        " WHERE digest = %s AND language = %s"
    )
    found = rows(hub, sql, (digest, language))
    return Analyzed(Digest(digest), language, *map(bytes, found[0])) if found else None


def vectors_of(
    hub: Hub, keys: Sequence[Key], encoder: str
) -> Iterator[tuple[str, str, str, bytes]]:
    """(digest, language, encoder, packed vectors) of those contents that the hub has them of."""
    sql = (
        "SELECT c.digest, c.language, v.vectors FROM contents c"
        " JOIN unnest(%s::text[], %s::text[]) AS w(digest, language)"
        " ON w.digest = c.digest AND w.language = c.language"
        " JOIN content_vectors v ON v.content_id = c.id AND v.encoder = %s"
    )
    for batch in batches(keys):
        digests, languages = zip(*batch, strict=True)
        for digest, language, packed in rows(hub, sql, (list(digests), list(languages), encoder)):
            yield digest, language, encoder, bytes(packed)


def _add_contents(hub: Hub, index: apsw.Connection, keys: Sequence[Key]) -> int:
    """Add contents unless another sync has added them; returns how many were added here."""
    sql = (
        "SELECT c.facts, c.source, c.postings, c.flows, coalesce(g.signature, x'')"
        " FROM contents c LEFT JOIN grams g USING (digest, language)"
        " WHERE c.digest = ? AND c.language = ?"
    )
    made: list[tuple[object, ...]] = []
    facts: dict[Key, FileFacts] = {}
    for key in keys:
        packed, *others = select(index, sql, key)[0]
        read = facts[key] = codec.decode_facts(packed)
        # Where the module symbol of each file ends, which is no row of its own.
        end = read.chunks[-1].span.end_byte if read.chunks else 0
        made.append(
            (
                *key, packed, *others, read.n_lines, len(read.references), end,
                bytes(chunk.is_test for chunk in read.chunks),
                bytes(symbol.is_test for symbol in read.symbols),
            )
        )  # fmt: skip
    # In the order of their digests, so that two syncs never wait for each other in a circle. What
    # the other one adds is complete when it commits.
    returned = rows(
        hub,
        "INSERT INTO contents (digest, language, facts, source, postings, flows, grams, n_lines,"
        " n_refs, end_byte, chunk_tests, symbol_tests) SELECT * FROM unnest(%s::text[], %s::text[],"
        " %s::bytea[], %s::bytea[], %s::bytea[], %s::bytea[], %s::bytea[], %s::integer[],"
        " %s::integer[], %s::integer[], %s::bytea[], %s::bytea[]) AS w(digest, language, a, b, c,"
        " d, e, f, g, h, i, j) ORDER BY digest, language ON CONFLICT DO NOTHING"
        " RETURNING digest, language, id",
        [list(column) for column in zip(*made, strict=True)],
    )
    ids = {(digest, language): number for digest, language, number in returned}
    _copy_facts(hub, [(ids[key], facts[key]) for key in keys if key in ids])
    return len(ids)


def _copy_facts(hub: Hub, made: Sequence[tuple[int, FileFacts]]) -> None:
    """The rows of contents that are new."""
    # Binary COPY converts nothing, so the types of all columns are named.
    number = ("int8", "int4")
    lines = ("int4",) * 4
    copy(
        hub, "content_chunks", (*number, "int4", "text", *lines, "text", "int4", "bool"),
        (
            (i, n, c.symbol, str(c.kind), c.span.start_line, c.span.end_line, c.span.start_byte,
             c.span.end_byte, written(c.header), c.tokens, c.is_test)
            for i, facts in made for n, c in enumerate(facts.chunks)
        ),
    )  # fmt: skip
    copy(
        hub, "content_symbols",
        (*number, "text", "text", "text", "int4", *lines, "text", "text", "text", "int4", "bool"),
        (
            (i, n, written(s.name), written(s.qualified_name), str(s.kind), s.line,
             s.span.start_line, s.span.end_line, s.span.start_byte, s.span.end_byte,
             written(s.signature), written(s.doc), str(s.visibility), s.parent, s.is_test)
            for i, facts in made for n, s in enumerate(facts.symbols)
        ),
    )  # fmt: skip
    copy(
        hub, "content_refs", (*number, "int4", "text", "text", "text", "int4"),
        (
            (i, n, r.scope, written(r.name), written(r.receiver), str(r.kind), r.line)
            for i, facts in made for n, r in enumerate(facts.references)
        ),
    )  # fmt: skip
    copy(
        hub, "content_problems", (*number, "text", "int4", "text"),
        (
            (i, n, str(p.kind), p.line, written(p.detail))
            for i, facts in made for n, p in enumerate(facts.problems)
        ),
    )  # fmt: skip


def _add_vectors(hub: Hub, index: apsw.Connection, keys: Sequence[Key], encoder: str) -> None:
    """Add the vectors that the hub does not have yet."""
    # Vectors of the same bytes by the same encoder are equal whoever made them.
    encoded = {key[:2] for key in vectors_of(hub, keys, encoder)}
    ids = ids_of_contents(hub, keys)
    sql = "SELECT vectors, seal FROM vectors WHERE digest = ? AND language = ? AND encoder = ?"
    made = [
        (ids[key], encoder, *row)
        for key in keys
        if key not in encoded
        for row in select(index, sql, (*key, encoder))
    ]
    if made:
        columns = [list(column) for column in zip(*made, strict=True)]
        hub.execute(
            "INSERT INTO content_vectors SELECT * FROM unnest(%s::bigint[], %s::text[],"
            " %s::bytea[], %s::bytea[]) AS w(a, b, c, d) ORDER BY a ON CONFLICT DO NOTHING",
            columns,
        )


class _NewBuild(NamedTuple):
    """What a build is called, and what made its vectors."""

    repository: int
    generation: int
    tree: str
    encoder: str


def _add_build(hub: Hub, index: apsw.Connection, snapshot: SqliteSnapshot, made: _NewBuild) -> int:
    # The bounds of the ids tell readers of several builds by how much to shift them.
    chunk_ids, symbol_ids, n_chunks, n_lines, n_files = select(
        index,
        "SELECT coalesce(max(first_chunk + n_chunks), 0), coalesce(max(first_symbol + n_symbols),"
        " 1), coalesce(sum(n_chunks), 0), coalesce(sum(n_lines), 0), count(*) FROM files",
    )[0]
    return int(
        rows(
            hub,
            "INSERT INTO builds (repository_id, generation, content_generation, linked, head, tree,"
            " n_files, n_lines, n_chunks, chunk_ids, symbol_ids, encoder, languages) VALUES (%s,"
            " %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::text[]) RETURNING id",
            (
                made.repository, made.generation, made.generation, snapshot.linked, snapshot.head,
                made.tree, n_files, n_lines, n_chunks, chunk_ids, symbol_ids, made.encoder,
                _languages(index, n_lines),
            ),
        )[0][0]
    )  # fmt: skip


def _languages(index: apsw.Connection, n_lines: int) -> list[str]:
    """The languages that enough of the lines are written in to say so of the repository."""
    found = select(index, "SELECT language, sum(n_lines) FROM files GROUP BY 1 ORDER BY 1")
    return [name for name, lines in found if lines and lines * _LANGUAGE_PARTS >= n_lines]


def _copy_rows(hub: Hub, index: apsw.Connection, build: int, ids: dict[Key, int]) -> None:
    """The rows of a build."""

    def read(sql: str) -> Iterable[Row]:
        return index.execute(sql)

    copy(
        hub, "files",
        ("int8", "int4", "bytea", "int8", "int8", "bool", "int8", "int4", "int8", "int4"),
        (
            (build, number, path, ids[digest, language], size, bool(is_test), *places)
            for number, path, digest, language, size, is_test, *places in read(
                "SELECT id, path, digest, language, size, is_test, first_chunk, n_chunks,"
                " first_symbol, n_symbols FROM files"
            )
        ),
    )  # fmt: skip
    skipped = read("SELECT path, reason, detail FROM skipped")
    copy(
        hub, "skipped", ("int8", "bytea", "text", "text"),
        ((build, path, reason, written(detail)) for path, reason, detail in skipped),
    )  # fmt: skip
    # Edges keep the ids of the index that the worker made, so that ties fall as they do there.
    edges = read(f"SELECT {EDGE_COLUMNS} FROM edges")
    of_edge = ("int8", "int8", "int8", "text", "int4", "text", "float8")
    copy(hub, "edges", of_edge, ((build, *row) for row in edges))
    stored = read("SELECT term, block, entries FROM postings")
    copy(
        hub, "postings", ("int8", "text", "int4", "int4", "bytea"),
        (
            (build, written(term), block, postings.n_chunks_in(packed), packed)
            for term, block, packed in stored
        ),
    )  # fmt: skip
    lengths = read("SELECT field, total FROM field_lengths")
    copy(hub, "field_lengths", ("int8", "int4", "int8"), ((build, *row) for row in lengths))


def _copy_packages(hub: Hub, snapshot: SqliteSnapshot, build: int) -> None:
    """What the manifests of a build publish and need."""
    copy(
        hub, "packages", ("int8", "text", "text", "bool", "bytea"),
        (
            (build, each.ecosystem, written(each.name), each.is_needed, encode_path(each.manifest))
            for each in named_packages(snapshot)
        ),
    )  # fmt: skip


def _keep_replaced(hub: Hub, repository: int, build: int) -> None:
    """Note what the files held that differ from the build before, so that changes can be told."""
    hub.execute(
        "INSERT INTO replaced (repository_id, path, content_id, is_test)"
        " SELECT %(repository)s, coalesce(old.path, new.path), old.content_id,"
        " coalesce(old.is_test, new.is_test)"
        " FROM (SELECT f.* FROM files f JOIN repositories r ON r.build_id = f.build_id"
        " WHERE r.id = %(repository)s) AS old"
        " FULL JOIN (SELECT * FROM files WHERE build_id = %(build)s) AS new USING (path)"
        " WHERE old.content_id IS DISTINCT FROM new.content_id"
        # Before the first build there was nothing to change from.
        " AND EXISTS (SELECT 1 FROM repositories WHERE id = %(repository)s"
        " AND build_id IS NOT NULL)",
        {"repository": repository, "build": build},
    )

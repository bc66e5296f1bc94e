"""Checks the data of a hub: in PostgreSQL, and what it stores by content.

A check yields what is wrong as lines; none changes anything. Damage is mended by `hub sync` after
`hub remove`, or by the backup; what is open to the wrong people by whoever runs the hub.
"""

from collections.abc import Callable, Iterator
from hashlib import blake2b

from msgspec import Struct
from psycopg import sql

from satchel.hub.database import Hub, Row, rows
from satchel.store import codec
from satchel.store.errors import CorruptIndex, SatchelError
from satchel.store.reading.read_files import checked_source
from satchel.store.sqlite.vectors import checksum

_SHOWN = 20
"""Rows that one check names; how many there are it says always."""
_BATCH = 500


class Check(Struct, frozen=True):
    """`promise` is what holds where nothing is found; `deep` ones read every stored byte."""

    name: str
    promise: str
    find: Callable[[Hub], Iterator[str]]
    deep: bool = False
    is_damage: bool = True
    """Whether a finding means that answers may be wrong."""


class Checked(Struct, frozen=True):
    """A check that was made: its first findings, and how many there are."""

    check: Check
    findings: tuple[str, ...]
    n_found: int


def validate(hub: Hub, *, deep: bool) -> Iterator[Checked]:
    """Make every check, in order, all of one moment where the caller holds a transaction."""
    for check in CHECKS:
        if check.deep and not deep:
            continue
        # Findings are counted to the end but not kept: damage may be in every row.
        found: list[str] = []
        n_found = 0
        for n_found, line in enumerate(check.find(hub), 1):
            if n_found <= _SHOWN:
                found.append(line)
        yield Checked(check, tuple(found), n_found)


def _text_rows(query: str) -> Callable[[Hub], Iterator[str]]:
    """What a query that gives one text a row finds."""
    return lambda hub: (str(row[0]) for row in rows(hub, query))


_FAILED = "SELECT name || ': ' || problem FROM repositories WHERE problem <> '' ORDER BY name"
_ONE_BUILD = (
    "SELECT r.name || ' has ' || count(b.id) || ' builds' FROM repositories r"
    " JOIN builds b ON b.repository_id = r.id GROUP BY r.id, r.name, r.build_id"
    " HAVING count(*) FILTER (WHERE b.id = r.build_id) <> 1 OR count(*) > 1 ORDER BY 1"
)
_COUNTS = (
    "SELECT r.name || ' says ' || b.n_files || ' files, ' || b.n_chunks || ' chunks and holds '"
    " || count(f.id) || ', ' || coalesce(sum(f.n_chunks), 0)"
    " FROM repositories r JOIN builds b ON b.id = r.build_id LEFT JOIN files f ON f.build_id = b.id"
    " GROUP BY r.name, b.id HAVING count(f.id) <> b.n_files"
    " OR coalesce(sum(f.n_chunks), 0) <> b.n_chunks"
    " OR coalesce(max(f.first_chunk + f.n_chunks), 0) > b.chunk_ids"
    " OR coalesce(max(f.first_symbol + f.n_symbols), 0) > b.symbol_ids ORDER BY 1"
)
# A file has one symbol more than its content: the module, which is named after the path.
_ROWS = (
    "SELECT 'content ' || c.digest || ' (' || c.language || ') has ' || coalesce(k.n, 0)"
    " || ' chunks and ' || coalesce(s.n, 0) || ' symbols in its rows' FROM contents c"
    " LEFT JOIN (SELECT content_id, count(*) AS n FROM content_chunks GROUP BY 1) k"
    " ON k.content_id = c.id"
    " LEFT JOIN (SELECT content_id, count(*) AS n FROM content_symbols GROUP BY 1) s"
    " ON s.content_id = c.id"
    " WHERE coalesce(k.n, 0) <> length(c.chunk_tests)"
    " OR coalesce(s.n, 0) <> length(c.symbol_tests) ORDER BY c.id"
)
_EDGES = (
    "SELECT r.name || ': ' || count(*) || ' edges lead outside of its symbols'"
    " FROM repositories r JOIN builds b ON b.id = r.build_id JOIN edges e ON e.build_id = b.id"
    " WHERE least(e.source_id, e.target_id) < 0 OR greatest(e.source_id, e.target_id)"
    " >= b.symbol_ids OR e.confidence NOT BETWEEN 0 AND 1 GROUP BY r.name ORDER BY 1"
)
_LENGTHS = (
    "SELECT r.name || ' has no lengths of its fields' FROM repositories r JOIN builds b"
    " ON b.id = r.build_id WHERE b.n_chunks > 0"
    " AND NOT EXISTS (SELECT 1 FROM field_lengths l WHERE l.build_id = b.id) ORDER BY 1"
)
_WALLS = (
    "SELECT 'table ' || c.relname || ' has no row-level security' FROM pg_class c"
    " WHERE c.relnamespace = 'satchel'::regnamespace AND c.relkind IN ('r', 'p')"
    " AND NOT c.relrowsecurity ORDER BY 1"
)
# A role that may bypass policies, or that others may log in to with a password, is no reader.
_ROLES = (
    "SELECT 'role ' || rolname || ' may more than read' FROM pg_roles"
    " WHERE rolname LIKE 'satchel\\_reader%%' AND (rolsuper OR rolbypassrls OR rolcreaterole"
    " OR rolcreatedb) ORDER BY 1"
)
# A dump brings what somebody else made along, which would act with the rights of who reads.
_ACTORS = (
    "SELECT 'a ' || kind || ' that is none of Satchel: ' || name FROM ("
    " SELECT 'trigger' AS kind, t.tgname::text AS name, c.relnamespace AS place FROM pg_trigger t"
    " JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal"
    " UNION ALL SELECT 'rule', r.rulename::text, c.relnamespace FROM pg_rewrite r"
    " JOIN pg_class c ON c.oid = r.ev_class"
    " UNION ALL SELECT 'function', p.proname::text, p.pronamespace FROM pg_proc p"
    " WHERE p.proname NOT IN ('readable', 'readable_builds', 'reader', 'may_know')"
    " UNION ALL SELECT 'policy', p.polname || ' of ' || c.relname, c.relnamespace FROM pg_policy p"
    " JOIN pg_class c ON c.oid = p.polrelid"
    " WHERE p.polname NOT IN ('readers', 'writers', 'changers', 'own', 'past')"
    ") found WHERE place = 'satchel'::regnamespace ORDER BY 1"
)


def _stored_text(hub: Hub) -> Iterator[str]:
    """Contents whose text is not what their digest says, or whose facts cannot be read."""
    stored = (
        "SELECT id, digest, language, source, facts, length(chunk_tests) FROM contents ORDER BY id"
    )
    for number, digest, language, source, facts, n_chunks in _streamed(hub, stored):
        named = f"content {digest} ({language})"
        try:
            checked_source(bytes(source), digest, "")
            if len(codec.decode_facts(bytes(facts)).chunks) != n_chunks:
                yield f"{named}: its facts tell of other chunks"
        except CorruptIndex as error:
            yield f"{named}: {error.message}"
        # Damaged bytes fail in as many ways as there are codecs on the way.
        except (SatchelError, codec.Damaged, ValueError) as error:
            yield f"{named}, row {number}: {type(error).__name__}"


def _vectors(hub: Hub) -> Iterator[str]:
    """Vectors whose bytes are not those that were sealed."""
    kept = (
        "SELECT c.digest, c.language, v.encoder, v.vectors, v.checksum FROM content_vectors v"
        " JOIN contents c ON c.id = v.content_id ORDER BY c.id, v.encoder"
    )
    for digest, language, encoder, packed, seal in _streamed(hub, kept):
        if checksum(digest, language, encoder, bytes(packed)) != bytes(seal):
            yield f"vectors of content {digest} by {encoder}: other bytes than were sealed"


def _streamed(hub: Hub, query: str) -> Iterator[Row]:
    """Rows of a query as they come, since all of them may be more than memory holds."""
    with hub.cursor(binary=True) as cursor:
        yield from cursor.stream(query.encode(), size=_BATCH)


CHECKS = (
    Check("repositories", "the last try to build each repository succeeded", _text_rows(_FAILED),
          is_damage=False),
    Check("builds", "each repository has the one build that readers see", _text_rows(_ONE_BUILD)),
    Check("files", "builds hold the files and chunks that they say", _text_rows(_COUNTS)),
    Check("contents", "contents have the rows of their chunks and symbols", _text_rows(_ROWS)),
    Check("edges", "edges lie between symbols of their build", _text_rows(_EDGES)),
    Check("terms", "builds have what ranking divides by", _text_rows(_LENGTHS)),
    Check("walls", "every table has row-level security", _text_rows(_WALLS)),
    Check("actors", "nothing acts on its tables but what Satchel made", _text_rows(_ACTORS)),
    Check("roles", "roles of readers may nothing but read", _text_rows(_ROLES)),
    Check("text", "stored text and facts are those of their digest", _stored_text, deep=True),
    Check("vectors", "vectors are the bytes that were sealed", _vectors, deep=True),
)  # fmt: skip


def fingerprint(hub: Hub) -> dict[str, tuple[int, str]]:
    """Rows and a checksum of every table, by its name; the order of rows does not count.

    Two hubs with equal ones hold the same: what a restored backup is compared by.
    """
    named = (
        "SELECT relname FROM pg_class WHERE relnamespace = 'satchel'::regnamespace"
        " AND relkind IN ('r', 'p') ORDER BY 1"
    )
    found: dict[str, tuple[int, str]] = {}
    for (table,) in rows(hub, named):
        # The sum of hashes of whole rows: equal rows in another order have the same.
        n_rows, total = rows(
            hub,
            "SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text"
            f" FROM {sql.Identifier(table).as_string(hub)} t",
        )[0]
        found[table] = (n_rows, blake2b(str(total).encode(), digest_size=8).hexdigest())
    return found

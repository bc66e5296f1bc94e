"""Who may read which repositories: grants, roles of PostgreSQL, and tokens.

A person's rights are rows of `grants`; the policies of the schema hold every table against them for
the role that is the person's. A token stands for a person until it expires or is revoked; the hub
keeps a hash of it alone.
"""

import re
import secrets
from hashlib import blake2b

from msgspec import Struct
from psycopg import sql

from satchel.hub import settings
from satchel.hub.database import Hub, rows
from satchel.hub.schema import READERS
from satchel.store.errors import SatchelError, UsageError

_PERSON = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_ROLE = "satchel_reader_"
_PREFIX = "satchel-"
MAX_DAYS = 366


class Grant(Struct, frozen=True):
    """A person may read the repositories whose names match a glob."""

    person: str
    glob: str


class Caller(Struct, frozen=True):
    """Who asks: a person, and by what they are known; limits of 0 are those of the hub."""

    person: str
    key: str
    calls_a_minute: int = 0
    seconds: int = 0


class OverQuota(SatchelError):
    """A caller has asked as often as is allowed in a minute."""


def role_of(person: str) -> str:
    """The role of PostgreSQL that reads for a person.

    Raises:
        UsageError: no person can be called so.
    """
    if not _PERSON.fullmatch(person):
        hint = "use a-z, 0-9, '.', '_' and '-', at most 40 of them"
        raise UsageError(f"{person!r} cannot be the name of a person or machine", hint)
    return _ROLE + person


def grant(hub: Hub, person: str, glob: str) -> None:
    """Let a person read the repositories that a glob of `*` and `?` names, later ones too.

    Raises:
        UsageError: the name or the glob cannot be used.
    """
    role, pattern = role_of(person), _pattern(glob)
    with hub.transaction():
        if not rows(hub, "SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)):
            name = sql.Identifier(role)
            hub.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(name))
            # Whoever makes a role may not take it by that alone, from PostgreSQL 16 on.
            hub.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(name))
        member = sql.SQL("GRANT {} TO {}").format(sql.Identifier(READERS), sql.Identifier(role))
        hub.execute(member)
        hub.execute("INSERT INTO grants VALUES (%s, %s) ON CONFLICT DO NOTHING", (person, pattern))


def revoke(hub: Hub, person: str, glob: str = "") -> tuple[int, int]:
    """Take back one grant, or with no glob all of them and every token.

    Returns how many grants and how many tokens that were.

    Raises:
        UsageError: the name or the glob cannot be used.
    """
    role_of(person)
    with hub.transaction():
        if glob:
            values = (person, _pattern(glob))
            gone = hub.execute("DELETE FROM grants WHERE person = %s AND pattern = %s", values)
            return gone.rowcount, 0
        # The role stays: it reads nothing without grants, and may own nothing that would have to
        # go.
        gone = hub.execute("DELETE FROM grants WHERE person = %s", (person,))
        ended = hub.execute(
            "UPDATE tokens SET revoked_at = now() WHERE person = %s AND revoked_at IS NULL",
            (person,),
        )
        return gone.rowcount, ended.rowcount


def grants(hub: Hub) -> list[Grant]:
    """Every grant, by person and glob."""
    granted = rows(hub, "SELECT person, pattern FROM grants ORDER BY 1, 2")
    return [Grant(person, _glob(pattern)) for person, pattern in granted]


def new_token(
    hub: Hub, person: str, days: int, *, calls_a_minute: int = 0, seconds: int = 0
) -> str:
    """A token that stands for a person for so many days; it is kept nowhere else.

    Its limits are calls in a minute and seconds of a query, 0 for those of the hub.

    Raises:
        UsageError: the person was granted nothing, or a number is out of bounds.
    """
    role_of(person)
    for name, given, low, high in (
        ("--days", days, 1, MAX_DAYS),
        ("--calls-a-minute", calls_a_minute, 0, settings.MAX_CALLS),
        ("--seconds", seconds, 0, settings.MAX_SECONDS),
    ):
        if not low <= given <= high:
            raise UsageError(f"{name} is {given:,}, must be {low} to {high:,}")
    if not rows(hub, "SELECT 1 FROM grants WHERE person = %s LIMIT 1", (person,)):
        raise UsageError(f"{person} may read nothing", "run `satchel hub grant` first")
    # The prefix lets scanners of secrets recognise one that was committed by accident.
    token = _PREFIX + secrets.token_urlsafe(32)
    hub.execute(
        "INSERT INTO tokens (person, hash, expires_at, calls_a_minute, seconds)"
        " VALUES (%s, %s, now() + make_interval(days => %s), %s, %s)",
        (person, _hash(token), days, calls_a_minute, seconds),
    )
    return token


def caller_of(hub: Hub, token: str) -> Caller | None:
    """Whom a token stands for now; None where it is unknown, expired or revoked."""
    found = rows(
        hub,
        "SELECT person, 'token ' || id, calls_a_minute, seconds FROM tokens"
        " WHERE hash = %s AND revoked_at IS NULL AND expires_at > now()",
        (_hash(token),),
    )
    return Caller(*found[0]) if found else None


def admit(hub: Hub, caller: Caller) -> None:
    """Count a call, and bound how long its queries may take.

    Raises:
        OverQuota: the caller has made as many in this minute as are allowed.
    """
    in_force = settings.values(hub)
    seconds = caller.seconds or int(in_force["limits.seconds"])
    allowed = caller.calls_a_minute or int(in_force["limits.calls_a_minute"])
    n_calls, left = rows(
        hub,
        "INSERT INTO calls VALUES (%s, date_trunc('minute', now()), 1)"
        " ON CONFLICT (caller, minute) DO UPDATE SET n = calls.n + 1"
        " RETURNING n, ceil(60 - date_part('second', now()))::integer",
        (caller.key,),
    )[0]
    # Counted before it is refused, so that asking in a circle does not become free.
    if n_calls > allowed:
        raise OverQuota(f"{allowed} calls a minute are allowed", f"ask again in {left} seconds")
    # By this name `cancel` finds the queries of a person.
    hub.execute("SELECT set_config('application_name', %s, false)", (role_of(caller.person),))
    hub.execute(f"SET statement_timeout = '{seconds}s'")


def cancel(hub: Hub, person: str) -> int:
    """End the queries that run for a person; returns how many."""
    sql = (
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = %s"
        " AND datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()"
    )
    return len(rows(hub, sql, (role_of(person),)))


def note(
    hub: Hub,
    person: str,
    tool: str,
    repositories: tuple[str, ...],
    outcome: str,
    question: str = "",
) -> None:
    """A row of the audit log: who asked which tool of what, and the question if configured."""
    kept = question if settings.value(hub, "audit.text") == "yes" else None
    hub.execute(
        "INSERT INTO audit (person, tool, repositories, outcome, question)"
        " VALUES (%s, %s, %s, %s, %s)",
        (person, tool, list(repositories), outcome, kept),
    )


def _hash(token: str) -> bytes:
    # Tokens are random and long, so that nothing is gained by a slow hash.
    return blake2b(token.encode("utf-8", "surrogatepass"), digest_size=32).digest()


def _pattern(glob: str) -> str:
    """A glob as a pattern of LIKE."""
    if not glob or "[" in glob or len(glob) > 200:
        raise UsageError(f"{glob!r} is no glob for repositories", "use names with `*` and `?`")
    # LIKE has wildcards of its own, which a name may hold as plain characters.
    escaped = re.sub(r"([\\%_])", r"\\\1", glob)
    return escaped.replace("*", "%").replace("?", "_")


def _glob(pattern: str) -> str:
    """The glob that a `_pattern` was made of."""

    def back(match: re.Match[str]) -> str:
        found = match.group()
        return found[1] if len(found) == 2 else {"%": "*", "_": "?"}[found]

    return re.sub(r"\\.|[%_]", back, pattern)

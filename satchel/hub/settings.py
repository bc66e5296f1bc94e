"""A hub's own configuration: rows of its database, which every server of it reads.

Secrets are among the values; readers of the hub see none of this table.
"""

from collections.abc import Callable

from msgspec import Struct

from satchel.hub.database import Hub, rows
from satchel.store.errors import UsageError

_MAX = 2_000
_LEAST_SECRET = 16
MAX_CALLS, MAX_SECONDS = 100_000, 3_600


class Key(Struct, frozen=True):
    """A key: what it means, its default, what refuses a value, and whether it is a secret."""

    about: str
    default: str = ""
    problem: Callable[[str], str] = lambda _value: ""
    is_secret: bool = False


def _https(value: str) -> str:
    local = ("http://127.0.0.1:", "http://localhost:")
    return "" if value.startswith(("https://", *local)) else "give an https:// address"


def _choice(*choices: str) -> Callable[[str], str]:
    return lambda value: "" if value in choices else f"use {' or '.join(choices)}"


def _in_range(low: int, high: int) -> Callable[[str], str]:
    wanted = f"give a whole number of {low} to {high:,}"
    return lambda v: "" if v.isascii() and v.isdigit() and low <= int(v) <= high else wanted


_TOO_SHORT = f"use at least {_LEAST_SECRET} characters"
KEYS = {
    "webhook.secret": Key(
        "what GitHub signs webhooks with, and GitLab sends as its token; none are taken without it",
        problem=lambda v: "" if len(v) >= _LEAST_SECRET else _TOO_SHORT, is_secret=True,
    ),
    "oidc.issuer": Key("whose sign-on tokens are taken as bearer tokens", problem=_https),
    "oidc.audience": Key("the audience that they must be made for"),
    "oidc.keys": Key("where the issuer's keys are; without it where its discovery says",
                     problem=_https),
    "oidc.claim": Key("the claim that holds the person's name", "preferred_username"),
    "audit.text": Key("whether the audit log keeps what was asked", "no", _choice("yes", "no")),
    "limits.calls_a_minute": Key("calls of one token in a minute", "120", _in_range(1, MAX_CALLS)),
    "limits.seconds": Key("seconds that a query may take", "60", _in_range(1, MAX_SECONDS)),
}  # fmt: skip


def value(hub: Hub, key: str) -> str:
    """The value of a key, its default where nobody has set it."""
    found = rows(hub, "SELECT value FROM settings WHERE key = %s", (key,))
    return str(found[0][0]) if found else KEYS[key].default


def values(hub: Hub) -> dict[str, str]:
    """The value of every key, in their order."""
    stored: dict[str, str] = dict(rows(hub, "SELECT key, value FROM settings"))
    return {name: stored.get(name, key.default) for name, key in KEYS.items()}


def put(hub: Hub, name: str, given: str) -> None:
    """Set a key; "" brings its default back.

    Raises:
        UsageError: there is no such key, or it cannot have this value.
    """
    key = KEYS.get(name)
    if key is None:
        raise UsageError(f"there is no key {name!r}", f"known: {', '.join(KEYS)}")
    # The row goes, so that a default which a later version changes holds again.
    if not given:
        hub.execute("DELETE FROM settings WHERE key = %s", (name,))
        return
    problem = key.problem(given) if len(given) <= _MAX else f"at most {_MAX} characters"
    if problem or "\0" in given:
        raise UsageError(f"{name} cannot have this value", problem or "leave NUL out")
    hub.execute(
        "INSERT INTO settings VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = %s",
        (name, given, given),
    )

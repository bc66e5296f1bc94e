"""Identifies who sends a request, by a token of the hub or of single sign-on (OpenID Connect).

Issuer and audience come from the hub's configuration alone. PyJWT verifies; the issuer's keys are
fetched from where its discovery document says, and kept for a while. Nothing in a token says where
keys come from.
"""

import threading
import time
from collections.abc import Mapping

import jwt
import msgspec
from msgspec import Struct, field

from satchel.hub import access, settings
from satchel.hub.access import Caller
from satchel.hub.database import Hub
from satchel.store.errors import UsageError
from satchel.workspace import http_client

ALGORITHMS = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "EC": ("ES256", "ES384"),
    "OKP": ("EdDSA",),
}
"""By type of key. Those with a public key alone: a secret that is shared with the issuer would let
every server make tokens."""
_LEEWAY_S = 30
_PATIENCE_S = 10.0
_KEPT_S = 600.0
_LEAST_PAUSE_S = 30.0
"""Seconds between two fetches, so that tokens with invented keys do not cause one each."""
_MAX_BYTES = 1 << 20
_MAX_TOKEN = 16_384
# What a library raises for a signature that its key cannot even be tried on.
_BROKEN = (ValueError, TypeError)


class _Discovery(msgspec.Struct):
    issuer: str
    jwks_uri: str


class _KeySet(msgspec.Struct):
    keys: list[dict[str, object]]


class _Key(Struct, frozen=True):
    """A public key, and the algorithms of signatures that it is for."""

    key: jwt.PyJWK
    algorithms: tuple[str, ...]


class SignOn(Struct):
    """Verifies bearer tokens; keeps the keys of one issuer between requests."""

    _keys: dict[str, _Key] = field(default_factory=dict)
    _from: str = ""
    _at: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def caller(self, hub: Hub, bearer: str) -> Caller | None:
        """The person that a bearer token identifies; None if it is not valid."""
        known = access.caller_of(hub, bearer)
        # A token of the hub has no dot, a JSON Web Token has two.
        if known is not None or bearer.count(".") != 2 or len(bearer) > _MAX_TOKEN:
            return known
        in_force = settings.values(hub)
        if not (in_force["oidc.issuer"] and in_force["oidc.audience"]):
            return None
        try:
            person = self._verified(bearer, in_force)
            access.role_of(person)  # nobody can be called anything else
        except (jwt.PyJWTError, msgspec.MsgspecError, *http_client.Failure, *_BROKEN, UsageError):
            return None
        return Caller(person, f"oidc {person}")

    def _verified(self, bearer: str, in_force: Mapping[str, str]) -> str:
        header = jwt.get_unverified_header(bearer)
        found = self._key(str(header.get("kid", "")), in_force)
        claims = jwt.decode(
            bearer,
            # The bare key, since PyJWT takes one that names no algorithm for RS256 alone.
            found.key.key,
            algorithms=list(found.algorithms),
            audience=in_force["oidc.audience"],
            issuer=in_force["oidc.issuer"],
            leeway=_LEEWAY_S,
            options={"require": ["exp", "iss", "aud"]},
        )
        person = claims.get(in_force["oidc.claim"])
        # Another kind of value, such as a number, is no name of anybody.
        return person if isinstance(person, str) else ""

    def _key(self, name: str, in_force: Mapping[str, str]) -> _Key:
        place = in_force["oidc.keys"] or in_force["oidc.issuer"]
        # One fetch at a time: the others wait for it and then find the keys.
        with self._lock:
            age = time.monotonic() - self._at
            is_other = place != self._from
            if is_other or age > _KEPT_S or (name not in self._keys and age > _LEAST_PAUSE_S):
                self._from, self._at, self._keys = place, time.monotonic(), {}
                self._keys = _fetched(in_force)
            if name not in self._keys:
                raise jwt.InvalidKeyError("no such key")
            return self._keys[name]


def _fetched(in_force: Mapping[str, str]) -> dict[str, _Key]:
    address = in_force["oidc.keys"]
    if not address:
        issuer = in_force["oidc.issuer"]
        where = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        found = msgspec.json.decode(_http_get(where), type=_Discovery)
        if found.issuer != issuer:
            raise ValueError("the discovery document is of another issuer")
        address = found.jwks_uri
        # Over plain HTTP anybody on the way could give keys of their own.
        if problem := settings.KEYS["oidc.keys"].problem(address):
            raise ValueError(problem)
    listed = msgspec.json.decode(_http_get(address), type=_KeySet).keys
    return {str(each.get("kid", "")): key for each in listed if (key := _key(each)) is not None}


def _key(listed: Mapping[str, object]) -> _Key | None:
    """A key of an issuer's set; None for one that verifies no signature of ours."""
    allowed = ALGORITHMS.get(str(listed.get("kty")), ())
    if "alg" in listed:
        allowed = tuple(name for name in allowed if name == listed["alg"])
    if not allowed or listed.get("use", "sig") != "sig":
        return None
    try:
        return _Key(jwt.PyJWK(dict(listed)), allowed)
    except jwt.PyJWTError:  # a curve that PyJWT does not know
        return None


def _http_get(address: str) -> bytes:
    client = http_client.client(address, _PATIENCE_S)
    with client, http_client.pieces(client, address) as parts:
        return http_client.join_parts(parts, _MAX_BYTES)

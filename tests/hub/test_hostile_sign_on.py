"""Tokens of a sign-on that were forged, and an issuer that answers with what it should not."""

import base64
import hmac
import json
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from satchel.hub.access import Caller
from satchel.hub.database import Hub
from satchel.hub.serving.sign_on import SignOn
from tests.hub.issuer import Issuer, issuer, trusted

PERSONS = ("", "Ann", "ann\n", "../ann", "x" * 41, 7, ["ann"], {"ann": 1}, None, 'a"; --')
BROKEN = (
    b"", b"[]", b"{}", b'{"keys": 7}', b'{"keys": [7]}', b'{"keys": [{}]}', b"[" * 9_999,
    b" " * (2 << 20), b'{"keys": [{"kty": "RSA", "n": "x", "e": "AQAB"}]}',
)  # fmt: skip


@pytest.fixture
def made(hub: Hub) -> Iterator[Issuer]:
    """The issuer that the hub of the test takes tokens of."""
    with trusted(hub) as running:
        yield running


def _public(made: Issuer) -> bytes:
    return bytes(
        made.keys["r"]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


def _signed(claims: dict[str, object], key: Any, how: str = "RS256", **header: Any) -> str:
    return jwt.encode(claims, key, algorithm=how, headers={"kid": "r", **header})


def _by_hand(header: dict[str, object], claims: dict[str, object], secret: bytes = b"") -> str:
    """A token that no library would write: unsigned, or signed with what everybody knows."""
    parts = [
        base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=") for p in (header, claims)
    ]
    signed = b".".join(parts)
    seal = hmac.new(secret, signed, sha256).digest() if secret else b""
    return b".".join((signed, base64.urlsafe_b64encode(seal).rstrip(b"="))).decode()


def test_forged_tokens_stand_for_nobody_and_lead_to_no_other_place(made: Issuer, hub: Hub) -> None:
    key, public = made.keys["r"], _public(made)
    with issuer() as stranger:
        other = stranger.keys["r"]
        good, now, sign_on = made.token("r", "RS256"), int(time.time()), SignOn()
        claims = made.claims()
        head, body, seal = good.split(".")
        elses = made.token("r", "RS256", preferred_username="bob").split(".")[1]
        leading = {
            "jku": f"{stranger.address}/keys", "x5u": f"{stranger.address}/keys",
            "jwk": stranger.jwk("r"),
        }  # fmt: skip
        forged = {
            "no algorithm": _by_hand({"alg": "none", "kid": "r"}, claims),
            "no algorithm, in capitals": _by_hand({"alg": "NONE", "kid": "r"}, claims),
            "the public key as a secret": _by_hand({"alg": "HS256", "kid": "r"}, claims, public),
            "another key": _signed(claims, other),
            "another key that it brings": _signed(claims, other, **leading),
            "another kind of key": _signed(claims, made.keys["e"], "ES256"),
            "another issuer": made.token("r", "RS256", iss=stranger.address),
            "an issuer like it": made.token("r", "RS256", iss=made.address + "/"),
            "another audience": made.token("r", "RS256", aud="satchel-admin"),
            "no audience": made.token("r", "RS256", aud=None),
            "no issuer": made.token("r", "RS256", iss=None),
            "no end": made.token("r", "RS256", exp=None),
            "its end": made.token("r", "RS256", exp=now - 60),
            "a beginning to come": made.token("r", "RS256", nbf=now + 600),
            "what it does not know": _signed(claims, key, crit=["exp2"], exp2=1),
            "an unknown key": _signed(claims, key, kid="../../etc/passwd"),
            "no key": _by_hand({"alg": "RS256"}, claims),
            "another body": f"{head}.{elses}.{seal}",
            "no signature": f"{head}.{body}.",
            "half a signature": f"{head}.{body}.{seal[:100]}",
            "a cut signature": f"{head}.{body}.{seal[:-4]}",
            "too much": made.token("r", "RS256", more="x" * 20_000),
            "no text": "\ud800.\ud800.\ud800",
            "nothing": "..",
            "lists": _by_hand({"alg": ["RS256"], "kid": ["r"]}, claims),
        }  # fmt: skip
        for person in PERSONS:
            forged[f"called {person!r}"] = made.token("r", "RS256", preferred_username=person)
        assert sign_on.caller(hub, good) is not None
        for what, token in forged.items():
            assert sign_on.caller(hub, token) is None, what
        assert stranger.asked == []
        # Made-up names of keys make the hub ask once in a while, and not each time.
        assert len(made.asked) <= 4
        caller = sign_on.caller(hub, made.token("r", "RS256"))
        assert caller is not None and caller.person == "ann"


def test_an_issuer_that_answers_wrongly_lets_nobody_in(made: Issuer, hub: Hub) -> None:
    def caller() -> Caller | None:
        return SignOn().caller(hub, made.token("r", "RS256"))

    public = _public(made)
    secret = base64.urlsafe_b64encode(public).decode().rstrip("=")
    shared = {"kty": "oct", "k": secret, "kid": "r", "alg": "HS256"}
    by_secret = _by_hand({"alg": "HS256", "kid": "r"}, made.claims(), public)
    made.publish([shared])
    assert SignOn().caller(hub, by_secret) is None
    assert caller() is None
    made.asked.clear()
    for more in (
        {"issuer": "https://other.example"},
        {"jwks_uri": "http://keys.example/keys"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": f"{made.address}/elsewhere"},
    ):
        made.publish(**more)
        made.leads["/elsewhere"] = f"{made.address}/keys"
        assert caller() is None, more
    assert "/keys" not in made.asked
    made.publish()
    for reply in BROKEN:
        made.replies["/keys"] = reply
        assert caller() is None, reply[:40]
    made.publish([made.jwk("r"), {**shared, "kid": "two"}, {"kty": "new"}])
    found = caller()
    assert found is not None and found.person == "ann"

"""Tokens of a sign-on that were forged, and an issuer that answers with what it should not."""

import base64
import hmac
import json
import time
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from satchel.hub import settings
from satchel.hub.database import Hub
from satchel.hub.serving.sign_on import SignOn

KEY, OTHER = (rsa.generate_private_key(public_exponent=65_537, key_size=2048) for _ in range(2))
CURVE = ec.generate_private_key(ec.SECP256R1())
PUBLIC = KEY.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)
AUDIENCE = "satchel"
BROKEN = (
    b"", b"[]", b"{}", b'{"keys": 7}', b'{"keys": [7]}', b'{"keys": [{}]}', b"[" * 9_999,
    b" " * (2 << 20), b'{"keys": [{"kty": "RSA", "n": "x", "e": "AQAB"}]}',
)  # fmt: skip


class Issuer:
    """A server that answers with `replies` by path, or with the address another one leads to."""

    def __init__(self) -> None:
        self.replies: dict[str, bytes] = {}
        self.leads: dict[str, str] = {}
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                body = outer.replies.get(self.path, b"")
                self.send_response(302 if self.path in outer.leads else 200)
                self.send_header("Location", outer.leads.get(self.path, ""))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def knows(self, keys: list[dict[str, Any]], **more: str) -> None:
        """Publishes keys as an issuer does; `more` replaces parts of the discovery document."""
        said = {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **more}
        self.replies["/.well-known/openid-configuration"] = json.dumps(said).encode()
        self.replies["/keys"] = json.dumps({"keys": keys}).encode()


@pytest.fixture
def issuer(hub: Hub) -> Iterator[Issuer]:
    """The issuer that the hub of the test takes tokens of."""
    made = Issuer()
    made.knows([_jwk(KEY, "one")])
    settings.put(hub, "oidc.issuer", made.url)
    settings.put(hub, "oidc.audience", AUDIENCE)
    yield made
    made.server.shutdown()
    made.server.server_close()


def _jwk(key: Any, name: str) -> dict[str, Any]:
    maker = jwt.algorithms.ECAlgorithm if key is CURVE else jwt.algorithms.RSAAlgorithm
    return {**maker.to_jwk(key.public_key(), as_dict=True), "kid": name}


def _claims(issuer: Issuer, **more: object) -> dict[str, object]:
    now = int(time.time())
    said = {"iss": issuer.url, "aud": AUDIENCE, "exp": now + 600, "preferred_username": "ann"}
    return {name: value for name, value in {**said, **more}.items() if value is not None}


def _signed(claims: dict[str, object], key: Any = KEY, how: str = "RS256", **header: Any) -> str:
    return jwt.encode(claims, key, algorithm=how, headers={"kid": "one", **header})


def _by_hand(header: dict[str, object], claims: dict[str, object], secret: bytes = b"") -> str:
    """A token that no library would write: unsigned, or signed with what everybody knows."""
    parts = [
        base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=") for p in (header, claims)
    ]
    signed = b".".join(parts)
    seal = hmac.new(secret, signed, sha256).digest() if secret else b""
    return b".".join((signed, base64.urlsafe_b64encode(seal).rstrip(b"="))).decode()


def test_forged_tokens_stand_for_nobody_and_lead_to_no_other_place(
    issuer: Issuer, hub: Hub
) -> None:
    stranger = Issuer()
    stranger.knows([_jwk(OTHER, "one")])
    good, now, sign_on = _claims(issuer), int(time.time()), SignOn()
    head, body, seal = _signed(good).split(".")
    elses = _signed(_claims(issuer, preferred_username="bob")).split(".")[1]
    leading = {
        "jku": f"{stranger.url}/keys", "x5u": f"{stranger.url}/keys", "jwk": _jwk(OTHER, "one"),
    }  # fmt: skip
    forged = {
        "no algorithm": _by_hand({"alg": "none", "kid": "one"}, good),
        "no algorithm, in capitals": _by_hand({"alg": "NONE", "kid": "one"}, good),
        "the public key as a secret": _by_hand({"alg": "HS256", "kid": "one"}, good, PUBLIC),
        "another key": _signed(good, OTHER),
        "another key that it brings": _signed(good, OTHER, **leading),
        "another kind of key": _signed(good, CURVE, "ES256"),
        "another issuer": _signed(_claims(issuer, iss=stranger.url)),
        "an issuer like it": _signed(_claims(issuer, iss=issuer.url + "/")),
        "another audience": _signed(_claims(issuer, aud="satchel-admin")),
        "no audience": _signed(_claims(issuer, aud=None)),
        "no issuer": _signed(_claims(issuer, iss=None)),
        "no end": _signed(_claims(issuer, exp=None)),
        "its end": _signed(_claims(issuer, exp=now - 120)),
        "a beginning to come": _signed(_claims(issuer, nbf=now + 600)),
        "what it does not know": _signed(good, crit=["exp2"], exp2=1),
        "an unknown key": _signed(good, kid="../../etc/passwd"),
        "no key": _by_hand({"alg": "RS256"}, good),
        "another body": f"{head}.{elses}.{seal}",
        "no signature": f"{head}.{body}.",
        "half a signature": f"{head}.{body}.{seal[:100]}",
        "too much": _signed(_claims(issuer, more="x" * 20_000)),
        "no text": "\ud800.\ud800.\ud800",
        "nothing": "..",
        "lists": _by_hand({"alg": ["RS256"], "kid": ["one"]}, good),
    }  # fmt: skip
    for person in ("", "Ann", "ann\n", "../ann", "x" * 41, 7, ["ann"], {"ann": 1}, None, 'a"; --'):
        forged[f"called {person!r}"] = _signed(_claims(issuer, preferred_username=person))
    try:
        assert sign_on.caller(hub, _signed(good)) is not None
        for what, token in forged.items():
            assert sign_on.caller(hub, token) is None, what
        assert stranger.asked == []
        # Made-up names of keys make the hub ask once in a while, and not each time.
        assert len(issuer.asked) <= 4
        caller = sign_on.caller(hub, _signed(good))
        assert caller is not None and caller.person == "ann"
    finally:
        stranger.server.shutdown()
        stranger.server.server_close()


def test_an_issuer_that_answers_wrongly_lets_nobody_in(issuer: Issuer, hub: Hub) -> None:
    good = _signed(_claims(issuer))
    secret = base64.urlsafe_b64encode(PUBLIC).decode().rstrip("=")
    shared = {"kty": "oct", "k": secret, "kid": "one", "alg": "HS256"}
    by_secret = _by_hand({"alg": "HS256", "kid": "one"}, _claims(issuer), PUBLIC)
    issuer.knows([shared])
    assert SignOn().caller(hub, by_secret) is None
    assert SignOn().caller(hub, good) is None
    issuer.asked.clear()
    for more in (
        {"issuer": "https://other.example"},
        {"jwks_uri": "http://keys.example/keys"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": f"{issuer.url}/elsewhere"},
    ):
        issuer.knows([_jwk(KEY, "one")], **more)
        issuer.leads["/elsewhere"] = f"{issuer.url}/keys"
        assert SignOn().caller(hub, good) is None, more
    assert "/keys" not in issuer.asked
    issuer.knows([_jwk(KEY, "one")])
    for reply in BROKEN:
        issuer.replies["/keys"] = reply
        assert SignOn().caller(hub, good) is None, reply[:40]
    issuer.knows([_jwk(KEY, "one"), {**shared, "kid": "two"}, {"kty": "new"}])
    found = SignOn().caller(hub, good)
    assert found is not None and found.person == "ann"

"""Tokens of the team's sign-on: real keys, a real issuer, and everything that must be refused."""

import time
from collections.abc import Iterator

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from satchel.hub import settings
from satchel.hub.database import Hub
from satchel.hub.serving import sign_on
from satchel.hub.serving.sign_on import SignOn
from tests.hub.issuer import AUDIENCE, Issuer, issuer


@pytest.fixture
def made(hub: Hub) -> Iterator[Issuer]:
    """An issuer that the hub is configured for."""
    with issuer() as running:
        settings.put(hub, "oidc.issuer", running.address)
        settings.put(hub, "oidc.audience", AUDIENCE)
        yield running


def test_a_token_of_the_issuer_stands_for_its_person(hub: Hub, made: Issuer) -> None:
    verifier = SignOn()
    for key, algorithm in (("r", "RS256"), ("r", "PS256"), ("r", "RS512"), ("e", "ES256")):
        caller = verifier.caller(hub, made.token(key, algorithm))
        assert caller is not None
        assert (caller.person, caller.key) == ("ann", "oidc ann")
    several = verifier.caller(hub, made.token("r", "RS256", aud=["other", AUDIENCE]))
    assert several is not None
    assert made.n_asked == 1  # keys are kept
    settings.put(hub, "oidc.claim", "email")
    assert verifier.caller(hub, made.token("r", "RS256", email="ann.b")).person == "ann.b"
    assert verifier.caller(hub, made.token("r", "RS256", email="ann@example.org")) is None
    assert verifier.caller(hub, made.token("r", "RS256")) is None


def test_what_is_not_the_issuers_or_not_for_us_or_over_is_refused(hub: Hub, made: Issuer) -> None:
    verifier, now = SignOn(), int(time.time())
    public = made.keys["r"].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )  # fmt: skip
    other = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    good = made.token("r", "RS256")
    head, body, seal = good.split(".")
    other_body = made.token("e", "ES256", preferred_username="bob").split(".")[1]
    wrong = {
        "another issuer": made.token("r", "RS256", iss="https://evil.example"),
        "another audience": made.token("r", "RS256", aud="other"),
        "no issuer": made.token("r", "RS256", iss=None),
        "no audience": made.token("r", "RS256", aud=None),
        "no end": made.token("r", "RS256", exp=None),
        "an end in the past": made.token("r", "RS256", exp=now - 60),
        "a beginning to come": made.token("r", "RS256", nbf=now + 600),
        "another's key": made.token("r", "RS256", signed_by=other),
        "a key that nobody has": _renamed(made, "x"),
        "a key of another kind": made.token("r", "ES256", signed_by=made.keys["e"]),
        "no signature": jwt.encode(jwt.decode(good, options={"verify_signature": False}), "",
                                   "none", headers={"kid": "r"}),
        "the public key as a secret": _hs256(good, public),
        "nobody's name": made.token("r", "RS256", preferred_username="'; DROP ROLE x"),
        "a cut signature": f"{head}.{body}.{seal[:-4]}",
        "another body": f"{head}.{other_body}.{seal}",
        "three empty parts": "..",
        "a long one": f"{head}.{'A' * 20_000}.{seal}",
    }  # fmt: skip
    assert verifier.caller(hub, good) is not None
    for what, token in wrong.items():
        assert verifier.caller(hub, token) is None, what
    settings.put(hub, "oidc.audience", "")
    assert verifier.caller(hub, good) is None


def test_new_keys_are_fetched_but_not_for_every_made_up_name(
    hub: Hub, made: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    verifier = SignOn()
    assert verifier.caller(hub, made.token("r", "RS256")) is not None
    made.keys["n"] = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    new = made.token("n", "RS256")
    for _ in range(5):
        assert verifier.caller(hub, new) is None
    assert made.n_asked == 1
    monkeypatch.setattr(sign_on, "_LEAST_PAUSE_S", -1.0)
    assert verifier.caller(hub, new) is not None
    assert made.n_asked == 2


def test_a_discovery_document_of_another_issuer_and_no_answer_admit_nobody(
    hub: Hub, made: Issuer
) -> None:
    made.named = "https://evil.example"
    assert SignOn().caller(hub, made.token("r", "RS256")) is None
    made.named = ""
    settings.put(hub, "oidc.keys", f"{made.address}/keys")
    assert SignOn().caller(hub, made.token("r", "RS256")) is not None
    settings.put(hub, "oidc.keys", "https://127.0.0.1:9/keys")
    assert SignOn().caller(hub, made.token("r", "RS256")) is None


def _renamed(made: Issuer, name: str) -> str:
    return made.token(name, "RS256", signed_by=made.keys["r"])


def _hs256(good: str, public: bytes) -> str:
    """The known trick: the issuer's public key as the secret of a symmetric signature."""
    import base64
    import hashlib
    import hmac
    import json

    head = {"alg": "HS256", "typ": "JWT", "kid": "r"}
    first = base64.urlsafe_b64encode(json.dumps(head).encode()).rstrip(b"=").decode()
    signed = f"{first}.{good.split('.')[1]}"
    seal = hmac.new(public, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(seal).rstrip(b'=').decode()}"

"""Tokens of the team's sign-on: real keys and a real issuer; `test_hostile_sign_on` forges."""

from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from satchel.hub import settings
from satchel.hub.database import Hub
from satchel.hub.serving import sign_on
from satchel.hub.serving.sign_on import SignOn
from tests.hub.issuer import AUDIENCE, Issuer, trusted


@pytest.fixture
def made(hub: Hub) -> Iterator[Issuer]:
    """An issuer that the hub is configured for."""
    with trusted(hub) as running:
        yield running


def test_a_token_of_the_issuer_stands_for_its_person(hub: Hub, made: Issuer) -> None:
    verifier = SignOn()
    for key, algorithm in (("r", "RS256"), ("r", "PS256"), ("r", "RS512"), ("e", "ES256")):
        caller = verifier.caller(hub, made.token(key, algorithm))
        assert caller is not None
        assert (caller.person, caller.key) == ("ann", "oidc ann")
    several = verifier.caller(hub, made.token("r", "RS256", aud=["other", AUDIENCE]))
    assert several is not None
    assert made.asked.count("/keys") == 1  # keys are kept
    settings.put(hub, "oidc.claim", "email")
    assert verifier.caller(hub, made.token("r", "RS256", email="ann.b")).person == "ann.b"
    assert verifier.caller(hub, made.token("r", "RS256", email="ann@example.org")) is None
    assert verifier.caller(hub, made.token("r", "RS256")) is None


def test_new_keys_are_fetched_but_not_for_every_made_up_name(
    hub: Hub, made: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    verifier = SignOn()
    assert verifier.caller(hub, made.token("r", "RS256")) is not None
    made.keys["n"] = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    made.publish()
    new = made.token("n", "RS256")
    for _ in range(5):
        assert verifier.caller(hub, new) is None
    assert made.asked.count("/keys") == 1
    monkeypatch.setattr(sign_on, "_LEAST_PAUSE_S", -1.0)
    assert verifier.caller(hub, new) is not None
    assert made.asked.count("/keys") == 2


def test_a_discovery_document_of_another_issuer_and_no_answer_admit_nobody(
    hub: Hub, made: Issuer
) -> None:
    made.publish(issuer="https://evil.example")
    assert SignOn().caller(hub, made.token("r", "RS256")) is None
    made.publish()
    settings.put(hub, "oidc.keys", f"{made.address}/keys")
    assert SignOn().caller(hub, made.token("r", "RS256")) is not None
    settings.put(hub, "oidc.keys", "https://127.0.0.1:9/keys")
    assert SignOn().caller(hub, made.token("r", "RS256")) is None
    settings.put(hub, "oidc.keys", "")
    settings.put(hub, "oidc.audience", "")
    assert SignOn().caller(hub, made.token("r", "RS256")) is None

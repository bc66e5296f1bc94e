"""An issuer of sign-on tokens on this machine: real keys, a discovery document, a key set."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from satchel.hub import settings
from satchel.hub.database import Hub

AUDIENCE = "satchel-hub"
_DISCOVERY = "/.well-known/openid-configuration"


class Issuer:
    """A server that answers with `replies` by path, or with the address that one `leads` to.

    It has an RSA key `r` and a key `e` on a curve; `asked` are the paths that it was asked for.
    """

    def __init__(self) -> None:
        self.keys: dict[str, Any] = {
            "r": rsa.generate_private_key(public_exponent=65_537, key_size=2_048),
            "e": ec.generate_private_key(ec.SECP256R1()),
        }
        self.replies: dict[str, bytes] = {}
        self.leads: dict[str, str] = {}
        self.asked: list[str] = []
        outer = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                body = outer.replies.get(self.path, b"")
                self.send_response(302 if self.path in outer.leads else 200)
                self.send_header("Location", outer.leads.get(self.path, ""))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.publish()

    def publish(self, keys: Sequence[object] | None = None, **more: str) -> None:
        """Answer as an issuer does; `keys` stand in place of its own, `more` in the discovery."""
        said = {"issuer": self.address, "jwks_uri": f"{self.address}/keys", **more}
        listed = [self.jwk(name) for name in self.keys] if keys is None else list(keys)
        self.replies[_DISCOVERY] = json.dumps(said).encode()
        self.replies["/keys"] = json.dumps({"keys": listed}).encode()

    def jwk(self, name: str) -> dict[str, Any]:
        """A public key as an issuer publishes it."""
        key = self.keys[name]
        kind = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
        return {**kind.to_jwk(key.public_key(), as_dict=True), "kid": name}

    def claims(self, **more: object) -> dict[str, object]:
        """What a good token says for a minute, but for `more`; None takes a claim out."""
        now = int(time.time())
        said = {"iss": self.address, "aud": AUDIENCE, "exp": now + 60, "iat": now,
                "preferred_username": "ann", **more}  # fmt: skip
        return {name: value for name, value in said.items() if value is not None}

    def token(self, key: str, algorithm: str, signed_by: object = None, **more: object) -> str:
        """A token with these claims, signed by the key of that name unless by another."""
        signing: Any = signed_by or self.keys[key]
        return jwt.encode(self.claims(**more), signing, algorithm, headers={"kid": key})


@contextmanager
def issuer() -> Iterator[Issuer]:
    """An issuer, as long as this lasts."""
    made = Issuer()
    thread = Thread(target=made.server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        thread.join()


@contextmanager
def trusted(hub: Hub) -> Iterator[Issuer]:
    """An issuer whose tokens the hub takes."""
    with issuer() as made:
        settings.put(hub, "oidc.issuer", made.address)
        settings.put(hub, "oidc.audience", AUDIENCE)
        yield made

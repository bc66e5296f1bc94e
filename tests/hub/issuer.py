"""An issuer of sign-on tokens on this machine: real keys, a discovery document, a key set."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "satchel-hub"


@dataclass
class Issuer:
    """Where it answers, its keys by name, and how often it was asked for them."""

    address: str
    keys: dict[str, Any] = field(default_factory=dict)
    n_asked: int = 0
    named: str = ""
    """What the discovery document calls the issuer; "" for its own address."""

    def token(self, key: str, algorithm: str, signed_by: object = None, **claims: object) -> str:
        """A token that is good for a minute unless the claims say otherwise; None takes one out."""
        now = int(time.time())
        every = {"iss": self.address, "aud": AUDIENCE, "exp": now + 60, "iat": now,
                 "preferred_username": "ann", **claims}  # fmt: skip
        kept = {name: value for name, value in every.items() if value is not None}
        made = jwt.encode(kept, signed_by or self.keys[key], algorithm, headers={"kid": key})
        return str(made)

    def key_set(self) -> bytes:
        """The public keys, as an issuer publishes them."""
        self.n_asked += 1
        listed = []
        for name, key in self.keys.items():
            kind = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
            listed.append({**json.loads(kind.to_jwk(key.public_key())), "kid": name})
        return json.dumps({"keys": listed}).encode()


@contextmanager
def issuer() -> Iterator[Issuer]:
    """An issuer with an RSA key `r` and a key `e` on a curve, as long as this lasts."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = json.dumps(
                {"issuer": made.named or made.address, "jwks_uri": f"{made.address}/keys"}
            ).encode()
            body = made.key_set() if self.path == "/keys" else found
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    made = Issuer(f"http://127.0.0.1:{server.server_port}")
    made.keys["r"] = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    made.keys["e"] = ec.generate_private_key(ec.SECP256R1())
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

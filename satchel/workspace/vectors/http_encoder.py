"""Vectors from an HTTP endpoint that the user configured: Ollama's, OpenAI's or a compatible one.

Nothing is sent unless the user's own file or environment names the endpoint. Redirects are not
followed, since a key or code would go along to another host. The name of an encoder holds endpoint,
model, width and, where the server tells, the model's digest: another model is another name, and
what the old one wrote is encoded again. A reply of the wrong shape is an error, never a vector.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from http.client import HTTPException
from typing import Any
from urllib import error, request

import numpy as np

from satchel.store.errors import EncoderUnavailable
from satchel.store.vectors.encoders import Matrix, normalized

MAX_REPLY_BYTES = 64_000_000
_TRIES = 3
_FIRST_PAUSE_SECONDS = 0.5
_MAX_PAUSE_SECONDS = 10.0
_FAILURES_TO_OPEN = 2
"""Calls that failed in a row, each after all its tries, until no more are made for a while."""
_OPEN_SECONDS = 30.0
_WORTH_ANOTHER_TRY = {408, 425, 429, 500, 502, 503, 504}
_LOOPBACK = ("http://127.0.0.1", "http://localhost", "http://[::1]")


@dataclass(frozen=True, slots=True)
class Service:
    """Where to ask and how: `kind` is "ollama" or "openai"; `seconds` is the patience a request."""

    kind: str
    endpoint: str
    model: str
    key: str = ""
    seconds: float = 30.0
    batch: int = 32


class _NoRedirects(request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:  # noqa: ANN401 - urllib's own signature
        return None


class RemoteEncoder:
    """An encoder behind HTTP. `clock` and `pause` count in seconds."""

    def __init__(
        self,
        service: Service,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._service = service
        self._clock, self._pause = clock, pause
        self._failures, self._open_until = 0, float("-inf")
        # A proxy of the environment is for the world, not for this machine.
        local = service.endpoint.startswith(_LOOPBACK)
        handlers = [request.ProxyHandler({})] if local else []
        self._opener = request.build_opener(_NoRedirects, *handlers)

    @cached_property
    def name(self) -> str:
        """Identifies the model; asks the server once.

        Raises:
            EncoderUnavailable: it does not answer.
        """
        service = self._service
        told = f"{service.endpoint} {self._digest()}"
        mark = blake2b(told.encode(), digest_size=4).hexdigest()
        return f"{service.kind}/{service.model}/{self.dimensions}/{mark}"

    @cached_property
    def dimensions(self) -> int:
        """The width of a vector, learned from the first one.

        Raises:
            EncoderUnavailable: the server does not answer.
        """
        return len(self._vectors(["satchel"])[0])

    def encode(self, texts: Sequence[str]) -> Matrix:
        """One row a text, float32, of length 1 or 0.

        Raises:
            EncoderUnavailable: the server does not answer, or not with one such vector a text.
        """
        matrix = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        # A blank text is not sent: its row stays zero, which is near nothing.
        asked = [row for row, text in enumerate(texts) if text.strip()]
        for start in range(0, len(asked), self._service.batch):
            rows = asked[start : start + self._service.batch]
            vectors = self._vectors([texts[row] for row in rows])
            if any(len(vector) != self.dimensions for vector in vectors):
                raise EncoderUnavailable(
                    f"{self._service.model} now gives vectors of another width than"
                    f" {self.dimensions}",
                    "the model behind the endpoint was changed: start again, it is encoded anew",
                )
            matrix[rows] = np.array(vectors, dtype=np.float32)
            # JSON as Python reads it may hold NaN and Infinity, and a number beyond float32 becomes
            # infinite here; one of them would make every score with this vector meaningless.
            if not np.isfinite(matrix[rows]).all():
                raise self._nonsense("a number that is not finite")
        return normalized(matrix)

    def _vectors(self, texts: list[str]) -> list[Any]:
        """The vectors of one batch, in its order; checked for count and kind, not for width."""
        service = self._service
        if service.kind == "ollama":
            asked = {"model": service.model, "input": texts, "truncate": True}
            reply = self._call("/api/embed", asked)
            vectors = reply.get("embeddings")
        else:
            asked = {"model": service.model, "input": texts, "encoding_format": "float"}
            reply = self._call("/embeddings", asked)
            vectors = _by_index(reply.get("data"), len(texts))
        if not isinstance(vectors, list) or len(vectors) != len(texts):
            raise self._nonsense(f"not {len(texts)} vectors")
        for vector in vectors:
            numbers = isinstance(vector, list) and vector
            # `isinstance` would take true and false for numbers.
            if not numbers or not all(type(x) in (int, float) for x in vector):
                raise self._nonsense("something that is not a vector")
        return vectors

    def _digest(self) -> str:
        """What Ollama says of the model's weights; "" elsewhere, where nobody tells."""
        if self._service.kind != "ollama":
            return ""
        models = self._call("/api/tags", None).get("models")
        wanted = {self._service.model, f"{self._service.model}:latest"}
        for model in models if isinstance(models, list) else ():
            if isinstance(model, dict) and model.get("name") in wanted:
                return str(model.get("digest", ""))
        return ""

    def _nonsense(self, what: str) -> EncoderUnavailable:
        return EncoderUnavailable(
            f"{self._service.endpoint} answered with {what}",
            "check vectors.encoder, vectors.endpoint and vectors.model",
        )

    def _call(self, path: str, body: object) -> dict[str, Any]:
        """The JSON that an address answers, after retries; POST where there is a body."""
        # While a server is down, every question would otherwise wait for all tries of a call (a
        # circuit breaker: Nygard 2007).
        if self._clock() < self._open_until:
            raise EncoderUnavailable(
                f"{self._service.endpoint} failed repeatedly and is left alone for a while",
                "see that it runs; questions are answered without vectors meanwhile",
            )
        try:
            reply = self._tried(path, body)
        except EncoderUnavailable:
            self._failures += 1
            if self._failures >= _FAILURES_TO_OPEN:
                self._open_until = self._clock() + _OPEN_SECONDS
            raise
        self._failures = 0
        return reply

    def _tried(self, path: str, body: object) -> dict[str, Any]:
        wait = _FIRST_PAUSE_SECONDS
        for left in reversed(range(_TRIES)):
            try:
                return self._once(path, body)
            except error.HTTPError as refused:
                said = f"HTTP {refused.code}"
                asked_wait = refused.headers.get("Retry-After", "")
                refused.close()
                if refused.code not in _WORTH_ANOTHER_TRY or not left:
                    break
                # A longer wait that the server asks for counts, up to the maximum; a date in its
                # place is not read.
                wait = max(wait, float(asked_wait) if asked_wait.isdecimal() else 0.0)
            except (OSError, HTTPException, ValueError) as failed:
                said = str(getattr(failed, "reason", failed)) or type(failed).__name__
                if not left:
                    break
            self._pause(min(wait, _MAX_PAUSE_SECONDS))
            wait *= 2
        raise EncoderUnavailable(
            f"{self._service.endpoint}{path} does not answer: {said}",
            "see that it runs and knows the model; answers come without vectors meanwhile",
        )

    def _once(self, path: str, body: object) -> dict[str, Any]:
        url = self._service.endpoint.rstrip("/") + path
        data = None if body is None else json.dumps(body).encode()
        asked = request.Request(url, data, {"Content-Type": "application/json"})
        if self._service.key:
            # urllib leaves this header behind should a redirect ever be followed.
            asked.add_unredirected_header("Authorization", f"Bearer {self._service.key}")
        with self._opener.open(asked, timeout=self._service.seconds) as response:
            # One byte more than allowed tells a reply that is too long from one that just fits.
            read = response.read(MAX_REPLY_BYTES + 1)
        if len(read) > MAX_REPLY_BYTES:
            raise ValueError("the reply is too large")
        reply = json.loads(read)
        if not isinstance(reply, dict):
            raise ValueError("the reply is not a JSON object")
        return reply


def _by_index(data: object, n_texts: int) -> list[Any] | None:
    """OpenAI's entries as vectors in the order of the texts; None where any lacks its place."""
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        return None
    placed = {entry.get("index"): entry.get("embedding") for entry in data}
    return [placed[i] for i in range(n_texts)] if placed.keys() == set(range(n_texts)) else None

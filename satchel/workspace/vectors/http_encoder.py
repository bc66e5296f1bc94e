"""Vectors from an HTTP endpoint that the user configured: Ollama's, OpenAI's or a compatible one.

Nothing is sent unless the user's own file or environment names the endpoint. Redirects are not
followed, since a key or code would go along to another host. The name of an encoder holds endpoint,
model, width and, where the server tells, the model's digest: another model is another name, and
what the old one wrote is encoded again. A reply of the wrong shape is an error, never a vector.
"""

import json
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import tenacity
from msgspec import Struct

from satchel.store.errors import EncoderUnavailable
from satchel.store.vectors.encoders import Matrix, normalized
from satchel.workspace import http_client

MAX_REPLY_BYTES = 64_000_000
_TRIES = 3
_FIRST_PAUSE_SECONDS = 0.5
_MAX_PAUSE_SECONDS = 10.0
_FAILURES_TO_OPEN = 2
"""Calls that failed in a row, each after all its tries, until no more are made for a while."""
_OPEN_SECONDS = 30.0
_TRANSIENT_STATUS = {408, 425, 429, 500, 502, 503, 504}
_EXPONENTIAL = tenacity.wait_exponential(_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS)


class EncoderEndpoint(Struct, frozen=True):
    """Where to ask and how: `kind` is "ollama" or "openai"; `seconds` is the patience a request."""

    kind: str
    address: str
    model: str
    key: str = ""
    seconds: float = 30.0
    batch: int = 32


class RemoteEncoder:
    """An encoder behind HTTP. `clock` and `pause` count in seconds."""

    def __init__(
        self,
        endpoint: EncoderEndpoint,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._failures, self._open_until = 0, float("-inf")
        self._client = http_client.client(endpoint.address, endpoint.seconds)
        self._retrying = tenacity.Retrying(
            sleep=pause,
            stop=tenacity.stop_after_attempt(_TRIES),
            wait=_wait_seconds,
            retry=tenacity.retry_if_exception(_is_transient),
            reraise=True,
        )

    @cached_property
    def name(self) -> str:
        """Identifies the model; asks the server once.

        Raises:
            EncoderUnavailable: it does not answer.
        """
        endpoint = self._endpoint
        identity = f"{endpoint.address} {self._digest()}"
        mark = blake2b(identity.encode(), digest_size=4).hexdigest()
        return f"{endpoint.kind}/{endpoint.model}/{self.dimensions}/{mark}"

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
        for start in range(0, len(asked), self._endpoint.batch):
            rows = asked[start : start + self._endpoint.batch]
            vectors = self._vectors([texts[row] for row in rows])
            if any(len(vector) != self.dimensions for vector in vectors):
                raise EncoderUnavailable(
                    f"{self._endpoint.model} now gives vectors of another width than"
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
        endpoint = self._endpoint
        if endpoint.kind == "ollama":
            asked = {"model": endpoint.model, "input": texts, "truncate": True}
            reply = self._call("/api/embed", asked)
            vectors = reply.get("embeddings")
        else:
            asked = {"model": endpoint.model, "input": texts, "encoding_format": "float"}
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
        if self._endpoint.kind != "ollama":
            return ""
        models = self._call("/api/tags", None).get("models")
        wanted = {self._endpoint.model, f"{self._endpoint.model}:latest"}
        for model in models if isinstance(models, list) else ():
            if isinstance(model, dict) and model.get("name") in wanted:
                return str(model.get("digest", ""))
        return ""

    def _nonsense(self, what: str) -> EncoderUnavailable:
        return EncoderUnavailable(
            f"{self._endpoint.address} answered with {what}",
            "check vectors.encoder, vectors.endpoint and vectors.model",
        )

    def _call(self, path: str, body: object) -> dict[str, Any]:
        """The JSON that an address answers, after retries; POST where there is a body."""
        # While a server is down, every question would otherwise wait for all tries of a call (a
        # circuit breaker: Nygard 2007).
        if self._clock() < self._open_until:
            raise EncoderUnavailable(
                f"{self._endpoint.address} failed repeatedly and is left alone for a while",
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
        try:
            return self._retrying(self._once, path, body)
        except http_client.StatusError as refused:
            reason = f"HTTP {refused.response.status_code}"
        except (*http_client.Failure, ValueError) as failed:
            reason = str(failed) or type(failed).__name__
        raise EncoderUnavailable(
            f"{self._endpoint.address}{path} does not answer: {reason}",
            "see that it runs and knows the model; answers come without vectors meanwhile",
        )

    def _once(self, path: str, body: object) -> dict[str, Any]:
        url = self._endpoint.address.rstrip("/") + path
        headers = {"Authorization": f"Bearer {self._endpoint.key}"} if self._endpoint.key else {}
        with http_client.pieces(self._client, url, body, headers) as parts:
            reply = json.loads(http_client.join_parts(parts, MAX_REPLY_BYTES))
        if not isinstance(reply, dict):
            raise ValueError("the reply is not a JSON object")
        return reply


def _is_transient(error: BaseException) -> bool:
    if isinstance(error, http_client.StatusError):
        return error.response.status_code in _TRANSIENT_STATUS
    return isinstance(error, (*http_client.Failure, ValueError))


def _wait_seconds(state: tenacity.RetryCallState) -> float:
    """A longer wait that the server asks for counts, up to the maximum."""
    error = state.outcome.exception() if state.outcome else None
    asked = (
        error.response.headers.get("Retry-After", "")
        if isinstance(error, http_client.StatusError)
        else ""
    )
    # A date in its place is not read.
    seconds = float(asked) if asked.isdecimal() else 0.0
    return min(max(_EXPONENTIAL(state), seconds), _MAX_PAUSE_SECONDS)


def _by_index(data: object, n_texts: int) -> list[Any] | None:
    """OpenAI's entries as vectors in the order of the texts; None where any lacks its place."""
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        return None
    placed = {entry.get("index"): entry.get("embedding") for entry in data}
    return [placed[i] for i in range(n_texts)] if placed.keys() == set(range(n_texts)) else None

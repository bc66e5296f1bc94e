"""HTTP requests: to an address that the user configured, and to no other.

No redirect is followed, since a key or code would go along to another host. What comes back is read
piece by piece up to a bound.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

_LOOPBACK = ("http://127.0.0.1", "http://localhost", "http://[::1]")

Failure = (httpx2.HTTPError, httpx2.InvalidURL)
"""What a request ends with when there is no answer, or one that is no success."""
StatusError = httpx2.HTTPStatusError


def client(endpoint: str, seconds: float) -> httpx2.Client:
    """A client for one endpoint; `seconds` is its patience for each step of a request.

    Connections are not kept open, so that nothing has to be closed by those who ask seldom.
    """
    return httpx2.Client(
        timeout=seconds,
        follow_redirects=False,
        # A proxy of the environment is for the world, not for this machine.
        trust_env=not endpoint.startswith(_LOOPBACK),
        limits=httpx2.Limits(max_keepalive_connections=0),
        # A compressed reply could grow beyond any bound while it is unpacked.
        headers={"Accept-Encoding": "identity"},
    )


@contextmanager
def pieces(
    client: httpx2.Client,
    url: str,
    body: object = None,
    headers: dict[str, str] | None = None,
) -> Iterator[Iterator[bytes]]:
    """The body of a reply as it comes, as it was sent; POST of JSON where there is a body.

    Raises:
        Failure: there is no answer, or its status is no success.
    """
    asked: dict[str, Any] = {} if body is None else {"json": body}
    method = "GET" if body is None else "POST"
    with client.stream(method, url, headers=headers, **asked) as reply:
        reply.raise_for_status()
        yield reply.iter_raw()


def join_parts(parts: Iterable[bytes], max_bytes: int) -> bytes:
    """The pieces as one.

    Raises:
        ValueError: there is more than `max_bytes`; the rest is not read.
    """
    read = bytearray()
    for part in parts:
        read += part
        if len(read) > max_bytes:
            raise ValueError(f"the reply is too large: over {max_bytes:,} bytes")
    return bytes(read)

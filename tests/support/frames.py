"""Malformed protocol frames: bytes a client should not send, the same for the same seed."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

METHODS = (
    "initialize", "ping", "tools/list", "tools/call", "resources/read", "resources/list",
    "prompts/get", "completion/complete", "server/discover", "notifications/cancelled",
    "notifications/progress", "subscriptions/listen", "logging/setLevel", "", "\x00", "../x",
)  # fmt: skip
_ATOMS: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**63, -(2**70), 1.5, "", "x", "\x00", "é" * 50, [], {}, [[]],
    {"a": {}}, {"_meta": {"progressToken": []}}, "\u2028", "a" * 3_000,
)  # fmt: skip


def frames(n: int, seed: int) -> Iterator[bytes]:
    """`n` lines, none with a newline inside."""
    random = Random(seed)
    makers = (_bytes, _truncated, _mutated, _shapeless, _nested, _wrong_call)
    for _ in range(n):
        yield makers[random.randrange(len(makers))](random).replace(b"\n", b" ")


def _bytes(random: Random) -> bytes:
    return random.randbytes(random.randrange(1, 200))


def _valid(random: Random) -> dict[str, Any]:
    params: Any = {"name": "symbols", "arguments": {"name": "wake"}}
    method = random.choice(METHODS)
    return {"jsonrpc": "2.0", "id": random.randrange(10**6), "method": method, "params": params}


def _truncated(random: Random) -> bytes:
    whole = json.dumps(_valid(random)).encode()
    return whole[: random.randrange(1, len(whole))]


def _mutated(random: Random) -> bytes:
    frame = bytearray(json.dumps(_valid(random)).encode())
    for _ in range(random.randrange(1, 6)):
        frame[random.randrange(len(frame))] = random.randrange(256)
    return bytes(frame)


def _shapeless(random: Random) -> bytes:
    frame = _valid(random)
    for key in random.sample(sorted(frame), random.randrange(1, 4)):
        if random.random() < 0.3:
            del frame[key]
        else:
            frame[key] = random.choice(_ATOMS)
    return json.dumps(frame).encode()


def _nested(random: Random) -> bytes:
    depth = random.randrange(1, 3_000)
    brackets = b"[" * depth + b"]" * depth
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + brackets + b"}"


def _wrong_call(random: Random) -> bytes:
    arguments = {random.choice(("query", "name", "path", "x", "")): random.choice(_ATOMS)}
    name = random.choice(("context", "search", "symbols", "dependencies", "nothing", 7, None))
    params = {"name": name, "arguments": random.choice((arguments, *_ATOMS))}
    frame = {"jsonrpc": "2.0", "id": random.randrange(10**6), "method": "tools/call"}
    return json.dumps({**frame, "params": params}).encode()

"""Removes secrets before texts are stored, and addresses and home folders before an export. Pure.

Redaction works on whole values: no field of an item, known or added later, escapes it.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from satchel.store.secrets import AFTER, LOOSE, redacted

MARK = "[REDACTED]"
_WITHHELD = re.compile("‹secret: [A-Za-z0-9 ]{1,40}›")
_T = TypeVar("_T", bound=msgspec.Struct)

_PERSONAL = (
    re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b"),
    re.compile(r"(?<![\d.])(?!127\.0\.0\.1\b|0\.0\.0\.0\b|192\.168\.)(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"),
    re.compile(r"(?:/home/|/Users/|[A-Z]:\\Users\\)[^\s/\\:\"']+"),
)  # fmt: skip


def secrets(text: str) -> str:
    """The text without keys, tokens and passwords; lone surrogates and NUL replaced."""
    data = text.encode("utf-8", "replace").replace(b"\x00", "\ufffd".encode())
    text = _WITHHELD.sub(MARK, redacted(data).decode("utf-8"))
    for pattern in LOOSE:
        text = pattern.sub(MARK, text)
    for pattern in AFTER:
        text = pattern.sub(lambda found: found[1] + MARK, text)
    return text


def personal(text: str) -> str:
    """The text without secrets, mail addresses, public IPv4 addresses and home folders."""
    text = secrets(text)
    for pattern in _PERSONAL:
        text = pattern.sub(MARK, text)
    return text


def every_text(value: _T, change: Callable[[str], str]) -> _T:
    """The value with each of its texts changed, however deep."""
    return msgspec.convert(_changed(msgspec.to_builtins(value), change), type(value))


def _changed(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_changed(part, change) for part in value]
    if isinstance(value, dict):
        return {key: _changed(part, change) for key, part in value.items()}
    return value

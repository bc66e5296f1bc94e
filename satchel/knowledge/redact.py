"""Secrets out of texts before they are kept; addresses and home folders before they leave. Pure.

Redaction works on whole values: no field of an item, known or added later, escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

MARK = "[REDACTED]"
_T = TypeVar("_T", bound=msgspec.Struct)

_SECRETS = (
    re.compile(
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S
    ),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_[A-Za-z0-9_]{20,}\b"),
    re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}"),
    re.compile(r"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    re.compile(r"\b[sr]k[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    re.compile(r"\bpypi-[A-Za-z0-9_-]{40,}|\bnpm_[A-Za-z0-9]{30,}\b|\bhf_[A-Za-z0-9]{30,}\b"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
)
_AFTER = (
    # What stands before the secret is kept: it says what was removed.
    re.compile(r"(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{16,}"),
    re.compile(
        r"(?i)((?:api[_-]?key|access[_-]?key|auth[_-]?token|token|secret|passw(?:or)?d|pwd)"
        r"[\"']?\s*[:=]\s*[\"']?)(?!\[REDACTED\])[^\s\"',;]{8,}"
    ),
    re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@]{0,100}:)[^\s:/@]{1,200}(?=@)"),
)
_PERSONAL = (
    re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b"),
    re.compile(r"(?<![\d.])(?!127\.0\.0\.1\b|0\.0\.0\.0\b|192\.168\.)(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"),
    re.compile(r"(?:/home/|/Users/|[A-Z]:\\Users\\)[^\s/\\:\"']+"),
)  # fmt: skip


def secrets(text: str) -> str:
    """The text without keys, tokens and passwords; lone surrogates and NUL replaced."""
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    for pattern in _SECRETS:
        text = pattern.sub(MARK, text)
    for pattern in _AFTER:
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

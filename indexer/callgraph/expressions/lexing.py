"""Source text of any language as tokens: texts, numbers, names and marks."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"[rbfuRBFU]{0,2}(?:\"\"\".*?\"\"\"|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`)"
    r"|\d[\w.]*"
    r"|[#@$]*[^\W\d][\w$]*"
    r"|\?\.|::|->|=>|<-|:=|\*\*|==|!=|<=|>=|&&|\|\||\?\?|\S",
    re.DOTALL,
)
_IS_NAME = re.compile(r"[#@$]*[^\W\d]").match
_QUOTES = ('"', "'", "`")


def tokens(text: str) -> list[str]:
    """The tokens of a text, white space left out."""
    found: list[str] = _TOKEN.findall(text)
    return found


def kind(token: str) -> str:
    """Whether it is a "text", a "number", a "name", or "" for a mark."""
    if token[-1:] in _QUOTES and len(token) > 1:
        return "text"
    if _IS_NAME(token):
        return "name"
    return "number" if token[:1].isdigit() else ""

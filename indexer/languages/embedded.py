"""The one language inside another that Satchel reads: Ruby between the `<%` and `%>` of ERB.

Everything else becomes spaces. Bytes keep their offsets and lines, so facts about the Ruby are
facts about the template.
"""

from __future__ import annotations

import re

_TAG = re.compile(rb"<%(%|#)?(.*?)(%%>|[-=]?%>|\Z)", re.DOTALL)
_COMMENT_LINE = re.compile(rb"\s*#")
_LINE_COMMENT = re.compile(rb"(?:^|\s)#(?!\{)[^\n]*\Z")
_VISIBLE = re.compile(rb"[^\r\n]")


def ruby_of_erb(data: bytes) -> bytes:
    """The Ruby of an ERB template; each tag ends like a statement.

    Comments (`<%# … %>`) and literal `<%%` are blank like the text around them.
    """
    pieces: list[bytes] = []
    position = 0
    for tag in _TAG.finditer(data):
        pieces.append(_blank(data[position : tag.start()]))
        pieces.append(_blank(tag[0]) if tag[1] else _code(tag))
        position = tag.end()
    pieces.append(_blank(data[position:]))
    return b"".join(pieces)


def _code(tag: re.Match[bytes]) -> bytes:
    code = tag[2]
    sigil = len(code) - len(code.lstrip(b"=-"))
    if _COMMENT_LINE.match(code, sigil) and b"\n" not in code:
        return _blank(tag[0])
    code = b" " * sigil + code[sigil:]
    comment = _LINE_COMMENT.search(code)
    if comment:
        code = code[: comment.start()] + _blank(comment[0])
    return b"  " + code + b";".rjust(len(tag[3])) if tag[3] else b"  " + code


def _blank(text: bytes) -> bytes:
    return _VISIBLE.sub(b" ", text)

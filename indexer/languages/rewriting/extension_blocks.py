"""C# 14 in which members of `extension(Type name) { … }` stand in the class around. Pure.

The grammar takes such a block for a constructor or an error. What is extended becomes a field, so
that the members know its type; every byte keeps its offset and line.
"""

import re

from satchel.indexer.languages.rewriting.item_macros import closing_brace

_BLOCK = re.compile(
    rb"^[ \t]*(?P<head>extension[ \t]*(?:<[^()\n]{1,200}>)?[ \t]*\([ \t\n]*"
    rb"(?:\[[^\]\n]{0,200}\][ \t]*)?(?:(?:ref|in|scoped|readonly|this)[ \t]+)*)"
    rb"(?P<type>[\w.:?\[\]]+(?:<[^{}()\n]{1,200}>)?[?\[\]]*)(?P<name>[ \t]+@?\w+)?[ \t\n]*"
    rb"(?P<end>\)(?:\s*where\b[^{};]{0,400})?\s*\{)",
    re.MULTILINE,
)
_VISIBLE = re.compile(rb"[^\r\n]")


def with_members_of_extensions(data: bytes) -> bytes:
    """The source with the members of such blocks in the open, as long as it was."""
    if b"extension" not in data:
        return data
    text = bytearray(data)
    for block in _BLOCK.finditer(data):
        last = closing_brace(data, block.end())
        if last < 0:
            continue
        kept = "head" if block["name"] else "type"
        for start, end in (
            (block.start("head"), block.end(kept)),
            block.span("end"),
            (last, last + 1),
        ):
            text[start:end] = _VISIBLE.sub(b" ", data[start:end])
        if block["name"]:
            text[block.start("end")] = ord(";")
    return bytes(text)

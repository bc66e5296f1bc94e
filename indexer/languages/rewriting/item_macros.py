"""Rust in which items inside of macros stand as items: `cfg_if! { … }`, `cfg_rt! { … }`. Pure.

The grammar takes what a macro is given for a list of tokens, so that nothing in it is defined. A
macro that begins a line and whose body begins as an item does is blanked with its braces, and so
are the conditions of `cfg_if`; flags are an enum. Every byte keeps its offset and line.
"""

import re

_CALL = re.compile(rb"^[ \t]*(?:\w+::)*(\w+)![ \t]*\{", re.MULTILINE)
_SKIPPED = rb"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|#!?\[[^\n]*\](?=[ \t]*\n))*+"
_ITEM = re.compile(
    _SKIPPED + rb"(?:pub\b|(?:unsafe |async |const )*fn\b|struct\b|enum\b|impl\b"
    rb"|mod\b|use\b|trait\b|static\b|const\s+\w+\s*:|type\b|extern\b|if[ \t]+#\[cfg)"
)
_FLAGS = re.compile(rb"\b(struct)\s+\w+\s*(:\s*[\w:]+)\s*\{")
_FLAG = re.compile(rb"\b(const)[ \t]+\w+\s*=[^;{}]*(;)")
"""`bitflags!` has a syntax of its own behind the name: its constants are those of an enum."""
_TEMPLATE = b"quote"
"""In its name a macro says that it makes source of what it is given."""
_TOKEN = re.compile(
    rb"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|r(#*)\"(?:.|\n)*?\"\1|b?\"(?:[^\"\\]|\\.)*+\""
    rb"|'(?:[^'\\\n]|\\[^\n]{1,9})'|[{}]",
    re.DOTALL,
)
_BRANCH = re.compile(rb"(?:else\s+)?if\s+#\[cfg[^\n]*?\]\s*\{|else\s*\{")
_LAZY = re.compile(rb"(?m)^([ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?static[ \t]+)ref\b")


def with_items_of_macros(data: bytes) -> bytes:
    """The source with the items of such macros in the open, as long as it was."""
    if b"! {" not in data and b"!{" not in data:
        return data
    text = bytearray(data)
    for call in _CALL.finditer(data):
        is_item = _TEMPLATE not in call[1] and _ITEM.match(data, call.end())
        end = closing_brace(data, call.end()) if is_item else -1
        if end < 0:
            continue
        for flags in _FLAGS.finditer(data, call.end(), end):
            _make_enum(text, data, flags)
        if call[1] == b"cfg_if":
            _blank_branches(text, data, call.end(), end)
        for start, stop in ((call.start(), call.end()), (end, end + 1)):
            text[start:stop] = b" " * (stop - start)
    return _LAZY.sub(rb"\1   ", bytes(text)) if b"static ref" in data else bytes(text)


def _make_enum(text: bytearray, data: bytes, flags: re.Match[bytes]) -> None:
    """Write `struct Name: u32 { const A = 1; }` as `enum Name { A = 1, }`."""
    text[slice(*flags.span(1))] = b"enum  "
    text[slice(*flags.span(2))] = b" " * len(flags[2])
    for flag in _FLAG.finditer(data, flags.end(), closing_brace(data, flags.end())):
        text[slice(*flag.span(1))] = b" " * len(flag[1])
        text[slice(*flag.span(2))] = b","


def closing_brace(data: bytes, start: int) -> int:
    """Where the brace that was opened just before `start` is closed; -1 where it is not."""
    depth = 1
    for token in _TOKEN.finditer(data, start):
        depth += (token[0] == b"{") - (token[0] == b"}")
        if not depth:
            return token.start()
    return -1


def _blank_branches(text: bytearray, data: bytes, start: int, end: int) -> None:
    """Blank the heads and braces of `if #[cfg(…)] { … } else { … }`, whose items stay."""
    while (branch := _BRANCH.search(data, start, end)) is not None:
        last = closing_brace(data, branch.end())
        if last < 0:
            return
        text[branch.start() : branch.end()] = b" " * (branch.end() - branch.start())
        text[last : last + 1] = b" "
        start = last + 1

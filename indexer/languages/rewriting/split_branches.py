"""C and C++ in which a statement that is split over the branches of an `#if` has one head. Pure.

Where each branch opens the same brackets, closes one and opens another (`} else if (…) {`), or is
the head of the block that follows, the grammars lose the function around it. There the first branch
stays, and the others and the directives themselves are blanked; every byte keeps its offset and
line.
"""

import re
from itertools import pairwise

_DIRECTIVE = re.compile(
    rb"\n[ \t]*+#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b"
    rb"(?:\\\r?\n|/\*(?:[^*]|\*(?!/))*+\*/|[^\n])*+"
)
_NO_CODE = re.compile(
    rb"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'"
)
_NO_BRACKETS = bytes(set(range(256)) - set(b"{}()"))
_VISIBLE = re.compile(rb"[^\r\n]")
_ELSE = re.compile(rb"\s*(else)\b")
_OPENS_BLOCK = re.compile(rb"\s*\{")
_LAST_DIRECTIVE = re.compile(rb"(?:^|\n)[ \t]*#[^\n]*\Z")
_OPENING = (b"if", b"ifdef", b"ifndef")


def with_whole_statements(data: bytes) -> bytes:
    """The source, which begins with a line break, as long as it was: with the first branch alone
    where branches share a brace, and without an `else` that a directive parts from its `if`."""
    directives = list(_DIRECTIVE.finditer(data))
    text = bytearray(data)
    for directive in directives:
        if parted := _ELSE.match(data, directive.end()):
            text[slice(*parted.span(1))] = b"    "
    data = bytes(text)
    edges = [(at.end(), following.start()) for at, following in pairwise(directives)]
    if not any(_reaches_out(data[start:end]) for start, end in edges) and not any(
        at[1] == b"endif" and _OPENS_BLOCK.match(data, at.end()) for at in directives
    ):
        return data
    open_groups: list[list[int]] = []
    for number, directive in enumerate(directives):
        if directive[1] in _OPENING:
            open_groups.append([number])
        elif open_groups:
            open_groups[-1].append(number)
            if directive[1] == b"endif":
                group = [directives[each] for each in open_groups.pop()]
                _join(text, group)
    return bytes(text)


def _join(text: bytearray, group: list[re.Match[bytes]]) -> None:
    """Blank what a group has beside its first branch, where its braces reach out of it."""
    branches = [bytes(text[at.end() : to.start()]) for at, to in pairwise(group)]
    is_head = _OPENS_BLOCK.match(text, group[-1].end()) and all(map(_is_head, branches))
    if not is_head and not _reaches_out(branches[0]):
        return
    balances = [_balance(each) for each in branches]
    # A branch that only opens, without another that does so too, is whole with what follows.
    if len(set(balances)) > 1 or (len(branches) == 1 and any(balances[0])):
        return
    kept = group[0].end(), group[1].start()
    for start, end in ((group[0].start(), kept[0]), (kept[1], group[-1].end())):
        text[start:end] = _VISIBLE.sub(b" ", bytes(text[start:end]))


def _is_head(branch: bytes) -> bool:
    """Whether it ends within a statement."""
    code = _NO_CODE.sub(b"", branch).rstrip()
    return not code.endswith((b";", b"{", b"}", b":", b",")) and not _LAST_DIRECTIVE.search(code)


def _reaches_out(branch: bytes) -> bool:
    """Whether it closes a bracket that it has not opened, or leaves one open."""
    marks = b""
    for opening, closing in (b"{}", b"()"):
        first = branch.find(closing)
        is_even = branch.count(opening) == branch.count(closing)
        if is_even and (first < 0 or 0 <= branch.find(opening) < first):
            continue
        marks = marks or _NO_CODE.sub(b"", branch).translate(None, _NO_BRACKETS)
        depth = lowest = 0
        for each in marks:
            depth += (each == opening) - (each == closing)
            lowest = min(lowest, depth)
        if depth or lowest < 0:
            return True
    return False


def _balance(branch: bytes) -> tuple[int, int]:
    code = _NO_CODE.sub(b"", branch)
    return code.count(b"{") - code.count(b"}"), code.count(b"(") - code.count(b")")

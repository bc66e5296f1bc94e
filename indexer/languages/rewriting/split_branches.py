"""C and C++ in which a statement that is split over the branches of an `#if` has one head. Pure.

Where each branch opens the same brace, or closes one and opens another (`} else if (…) {`), the
grammars lose the function around it. There the first branch stays, and the others and the
directives themselves are blanked; every byte keeps its offset and line.
"""

from __future__ import annotations

import re
from itertools import pairwise

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[^\n]*", re.MULTILINE)
_NO_CODE = re.compile(
    rb"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'"
)
_VISIBLE = re.compile(rb"[^\r\n]")
_OPENING = (b"if", b"ifdef", b"ifndef")


def with_whole_statements(data: bytes) -> bytes:
    """The source with the first branch alone where branches share a brace, as long as it was."""
    if b"#" not in data:
        return data
    directives = list(_DIRECTIVE.finditer(data))
    edges = [(at.end(), following.start()) for at, following in pairwise(directives)]
    if not any(_reaches_out(data[start:end]) for start, end in edges):
        return data
    text = bytearray(data)
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
    if not _reaches_out(branches[0]):
        return
    balances = [_balance(each) for each in branches]
    # A branch that only opens, without another that does so too, is whole with what follows.
    if len(set(balances)) > 1 or (len(branches) == 1 and balances[0]):
        return
    kept = group[0].end(), group[1].start()
    for start, end in ((group[0].start(), kept[0]), (kept[1], group[-1].end())):
        text[start:end] = _VISIBLE.sub(b" ", bytes(text[start:end]))


def _reaches_out(branch: bytes) -> bool:
    """Whether it closes a brace that it has not opened, or leaves one open."""
    first = branch.find(b"}")
    if branch.count(b"{") == branch.count(b"}") and (first < 0 or b"{" in branch[:first]):
        return False
    depth = lowest = 0
    for brace in re.findall(rb"[{}]", _NO_CODE.sub(b"", branch)):
        depth += 1 if brace == b"{" else -1
        lowest = min(lowest, depth)
    return depth != 0 or lowest < 0


def _balance(branch: bytes) -> int:
    code = _NO_CODE.sub(b"", branch)
    return code.count(b"{") - code.count(b"}")

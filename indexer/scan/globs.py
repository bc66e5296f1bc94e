"""One wildmatch pattern as a regular expression over bytes, as git's wildmatch.c reads it."""

import re
from collections.abc import Iterable

from satchel.store.path_filter import split

_SLASH = ord("/")
# Tokens that are not yet a regex. A literal never looks like one: "*" is escaped as "\*".
_STAR = b"*"
_REST = b"**"  # "**" at the end: everything below
_DEEP = b"**/"  # any number of folders, also none
_DEEPER = b"**\\/"  # at least one folder: git has no zero match when the slash is escaped

_DIGIT = frozenset(b"0123456789")
_LOWER = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_UPPER = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_GRAPH = frozenset(range(0x21, 0x7F))
_CLASSES = {
    b"alnum": _DIGIT | _LOWER | _UPPER,
    b"alpha": _LOWER | _UPPER,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(0x20)) | {0x7F},
    b"digit": _DIGIT,
    b"graph": _GRAPH,
    b"lower": _LOWER,
    b"print": _GRAPH | {0x20},
    b"punct": _GRAPH - _DIGIT - _LOWER - _UPPER,
    b"space": frozenset(b" \t\r\n"),  # git's own table: form feed and vertical tab are not in it
    b"upper": _UPPER,
    b"xdigit": _DIGIT | frozenset(b"abcdefABCDEF"),
}


def translate(pattern: bytes) -> bytes | None:
    """A wildmatch pattern as a regex for `fullmatch`; None when git would never match it."""
    tokens: list[bytes] = []
    at = 0
    while at < len(pattern):
        token, at = _token(pattern, at)
        if token is None:
            return None
        tokens.append(token)
    # Joins the runs between "**/" tokens: all but the last settle for their leftmost place.
    runs = list(split(tokens, (_DEEP, _DEEPER)))
    jumps = [token for token in tokens if token in (_DEEP, _DEEPER)]
    parts = [_run(runs[0])]
    for jump, run in zip(jumps[:-1], runs[1:-1], strict=True):
        folders = b"(?:[^/]*/)*?" if jump == _DEEP else b"(?:[^/]*/)+?"
        parts.append(b"(?>%b%b)" % (folders, _run(run)))
    if jumps:
        parts.append((b"(?:.*/)?" if jumps[-1] == _DEEP else b".*/") + _run(runs[-1]))
    return b"".join(parts)


def _token(pattern: bytes, at: int) -> tuple[bytes | None, int]:
    """The token at `at` and where the next one starts; None for a pattern git gives up on."""
    char = pattern[at : at + 1]
    if char == b"*":
        return _stars(pattern, at)
    if char == b"?":
        return b"[^/]", at + 1
    if char == b"[":
        return _bracket(pattern, at + 1)
    if char == b"\\":
        char, at = pattern[at + 1 : at + 2], at + 1
    return (re.escape(char) if char else None), at + 1


def _stars(pattern: bytes, at: int) -> tuple[bytes, int]:
    end = at
    while pattern[end : end + 1] == b"*":
        end += 1
    starts_component = at == 0 or pattern[at - 1] == _SLASH
    if end - at == 1 or not starts_component:
        return _STAR, end
    if end == len(pattern):
        return _REST, end
    if pattern[end] == _SLASH:
        return _DEEP, end + 1
    if pattern.startswith(b"\\/", end):
        return _DEEPER, end + 2
    return _STAR, end


def _bracket(pattern: bytes, at: int) -> tuple[bytes | None, int]:
    """The set that starts behind a "[", as the bytes it allows; "/" is never among them."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    start, members, previous = at, set[int](), 0
    while at == start or pattern[at : at + 1] != b"]":
        item = _bracket_item(pattern, at, previous)
        if item is None:
            return None, at
        more, previous, at = item
        members.update(more)
    allowed = (set(range(1, 256)) - members if negated else members) - {_SLASH}
    if not allowed:
        return b"(?!)", at + 1
    return b"[%b]" % b"".join(b"\\x%02x" % byte for byte in sorted(allowed)), at + 1


def _bracket_item(pattern: bytes, at: int, previous: int) -> tuple[Iterable[int], int, int] | None:
    """One member: its bytes, the byte a range may start from next (0: none), where it ends."""
    if pattern.startswith(b"[:", at):
        close = pattern.find(b"]", at + 2)
        if close < 0:
            return None
        if close > at + 2 and pattern[close - 1 : close] == b":":
            named = _CLASSES.get(pattern[at + 2 : close - 1])
            return None if named is None else (named, 0, close + 1)
    ranged = previous and pattern[at : at + 1] == b"-" and pattern[at + 1 : at + 2] not in b"]"
    at += bool(ranged)
    at += pattern[at : at + 1] == b"\\"
    if at >= len(pattern):
        return None
    byte = pattern[at]
    return (range(previous, byte + 1), 0, at + 1) if ranged else ((byte,), byte, at + 1)


def _run(tokens: list[bytes]) -> bytes:
    return b"/".join(_component(list(part)) for part in split(tokens, (b"/",)))


def _component(tokens: list[bytes]) -> bytes:
    """One path component: what lies between two stars is taken at its leftmost place."""
    if tokens == [_REST]:
        return b".*"
    first, *others = [b"".join(piece) for piece in split(tokens, (_STAR,))]
    if not others:
        return first
    between = b"".join(b"(?>[^/]*?%b)" % piece for piece in others[:-1])
    return first + between + b"[^/]*" + others[-1]

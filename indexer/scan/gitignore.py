"""What ignore rules say about a path: gitignore syntax exactly as git reads it, over bytes.

`parse` reads the text of one ignore file, `decide` asks a chain of them. Paths are bytes, because
"?" and "[…]" stand for one byte in git. Patterns follow git's wildmatch.c; where git before 2.53
departs from its manual (`foo**/bar` crossing folders) the manual wins.

All rules of a file are asked at once: plain names and `*.ext` are dictionary look-ups, the rest is
one alternation per kind. A star settles for its leftmost match, which is enough for a glob, so no
pattern of a hostile repository takes more than polynomial time.

Not here: which files hold rules, their precedence, and that nothing below an ignored folder is
asked about (`indexer.scan.walk`). Nor pathspec 1.1, which reads a quarter of random patterns
otherwise than git, most of them (brackets, escapes) by raising.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"
_SPECIAL = frozenset(b"*?[\\")
_BACKSLASH, _SLASH, _DASH, _OPEN, _CLOSE = b"\\/-[]"

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


@dataclass(frozen=True, slots=True)
class Rule:
    """One effective line of an ignore file; `source` is where it stands, "src/.gitignore:3"."""

    pattern: bytes
    source: str
    negated: bool
    dir_only: bool
    by_name: bool
    """Compared with the last component alone; otherwise with the path below the file's folder."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Rules of one kind, looked up together; numbers are ranks in the file, the highest decides."""

    exact: dict[bytes, int]
    extensions: dict[bytes, int]
    regex: re.Pattern[bytes] | None
    ranks: tuple[int, ...]
    """The rank of each group of `regex`, in the order of its alternatives."""

    def rank(self, text: bytes) -> int:
        """The rank of the last rule that matches, -1 for none."""
        best = self.exact.get(text, -1)
        # Only the last dot: `_is_extension` lets no pattern in that has two.
        if self.extensions and (dot := text.rfind(b".")) >= 0:
            best = max(best, self.extensions.get(text[dot:], -1))
        if self.regex is not None and (match := self.regex.fullmatch(text)) is not None:
            # Each alternative is one group, and the first that matches has the highest rank.
            best = max(best, self.ranks[(match.lastindex or 1) - 1])
        return best


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rules of one ignore file, in force below the folder that holds it.

    `base` is the length of that folder's path with its trailing slash. Tables are for
    (names of files, paths of files, names of folders, paths of folders); None has no rules.
    """

    base: int
    rules: tuple[Rule, ...]
    tables: tuple[_Table | None, _Table | None, _Table | None, _Table | None]

    def last_match(self, path: bytes, name: bytes, *, is_dir: bool) -> Rule | None:
        """The rule of this file that decides about `path`, whose last component is `name`."""
        by_name, by_path = self.tables[2:] if is_dir else self.tables[:2]
        rank = -1 if by_name is None else by_name.rank(name)
        if by_path is not None:
            rank = max(rank, by_path.rank(path[self.base :]))
        return None if rank < 0 else self.rules[rank]


def decide(chain: Iterable[RuleFile], path: bytes, name: bytes, *, is_dir: bool) -> Rule | None:
    """The rule that decides about a path, or None; the chain comes strongest first."""
    for rule_file in chain:
        rule = rule_file.last_match(path, name, is_dir=is_dir)
        if rule is not None:
            return rule
    return None


def parse(content: bytes, origin: str, base: int = 0) -> RuleFile | None:
    """Reads an ignore file whose folder path has `base` bytes; None when no line has an effect."""
    found: list[Rule] = []
    regexes: list[bytes] = []
    for number, line in enumerate(content.removeprefix(_BOM).split(b"\n"), start=1):
        rule = _rule(line, f"{origin}:{number}")
        regex = None if rule is None else translate(rule.pattern)
        if rule is not None and regex is not None:
            found.append(rule)
            regexes.append(regex)
    if not found:
        return None
    ranked = list(zip(range(len(found)), found, regexes, strict=True))
    # A rule that ends in "/" says nothing of files, so that files have tables of their own.
    names = [row for row in ranked if row[1].by_name]
    paths = [row for row in ranked if not row[1].by_name]
    return RuleFile(
        base,
        tuple(found),
        (
            _table([row for row in names if not row[1].dir_only]),
            _table([row for row in paths if not row[1].dir_only]),
            _table(names),
            _table(paths),
        ),
    )


def translate(pattern: bytes) -> bytes | None:
    """A wildmatch pattern as a regex for `fullmatch`; None when git never matches it."""
    tokens: list[bytes] = []
    at = 0
    while at < len(pattern):
        token, at = _token(pattern, at)
        if token is None:
            return None
        tokens.append(token)
    return _assemble(tokens)


def _rule(line: bytes, source: str) -> Rule | None:
    if line.startswith(b"#"):
        return None
    # git strips one CR and hands the rest to C string functions, which end at a NUL.
    body = line.removesuffix(b"\r").partition(b"\0")[0]
    # Trailing spaces go, not tabs, up to one that a backslash protects.
    end = len(body.rstrip(b" "))
    n_backslashes = end - len(body[:end].rstrip(b"\\"))
    is_protected = n_backslashes % 2 == 1 and end < len(body)
    body = body[: end + 1] if is_protected else body[:end]
    negated = body.startswith(b"!")
    body = body[negated:]
    dir_only = body.endswith(b"/")
    body = body.removesuffix(b"/")
    by_name = b"/" not in body
    body = body.removeprefix(b"/")
    return Rule(body, source, negated, dir_only, by_name) if body else None


def _table(rows: list[tuple[int, Rule, bytes]]) -> _Table | None:
    exact: dict[bytes, int] = {}
    extensions: dict[bytes, int] = {}
    others: list[tuple[int, bytes]] = []
    for rank, rule, regex in rows:
        pattern = rule.pattern
        if not _SPECIAL.intersection(pattern):
            exact[pattern] = rank
        elif rule.by_name and _is_extension(pattern):
            extensions[pattern[1:]] = rank
        else:
            others.append((rank, regex))
    others.reverse()  # the first alternative that matches is then the last rule of the file
    alternatives = b"|".join(b"(%b)" % regex for _, regex in others)
    regex_or_none = re.compile(alternatives, re.DOTALL) if others else None
    return _Table(exact, extensions, regex_or_none, tuple(r for r, _ in others)) if rows else None


def _is_extension(pattern: bytes) -> bool:
    """Whether the pattern is "*.ext": its one dot is then the last dot of every name it matches."""
    tail = pattern[2:]
    return pattern.startswith(b"*.") and b"." not in tail and not _SPECIAL.intersection(tail)


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
    # Two stars mean folders only as a whole component; elsewhere they are one star.
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
    # A "]" right behind the opening is a member.
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


def _assemble(tokens: list[bytes]) -> bytes:
    """Joins the runs between "**/" tokens: all but the last settle for their leftmost place."""
    # A run that matches early leaves more of the path to what follows, so the leftmost place is as
    # good as any other, and an atomic group need not come back to it: no exponential time. The last
    # run must end where the path ends, which its leftmost place may not.
    runs = list(_split(tokens, (_DEEP, _DEEPER)))
    jumps = [token for token in tokens if token in (_DEEP, _DEEPER)]
    parts = [_run(runs[0])]
    for jump, run in zip(jumps[:-1], runs[1:-1], strict=True):
        folders = b"(?:[^/]*/)*?" if jump == _DEEP else b"(?:[^/]*/)+?"
        parts.append(b"(?>%b%b)" % (folders, _run(run)))
    if jumps:
        parts.append((b"(?:.*/)?" if jumps[-1] == _DEEP else b".*/") + _run(runs[-1]))
    return b"".join(parts)


def _run(tokens: list[bytes]) -> bytes:
    return b"/".join(_component(list(part)) for part in _split(tokens, (b"/",)))


def _component(tokens: list[bytes]) -> bytes:
    """One path component: what lies between two stars is taken at its leftmost place."""
    if tokens == [_REST]:
        return b".*"
    first, *others = [b"".join(piece) for piece in _split(tokens, (_STAR,))]
    # As in `_assemble`, with stars in place of folders.
    if not others:
        return first
    between = b"".join(b"(?>[^/]*?%b)" % piece for piece in others[:-1])
    return first + between + b"[^/]*" + others[-1]


def _split(tokens: list[bytes], separators: tuple[bytes, ...]) -> Iterator[list[bytes]]:
    piece: list[bytes] = []
    for token in tokens:
        if token in separators:
            yield piece
            piece = []
        else:
            piece.append(token)
    yield piece

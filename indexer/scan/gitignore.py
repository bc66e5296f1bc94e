"""What ignore rules say about a path: gitignore syntax exactly as git reads it, over bytes.

`parse` reads the text of one ignore file, `decide` asks a chain of them. Paths are bytes, because
"?" and "[…]" stand for one byte in git. Patterns follow git's wildmatch.c; where git before 2.53
departs from its manual (`foo**/bar` crossing folders) the manual wins.

All rules of a file are asked at once: plain names and `*.ext` are dictionary look-ups; the others
(globs) are found by what a text must begin with, end with or contain to match, and only then
translated. A star settles for its leftmost match, which is enough for a glob, so no pattern takes
more than polynomial time. What remains is a hostile author's many globs that have nothing plain in
them, each tried with each path: `Allowance` says how many are in force, and `RuleFile.cut` from
where on they are not.

Not here: which files hold rules, their precedence, and that nothing below an ignored folder is
asked about (`indexer.scan.walk`).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct, field

from satchel.indexer.scan.globs import translate

_BOM = b"\xef\xbb\xbf"
_WILD = re.compile(rb"[*?\[\\]")
_BRACKET_OR_ESCAPE = re.compile(rb"[\[\\]")
_EXTENSION = re.compile(rb"\*\.[^*?\[\\.]*")
_NEVER_MATCHES = b"(?!)"


_FEW = 32  # so many globs are tried sooner than looked up
_NEEDLE_BYTES = 8  # of a needle that is looked up: a text has few places for more lengths


class Allowance(NamedTuple):
    """How many globs may be in force, and how many bytes they may have together.

    An author needs some hundred. Four thousand that all have to be tried cost 1 ms a path (20 ms
    where names have 200 bytes, as much as git takes for sixty thousand), 256 kB a second once.
    """

    globs: int = 4_000
    n_bytes: int = 1 << 18


ALLOWANCE = Allowance()


class Rule(NamedTuple):
    """One effective line of an ignore file; `source` is where it stands, "src/.gitignore:3"."""

    pattern: bytes
    source: str
    negated: bool
    dir_only: bool
    by_name: bool
    """Compared with the last component alone; otherwise with the path below the file's folder."""
    is_glob: bool
    """Whether it has wildcards or escapes, "*.ext" apart: it may have to be tried with a path."""


class _Glob(Struct, eq=False):
    """A rule with wildcards; its expression is made when a text first may match."""

    rank: int
    pattern: bytes
    needle: bytes
    """What every text that matches contains."""
    _regex: re.Pattern[bytes] | None = None

    def __eq__(self, other: object) -> bool:
        """Whether it is the same rule, whatever has been made of it by now."""
        return (
            isinstance(other, _Glob) and self.pattern == other.pattern and self.rank == other.rank
        )

    def matches(self, text: bytes) -> bool:
        """Whether all of a text matches that contains the needle."""
        if self._regex is None:
            self._regex = re.compile(translate(self.pattern) or _NEVER_MATCHES, re.DOTALL)
        return self._regex.fullmatch(text) is not None


class _Globs(Struct, eq=False):
    """Globs that are tried together, the highest rank first; many are found by their needles."""

    listed: list[_Glob] = field(default_factory=list)
    _by_needle: dict[int, dict[bytes, list[_Glob]]] = field(default_factory=dict)
    """By the length of a needle, then by the needle; empty until it is asked for."""

    def __eq__(self, other: object) -> bool:
        """Whether the same globs are listed."""
        return isinstance(other, _Globs) and self.listed == other.listed

    def rank(self, text: bytes, best: int) -> int:
        """The rank of the last rule that matches, `best` for none above that."""
        for glob in self.listed if len(self.listed) <= _FEW else self._with_needle_in(text):
            if glob.rank <= best:
                break
            if glob.needle in text and glob.matches(text):
                return glob.rank
        return best

    def _with_needle_in(self, text: bytes) -> list[_Glob]:
        if not self._by_needle:
            for glob in self.listed:
                # Cut needles still decide rightly: every glob that is found here is tried in full.
                key = glob.needle[:_NEEDLE_BYTES]
                self._by_needle.setdefault(len(key), {}).setdefault(key, []).append(glob)
        found: list[_Glob] = []
        for length, by_needle in self._by_needle.items():
            for piece in {text[at : at + length] for at in range(len(text) - length + 1)}:
                found += by_needle.get(piece, ())
        # The last line of a file decides in git, so the highest rank is tried first.
        found.sort(key=lambda glob: -glob.rank)
        return found


_GlobsByText = dict[int, dict[bytes, _Globs]]
"""By the length of some text, then by that text."""


class _Table(Struct, frozen=True):
    """Rules of one kind, looked up together; numbers are ranks in the file, the highest decides."""

    exact: dict[bytes, int]
    extensions: dict[bytes, int]
    heads: _GlobsByText
    tails: _GlobsByText
    others: _Globs

    def rank(self, text: bytes) -> int:
        """The rank of the last rule that matches, -1 for none."""
        # Cheap look-ups first: their rank spares trying every glob that is ranked lower.
        best = self.exact.get(text, -1)
        if self.extensions and (dot := text.rfind(b".")) >= 0:
            best = max(best, self.extensions.get(text[dot:], -1))
        for length, by_head in self.heads.items():
            if globs := by_head.get(text[:length]):
                best = globs.rank(text, best)
        for length, by_tail in self.tails.items():
            if globs := by_tail.get(text[-length:]):
                best = globs.rank(text, best)
        return self.others.rank(text, best) if self.others.listed else best


class RuleFile(Struct, frozen=True):
    """The rules of one ignore file, in force below the folder that holds it.

    `base` is the length of that folder's path with its trailing slash. Tables are for
    (names of files, paths of files, names of folders, paths of folders); None has no rules.
    """

    base: int
    rules: tuple[Rule, ...]
    tables: tuple[_Table | None, _Table | None, _Table | None, _Table | None]
    left: Allowance
    """What the rules leave of the allowance, for files further below."""
    cut: str = ""
    """From where on which of its rules are not in force, "" when all of them are."""

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


def parse(
    content: bytes, origin: str, base: int = 0, allowed: Allowance = ALLOWANCE
) -> RuleFile | None:
    """Reads an ignore file whose folder path has `base` bytes; None when no line has an effect."""
    found: list[Rule] = []
    n_globs, n_bytes = allowed
    cut = ""
    for number, line in enumerate(content.removeprefix(_BOM).split(b"\n"), start=1):
        rule = _rule(line, f"{origin}:{number}")
        if rule is None:
            continue
        if rule.is_glob:
            cost = len(rule.pattern)
            # Also those that would fit yet: "from this line on" is what can be told and understood.
            if cut or n_globs < 1 or n_bytes < cost:
                cut = cut or f"no pattern with wildcards is in force from line {number} on"
                continue
            n_globs, n_bytes = n_globs - 1, n_bytes - cost
        found.append(rule)
    if not found and not cut:
        return None
    return RuleFile(base, tuple(found), _tables(found), Allowance(n_globs, n_bytes), cut)


def _tables(
    rules: list[Rule],
) -> tuple[_Table | None, _Table | None, _Table | None, _Table | None]:
    ranked = list(enumerate(rules))
    names = [row for row in ranked if row[1].by_name]
    paths = [row for row in ranked if not row[1].by_name]
    # Files share the tables of folders where no rule is for folders alone, as in most files.
    of_folders = _table(names), _table(paths)
    of_files = [
        made
        if all(not rule.dir_only for _, rule in rows)
        else _table([row for row in rows if not row[1].dir_only])
        for rows, made in zip((names, paths), of_folders, strict=True)
    ]
    return of_files[0], of_files[1], *of_folders


def _rule(line: bytes, source: str) -> Rule | None:
    if line.startswith(b"#"):
        return None
    # git strips one CR and hands the rest to C string functions, which end at a NUL.
    body = _trim(line.removesuffix(b"\r").partition(b"\0")[0])
    negated = body.startswith(b"!")
    body = body[negated:]
    dir_only = body.endswith(b"/")
    body = body.removesuffix(b"/")
    # git asks this after the trailing slash is gone and before the leading one is.
    by_name = b"/" not in body
    body = body.removeprefix(b"/")
    if not body:
        return None
    # Whether the pattern is "*.ext": its one dot is then the last dot of every name it matches.
    is_extension = by_name and _EXTENSION.fullmatch(body) is not None
    is_glob = _WILD.search(body) is not None and not is_extension
    return Rule(body, source, negated, dir_only, by_name, is_glob)


def _trim(line: bytes) -> bytes:
    """Drops trailing spaces, not tabs, up to one that a backslash protects."""
    end = len(line.rstrip(b" "))
    backslashes = end - len(line[:end].rstrip(b"\\"))
    protects = backslashes % 2 == 1
    return line[: end + 1] if protects and end < len(line) else line[:end]


def _table(rows: list[tuple[int, Rule]]) -> _Table | None:
    table = _Table({}, {}, {}, {}, _Globs())
    # From the last line up, so that `setdefault` keeps the rule that decides.
    for rank, rule in reversed(rows):
        if rule.is_glob:
            glob = _Glob(rank, rule.pattern, needle(rule.pattern))
            head, tail = _WILD.split(glob.pattern, maxsplit=1)[0], _tail(glob.pattern)
            if head:
                globs = table.heads.setdefault(len(head), {}).setdefault(head, _Globs())
            elif tail:
                globs = table.tails.setdefault(len(tail), {}).setdefault(tail, _Globs())
            else:
                globs = table.others
            globs.listed.append(glob)
        elif rule.by_name and rule.pattern.startswith(b"*"):
            table.extensions.setdefault(rule.pattern[1:], rank)
        else:
            table.exact.setdefault(rule.pattern, rank)
    return table if rows else None


def _tail(pattern: bytes) -> bytes:
    """What every text that matches ends with. "**/x" matches "x", so no slash begins it."""
    if _BRACKET_OR_ESCAPE.search(pattern):
        return b""
    return _WILD.split(pattern)[-1].lstrip(b"/")


def needle(pattern: bytes) -> bytes:
    """The longest text that is plainly in everything that a pattern matches, "" for none.

    Of a pattern with brackets or escapes only what lies before the first and behind the last is
    looked at: what is within cannot be told from plain text without reading the pattern in full.
    """
    parts = [pattern]
    if first := _BRACKET_OR_ESCAPE.search(pattern):
        after_last = max(pattern.rfind(b"]") + 1, pattern.rfind(b"\\") + 2)
        parts = [pattern[: first.start()], pattern[after_last:]]
    pieces = [piece.strip(b"/") for part in parts for piece in _WILD.split(part)]
    return max(pieces, key=len)

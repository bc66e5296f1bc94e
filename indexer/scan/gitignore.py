"""What ignore rules say about a path: gitignore syntax exactly as git reads it, over bytes.

`parse` reads the text of one ignore file, `decide` asks a chain of them. Paths are bytes, because
"?" and "[…]" stand for one byte in git. Patterns follow git's wildmatch.c; where git before 2.53
departs from its manual (`foo**/bar` crossing folders) the manual wins.

All rules of a file are asked at once: plain names and `*.ext` are dictionary look-ups; the others
are found by what a text must begin with, end with or contain to match, and only then translated. A
star settles for its leftmost match, which is enough for a glob, so no pattern of a hostile
repository takes more than polynomial time, and sixty thousand of them take none for most names.

Not here: which files hold rules, their precedence, and that nothing below an ignored folder is
asked about (`indexer.scan.walk`). Nor pathspec 1.1, which reads a quarter of random patterns
otherwise than git, most of them (brackets, escapes) by raising.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from satchel.indexer.scan.globs import translate

_BOM = b"\xef\xbb\xbf"
_SPECIAL = frozenset(b"*?[\\")
_WILD = re.compile(rb"[*?\[\\]")
_BRACKET_OR_ESCAPE = re.compile(rb"[\[\\]")
_NEVER_MATCHES = b"(?!)"


@dataclass(frozen=True, slots=True)
class Rule:
    """One effective line of an ignore file; `source` is where it stands, "src/.gitignore:3"."""

    pattern: bytes
    source: str
    negated: bool
    dir_only: bool
    by_name: bool
    """Compared with the last component alone; otherwise with the path below the file's folder."""


@dataclass(slots=True)
class _Glob:
    """A rule with wildcards; its expression is made when a text first may match."""

    rank: int
    pattern: bytes
    needle: bytes
    """What every text that matches contains."""
    _regex: re.Pattern[bytes] | None = field(default=None, compare=False)

    def matches(self, text: bytes) -> bool:
        """Whether all of the text matches."""
        if self.needle not in text:
            return False
        if self._regex is None:
            self._regex = re.compile(translate(self.pattern) or _NEVER_MATCHES, re.DOTALL)
        return self._regex.fullmatch(text) is not None


_Globs = dict[int, dict[bytes, list[_Glob]]]
"""By the length of some text, then by that text; the highest rank first."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Rules of one kind, looked up together; numbers are ranks in the file, the highest decides."""

    exact: dict[bytes, int]
    extensions: dict[bytes, int]
    heads: _Globs
    tails: _Globs
    others: list[_Glob]

    def rank(self, text: bytes) -> int:
        """The rank of the last rule that matches, -1 for none."""
        best = self.exact.get(text, -1)
        if self.extensions and (dot := text.rfind(b".")) >= 0:
            best = max(best, self.extensions.get(text[dot:], -1))
        for length, by_head in self.heads.items():
            best = _best(by_head.get(text[:length], ()), text, best)
        for length, by_tail in self.tails.items():
            best = _best(by_tail.get(text[-length:], ()), text, best)
        return _best(self.others, text, best)


def _best(globs: Iterable[_Glob], text: bytes, best: int) -> int:
    for glob in globs:
        if glob.rank <= best:
            break
        if glob.matches(text):
            return glob.rank
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
    for number, line in enumerate(content.removeprefix(_BOM).split(b"\n"), start=1):
        rule = _rule(line, f"{origin}:{number}")
        if rule is not None and _can_match(rule.pattern):
            found.append(rule)
    if not found:
        return None
    ranked = list(enumerate(found))
    names = [row for row in ranked if row[1].by_name]
    paths = [row for row in ranked if not row[1].by_name]
    of_folders = _table(names), _table(paths)
    of_files = [
        made if all(not rule.dir_only for _, rule in rows) else _table(_of_files(rows))
        for rows, made in zip((names, paths), of_folders, strict=True)
    ]
    return RuleFile(base, tuple(found), (of_files[0], of_files[1], *of_folders))


def _of_files(rows: list[tuple[int, Rule]]) -> list[tuple[int, Rule]]:
    return [row for row in rows if not row[1].dir_only]


def _rule(line: bytes, source: str) -> Rule | None:
    if line.startswith(b"#"):
        return None
    # git strips one CR and hands the rest to C string functions, which end at a NUL.
    body = _trim(line.removesuffix(b"\r").partition(b"\0")[0])
    negated = body.startswith(b"!")
    body = body[negated:]
    dir_only = body.endswith(b"/")
    body = body.removesuffix(b"/")
    by_name = b"/" not in body
    body = body.removeprefix(b"/")
    return Rule(body, source, negated, dir_only, by_name) if body else None


def _trim(line: bytes) -> bytes:
    """Drops trailing spaces, not tabs, up to one that a backslash protects."""
    end = len(line.rstrip(b" "))
    backslashes = end - len(line[:end].rstrip(b"\\"))
    protects = backslashes % 2 == 1
    return line[: end + 1] if protects and end < len(line) else line[:end]


def _table(rows: list[tuple[int, Rule]]) -> _Table | None:
    table = _Table({}, {}, {}, {}, [])
    for rank, rule in reversed(rows):
        pattern = rule.pattern
        if not _SPECIAL.intersection(pattern):
            table.exact.setdefault(pattern, rank)
        elif rule.by_name and _is_extension(pattern):
            table.extensions.setdefault(pattern[1:], rank)
        else:
            _file_away(table, _Glob(rank, pattern, _needle(pattern)))
    return table if rows else None


def _file_away(table: _Table, glob: _Glob) -> None:
    head, tail = _WILD.split(glob.pattern, maxsplit=1)[0], _tail(glob.pattern)
    if head:
        table.heads.setdefault(len(head), {}).setdefault(head, []).append(glob)
    elif tail:
        table.tails.setdefault(len(tail), {}).setdefault(tail, []).append(glob)
    else:
        table.others.append(glob)


def _tail(pattern: bytes) -> bytes:
    """What every text that matches ends with. "**/x" matches "x", so no slash begins it."""
    if _BRACKET_OR_ESCAPE.search(pattern):
        return b""
    return _WILD.split(pattern)[-1].lstrip(b"/")


def _needle(pattern: bytes) -> bytes:
    """The longest text that has to be in what matches, "" where that is not plain to see."""
    if _BRACKET_OR_ESCAPE.search(pattern):
        return b""
    return max((piece.strip(b"/") for piece in _WILD.split(pattern)), key=len)


def _can_match(pattern: bytes) -> bool:
    """Whether git would ever match it; only brackets and escapes can be written wrongly."""
    return not _BRACKET_OR_ESCAPE.search(pattern) or translate(pattern) is not None


def _is_extension(pattern: bytes) -> bool:
    """Whether the pattern is "*.ext": its one dot is then the last dot of every name it matches."""
    tail = pattern[2:]
    return pattern.startswith(b"*.") and b"." not in tail and not _SPECIAL.intersection(tail)

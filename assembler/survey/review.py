"""What changed since some time, as the unified diff that a review is made from and `changes` shows.
Pure.
"""

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from msgspec import Struct

from satchel.assembler.kinds import Scope
from satchel.assembler.query.diffs import RENAMED
from satchel.assembler.survey.changes import History
from satchel.store import path_filter
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot

_MAX_LINES = 20_000
"""Comparing longer files takes seconds; all of such a file counts as changed."""
_SAME = 0.5
"""Share of lines that a file which is gone has in common with a new one, from which it was renamed;
git takes the same."""
_MAX_PAIRS = 2_000
"""Pairs of files that are compared for that; git stops as well where too many are gone and new."""


def diff(snapshot: Snapshot, history: History, path: str = "") -> str:
    """The difference between then and now of files that `path` admits, as `git diff` writes it, by
    path; "" for none."""
    found = file_diffs(snapshot, history)
    return "\n".join(text for name, text in found if path_filter.admits(path, name))


def file_diffs(snapshot: Snapshot, history: History) -> Iterator[tuple[RepoPath, str]]:
    """Each file that differs with its difference, as `git diff` writes it, by path.

    A file that was renamed is told as that, with what changed in it.
    """
    then = {file.path: _lines(file.source) for file in history.then}
    now = {
        file.path: _lines(snapshot.files.source(file.digest, file.language)) for file in history.now
    }
    renamed = _renamed(then, now)
    earlier = set(renamed.values())
    for path in sorted(now.keys() | (then.keys() - earlier)):
        lines: list[str] = []
        was = path
        if path in renamed:
            was = renamed[path]
            sides = zip(RENAMED, (was, path), strict=True)
            lines += (f"{mark}{_name('', side)}" for mark, side in sides)
        lines += _compared(was, then.get(was, []), path, now.get(path, []))
        if lines:
            yield path, "\n".join(lines)


def _renamed(
    then: Mapping[RepoPath, list[str]], now: Mapping[RepoPath, list[str]]
) -> dict[RepoPath, RepoPath]:
    """The new paths of files that were renamed, and what each was called before."""
    gone = {path: _counted(lines) for path, lines in then.items() if lines and path not in now}
    new = {path: _counted(lines) for path, lines in now.items() if lines and path not in then}
    if not 0 < len(gone) * len(new) <= _MAX_PAIRS:
        return {}
    found: list[tuple[bool, float, RepoPath, RepoPath]] = []
    for old, before in gone.items():
        for path, after in new.items():
            fewer, more = sorted((before.total(), after.total()))
            # Texts of which one is twice as long as the other need not be compared.
            n_same = (before & after).total() if fewer >= _SAME * more else 0
            other = PurePosixPath(old).name != PurePosixPath(path).name
            if n_same and n_same >= _SAME * more:
                found.append((other, -n_same / more, old, path))
    # As with git the likest pair counts, and of files that are equally like one of the same name.
    found.sort(key=lambda pair: (pair[1], pair[0], pair[2], pair[3]))
    pairs: dict[RepoPath, RepoPath] = {}
    for _, _, old, path in found:
        if path not in pairs and old in gone:
            pairs[path] = old
            del gone[old]
    return pairs


def _counted(lines: Iterable[str]) -> Counter[str]:
    """How often each line stands in a text; blank ones make no texts alike."""
    return Counter(line for line in lines if line.strip())


class Hunks(Struct, frozen=True):
    """Differences of files, by path, in at most some tokens; `left_out` are those that did not fit,
    with their tokens."""

    shown: tuple[tuple[RepoPath, str], ...]
    left_out: tuple[tuple[RepoPath, int], ...]


def hunks(
    snapshot: Snapshot,
    history: History,
    scope: Scope,
    path: str,
    budget: int,
    count: Callable[[str], int],
) -> Hunks:
    """The differences in `scope` of files that `path` admits, each whole or not at all."""
    tests = {file.path: file.is_test for file in history.then}
    tests |= {file.path: file.is_test for file in history.now}
    shown: list[tuple[RepoPath, str]] = []
    left_out: list[tuple[RepoPath, int]] = []
    left = budget
    for name, text in file_diffs(snapshot, history):
        if not path_filter.admits(path, name) or not scope.admits(tests[name]):
            continue
        tokens = count(text)
        if tokens <= left:
            left -= tokens
            shown.append((name, text))
        else:
            left_out.append((name, tokens))
    return Hunks(tuple(shown), tuple(left_out))


def _lines(data: bytes | None) -> list[str]:
    return data.decode("utf-8", "replace").split("\n") if data else []


def _compared(was: RepoPath, old: list[str], path: RepoPath, new: list[str]) -> Iterator[str]:
    if old == new:
        return
    yield f"--- {_name('a/', was) if old else '/dev/null'}"
    yield f"+++ {_name('b/', path) if new else '/dev/null'}"
    # A file that is new or gone is one hunk anyway, so nothing has to be compared.
    if max(len(old), len(new)) > _MAX_LINES or not old or not new:
        yield f"@@ -{min(1, len(old))},{len(old)} +{min(1, len(new))},{len(new)} @@"
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    # `unified_diff` writes two lines of file names of its own, which do not quote what git quotes.
    header = 2
    for n, line in enumerate(difflib.unified_diff(old, new, lineterm="")):
        if n >= header:
            yield line


def _name(side: str, path: RepoPath) -> str:
    """A path as git writes it: quoted, with octal escapes, where it would not be one plain word."""
    name = f"{side}{path}"
    if name.isprintable() and '"' not in name and "\\" not in name:
        return name
    plain = range(0x20, 0x7F)
    escaped = (
        chr(byte) if byte in plain and byte not in b'"\\' else f"\\{byte:03o}"
        for byte in name.encode("utf-8", "surrogateescape")
    )
    return f'"{"".join(escaped)}"'

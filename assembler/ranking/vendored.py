"""Copies of other projects that somebody put into a code base by hand: where they are, how one
tells. Pure.

Such a copy lies next below a folder for the code of others (`third_party/zlib/`), and says whose it
is: by a licence of its own, or by copyrights in its files that name none of the holders whom the
code base names for itself. It is indexed, since it is built and may be asked about, and ranks
behind what is written here.

Not here: copies that a package manager made, which are not indexed (`indexer.scan.folder_marks`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from satchel.assembler.ranking import rank
from satchel.assembler.ranking.path_roles import role_of
from satchel.assembler.values import Scored
from satchel.store.model import RepoPath
from satchel.store.reading.snapshot import Snapshot
from satchel.store.records import ChunkRecord, KnownFile

_VENDOR_FOLDERS = frozenset(
    "vendor vendored _vendor vendors third_party third-party thirdparty 3rdparty 3rd_party external"
    " externals extern deps bundled _bundled".split()
)
"""What folders for the code of others are called, in lower case."""
_LICENCE = re.compile(r"(?:licen[cs]es?|copying|copyright|unlicense)(?:[.-].*)?", re.IGNORECASE)
_COPYRIGHT = re.compile(
    rb"\bcopyright\b[\s(c)\xc2\xa9:]*[12]\d{3}[\d\s,\xe2\x80\x93-]*(?:present)?[\s,]*"
    rb"(?:by )?([^\n]{2,80})",
    re.IGNORECASE,
)
"""A line with a year; the group begins with the holder."""
_HEAD_BYTES = 2_000
_SAMPLE = 20
"""Files of a copy whose copyrights are read, the first by path."""
_SAMPLE_BYTES = 100_000
"""Larger files are read for no copyright: they are data, and take longer than all others."""
_OWN_SAMPLE = 40
"""Files of the code base itself whose copyrights are read besides its licence."""
_COMMON = frozenset(
    "the and inc ltd llc gmbh corp corporation company foundation authors author contributors team"
    " project developers all by of software".split()
)
"""Words that holders of many names share."""
_LETTERS = re.compile(r"[^\W\d_]+")


class Vendored(Struct, frozen=True):
    """A copy of another project: its folder, with a "/" at its end, and how that is told."""

    folder: RepoPath
    reason: str


def vendored(snapshot: Snapshot, prefix: str = "") -> tuple[Vendored, ...]:
    """Every copy below a path, by folder."""
    below = (file.path for file in snapshot.files.all() if file.path.startswith(prefix))
    return _copies(snapshot, below)


def penalised(snapshot: Snapshot, items: list[Scored], factor: float) -> list[Scored]:
    """The ranking, with the scores of chunks in copies of other projects times `factor`, 0..1."""
    copies = tuple(copy.folder for copy in _copies(snapshot, (item.chunk.path for item in items)))
    if not copies:
        return items

    def is_penalised(chunk: ChunkRecord) -> bool:
        # Some folders have a penalty for their names already.
        role = role_of(chunk.path, chunk.language, chunk.is_test)
        return chunk.path.startswith(copies) and not role.is_compatibility

    counted = [rank.scaled(item, factor) if is_penalised(item.chunk) else item for item in items]
    return sorted(counted, key=rank.order)


@lru_cache(maxsize=1 << 12)
def folder_of(parent: str) -> RepoPath:
    """The folder of `parent` or above that would be a copy, by its place; "" for none."""
    parts = parent.split("/")
    for depth, name in enumerate(parts[:-1], 1):
        if name.lower() in _VENDOR_FOLDERS:
            return RepoPath("/".join(parts[: depth + 1]) + "/")
    return RepoPath("")


def _copies(snapshot: Snapshot, paths: Iterable[RepoPath]) -> tuple[Vendored, ...]:
    """The copies that some files lie in, by folder."""
    folders = {folder_of(path.rpartition("/")[0]) for path in paths} - {""}
    if not folders:
        return ()
    whose = _Owners(snapshot)
    reasons = ((folder, whose.reason(folder)) for folder in sorted(folders))
    return tuple(Vendored(folder, reason) for folder, reason in reasons if reason)


class _Owners:
    """Whom the files of a snapshot name as the holders of copyrights."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._files = snapshot.files
        self._cached = snapshot.cached
        # Files are read for each folder once, and not again for each question that reaches it.
        self._reasons: dict[RepoPath, str] = snapshot.cached("vendored folders", dict)

    def reason(self, folder: RepoPath) -> str:
        """Why a folder is a copy of another project; "" where nothing says so."""
        if folder not in self._reasons:
            self._reasons[folder] = self._find_reason(folder)
        return self._reasons[folder]

    def _find_reason(self, folder: RepoPath) -> str:
        files = self._files.all([RepoPath(folder.rstrip("/"))])
        for file in files:
            name = file.path.removeprefix(folder)
            if _LICENCE.fullmatch(name):
                return f"its own {name}"
        named = self._holders([file for file in files if _is_sampled(file)][:_SAMPLE])
        strangers = [holder for holder in named if not _words(holder) & self._own_holder_words]
        # One file with another holder may be an exception among files of one's own.
        is_copy = strangers and len(strangers) == len(named)
        return f"copyright {strangers[0]}" if is_copy else ""

    @property
    def _own_holder_words(self) -> frozenset[str]:
        """Words of the names that the code base has for its own holders."""
        return self._cached("own holders", self._read_own)

    def _read_own(self) -> frozenset[str]:
        every = self._files.all()
        licences = [file for file in every if _LICENCE.fullmatch(file.path)]
        outside = [f for f in every if not folder_of(f.path.rpartition("/")[0])]
        step = max(1, len(outside) // _OWN_SAMPLE)
        sampled = [self._holders([file]) for file in filter(_is_sampled, outside[::step])]
        counted = Counter(holder for holders in sampled for holder in holders)
        # A single file may have come from elsewhere, too.
        often = (holder for holder, n in counted.items() if n > 1)
        named = (*self._holders(licences), *often)
        return frozenset(word for holder in named for word in _words(holder))

    def _holders(self, files: Sequence[KnownFile]) -> list[str]:
        """The holders of copyrights at the beginning of some files, once each, in their order."""
        found: dict[str, None] = {}
        for file in files:
            head = self._files.source(file.digest, file.language)[:_HEAD_BYTES]
            for match in _COPYRIGHT.finditer(head):
                holder = re.split(r"[.<(]|all rights", match[1].decode("utf-8", "replace"))[0]
                found[holder.strip(" ,;*")] = None
        return [holder for holder in found if _words(holder)]


def _is_sampled(file: KnownFile) -> bool:
    return not file.is_test and file.stat.size <= _SAMPLE_BYTES


def _words(holder: str) -> frozenset[str]:
    """What of a name tells holders apart."""
    words = (word.lower() for word in _LETTERS.findall(holder))
    return frozenset(word for word in words if word not in _COMMON)

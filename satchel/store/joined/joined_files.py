"""Files and texts of several indexes as one tree; see `store.reading.snapshot` for the contract."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from msgspec.structs import replace

from satchel.store.errors import CorruptIndex
from satchel.store.joined.parts import Parts
from satchel.store.model import Digest, FileFacts, RepoPath
from satchel.store.reading.read_texts import TextFile
from satchel.store.reading.snapshot import FilesReader
from satchel.store.records import Counts, KnownFile, SkippedRecord

_ROOT = RepoPath("")
_T = TypeVar("_T")


class JoinedFiles:
    """The files of all parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def all(self, below: Sequence[RepoPath] = (_ROOT,)) -> list[KnownFile]:
        return [
            part.file(file)
            for part, inside in self._parts.by_folders(below)
            for file in part.snapshot.files.all(inside)
        ]

    def starting_with(self, prefix: str, limit: int) -> list[RepoPath]:
        found = (
            part.path(path)
            for part, inside in self._parts.below(prefix)
            for path in part.snapshot.files.starting_with(inside, limit)
        )
        return list(islice(found, limit))

    def count(self) -> int:
        return sum(part.snapshot.files.count() for part in self._parts)

    def identity(self, path: RepoPath) -> tuple[Digest, str] | None:
        found = self._parts.of_path(path)
        return found[0].snapshot.files.identity(found[1]) if found else None

    def with_digest(self, digest: str) -> list[RepoPath]:
        return [
            part.path(path)
            for part in self._parts
            for path in part.snapshot.files.with_digest(digest)
        ]

    def skipped(self, below: Sequence[RepoPath] = (_ROOT,)) -> list[SkippedRecord]:
        return [
            replace(record, path=part.path(record.path))
            for part, inside in self._parts.by_folders(below)
            for record in part.snapshot.files.skipped(inside)
        ]

    def problems(self) -> list[tuple[RepoPath, str, int, str]]:
        return [
            (part.path(path), kind, line, detail)
            for part in self._parts
            for path, kind, line, detail in part.snapshot.files.problems()
        ]

    def counts(self) -> Counts:
        each = [part.snapshot.files.counts() for part in self._parts]
        names: Counter[str] = Counter()
        for one in each:
            names.update(dict(one.languages))
        languages = tuple(sorted(names.items(), key=lambda item: (-item[1], item[0])))

        def total(field: str) -> int:
            return sum(getattr(one, field) for one in each)

        return Counts(
            total("files"), total("lines"), total("chunks"), total("symbols"),
            total("references"), total("edges"), total("skipped"), total("problems"), languages,
        )  # fmt: skip

    def facts(self, digest: Digest, language: str) -> FileFacts:
        return self._from_first_holder(lambda files: files.facts(digest, language))

    def source(self, digest: Digest, language: str) -> bytes:
        return self._from_first_holder(lambda files: files.source(digest, language))

    def read_ahead(self, wanted: Iterable[tuple[Digest, str]]) -> None:
        known = list(wanted)
        for part in self._parts:
            part.snapshot.files.read_ahead(known)

    def _from_first_holder(self, read: Callable[[FilesReader], _T]) -> _T:
        """What the first index that holds some bytes says of them."""
        failed = CorruptIndex("no index holds these bytes", "run `satchel reindex --full`")
        # Whoever asks knows the bytes by their digest and not by a path, so parts are tried in
        # turn. Each finds a row by its key, and equal bytes say the same wherever they lie.
        for part in self._parts:
            try:
                return read(part.snapshot.files)
            except CorruptIndex as error:
                failed = error
        raise failed


class JoinedTexts:
    """The texts of all parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def holding(self, any_of: Sequence[Sequence[bytes]]) -> list[TextFile]:
        return [
            replace(file, path=part.path(file.path))
            for part in self._parts
            for file in part.snapshot.texts.holding(any_of)
        ]

    def source(self, file: TextFile) -> bytes:
        found = self._parts.of_path(file.path)
        if found is None:
            raise CorruptIndex(f"no index holds {file.path}", "run `satchel reindex --full`")
        return found[0].snapshot.texts.source(replace(file, path=found[1]))

    def test_lines(self, file: TextFile) -> list[tuple[int, int]]:
        found = self._parts.of_path(file.path)
        return found[0].snapshot.texts.test_lines(replace(file, path=found[1])) if found else []

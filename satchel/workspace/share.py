"""A published index: files that one machine writes and others download, named by content.

A share is a folder, or an https address of one, that holds `latest.json` and the packed indexes it
names. A manifest says what to expect of an index; what comes is held against it before anything is
unpacked, and against the working tree before it is used (`validation.pull`). Nothing in it is code.
"""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import IO

from msgspec import MsgspecError, Struct, json

from satchel.store import codec
from satchel.store.errors import CorruptIndex, UsageError, reason
from satchel.store.platform import folders
from satchel.store.sqlite import database
from satchel.store.sqlite.earlier import replaced, retention
from satchel.store.sqlite.schema import FACTS_VERSION, FORMAT_VERSION
from satchel.workspace import http_client
from satchel.workspace.project import Project

LATEST = "latest.json"
_SCHEMA = 1
_MAX_BYTES = 8 << 30
_MAX_MANIFEST = 64 << 10
_PIECE = 1 << 20
_SECONDS = 30.0


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """What is shared. `name` is a file beside the manifest, `digest` the BLAKE2b-256 of it.

    `tree` says of which content the index is: equal trees have equal indexes.
    """

    name: str
    digest: str
    packed_bytes: int
    index_bytes: int
    tree: str
    head: str
    files: int
    encoder: str
    format: int = FORMAT_VERSION
    facts: int = FACTS_VERSION
    schema: int = _SCHEMA


def publish(project: Project, folder: Path) -> Manifest:
    """Write the index of a project to a folder, and say there that it is the latest.

    What no file of the tree holds any more is left out. The same content has the same name.

    Raises:
        UsageError: there is no index, it is not complete, or the folder cannot be written.
    """
    with project.snapshot() as snapshot:
        if not snapshot.linked:
            raise UsageError("the index is not complete", "run `satchel reindex` first")
        files = [(file.path, file.digest, file.language) for file in snapshot.files.all()]
        head = snapshot.head
    tree = blake2b(repr((FORMAT_VERSION, FACTS_VERSION, files)).encode("utf-8", "replace"))
    key = tree.hexdigest()[:32]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Drafts lie in the folder itself, since a rename is only atomic within one file system.
        with tempfile.TemporaryDirectory(prefix=".publish-", dir=folder) as place:
            copy, packed = database.file_in(Path(place)), Path(place) / "packed"
            _copy(project, copy)
            codec.compress_file(copy, packed)
            manifest = Manifest(
                f"{key}.zst", _digest(packed), packed.stat().st_size, copy.stat().st_size, key,
                head, len(files), project.encoder.name,
            )  # fmt: skip
            draft = Path(place) / LATEST
            draft.write_bytes(json.format(json.encode(manifest), indent=2) + b"\n")
            # The manifest comes last: it must never name an index that is not there yet.
            packed.replace(folder / manifest.name)
            draft.replace(folder / LATEST)
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written: {reason(error)}", "name a folder that you may write to"
        ) from error
    return manifest


def _copy(project: Project, target: Path) -> None:
    """A copy of one generation without what no file holds or held, and without free pages."""
    with closing(database.connect(project.directory, writable=False)) as connection:
        # SQLite's own copy is of one moment, also while somebody writes.
        connection.execute("VACUUM INTO ?", (str(target),))
    with closing(database.connect(target.parent, writable=True)) as connection:
        with database.transaction(connection):
            retention.prune(connection, 0)
            replaced.clear(connection)
        # One file travels, so nothing of it may be left in a journal beside it.
        connection.execute("PRAGMA journal_mode = delete; VACUUM")


@contextmanager
def fetched(source: str, directory: Path, encoder: str) -> Iterator[tuple[Path, Manifest]]:
    """The latest index of a share, unpacked into a folder of its own below `directory`.

    Raises:
        UsageError: the share cannot be read, or holds an index of another version.
        CorruptIndex: what came is not what the manifest says.
    """
    manifest = _manifest(source)
    # An index of another format would be thrown away when it is opened, so it is refused before it
    # is downloaded.
    if (manifest.format, manifest.facts) != (FORMAT_VERSION, FACTS_VERSION):
        raise UsageError(
            f"{source} holds an index of another version of Satchel",
            "publish it again with this version, or run `satchel reindex`",
        )
    if manifest.encoder != encoder:
        raise UsageError(f"{source} holds vectors of {manifest.encoder!r}", "run `satchel reindex`")
    with tempfile.TemporaryDirectory(prefix="pull-", dir=directory) as place:
        packed = Path(place) / "packed"
        with _open_share(f"{source.rstrip('/')}/{manifest.name}") as parts:
            left = manifest.packed_bytes
            with packed.open("wb") as writer:
                for part in parts:
                    left -= len(part)
                    # More than promised came: the rest is never read.
                    if left < 0:
                        break
                    writer.write(part)
            if left or _digest(packed) != manifest.digest:
                raise CorruptIndex(
                    f"{manifest.name} is not what its manifest says", "fetch or publish it again"
                )
        try:
            codec.decompress_file(packed, database.file_in(Path(place)), manifest.index_bytes)
        except (codec.Damaged, ValueError) as error:
            raise CorruptIndex(f"{manifest.name}: {error}", "publish it again") from error
        packed.unlink()
        yield Path(place), manifest


def _manifest(source: str) -> Manifest:
    with _open_share(f"{source.rstrip('/')}/{LATEST}") as parts:
        try:
            manifest = json.decode(http_client.join_parts(parts, _MAX_MANIFEST), type=Manifest)
        except (MsgspecError, ValueError) as error:
            hint = "publish again"
            raise CorruptIndex(f"{source}/{LATEST} is no manifest: {error}", hint) from error
    # The name becomes a part of a path or address; letters and digits cannot lead out of the share.
    is_name = manifest.name == f"{manifest.tree}.zst" and manifest.tree.isalnum()
    sizes = (manifest.packed_bytes, manifest.index_bytes)
    if not is_name or not all(0 < size <= _MAX_BYTES for size in sizes):
        raise CorruptIndex(f"{source}/{LATEST} names {manifest.name!r}", "publish it again")
    return manifest


@contextmanager
def _open_share(place: str) -> Iterator[Iterator[bytes]]:
    """A file of a share, piece by piece; an address is only ever the one the user configured."""
    try:
        if "://" not in place:
            with _regular(Path(place)) as stream:
                yield iter(lambda: stream.read(_PIECE), b"")
            return
        if not place.startswith("https://"):
            raise UsageError(
                f"{place} is not https", "an index is only fetched over an encrypted connection"
            )
        with (
            http_client.client(place, _SECONDS) as client,
            http_client.pieces(client, place) as parts,
        ):
            yield parts
    except (OSError, *http_client.Failure) as error:
        raise UsageError(
            f"{place} cannot be read: {reason(error)}", "check share.source"
        ) from error


def _regular(path: Path) -> IO[bytes]:
    """A file of a share that is a folder; opening a pipe would wait for ever."""
    stream = os.fdopen(os.open(path, folders.READ | folders.NO_WAIT), "rb")
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return stream


def _digest(path: Path) -> str:
    made = blake2b(digest_size=32)
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            made.update(piece)
    return made.hexdigest()


def install(project: Project, place: Path) -> None:
    """Put a fetched index in the place of the project's own; expects the writer lock."""
    # Unpacking made the file with the usual mode, but state is its user's alone.
    database.file_in(place).chmod(0o600)
    # A journal of the old index must not lie beside the new one: SQLite would take it for its own.
    database.remove(project.directory)
    database.file_in(place).replace(database.file_in(project.directory))

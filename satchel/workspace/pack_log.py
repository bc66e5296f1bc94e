"""Packs that were made, by the id in their receipt: what was asked, and of which generation.

Kept are questions, never code; a pack is made again from the index, which only works while the
index is of the same generation. The newest hundred are kept, in `packs` beside it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from satchel.assembler.budget import Spending
from satchel.assembler.query.question import Question
from satchel.assembler.values import ContextPack, Sent
from satchel.store import private
from satchel.store.errors import UsageError
from satchel.store.model import Generation

if TYPE_CHECKING:
    from satchel.workspace.project import Project

FOLDER = "packs"
_KEPT = 100


class PackRecord(Struct, frozen=True):
    """Everything that a pack was made from, and the digest of its text."""

    question: Question
    spending: Spending
    encoding: str
    generation: Generation
    notices: tuple[str, ...]
    had_vectors: bool
    digest: str
    sent: Sent = Sent()
    known: tuple[str, ...] = ()
    client: str = ""
    """The program that asked, "" for a command or the page."""


class KeptPack(Struct, frozen=True):
    """A pack that can be made again while the index is at its generation; `at` is Unix seconds."""

    id: str
    at: int
    client: str
    question: Question
    budget: int
    generation: Generation


def digest_of(text: str) -> str:
    """What tells the texts of packs apart."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def write(directory: Path, pack: ContextPack, asked: PackRecord) -> None:
    """Keep how a pack was made; a folder that cannot be written keeps nothing."""
    folder = directory / FOLDER
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / f"{pack.receipt.id}.json"
        private.write(path, msgspec.json.encode(asked), durable=False)
        # Times may be equal; then names decide, so that every process drops the same packs.
        for path in _newest_first(folder)[_KEPT:]:
            path.unlink(missing_ok=True)


def kept_packs(directory: Path) -> tuple[KeptPack, ...]:
    """The packs that are kept, the newest first."""
    found: list[KeptPack] = []
    # A process that makes a pack may drop an old one meanwhile.
    with suppress(OSError):
        for path in _newest_first(directory / FOLDER):
            with suppress(OSError, UsageError):
                made = read(directory, path.stem)
                found.append(
                    KeptPack(
                        path.stem, int(path.stat().st_mtime), made.client, made.question,
                        made.spending.ceiling, made.generation,
                    )
                )  # fmt: skip
    return tuple(found)


def _newest_first(folder: Path) -> list[Path]:
    # A pack waits for this, so no path is made of an entry that only its time is asked of.
    with os.scandir(folder) as entries:
        found = [(-e.stat().st_mtime_ns, e.name) for e in entries if e.name.endswith(".json")]
    return [folder / name for _, name in sorted(found)]


def read(directory: Path, pack_id: str) -> PackRecord:
    """How a pack was made.

    Raises:
        UsageError: the id is not one, or the pack is not kept (any more).
    """
    # The id becomes a part of a path, and digits cannot lead out of the folder.
    if not (pack_id.isascii() and pack_id.isdigit()):
        raise UsageError(f"{pack_id!r} is no id of a pack", "it is the number after `pack`")
    try:
        data = (directory / FOLDER / f"{pack_id}.json").read_bytes()
        return msgspec.json.decode(data, type=PackRecord)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"pack {pack_id} is not kept here", f"the last {_KEPT} packs are; ask again"
        ) from error


def replay(project: Project, pack_id: str) -> ContextPack:
    """A pack that was made before, byte for byte.

    Raises:
        UsageError: it is not kept, or the index is not what it was made from.
    """
    from satchel.assembler import assemble
    from satchel.workspace.configuration import tuned

    asked = read(project.directory, pack_id)
    with project.snapshot() as snapshot:
        # Another generation would give another pack, and a replay that is not the same to the byte
        # proves nothing.
        if snapshot.generation != asked.generation:
            raise UsageError(
                f"pack {pack_id} was made from generation {asked.generation} of the index,"
                f" which is gone: it is at {snapshot.generation}",
                "ask the question again",
            )
        vectors, _ = project.vector_search(snapshot)
        options = assemble.PackOptions(
            encoding=asked.encoding,
            notices=asked.notices,
            vectors=vectors if asked.had_vectors else None,
            sent=asked.sent,
            known=lambda _paths, _limit: asked.known,
            weights=tuned.weights(project.directory),
        )
        pack = assemble.context(snapshot, asked.question, asked.spending, options)
    # Vectors and settings are no part of the generation, so only the digest shows that they have
    # changed.
    if digest_of(pack.text) != asked.digest:
        raise UsageError(
            f"pack {pack_id} cannot be made again: vectors or settings have changed since",
            "ask the question again",
        )
    return pack

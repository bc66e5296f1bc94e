"""Numbers of packing that were tuned to one code base (`satchel tune --history`), beside its index.

They are in force for this user and this checkout alone, and only while Satchel is what it was when
they proved a gain: another version has other numbers around them, and nobody has compared those.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import fields, replace

from satchel.assembler.weights import DEFAULT, Weights
from satchel.indexer.scan.open_below import content
from satchel.store import private

NAME = "tuned.json"
_MAX_BYTES = 1 << 16


class Tuned(Struct, frozen=True):
    """Numbers of `Packing` by name, and what they proved to be worth on fixes not tuned on.

    `gain`, `low` and `high` are of the share of changed lines that packs of `budget` tokens show,
    with its interval of 95 %.
    """

    numbers: dict[str, float]
    gain: float
    low: float
    high: float
    n_tuned: int
    n_later: int
    budget: int
    commit: str
    made_with: str


def weights(directory: Path) -> Weights:
    """The ranking numbers in force for the index in a folder."""
    found = read(directory)
    return DEFAULT if found is None else weights_of(found.numbers)


def weights_of(numbers: Mapping[str, float]) -> Weights:
    """The shipped numbers but for some of packing."""
    changed: dict[str, Any] = dict(numbers)
    return replace(DEFAULT, packing=replace(DEFAULT.packing, **changed))


def read(directory: Path) -> Tuned | None:
    """What is in force; None where nothing is, or it was made with other numbers around it."""
    try:
        found = msgspec.json.decode(content(directory / NAME, _MAX_BYTES), type=Tuned)
    except (OSError, ValueError):  # msgspec's errors are such
        return None
    # Names that an older version had would be refused by the dataclass.
    known = {field.name for field in fields(DEFAULT.packing)}
    is_ours = found.made_with == ranking_version() and found.numbers.keys() <= known
    return found if is_ours else None


def write(directory: Path, tuned: Tuned) -> None:
    """Put numbers in force."""
    private.write(directory / NAME, msgspec.json.encode(tuned))


def remove(directory: Path) -> bool:
    """Go back to the shipped numbers; whether there were others."""
    path = directory / NAME
    was_there = path.exists()
    path.unlink(missing_ok=True)
    return was_there


@lru_cache(maxsize=1)
def ranking_version() -> str:
    """What tells the shipped numbers, the learned ones too, from those of another version."""
    from satchel.assembler.ranking import learned

    # Learned scores order what packing chooses from, so they count as well.
    text = files("satchel.assembler.ranking").joinpath(learned.FILE).read_bytes()
    return blake2b(repr(DEFAULT).encode() + text, digest_size=8).hexdigest()

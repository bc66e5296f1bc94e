"""Excerpts that a client already has, which are named instead of sent again. Pure.

The memory is a frozen value that whoever serves the client keeps, passes in and gets back with the
reply; nothing here knows clients. A unit counts as held while its bytes are the same, wherever in
its file it stands by now. A client that has forgotten (a compacted conversation) starts over with
an empty `Sent`, or drops old replies with `since`.
"""

from collections.abc import Callable, Iterable
from hashlib import blake2b

from msgspec.structs import replace

from satchel.assembler.packing.units import Unit
from satchel.assembler.values import Held, Sent

# Twelve bytes are 96 bits, enough that two different functions of a session never share a digest
# by chance.
_BYTES = 12


def after(sent: Sent, units: Iterable[tuple[Unit, bytes]]) -> Sent:
    """What a client was sent after one more reply, in which some units are whole."""
    number = sent.n_replies + 1
    known = {(h.path, h.digest): h for h in sent.held}
    for unit, text in units:
        entry = Held(unit.chunk.path, _name(unit), digest_of(text), number)
        known[entry.path, entry.digest] = entry
    return Sent(tuple(known.values()), number)


def digest_of(text: bytes) -> str:
    """A digest of the bytes of a unit, in hexadecimal digits."""
    return blake2b(text, digest_size=_BYTES).hexdigest()


def with_reply_numbers(
    units: list[Unit], text_of: Callable[[Unit], bytes], sent: Sent
) -> list[Unit]:
    """The units, each with the reply in which it was sent, or a note that it changed since."""
    if not sent.held:
        return units
    by_text = {(h.path, h.digest): h.reply for h in sent.held}
    by_name = {(h.path, h.symbol): h.reply for h in sent.held if h.symbol}
    result: list[Unit] = []
    for unit in units:
        path = unit.chunk.path
        reply = by_text.get((path, digest_of(text_of(unit))), 0)
        before = by_name.get((path, _name(unit)), 0)
        # Of a function that is held as it stands, an older version may be held as well; that one
        # is of no interest.
        note = f"changed since #{before}" if before and not reply else ""
        notes = ", ".join(part for part in (unit.note, note) if part)
        result.append(replace(unit, sent_in=reply, note=notes))
    return result


def _name(unit: Unit) -> str:
    return unit.symbol.qualified_name if unit.symbol else ""

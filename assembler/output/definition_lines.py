"""Definitions and uses as the lines that a person or a model reads. Pure.

Names and paths are data: their control characters are escaped.
"""

import re
from collections.abc import Iterator, Sequence

from satchel.assembler.lookup.symbols import Lookup
from satchel.assembler.quoting import clean
from satchel.assembler.render import location
from satchel.store.counted import counted
from satchel.store.records import ReferenceRecord, SymbolRecord

_LONGEST = 160
"""Characters of a signature; `show` has all of it."""
_TYPE_PARAMETERS = re.compile(r"<(?:[^<>]|=>)*(?<!=)>")


def symbols_lines(found: Lookup, n_files: int, *, is_behind: bool = False) -> Iterator[str]:
    """Definitions, a line each; for a name that has none, its uses.

    Of an index that may be behind its files, what it lacks is not found yet.
    """
    for record in found.definitions:
        yield definition_line(record)
    for absent in found.absent:
        yield str(absent)
    for name in found.undefined:
        how = "found yet" if is_behind else "defined"
        yield f"{clean(name)} is not {how} in the {counted(n_files, 'file')} searched"
    for use in found.references:
        yield f"  used at {use_line(use)}"


def close_line(close: Sequence[str]) -> str:
    """What an unknown name may have meant."""
    return clean(f"close to it: {', '.join(close)}")


def definition_line(record: SymbolRecord) -> str:
    """`path:start-end  kind qualified.name  signature`; `start` is the line of the name."""
    signature = _brief_signature(clean(record.signature))
    place = location(record.path, record.line, record.span.end_line)
    return f"{place}  {record.kind} {clean(record.qualified_name)}  {signature}"


def _brief_signature(signature: str) -> str:
    """A signature of bearable length: lists of type parameters go first, then its end."""
    inner = None
    while len(signature) > _LONGEST and signature != inner:
        inner = signature
        signature = _TYPE_PARAMETERS.sub("‹…›", signature)
    signature = signature.replace("‹…›", "<…>")
    return signature if len(signature) <= _LONGEST else f"{signature[:_LONGEST].rstrip()} …"


def picking_line(found: Sequence[tuple[str, str]]) -> str:
    """How to name one of several definitions, given by path and name: overloads share both."""
    return f"`path:{'name' if len(set(found)) == len(found) else 'line'}` picks one"


def repeated_line(record: SymbolRecord) -> str:
    """A definition whose source stands in a reply already, or holds what does."""
    return f"{definition_line(record).rstrip()}  (not repeated)"


def use_line(use: ReferenceRecord) -> str:
    """`path:line  receiver.name`."""
    receiver = f"{clean(use.receiver)}." if use.receiver else ""
    return f"{location(use.path, use.line, use.line)}  {receiver}{clean(use.name)}"

"""Excerpts and receipts as the text a model reads. Pure.

Indexed text stands inside a fence that is longer than any run of backticks in it, so that it can
neither close its own fence nor pass for something Satchel says. Paths and names are data as well:
control characters in them are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assembler.values import Detail, Excerpt, Receipt, Scored
from store.model import RepoPath

_BACKTICKS = re.compile(r"`{3,}")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """One line of data: control characters, line separators and lone surrogates escaped."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", text)


def location(path: RepoPath, start_line: int, end_line: int) -> str:
    """`path:12-40`, or `path:12` for one line."""
    lines = f"{start_line}-{end_line}" if end_line > start_line else str(start_line)
    return f"{clean(path)}:{lines}"


def excerpt_block(excerpt: Excerpt) -> str:
    """One excerpt: a line of metadata (about 12 tokens), then the fenced text."""
    note = excerpt.reason or f"{excerpt.score:.2f}"
    if excerpt.detail == Detail.SIGNATURE:
        note += ", signature only"
    elif excerpt.detail == Detail.PARTIAL:
        note += ", first lines only"
    symbol = f" {clean(excerpt.symbol)}" if excerpt.symbol else ""
    head = f"{location(excerpt.path, excerpt.start_line, excerpt.end_line)}{symbol} ({note})"
    return f"{head}\n{fenced(excerpt.text)}"


def fenced(text: str) -> str:
    """`text` between two fences that it cannot close."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}\n{fence}\n"


def receipt_line(receipt: Receipt) -> str:
    """The first line of a pack."""
    state = "" if receipt.complete else ", index still building"
    omitted = f", {receipt.n_omitted} more matched" if receipt.n_omitted else ""
    return (
        f"[satchel] {receipt.n_excerpts} excerpts, {receipt.used}/{receipt.budget} tokens"
        f" {receipt.encoding}, generation {receipt.generation}{state}{omitted}\n"
    )


def pack_text(receipt: Receipt, excerpts: Iterable[Excerpt]) -> str:
    """The whole reply."""
    lines = [receipt_line(receipt), *(f"note: {notice}\n" for notice in receipt.notices)]
    lines += [excerpt_block(excerpt) for excerpt in excerpts]
    return "".join(lines)


def locate_line(item: Scored) -> str:
    """One search result as a pointer of about 12 tokens."""
    chunk = item.chunk
    kind = f" ({chunk.symbol_kind})" if chunk.symbol_kind else ""
    symbol = f"  {clean(chunk.symbol)}{kind}" if chunk.symbol else ""
    where = location(chunk.path, chunk.span.start_line, chunk.span.end_line)
    return f"{where}{symbol}  {item.score:.2f}  ~{chunk.tokens} tokens"

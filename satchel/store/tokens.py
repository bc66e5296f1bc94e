"""Exact token counts, offline: tiktoken's encoders over vocabularies that ship with the package.

tiktoken fetches its vocabularies on first use; Satchel never touches the network, so both live in
`satchel/store/vocab` (see NOTICE there). A count is the number of tokens of the text taken as plain
text: nothing in it is treated as a control token. This file alone imports tiktoken.
"""

import re
import zlib
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate, pairwise

import tiktoken

from satchel.store.errors import ConfigError

DEFAULT_ENCODING = "cl100k_base"

# Copied from tiktoken_ext.openai_public, where they are bound to a loader that downloads.
_PATTERNS = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": "|".join(
        [
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
}

_LINES = re.compile(r"[^\n]*+(?:\n(?![ \t]*+[!-.0-~])[^\n]*+)*+\n?")
"""Lines, up to where every pattern above ends a piece: behind the last line end before something
visible. What takes line ends goes on to the last of them and no further, but for `/` in
o200k_base."""

_KEPT, _SHORT = 1 << 15, 160
"""Lines that are remembered after their pack, some 4 MB, and the characters of one at most."""


def vocabulary(name: str) -> list[bytes]:
    """The tokens of a shipped encoding in rank order."""
    # How many tokens (4 bytes), the length of each (one byte), then the tokens without separators.
    packed = files("satchel.store").joinpath("vocab", f"{name}.z").read_bytes()
    blob = zlib.decompress(packed)
    n_tokens = int.from_bytes(blob[:4], "big")
    lengths = blob[4 : 4 + n_tokens]
    places = accumulate(lengths, initial=4 + n_tokens)
    return [blob[start:end] for start, end in pairwise(places)]


@cache
def encoding(name: str = DEFAULT_ENCODING) -> tiktoken.Encoding:
    """The encoder called `name`; built once per process, in about 50 ms.

    Raises:
        ConfigError: no such vocabulary ships with Satchel.
    """
    if name not in _PATTERNS:
        raise ConfigError(f"unknown tokenizer {name!r}", f"use one of: {', '.join(_PATTERNS)}")
    tokens = vocabulary(name)
    ranks = dict(zip(tokens, range(len(tokens)), strict=True))
    return tiktoken.Encoding(
        name, pat_str=_PATTERNS[name], mergeable_ranks=ranks, special_tokens={}
    )


def count(text: str, name: str = DEFAULT_ENCODING) -> int:
    """How many tokens `text` is, exactly."""
    return len(encoding(name).encode_ordinary(text))


def counter(name: str = DEFAULT_ENCODING) -> Callable[[str], int]:
    """Counts as `count` does, line by line: drafts of a pack repeat each other, and so do packs.

    It holds long lines as long as it is held itself.
    """
    known: dict[str, int] = {}

    def counted(text: str) -> int:
        total = 0
        # No token reaches over the end of a line, so what lies between them adds up.
        for line in _LINES.findall(text):
            if len(line) <= _SHORT:
                total += _tokens_of(line, name)
                continue
            if line not in known:
                known[line] = count(line, name)
            total += known[line]
        return total

    return counted


# Three in ten lines of a pack stood in one of the twenty packs before it.
_tokens_of = lru_cache(maxsize=_KEPT)(count)

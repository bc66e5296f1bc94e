"""Reads untrusted TOML in bounded time. Pure.

`tomllib` takes time and memory that grow with the square of the parts of a dotted key: a megabyte
of `a.a.a…` keeps it busy for an hour. Nobody's keys have as many parts, so such text is refused.
"""

import re
from typing import Any

MAX_KEY_PARTS = 64
# Nothing that was matched is given back, so that looking takes time in proportion to the text.
# Words of a string that are joined by as many dots are taken for a key; no file has any.
_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_TOO_LONG = re.compile(rf"(?<![\w-])(?:{_KEY}){{{MAX_KEY_PARTS}}}", re.ASCII)


def table(text: str) -> dict[str, Any]:
    """What a text says.

    Raises:
        ValueError: it is no TOML, or has a key of more parts than `MAX_KEY_PARTS`.
        RecursionError: arrays or tables lie too deep within each other.
    """
    import tomllib  # most commands read no such file

    if _TOO_LONG.search(text):
        raise ValueError(f"a key has more than {MAX_KEY_PARTS} parts")
    return tomllib.loads(text)

"""Writes `assembler/hidden_characters.py` from Unicode: `python -m tests.support.hidden`.

The library `regex`, which tiktoken brings along, knows the properties that `unicodedata` does not.
"""

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import regex  # type: ignore[import-untyped]

FILE = Path(__file__).parents[2] / "assembler/hidden_characters.py"
SHOWN = r"\p{Prepended_Concatenation_Mark}\t\n\r"
"""Of the characters of format and control: signs that show over what follows, and line ends."""
BLANK = "\u2800\U00013441\U00013442\U00016fe4\U0001d159"
"""Neither spaces nor ignorable, and without ink by their names: braille pattern blank, Egyptian
hieroglyph full and half blank, Khitan small script filler, musical symbol null notehead."""
SETS = {
    "HIDDEN": (
        rf"[[\p{{Default_Ignorable_Code_Point}}\p{{Cf}}\p{{Cc}}\p{{Zl}}\p{{Zp}}{BLANK}]--[{SHOWN}]]",
        "Default_Ignorable_Code_Point, format, control, line and paragraph separators, blanks: what"
        "\nshows nothing or reorders others. Tabs, line ends and signs over numbers show.",
    ),
    "PICTOGRAPHS": (
        r"[\p{Extended_Pictographic}]",
        "Extended_Pictographic: what emoji are made of.",
    ),
}
HEAD = '''"""Characters that nobody sees, and those beside which some of them are seen.

Ranges for a class of a regular expression, of Unicode's properties (version 17.0), made by
`python -m tests.support.hidden`.
"""
'''


def module() -> str:
    """The text of the module."""
    parts = [HEAD]
    for name, (pattern, meaning) in SETS.items():
        parts.append(f'\n{name} = (\n{_lines(pattern)})\n"""{meaning}"""\n')
    return "".join(parts)


def _lines(pattern: str) -> str:
    ranges = [_escaped(first) + (f"-{_escaped(last)}" if last > first else "")
              for first, last in _ranges(regex.compile(pattern, regex.VERSION1))]  # fmt: skip
    lines: list[str] = []
    line = ""
    for each in ranges:
        if len(line) + len(each) > 88:
            lines, line = [*lines, line], ""
        line += each
    return "".join(f'    "{each}"\n' for each in [*lines, line])


def _ranges(pattern: "regex.Pattern[str]") -> Iterator[tuple[int, int]]:
    first = None
    for code in range(0x110001):
        is_in = code < 0x110000 and unicodedata.category(chr(code)) != "Cs"
        is_in = is_in and pattern.match(chr(code)) is not None
        if is_in and first is None:
            first = code
        elif not is_in and first is not None:
            yield first, code - 1
            first = None


def _escaped(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


if __name__ == "__main__":
    FILE.write_text(module(), encoding="utf-8")

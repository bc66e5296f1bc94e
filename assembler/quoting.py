"""Quotes indexed text: a fence that it cannot close, and no invisible characters.

The fence of a pack carries a number that is derived from the question. Nobody who writes code knows
that number, and no line of the packed text begins with it, so no text can close the fence. The same
question over the same text has the same fence. Characters that show nothing or reorder what stands
around them are replaced by their code point; line ends stay, so lines are counted as in the file.
The attacks: CVE-2021-42574 (bidirectional text), "ASCII smuggling" (tags, variation
selectors), terminal escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Names and paths are one line each, so tabs and line ends are replaced there too; in source, which
# `_HIDDEN` is for, they stay.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # Joiners belong to scripts and emoji, not between ASCII characters.
    "|[\u200c\u200d](?![^\x00-\x7f])|(?<![^\x00-\x7f])[\u200c\u200d]|\r(?!\n)"
)
_MARK = re.compile(r"\[\s*satchel\s*\]", re.IGNORECASE)
_PLAIN = re.compile(r"[\w.@~/+-][\w.@~/+=,()\[\]{}$#%&!^-]*")
"""A path that cannot be taken for a sentence: no space, no quote, and no bracket in front."""
_QUOTED_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"(:\S*|)')
_DIGITS = 3
"""Digits of the number in a fence; up to three are one token in both vocabularies."""


def clean(text: str) -> str:
    """One line of data: control characters, line separators, lone surrogates, hidden ones.

    What opens a line of Satchel's own, `[satchel]`, is written in other brackets.
    """
    if not (text.isascii() and text.isprintable()):
        # Printable ASCII is nearly every name there is, and needs none of the three expressions.
        text = _CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", text)
        text = _HIDDEN.sub(_visible, text)
    return _MARK.sub("⟨satchel⟩", text) if "[" in text else text


def path(text: str) -> str:
    """A path as data: in quotes unless it is plainly one, since it may stand at a line's start."""
    shown = clean(text)
    if _PLAIN.fullmatch(shown):
        return shown
    # A backslash that stands for a replaced character is Satchel's own and must not be doubled.
    escaped = shown.replace("\\", "\\\\") if shown == text else shown
    return '"' + escaped.replace('"', '\\"') + '"'


def unquoted(written: str) -> str:
    """What was written as a path with lines, without the quotes that `path` puts around a path."""
    found = _QUOTED_PATH.fullmatch(written)
    return re.sub(r"\\(.)", r"\1", found[1]) + found[2] if found else written


def foreign(text: str) -> str:
    """Lines of another server: hidden characters shown, none of them in Satchel's own name."""
    return _MARK.sub("⟨satchel⟩", neutral(text))


def neutral(text: str) -> str:
    """Lines of data with every hidden character written as its code point, `⟨U+202E⟩`."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _HIDDEN.sub(_visible, text)


def decodable(text: str) -> str:
    """The text with undecodable bytes of a name, which JSON cannot carry, as `�`."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def escaped(document: str) -> str:
    """A JSON document that says the same in characters that can be seen."""
    if document.isascii():
        return document
    return _HIDDEN.sub(_as_json, document)


def _as_json(match: re.Match[str]) -> str:
    # JSON writes what lies above U+FFFF as two escapes of UTF-16, and a lone surrogate as one.
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def fence(question: str, texts: Iterable[str]) -> str:
    """Backticks and a number that no line of `texts` starts with; deterministic."""
    # Only lines with three backticks can close a fence. A lone carriage return ends a line for
    # some readers, so it does here.
    lines = [
        line for text in texts for line in text.replace("\r", "\n").split("\n") if "```" in line
    ]
    from hashlib import blake2b  # loads OpenSSL, for which `--help` does not wait

    attempt = 0
    while True:
        digest = blake2b(f"{attempt}\0{question}".encode("utf-8", "surrogatepass"))
        # One digit more after each thousand attempts: a file may hold every number there is.
        n_digits = _DIGITS + attempt // 1000
        found = f"```{int(digest.hexdigest(), 16) % 10**n_digits:0{n_digits}d}"
        if not any(found in line for line in lines):
            return found
        attempt += 1


def _visible(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match.group()):04X}⟩"

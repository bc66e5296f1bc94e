"""Quotes indexed text: a fence that it cannot close, and no invisible characters.

The fence of a pack carries a number that is derived from the question. Nobody who writes code knows
that number, and no line of the packed text begins with it, so no text can close the fence. The same
question over the same text has the same fence. Characters that show nothing or reorder what stands
around them are replaced by their code point; line ends stay, so lines are counted as in the file.
The attacks: CVE-2021-42574 (bidirectional text), "ASCII smuggling" (tags, variation selectors),
terminal escapes. Unicode's properties decide (`hidden_characters`); an emoji keeps what makes it
one, and the letters of a script what joins them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath

from satchel.assembler.hidden_characters import HIDDEN, PICTOGRAPHS

# Names and paths are one line each, so tabs and line ends are replaced there too; in source, which
# `_HIDDEN` is for, they stay.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HIDDEN = re.compile(f"[{HIDDEN}]+|\r(?!\n)")
_PICTOGRAPH = re.compile(f"[{PICTOGRAPHS}\U0001f3fb-\U0001f3ff]")
"""Skin tones among them, which stand between a person and a joiner."""
_SELECTORS = ("\ufe0e", "\ufe0f")
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_KEYS, _KEY_CAP = frozenset("#*0123456789"), "\u20e3"
_FLAG = "\U0001f3f4"
_FLAGS = tuple(
    "".join(chr(0xE0000 + ord(letter)) for letter in f"{region}\x7f")
    for region in ("gbeng", "gbsct", "gbwls")
)
"""England, Scotland and Wales: all flags that are spelled in tags."""
_VIRAMA = 9
"""The combining class of signs that take a vowel away; what joins letters stands beside one."""
_CURSIVE = ("AL", "R", "NSM")
"""Directions of scripts whose letters change their form with their neighbours; marks are last."""
_MARK = re.compile(r"\[\s*satchel\s*\]", re.IGNORECASE)
_PLAIN = re.compile(r"[\w.@~/+-][\w.@~/+=,()\[\]{}$#%&!^-]*")
"""A path that cannot be taken for a sentence: no space, no quote, and no bracket in front."""
_QUOTED_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"(:\S*|)')
_ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|(.))")
_FIRST_NO_TEXT = 0x80
_DIGITS = 3
"""Digits of the number in a fence; up to three are one token in both vocabularies."""


def clean(text: str) -> str:
    """One line of data: control characters, line separators, lone surrogates, hidden ones.

    What opens a line of Satchel's own, `[satchel]`, is written in other brackets.
    """
    if not (text.isascii() and text.isprintable()):
        # Printable ASCII is nearly every name there is, and needs none of the three expressions.
        text = _CONTROL.sub(_escaped, text)
        text = _replaced(text, _visible)
    return _MARK.sub("⟨satchel⟩", text) if "[" in text else text


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    # Python keeps a byte of a name that is no text as U+DC00 and that byte.
    return f"\\x{code & 0xFF if 0xDC80 <= code <= 0xDCFF else code:02x}"


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
    return _ESCAPED.sub(_unescaped, found[1]) + found[2] if found else written


def _unescaped(found: re.Match[str]) -> str:
    """The character that `_escaped` or a backslash stands for."""
    code = int(found[1] or "0", 16)
    return found[2] or chr(code if code < _FIRST_NO_TEXT else 0xDC00 + code)


def foreign(text: str) -> str:
    """Lines of another server: hidden characters shown, none of them in Satchel's own name."""
    return _MARK.sub("⟨satchel⟩", neutral(text))


def neutral(text: str) -> str:
    """Lines of data with every hidden character written as its code point, `⟨U+202E⟩`."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _replaced(text, _visible)


def decodable(text: str) -> str:
    """The text with undecodable bytes of a name, which JSON cannot carry, as `�`."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def json_of(value: object) -> str:
    """A value as JSON; what is no text in a name, such as an undecodable byte, becomes `�`."""
    import msgspec  # short commands do without

    try:
        document = msgspec.json.encode(value, enc_hook=_encodable)
    except UnicodeEncodeError:
        document = msgspec.json.encode(_decodable(msgspec.to_builtins(value, enc_hook=_encodable)))
    return escaped(document.decode())


def _encodable(value: object) -> object:
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)  # parts of a score that are worked out when somebody looks at them
    raise NotImplementedError(f"{type(value).__name__} has no JSON")


def _decodable(value: object) -> object:
    if isinstance(value, str):
        return decodable(value)
    if isinstance(value, dict):
        return {_decodable(key): _decodable(each) for key, each in value.items()}
    return [_decodable(each) for each in value] if isinstance(value, list | tuple) else value


def escaped(document: str) -> str:
    """A JSON document that says the same in characters that can be seen."""
    if document.isascii():
        return document
    return _replaced(document, _as_json)


def _replaced(text: str, written: Callable[[str], str]) -> str:
    """The text with its hidden characters as `written` says, but for those that are needed."""

    def shown(match: re.Match[str]) -> str:
        run, (start, end) = match.group(), match.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        return run if _is_needed(before, run, after) else "".join(map(written, run))

    return _HIDDEN.sub(shown, text)


def _is_needed(before: str, run: str, after: str) -> bool:
    """Whether hidden characters make an emoji of what stands before and after, or join letters."""
    is_picture = _PICTOGRAPH.match(before) is not None
    if run in _SELECTORS:
        return is_picture or (before in _KEYS and after == _KEY_CAP)
    if is_picture and run.removeprefix("\ufe0f") == _JOINER and _PICTOGRAPH.match(after):
        return True
    if run in (_NON_JOINER, _JOINER):
        return _is_joined(before, after)
    return before == _FLAG and run in _FLAGS


def _is_joined(before: str, after: str) -> bool:
    from unicodedata import bidirectional, combining  # few texts need it

    if not before or not after:
        return bool(before) and combining(before) == _VIRAMA
    if _VIRAMA in (combining(before), combining(after)):
        return True
    return bidirectional(before) in _CURSIVE and bidirectional(after) in _CURSIVE[:2]


def _as_json(character: str) -> str:
    # JSON writes what lies above U+FFFF as two escapes of UTF-16, and a lone surrogate as one.
    units = character.encode("utf-16-be", "surrogatepass")
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


def _visible(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"

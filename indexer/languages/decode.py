"""From a file's bytes to the text that is indexed: UTF-8, with plain line ends, notebooks as cells.

An encoding is found in this order: a byte order mark; UTF-8 where the bytes are that, since text in
another encoding hardly ever is; what the file declares (PEP 263 and its like in Ruby and Emacs,
XML, HTML, CSS); what chardet detects. Bytes that fit none stay as they are, and the file is listed
with a problem. Lines keep their numbers throughout. Depends on the bytes alone.

A declaration comes from whoever wrote the file. So only encodings that people write text in are
taken: `unicode_escape`, `punycode` or `utf-7` would show other text than an editor does.
"""

import codecs
import re

from satchel.indexer.languages import notebook

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as UTF-16 does, so it is asked for first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = (
    # The first two lines, as Python's manual says; "coding" also ends Emacs' and Ruby's "encoding".
    re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*[#;%/*-][^\n]*?coding[:=][ \t]*([-\w.]+)"),
    re.compile(rb"\A\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([-\w.]+)[\"']"),
    re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?([-\w.]+)", re.IGNORECASE),
    re.compile(rb"\A@charset\s+\"([-\w.]+)\""),
)
_DECLARATION_BYTES = 1024
"""How far in a declaration may stand, by the standard of HTML."""
_TEXT_ENCODING = re.compile(
    r"iso8859-\d+|cp\d+|koi8-\w|mac-\w+|gbk|gb2312|gb18030|big5(?:hkscs)?|euc_\w+|shift_jis\w*"
    r"|iso2022_jp\w*|iso2022_kr|johab|hz|tis-620|ptcp154|utf-16(?:-[lb]e)?|utf-32(?:-[lb]e)?"
)
_DETECT_BYTES = 1 << 16
"""What is looked at to detect an encoding, in up to 0.2 s."""
_ASCII = bytes(range(128))
_CONTROL = re.compile(rb"\xc2[\x80-\x84\x86-\x9f]")
_FEW = 4
"""Bytes that are not ASCII from which something can be detected."""
_FALLBACK = "cp1252"


def as_text(data: bytes) -> bytes:
    """The text of a file's bytes, in UTF-8 where an encoding was found."""
    data = _as_utf8(data)
    if b"\r" in data:
        # A file without any "\n" has the line ends of old Macs.
        data = data.replace(b"\r\n", b"\n") if b"\n" in data else data.replace(b"\r", b"\n")
    return notebook.as_script(data) if notebook.is_notebook(data) else data


def _as_utf8(data: bytes) -> bytes:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").encode("utf-8", "replace")
    # ASCII may be an encoding that begins as ASCII does; only a declaration can tell.
    if data.isascii():
        return _decoded(data, _declared_encoding(data)) or data if b"\x1b$" in data else data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return (
            _decoded(data, _declared_encoding(data))
            or _decoded(data, _detected_encoding(data))
            or data
        )
    return data


def _declared_encoding(data: bytes) -> str:
    """The encoding that a file says it is in; "" for none that is believed."""
    head = data[:_DECLARATION_BYTES]
    for pattern in _DECLARED:
        declared = pattern.search(head)
        if declared:
            return _python_encoding(declared[1].decode("ascii", "replace"))
    return ""


def _python_encoding(name: str) -> str:
    """Python's name of an encoding of text; "" for none."""
    # Emacs appends the line ends: "latin-1-unix".
    for ending in ("-unix", "-dos", "-mac"):
        name = name.removesuffix(ending)
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    return found if _TEXT_ENCODING.fullmatch(found) else ""


def _detected_encoding(data: bytes) -> str:
    # Imported here: most trees have no file that needs it.
    from chardet import detect

    # A name with one accent says little: then the encoding that browsers fall back to.
    if len(data.translate(None, _ASCII)) < _FEW:
        return _FALLBACK
    found = _python_encoding(detect(data[:_DETECT_BYTES])["encoding"] or "")
    # Nobody writes the control characters beyond ASCII: what has some is no text in that encoding.
    return "" if _CONTROL.search(_decoded(data, found)) else found


def _decoded(data: bytes, encoding: str) -> bytes:
    """The bytes in UTF-8; b"" when they are not in the encoding."""
    # As browsers do: who writes "latin-1" uses the quotes and dashes of Windows.
    for name in ("cp1252", encoding) if encoding == "iso8859-1" else (encoding,):
        try:
            return data.decode(name).encode("utf-8") if name else b""
        except UnicodeError:
            continue
    return b""

"""Whether a file's bytes are worth indexing, and if not, why: binary, minified, generated, or a
pointer of git-lfs.

Sizes and line lengths are bytes. Text in UTF-16 or UTF-32 with a byte order mark is not binary; it
is judged by its decoded text, and whoever reads it must decode it the same way.

A marker makes a file generated when it opens a comment above the first line of code within
`HEADER_LINES`, and reads as generators write it. A string, a docstring, a quoted mention or prose
about generated files does not count. Hence some generated files stay: rather that than lose one
that a person wrote.

Not here: ignore rules and file types (`indexer.scan.walk`), languages (`indexer.languages.detect`).
"""

import re

from satchel.indexer.languages import notebook, notebook_size
from satchel.indexer.scan.generated_pages import generator_of
from satchel.store.model import RepoPath, Skipped, SkipReason

HEADER_LINES = 10
"""How many lines from the top may hold the marker of a generator."""

MAX_LINE_BYTES = 50_000
"""A file with a longer line was written by a person only if most of its lines look so."""

_HEAD_BYTES = 8192
_MINIFIED_LINE_BYTES = 5000
_MINIFIED_MEAN_BYTES = 500
_BUILT_MEAN_BYTES = 100
"""Mean length of a line from which a file with such a name is a bundle: people write half of it."""
_PLAIN_LINE_BYTES = 200
_PLAIN_LINES = 20
"""So many lines of that length are not left by a program that takes line ends out."""
_CONTROL_SHARE = 0.1
_COMMENT_CHARS = 300


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_BINARY_EXTENSIONS = _words("""
    7z aac apk avi avif bmp br bz2 cab class dex dll dmg docx dylib ear eot exe flac gif gz heic
    icns ico iso jar jpeg jpg lz4 lzma m4a mkv mov mp3 mp4 mpeg npy npz odp ods odt ogg onnx otf
    parquet pdf png ppt pptx psd pyc pyd pyo rar rpm safetensors so sqlite sqlite3 tar tgz tif tiff
    ttf war wasm wav webm webp whl wmv woff woff2 xls xlsx xz zip zst
""")
# Formats by their first bytes, for files whose name says nothing.
_BINARY_MAGIC = (
    *(b"%PDF-", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"\xff\xd8\xff", b"PK\x03\x04"),
    *(b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"\x7fELF", b"\0asm"),
    *(b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\xca\xfe\xba\xbe", b"OggS", b"fLaC", b"ID3\x03"),
    *(b"ID3\x04", b"SQLite format 3\0", b"wOFF", b"wOF2", b"!<arch>\n"),
)
_LFS_BYTES = 1024
"""No pointer is longer, by the specification of git-lfs."""
_LFS_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\r?\n(?:ext-[^\n]*\n)*"
    rb"oid sha256:[0-9a-f]{64}\r?\nsize (\d{1,18})\r?\n?\Z"
)
_BOMS = (
    (b"\xff\xfe\0\0", "utf-32"),  # begins as UTF-16 does, so it is asked for first
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CONTROL = bytes(set(range(0x20)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"

_MINIFIED_NAME = re.compile(r".+[.-]min\.(?:js|mjs|cjs|css|html)")
_WEB = re.compile(r".+\.(?:[cm]?jsx?|[cm]?tsx?|css|scss|less|html?|xhtml|svg|vue|json|xml)")

_HASHED_NAME = re.compile(
    r"""[\w.-]+[.-](?:
        (?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{8} | (?=[0-9a-f]*\d)[0-9a-f]{8,20}
    )\.(?:[cm]?js|css)""",
    re.VERBOSE,
)
"""`index-BR9xcDED.js`, `main.3f2a9c1b.css`: bundlers put a digest of the content into the name."""

_LOCK_FILES = _words("""
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.lock poetry.lock
    uv.lock pdm.lock Pipfile.lock pixi.lock conda-lock.yml Cargo.lock go.sum go.work.sum
    composer.lock Gemfile.lock mix.lock rebar.lock pubspec.lock Podfile.lock Package.resolved
    Cartfile.resolved packages.lock.json paket.lock flake.lock stack.yaml.lock gradle.lockfile
    buildscript-gradle.lockfile Chart.lock buf.lock MODULE.bazel.lock .terraform.lock.hcl
""")
_GENERATED_NAME = re.compile(
    r""".+(?:
        \.pb\.(?:go|gw\.go|cc|h|swift|dart|rs) | _pb2(?:_grpc)?\.pyi? | \.pbobjc\.[hm]
      | \.(?:[cm]?js|css|[cm]?ts)\.map         # source maps
      | \.snap | \.ambr                        # what a test printed last time
      | \.[Dd]esigner\.(?:cs|vb) | \.g(?:\.i)?\.cs | \.(?:g|freezed|mocks)\.dart
      | \.generated\.\w+
    )""",
    re.VERBOSE,
)

_SOURCE_MAPS = tuple(b"%s sourceMappingURL=" % mark for mark in (b"//#", b"//@", b"/*#", b"/*@"))
"""How the last line begins of what was compiled or bundled; its source is what people change."""

# What opens a comment, by extension; an unknown kind of file may use any, so that a new language
# needs no entry here. By extension and not by language, because files are refused before anything
# asks for their language, and because of formats that Satchel does not read. Inside of a block
# comment every line counts, whatever it starts with.
_SLASHES = ("//", "/*")
_LANGUAGE_OPENERS = {
    _SLASHES: "c h cc cpp cxx hh hpp cs go java js jsx mjs cjs ts tsx mts cts kt kts scala swift rs"
    " dart groovy proto css scss less m mm zig",
    ("#",): "py pyi rb sh bash pl r ex exs yml yaml toml mk cmake nix",
    ("--", "{-", "/*"): "sql lua hs elm adb ads",
    ("<!--",): "xml html htm md vue svelte svg xaml",
    ("#", *_SLASHES): "php",
}
_COMMENT_OPENERS = {
    extension: openers for openers, text in _LANGUAGE_OPENERS.items() for extension in _words(text)
}
_ANY_OPENER = (*_SLASHES, "#", "--", "{-", "(*", "<!--", ";", "%", "dnl ", "'")
_BLOCKS = (("/*", "*/"), ("<!--", "-->"), ("{-", "-}"), ("(*", "*)"))

# Lines that may stand above or between the opening comments.
_PREAMBLE = re.compile(
    r"#!|<\?(?:php|xml)\b|<!doctype\b|['\"]use (?:strict|client|server)['\"]|package [\w.]+;?$"
    r"|#pragma once$|#if|#ifndef|#define \w+$|#nullable|@charset\b|---$",
    re.IGNORECASE,
)

_THING = r"(?:file|code|class|source|header|module|document|package|interface|type)s?"
_MADE = r"(?:auto[- ]?|automatically\ |machine[- ])?generated"
_IS = r"(?:is|was|has\ been|were)"
_MARKER = re.compile(
    rf"""(?:
        @generated(?:\W*$|\W+(?:by|from|with|using|via|SignedSource)\b)
      | Code\ generated\b.*[.;,!–—-]\s*DO\ NOT\ EDIT\b
      | <auto-?generated\b
      | Generated\ from\ \S+\ by\ ANTLR\b
      | A\ Bison\ parser,\ made\ by\ GNU\ Bison\b
      | Meta\ object\ code\ from\ reading\ C\+\+\ file\b
      | (?:This|The)\ {_THING}\ {_IS}\ (?:automatically\ )?@generated\b
      | (?:This|The)\ {_THING}\ {_IS}\ (?!generated){_MADE}\ (?:by|using|with|via)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_STATEMENT = re.compile(
    rf"""(?:.*[.!:]\s+|\W*)(?:
        (?:(?:this|the)\ (?:\S+\ )?{_THING}\ {_IS}\ )?
        {_MADE}\ (?:by|from|using|with|via|for|at|on)\b
      | (?:this|the)\ (?:\S+\ )?{_THING}\ {_IS}\ (?:an?\ )?{_MADE}\b
      | this\ is\ an?\ {_MADE}\ {_THING}\b
      | (?!generated){_MADE}\b(?:\W*$|[.;,:!])
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_HANDS_OFF = re.compile(
    r"(?:^|[.!:;,(*–—-]\s*|\b(?:please|and|so)\s+)"
    r"(?:do\s+not|don't|never)\s+(?:manually\s+|hand[- ]?)?"
    r"(?:edit|modify|change|touch|alter|make\s+changes)\b",
    re.IGNORECASE,
)


def classify(path: RepoPath, content: bytes, max_file_bytes: int = 1_000_000) -> Skipped | None:
    """Why a file should not be indexed, None when it should."""
    name = path.rpartition("/")[2]
    # What is indexed of a notebook is its cells: its size and its lines are theirs.
    if name.endswith(notebook_size.EXTENSION) and notebook.is_notebook(content):
        content = notebook.as_script(content)
    if len(content) > max_file_bytes:
        return Skipped(path, SkipReason.TOO_LARGE)
    pointer = _LFS_POINTER.match(content[:_LFS_BYTES])
    if pointer:
        return Skipped(path, SkipReason.LFS_POINTER, f"{int(pointer[1])} bytes")
    text = _text(name, content)
    if text is None:
        return Skipped(path, SkipReason.BINARY)
    if _HASHED_NAME.fullmatch(name) and len(text) > _BUILT_MEAN_BYTES * (text.count(b"\n") + 1):
        return Skipped(path, SkipReason.GENERATED, "named after its content")
    if made := _generated_by(name, text):
        return Skipped(path, SkipReason.GENERATED, made)
    return Skipped(path, SkipReason.MINIFIED) if _is_minified(name, text) else None


def _text(name: str, content: bytes) -> bytes | None:
    """The text as UTF-8 or whatever it is in, None for a binary."""
    if name.rpartition(".")[2].lower() in _BINARY_EXTENSIONS and "." in name:
        return None
    encoding = next((encoding for bom, encoding in _BOMS if content.startswith(bom)), "")
    if encoding:
        try:
            content = content.decode(encoding).encode()
        except UnicodeError:
            return None
    head = content[:_HEAD_BYTES]
    if b"\0" in head or head.startswith(_BINARY_MAGIC):
        return None
    # Some control characters occur in text: form feeds in C, escapes in the output of terminals.
    n_control = len(head) - len(head.translate(None, _CONTROL))
    return None if n_control > _CONTROL_SHARE * len(head) else content


def _generated_by(name: str, text: bytes) -> str:
    """How it is told that a program wrote a file, or which one did; "" for a person."""
    if name in _LOCK_FILES:
        return "lock file"
    if _GENERATED_NAME.fullmatch(name):
        return "by its name"
    comments = _header(name, text)
    marked = any(_MARKER.match(comment) for comment in comments)
    # Or two hints that may stand on different lines: what it is, and to leave it alone.
    stated = any(_STATEMENT.match(comment) for comment in comments)
    if marked or (stated and any(_HANDS_OFF.search(comment) for comment in comments)):
        return "by its header"
    if text.rstrip().rpartition(b"\n")[2].startswith(_SOURCE_MAPS):
        return "names its source map"
    return generator_of(name, text)


def _header(name: str, text: bytes) -> list[str]:
    """The comment lines above the first line of code, without what makes them comments."""
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    openers = _COMMENT_OPENERS.get(extension, _ANY_OPENER)
    comments: list[str] = []
    closer = ""
    for line in (
        text[:_HEAD_BYTES]
        .decode("utf-8", "replace")
        .removeprefix("\ufeff")
        .split("\n", HEADER_LINES)[:HEADER_LINES]
    ):
        bare = line.strip()
        opener = next((mark for mark in openers if bare.startswith(mark)), "")
        if closer or (opener and not _PREAMBLE.match(bare)):
            body = bare.removeprefix(opener).lstrip("*#/;%!-= ")
            for _, end in _BLOCKS:
                body = body.removesuffix(end)
            comments.append(body.strip()[:_COMMENT_CHARS])
            closer = _closer_after(bare, closer)
        elif bare and not _PREAMBLE.match(bare):
            break
    return comments


def _is_minified(name: str, text: bytes) -> bool:
    is_named_so = _MINIFIED_NAME.fullmatch(name) is not None
    if len(text) <= _MINIFIED_LINE_BYTES and not is_named_so:
        return False
    lines = text.split(b"\n")
    longest = max(map(len, lines))
    # A person may have put `.min` into a name, or one line of data into a file: then the other
    # lines are those that people write.
    if is_named_so:
        return longest > _MINIFIED_LINE_BYTES or not _is_plain(lines)
    if longest > MAX_LINE_BYTES:
        return not _is_plain(lines) or _WEB.fullmatch(name) is not None
    # One long line is not enough for a language of the web: a table of data or an embedded image
    # may stand in a file that a person wrote. Such a file has many short lines besides.
    dense = longest > _MINIFIED_LINE_BYTES and len(text) > _MINIFIED_MEAN_BYTES * len(lines)
    return dense and _WEB.fullmatch(name) is not None


def _is_plain(lines: list[bytes]) -> bool:
    """Whether many lines are as people write them."""
    return sum(0 < len(line) <= _PLAIN_LINE_BYTES for line in lines) >= _PLAIN_LINES


def _closer_after(line: str, closer: str) -> str:
    """What ends the block comment that is open behind this line, "" outside of one."""
    if closer:
        return "" if closer in line else closer
    for opener, end in _BLOCKS:
        if line.startswith(opener):
            return "" if end in line[len(opener) :] else end
    return ""

"""A tree that nobody would write and everybody meets: more than 200 files against an indexer.

`build` makes what the file system and the user allow and returns the relative paths, as bytes, of
everything it made that is not a folder. Some of it is named, some random from a fixed seed.
"""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from pathlib import Path
from random import Random

CODE = (
    "py js jsx ts tsx go rs java kt scala c cpp cs rb php swift ex hs lua sh zig erb vue svelte"
).split()
TEXT = "md rst toml yaml json sql html css proto xml ini txt unknown".split()
LONG = os.environ.get("SATCHEL_LONG") == "1"
NESTED = 100_000
SHALLOW = NESTED // 20
_BUSY = ("py", "go", "cpp")
"""Where the giants are; any language would do, at half a second each."""
_DEEP = ("py",)
"""What is nested so deeply that the parser is stopped; any would do, at two seconds each."""
LONG_LINE = 50_000_000
_SEPARATORS = "\n \r \r\n \v \f \x1c \x1d \x1e \x85 \u2028 \u2029".split(" ")
_IGNORES = [
    b"", b"\xff\xfe\n", b"\0\n", b"!\n", b"/\n", b"**/**/**/**/a\n", b"[\n", b"[!\n", b"[z-a]\n",
    b"\\\n", b"a/**/../b\n", b"*" * 300 + b"z\n", b"(a+)+$\n", b"{a,b\n", b"#x\n\\#y\n",
    b"\xef\xbb\xbf*.tmp\r\n", b"name \\ \n",
]  # fmt: skip


def build(root: Path) -> set[bytes]:
    """Makes the tree under `root`."""
    made = {os.fsencode(name) for name in _files()}
    for name, content in _files().items():
        _write(root, os.fsencode(name), content)
    for special in (_names, _links, _specials, _folders):
        made |= special(root)
    return made


def _files() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for suffix in CODE:
        found |= {f"{kind}.{suffix}": content for kind, content in _code(suffix)}
    for suffix in TEXT:
        found |= {f"{kind}.{suffix}": content for kind, content in _text(suffix)}
    for number, separator in enumerate(_SEPARATORS):
        lines = ["def a():", "    return 1", "", "x = a()", "# end"]
        found[f"separators/{number}.py"] = separator.join(lines).encode("utf-8")
        found[f"separators/{number}.md"] = separator.join(["# A", "text", "## B"]).encode("utf-8")
    for number, rules in enumerate(_IGNORES):
        found[f"ignore{number}/.gitignore"] = rules
        found[f"ignore{number}/kept.py"] = b"kept = %d\n" % number
    return found | _encodings() | _giants()


def _code(suffix: str) -> Iterator[tuple[str, bytes]]:
    random = Random(suffix)
    yield "random", random.randbytes(5_000)
    yield "letters", bytes(random.choices(b"(){}[]<>;:'\"\\/*#@$%&|=+- \nabif01", k=20_000))
    depth = NESTED if LONG or suffix in _DEEP else SHALLOW
    yield "nested", _wrapped(b"([{"[len(suffix) % 3 :][:1], depth)
    yield "half", b"def class function fn { ( \"unclosed ' /* <<EOF \n" * 50
    n_tiny = 3_000 if LONG or suffix in _BUSY else 500
    yield "tiny", b"".join(_definition(suffix, number) for number in range(n_tiny))


def _text(suffix: str) -> Iterator[tuple[str, bytes]]:
    yield "nested", _wrapped(b"[" if suffix != "html" else b"<a>", NESTED // 3)
    yield "random", Random(suffix).randbytes(3_000)
    yield "headings", b"# a\n== b\n[c]\nd:\n" * 2_000
    yield "indented", b"".join(b" " * depth + b"a:\n" for depth in range(600))


def _definition(suffix: str, number: int) -> bytes:
    forms = {"py": b"def f%d(): pass\n", "rb": b"def f%d; end\n", "go": b"func f%d() {}\n"}
    return forms.get(suffix, b"function f%d() {}\n") % number


def _wrapped(text: bytes, times: int) -> bytes:
    """`text` many times, on lines short enough not to pass for minified code."""
    per_line = 1_000
    return b"\n".join([text * per_line] * (times // per_line)) + b"\n"


def _encodings() -> dict[str, bytes]:
    text = "def café():\n    return '日本語'\n"
    return {
        "bom.py": b"\xef\xbb\xbf" + text.encode(),
        "utf16.py": text.encode("utf-16"),
        "utf16be.py": b"\xfe\xff" + text.encode("utf-16-be"),
        "utf32.py": text.encode("utf-32"),
        "latin1.py": text.encode("latin-1", "replace"),
        "invalid.py": b"x = '\xff\xfe\xc3('\ndef after_invalid(): pass\n",
        "unknown.py": b"x = '" + bytes(range(128, 256)) * 2 + b"'\ndef after_unknown(): pass\n",
        "surrogates.py": b"x = '\xed\xa0\x80\xed\xbf\xbf'\n",
        "overlong.py": b"x = '\xc0\xaf\xf8\x88\x80\x80\x80'\n",
        "nul.py": b"x = 1\0\ny = 2\n",
        "late_nul.py": b"x = 1\n" * 3_000 + b"\0",
        "crlf.py": b"def a():\r\n    pass\r\n",
        "cr.py": b"def a():\r    pass\r",
        "mixed.py": b"a = 1\nb = 2\r\nc = 3\rd = 4\n\re = 5",
        "combining.py": ("x" + "\u0301" * 5_000 + " = 1\n").encode(),
        "direction.py": "a = '\u202e\u2066 evil'\n".encode(),
        "private.md": "\ue000\uf8ff\U0010ffff\n".encode() * 100,
    }


def _giants() -> dict[str, bytes]:
    deep = b"".join(b" " * depth + b"if x:\n" for depth in range(1, 900))
    return {
        "giant_line.js": b"x" * LONG_LINE,
        "long_line.py": b"x = [" + b"1, " * 15_000 + b"]\n",
        "deep_indent.py": b"if x:\n" + deep,
        "parentheses.py": b"x = " + _wrapped(b"(", NESTED) + _wrapped(b")", NESTED),
        "lists.py": b"x = " + _wrapped(b"[", NESTED if LONG else SHALLOW),
        "identifier.py": b"a" * 40_000 + b" = 1\n",
        "many_lines.py": b"\n" * 300_000,
        "spaces.py": b" " * 49_000 + b"\n",
        "blank.py": b" \n\t\n\n",
        "empty.py": b"",
        "no_newline.py": b"x = 1",
        "bomb.py": b"# " + b"a" * 20_000 + b"!\n" + b"# " + b"(" * 20_000 + b"\n" + b'"""' * 3_001,
        "bomb.md": b"*a **a " * 5_000
        + b"\n"
        + b"[" * 20_000
        + b"](" * 9_000
        + b"\n"
        + b"`" * 9_999,
        "bomb.c": b"#define A B\n" * 5_000 + b"/* " * 9_000 + b"\n" + b"#if X\n" * 5_000,
        "bomb.html": b"<!-- " * 9_000 + b"<div " + b"a=" * 9_000,
        "bomb.yaml": b"a: &a [x]\n" + b"".join(b"b%d: *a\n" % n for n in range(9_000)),
    }


def _names(root: Path) -> set[bytes]:
    names = [
        *(b"new\nline.py", b"quote'\".py", b"-rf.py", b"--full", b" lead.py", b"trail .py"),
        *(b"back\\slash.py", b"st*r?[x].py", b"\xff\xfe\xfd.py", b"caf\xe9.py", b"e\xcc\x81.py"),
        *(b"\xc3\xa9.py", b"$(reboot).py", b"`x`.py", b"a;b&&c|d.py", b"\x01\x1b[31m.py"),
        *(b"\xe2\x80\xae.py", b"\xe2\x80\xa8.py", b"CON.py", b"...py", b"..a.py", b".hidden.py"),
        *(b"~.py", b"#a#.py", b"%s%n.py", b"\xed\xa0\x80.py", b"x.", b"noextension", b"tab\t.py"),
        *(b"n" * 252 + b".py", b"\xf0\x9f\x98\x80.py", b"\x7f.py", b"=1+1.py", b"@a.py"),
    ]
    return {b"names/" + name for name in names if _write(root, b"names/" + name, b"named = 1\n")}


def _links(root: Path) -> set[bytes]:
    folder = root / "links"
    folder.mkdir()
    links = {
        "loop": "loop",
        "a": "b",
        "b": "a",
        "up": "..",
        "self": ".",
        "gone": "nowhere",
        "outside": "/etc/passwd",
        "device": "/dev/zero",
        "root": "/",
        "file.py": "../bom.py",
        "proc": "/proc/self/mem",
        "long": "x/" * 1_000,
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    return {b"links/" + os.fsencode(name) for name in links}


def _make_hole(name: str) -> None:
    Path(name).touch()
    os.truncate(name, 1 << 40)


def _specials(root: Path) -> set[bytes]:
    if sys.platform == "win32":
        return set()
    folder = root / "special"
    folder.mkdir()
    makers: dict[str, Callable[[str], object]] = {
        "pipe.py": os.mkfifo,
        "zero.py": lambda name: os.mknod(name, 0o20666, os.makedev(1, 5)),
        "tty.py": lambda name: os.mknod(name, 0o20666, os.makedev(5, 0)),
        "locked.py": lambda name: Path(name).touch(0o000),
        "hole.py": _make_hole,
    }
    made: set[bytes] = set()
    with chdir(folder), socket.socket(socket.AF_UNIX) as listening:
        makers["socket.py"] = listening.bind  # a longer path would not fit into an address
        for name, make in makers.items():
            with suppress(OSError):  # devices need rights that not everybody has
                make(name)
                made.add(b"special/" + os.fsencode(name))
    return made


def _folders(root: Path) -> set[bytes]:
    deep = b"/".join(b"d%d" % depth for depth in range(100)) + b"/deep.py"
    _write(root, deep, b"def deepest(): pass\n")
    _write(root, b"folder.py/inside.py", b"inside = 1\n")
    (root / "empty" / "empty").mkdir(parents=True)
    return {deep, b"folder.py/inside.py"}


def _write(root: Path, name: bytes, content: bytes) -> bool:
    path = root / os.fsdecode(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_bytes(content)
    except OSError:  # some file systems want names in Unicode, or shorter ones
        return False
    return True

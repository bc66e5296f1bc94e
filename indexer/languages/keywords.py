"""Lines that declare something by a keyword of their language, against what was understood. Pure.

A grammar may take another branch at what it does not know and leave no error: then a declaration is
gone without a word. A keyword and a name at the start of a line are a second source, cheap and
blind to all else.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache

_NAME = r"([A-Za-z_][\w$]*+[?!]?+)(?![\x80-\xff])"
_C_LIKE = rf"~*(?:[a-z]+~+)*(?:class|interface|enum|struct|trait|object|mixin)~+{_NAME}"
KEYWORDS = {
    "bash": r"~*function~+([\w:.-]+)",
    "c": rf"(?:typedef~+)?(?:struct|enum|union)~+{_NAME}~*\{{",
    "cpp": rf"~*(?:class|struct|namespace)~+{_NAME}~*(?:final~*)?(?::(?!:)|\{{)",
    "csharp": rf"~*(?:(?:public|internal|private|protected|static|sealed|abstract|partial)~+)+"
    rf"(?:class|interface|struct|enum|record(?:~+struct)?)~+(?!struct\b){_NAME}",
    "dart": _C_LIKE,
    "elixir": r"~*defmodule~+([A-Z][\w.]*)",
    "gdscript": rf"~*(?:static~+)?(?:func|class|signal|enum)~+{_NAME}",
    "go": rf"(?:func~+(?:\([^)\n]*\)~*)?|type~+){_NAME}",
    "groovy": rf"~*(?:[a-z]+~+)*(?:class|interface|enum|trait|def)~+{_NAME}"
    r"~*(?=[({]|extends)",
    "haskell": rf"(?:data|newtype|class)~+(?:family~+|instance~+)?(?:[^=\n]*=>~*)?{_NAME}",
    "hcl": r"(?:resource~+\"[^\"]*\"|data~+\"[^\"]*\"|variable|output|module)~+\"([^\"]+)\"",
    "java": rf"~*(?:(?:public|private|protected|static|final|abstract|sealed)~+)*"
    rf"(?:class|interface|enum|record)~+{_NAME}",
    "javascript": rf"~*(?:export~+)?(?:default~+)?(?:async~+)?"
    rf"(?:function\*?|class)~+(?!extends\b){_NAME}",
    "kotlin": rf"~*(?:@\w+~+)*(?:[a-z]+~+)*(?:class|interface|object)~+{_NAME}",
    "lua": r"~*(?:local~+)?function~+(?:[\w.]+[.:])?(\w+)",
    "nix": rf"~*{_NAME}~*=~*(?:\w+|\{{[^}}\n]*\}}):",
    "php": rf"~*(?!use\b)(?:[a-z]+~+)*(?:function|class|interface|trait)~+&?"
    rf"(?!(?:implements|extends)\b){_NAME}",
    "python": rf"~*(?:async~+)?(?:def|class)~+{_NAME}",
    "ruby": r"~*(?:def~+(?:\w++\.)?+|class~+(?!<<)|module~+)"
    r"([A-Za-z_:][\w:]*+[?!=]?)(?![.\x80-\xff])",
    "rust": rf"~*(?:pub(?:\([^)\n]*\))?~+)?(?:async~+|unsafe~+|const~+)*"
    rf"(?:fn|struct|enum|trait|union)~+(?!r#){_NAME}",
    "scala": rf"~*(?:[a-z]+~+)*(?:class|trait|object|enum|def)~+{_NAME}",
    "solidity": rf"~*(?:abstract~+)?(?:contract|interface|library|struct|enum|event|error"
    rf"|modifier|function)~+{_NAME}",
    "swift": rf"~*(?:(?!import\b)[a-z]+~+)*(?:class|struct|enum|protocol|actor|func)~+{_NAME}",
    "typescript": rf"~*(?:export~+)?(?:default~+)?(?:abstract~+)?(?:async~+)?"
    rf"(?:function\*?|class|interface|enum)~+(?!(?:implements|extends)\b){_NAME}",
    "zig": rf"~*(?:pub~+)?(?:inline~+|export~+)?fn~+{_NAME}",
}
"""By language, from where a line starts; `~` is a blank or a tab, group 1 the name as written."""
IsQuoted = Callable[[int], bool]
"""Whether a string or a comment holds a byte."""
_MARKS = re.compile(r"^[\"'`$@%:]+|[\"'`]+$")


def lost(language: str, data: bytes, is_quoted: IsQuoted, names: Iterable[str]) -> list[int]:
    """Where lines declare what is not among the names that were understood, as first bytes."""
    declared = _compiled(language).findall(b"\n" + data)
    missing = Counter(map(_plain, declared)) - Counter(map(plain, names) if declared else ())
    if not missing:
        return []
    open_places: list[tuple[str, int]] = []
    for name, start in _found(language, data):
        if missing[name] > 0:
            if is_quoted(start):
                missing[name] -= 1
            else:
                open_places.append((name, start))
    places: list[int] = []
    for name, start in open_places:
        # Of several with the same name any may be the one that is missing.
        if missing[name] > 0:
            missing[name] -= 1
            places.append(start)
    return places


def declarations(language: str, data: bytes, is_quoted: IsQuoted) -> Iterator[tuple[str, int]]:
    """The name and the first byte of each declaration, outside of comments and strings."""
    return ((name, start) for name, start in _found(language, data) if not is_quoted(start))


def _found(language: str, data: bytes) -> Iterator[tuple[str, int]]:
    for match in _compiled(language).finditer(b"\n" + data):
        yield _plain(match[1]), match.start(1) - 1


def _plain(name: bytes) -> str:
    return plain(name.decode("utf-8", "replace"))


def plain(name: str) -> str:
    """A name without quotes, owners, type parameters, selectors."""
    if name.isidentifier():
        return name
    bare = re.sub(r"[{(\[<:].*$", "", _MARKS.sub("", re.sub(r"^.*(?:::|/)(?=\w)", "", name)))
    return re.split(r"\.(?=\w)", bare)[-1] or name


@cache
def _compiled(language: str) -> re.Pattern[bytes]:
    # A search for a byte is quick, one for the start of a line asks at every byte. Blanks are not
    # given back: what follows them is none.
    pattern = KEYWORDS.get(language, "(?!)").replace("~*", "[ \\t]*+").replace("~+", "[ \\t]++")
    return re.compile(b"\n" + pattern.encode())

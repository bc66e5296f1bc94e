"""Sections of configuration: TOML, INI, YAML, JSON, Dockerfiles, makefiles, Go modules."""

import re

from satchel.indexer.languages.outline import Heading, short, with_comments

_WIDTH = 400
"""Only so much of a line is looked at."""

_KEY = r"(?:[\w-]+|\"[^\"]*\"|'[^']*')"
_TOML_TABLE = re.compile(rf"(\s*)\[\[?\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*\]\]?\s*(?:#.*)?$")
_TOML_KEY = re.compile(rf"({_KEY}(?:\s*\.\s*{_KEY})*)\s*=")
_DOT = re.compile(r"\s*\.\s*")
_TOML_QUOTES = ('"""', "'''")

_INI = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:[#;].*)?$")

_YAML_KEY = re.compile(
    r"(\s*)((?:[^\s#\-\[\]{}&*!|>%@`\"',?:]|[-?:](?=\S))(?:[^:#]|:(?=\S)|(?<=\S)#)*?"
    r"|\"[^\"]*\"|'[^']*')\s*:(?:\s+(.*))?$"
)
_YAML_ITEM = re.compile(r"-\s+(\S.*:(?:\s.*)?)$")
_YAML_OPEN = re.compile(r"(?:[&!]\S*\s*)*(?:#.*)?$")

_JSON = re.compile(
    r"//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|[{}\[\]]"
    r"|\"((?:[^\"\\\n]|\\.)*+)\"(\s*:\s*(?=([\[{])?))?|\"(?:[^\"\\\n]|\\.)*+|\n"
)

_MODULE = re.compile(r"(?m)^module[ \t]+(\S+)")
_STAGE = re.compile(r"\s*FROM\s+((?:--\S+\s+)*)(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)

_TARGET = re.compile(
    r"((?:[^\s#:=$]|\$[({][\w.-]+[)}]|\$[@<*])(?:[^#:=\\]|\\.)*?)\s*(::?)(?!:?=)"
    r"(?!\s*(?:export\s+|override\s+)?[\w.-]+\s*[:+?!]{0,3}=)"
)
_SPECIAL = re.compile(r"\.[A-Z_]+$|-?s?include\b|export\b|override\b")
_DEFINE = re.compile(r"define\s+([^\s=]+)")


def toml(text: str) -> list[Heading]:
    """Tables, and the keys above the first one."""
    lines = text.split("\n")
    result: list[Heading] = []
    quotes = ""
    in_tables = False
    for number, raw in enumerate(lines, 1):
        line = raw[:_WIDTH].rstrip()
        if quotes:
            quotes = "" if quotes in raw else quotes
            continue
        table = _TOML_TABLE.match(line)
        key = None if in_tables else _TOML_KEY.match(line)
        # Indented and quoted, `["a", "b"],` is a row of an array and no table.
        if table and not (table[1] and table[2][0] in "\"'"):
            in_tables = True
            result.append(Heading(number, 1, short(_DOT.sub(".", table[2]))))
        elif key:
            result.append(Heading(number, 1, short(key[1])))
        quotes = next((mark for mark in _TOML_QUOTES if raw.count(mark) % 2), "")
    return with_comments(result, lines, ("#",))


def ini(text: str) -> list[Heading]:
    """`[section]` lines."""
    lines = text.split("\n")
    found = ((n, _INI.match(line[:_WIDTH])) for n, line in enumerate(lines, 1))
    result = [Heading(number, 1, short(match[1])) for number, match in found if match]
    return with_comments(result, lines, ("#", ";"))


def yaml(text: str) -> list[Heading]:
    """Top-level keys, the mappings right below them, and the mappings of a top-level list."""
    lines = text.split("\n")
    result: list[Heading] = []
    # Whether a top-level key was seen in this document; the indentation of the keys below it, -1
    # for not known yet; whether its value is text, so that what looks like keys below are not.
    keyed, inner, scalar = False, -1, False
    for number, raw in enumerate(lines, 1):
        line = raw[:_WIDTH].rstrip()
        key = _YAML_KEY.match(line)
        item = None if keyed else _YAML_ITEM.match(line)
        if line.startswith(("---", "...")):
            keyed, inner, scalar = False, -1, False
        elif item:
            result.append(Heading(number, 1, short(item[1])))
        elif key and not key[1]:
            result.append(Heading(number, 1, short(key[2].strip("\"'"))))
            keyed, inner, scalar = True, -1, bool(key[3]) and not _YAML_OPEN.match(key[3])
        elif key and keyed and not scalar:
            inner = len(key[1]) if inner < 0 else inner
            if len(key[1]) == inner and _YAML_OPEN.match(key[3] or ""):
                result.append(Heading(number, 2, short(key[2].strip("\"'"))))
    return with_comments(result, lines, ("#",))


def json(text: str) -> list[Heading]:
    """Top-level keys, and the objects and arrays right below them; comments are let pass."""
    result: list[Heading] = []
    line, depth = 1, 0
    for token in _JSON.finditer(text):
        # A string with a colon behind it is a key; below the top level only those of collections.
        if token[2] and depth in (1, 2) and (depth == 1 or token[3]):
            if not result or result[-1].line < line:
                result.append(Heading(line, depth, short(token[1]) or '""'))
        elif token[0][0] in "{[":
            depth += 1
        elif token[0][0] in "}]":
            depth -= 1
        line += token[0].count("\n")
    return result


def gomod(text: str) -> list[Heading]:
    """The path of a Go module, which the imports of its packages begin with."""
    found = _MODULE.search(text)
    line = text.count("\n", 0, found.start(1)) + 1 if found else 0
    return [Heading(line, 1, short(found[1].strip('"`')))] if found else []


def dockerfile(text: str) -> list[Heading]:
    """One section a stage, called by its name or else by its image."""
    lines = text.split("\n")
    found = ((n, line, _STAGE.match(line[:_WIDTH])) for n, line in enumerate(lines, 1))
    result = [
        Heading(number, 1, short(match[3] or match[2]), signature=short(line))
        for number, line, match in found
        if match
    ]
    return with_comments(result, lines, ("#",))


def makefile(text: str) -> list[Heading]:
    """Targets and `define` blocks."""
    lines = text.split("\n")
    result: list[Heading] = []
    continued, defining = False, False
    for number, raw in enumerate(lines, 1):
        line = raw[:_WIDTH]
        # Neither the rest of a line that ends in a backslash nor the body of a `define`.
        start = not continued and not defining
        define = _DEFINE.match(line) if start else None
        target = _TARGET.match(line) if start and not define else None
        if define:
            result.append(Heading(number, 1, short(define[1]), signature=short(line)))
        elif target and not _SPECIAL.match(target[1]):
            result.append(Heading(number, 1, short(target[1]), signature=short(line)))
        defining = bool(define) or (defining and not line.startswith("endef"))
        continued = raw.rstrip("\r").endswith("\\")
    return with_comments(result, lines, ("#",))

"""Notebooks (Jupyter's .ipynb) as a script: the source of their cells, without outputs. Pure.

Each line of a cell stands on the line of the file that holds it, so that places mean the same in
the index and in the file; what is left out leaves empty lines. A cell begins with "# %%", a cell of
text with "# %% [markdown]" and is a comment, and magics of IPython are comments: the percent format
of jupytext. The first line names the language of the kernel. A notebook whose cells stand on one
line of the file, as some tools write them, is given lines of its own.

Not here: what counts as a notebook by its name (`indexer.languages.code`); metadata and attachments
of cells, which nobody asks for.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

TITLE = b"Jupyter notebook: "
"""What the first line says, behind the mark of a comment and before the name of the language."""

_SLASHES = frozenset("javascript typescript scala kotlin java csharp c cpp go rust swift".split())
_NAME_CHARS = 20
_ROWS = {"c#": "csharp", "c++": "cpp", "sh": "bash", "ipython": "python", "python3": "python"}
"""Names of kernels' languages that differ from those of Satchel's rows."""
_MAGIC = re.compile(r"\s*[%!?]|\s*[\w.]+\?{1,2}\s*$|\s*[\w., ]+=\s*[!%]\s*\w")
_OF_PYTHON = re.compile(
    r"%%(?:time|timeit|capture|prun|debug|python3?|px|memit|mprun|scalene|snakeviz|heat|pyinstrument"
    r"|memray_flamegraph|cache|skip|notify|ipytest|run_pytest|local|spark|pyspark)\b"
)
"""Magics of a cell that measure it, keep its output or run it elsewhere: what follows is Python."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_SOURCE = re.compile(r'"source"\s*:\s*')
_LIST = re.compile(rf'\[(?:[ \t]*\r?\n[ \t]*{_STRING.pattern},?)++\s*\]|\[[ \t]*\]|""')


class _Cell(Struct, frozen=True):
    kind: str
    strings: list[str]
    """The source as the file has it, in one string or in one for each line."""

    @property
    def lines(self) -> list[str]:
        """The source by lines, of whatever kind their breaks are."""
        text = "".join(self.strings).replace("\r\n", "\n").replace("\r", "\n")
        return text.removesuffix("\n").split("\n") if text else []


def is_notebook(data: bytes) -> bool:
    """Whether bytes are those of a notebook, by how it begins and what it must hold."""
    return data.lstrip()[:1] == b"{" and b'"cells"' in data and b'"nbformat"' in data


def language_of(head: bytes) -> str:
    """What the first line of a script names as the language of its kernel; "" for none."""
    first = head.partition(b"\n")[0].lstrip(b"#/ ")
    return first.removeprefix(TITLE).decode("ascii", "replace") if first.startswith(TITLE) else ""


def as_script(data: bytes) -> bytes:
    """The notebook as a script; `data` itself when it is none after all."""
    try:
        text = data.decode("utf-8")
        book = json.loads(text)
        cells = [_cell(each) for each in book["cells"]]
        language = _language(book.get("metadata", {}))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return data
    comment = "//" if language in _SLASHES else "#"
    title = f"{comment} {TITLE.decode()}{language}"
    shown = [_cell_lines(cell, comment, language) for cell in cells]
    places = _mark_lines(text, cells)
    if places is None:
        lines = [title, *(line for cell in shown for line in cell)]
    else:
        lines = [title] + [""] * text.count("\n")
        for cell, start in zip(shown, places, strict=True):
            # The line that opens a list has none of the source, and so has room for the mark.
            lines[start : start + len(cell)] = cell
    return "\n".join(lines).rstrip("\n").encode("utf-8", "replace") + b"\n"


def _cell(raw: dict[str, Any]) -> _Cell:
    source = raw["source"]
    strings = [source] if isinstance(source, str) else source
    if not all(isinstance(each, str) for each in strings):
        raise TypeError
    return _Cell(str(raw["cell_type"]), strings)


def _language(metadata: dict[str, Any]) -> str:
    """The language of the kernel, as Satchel's rows call it."""
    language = metadata.get("language_info", {}).get("name", "")
    language = language or metadata.get("kernelspec", {}).get("language", "") or "python"
    plain = re.sub(r"[^\w#+-]", "", str(language).lower())[:_NAME_CHARS] or "python"
    return _ROWS.get(plain, plain)


def _cell_lines(cell: _Cell, comment: str, language: str) -> list[str]:
    """The mark of a cell, and its lines."""
    lines = cell.lines
    if cell.kind != "code":
        # A text without marks of comments would be read as code.
        kind = re.sub(r"\W", "", cell.kind)[:_NAME_CHARS]
        return [f"{comment} %% [{kind}]", *(f"{comment} {line}".rstrip() for line in lines)]
    is_python = language == "python"
    # "%%sql" makes the whole cell something else.
    if lines and lines[0].startswith("%%") and not (is_python and _OF_PYTHON.match(lines[0])):
        return [f"{comment} %%", *(f"{comment} {line}" for line in lines)]
    return [f"{comment} %%", *(_without_magics(lines) if is_python else lines)]


def _without_magics(lines: list[str]) -> Iterator[str]:
    """The lines of a cell of Python, magics as comments; one in a block does nothing."""
    goes_on = False
    for line in lines:
        is_magic = goes_on or _MAGIC.match(line)
        indent = line[: len(line) - len(line.lstrip())]
        mark = f"{indent}pass  # " if indent and not goes_on else "# "
        yield f"{mark}{line.lstrip() if indent else line}" if is_magic else line
        goes_on = bool(is_magic and line.endswith("\\"))


def _mark_lines(text: str, cells: list[_Cell]) -> list[int] | None:
    """The line (from 0) of the mark of each cell; its source follows, a line on each line.

    None when they do not stand so, as in a notebook that was written without indentation.
    """
    found: list[int] = []
    sources = _sources(text)
    for cell in cells:
        wanted = cell.strings if cell.strings != [""] else []
        # Outputs and metadata may hold something called "source" too.
        place = next((line for line, strings in sources if strings == wanted), 0)
        if not place or len(cell.lines) != len(wanted):
            return None
        found.append(place)
    return found


def _sources(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each list called "source" whose strings have a line each: the line it opens on, its strings.

    Strings are passed over whole, so that a cell which quotes a notebook does not count.
    """
    line = counted = position = 0
    while (start := text.find('"', position)) >= 0:
        key = _SOURCE.match(text, start)
        if key is None:
            string = _STRING.match(text, start)
            position = string.end() if string else len(text)
            continue
        line += text.count("\n", counted, key.end())
        counted = key.end()
        listed = _LIST.match(text, key.end())
        position = listed.end() if listed else key.end()
        if listed:
            yield line, [json.loads(each) for each in _STRING.findall(listed[0])]

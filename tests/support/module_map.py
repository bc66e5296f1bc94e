"""The tables of docs/ARCHITECTURE.md, made from docstrings."""

import ast
from pathlib import Path

from tests.support.architecture import AT_TOP, MAY_IMPORT, product_files
from tests.support.satchel import ROOT


def tables() -> str:
    """One section a room: what it is for, and a table of the folders in it."""
    lines: list[str] = []
    for room in MAY_IMPORT:
        folders = _folders(room)
        lines += [f"### `{_shown(folders[0])}/`", "", _about(folders[0] / "__init__.py"), ""]
        if folders[1:]:
            lines += ["| folder | what it is for |", "|---|---|"]
            lines += [
                f"| `{_shown(each)}` | {_about(each / '__init__.py')} |" for each in folders[1:]
            ]
            lines.append("")
    return "\n".join(lines)


def _folders(room: str) -> list[Path]:
    top = ROOT / room if room in AT_TOP else ROOT / "satchel" / room
    return sorted({path.parent for path in product_files(ROOT) if path.is_relative_to(top)})


def _shown(folder: Path) -> str:
    return folder.relative_to(ROOT).as_posix()


def _about(path: Path) -> str:
    """The first paragraph of a module's docstring, on one line."""
    doc = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(doc.split("\n\n")[0].split()).replace("|", "\\|")


def between(document: Path, mark: str, made: str) -> str:
    """A document with what stands between its marks replaced."""
    start, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    before, _, rest = document.read_text("utf-8").partition(start)
    _, close, after = rest.partition(end)
    assert close, f"{document.name} has no {start.strip()} … {end}"
    return f"{before}{start}{made}{end}{after}"

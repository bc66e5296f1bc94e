"""The tables of docs/ARCHITECTURE.md, made from docstrings."""

import ast
from pathlib import Path

from tests.support.architecture import AT_TOP, MAY_IMPORT, product_files
from tests.support.satchel import ROOT

_AT_TOP = "entry points and main steps"


def tables() -> str:
    """One table a room: each of its folders, what it is for, and the modules in it."""
    lines: list[str] = []
    for room in MAY_IMPORT:
        folders = _folders(room)
        lines += [f"### `{_shown(folders[0])}/`", "", _about(folders[0] / "__init__.py"), ""]
        lines += ["| folder | what it is for | modules |", "|---|---|---|"]
        for folder in folders:
            about = _about(folder / "__init__.py") if folder != folders[0] else _AT_TOP
            modules = ", ".join(f"`{path.stem}`" for path in _modules(folder))
            if modules:
                lines.append(f"| `{_shown(folder)}` | {about} | {modules} |")
        lines.append("")
    return "\n".join(lines)


def _folders(room: str) -> list[Path]:
    top = ROOT / room if room in AT_TOP else ROOT / "satchel" / room
    return sorted({path.parent for path in product_files(ROOT) if path.is_relative_to(top)})


def _modules(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]


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

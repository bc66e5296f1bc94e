"""Random but repeatable editing of a small project whose files use each other's names."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

_NAMES = "alpha beta gamma delta send load Signal Model Router".split()
_OURS = {".satchel", ".git"}
_FOLDERS = ("", "app", "app/core", "lib", "tests", "lib/web/deep")


class Editor:
    """Edits the tree under `root`; the same seed makes the same edits."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root = root
        self._random = Random(seed)
        self._count = 0
        self._steps: list[tuple[int, Callable[[], None]]] = [
            (6, self._create), (6, self._edit), (3, self._delete), (3, self._rename),
            (2, self._move_folder), (2, self._copy), (1, self._touch), (1, self._make_binary),
            (1, self._ignore), (1, self._swap_file_and_folder), (1, self._delete_folder),
            (1, self._swap_two_files), (2, self._link_folder),
        ]  # fmt: skip

    def edit(self) -> str:
        """Makes one edit and returns what it was."""
        weights = [weight for weight, _ in self._steps]
        step = self._random.choices(self._steps, weights)[0][1]
        if not self._files():
            step = self._create
        step()
        return step.__name__

    def _files(self) -> list[Path]:
        found = (p for p in self._root.rglob("*") if p.is_file() and not _OURS & {*p.parts})
        return sorted(found)

    def _folders(self) -> list[Path]:
        found = (p for p in self._root.rglob("*") if p.is_dir() and not _OURS & {*p.parts})
        return sorted(found)

    def _any_file(self) -> Path:
        return self._random.choice(self._files())

    def _fresh(self) -> Path:
        self._count += 1
        folder = self._root / self._random.choice(_FOLDERS)
        while any(part.is_file() for part in (folder, *folder.parents)):
            folder = folder.parent
        suffix = self._random.choice(["py", "py", "py", "js", "go", "md"])
        stem = self._random.choice([*_NAMES, f"m{self._count}", "__init__", "test_a"])
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{stem}.{suffix}"
        return path if not path.exists() else folder / f"{stem}{self._count}.{suffix}"

    def _create(self) -> None:
        path = self._fresh()
        path.write_text(self._source(path.suffix), encoding="utf-8")

    def _edit(self) -> None:
        path = self._any_file()
        path.write_text(self._source(path.suffix), encoding="utf-8")

    def _delete(self) -> None:
        self._any_file().unlink()

    def _rename(self) -> None:
        self._any_file().rename(self._fresh())

    def _copy(self) -> None:
        shutil.copyfile(self._any_file(), self._fresh())

    def _touch(self) -> None:
        os.utime(self._any_file(), ns=(0, self._random.randrange(10**18)))

    def _make_binary(self) -> None:
        self._any_file().write_bytes(b"\x7fELF\0\0" * 9)

    def _ignore(self) -> None:
        patterns = self._random.sample(["lib/", "*.js", "alpha*", "!alpha.py", "app/core"], 2)
        path = self._root / ".gitignore"
        if path.is_dir():  # two earlier edits made it one
            shutil.rmtree(path)
        path.write_text("\n".join(patterns), encoding="utf-8")

    def _move_folder(self) -> None:
        folders = self._folders()
        if folders:
            folder = self._random.choice(folders)
            self._count += 1
            folder.rename(self._root / f"moved{self._count}")

    def _delete_folder(self) -> None:
        folders = self._folders()
        if folders:
            folder = self._random.choice(folders)
            folder.unlink() if folder.is_symlink() else shutil.rmtree(folder)

    def _link_folder(self) -> None:
        """A second path to a folder, or another place that a link leads to."""
        folders = [folder for folder in self._folders() if not folder.is_symlink()]
        if folders:
            link = (
                self._root / self._random.choice(["app", "lib", ""]) / self._random.choice(_NAMES)
            )
            if link.is_symlink():
                link.unlink()
            if link.parent.is_dir() and not link.exists():
                target = self._random.choice(folders)
                link.symlink_to(os.path.relpath(target, link.parent.resolve()))

    def _swap_file_and_folder(self) -> None:
        path = self._any_file()
        text = path.read_bytes()
        path.unlink()
        path.mkdir()
        (path / "inside.py").write_bytes(text)

    def _swap_two_files(self) -> None:
        first, second = self._any_file(), self._any_file()
        texts = first.read_bytes(), second.read_bytes()
        first.write_bytes(texts[1])
        second.write_bytes(texts[0])

    def _source(self, suffix: str) -> str:
        pick = self._random.choice
        a, b, c, d = (pick(_NAMES) for _ in range(4))
        if suffix == ".go":
            return f"package p\n\nfunc {a}() {{\n\t{b}()\n\tx.{c}()\n}}\n\nfunc {d}() {{}}\n"
        if suffix == ".js":
            return (
                f"import {{ {a} as {b} }} from './{c}';\nimport * as {d} from '../lib/{a}';\n\n"
                f"export function {c}() {{\n  {b}();\n  {d}.{a}();\n}}\n"
            )
        if suffix == ".md":
            return f"# {a}\n\nAbout `{b}`.\n\n## {c}\n\n{d} text\n"
        imports = [f"from app.{a} import {b}", f"import lib.{c}", f"from {d} import {a} as {c}",
                   f"from .{b} import *"]  # fmt: skip
        return "\n".join(
            [
                *self._random.sample(imports, 2), "",
                f"def {c}():", f"    {b}()", f"    {a}.{d}()", "",
                f"class {a.title()}({pick(_NAMES).title()}):",
                f"    def {d}(self):", f"        self.{b}()", f"        {c}({pick(_NAMES)}())",
                f"    def {b}(self):", f"        return {d}", "",
            ]
        )  # fmt: skip

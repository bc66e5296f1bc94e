"""Puts the grammars that are used into the wheel, out of the 173 that the language pack ships.

The pack is 184 MB installed, the used grammars 37. An editable install leaves them where they are
and depends on the pack instead: there the checkout is the package.
"""

from __future__ import annotations

import re
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACK = "tree-sitter-language-pack==0.13.0"
TARGET = "satchel/indexer/languages/grammars"
_OWN_WHEELS = {"csharp"}
"""Grammars that the pack itself takes from a package of their own; so do we."""
_GRAMMAR = re.compile(r'\bgrammar="(\w+)"')
_NOTICE = "licences/NOTICE"
_LICENSED = re.compile(r"^(\w+): Copyright", re.MULTILINE)
_TAG = re.compile(r"^Tag: [^-]+-[^-]+-(.+)$", re.MULTILINE)


class GrammarsHook(BuildHookInterface[Any]):
    """What hatchling runs before it builds a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the grammars, or the pack where the install is editable."""
        if version == "editable":
            build_data["dependencies"].append(PACK)
            return
        folder = _folder_of_grammars()
        languages = Path(self.root, "satchel", "indexer", "languages")
        used = used_grammars(languages)
        if not used:
            raise RuntimeError(
                f"{self.root} names no grammar: are satchel/indexer and its like folders or links?"
                " (git for Windows makes links only with core.symlinks)"
            )
        if unnamed := set(used) - set(_LICENSED.findall((languages / _NOTICE).read_text("utf-8"))):
            raise RuntimeError(f"{languages / _NOTICE} has no line of {', '.join(sorted(unnamed))}")
        for name in used:
            [library] = [*folder.glob(f"{name}.*so"), *folder.glob(f"{name}.pyd")]
            build_data["force_include"][str(library)] = f"{TARGET}/{library.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{_platforms()}"


def used_grammars(languages: Path) -> list[str]:
    """Names of the grammars that rows of `languages` name and the pack holds, sorted."""
    texts = [path.read_text("utf-8") for path in sorted(languages.glob("*.py"))]
    return sorted({name for text in texts for name in _GRAMMAR.findall(text)} - _OWN_WHEELS)


def _folder_of_grammars() -> Path:
    spec = find_spec("tree_sitter_language_pack")
    if spec is None or spec.origin is None:
        raise RuntimeError(f"a wheel is built with {PACK} installed; it holds the grammars")
    return Path(spec.origin).parent / "bindings"


def _platforms() -> str:
    """The platforms that the pack's own wheel was built for, as one part of a tag."""
    wheel = distribution("tree-sitter-language-pack").read_text("WHEEL") or ""
    return ".".join(sorted(set(_TAG.findall(wheel))))

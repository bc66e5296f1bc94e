"""What a build adds: the version, and the grammars out of the 173 that the language pack ships.

The pack is 184 MB installed, the used grammars 58. An editable install leaves them where they are
and depends on the pack instead: there the checkout is the package.
"""

import re
import subprocess
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


RELEASE = "0.2.0"
"""The next release: what the commit with its tag, "v0.2.0", is. All others come before it."""


def version_of_source() -> str:
    """The version of this folder: a release, or one of its predecessors with number and commit.

    0.2.0 · 0.2.0.dev1903+g95072e5b · 0.2.0.dev0, where neither git nor an sdist says which commit.
    """
    root = Path(__file__).parent
    packed = root / "PKG-INFO"
    if packed.is_file():  # an sdist
        return re.findall(r"^Version: (.+)$", packed.read_text("utf-8"), re.MULTILINE)[0]
    if not (root / ".git").exists() or not (commit := _git(root, "rev-parse", "--short=8", "HEAD")):
        return f"{RELEASE}.dev0"
    if f"v{RELEASE}" in _git(root, "tag", "--points-at", "HEAD").split():
        return RELEASE
    return f"{RELEASE}.dev{_git(root, 'rev-list', '--count', 'HEAD')}+g{commit}"


def _git(root: Path, *arguments: str) -> str:
    """What git prints, "" where there is none or it refuses."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, encoding="utf-8", check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


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
    texts = [path.read_text("utf-8") for path in sorted(languages.rglob("*.py"))]
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

"""The documentation site is the documents as they lie: what mkdocs is told beside `mkdocs.yml`.

README.md is the first page, and documents outside of `docs/` come along. A link to what is no
document, a module or a file of settings, is its text: the site is no copy of the code.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
ALONG = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md", "bench/INDEXING.md",
         "bench/RESULTS.md", "bench/CALL_GRAPH.md", "training/ranking/README.md")  # fmt: skip
_LINK = re.compile(r"(?<!!)\[([^\]\[]*(?:!\[[^\]]*\]\([^)]*\))?)\]\(([^)\s#]*)(#[^)\s]*)?\)")
_PICTURE = re.compile(r"(!\[[^\]]*\]\()docs/")
_FENCED = re.compile(r"^(`{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:  # noqa: ANN401 - mkdocs's own
    """Add the documents that lie outside of `docs/`."""
    files.append(File.generated(config, "index.md", abs_src_path=str(ROOT / "README.md")))
    for name in ALONG:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:  # noqa: ANN401
    """Links between documents, as the site has them."""
    here = page.file.src_uri
    source = "README.md" if here == "index.md" else here if here in ALONG else f"docs/{here}"

    def linked(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        if not target or "://" in target:
            return match[0]
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        place = "index.md" if meant == "README.md" else meant.removeprefix("docs/")
        if files.get_file_from_path(place) is None:
            return text
        return f"[{text}]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{anchor})"

    parts, last = [], 0
    for fenced in _FENCED.finditer(markdown):
        parts += [_LINK.sub(linked, markdown[last : fenced.start()]), fenced[0]]
        last = fenced.end()
    whole = "".join([*parts, _LINK.sub(linked, markdown[last:])])
    return _PICTURE.sub(r"\1", whole) if here == "index.md" else whole

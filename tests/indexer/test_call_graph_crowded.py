"""Edges stay when many more files lie in the folders, packages and namespaces they lead to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from satchel.store.model import SymbolKind
from tests.indexer.test_call_graph_languages import EDGES, FILES, edges, snapshot
from tests.support.satchel import index

__all__ = ["snapshot"]

N_COPIES = 40
"""More than the values that one expression may have, and than any other limit of the resolution."""
SUFFIX = "Copy"


@pytest.fixture(scope="module")
def crowded(snapshot, tmp_path_factory: pytest.TempPathFactory):
    root: Path = tmp_path_factory.mktemp("crowded")
    for path, text in FILES.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.lstrip("\n"), encoding="utf-8")
        names = {
            s.name
            for s in snapshot.symbols.of_file(path)
            if s.kind not in (SymbolKind.MODULE, SymbolKind.SECTION)
        }
        if not names:
            continue
        word = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
        for n in range(N_COPIES):
            end = f"{SUFFIX}{n}"
            copy = place.with_name(place.name.replace(".", f"{end}.", 1))
            copy.write_text(word.sub(rf"\g<1>{end}", text.lstrip("\n")), encoding="utf-8")
    with index(root).snapshot() as opened:
        yield opened


@pytest.mark.parametrize("language", sorted(EDGES))
def test_more_files_beside_the_definitions_take_no_edge_away(crowded, language: str):
    own = [each for each in edges(crowded, language) if SUFFIX not in each]
    assert own == EDGES[language].split("\n")[1:-1]

"""Copies of other projects: by a licence of their own or the copyrights in their files."""

import json
from pathlib import Path

import pytest

from satchel.assembler.query.question import Question
from satchel.assembler.search import search
from tests.support.satchel import index, satchel, silent

OWN = "// Copyright (c) 2019-2024 Ada Lovelace and others\nint start(void) { return 1; }\n"
OTHERS = "// Copyright (c) 2003 Paul Welter. All rights reserved.\nint start(void) { return 2; }\n"
FILES = {
    "LICENSE": "MIT License\n\nCopyright (c) 2019 Ada Lovelace\n",
    "src/engine.c": OWN,
    "deps/zip/COPYING": "Public domain\n",
    "deps/zip/zip.c": "int start(void) { return 3; }\n",
    "externals/spell/readme.md": "# Spell\n",
    "externals/spell/src/spell.c": OTHERS,
    # The same person's code in such a folder, code without any name, and another name elsewhere.
    "externals/loader/loader.c": OWN.replace("start", "load"),
    "external/payments/pay.c": "int pay(void) { return 4; }\n",
    "src/ported/port.c": OTHERS.replace("start", "port"),
    "packages/tool/LICENSE": "MIT License\n\nCopyright (c) 2019 Ada Lovelace\n",
    "packages/tool/tool.c": "int tool(void) { return 5; }\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("engine")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    index(root)
    return root


def test_a_copy_is_told_by_its_licence_or_by_whom_its_files_name(engine: Path):
    printed = satchel("overview", cwd=engine).stdout.decode()
    line = next(line for line in printed.splitlines() if line.startswith("copies"))
    assert line == (
        "copies of other projects, ranked last: deps/zip/ (its own COPYING),"
        " externals/spell/ (copyright Paul Welter)"
    )


def test_a_copy_ranks_behind_what_is_written_here(engine: Path):
    found = json.loads(satchel("search", "start", "--json", cwd=engine).stdout)
    paths = [row["path"] for row in found["results"]]
    assert paths[0] == "src/engine.c"
    assert {"deps/zip/zip.c", "externals/spell/src/spell.c"} <= set(paths)


def test_a_licence_that_is_added_is_seen_by_a_process_that_read_the_folder_before(tmp_path: Path):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    project = index(tmp_path)

    def last() -> str:
        with project.snapshot() as snapshot:
            reply = search(snapshot, Question("where does start or load begin"), 20)
        return [r.chunk.path for r in reply.results if r.chunk.path.endswith(".c")][-1]

    assert last() in ("deps/zip/zip.c", "externals/spell/src/spell.c")
    for name in ("deps/zip/COPYING", "externals/spell/src/spell.c"):
        (tmp_path / name).unlink()
    (tmp_path / "externals/loader/COPYING").write_text("Public domain\n", encoding="utf-8")
    project.refresh(silent)
    assert last() == "externals/loader/loader.c"

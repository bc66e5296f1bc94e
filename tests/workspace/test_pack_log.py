"""Packs that were kept, as they may lie on a disk."""

from pathlib import Path

import pytest

from satchel.store.errors import UsageError
from satchel.workspace import pack_log


def test_a_kept_pack_of_brackets_within_brackets_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / pack_log.FOLDER
    folder.mkdir()
    (folder / "1.json").write_text('{"x":' + "[" * 100_000, encoding="utf-8")
    with pytest.raises(UsageError, match="pack 1 is not kept here"):
        pack_log.read(tmp_path, "1")

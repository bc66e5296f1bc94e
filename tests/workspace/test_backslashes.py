"""Paths as Windows writes them are understood where a file or a folder is named."""

from collections.abc import Callable
from pathlib import Path

from tests.support.satchel import index, satchel


def test_backslashes_name_a_file_and_a_folder(project: Callable[[str], Path]):
    root = project("//- src/auth/session.ts\nexport function open() { return 'session' }\n")
    index(root)
    found = satchel("symbols", r"src\auth\session.ts:open", cwd=root).stdout.decode()
    assert "src/auth/session.ts:1" in found
    found = satchel("search", "session", "--path", r"src\auth", cwd=root).stdout.decode()
    assert "session.ts" in found

"""How xdist deals out tests to its processes: a file at a time, in the order they came."""

from __future__ import annotations

from typing import Any

import pytest

_TOGETHER = ("hub",)
"""Folders whose files share what takes long to start: one PostgreSQL and its hub."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """A file of tests is dealt out as one, and all files of a folder in `_TOGETHER`.

    xdist's own groups do nothing with pytest 9.2, which ignores the ids that they give to tests.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            folder = file.rpartition("/")[0]
            return folder if folder.rpartition("/")[2] in _TOGETHER else file

    config.option.loadscopereorder = False  # by number of tests, which says nothing of their time
    return ByFile(config, log)

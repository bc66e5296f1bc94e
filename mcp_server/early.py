"""Answers made before the first look at the tree has ended, and made again if the index is stale.

`Serving.code` opens the index early, `tool.run_early` makes an answer again that does not hold.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

Notices = tuple[str, ...]


class Outdated(Exception):
    """An early answer does not hold. `notices` are those of the answer that takes its place."""

    def __init__(self, notices: Notices) -> None:
        super().__init__()
        self.notices = notices


def on_thread(wait: Callable[[], Notices]) -> Future[Notices]:
    """What `wait` returns or raises, once it has ended on a thread of its own."""
    outcome: Future[Notices] = Future()

    def run() -> None:
        try:
            outcome.set_result(wait())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, name="wait", daemon=True).start()
    return outcome

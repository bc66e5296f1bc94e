"""Speculative answers: computed before the initial scan ends, and again if the index was stale.

`Serving.code` opens the index for them, `tool.run_speculatively` replaces one that is not valid.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future

Notices = tuple[str, ...]


class Outdated(Exception):
    """A speculative answer is not valid. `notices` are those of the answer that replaces it."""

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

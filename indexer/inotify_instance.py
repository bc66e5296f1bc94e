"""An inotify instance that one process begins and another one goes on with. Linux."""

from __future__ import annotations

import select
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from watchdog.observers.inotify_c import CallbackId, InotifyFD, Mask, Watch, WatchDescriptor

if TYPE_CHECKING:
    from watchdog.observers.inotify_c import WatchCallback


class Instance(InotifyFD):
    """An instance made here, or the one with a descriptor; it is closed at its end either way."""

    def __init__(self, descriptor: int | None = None) -> None:
        self._given = descriptor
        super().__init__()

    # The class of watchdog makes one in a class method, which it calls on the instance.
    def _create_inotify_fd(self) -> int:  # type: ignore[override]
        return super()._create_inotify_fd() if self._given is None else self._given

    _is_waiting = False

    @property
    def descriptor(self) -> int:
        """The descriptor of the instance, as long as it is not closed."""
        return self._inotify_fd

    @property
    def has_handled_all(self) -> bool:
        """Whether all events so far have been handled, by a thread that waits for the next."""
        if sys.platform != "linux":
            raise NotImplementedError
        events = select.poll()
        events.register(self._inotify_fd, select.POLLIN)
        # The kernel first: what it has given out is handled before the thread waits again.
        return not events.poll(0) and self._is_waiting

    def _check_inotify_fd(self) -> bool:
        self._is_waiting = True
        is_readable = super()._check_inotify_fd()
        self._is_waiting = False  # before anything is read
        return is_readable

    def adopt(
        self, watched: Mapping[bytes, int], mask: Mask, callback: WatchCallback, key: CallbackId
    ) -> None:
        """Call back for watches that were added elsewhere, by path; before the first event is read.

        `key` names the callback in each of them.
        """
        for path, number in watched.items():
            wd = WatchDescriptor(number)
            watch = self._watch_for_wd[wd] = Watch(wd, mask, path)
            watch.callbacks[key] = callback

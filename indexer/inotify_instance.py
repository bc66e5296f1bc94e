"""An inotify instance that says whether all of its events have been handled. Linux."""

import select
import sys

from watchdog.observers.inotify_c import InotifyFD


class Instance(InotifyFD):
    """An instance of the kernel's, and the thread that reads its events."""

    _is_waiting = False

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

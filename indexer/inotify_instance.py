"""An inotify instance that one process begins and another one goes on with. Linux."""

from __future__ import annotations

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

    @property
    def descriptor(self) -> int:
        """The descriptor of the instance, as long as it is not closed."""
        return self._inotify_fd

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

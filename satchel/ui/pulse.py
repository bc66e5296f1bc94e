"""Events of the index while the page is open: generations, saves, work in progress."""

import time
from collections import deque
from collections.abc import AsyncIterator, Callable

import anyio
from msgspec import Struct, field

from satchel.api import CodeBase
from satchel.store.errors import SatchelError
from satchel.ui.api_calls import SharedCodeBase
from satchel.workspace.index_status import Contents, GenerationState, Saved
from satchel.workspace.serving.live import LiveState, Role

_SECONDS = 0.4
"""How often the index is read: a save is on the page within half a second."""
# Saves that the page can list; memory must not grow for as long as a browser is open.
_KEPT = 100
_LISTED = 20
"""Paths of a save that are listed; a branch switch changes thousands."""


class Save(Struct, frozen=True):
    """A generation with other text than the one before; `at` is in seconds since the epoch.

    At most 20 paths of each kind are listed; `n_files` counts all."""

    generation: int
    at: float
    n_files: int
    files: Saved


class Beat(Struct, frozen=True):
    """The state of the index: `state` is None while there is none, `checking` the running check."""

    state: GenerationState | None = None
    live: LiveState = field(default_factory=LiveState)
    saves: tuple[Save, ...] = ()
    checking: str = ""


class Pulse:
    """Looks at the index every 0.4 s, and tells its listeners when something has changed."""

    def __init__(self, shared: SharedCodeBase) -> None:
        self.now = Beat()
        self.checking = ""
        self._shared = shared
        self._known: Contents | None = None
        self._saves: deque[Save] = deque(maxlen=_KEPT)
        self._changed = anyio.Event()
        self._ended = False

    async def beat(self, live: Callable[[], LiveState]) -> None:
        """Poll until cancelled."""
        while True:
            state = await self._shared.ask(self._read_state)
            found = Beat(state, live(), tuple(self._saves), self.checking)
            if found != self.now:
                self.now = found
                self._notify()
            await anyio.sleep(_SECONDS)

    def end(self) -> None:
        """Release all listeners."""
        self._ended = True
        self._notify()

    async def listen(self) -> AsyncIterator[Beat]:
        """The present state, and each later one."""
        while not self._ended:
            # Taken before the value is handed out, so that no change in between is missed.
            changed = self._changed
            yield self.now
            await changed.wait()

    async def ready(self) -> None:
        """Wait while a first index is being made; what cannot be indexed is not waited for."""
        async for beat in self.listen():
            if beat.live.role is Role.READER or (beat.state and beat.state.complete):
                return

    def _notify(self) -> None:
        # Whoever waits holds the old event; the new one is for what comes after.
        self._changed.set()
        self._changed = anyio.Event()

    def _read_state(self, code: CodeBase) -> GenerationState | None:
        try:
            state = code.generation_state()
            if (
                self._known is None
                or state.content_generation != self._known.state.content_generation
            ):
                self._compare(code)
        except SatchelError:  # no index yet, or none that can be read just now
            return None
        return state

    def _compare(self, code: CodeBase) -> None:
        now = code.contents()
        # A first index that is still being made would look like a save of every file.
        if self._known is not None and self._known.state.complete:
            files = now.since(self._known)
            n_files = len(files.added) + len(files.changed) + len(files.removed)
            listed = Saved(files.added[:_LISTED], files.changed[:_LISTED], files.removed[:_LISTED])
            self._saves.append(Save(now.state.generation, time.time(), n_files, listed))
        self._known = now

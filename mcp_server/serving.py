"""The state of a serving process between calls: the project, its vectors, its usage counts.

Questions come from worker threads, several at a time. Each reads one generation through a
connection of its own, and waits for the index to be fresh as long as patience lasts; then it
answers from what is committed and says so.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from satchel.assembler.quoting import clean
from satchel.indexer.refresh_values import Progress
from satchel.store.errors import Incomplete, Interrupted, SatchelError, UsageError
from satchel.store.sqlite import usage
from satchel.store.sqlite.usage import ToolCall
from satchel.workspace.checkout_view import CheckoutView
from satchel.workspace.configuration.load import notes
from satchel.workspace.multi_root import live as live_module
from satchel.workspace.multi_root.live import Live
from satchel.workspace.project import Project
from satchel.workspace.serving.catch_up import incomplete
from satchel.workspace.serving.channel import Run, run_nothing
from satchel.workspace.serving.live import Role

# Loading these takes longer than a first answer that does not need them.
if TYPE_CHECKING:
    from satchel.assembler.values import Sent
    from satchel.mcp_server.gateway.upstreams import Gateway
    from satchel.store.reading.snapshot import Snapshot

PATIENCE_SECONDS = 2.0
"""How long a question waits for a fresh index, saves aside (`workspace.serving.live`)."""
CALL_SECONDS = 30.0
"""What one call may take before it is stopped, waiting for a first index aside."""
_AT_ONCE = 2
"""Questions that are computed at a time, since they share one interpreter. Eight of 50 clients' at
once were 40 answers a second, two 50, three 47 and one 45 (`python -m bench.serving.load load`)."""
_LOOK_SECONDS = 0.1
_MAX_SESSIONS = 256
"""Sessions whose packs are remembered, for those that ask for what is new."""
_USAGE_SECONDS = 2.0
"""How long counted calls may wait to be written."""


ProjectOf = Callable[[Sequence[str]], tuple["Project", Run] | None]
"""The project that the addresses of folders mean, with what runs commands for it; None for none."""


class Stop:
    """Tells work on another thread that nobody waits for it any more, or that its time is up.

    It has the clock of the call that it belongs to, and so knows its stages as well.
    """

    def __init__(self, seconds: float = CALL_SECONDS, client: str = "") -> None:
        """`client` is the name of the program that calls, "" where it gave none."""
        self.client = client
        self.stages: list[tuple[str, float]] = []
        """Name and seconds of each stage that is over, one after another."""
        self.began = time.time_ns()
        self._event = threading.Event()
        self._started = time.monotonic()
        self._seconds = seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the work began."""
        return time.monotonic() - self._started

    def reached(self, stage: str) -> None:
        """A stage is over: it took what has passed since the one before."""
        self.stages.append((stage, self.elapsed - sum(seconds for _, seconds in self.stages)))

    def set(self) -> None:
        """Nobody waits any more."""
        self._event.set()

    @property
    def left(self) -> float:
        """Seconds that it may still take."""
        return max(0.0, self._seconds - self.elapsed)

    def extend(self, seconds: float) -> None:
        """Allow for some time that the work itself did not take."""
        self._seconds += seconds

    def __call__(self) -> bool:
        """Whether to stop."""
        return self._event.is_set() or self.elapsed >= self._seconds


class Serving:
    """A project being served."""

    def __init__(
        self,
        project: Project,
        run: Run = run_nothing,
        environment: Mapping[str, str] = MappingProxyType({}),
        *,
        mounts_upstreams: bool = True,
    ) -> None:
        self.project = project
        self.project_of: ProjectOf | None = None
        """Set where a client that names folders may have them served in place of `project`."""
        self._environment = environment
        self._joined_lock = threading.Lock()
        self._joined: tuple[list[str], Project] = ([], project)
        project.work_as("a server")
        self.live: Live = live_module.live_for(project, run)
        # This is a plain flag and no lock, because a signal handler that waited for a lock could
        # wait for its own thread.
        self._closing = False
        self._turns = threading.BoundedSemaphore(_AT_ONCE)
        self._sent_lock = threading.Lock()
        self._sent: dict[str, Sent] = {}
        self.gateway = _gateway(project) if mounts_upstreams else None
        self._busy_lock = threading.Lock()
        self._n_busy, self._rested = 0, time.monotonic()
        self._usage_lock = threading.RLock()  # a signal may end us while we count
        self._calls: list[Callable[[Callable[[str], int]], ToolCall]] = []
        self._written = 0.0  # nothing is counted yet

    def start(self) -> None:
        """Begin to keep the index fresh. Returns at once; `read_ahead` is to follow."""
        if self.project.members:  # it keeps packs and usage in a folder of its own
            self.project.prepare()
        self.project.connections.n_kept = _AT_ONCE
        self.live.start()
        if self.gateway:
            self.gateway.start()

    def move(self, addresses: Sequence[str]) -> None:
        """Serve the project that these folders mean from now on, if they mean another one.

        Raises:
            SatchelError: they cannot be served as a whole, or a setting cannot be used.
        """
        found = self.project_of(addresses) if self.project_of else None
        if found is None or found[0].directory == self.project.directory or self._closing:
            return
        project, run = found
        project.work_as("a server")
        if project.members:
            project.prepare()
        self.flush()
        before, left = self.live, self.project
        with self._joined_lock:
            self._joined = ([], project)
        project.connections.n_kept = _AT_ONCE
        self.project, self.live = project, live_module.live_for(project, run)
        self.live.start()
        before.close()
        left.connections.close()

    def read_ahead(self) -> None:
        """Begin to read what questions will wait for otherwise. Returns at once."""
        if self.project.is_indexed:
            # The thread is a daemon: what it reads is only to save time, and it must not hold up
            # the end of the process.
            threading.Thread(target=self._preload, name="preload", daemon=True).start()

    def _preload(self) -> None:
        """Read what the first question would wait for, while protocol and client still talk."""
        from satchel.store import tokens

        # The question will say why the index cannot be read.
        with suppress(SatchelError, OSError), self.project.snapshot() as snapshot:
            # Each of these fills a cache that the first question would have to fill while its
            # client waits.
            tokens.encoding(self.project.settings.context.tokenizer)
            snapshot.chunks.allowed(False, "")
            # What Chroma will answer for is not read, which at such a size takes seconds.
            if not self.project.uses_chroma(snapshot.terms.n_chunks()):
                self.live.vector_search(snapshot)

    def close(self) -> None:
        """Write what has been counted, and let go of the index; once, however often it is called.

        A signal may come while we close. Its handler runs on top of us: were it to close again, it
        would wait for a thread that waits for a lock of ours.
        """
        if self._closing:
            return
        self._closing = True
        self.flush()
        if self.gateway:
            self.gateway.close()
        self.project.connections.close()
        self.live.close()

    @contextmanager
    def busy(self) -> Iterator[None]:
        """While somebody is being answered."""
        with self._busy_lock:
            self._n_busy += 1
        try:
            yield
        finally:
            with self._busy_lock:
                self._n_busy -= 1
                self._rested = time.monotonic()

    def is_idle_too_long(self) -> bool:
        """Whether nobody has asked for as long as a server may idle (`mcp.idle_minutes`)."""
        limit = self.project.settings.mcp.idle_minutes * 60
        return bool(limit) and not self._n_busy and time.monotonic() - self._rested > limit

    @property
    def progress(self) -> Progress | None:
        """How far a refresh is that runs just now; None when none does."""
        return self.live.progress

    @contextmanager
    def code(
        self,
        stop: Stop,
        *,
        ranked: bool = False,
        repositories: str = "",
        dependencies: bool = False,
    ) -> Iterator[CheckoutView]:
        """The index for one question; one that ranks waits for the vectors to be read.

        Of a workspace, `repositories` is a glob over the names of those that are asked. With
        `dependencies` the installed code of what is imported here is asked as well.

        Raises:
            UsageError: there is no such repository, or dependencies of a workspace are wanted.
            Incomplete: the text of the whole tree, or of the dependencies, is not indexed yet.
            Interrupted: `stop` told it to end.
            SatchelError: the index cannot be built or read.
        """
        project = self._project_of(repositories)
        notices = self.wait(stop)
        if dependencies:
            project, remarks = self._with_dependencies(stop)
            notices = (*notices, *map(clean, remarks))
        stop.reached("index")
        # The turn comes before the snapshot, so a question that waits for its turn holds no
        # transaction open.
        with self._turn(stop), project.snapshot(stop) as snapshot:
            yield self._view(project, snapshot, notices, stop, ranked=ranked)

    def _view(
        self,
        project: Project,
        snapshot: Snapshot,
        notices: tuple[str, ...],
        stop: Stop,
        *,
        ranked: bool,
    ) -> CheckoutView:
        # Whoever keeps one index knows who has its vectors open; those of several are scanned.
        known = self.live if project is self.project else project
        vectors, remarks = known.vector_search(snapshot) if ranked else (None, ())
        # A command says so on its own stream; an agent has nothing but the reply.
        said = (*notices, *remarks, *notes(project.left_out))
        stop.reached("turn")
        return CheckoutView(
            project=project, snapshot=snapshot, vectors=vectors, notices=said,
            is_behind=bool(notices), client=stop.client, reached=stop.reached,
        )  # fmt: skip

    def _project_of(self, repositories: str) -> Project:
        """What a question is asked of. Raises: UsageError."""
        if repositories and self.project.members:
            from satchel.workspace.multi_root.workspace import Workspace

            if isinstance(self.project, Workspace):
                return self.project.limited(repositories)
        return self.project

    def _with_dependencies(self, stop: Stop) -> tuple[Project, tuple[str, ...]]:
        """The project with the code of its dependencies, which are indexed first where they are
        not yet, and what is to be said of them. Raises: UsageError, Incomplete."""
        if self.project.members:
            raise UsageError("with_dependencies works with one code base only", "leave it out")
        from satchel.workspace.dependencies import joined_project

        began = stop.elapsed
        with self._joined_lock:
            done, notices = joined_project.index_imported(
                self.project, self._environment, lambda *_: None, lambda _: None
            )
            # What is joined stays, so that the next question finds its arrays read.
            keys = [each.key for each in done]
            if keys != self._joined[0]:
                self._joined = keys, joined_project.join(self.project, self._environment, done)
            stop.extend(stop.elapsed - began)
            return self._joined[1], notices

    def wait(self, stop: Stop) -> tuple[str, ...]:
        """Wait for a fresh index, and for the text of the whole tree as long as patience lasts.

        Returns what a reader of the answer should know.

        Raises:
            Incomplete: the text of the whole tree is not indexed yet.
            Interrupted: `stop` told it to end.
        """
        began = time.monotonic()
        patience = self.project.settings.index.patience_seconds
        while not self.project.has_whole_text:
            left = began + patience - time.monotonic()
            if left <= 0 or self.live.state().role is Role.READER:
                break
            stop.extend(min(left, PATIENCE_SECONDS))
            self.live.wait_fresh(seconds=min(left, PATIENCE_SECONDS), stop=stop)
            if stop():
                raise Interrupted("the request was stopped", "ask again later")
        else:
            return self.live.wait_fresh(seconds=PATIENCE_SECONDS, stop=stop, waits_for_saves=True)
        # Where the index cannot be written, the notices say why, and waiting would not help.
        if notices := self.live.state().notices:
            raise Incomplete("; ".join(notices), "nothing is answered from a part of the tree")
        raise incomplete(self.project, self.live.building)

    @contextmanager
    def _turn(self, stop: Stop) -> Iterator[None]:
        """Wait until this call may compute, since only a few do at a time.

        Raises:
            Interrupted: `stop` told it to end before.
        """
        # The wait is cut into short ones, because a semaphore cannot be told that the caller has
        # gone.
        while not self._turns.acquire(timeout=_LOOK_SECONDS):
            if stop():
                raise Interrupted("the request was stopped", "ask for less, or again later")
        try:
            yield
        finally:
            self._turns.release()

    def sent_to(self, reader: str) -> Sent:
        """What a reader was sent in earlier packs; nothing where nobody is named."""
        from satchel.assembler.values import Sent

        with self._sent_lock:
            return self._sent.get(reader, Sent())

    def remember_sent(self, reader: str, sent: Sent) -> None:
        """Keep what a reader was sent by now; who asked longest ago is forgotten first."""
        if not reader:
            return
        with self._sent_lock:
            # Taking the entry out first moves it to the end: a dict keeps the order of insertion,
            # and the oldest goes.
            self._sent.pop(reader, None)
            self._sent[reader] = sent
            if len(self._sent) > _MAX_SESSIONS:
                del self._sent[next(iter(self._sent))]

    def moment(self) -> Hashable:
        """What tells the index as it is now from a later state of it; None where there is none."""
        try:
            # Edges and vectors follow the text, vectors without a new generation. The owner's state
            # would not do: each question that comes in takes it back for a moment.
            has_vectors = not self.project.chunks_without_vectors()
            with self.project.snapshot() as snapshot:
                return snapshot.content_generation, snapshot.linked, has_vectors
        except (SatchelError, OSError):
            return None

    def count(
        self,
        tool: str,
        stop: Stop,
        returned: int | str,
        whole: int = 0,
        pack: str = "",
        *,
        failed: bool = False,
    ) -> None:
        """Count a call: the tokens that it returned, those of the files that it quotes from, and
        the id of the pack that it gave.

        A text that it `returned` is counted later: the first one would wait for the vocabulary.
        """
        at, ms = stop.began // 1_000_000_000, stop.elapsed * 1000
        logged: tuple[str, str, tuple[tuple[str, float], ...]] = ("", "", ())
        if self.project.settings.telemetry.log_calls:
            stages = tuple((name, round(seconds * 1000, 1)) for name, seconds in stop.stages)
            logged = (stop.client, pack, stages)

        def called(count: Callable[[str], int]) -> ToolCall:
            n_returned = count(returned) if isinstance(returned, str) else returned
            return ToolCall(at, tool, ms, failed, n_returned, whole, *logged)

        with self._usage_lock:
            self._calls.append(called)
            # The first call does not wait for the disk, however long the start took.
            self._written = self._written or time.monotonic()
            if due := time.monotonic() - self._written >= _USAGE_SECONDS:
                self._written = time.monotonic()
        if due:
            # On a thread of its own: the caller waits for its answer, not for the disk.
            threading.Thread(target=self.flush, name="usage").start()

    def flush(self) -> None:
        """Write what has been counted."""
        with self._usage_lock:
            # Only the exchange needs the lock, and the slow write to disk happens without it.
            calls, self._calls = self._calls, []
        # A process that never found an index has no folder to write its counts to.
        if calls and self.project.is_indexed:
            from satchel.store import tokens

            usage.record(self.project.directory, (made(tokens.count) for made in calls))


def _gateway(project: Project) -> Gateway | None:
    """The mounted servers; the SDK's client, half a second to import, only where there are any."""
    if not project.upstreams:
        return None
    from satchel.mcp_server.gateway.upstreams import Gateway

    return Gateway(project.upstreams)

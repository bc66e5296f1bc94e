"""One code base being served: where it is, its settings, its index, and caches of these.

The clock and the file system enter here. Readers and the writer have connections of their own; the
writer's exists only while the writer lock is held.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from satchel.indexer.refresh import refresh
from satchel.indexer.refresh_values import OnProgress, RefreshOptions, RefreshReport
from satchel.store.errors import EncoderUnavailable, NothingChanged, SatchelError, UsageError
from satchel.store.model import RepoPath
from satchel.store.private import is_folder, is_there
from satchel.store.reading.snapshot_cache import SnapshotCaches
from satchel.store.reading.sqlite_snapshot import SqliteSnapshot
from satchel.store.sqlite import database
from satchel.store.sqlite.kept_connections import KeptConnections
from satchel.store.sqlite.unencoded import unencoded
from satchel.store.vectors import block_files
from satchel.store.vectors.shipped_table import shipped_name
from satchel.workspace import root_consent
from satchel.workspace.configuration.load import LeftOut, read
from satchel.workspace.configuration.settings import Settings
from satchel.workspace.configuration.upstreams import Upstream, upstreams
from satchel.workspace.lock import explained_write_errors, writer_lock
from satchel.workspace.serving.build_progress import Recorder
from satchel.workspace.state import state_folder
from satchel.workspace.state.find_root import settings_files
from satchel.workspace.state.state_folder import StateFolders
from satchel.workspace.vectors import stored_blocks
from satchel.workspace.vectors.chosen_encoder import encoder_in
from satchel.workspace.worktrees import start_from_another

# What only some methods need is imported there: a command that looks a name up loads no NumPy, no
# parser and no network.
if TYPE_CHECKING:
    from satchel.assembler.ranking.candidates import VectorSearch
    from satchel.assembler.survey.changes import History
    from satchel.indexer.encode import OnEncoded
    from satchel.indexer.scan.walk import OnFolder
    from satchel.knowledge.storage.vectors import ExactScan
    from satchel.store.reading.snapshot import Snapshot
    from satchel.store.sqlite.vectors import VectorTable
    from satchel.store.vectors.encoders import Encoder
    from satchel.workspace.vectors.index_mirror import MirrorReport
    from satchel.workspace.vectors.mirror_answers import MirrorOwner


def ignore_progress(*_progress: object) -> None:
    """Ignores the progress of a refresh, of encoding or of mirroring."""


class VectorReport(Struct, frozen=True):
    """What building vectors did; `mirror` is None unless Chroma is in use."""

    engine: str
    encoded: int
    mirror: MirrorReport | None
    problem: str = ""
    """Why not everything has a vector: a configured endpoint that does not answer."""


class Member(Struct, frozen=True):
    """A project of a workspace of several (`workspace.multi_root`); `name` is its folder there."""

    name: str
    project: Project


class Project:
    """A root, and where its index and what is known of it lie."""

    members: tuple[Member, ...] = ()
    """The projects that this one is made of, by name; none where it is one code base."""

    def __init__(
        self, folders: StateFolders, settings: Settings, encoder: Encoder | None = None, *,
        upstreams: Sequence[Upstream] = (), why_ask: str = "", left_out: Sequence[LeftOut] = (),
    ) -> None:  # fmt: skip
        """`why_ask` says why a first index of this root takes the user's word, "" for no reason."""
        self.folders = folders
        self.root = folders.root
        self.settings = settings
        self.upstreams = tuple(upstreams)
        self.left_out = tuple(left_out)
        self.read_at = -math.inf
        """When a snapshot was last opened or closed here, on the monotonic clock."""
        self._encoder = encoder
        self._caches = SnapshotCaches()
        self.connections = KeptConnections()
        self._why_ask = why_ask
        self._work = "a command"

    @classmethod
    def at(
        cls, root: Path, environment: Mapping[str, str], encoder: Encoder | None = None
    ) -> Project:
        """The project whose root is `root`, with its settings as files and environment say.

        An `encoder` that several projects share is used instead of one of this project's own.

        Raises:
            UsageError: `root` is not a folder.
            ConfigError: a setting cannot be used, or a folder of state is not the user's alone.
        """
        if not is_folder(root):
            raise UsageError(f"{root} is not a folder", "name the folder to index")
        root = root.resolve()
        files = settings_files(root, environment)
        loaded = read(files, environment)
        settings = loaded.settings
        bases = state_folder.bases_of(environment, settings.state.folder)
        folders = state_folder.folders_of(root, bases)
        return cls(
            folders, settings, encoder or encoder_in(settings, environment),
            upstreams=upstreams(files[0]), left_out=loaded.left_out,
            why_ask=root_consent.why_ask(root, settings.index.confirmed, environment),
        )  # fmt: skip

    def without_caches(self) -> Project:
        """A copy with empty caches, for another thread or for later."""
        # Whoever opened the first one was asked already whether this root is meant.
        copy = Project(self.folders, self.settings, self._encoder, why_ask=self._why_ask)
        copy.left_out = self.left_out
        return copy

    @property
    def work(self) -> str:
        """What kind of process this is, for others that wait for the index: "a server"."""
        return self._work

    def work_as(self, kind: str) -> None:
        """Say what kind of process this is; it is "a command" until then."""
        self._work = kind

    def confirm_root(self) -> None:
        """Take the user's word that this root may be indexed: `ask_first` refuses nothing then."""
        self._why_ask = ""

    @cached_property
    def encoder(self) -> Encoder:
        """What makes vectors; nothing is loaded or asked before its first use."""
        if self._encoder is not None:
            return self._encoder
        from satchel.store.vectors.table_encoder import TableEncoder

        return TableEncoder()

    @property
    def encoder_name(self) -> str:
        """The name of the encoder. Raises: EncoderUnavailable: its server does not answer."""
        return shipped_name() if self._encoder is None else self._encoder.name

    @cached_property
    def knowledge_vectors(self) -> ExactScan:
        """Vectors of what is known, for as long as this process lives."""
        from satchel.knowledge.storage.vectors import ExactScan

        return ExactScan()

    @property
    def directory(self) -> Path:
        """The folder of the index and of all that is derived from it."""
        return self.folders.index

    @property
    def remembers(self) -> bool:
        """Whether anything was ever written down here, or in a member."""
        each = (self, *(member.project for member in self.members))
        return any(one.folders.has_knowledge for one in each)

    @property
    def is_indexed(self) -> bool:
        """Whether there is an index to read, complete or not."""
        return is_there(database.file_in(self.directory))

    def refresh(
        self, on_progress: OnProgress, *, full: bool = False, link_if_fewer: int | None = None,
        is_awaited: bool = False,
    ) -> RefreshReport:  # fmt: skip
        """Bring the index up to date; with `full`, from nothing.

        Edges that follow values are left for later unless fewer than `link_if_fewer` files need it,
        which None never does. Parsing stands back for nothing where somebody waits (`is_awaited`).

        Raises:
            UsageError: the root is one that is not indexed without the user's word.
            Locked: another process is writing the index.
        """
        self.ask_first()
        self.prepare()
        with (
            writer_lock(self.directory), database.explained_errors(),
            Recorder(self.directory, self._work, on_progress) as noted,
        ):  # fmt: skip
            if full:
                return self.rebuild(noted)
            # This comes before the connection, which would make an empty index where there is none,
            # and under the lock, so that two processes do not copy at once.
            start_from_another(self.folders)
            with closing(database.connect(self.directory, writable=True)) as connection:
                options = replace(self.options(is_awaited=is_awaited), link_if_fewer=link_if_fewer)
                return refresh(connection, self.root, options, noted)

    @property
    def takes_a_word(self) -> bool:
        """Whether a first index of this root is refused without the user's word."""
        return bool(self._why_ask) and not self.is_indexed

    def ask_first(self) -> None:
        """Refuse to make a first index of a root that takes the user's word.

        Raises:
            UsageError: it does, and nobody gave it.
        """
        if self.takes_a_word:
            root_consent.ask_first(self.root, self._why_ask, self.options().walk)

    def rebuild(self, on_progress: OnProgress) -> RefreshReport:
        """Make the index anew beside the old one; the caller holds the writer lock."""
        block_files.remove(self.directory)  # also what was made of something that is damaged
        with database.rebuilding(self.directory) as connection:
            return refresh(connection, self.root, self.options(), on_progress)

    def chunks_without_vectors(self) -> int:
        """How many chunks the encoder in use has not seen yet; 0 where vectors are off."""
        if self.settings.vectors.engine == "off" or not self.is_indexed:
            return 0
        with closing(database.connect(self.directory, writable=False)) as connection:
            try:
                return sum(todo.n_chunks for todo in unencoded(connection, self.encoder_name))
            except EncoderUnavailable:
                return 0  # none that could be encoded now

    def build_vectors(
        self, on_encoded: OnEncoded = ignore_progress, on_mirrored: OnEncoded = ignore_progress
    ) -> VectorReport:
        """Encode what has no vector yet, and bring the Chroma mirror up to date if it is in use.

        Raises:
            Locked: another process is writing the index.
            CorruptIndex: what is to be encoded cannot be read.
            ConfigError: the engine is Chroma and Chroma is not installed.
        """
        engine = self.settings.vectors.engine
        if engine == "off" or stored_blocks.store_if_encoded(self):
            return VectorReport(engine, 0, None)
        from satchel.indexer import encode
        from satchel.store.sqlite import vectors
        from satchel.workspace.vectors import index_mirror

        with (
            writer_lock(self.directory), database.explained_errors(),
            Recorder(self.directory, self._work, ignore_progress) as noted,
            closing(database.connect(self.directory, writable=True)) as connection,
        ):  # fmt: skip

            def counted(done: int, total: int) -> None:
                noted.count(done, total)
                on_encoded(done, total)

            try:
                encoded = encode.encode(connection, self.encoder, counted)
            except EncoderUnavailable as error:
                return VectorReport(engine, 0, None, f"{error.message} ({error.hint})")
            if not self.uses_chroma(vectors.n_vectors(connection, self.encoder)):
                stored_blocks.store(self)
                return VectorReport(engine, encoded, None)
            report = index_mirror.write(connection, self.directory, self.encoder, on_mirrored)
            return VectorReport(engine, encoded, report)

    def vector_table(self, snapshot: Snapshot) -> VectorTable:
        """Every vector of a snapshot, for the exact scan."""
        from satchel.workspace.vectors.mirror_answers import shares_of

        return snapshot.vectors(self.encoder, shares_of(self.encoder))

    def vector_search(
        self, snapshot: Snapshot, owner: MirrorOwner | None = None
    ) -> tuple[VectorSearch | None, tuple[str, ...]]:
        """What answers for vectors in this snapshot (None: nothing does), and what to say of it.

        `owner` is who has the Chroma mirror open; by default whoever owns the index is asked.
        """
        if self.settings.vectors.engine == "off":
            return None, ()
        from satchel.workspace.vectors import vector_search as searches

        try:
            _ = self.encoder.name  # asks the server of an encoder behind HTTP, before any ranking
        except EncoderUnavailable as error:
            return None, (f"ranked without vectors: {error.message}",)
        scan = partial(self.vector_table, snapshot)
        if not self.uses_chroma(snapshot.terms.n_chunks()):
            return searches.scanning_search(scan(), self.encoder)
        from satchel.workspace.serving.channel import OtherProcess

        opened = searches.OpenedHere(self.directory, self.encoder)
        owner = owner or OtherProcess(self.folders.socket, opened)
        query = searches.mirror_query(self.directory, snapshot)
        return searches.chroma_search(owner, self.encoder, query, scan)

    def uses_chroma(self, n_vectors: int) -> bool:
        """Whether so many vectors are looked for in Chroma."""
        from satchel.workspace.vectors.mirror_answers import uses_chroma

        return uses_chroma(self.settings.vectors.engine, n_vectors)

    @property
    def has_whole_text(self) -> bool:
        """Whether the index holds the text of the whole tree, perhaps as it was some time ago."""
        try:
            with self.snapshot() as snapshot:
                return snapshot.complete
        except (SatchelError, OSError):
            return False

    def _no_index(self) -> UsageError:
        others = self.folders.bases.of_other_versions(self.root)
        if not others:
            return UsageError(f"{self.root} has no index", "run `satchel reindex` there")
        return UsageError(
            f"{self.root} has no index of this version of Satchel; that of another version"
            f" (index/{others[0].name}) stays as it is and is not read",
            "the next question makes one, or `satchel reindex`; `satchel state delete` removes"
            " what other versions made",
        )

    @contextmanager
    def snapshot(self, stop: Callable[[], bool] = database.never) -> Iterator[Snapshot]:
        """A consistent view of the index; reading it ends when `stop` says so.

        Raises:
            UsageError: there is no index yet.
            Interrupted: `stop` said so.
        """
        if not self.is_indexed:
            raise self._no_index()
        # A new file may have the generations of the one before it; its inode tells them apart.
        inode = database.inode(self.directory)
        self.read_at = time.monotonic()
        caches = partial(self._caches.of, inode)
        try:
            with (
                self.connections.opened(self.directory, inode) as connection,
                database.explained_errors(), database.interruptible(connection, stop),
                SqliteSnapshot(connection, caches) as snapshot,
            ):  # fmt: skip
                yield snapshot
        finally:
            self.read_at = time.monotonic()

    def file_place(self, path: RepoPath) -> tuple[Path, RepoPath]:
        """The folder that the file of a path of the index lies below, and its path from there."""
        return self.root, path

    def check_since(self, since: str) -> None:
        """Raises: UsageError, when `since` names nothing here; no index is needed to say so."""
        # Of a workspace a member may have it, which is told when each has been asked.
        if not self.members:
            from satchel.workspace.past.history import check

            check(self.root, since)

    def history(self, snapshot: Snapshot, since: str) -> History:
        """What the files were at `since`: an age (24h, 7d), an ISO date or time, or a revision.

        Raises:
            UsageError: nothing is meant, or a revision where there is no git history.
        """
        from satchel.workspace.past.history import history

        return history(self.root, snapshot, since, self.options())

    def changes_since(self, snapshot: Snapshot, since: str, path: str = "") -> str:
        """The unified diff to review: what changed in `path` since then, as `history` takes it.

        Raises:
            NothingChanged: all that it admits is as it was then.
            UsageError: `since` means nothing here.
        """
        from satchel.assembler.quoting import clean
        from satchel.assembler.survey import review
        from satchel.store import path_filter

        changes = review.diff(snapshot, self.history(snapshot, since), path)
        if not changes:
            where = f" in {clean(path_filter.words(path))}" if path else ""
            raise NothingChanged(
                f"nothing has changed since {since}{where}", "name an earlier revision"
            )
        return changes

    def prepare(self) -> None:
        """Make the folder of the index.

        Raises:
            Unwritable: it cannot be made.
            ConfigError: it is not the user's alone.
        """
        with explained_write_errors(self.directory):
            state_folder.make_index(self.folders)

    def options(
        self, on_folder: OnFolder | None = None, *, is_awaited: bool = False
    ) -> RefreshOptions:
        """What a refresh that starts now is to do."""
        from satchel.indexer.extract.process_limits import WorkerLimits
        from satchel.indexer.scan.ignore_rules import WalkOptions

        index, state = self.settings.index, self.folders.ignore_rules
        nice = 0 if is_awaited else index.nice
        return RefreshOptions(
            WalkOptions(index.max_file_bytes, (*index.ignore, *state), index.tests),
            WorkerLimits(index.workers, index.parse_seconds, index.memory_mb << 20, nice),
            time.time_ns(), on_folder,
            with_vectors=self.settings.vectors.engine != "off" and self._encoder is None,
        )  # fmt: skip

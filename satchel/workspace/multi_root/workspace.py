"""Several code bases as one project: each keeps its own index, settings and knowledge.

The root is the folder that all of them lie in, and the name of each its path from there: paths in
answers begin with it and open from the root. Nothing but packs that were made, and what is known of
all of them together, is kept for the workspace itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import blake2b

from msgspec.structs import replace

from satchel.assembler.survey.changes import History
from satchel.indexer.encode import OnEncoded
from satchel.indexer.refresh_values import OnProgress, RefreshReport
from satchel.store.errors import UsageError
from satchel.store.joined.joined_snapshot import JoinedSnapshot
from satchel.store.platform import user
from satchel.store.reading.snapshot import Snapshot
from satchel.store.reading.snapshot_cache import SnapshotCache
from satchel.store.sqlite import database
from satchel.workspace.configuration.load import load
from satchel.workspace.configuration.settings import Settings
from satchel.workspace.configuration.upstreams import Upstream, upstreams
from satchel.workspace.multi_root import roots
from satchel.workspace.project import Member, Project, VectorReport, ignore_progress
from satchel.workspace.state import state_folder
from satchel.workspace.state.find_root import own_settings_file
from satchel.workspace.state.state_folder import StateFolders
from satchel.workspace.vectors.chosen_encoder import encoder_in

_MOST_LIMITED = 16


class Workspace(Project):
    """Some projects by name; asked like one."""

    def __init__(
        self,
        folders: StateFolders,
        settings: Settings,
        members: Sequence[Member],
        upstreams: Sequence[Upstream] = (),
    ) -> None:
        super().__init__(folders, settings, members[0].project.encoder, upstreams=upstreams)
        self.members = tuple(members)
        self._cache: tuple[object, SnapshotCache] = ((), SnapshotCache())
        self._limited: dict[str, Workspace] = {}

    @classmethod
    def of(cls, asked: str | Sequence[str], environment: Mapping[str, str]) -> Workspace:
        """The workspace that is named, by its folders in a list, or configured where `asked` is "".

        Raises:
            UsageError: no root is named, or one cannot be used.
            ConfigError: a setting or a file of roots cannot be used.
        """
        own = own_settings_file(environment)
        settings = load((own,), environment)
        found = roots.find(asked, settings.workspace.roots, user.home_of(environment))
        bases = state_folder.bases_of(environment, settings.state.folder)
        folders = state_folder.folders_of(found.common, bases)
        digest = blake2b(
            b"\0".join(os.fsencode(root) for _, root in found.names), digest_size=8
        ).hexdigest()
        # Its folders are told from those of a project that has the same root.
        name = f"workspace-{digest}"
        folders = replace(folders, index=bases.indexes / name, knowledge=bases.knowledge / name)
        # One for all of them, so that a server of vectors is asked once what it is.
        encoder = encoder_in(settings, environment)
        members = [
            Member(name, Project.at(root, environment, encoder)) for name, root in found.names
        ]
        return cls(folders, settings, members, upstreams(own))

    def limited(self, pattern: str) -> Workspace:
        """The same with the members that a pattern means alone, "" for all.

        Raises:
            UsageError: it means none.
        """
        names = roots.matching([member.name for member in self.members], pattern)
        if len(names) == len(self.members):
            return self
        # Kept, since it holds arrays of its own that further questions need as well.
        key = "\0".join(names)
        if key not in self._limited:
            chosen = [member for member in self.members if member.name in names]
            if len(self._limited) >= _MOST_LIMITED:
                self._limited.clear()
            self._limited[key] = Workspace(self.folders, self.settings, chosen)
        return self._limited[key]

    def without_caches(self) -> Workspace:
        """A copy with empty caches."""
        members = [Member(each.name, each.project.without_caches()) for each in self.members]
        return Workspace(self.folders, self.settings, members)

    @property
    def is_indexed(self) -> bool:
        """Whether all members have an index to read, complete or not."""
        return all(member.project.is_indexed for member in self.members)

    @property
    def has_whole_text(self) -> bool:
        """Whether the indexes hold the text of all trees, perhaps as it was some time ago."""
        return all(member.project.has_whole_text for member in self.members)

    def work_as(self, kind: str) -> None:
        """Say what kind of process this is; it is "a command" until then."""
        super().work_as(kind)
        for member in self.members:
            member.project.work_as(kind)

    def confirm_root(self) -> None:
        """Take the user's word that the roots of all members may be indexed."""
        for member in self.members:
            member.project.confirm_root()

    def ask_first(self) -> None:
        """Refuse to make a first index of a member that takes the user's word.

        Raises:
            UsageError: one does, and nobody gave it.
        """
        for member in self.members:
            member.project.ask_first()

    def refresh(
        self, on_progress: OnProgress, *, full: bool = False, link_if_fewer: int | None = None,
        is_awaited: bool = False,
    ) -> RefreshReport:  # fmt: skip
        """Bring every index up to date, by name; the report is the sum of theirs.

        Raises:
            UsageError: a root is one that is not indexed without the user's word.
            Locked: another process is writing one of them.
        """
        self.prepare()
        reports = (
            member.project.refresh(
                on_progress, full=full, link_if_fewer=link_if_fewer, is_awaited=is_awaited
            )
            for member in self.members
        )
        return sum(reports, start=RefreshReport())

    def chunks_without_vectors(self) -> int:
        """How many chunks the encoder in use has not seen yet."""
        return sum(member.project.chunks_without_vectors() for member in self.members)

    def build_vectors(
        self, on_encoded: OnEncoded = ignore_progress, on_mirrored: OnEncoded = ignore_progress
    ) -> VectorReport:
        """Encode what has no vector yet, in every member.

        Raises:
            Locked: another process is writing one of the indexes.
        """
        reports = [member.project.build_vectors(on_encoded, on_mirrored) for member in self.members]
        problem = next((each.problem for each in reports if each.problem), "")
        encoded = sum(each.encoded for each in reports)
        return VectorReport(self.settings.vectors.engine, encoded, None, problem)

    def uses_chroma(self, n_vectors: int) -> bool:
        """Never: a mirror holds one index, and its vectors are scanned together with the others."""
        return False

    @contextmanager
    def snapshot(self, stop: Callable[[], bool] = database.never) -> Iterator[Snapshot]:
        """A consistent view of each index, as one tree; reading ends when `stop` says so.

        Raises:
            UsageError: a member has no index yet.
            Interrupted: `stop` asked for it.
        """
        with ExitStack() as opened:
            each = [
                (member.name, opened.enter_context(member.project.snapshot(stop)))
                for member in self.members
            ]
            # Members may be built anew, with generations that were there before: their files tell.
            key = tuple(
                (database.inode(member.project.directory), one.generation)
                for member, (_, one) in zip(self.members, each, strict=True)
            )
            if self._cache[0] != key:
                self._cache = key, SnapshotCache()
            yield JoinedSnapshot(each, self._cache[1])

    def history(self, snapshot: Snapshot, since: str) -> History:
        """What the files of all members were at `since`; a member without it counts as unchanged.

        Raises:
            UsageError: no member has git history in which something is meant.
        """
        assert isinstance(snapshot, JoinedSnapshot)
        found: list[History] = []
        bases: list[str] = []
        failed = UsageError("no repository has git history", "use 24h, 7d or a date")
        for part in snapshot.parts:
            member = self.member_of(part.folder)
            assert member is not None
            try:
                one = member.project.history(part.snapshot, since)
            except UsageError as error:
                # A revision may be known to some of the repositories alone: these answer.
                failed = error
                bases.append(f"{member.name}: none")
                continue
            bases.append(f"{member.name}: {one.base}")
            found.append(
                History(
                    one.base,
                    tuple(replace(file, path=part.path(file.path)) for file in one.then),
                    tuple(map(part.file, one.now)),
                )
            )
        if not found:
            raise failed
        return History(
            ", ".join(bases),
            tuple(file for one in found for file in one.then),
            tuple(file for one in found for file in one.now),
        )

    def member_of(self, path: str) -> Member | None:
        """The member that a path from the root on lies in, or is the folder of; None for none."""
        for member in self.members:
            if path == member.name or path.startswith(f"{member.name}/"):
                return member
        return None

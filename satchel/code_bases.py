"""The public API for several code bases at once: asked as one tree, with one ranking and budget."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from satchel.api import CodeBase
from satchel.store.errors import UsageError
from satchel.validation.model import Report
from satchel.workspace.index_status import Contents, IndexStatus
from satchel.workspace.multi_root.workspace import Workspace

Where = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A folder of checkouts, a TOML file with `roots`, or the folders themselves."""


def open_workspace(
    where: Where = "", *, repositories: str = "", environment: Mapping[str, str] | None = None
) -> CodeBases:
    """Several code bases, each with an index, settings and knowledge of its own.

    Args:
        where: a folder whose checkouts are meant, a TOML file with `roots`, or a list of folders;
            "" takes `workspace.roots` of the user's settings.
        repositories: only those with this name, or whose name matches this glob; "" means all.
        environment: settings as environment variables; None takes those of this process.

    Raises:
        UsageError: there is none, one is no folder, or one lies in another.
        ConfigError: a setting or the file cannot be used.
    """
    # As in `satchel.api.open`: the environment enters here, and can be another one.
    known = os.environ if environment is None else environment
    # A text is a sequence too, of letters: it is asked for first, and means one folder or file.
    if isinstance(where, str | os.PathLike):
        found = Workspace.of(os.fspath(where), known)
    else:
        found = Workspace.of([os.fspath(folder) for folder in where], known)
    return CodeBases(found.limited(repositories))


class CodeBases(CodeBase):
    """Code bases as `satchel.open_workspace` returns them. Paths begin with the name of theirs.

    What is about one index alone is asked of that one: `code["api"].validate()`.
    """

    _project: Workspace

    def __init__(self, project: Workspace) -> None:
        super().__init__(project)

    @property
    def names(self) -> tuple[str, ...]:
        """What the code bases are called: their paths from `root`, in order."""
        return tuple(member.name for member in self._project.members)

    def __getitem__(self, name: str) -> CodeBase:
        """One of them by its name, to be asked alone. Raises: KeyError."""
        # Its caches are shared with the others, so that both ways of asking read an index once.
        found = {member.name: member.project for member in self._project.members}
        return CodeBase(found[name])

    def status(self) -> IndexStatus:
        """Raises: UsageError: several indexes have no one status."""
        raise self._needs_one_code_base("status")

    def contents(self) -> Contents:
        """Raises: UsageError: several indexes are not listed together."""
        raise self._needs_one_code_base("contents")

    def validate(
        self, level: str = "quick", on_check: Callable[[str], None] = lambda _name: None
    ) -> Report:
        """Raises: UsageError: checks are of one index."""
        raise self._needs_one_code_base("validate")

    # An answer for the first of them alone, or a sum of states, would be taken for that of all.
    def _needs_one_code_base(self, what: str) -> UsageError:
        return UsageError(
            f"{what} works with one code base only", f'ask one: code["{self.names[0]}"]'
        )

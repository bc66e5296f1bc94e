"""Which folder is the root of the code base around a place, and where its settings lie."""

from collections.abc import Mapping
from pathlib import Path

from satchel.store.platform import user
from satchel.workspace.configuration.load import load
from satchel.workspace.state import index_place, state_folder
from satchel.workspace.state.index_place import CHECKOUT_FOLDER


def find_root(start: Path, environment: Mapping[str, str]) -> Path:
    """The nearest folder at or above `start` that is indexed or under version control, else it.

    Raises:
        ConfigError: the user's own file cannot be used.
    """
    start = start.resolve()
    # A repository's own file cannot name the folder of state, so the user's settings are enough to
    # find an index before the code base is known.
    own = load((own_settings_file(environment),), environment)
    bases = state_folder.bases_of(environment, own.state.folder)
    found = index_place.root_above(str(start), str(bases.indexes))
    return Path(found) if found else start


def own_settings_file(environment: Mapping[str, str]) -> Path:
    """The user's file of settings; it need not exist.

    Raises:
        ConfigError: neither `XDG_CONFIG_HOME` nor a home folder says where it would lie.
    """
    # XDG is followed on macOS too, as it is for the folders of state.
    configured = environment.get("XDG_CONFIG_HOME")
    folder = Path(configured) if configured else user.home_of(environment) / ".config"
    return folder / "satchel" / "config.toml"


def settings_files(root: Path, environment: Mapping[str, str]) -> tuple[Path, Path]:
    """The user's file, then the one of the code base at `root`; they need not exist."""
    return own_settings_file(environment), root / CHECKOUT_FOLDER / "config.toml"

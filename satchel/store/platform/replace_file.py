"""Replaces a file at once: whoever reads it sees the old bytes or the new ones, never a part."""

import os
import threading
from pathlib import Path

from satchel.store.platform import folders


def replace_file(path: Path, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Put `data` at `path`; a link that stands there is replaced, and not what it leads to.

    One that is not `durable` may be empty after a power cut, and takes no wait for the disk. After
    an error or an interruption the old file is there, and nothing else.

    Raises: OSError.
    """
    # In the same folder, since only a rename within one file system is all or nothing. Threads of
    # one process may write the same file at once, so each has a draft of its own.
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, folders.CREATE | folders.NO_FOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            if durable:
                # The bytes reach the disk before the name does: a power cut could otherwise leave
                # an empty file.
                stream.flush()
                os.fsync(stream.fileno())
        draft.chmod(mode)
        draft.replace(path)
    # Ctrl-C as well must leave nothing beside the file.
    except BaseException:
        draft.unlink(missing_ok=True)
        raise

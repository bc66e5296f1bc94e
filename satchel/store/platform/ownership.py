"""Who owns a file, and who else has access to it.

Windows keeps no owner and no mode that `os.stat` tells: there a file is its user's by where it
lies, in the user's profile, which is closed to others.
"""

import os
import stat
import sys

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
ADMINISTRATOR = 0


def user_id() -> int:
    """Who runs this process, as the owner of files; 0 where files do not say whose they are."""
    if sys.platform == "win32":
        return ADMINISTRATOR
    return os.geteuid()


def is_mine(status: os.stat_result) -> bool:
    """Whether a file belongs to who runs this process."""
    return status.st_uid == user_id()


def others_may_write(status: os.stat_result) -> bool:
    """Whether anybody but the owner may write."""
    return sys.platform != "win32" and bool(status.st_mode & _OTHERS_WRITE)


def others_may_read(status: os.stat_result) -> bool:
    """Whether anybody but the owner has any right."""
    return sys.platform != "win32" and bool(status.st_mode & _OTHERS)

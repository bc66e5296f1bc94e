"""Whether another process of this machine still runs."""

import os
import sys


def is_alive(pid: int) -> bool:
    """Whether there is a process of this id, whoever's it is."""
    # Signal 0 tests for a process on POSIX alone; on Windows it would end it.
    if sys.platform == "win32":
        import psutil  # loads slowly, and most callers find nothing to ask about

        return bool(psutil.pid_exists(pid))
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):  # there is none, or there cannot be one
        return False
    return True

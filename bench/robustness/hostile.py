"""Every scene of the hostile suite, played, with what each took.

    python -m bench.robustness.hostile [--demonstrations] [WORD …]

A word picks the scenes that have it in their name, `--demonstrations` those that
`tests/hostile_suite/demonstrations.py` lists. Exits with 1 where one succeeds against us.
`SATCHEL_TEST_SOURCE` names another source tree that is played against: how much is red there.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from bench.nothing import require
from tests.hostile_suite import SCENES
from tests.hostile_suite.demonstrations import DEMONSTRATIONS
from tests.hostile_suite.stage import STATE_MOVED, Scene, Stage


def played(scene: Scene) -> str:
    """Why a scene is red, "" for a green one."""
    with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as folder:
        try:
            scene.play(Stage(Path(folder)))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return f"{type(error).__name__}: {str(error)[:300]}"
    return ""


def main() -> int:
    """Play what the command line picks."""
    words = sys.argv[1:]
    chosen = [s for s in SCENES if not words or any(word in s.name for word in words)]
    if "--demonstrations" in words:
        listed = {name for names in DEMONSTRATIONS.values() for name in names}
        chosen = [s for s in SCENES if s.name in listed]
    require(len(chosen), "scene of these names")
    n_red = n_later = 0
    for scene in chosen:
        if scene.after_state and not STATE_MOVED:
            n_later += 1
            continue
        began = time.monotonic()
        why = played(scene)
        n_red += bool(why)
        print(
            f"{'RED  ' if why else 'green'} {time.monotonic() - began:6.1f} s  {scene.name}",
            flush=True,
        )
        if why:
            print(f"        {why}", flush=True)
    print(f"{len(chosen)} scenes: {n_red} red, {n_later} wait for an index outside of the tree")
    return int(n_red > 0)


if __name__ == "__main__":
    sys.exit(main())

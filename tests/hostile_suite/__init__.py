"""Scenes that a hostile author would make, each played against Satchel as a user has it.

`SCENES` are all of them. A part runs with the tests, the whole with
`python -m bench.robustness.hostile`.
"""

from tests.hostile_suite import (
    config,
    databases,
    exhaustion,
    git_folders,
    hub,
    names,
    opened,
    outside,
    running,
    secrets,
    shipped,
    surroundings,
)
from tests.hostile_suite.stage import Scene

SCENES: tuple[Scene, ...] = (
    *running.SCENES,
    *shipped.SCENES,
    *names.SCENES,
    *config.SCENES,
    *secrets.SCENES,
    *opened.SCENES,
    *exhaustion.SCENES,
    *outside.SCENES,
    *git_folders.SCENES,
    *hub.SCENES,
    *databases.SCENES,
    *surroundings.SCENES,
)

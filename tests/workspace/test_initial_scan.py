"""The initial scan of a tree, made in a process of its own beside a server that starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.workspace.project import Project
from tests.support.satchel import TIMEOUT_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a scan is taken over on Linux")

# A process of its own: a scan is begun where there is one thread, which here is not so.
_SERVED = """
import sys
from pathlib import Path
from satchel.workspace.project import Project
from satchel.workspace.serving import initial_scan, owner
from satchel.workspace.serving.live import LiveIndex, Role

root = Path(sys.argv[1])
project = Project.at(root, {"SATCHEL_STATE_FOLDER": sys.argv[2]})
usual, walks = owner.refresh, []

def refresh(connection, root, options, on_progress, subset=None, pool=None):
    if subset is None:
        walks.append(root)
    return usual(connection, root, options, on_progress, subset, pool)

owner.refresh = refresh
scan = initial_scan.begin(project)
BETWEEN
live = LiveIndex(project, scan=scan)
live.start()

def told():
    assert live.wait_fresh(seconds=60) == ()
    with project.snapshot() as snapshot:
        print(len(walks), *sorted(file.path for file in snapshot.files.all()))

told()
AFTER
print(live.state().watching, file=sys.stderr)
live.close()
"""


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A tree of two files, in two folders, that is indexed; and its state."""
    root, state = tmp_path / "root", tmp_path / "state"
    (root / "in").mkdir(parents=True)
    for name in ("one.py", "in/two.py"):
        (root / name).write_text("def f():\n    return 1\n", encoding="utf-8")
        os.utime(root / name, (1e9, 1e9))  # what was written just now is read again
    project = Project.at(root, {"SATCHEL_STATE_FOLDER": str(state)})
    project.refresh(lambda _progress: None)
    project.build_vectors()
    return root, state


def _served(places: tuple[Path, Path], *, between: str = "", after: str = "") -> list[str]:
    """What a server told: how often it walked the tree itself, and the files of its index."""
    script = _SERVED.replace("BETWEEN", between).replace("AFTER", after)
    done = subprocess.run(
        [sys.executable, "-c", script, *places], capture_output=True, timeout=TIMEOUT_S, check=True
    )
    assert done.stderr.decode() == "events\n"
    return done.stdout.decode().splitlines()


_SAVE = """
(root / "in/three.py").write_text("def g(): pass\\n")
told()
(root / "new").mkdir()
(root / "new/four.py").write_text("def h(): pass\\n")
told()
(root / "in/two.py").unlink()
told()
"""


def test_a_server_that_finds_all_as_it_was_walks_no_tree_and_hears_of_every_save(
    places: tuple[Path, Path],
):
    assert _served(places, after=_SAVE) == [
        "0 in/two.py one.py",
        "0 in/three.py in/two.py one.py",
        "0 in/three.py in/two.py new/four.py one.py",
        "0 in/three.py new/four.py one.py",
    ]


def test_what_changed_before_the_start_is_indexed_by_the_plan_of_the_look(
    places: tuple[Path, Path],
):
    root, _ = places
    (root / "new").mkdir()
    (root / "new/three.py").write_text("def g(): pass\n", encoding="utf-8")
    (root / "one.py").unlink()
    told = _served(places, after='(root / "new/four.py").write_text("")\ntold()')
    assert told == ["0 in/two.py new/three.py", "0 in/two.py new/four.py new/three.py"]


def test_what_changes_while_the_look_goes_on_is_indexed(places: tuple[Path, Path]):
    between = '(root / "in/three.py").write_text("def g(): pass\\n"); (root / "one.py").unlink()'
    assert _served(places, between=between) == ["0 in/three.py in/two.py"]


def test_a_look_at_an_index_that_was_written_since_is_not_followed(places: tuple[Path, Path]):
    between = '(root / "three.py").write_text(""); project.refresh(lambda _progress: None)'
    assert _served(places, between=between) == ["1 in/two.py one.py three.py"]


def test_a_server_whose_look_came_to_nothing_looks_itself(places: tuple[Path, Path]):
    assert _served(places, between="scan.close()") == ["1 in/two.py one.py"]


def test_rules_that_are_others_now_are_walked_by(places: tuple[Path, Path]):
    root, _ = places
    (root / ".gitignore").write_text("in/\n", encoding="utf-8")
    told = _served(places, after='(root / "five.py").write_text("")\ntold()')
    assert told == ["1 .gitignore one.py", "1 .gitignore five.py one.py"]


def test_nothing_is_begun_where_another_process_owns_the_index(places: tuple[Path, Path]):
    another = "live.wait_fresh(seconds=60); print(initial_scan.begin(project))"
    assert _served(places, after=another) == ["0 in/two.py one.py", "None"]

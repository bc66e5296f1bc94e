"""How the tests of a run are dealt out to its processes."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.satchel import ROOT, TIMEOUT_S


def test_a_file_of_tests_runs_in_one_process(tmp_path: Path):
    """What a file has built for its tests would be built again in each of the others."""
    told = "from tests.support.dealing import pytest_xdist_make_scheduler\n"
    (tmp_path / "conftest.py").write_text(told, encoding="utf-8")
    for name in ("one", "two"):
        text = (
            f"def test(n):\n    print({name!r}, __import__('os').environ['PYTEST_XDIST_WORKER'])\n"
        )
        marked = f"import pytest\n@pytest.mark.parametrize('n', range(8))\n{text}"
        (tmp_path / f"test_{name}.py").write_text(marked, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "-rP", "-p", "no:cacheprovider", "-c",
         os.devnull, "--rootdir", tmp_path, tmp_path],
        cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    assert "16 passed" in run.stdout
    said = [line for line in run.stdout.splitlines() if line.startswith(("one ", "two "))]
    assert len(said) == 16 and len(set(said)) == 2

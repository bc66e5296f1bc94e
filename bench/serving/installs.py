"""Every way to install Satchel, on every Python that this machine has: seconds, size, first answer.

    python -m bench.serving.installs [--python EXE …] [--way WAY …] [--extra NAME …]

An sdist is built from this checkout, and a wheel from that, or both are taken from `--dist`. Each
row is a new environment; what it needs comes from wherever the installer takes it, so seconds are
those of this network and cache. The exit code is 1 where a first question is not answered.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
WAYS = ("pip wheel", "pip sdist", "uv wheel", "uv sdist", "uv tool checkout", "pipx wheel")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_QUESTION = ("context", "wake the dog", "--root", ".")
_MB = 1_000_000
_ATTEMPTS = 20
_ASK_AGAIN = 5


def build(folder: Path) -> None:
    """The sdist of this checkout and the wheel made from it, by the standard front end."""
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def row(python: str, way: str, extra: str, files: dict[str, Path], folder: Path) -> str:
    """One line of the table; it ends with "answers" or with what went wrong."""
    tool, _, kind = way.rpartition(" ")
    venv = folder / "venv"
    own = {**os.environ, "SATCHEL_STATE_FOLDER": str(folder / "state")}
    binaries = folder / "bin"
    if tool in ("pipx", "uv tool"):
        # Both make the environment themselves, of a Python that is named.
        installer = [*tool.split(), "install", "--python", python]
        own |= {"PIPX_HOME": str(venv), "PIPX_BIN_DIR": str(binaries)}
        own |= {"UV_TOOL_DIR": str(venv), "UV_TOOL_BIN_DIR": str(binaries)}
    else:
        subprocess.run([python, "-m", "venv", str(venv)], check=True)
        binaries = next(path for name in ("bin", "Scripts") if (path := venv / name).is_dir())
        exe = str(next(binaries.glob("python*")))
        installer = [exe, "-m", "pip", "install", "-q"]
        if tool == "uv":
            installer = ["uv", "pip", "install", "-q", "--python", exe]
    wanted = f"satchel{f'[{extra}]' if extra else ''} @ {files[kind].as_uri()}"
    began = time.monotonic()
    done = subprocess.run(
        [*installer, wanted], env=own, capture_output=True, encoding="utf-8", check=False
    )
    seconds = time.monotonic() - began
    if done.returncode:
        return f"{seconds:.0f} s | | not installed: {done.stderr.strip().splitlines()[-1][:90]}"
    size = sum(path.stat().st_size for path in venv.rglob("*") if not path.is_symlink())
    tree = folder / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("def wake(dog):\n    return dog\n", "utf-8")
    command = shutil.which("satchel", path=str(binaries)) or "satchel"
    # On a busy machine even this tree takes longer than an agent waits: it is told to ask again.
    for _ in range(_ATTEMPTS):
        asked = subprocess.run(
            [command, *_QUESTION], cwd=tree, env=own, capture_output=True, encoding="utf-8",
            check=False,
        )  # fmt: skip
        if asked.returncode != _ASK_AGAIN:
            break
        time.sleep(1)
    says = "answers" if "def wake(dog):" in asked.stdout else asked.stderr.strip()[-90:]
    return f"{seconds:.0f} s | {size / _MB:.0f} MB | {says}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.serving.installs", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    named = [exe for version in PYTHONS if (exe := shutil.which(f"python{version}"))]
    # One that a version manager put there for another folder ends with an error.
    found = [
        exe for exe in named if not subprocess.run([exe, "-V"], capture_output=True).returncode
    ]
    parser.add_argument("--python", nargs="+", default=found or [sys.executable], metavar="EXE")
    parser.add_argument("--way", nargs="+", default=WAYS, choices=WAYS, metavar="WAY")
    parser.add_argument("--extra", nargs="+", default=[""], metavar="NAME")
    parser.add_argument("--dist", type=Path, metavar="FOLDER", help="with one sdist and one wheel")
    options = parser.parse_args(arguments)
    is_well = True
    with tempfile.TemporaryDirectory() as folder:
        if options.dist is None:
            build(Path(folder))
        made = (options.dist or Path(folder)).resolve()
        [sdist], [wheel] = made.glob("*.tar.gz"), made.glob("*.whl")
        print(f"{sdist.name} {sdist.stat().st_size / _MB:.1f} MB, {wheel.name}"
              f" {wheel.stat().st_size / _MB:.1f} MB\n")  # fmt: skip
        print(
            "| Python | way | extra | installed in | size | first question |\n" + "|---" * 6 + "|"
        )
        for python in options.python:
            version = subprocess.run([python, "-V"], capture_output=True, encoding="utf-8").stdout
            for way in options.way:
                for extra in options.extra:
                    with tempfile.TemporaryDirectory() as one:
                        files = {"sdist": sdist, "wheel": wheel, "checkout": ROOT}
                        said = row(python, way, extra, files, Path(one))
                    is_well = is_well and said.endswith("answers")
                    print(f"| {version.split()[-1]} | {way} | {extra} | {said} |", flush=True)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())

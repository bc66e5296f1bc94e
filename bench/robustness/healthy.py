"""Whether `satchel validate` cries wolf, and what it costs: healthy projects, looked at hard.

    python -m bench.robustness.healthy [--level deep] [--git] DIR …

Each folder is copied, so that nothing is written to it. Its copy is indexed, validated, edited a
little (a file added, one changed, one moved), brought up to date and validated again: an index
that has a history must pass as well. With --git the copy is a repository with one commit, so that
git can be asked what it ignores. Times are of this one run: `reindex` is a full index with its
vectors, the ratios are of `quick` and `standard` to it, by processor time, which is much the same
on a busy machine, and at the end by the clock as well.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.nothing import require
from bench.state import beside
from satchel.validation.baseline import Baseline
from satchel.validation.model import Finding, Level, Severity
from satchel.validation.validate import validate
from satchel.workspace.project import Project
from satchel.workspace.state.index_place import CHECKOUT_FOLDER

_IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds by the clock, and of processors, those of child processes included."""

    clock: float
    processor: float


@dataclass(frozen=True, slots=True)
class Looked:
    """What one project came to."""

    files: int
    reindex: Spent
    quick: Spent
    standard: Spent
    alarms: tuple[Finding, ...]
    notes: int


def look(source: Path, level: Level, *, git: bool) -> Looked:
    """Index a copy of a folder, validate it, edit it, validate it again."""
    with tempfile.TemporaryDirectory(prefix="healthy-") as folder:
        root = Path(folder) / source.name
        shutil.copytree(
            source, root, symlinks=True, ignore=shutil.ignore_patterns(CHECKOUT_FOLDER, ".git")
        )
        if git:
            for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "all")):
                command = ("git", "-C", str(root), *_IDENTITY, *arguments)
                subprocess.run(command, check=True, capture_output=True)
        project = Project.at(root, beside(root))
        reindex = _index(project)
        quick, found = _validated(project, Level.QUICK)
        standard, more = _validated(project, Level.STANDARD)
        found += more
        files = project_files(root)
        _edit(root, files)
        _index(project)
        found += _validated(project, level)[1]
        alarms = tuple(finding for finding in found if finding.severity != Severity.INFO)
        return Looked(len(files), reindex, quick, standard, alarms, len(found) - len(alarms))


def _index(project: Project) -> Spent:
    started = _now()
    project.refresh(lambda _progress: None)
    project.build_vectors(lambda _done, _todo: None, lambda _done, _todo: None)
    return _since(started)


def _validated(project: Project, level: Level) -> tuple[Spent, list[Finding]]:
    started = _now()
    report = validate(project, level, Baseline(), _quiet)
    return _since(started), list(report.findings)


def _now() -> Spent:
    return Spent(time.perf_counter(), sum(os.times()[:4]))


def _since(then: Spent) -> Spent:
    now = _now()
    return Spent(now.clock - then.clock, now.processor - then.processor)


def _quiet(_check: str) -> None:
    """Nobody watches."""


def project_files(root: Path) -> list[Path]:
    """The files of a project, in order."""
    found = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(p for p in found if not {CHECKOUT_FOLDER, ".git"} & set(p.parts))


def _edit(root: Path, files: list[Path]) -> None:
    """A file added, one changed, one moved: what a morning's work leaves behind."""
    text = [path for path in files if path.suffix in {".py", ".go", ".js", ".rb", ".c", ".md"}]
    (root / "added_by_bench.py").write_text("def added_by_bench():\n    return 1\n")
    if len(text) > 1:
        text[0].write_bytes(text[0].read_bytes() + b"\n")
        text[-1].rename(text[-1].with_name(f"moved_{text[-1].name}"))


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--level", choices=["standard", "deep"], default="standard")
    parser.add_argument("--git", action="store_true")
    parser.add_argument("sources", nargs="+", type=Path, metavar="DIR")
    args = parser.parse_args()
    gc.set_threshold(50_000)  # as the command does
    looked: list[Looked] = []
    for source in args.sources:
        found = look(source.resolve(), Level[args.level.upper()], git=args.git)
        looked.append(found)
        require(found.files, f"file in {source}")
        whole = found.reindex.processor
        quick, standard = found.quick.processor / whole, found.standard.processor / whole
        print(
            f"{source.name}: {found.files:,} files, reindex {whole:.2f} s, quick {quick:.3f},"
            f" standard {standard:.3f}, {len(found.alarms)} alarms, {found.notes} notes",
            flush=True,
        )
        for alarm in found.alarms[:10]:
            print(f"  {alarm.severity} {alarm.code} {alarm.path}:{alarm.line} {alarm.message}")
    print(f"{len(looked)} projects, {sum(len(each.alarms) for each in looked)} alarms")
    for by in ("processor", "clock"):
        whole, quick, standard = (
            sum(getattr(getattr(each, what), by) for each in looked)
            for what in ("reindex", "quick", "standard")
        )
        print(
            f"  {by}: of {whole:.1f} s to index, quick took {quick / whole:.3f}, standard"
            f" {standard / whole:.3f}"
        )


if __name__ == "__main__":
    main()

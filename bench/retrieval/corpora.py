"""Clone the repositories of a case file: `… corpora --cases FILE --corpora DIR`.

Each ends up in DIR/<name> as `git archive` exports it, so that files a project marks
`export-ignore` are left out for everyone alike. Needs git and the network.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.retrieval import cases


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring what is missing; 1 if some repository could not be had."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.corpora", description=__doc__)
    parser.add_argument("--cases", type=Path, required=True, help="case file (JSON)")
    parser.add_argument("--corpora", type=Path, required=True, help="folder to fill")
    options = parser.parse_args(arguments)
    failed: list[str] = []
    for repository in cases.load(options.cases):
        target = options.corpora / repository.name
        if target.exists():
            continue
        try:
            bring(repository, target)
            print(f"{repository.name} at {repository.revision}")
        except subprocess.CalledProcessError:
            failed.append(repository.name)
    if failed:
        print(f"could not bring: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def bring(repository: cases.Repository, target: Path) -> None:
    """Fetch one revision of a repository and export it to `target`.

    Raises:
        subprocess.CalledProcessError: git or tar failed; `target` is not left behind half full.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        clone, export = Path(folder, "clone"), Path(folder, "export")
        export.mkdir()
        url = f"https://github.com/{repository.slug}.git"
        _git("init", "--quiet", "--bare", str(clone))
        _git("-C", str(clone), "fetch", "--quiet", "--depth", "1", url, repository.revision)
        archive = Path(folder, "tree.tar")
        _git("-C", str(clone), "archive", "-o", str(archive), repository.revision)
        subprocess.run(["tar", "-xf", str(archive), "-C", str(export)], check=True)
        export.rename(target)


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main())

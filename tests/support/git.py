"""Git as tests use it: a repository of its own, commits with a name and a date."""

import shutil
import subprocess
from pathlib import Path

import pytest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
_IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.org")


def git(root: Path, *arguments: str | Path, environment: dict[str, str] | None = None) -> str:
    """Runs git in `root`; returns what it prints."""
    done = subprocess.run(
        ["git", "-C", root, *_IDENTITY, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return done.stdout.strip()


def commit_all(root: Path, message: str = "more") -> str:
    """Commits everything in `root`, a repository or not yet; returns the commit."""
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")

"""Fetching a repository by its address: the newest commit alone, and nothing of it is run.

An address may end with "#" and the name of a branch or tag, else it means the default branch.

Files are written as the repository holds them. Its `.gitattributes` may ask for a filter that the
user has configured, as git-lfs is: that program would be started on files of a stranger, and ask
the host that they name.
"""

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from satchel.store.errors import SatchelError
from satchel.store.platform import programs

# A shallow clone of the largest public repositories takes minutes on a slow line, and some hundred
# MB to put its objects together.
_BOUNDS = programs.Bounds(seconds=1_800.0, memory_bytes=4 << 30)
_ADDRESS = re.compile(r"(?:https|ssh|file)://[^\s#]+|[\w.-]+@[\w.-]+:[\w./~-]+")
# As git allows them, but for characters that a shell, a glob or an option would begin with.
_REF = re.compile(r"(?!.*\.\.)\w[\w./+-]*")
# A repository may name programs to be run in its own hooks and transports; none of them is.
_SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.ext.allow=never",
             "submodule.recurse=false", "credential.interactive=false")  # fmt: skip
_ATTRIBUTES = "* -filter -ident -text -eol -working-tree-encoding\n"
"""In git's own folder, where they hold against those of the tree."""


class FetchFailed(SatchelError):
    """Git could not fetch a repository; the message ends with what it said."""


def is_address(source: str) -> bool:
    """Whether this names a repository that git fetches, rather than a folder."""
    address, mark, ref = source.partition("#")
    return bool(_ADDRESS.fullmatch(address)) and (not mark or bool(_REF.fullmatch(ref)))


def split(source: str) -> tuple[str, str]:
    """The address itself, and the branch or tag that it names; "" for the default branch."""
    address, _, ref = source.partition("#")
    return address, ref


def has_password(source: str) -> bool:
    """Whether an address holds a password, which would be kept where others read it."""
    return bool(re.match(r"\w+://[^/@]*:[^/@]*@", source))


def newest_commit(source: str, environment: Mapping[str, str]) -> str:
    """The commit that the branch or tag of an address is at; "" where there is none.

    Raises:
        FetchFailed: git says no.
    """
    address, ref = split(source)
    wanted = [name for name, _ in _meanings(ref)] if ref else ["HEAD"]
    found = _list_refs(address, wanted, environment)
    # A tag with a message is an object of its own, listed before the commit that it names.
    return next((found[name].strip() for name in wanted if name in found), "")


def _list_refs(
    address: str, names: Iterable[str], environment: Mapping[str, str]
) -> Mapping[str, str]:
    """Those of the names that an address has, with their commits."""
    lines = _git(environment, "ls-remote", "--", address, *names).splitlines()
    return {name: commit for commit, _, name in (line.partition("\t") for line in lines)}


def _meanings(ref: str) -> tuple[tuple[str, str], ...]:
    """What a name may mean, as it is listed and as it is fetched: a branch before a tag."""
    branch, tag = f"refs/heads/{ref}", f"refs/tags/{ref}"
    return (branch, branch), (f"{tag}^{{}}", tag), (tag, tag)


def _fetched_name(source: str, environment: Mapping[str, str]) -> str:
    """What git is asked to fetch for an address."""
    address, ref = split(source)
    if not ref:
        return "HEAD"
    listed = _list_refs(address, (name for name, _ in _meanings(ref)), environment)
    for name, fetched in _meanings(ref):
        if name in listed:
            return fetched
    raise FetchFailed(f"git: there is no branch or tag {ref}", "add it with another name")


def fetch(source: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Make `folder` a checkout of the newest commit of an address's branch or tag.

    Raises:
        FetchFailed: git says no, or took more than half an hour.
    """
    address, ref = split(source)
    name = _fetched_name(source, environment)
    # A fetch into the checkout of the last time brings only what is new.
    if (folder / ".git").is_dir():
        at = ("-C", str(folder))
        try:
            _git(environment, *at, "fetch", "--depth=1", "--no-tags", "--", address, name)
            _write_tree(environment, folder, "FETCH_HEAD")
            # Files that the newest commit does not have would be indexed as well.
            _git(environment, *at, "clean", "-ffdqx")
            return
        except FetchFailed:
            pass  # a checkout that was cut off in the middle is made anew
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    options = ("--depth=1", "--no-tags", "--single-branch", "--quiet", "--no-checkout")
    branch = ("--branch", ref) if ref else ()
    _git(environment, "clone", *options, *branch, "--", address, str(folder))
    _write_tree(environment, folder, "HEAD")


def _write_tree(environment: Mapping[str, str], folder: Path, commit: str) -> None:
    info = folder / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text(_ATTRIBUTES, encoding="ascii")
    _git(environment, "-C", str(folder), "reset", "--hard", "--quiet", commit)


def _git(environment: Mapping[str, str], *arguments: str) -> str:
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    # GIT_DIR and the like would lead git into the repository that this was started in. Without a
    # prompt a missing password is an error instead of a process that waits for ever.
    safe = {
        **{name: value for name, value in environment.items() if not name.startswith("GIT_")},
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_ALLOW_PROTOCOL": "https:ssh:file",
    }
    # "--" stands before every address, so that none can be read as an option.
    done = programs.run(["git", *settings, *arguments], _BOUNDS, safe)
    if done is None:
        raise FetchFailed("git: is not there, or took more time than it may")
    if done.code:
        # The last line is the reason; those before it are progress.
        lines = os.fsdecode(done.errors).strip().splitlines()
        raise FetchFailed(f"git: {lines[-1] if lines else f'ended with {done.code}'}")
    return os.fsdecode(done.output)

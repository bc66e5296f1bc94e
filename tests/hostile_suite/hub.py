"""Repositories that a hub is told to fetch: addresses that are commands, attributes, lists."""

from __future__ import annotations

import json
import subprocess
import sys

from satchel.hub import repositories
from satchel.hub.building import git_clone
from satchel.store.errors import SatchelError
from tests.hostile_suite.stage import CANARY, SECONDS, Scene, Stage

ADDRESSES = {
    "a helper that is a shell": "ext::sh -c touch% {sprung}",
    "a helper with a descriptor": "fd::17",
    "an option for git": "--upload-pack=touch {sprung};",
    "an option after a word": "-u./trap.sh",
    "an option for ssh": "ssh://-oProxyCommand=touch${{IFS}}{sprung}/x",
    "an option for ssh as a host": "-oProxyCommand=sh@-oProxyCommand=x:y/z",
    "a helper within an address": "https::ext::sh -c touch% {sprung}",
    "no encryption": "http://127.0.0.1:9/x",
    "git's own protocol": "git://127.0.0.1:9/x",
    "a password": "https://me:secret@127.0.0.1:9/x",
    "a line break": "https://127.0.0.1:9/x\n--upload-pack=touch {sprung}",
}


def _fetched(stage: Stage, address: str) -> None:
    """Everything that happens between `hub add` and the checkout of a worker."""
    (source,) = repositories.read_sources([address])
    git_clone.newest_commit(source.source, stage.environment)
    git_clone.fetch(source.source, stage.root, stage.environment)


def _address(what: str) -> Scene:
    def play(stage: Stage) -> None:
        try:
            _fetched(stage, ADDRESSES[what].format(sprung=stage.sprung))
        except SatchelError as error:
            assert error.message
        else:
            raise AssertionError("it was fetched")
        stage.safe()

    return Scene(f"a hub and an address with {what}", play, quick=True)


def _listing(what: str) -> Scene:
    """An organisation's listing, as its server sends it."""

    def play(stage: Stage) -> None:
        entry = {"full_name": "a/b", "clone_url": ADDRESSES[what].format(sprung=stage.sprung)}
        (stage.folder / "repos.json").write_text(json.dumps([entry]), encoding="utf-8")
        try:
            _fetched(stage, str(stage.folder / "repos.json"))
        except SatchelError as error:
            assert error.message
        stage.safe()

    return Scene(f"a hub and a listing with {what}", play, quick=False)


def _name(stage: Stage) -> None:
    for name in ("../../x", "/etc/x", "a\x1b[31m", "[satchel] x", "a\nb", "..", "-x y"):
        listed = [{"full_name": name, "clone_url": "https://127.0.0.1:9/x"}]
        (stage.folder / "repos.json").write_text(json.dumps(listed), encoding="utf-8")
        try:
            found = repositories.read_sources([str(stage.folder / "repos.json")])
        except SatchelError:
            continue
        raise AssertionError(found)


def _remote(stage: Stage, files: dict[str, str]) -> str:
    stage.clone(files)
    (stage.folder / "clone").rename(stage.folder / "unused")
    return f"file://{stage.author}"


def _filter(stage: Stage) -> None:
    """The user has a filter, as git-lfs is one; the repository asks for it."""
    trap = stage.folder / "trap.sh"
    trap.write_text(stage.trap("sh"), encoding="utf-8")
    trap.chmod(0o755)
    said = f'[filter "lfs"]\nsmudge = {trap}\nprocess = {trap}\nclean = cat\nrequired = true\n'
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    address = _remote(stage, {
        ".gitattributes": "*.py filter=lfs text eol=crlf ident\n", "a.py": pointer,
        ".lfsconfig": "[lfs]\nurl = https://192.0.2.1/\n",
    })  # fmt: skip
    (stage.home / ".gitconfig").write_text(said, encoding="utf-8")
    for _ in range(2):  # a clone, and a fetch into it
        _fetched(stage, address)
        assert (stage.root / "a.py").read_text("utf-8") == pointer
    stage.safe()


def _template(stage: Stage) -> None:
    """Hooks that the user gives every clone would run in this one as well."""
    hooks = stage.home / "template/hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (hooks / name).write_text(stage.trap("sh"), encoding="utf-8")
        (hooks / name).chmod(0o755)
    address = _remote(stage, {"a.py": "x = 1\n"})
    said = f"[init]\ntemplateDir = {stage.home}/template\n"
    (stage.home / ".gitconfig").write_text(said, encoding="utf-8")
    _fetched(stage, address)
    stage.safe()


def _submodule(stage: Stage) -> None:
    said = f'[submodule "x"]\npath = x\nurl = ext::touch {stage.sprung}\nupdate = !touch x\n'
    address = _remote(stage, {".gitmodules": said, "a.py": "x = 1\n"})
    _fetched(stage, address)
    stage.safe()


def _changed_meanwhile(stage: Stage) -> None:
    """A checkout of a worker in which somebody planted a configuration is not believed."""
    address = _remote(stage, {"a.py": "x = 1\n", ".gitattributes": "* filter=evil\n"})
    _fetched(stage, address)
    trap = stage.folder / "trap.sh"
    trap.write_text(stage.trap("sh"), encoding="utf-8")
    trap.chmod(0o755)
    with (stage.root / ".git/config").open("a", encoding="utf-8") as written:
        written.write(f'[core]\nfsmonitor = {trap}\n[filter "evil"]\nsmudge = {trap}\n')
    (stage.root / "a.py").unlink()
    _fetched(stage, address)
    assert (stage.root / "a.py").is_file()
    stage.safe()


def _links(stage: Stage) -> None:
    stage.clone({"a.py": "def wake():\n    pass\n"}, {"out.py": str(stage.home / "private.txt")})
    (stage.folder / "clone").rename(stage.folder / "unused")
    _fetched(stage, f"file://{stage.author}")
    stage.shown("reindex")
    assert CANARY not in stage.shown("context", "wake", "--scope", "all")
    assert "symlink" in stage.shown("status", "--skipped")


def _workers(stage: Stage) -> None:
    """Workers are processes; they start where the command was called, in a stranger's checkout."""
    traps = ("multiprocessing/__init__.py", "distributed/__init__.py", "satchel/__init__.py",
             "sitecustomize.py", "json.py")  # fmt: skip
    stage.clone({name: stage.trap() for name in traps})
    (stage.home / "sync.py").write_text(
        "from pathlib import Path\nfrom satchel.hub.building import cluster\n"
        "if __name__ == '__main__':\n"
        f"    with cluster.client('', 1, Path({str(stage.folder)!r})) as workers:\n"
        "        print(workers.submit(len, 'ab').result())\n", "utf-8",
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, stage.home / "sync.py"], cwd=stage.root, env=stage.environment,
        capture_output=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.stdout == b"2\n", done.stderr.decode()[-500:]
    stage.safe()


# Imported as whoever plays, since the packages may lie where another user reads nothing.
_INTRUDER = """
import asyncio, os, sys
import distributed
from distributed.comm import connect
distributed.Security.temporary()
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
os.chdir("/")

async def ask(at, security):
    comm = await connect(at, timeout=3, **security.get_connection_args("client"))
    await comm.write({"op": "identity", "reply": True})
    return await comm.read()

async def attempt(at):
    own = distributed.Security.temporary() if at.startswith("tls") else distributed.Security()
    try:
        print("answered", at, await asyncio.wait_for(ask(at, own), 5))
        async with distributed.Client(at, security=own, timeout=5, asynchronous=True) as client:
            print("ran", await client.run_on_scheduler(os.system, "touch " + sys.argv[1]))
    except (OSError, asyncio.TimeoutError):
        print("refused", at)

async def all_of(places):
    await asyncio.gather(*(attempt(f"{s}://{p}") for s in ("tcp", "tls") for p in places))

asyncio.run(all_of(sys.argv[2:]))
print("tried", os.geteuid())
"""


def _another_user(stage: Stage) -> None:
    """Scheduler, worker and nanny listen on the loopback address, which all users share."""
    intruder = stage.folder / "intruder.py"
    intruder.write_text(_INTRUDER, encoding="utf-8")
    (stage.home / "sync.py").write_text(
        "import subprocess, sys\nfrom pathlib import Path\nimport psutil\n"
        "from satchel.hub.building import cluster\n"
        "if __name__ == '__main__':\n"
        f"    with cluster.client('', 1, Path({str(stage.folder)!r})) as workers:\n"
        "        own = psutil.Process()\n"
        "        places = [f'{c.laddr.ip}:{c.laddr.port}' for p in (own, *own.children(True))\n"
        "                  for c in p.net_connections() if c.status == psutil.CONN_LISTEN]\n"
        f"        intruder = [sys.executable, {str(intruder)!r}, {str(stage.sprung)!r}]\n"
        "        subprocess.run([*intruder, *places], check=False)\n"
        "        print(len(places), workers.submit(len, 'ab').result())\n", "utf-8",
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, stage.home / "sync.py"], cwd=stage.home, env=stage.environment,
        capture_output=True, timeout=SECONDS, check=False, text=True,
    )  # fmt: skip
    assert "answered" not in done.stdout, done.stdout
    *tried, last, counted = done.stdout.splitlines() or ["", ""]
    n_places, built = map(int, counted.split())
    assert built == 2 and n_places >= 3 and last.startswith("tried"), done.stderr[-500:]
    assert [line.split()[0] for line in tried] == ["refused"] * (2 * n_places), tried
    stage.safe()


SCENES = (
    Scene("a hub's workers and another user of the machine", _another_user, quick=True),
    Scene("a hub's workers and modules of the checkout", _workers),
    *(_address(what) for what in ADDRESSES),
    *(_listing(what) for what in ("a helper that is a shell", "an option for git")),
    Scene("a hub and names that a listing gives", _name, quick=True),
    Scene("a hub, and attributes that ask for a filter of the user", _filter, quick=True),
    Scene("a hub, and hooks that the user gives every clone", _template),
    Scene("a hub and submodules", _submodule),
    Scene("a hub and a checkout that was changed", _changed_meanwhile),
    Scene("a hub and links in a repository", _links),
)

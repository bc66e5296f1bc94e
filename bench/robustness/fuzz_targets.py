"""What `bench.robustness.fuzz` reads, and how it spoils it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random

import apsw
import msgspec

from bench.robustness import command_lines
from satchel.assembler import assemble
from satchel.assembler.kinds import Scope
from satchel.assembler.lookup import dependencies as graph
from satchel.assembler.lookup import symbols
from satchel.assembler.query.question import Question
from satchel.cli import command_line
from satchel.cli.clients.client_files import CLIENTS
from satchel.indexer.scan import gitignore
from satchel.knowledge.answer import answer
from satchel.knowledge.model import Caller, Timestamp
from satchel.knowledge.requests import Recall, Remember
from satchel.knowledge.transfer.detect_source import read_source
from satchel.store import codec
from satchel.store.errors import SatchelError
from satchel.store.sqlite import database
from satchel.validation import baseline
from satchel.validation.checks.quality import GOLDEN, Golden
from satchel.workspace import knowledge, pack_log, share
from satchel.workspace.configuration import upstreams
from satchel.workspace.configuration.load import load
from satchel.workspace.project import Project

Read = Callable[[Path, bytes], None]
"""Read a file with these bytes, in a folder of its own."""
_TOKENS = (
    b"\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"[", b"{", b'"', b"\\", b"\xe2\x80\xae",
    b"../../../etc/passwd", b"\x1b[2J", b"[satchel] ", b"9" * 400, b"-1", b"NaN", b"null",
    b"1e999", b"9" * 5000, b"[" * 3000, b"{'a':" * 900, b"\n", b"#", b"!", b"**/", b"[!a-",
    b"/dev/zero", b"\x28\xb5\x2f\xfd", b"true",
)  # fmt: skip
CODE = {
    "a.py": "from b import bark\n\n\ndef wake(dog):\n    return bark(dog)\n",
    "b.py": "class Dog:\n    def bark(self):\n        return 1\n\n\n"
    "def bark(dog):\n    return dog\n",
    "c.md": "# Dogs\n\nThey wake.\n",
}


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of file: how whole ones are made, how one is read, how often of a hundred."""

    name: str
    make: Callable[[Path], tuple[bytes, ...]]
    read: Read
    weight: int


def share_of(seed: int, number: int, only: str) -> Target:
    """The target of a mutation."""
    random = Random(f"target {seed} {number}")
    chosen = [target for target in TARGETS if not only or target.name == only]
    return random.choices(chosen, [target.weight for target in chosen])[0]


def mutated(seeds: tuple[bytes, ...], random: Random) -> bytes:
    """One of some files, spoiled in a few places."""
    data = bytearray(random.choice(seeds))
    for _ in range(random.choice((1, 1, 2, 3, 8, 30))):
        at = random.randrange(len(data) + 1)
        random.choice(_SPOILERS)(data, at, random.choice(seeds), random)
    return bytes(data)


Spoiler = Callable[[bytearray, int, bytes, Random], None]


def _flip(data: bytearray, at: int, _other: bytes, random: Random) -> None:
    if data:
        data[at % len(data)] ^= 1 << random.randrange(8)


def _insert(data: bytearray, at: int, _other: bytes, random: Random) -> None:
    data[at:at] = random.choice(_TOKENS)


def _drop(data: bytearray, at: int, _other: bytes, random: Random) -> None:
    del data[at : at + random.choice((1, 2, 7, 100))]


def _repeat(data: bytearray, at: int, _other: bytes, random: Random) -> None:
    data[at:at] = data[at : at + random.choice((1, 4, 60))] * random.choice((1, 3, 50))


def _overwrite(data: bytearray, at: int, _other: bytes, random: Random) -> None:
    data[at : at + 4] = random.randbytes(4)


def _cut(data: bytearray, at: int, _other: bytes, random: Random) -> None:
    if random.random() < 0.1:
        del data[at:]


def _splice(data: bytearray, at: int, other: bytes, random: Random) -> None:
    start = random.randrange(len(other) + 1)
    data[at : at + 20] = other[start : start + 20]


_SPOILERS: tuple[Spoiler, ...] = (_flip, _insert, _drop, _repeat, _overwrite, _cut, _splice)


def _said(*texts: str) -> Callable[[Path], tuple[bytes, ...]]:
    def make(place: Path) -> tuple[bytes, ...]:
        place.mkdir(parents=True, exist_ok=True)
        return tuple(text.encode() for text in texts)

    return make


def _project(place: Path) -> Project:
    root = place / "root"
    for name, text in CODE.items():
        root.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Project.at(root, _environment(place))


def _environment(place: Path) -> dict[str, str]:
    return {"SATCHEL_INDEX_WORKERS": "1", "HOME": str(place), "XDG_CONFIG_HOME": str(place)}


def _index(place: Path) -> tuple[bytes, ...]:
    project = _project(place)
    project.refresh(lambda _progress: None)
    project.build_vectors()
    return (_plain(project.directory / database.INDEX_NAME),)


def _plain(path: Path) -> bytes:
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "delete")
    connection.close()
    return path.read_bytes()


def _clear(path: Path, data: bytes) -> None:
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).unlink()
    path.write_bytes(data)


def _read_index(place: Path, data: bytes) -> None:
    project = _project(place)
    _clear(project.directory / database.INDEX_NAME, data)
    with project.snapshot() as snapshot:
        assemble.context(snapshot, Question("wake the dog", Scope.ALL), 512)
        found = symbols.lookup(snapshot, "bark", "", Scope.ALL, 5)
        if found.definitions:
            graph.dependencies(snapshot, "bark", (graph.Direction.CALLERS, 2), Scope.ALL, 5)


def _knowledge(place: Path) -> tuple[bytes, ...]:
    project = _project(place)
    project.prepare()
    for kind in ("warning", "decision"):
        entry = {"kind": kind, "summary": f"mind the dog, {kind}", "rationale": "it bites"}
        request = msgspec.convert({"items": [entry]}, Remember)
        knowledge.run_counted(project, partial(answer, request=request), "remember")
    (held,) = place.rglob("knowledge.db")
    return (_plain(held),)


def _read_knowledge(place: Path, data: bytes) -> None:
    project = _project(place)
    for held in place.rglob("knowledge.db"):
        _clear(held, data)
    knowledge.run_counted(project, lambda desk: answer(desk, Recall(query="dog")), "recall")


def _published(place: Path) -> tuple[bytes, ...]:
    project = _project(place)
    project.refresh(lambda _progress: None)
    share.publish(project, place / "share")
    said = json.loads((place / "share" / share.LATEST).read_bytes())
    return ((place / "share" / said["name"]).read_bytes(),)


def _read_published(place: Path, data: bytes) -> None:
    _spoil_published(place, data)
    project = _project(place)
    with share.fetched(str(place / "share"), project.directory, project.encoder.name) as (at, _):
        shutil.rmtree(place / "looked", ignore_errors=True)
        database.connect(at, writable=False).close()


def _pulled(place: Path, data: bytes) -> None:
    _spoil_published(place, data)
    _command(place, "pull", str(place / "share"))


def _unpacked_and_pulled(place: Path, data: bytes) -> None:
    """Damage below the compression, which would otherwise refuse nearly all of it."""
    plain = place / "plain"
    plain.write_bytes(data)
    codec.compress_file(plain, place / "packed")
    _spoil_published(place, (place / "packed").read_bytes(), len(data))
    _command(place, "pull", str(place / "share"))


def _published_plain(place: Path) -> tuple[bytes, ...]:
    (packed,) = _published(place)
    (place / "packed").write_bytes(packed)
    said = json.loads((place / "share" / share.LATEST).read_bytes())
    codec.decompress_file(place / "packed", place / "plain", said["index_bytes"])
    return ((place / "plain").read_bytes(),)


def _golden(place: Path) -> tuple[bytes, ...]:
    project = _project(place)
    project.refresh(lambda _progress: None)
    project.folders.team.mkdir(exist_ok=True)
    return _said('{"query": "wake", "files": ["a.py"], "budget": 512}\n' * 3)(place)


def _validated(place: Path, data: bytes) -> None:
    (_project(place).folders.team / GOLDEN).write_bytes(data)
    _command(place, "validate", "--level", "deep")


def _repository(place: Path) -> tuple[bytes, ...]:
    project = _project(place)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "dogs"]):
        whose = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *whose, *words], cwd=place / "root", check=True)
    project.refresh(lambda _progress: None)
    return (b"seed",)


def _command_line(place: Path, data: bytes) -> None:
    """What was spoiled chooses a command line."""
    environment = {**_environment(place), "SATCHEL_INDEX_BACKGROUND": "false"}
    command_lines.play(place, command_lines.command_line_of(Random(data)), environment)


def _command(place: Path, *words: str) -> None:
    """A whole command in this process, on the project of a target; it may refuse."""
    with redirect_stdout(TextIOWrapper(BytesIO())), redirect_stderr(TextIOWrapper(BytesIO())):
        code = command_line.run((*words, "--root", str(place / "root")), _environment(place))
    if code not in range(6):
        raise AssertionError(f"exit code {code}")


def _spoil_published(place: Path, data: bytes, n_bytes: int = 0) -> None:
    said = json.loads((place / "share" / share.LATEST).read_bytes())
    packed = place / "share" / said["name"]
    packed.write_bytes(data)
    said["packed_bytes"], said["digest"] = len(data), share._digest(packed)
    said["index_bytes"] = n_bytes or said["index_bytes"]
    (place / "share" / share.LATEST).write_text(json.dumps(said), encoding="utf-8")


def _read_manifest(place: Path, data: bytes) -> None:
    place.mkdir(exist_ok=True)
    (place / share.LATEST).write_bytes(data)
    with share.fetched(str(place), place, "x"):
        pass


def _read_config(place: Path, data: bytes) -> None:
    path = place / ".satchel" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    load((place / "none.toml", path), {})


def _read_user_config(place: Path, data: bytes) -> None:
    path = place / "config.toml"
    path.write_bytes(data)
    load((path,), {})
    upstreams.upstreams(path)


def _read_baseline(place: Path, data: bytes) -> None:
    (place / "baseline.json").write_bytes(data)
    baseline.read(place / "baseline.json", required=True)


def _read_golden(_place: Path, data: bytes) -> None:
    decoder = msgspec.json.Decoder(Golden)
    for line in data.split(b"\n"):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            decoder.decode(line)


def _read_clients(_place: Path, data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    for client in CLIENTS:
        for work in (
            client.command,
            client.without_entry,
            lambda t, c=client: c.with_entry(t, "x"),
        ):
            with suppress(SatchelError):
                work(text)


def _read_export(name: str) -> Read:
    def read(_place: Path, data: bytes) -> None:
        read_source(name, data.decode("utf-8", "replace"), Caller(actor="a", now=Timestamp(1)))

    return read


def _read_ignore(_place: Path, data: bytes) -> None:
    rules = gitignore.parse(data, ".gitignore")
    for path in (b"a.py", b"src/b/c.txt", b"x" * 300, b"a/" * 50 + b"b"):
        if rules is not None:
            rules.last_match(path, path.rpartition(b"/")[2], is_dir=False)


def _read_pack(place: Path, data: bytes) -> None:
    (place / pack_log.FOLDER).mkdir(exist_ok=True)
    (place / pack_log.FOLDER / "1.json").write_bytes(data)
    pack_log.read(place, "1")


def _read_row(_place: Path, data: bytes) -> None:
    for work in (
        codec.decode_facts,
        codec.decode_flows,
        codec.decode_postings,
        codec.decompress,
    ):
        with suppress(codec.Damaged, msgspec.MsgspecError):
            work(data)


_ITEM = (
    '{"id":"01JD0000000000000000000001","kind":"warning","summary":"mind the dog","confidence":0.5,'
    '"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z",'
    '"links":[{"rel":"about","dst":"path:a.py"}],"tags":["dog"]}\n'
)
_ADR = (
    "# 1. Use dogs\n\nStatus: accepted\nDate: 2026-01-02\n\n## Context\n\nx\n\n"
    "## Decision\n\nDogs.\n"
)
_CONFIG = (
    "[index]\nmax_file_bytes = 100000\nignore = ['*.log']\n[search]\nmode = 'full'\n"
    "[validation]\nmin_parsed = 0.5\nignore = ['V050 tests/']\n"
)
_SERVERS = (
    '{"mcpServers": {"other": {"command": "x"},'
    ' "satchel": {"command": "satchel", "args": ["serve"]}}}'
)
TARGETS = (
    Target("config", _said(_CONFIG), _read_config, 11),
    Target("user config", _said(
        _CONFIG + '[[upstream]]\nname = "git"\ncommand = "uvx"\nargs = ["a"]\n'),
        _read_user_config, 8),
    Target("baseline", _said('{"schema":1,"metrics":{"parsed":1.0},"known":[{"fingerprint":"a",'
                             '"code":"V050","path":"a.py","message":"m"}]}'), _read_baseline, 10),
    Target("golden", _said('{"query": "wake", "files": ["a.py"], "budget": 512}\n' * 3),
           _read_golden, 10),
    Target("client configs", _said(
        _SERVERS, '// mine\n{"servers": {}, "a": [1, 2,], }',
        '[mcp_servers.other]\ncommand = "npx"\n[mcp_servers.satchel]\ncommand = "s"\nargs = []\n'),
        _read_clients, 12),
    Target("exports", _said(_ITEM * 2), _read_export("k.jsonl"), 10),
    Target("foreign exports", _said(
        '{"memories":[{"id":"1","type":"fact","content":"x"}],"relations":[]}',
        '[{"id":"1","entry_type":"decision","summary":"x","detail":"y","tags":[]}]'),
        _read_export("k.json"), 6),
    Target("decisions", _said(_ADR), _read_export("docs/adr/1.md"), 5),
    Target("conventions", _said("# Rules\n\n- Never wake the dog\n  at night\n- Feed it\n"),
           _read_export("CLAUDE.md"), 5),
    Target("ignore files", _said("*.log\n!keep.log\n/out/\nsrc/**/x?.py\n[a-c]*\n\\!x\n"),
           _read_ignore, 6),
    Target("manifests", _said('{"name":"ab.zst","digest":"00","packed_bytes":10,"index_bytes":10,'
                              '"tree":"ab","head":"","files":1,"encoder":"x"}'), _read_manifest, 4),
    Target("packs", _said('{"question":{"text":"a"},"budget":512,"encoding":"x","generation":1,'
                          '"notices":[],"had_vectors":true,"digest":"00"}'), _read_pack, 3),
    Target("rows", lambda place: (codec.compress(b"def wake(): pass\n" * 9),
                                  codec.encode_flows(())or b"\x28\xb5\x2f\xfd\x00"), _read_row, 3),
    Target("index", _index, _read_index, 2),
    Target("knowledge", _knowledge, _read_knowledge, 1),
    Target("published index", _published, _read_published, 1),
    Target("golden, by validate", _golden, _validated, 1),
    Target("published index, by pull", _published, _pulled, 1),
    Target("published index unpacked, by pull", _published_plain, _unpacked_and_pulled, 1),
    Target("command lines", _repository, _command_line, 2),
)  # fmt: skip

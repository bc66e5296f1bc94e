"""The analysing process: length-prefixed msgpack jobs on stdin, results on stdout.

Started by `indexer.extract.pool` with the memory limit in bytes and its niceness as arguments, and
perhaps what to prepare for and pipes of processes to fork. A grammar that crashes takes this
process down and nothing more; the memory limit turns exhaustion into an answer.
"""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import IO, NamedTuple, NoReturn

import msgspec
from msgspec import structs

from satchel.indexer.extract import analyze, fields, parse, process_limits
from satchel.indexer.extract.process_limits import WorkerLimits
from satchel.indexer.extract.source import Source
from satchel.indexer.languages import detect
from satchel.store import codec, grams, postings
from satchel.store.model import FileFacts, Problem, ProblemKind, Value
from satchel.store.platform import isolation
from satchel.store.postings import FieldTerms
from satchel.store.records import Analyzed
from satchel.store.sqlite import vectors
from satchel.store.vectors.table_encoder import ROW_BYTES, encode_chunks

_HEADER_BYTES = 4


class Task(Value, frozen=True):
    """Some bytes to analyse, without their grammar where a worker failed on them.

    `failure` says how it did, "" for not at all. `with_vectors` asks for those of the shipped table
    too, whose terms are counted anyway.
    """

    language: str
    data: bytes
    failure: str = ""
    with_vectors: bool = False


def perform(task: Task) -> Analyzed:
    """Analyse and index one file's bytes."""
    return _encode_facts([_analyze_file(task)])[0]


class _Facts(NamedTuple):
    """A file that is analysed and not indexed yet."""

    task: Task
    facts: FileFacts
    texts: list[fields.Texts]


def _analyze_file(task: Task) -> _Facts:
    """What one file's bytes say; its grammar may crash or never return."""
    language = detect.by_name(task.language)
    source = Source.of(task.data)
    kind, why = ProblemKind.CRASH, task.failure
    facts = None
    is_parsed = bool(language.grammar and language.query) and not why
    if is_parsed and (missing := parse.failure(language.grammar, language.query)):
        kind, why = ProblemKind.GRAMMAR, f"{language.name}: {missing}"
    elif not why:
        try:
            facts = analyze.analyze_source(source, language)
        except MemoryError:
            why = "parsing it takes more memory than a worker may have"
        # A bug of ours, which must not keep a file out of the index. Standard error goes nowhere.
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            why = f"{type(error).__name__} in {Path(where.filename).name}, line {where.lineno}"
    facts = facts or analyze.analyze_as_text(source, language, Problem(kind, 1, why))
    return _Facts(task, facts, fields.chunk_texts(facts, source))


def _encode_facts(files: Sequence[_Facts]) -> list[Analyzed]:
    """Everything that files need, so that the writer only copies bytes; terms are counted in all of
    them together."""
    found = postings.count_terms([each.texts for each in files])
    entries = postings.index_terms(found)
    packed = _vectors(found) if any(each.task.with_vectors for each in files) else b""
    result: list[Analyzed] = []
    end = 0
    for (task, facts, texts), of_file in zip(files, entries, strict=True):
        start, end = end, end + len(texts) * ROW_BYTES
        result.append(
            Analyzed(
                facts.digest,
                facts.language,
                # Flows are kept apart: the linker alone reads them.
                codec.encode(structs.replace(facts, flows=())),
                codec.encode(of_file),
                codec.compress(task.data),
                codec.encode_flows(facts.flows),
                grams.signature(task.data),
                packed[start:end] if task.with_vectors else b"",
            )
        )
    return result


def _vectors(found: FieldTerms) -> bytes:
    """The packed vectors of all chunks; b"" where the table cannot be read."""
    with suppress(OSError, ValueError):  # whoever makes the vectors that are missing says so
        return vectors.pack(encode_chunks(found))
    return b""


def _read_frame(stream: IO[bytes]) -> bytes | None:
    """One length-prefixed frame, which may be empty; None at the end of the stream."""
    header = stream.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES:
        return None
    return stream.read(int.from_bytes(header, "big"))


def read_frames(pipe: IO[bytes], frames: SimpleQueue[bytes | None]) -> None:
    """Hand over what a process writes, frame by frame; None when it ended."""
    # A thread of its own waits, because Windows has no way to wait for a pipe for some time only.
    with suppress(OSError, ValueError):
        while (frame := _read_frame(pipe)) is not None:
            frames.put(frame)
    frames.put(None)


def write_frame(stream: IO[bytes], payload: bytes) -> None:
    """Write one length-prefixed frame."""
    stream.write(len(payload).to_bytes(_HEADER_BYTES, "big") + payload)
    stream.flush()


def main() -> None:
    """Serve jobs until stdin closes, which it does when the parent dies."""
    limits = WorkerLimits(memory_bytes=int(sys.argv[1]), nice=int(sys.argv[2]))
    _serve(limits, "".join(sys.argv[3:4]).split(), [int(each) for each in sys.argv[4:]])


def serve_forked(
    ends: tuple[int, int], limits: WorkerLimits, languages: Sequence[str], pipes: Sequence[int]
) -> NoReturn:
    """Be a worker in a process that was just forked, as one that was started by itself would be.

    `ends` are where it reads and where it writes; `pipes` as for `pool`.
    """
    if sys.platform == "win32":
        raise OSError("Windows cannot fork")
    status = 1
    try:
        gc.freeze()  # what the parent has made is none of ours, connections above all
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.chdir(isolation.NEUTRAL)
        sys.path[:] = isolation.import_path()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number, descriptor in enumerate((*ends, nothing)):
            os.dup2(descriptor, number)
        # Nor are its files: a lock that it gives up, and the ends of other workers' pipes.
        borders = [2, *sorted(pipes), os.sysconf("SC_OPEN_MAX")]
        for before, after in pairwise(borders):
            os.closerange(before + 1, after)
        _serve(limits, languages, pipes)
        status = 0
    finally:
        os._exit(status)  # nothing that the parent would do at its end


def _serve(limits: WorkerLimits, languages: Sequence[str], pipes: Sequence[int]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    process_limits.limit_memory(limits.memory_bytes)
    process_limits.stand_back(limits.nice)
    gc.set_threshold(50_000)  # syntax trees are many small objects without cycles
    for name in languages:
        perform(
            Task(name, b"\n", with_vectors=True)
        )  # loads and compiles what files of the language need
    _fork(pipes)
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not corrupt the stream
    decoder = msgspec.msgpack.Decoder(tuple[Task, ...])
    write_frame(results, b"%d" % os.getpid())  # ready
    jobs = os.fdopen(0, "rb", closefd=False)
    while (frame := _read_frame(jobs)) is not None:
        done: list[_Facts] = []
        for task in decoder.decode(frame):
            done.append(_analyze_file(task))
            write_frame(results, b"")  # so that a deadline is that of one file
        write_frame(results, msgspec.msgpack.encode(_encode_facts(done)))
    _wait_for_forked()


def _fork(pipes: Sequence[int]) -> None:
    """Fork a process for every two of `pipes`, which become its standard input and output.

    Nothing of any repository has been read by then. The processes share what was loaded, so that a
    further one costs some ms and the memory that it changes.
    """
    if sys.platform == "win32" or not pipes:
        return
    gc.freeze()
    for pair in zip(pipes[::2], pipes[1::2], strict=True):
        if os.fork() == 0:
            for number, descriptor in enumerate(pair):
                os.dup2(descriptor, number)
            break
    for descriptor in pipes:
        os.close(descriptor)


def _wait_for_forked() -> None:
    """Let what forked processes have used be counted as used by this one."""
    if sys.platform != "win32":
        with suppress(ChildProcessError):
            while True:
                os.wait()

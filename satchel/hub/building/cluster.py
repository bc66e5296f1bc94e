"""Building many repositories at once: Dask hands them to workers and retries those that die."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path

import dask
import distributed
import tenacity
from distributed.scheduler import NoWorkerError
from msgspec.structs import replace

from satchel.hub.building.build import BuildReport, BuildTask, build
from satchel.hub.repositories import Repository
from satchel.store.errors import SatchelError, UsageError
from satchel.store.platform import isolation

OnBuilt = Callable[[BuildReport], None]
# A scheduler that was started a moment ago takes some seconds to answer.
_SECONDS = 60
_LOOPBACK = "127.0.0.1:0"
# At load 20 a worker takes half a minute to start.
_PATIENCE_S = 300.0
_STARTS = 3
# Dask gives a task up when four workers died with it. One that is to blame costs four more each
# time; innocent ones are built when whatever kills workers leaves one alone for long enough.
_ROUNDS = 5


class NoWorkers(SatchelError):
    """The workers of this machine died while they started."""


@contextmanager
def client(
    address: str, workers: int, scratch: Path, patience_s: float = _PATIENCE_S
) -> Iterator[distributed.Client]:
    """A scheduler at `address`, or one of our own with so many workers on this machine.

    Whoever reaches a scheduler or a worker runs code as its user. Ours speak TLS under a key that
    exists as long as they do; for one at `tls://…` Dask's own settings name the certificates.

    A worker of this machine that dies is started again, also when it dies while it starts. What is
    to be built fails once there was no worker for `patience_s` seconds.

    Raises:
        UsageError: nobody answers at `address`.
        NoWorkers: workers of this machine died while they started, three times in a row.
    """
    if address:
        try:
            connected = distributed.Client(address, timeout=_SECONDS)
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            hint = "start `dask scheduler` and `dask worker`, or leave --dask out; the certificates"
            hint += " for tls://… are named by DASK_DISTRIBUTED__COMM__TLS__CA_FILE and the like"
            raise UsageError(f"no Dask scheduler answers at {address}", hint) from error
        with connected:
            yield connected
        return
    with _local(workers, scratch, patience_s) as cluster, distributed.Client(cluster) as connected:
        yield connected


@contextmanager
def _local(workers: int, scratch: Path, patience_s: float) -> Iterator[distributed.LocalCluster]:
    """A scheduler and workers on this machine, which nobody else reaches."""
    settings = {
        # After 15 s Dask would stop a worker that died and is not back yet, and start no other.
        "distributed.deploy.lost-worker-timeout": "365 days",
        "distributed.scheduler.no-workers-timeout": f"{patience_s} s",
        # No repository waits at a worker: one that does is blamed for the worker's death too.
        "distributed.scheduler.worker-saturation": 1.0,
        # Its pages speak plain HTTP and ask nobody who they are.
        "distributed.scheduler.http.routes": [],
        "distributed.worker.http.routes": [],
    }
    starts = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(RuntimeError),
        stop=tenacity.stop_after_attempt(_STARTS),
        reraise=True,
    )
    # Processes, since parsing holds the interpreter's lock. They look for modules where they start,
    # which may be somebody's checkout. Without an address Dask's scheduler would listen on port
    # 8787 of every network, dashboard or not.
    with chdir(isolation.NEUTRAL), dask.config.set(settings):
        try:
            for attempt in starts:
                with attempt:
                    cluster = distributed.LocalCluster(
                        n_workers=workers, threads_per_worker=1, processes=True,
                        dashboard_address=_LOOPBACK, security=distributed.Security.temporary(),
                        local_directory=str(scratch), silence_logs="CRITICAL",
                    )  # fmt: skip
        except RuntimeError as error:
            hint = "fewer `--workers` need less memory; the next sync tries it again"
            raise NoWorkers("every worker died while it started", hint) from error
        with cluster:
            yield cluster


def tasks(url: str, chosen: Sequence[Repository], scratch: str) -> list[BuildTask]:
    """What to build, the largest of the last time first: it would end last anyway."""
    ordered = sorted(chosen, key=lambda each: (-each.lines, each.name))
    return [BuildTask(url, each.id, each.name, each.source, scratch) for each in ordered]


def build_all(
    connected: distributed.Client,
    tasks: Sequence[BuildTask],
    environment: Mapping[str, str],
    on_built: OnBuilt,
) -> list[BuildReport]:
    """Build every repository, telling of each as it ends; reports come in the order of `tasks`.

    One whose workers died is tried again after all the others, five times in all.
    """
    numbers = {f"build-{n}-{task.name}": n for n, task in enumerate(tasks)}
    # At once, so that Dask keeps what no worker is free for, and under keys of their own, not pure:
    # it would give the result of an equal call from before.
    futures = connected.map(
        _in_worker, tasks, environment=dict(environment), key=list(numbers), pure=False
    )
    rounds: Counter[int] = Counter()
    reports: dict[int, BuildReport] = {}
    ended = distributed.as_completed(futures)
    # As they end, so that progress is told; the list that is returned has the order of `tasks`.
    for future in ended:
        n = numbers[future.key]
        rounds[n] += 1
        if isinstance(future.exception(), distributed.KilledWorker) and rounds[n] < _ROUNDS:
            key = f"build-{n}-{tasks[n].name}-{rounds[n]}"
            numbers[key] = n
            ended.add(
                connected.submit(_in_worker, tasks[n], dict(environment), key=key, pure=False)
            )
            continue
        reports[n] = _report(future, tasks[n].name)
        on_built(reports[n])
    return [reports[n] for n in range(len(tasks))]


def _report(future: distributed.Future[BuildReport], name: str) -> BuildReport:
    """How a build ended, whatever ended it."""
    error = future.exception()
    # Killed workers end here after Dask's own retries, PostgreSQL that stayed away after ours.
    if error is None:
        return future.result()
    if isinstance(error, distributed.KilledWorker):
        problem = "every worker that built it died"
    elif isinstance(error, NoWorkerError):
        problem = f"there was no worker for {error.timeout:.0f} s: each died while it started"
    else:
        problem = f"{type(error).__name__}: {error}"
    return BuildReport(name, problem=problem)


def _in_worker(task: BuildTask, environment: Mapping[str, str]) -> BuildReport:
    if not task.scratch:
        # A worker on another machine has no folder of ours, and Dask removes this one with the
        # worker.
        own = Path(distributed.get_worker().local_directory) / "satchel"
        task = replace(task, scratch=str(own))
    return build(task, environment)

"""Map a function over shards: in local processes, or on a Ray cluster; results in shard order."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeVar

from factchain.arrow import keep_pandas_out
from factchain.errors import MissingExtraError, WorkerError

Shard = TypeVar("Shard")
Result = TypeVar("Result")
Engine = Literal["local", "ray"]

RAY_ADDRESS = "RAY_ADDRESS"
RETRIES = 4
"""How often Ray runs a shard again whose worker or machine died."""


def map_shards(
    function: Callable[[Shard], Result],
    shards: Iterable[Shard],
    workers: int,
    engine: Engine = "local",
    hand_over: Callable[[Shard], Shard] | None = None,
) -> Iterator[Result]:
    """Yield `function(shard)` for each shard, in the order of the shards.

    Shards are read lazily, a few ahead of the results, so memory stays bounded. `local` means
    `workers` processes of this machine, and this process itself where that is one. `ray` means
    the cluster at RAY_ADDRESS, however many processors it has; where that is not set, `workers`
    processes of a Ray that is started here and stopped at the end. A shard whose worker or
    machine died is run again by Ray, so a function must bear to run twice: what it writes has to
    be complete or absent (`kg.shared_folder`). Functions and shards must be picklable, and
    functions importable on every machine.

    With `hand_over`, this process is one of the `workers`, which saves starting one; it runs a
    shard when the others have enough to do, and what `hand_over` makes of a shard goes to them.

    What the function raises is raised here. Raises MissingExtraError without Ray, and WorkerError
    where a worker died for good.
    """
    if engine == "ray":
        yield from _on_ray(function, shards, workers)
    elif workers <= 1:
        yield from map(function, shards)
    elif hand_over:
        with _processes(workers - 1) as pool:
            yield from _here_and_on(pool, function, shards, workers, hand_over)
    else:
        with _processes(workers) as pool:
            yield from _on(pool, function, shards, workers)


def as_it_is(shard: Shard) -> Shard:
    """A `hand_over` for shards that hold all that another process needs."""
    return shard


def _on(
    pool: ProcessPoolExecutor,
    function: Callable[[Shard], Result],
    shards: Iterable[Shard],
    workers: int,
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    for shard in shards:
        waiting.append(pool.submit(function, shard))
        if len(waiting) > 2 * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _here_and_on(
    pool: ProcessPoolExecutor,
    function: Callable[[Shard], Result],
    shards: Iterable[Shard],
    workers: int,
    hand_over: Callable[[Shard], Shard],
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    for shard in shards:
        if sum(not one.done() for one in waiting) < 2 * (workers - 1):
            waiting.append(pool.submit(function, hand_over(shard)))
        else:
            waiting.append(_done(function, shard))
        while waiting and (waiting[0].done() or len(waiting) > 8 * workers):
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _done(function: Callable[[Shard], Result], shard: Shard) -> Future[Result]:
    """The result or the error, raised in its turn as those of the other processes are."""
    future: Future[Result] = Future()
    try:
        future.set_result(function(shard))
    except Exception as error:
        future.set_exception(error)
    return future


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(workers, context, keep_pandas_out) as pool:
            yield pool
    except BrokenProcessPool as error:
        raise WorkerError(
            "a worker process died: was it killed, or short of memory? Fewer --workers need less"
        ) from error


def _on_ray(
    function: Callable[[Shard], Result], shards: Iterable[Shard], workers: int
) -> Iterator[Result]:
    ray = _import_ray()
    with _connected(ray, workers):
        task = ray.remote(max_retries=RETRIES)(_run).remote
        # The function travels once, not with every shard.
        known = ray.put(function)
        folder = Path.cwd()
        waiting: deque[Any] = deque()
        try:
            for shard in shards:
                waiting.append(task(known, shard, folder))
                # Asked each time: machines come and go.
                if len(waiting) > 2 * max(1, int(ray.cluster_resources().get("CPU", workers))):
                    yield _result(ray, waiting.popleft())
            while waiting:
                yield _result(ray, waiting.popleft())
        finally:
            for reference in waiting:
                ray.cancel(reference, force=True)


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("the engine ray", "ray") from error
    return ray


def _run(function: Callable[[Shard], Result], shard: Shard, folder: Path) -> Result:
    # Where the machines share that folder, relative paths mean the same on all of them.
    with suppress(OSError):
        os.chdir(folder)
    return function(shard)


def _result(ray: Any, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        # The function's own error, as in a local process.
        raise error.cause from error
    except ray.exceptions.RayError as error:
        first = str(error).strip().splitlines()[0]
        raise WorkerError(f"the Ray cluster lost a shard: {first}") from error


@contextmanager
def _connected(ray: Any, workers: int) -> Iterator[None]:
    """Use the Ray that the program is connected to, else that at RAY_ADDRESS, else a new one."""
    if ray.is_initialized():
        yield
        return
    address = os.environ.get(RAY_ADDRESS)
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address:
            ray.init(address=address, **quiet)
        else:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # or it would report home
            ray.init(address="local", num_cpus=workers, include_dashboard=False, **quiet)
    except (ConnectionError, OSError, ValueError, RuntimeError) as error:
        first = str(error).strip().splitlines()[0]
        raise WorkerError(
            f"Ray at {address or 'this machine'} cannot be reached: {first}: "
            f"{RAY_ADDRESS} names the cluster's head, as in 10.0.0.1:6379"
        ) from error
    try:
        yield
    finally:
        ray.shutdown()

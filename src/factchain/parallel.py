"""Map a function over shards in local processes; the results come in the order of the shards."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

Shard = TypeVar("Shard")
Result = TypeVar("Result")


def map_shards(
    function: Callable[[Shard], Result], shards: Iterable[Shard], workers: int
) -> Iterator[Result]:
    """Yield `function(shard)` for each shard, in order, with at most `workers` processes.

    Shards are read lazily, a few ahead of the results, so memory stays bounded. One worker
    means this process. Functions and shards must be picklable.
    """
    if workers <= 1:
        yield from map(function, shards)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        waiting: deque[Future[Result]] = deque()
        for shard in shards:
            waiting.append(pool.submit(function, shard))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

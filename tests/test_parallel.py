"""Shards on local processes and on Ray: the same results, in order, whatever dies."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator

import pytest

from factchain.errors import FactchainError, InputError, MissingExtraError, WorkerError
from factchain.parallel import map_shards


def double(shard: int) -> int:
    return 2 * shard


def refuse(shard: int) -> int:
    if shard == 3:
        raise InputError(f"shard {shard} is bad")
    return shard


def die(shard: int) -> int:
    if shard == 2:
        os._exit(1)
    return shard


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_shards(workers: int) -> None:
    assert list(map_shards(double, range(20), workers)) == [2 * n for n in range(20)]
    assert list(map_shards(double, [], workers)) == []


def negative(shard: int) -> int:
    return -shard


def test_this_process_works_with_the_others() -> None:
    """What is handed over is negated, so that the results tell who worked."""
    results = list(map_shards(double, range(1, 41), 2, hand_over=negative))
    assert [abs(result) for result in results] == [2 * n for n in range(1, 41)]
    assert results[0] < 0 < max(results)
    ours = map_shards(refuse, range(9), 2, hand_over=int)
    assert [next(ours) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match="shard 3 is bad"):
        next(ours)


@pytest.mark.parametrize(("workers", "ahead"), [(1, 1), (2, 5)])
def test_shards_are_read_a_few_ahead(workers: int, ahead: int) -> None:
    read = itertools.count()
    results = map_shards(double, read, workers)
    assert [next(results) for _ in range(3)] == [0, 2, 4]
    results.close()
    assert next(read) == 2 + ahead


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_a_shard_is_raised(workers: int) -> None:
    results = map_shards(refuse, range(9), workers)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(InputError, match="shard 3 is bad"):
        next(results)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_input_is_raised(workers: int) -> None:
    def shards() -> Iterator[int]:
        yield 1
        raise InputError("the archive is cut off")

    with pytest.raises(InputError, match="cut off"):
        list(map_shards(double, shards(), workers))


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(WorkerError, match="a worker process died"):
        list(map_shards(die, range(9), 2))


@pytest.mark.parametrize("error", [MissingExtraError("REBEL", "rebel"), InputError("x: y")])
def test_errors_come_home_from_a_worker(error: FactchainError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'factchain\[ray\]'"):
        list(map_shards(double, [1], 1, "ray"))


def test_ray_is_imported_only_where_it_is_asked_for() -> None:
    code = "import sys, factchain.cli, factchain.parallel; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

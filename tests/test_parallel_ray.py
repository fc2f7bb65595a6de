"""Shards on Ray: equal to local processes byte for byte, also when a machine dies half way."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from factchain import parallel
from factchain.errors import InputError, WorkerError
from factchain.kg.shared_folder import write_parquet
from factchain.parallel import RAY_ADDRESS, map_shards

ray = pytest.importorskip("ray", reason="the extra ray is not installed")
psutil = pytest.importorskip("psutil")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Tip:FutureWarning"),
]

SHARDS = 18
LARGE = 300_000
"""Bytes that Ray keeps on the machine where they were made, so that they are lost with it."""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Functions of this module travel by value; no cluster is set; no process stays behind."""
    from ray import cloudpickle

    monkeypatch.delenv(RAY_ADDRESS, raising=False)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    assert not ray.is_initialized()
    _, alive = psutil.wait_procs(
        [p for p in psutil.Process().children(recursive=True) if "ray" in " ".join(p.cmdline())],
        timeout=20,
    )
    assert alive == []


def node() -> str:
    """The machine of the cluster on which this runs."""
    return ray.get_runtime_context().get_node_id() if ray.is_initialized() else "here"


def begun_on(machine: str, marks: Path) -> list[str]:
    """The shards that were begun on this machine, first to last."""
    begun = [path.name.split("-") for path in marks.glob(f"*-{machine}-*")]
    return [shard for shard, _, _ in sorted(begun, key=lambda parts: int(parts[2]))]


def wait_until(reached: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not reached() and time.monotonic() < end:
        time.sleep(0.02)


def write_shard(shard: int, *, folder: str, marks: Path, dying: str | None) -> tuple[int, bytes]:
    """Write a Parquet shard; return a summary that is too large to be sent with the news.

    The dying machine ends its first shard and hangs in its second; the others wait for that.
    """
    (marks / f"{shard:02d}-{node()}-{time.monotonic_ns()}").touch()
    if dying == node() and len(begun_on(dying, marks)) == 2:
        time.sleep(120)
    elif dying and dying != node():
        wait_until(lambda: len(begun_on(dying, marks)) == 2)
    numbers = pa.table({"n": range(shard, shard + 100)})
    write_parquet(f"{folder}/{shard:02d}.parquet", numbers)
    return shard, bytes([shard]) * LARGE


def run(
    folder: Path, engine: Any, *, dying: str | None = None, workers: int = 1
) -> Iterator[tuple[int, bytes]]:
    marks = folder.with_name(folder.name + "-marks")
    marks.mkdir()
    function = partial(write_shard, folder=str(folder), marks=marks, dying=dying)
    return map_shards(function, range(SHARDS), workers, engine)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_machine_that_dies_half_way_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ray.cluster_utils import Cluster

    wanted = list(run(tmp_path / "local", "local"))
    small = {"num_cpus": 1, "object_store_memory": 100_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    try:
        other = cluster.add_node(**small)
        cluster.wait_for_nodes()
        monkeypatch.setenv(RAY_ADDRESS, cluster.address)
        marks = tmp_path / "ray-marks"
        results = run(tmp_path / "ray", "ray", dying=other.node_id)
        found = [next(results)]
        wait_until(lambda: len(begun_on(other.node_id, marks)) == 2)
        cluster.remove_node(other, allow_graceful=False)
        found += results
    finally:
        cluster.shutdown()
    assert found == wanted
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
    _, held = begun_on(other.node_id, marks)
    times = Counter(path.name[:2] for path in marks.iterdir())
    assert len(times) == SHARDS
    assert times[held] == 2, "what the dead machine held was done again"


def misbehave(shard: int) -> int:
    if shard == 2:
        raise InputError(f"shard {shard} is bad")
    if shard == 5:
        os._exit(1)
    return os.getpid()


def test_a_ray_that_the_program_is_connected_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several things in one start, which takes seconds."""
    monkeypatch.setattr(parallel, "RETRIES", 1)
    context = ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        assert context is not None
        wanted = list(run(tmp_path / "local", "local", workers=2))
        assert list(run(tmp_path / "ray", "ray", workers=2)) == wanted
        assert contents(tmp_path / "ray") == contents(tmp_path / "local")

        results = map_shards(misbehave, [0, 1, 2, 3], 2, "ray")
        assert os.getpid() not in [next(results), next(results)]
        with pytest.raises(InputError, match=r"^shard 2 is bad$"):
            next(results)

        with pytest.raises(WorkerError, match="the Ray cluster lost a shard"):
            list(map_shards(misbehave, [0, 5], 2, "ray"))

        read: list[int] = []

        def shards() -> Iterator[int]:
            for number in range(1000):
                read.append(number)
                yield number

        results = map_shards(abs, shards(), 2, "ray")
        assert [next(results), next(results)] == [0, 1]
        results.close()
        assert len(read) == 2 + 2 * 2
        assert ray.is_initialized(), "what was connected before stays connected"
    finally:
        ray.shutdown()


def test_ray_is_started_and_stopped_where_there_is_none() -> None:
    assert list(map_shards(abs, [-1, -2, -3], 2, "ray")) == [1, 2, 3]
    assert not ray.is_initialized()


def test_a_cluster_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RAY_ADDRESS, "no cluster")
    with pytest.raises(WorkerError, match="RAY_ADDRESS names the cluster's head"):
        list(map_shards(abs, [1], 1, "ray"))

"""Shards in folders: local ones, and an object store, for which fsspec's in memory stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.registry import known_implementations

from factchain.errors import InputError, OutputError
from factchain.kg import shared_folder as shared

TABLE = pa.table({"n": [1, 2, 3]})
"""Something to write."""


@pytest.fixture(params=["path", "file", "object store", "others"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A folder's address; the last is of a protocol where writing is not atomic."""
    match request.param:
        case "path":
            yield str(tmp_path / "shards")
        case "file":
            yield f"file://{tmp_path}/shards"
        case "object store":
            yield "memory://shards"
            fsspec.filesystem("memory").store.clear()
        case _:
            yield f"local://{tmp_path}/shards"


def names(folder: str) -> list[str]:
    """Everything in the folder, hidden files too."""
    system, place = shared.filesystem(folder)
    return sorted(path.rpartition("/")[2] for path in system.ls(place, detail=False))


def test_a_shard_is_read_back(folder: str) -> None:
    assert shared.shards_of(folder) == []
    for name in ("b.parquet", "a.parquet"):
        address = shared.join(folder, name)
        assert not shared.exists(address)
        shared.write_parquet(address, TABLE)
        assert shared.exists(address)
    assert shared.shards_of(folder) == [
        shared.join(folder, name) for name in ("a.parquet", "b.parquet")
    ]
    assert shared.shards_of(folder, "a*") == [shared.join(folder, "a.parquet")]
    with shared.open_shard(shared.join(folder, "a.parquet")) as file:
        assert pq.read_table(file).equals(TABLE)
    assert names(folder) == ["a.parquet", "b.parquet"]


def test_a_shard_that_is_written_again_is_the_same(folder: str) -> None:
    address = shared.join(folder, "a.parquet")
    contents = []
    for _ in range(2):
        shared.write_parquet(address, TABLE)
        with shared.open_shard(address) as file:
            contents.append(file.read())
    assert contents[0] == contents[1]
    assert names(folder) == ["a.parquet"]


def test_a_shard_that_failed_is_absent(folder: str) -> None:
    shared.write_parquet(shared.join(folder, "done.parquet"), TABLE)
    address = shared.join(folder, "a.parquet")

    def fail() -> None:
        with shared.open_new(address) as out:
            out.write(b"half of it")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert names(folder) == ["done.parquet"]


def test_hidden_files_are_no_shards(folder: str) -> None:
    for name in (".a.parquet", "a.txt", "a.parquet"):
        with shared.open_new(shared.join(folder, name)) as out:
            out.write(b"x")
    assert shared.shards_of(folder) == [shared.join(folder, "a.parquet")]


def test_duckdb_reads_the_shards(folder: str) -> None:
    for name in ("a.parquet", "b.parquet"):
        shared.write_parquet(shared.join(folder, name), TABLE)
    with duckdb.connect() as connection:
        for _ in range(2):
            shared.let_duckdb_read(connection, folder)
        found = connection.execute(
            "SELECT sum(n), count(*) FROM read_parquet(?)", [shared.shards_of(folder)]
        ).fetchall()
    assert found == [(12, 6)]


def test_what_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no driver for this address"):
        shared.exists("nosuch://bucket/a")
    with (
        pytest.raises(InputError, match=r"absent\.parquet: cannot be read"),
        shared.open_shard(str(tmp_path / "absent.parquet")),
    ):
        pass
    (tmp_path / "file").write_text("")
    for address in (f"{tmp_path}/file/a.parquet", f"local://{tmp_path}/file/a.parquet"):
        with pytest.raises(OutputError, match="cannot be written"):
            shared.write_parquet(address, TABLE)


def test_a_driver_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        known_implementations,
        "nodriver",
        {"class": "no_such_module.FS", "err": "Install no_such_module"},
    )
    with pytest.raises(InputError, match="Install no_such_module"):
        shared.write_parquet("nodriver://bucket/a.parquet", TABLE)

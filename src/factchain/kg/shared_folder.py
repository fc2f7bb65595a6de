"""Shards in a folder that several machines see: a path, or an fsspec address (`s3://`, `file://`).

A shard is complete or absent, also where it is written twice: a local file is written aside and
renamed, an object of a store appears when its upload is complete. Keys of a store come from the
environment, as its fsspec driver reads them.
"""

from __future__ import annotations

import fnmatch
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from uuid import uuid4

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from factchain.errors import InputError, OutputError
from factchain.files import write_atomically

if TYPE_CHECKING:
    import duckdb  # takes a quarter of a second, which workers that only parse can do without

OBJECT_STORES = frozenset({"abfs", "az", "gcs", "gs", "memory", "oci", "oss", "s3", "s3a"})
"""Protocols under which an upload is atomic, and a rename is a copy."""


def local_path(folder: str) -> Path | None:
    """The path of a local folder or file; none where it is elsewhere."""
    if folder.startswith("file://"):
        return Path(folder.removeprefix("file://"))
    return None if "://" in folder else Path(folder)


def join(folder: str, name: str) -> str:
    """The address of a file of a folder."""
    return f"{folder.rstrip('/')}/{name}"


def filesystem(address: str) -> tuple[Any, str]:
    """The fsspec file system of an address, and the path in it.

    Raises InputError where no driver for the protocol is installed.
    """
    try:
        return cast(tuple[Any, str], fsspec.core.url_to_fs(address))
    except (ImportError, ValueError) as error:
        raise InputError(f"{address}: no driver for this address: {error}") from error


def make_folder(folder: str) -> None:
    """Make a folder where there is none. Raises OutputError where it cannot be made."""
    system, place = filesystem(folder)
    try:
        system.makedirs(place, exist_ok=True)
    except OSError as error:
        message = f"{folder}: cannot be written: {error.strerror or error}"
        raise OutputError(message) from error


def read_if_there(address: str) -> bytes | None:
    """The content of a file; none where it does not exist."""
    if not exists(address):
        return None
    with open_shard(address) as file:
        return file.read()


@contextmanager
def open_new(address: str) -> Iterator[BinaryIO]:
    """Open a file that takes its place, complete, when the block succeeds.

    Raises OutputError where the place cannot be written.
    """
    path = local_path(address)
    if path is not None:
        with write_atomically(path) as out:
            yield out
        return
    system, place = filesystem(address)
    # A driver's own file would be stored when closed, also where the block failed.
    with tempfile.NamedTemporaryFile() as aside:
        yield cast(BinaryIO, aside)
        aside.flush()
        try:
            _upload(system, aside.name, place)
        except OSError as error:
            raise OutputError(f"{address}: cannot be written: {error}") from error


def _upload(system: Any, source: str, place: str) -> None:
    system.makedirs(str(PurePosixPath(place).parent), exist_ok=True)
    if not OBJECT_STORES.isdisjoint(_protocols(system)):
        system.put_file(source, place)
        return
    name = PurePosixPath(place)
    part = str(name.with_name(f".{name.name}.{uuid4().hex}.part"))
    try:
        system.put_file(source, part)
        system.mv(part, place)
    finally:
        with suppress(OSError):
            system.rm_file(part)


def write_parquet(address: str, table: pa.Table, compression: str = "zstd") -> None:
    """Write one Parquet shard; the same table gives the same bytes."""
    with open_new(address) as out:
        pq.write_table(table, out, compression=compression)


@contextmanager
def open_shard(address: str) -> Iterator[BinaryIO]:
    """Open an existing file for reading, with seek. Raises InputError where it cannot be read."""
    system, place = filesystem(address)
    try:
        file = system.open(place, "rb")
    except OSError as error:
        raise InputError(f"{address}: cannot be read: {error}") from error
    with file:
        yield cast(BinaryIO, file)


def exists(address: str) -> bool:
    """Whether there is such a file."""
    system, place = filesystem(address)
    return bool(system.exists(place))


def shards_of(folder: str, pattern: str = "*.parquet") -> list[str]:
    """The addresses of a folder's complete files whose names match, sorted by name."""
    system, place = filesystem(folder)
    try:
        found = system.ls(place, detail=False, refresh=True)
    except FileNotFoundError:
        return []
    names = sorted({PurePosixPath(path).name for path in found})
    return [
        join(folder, name)
        for name in names
        if fnmatch.fnmatch(name, pattern) and not name.startswith(".")
    ]


def remove_file(address: str) -> None:
    """Remove a file."""
    system, place = filesystem(address)
    system.rm_file(place)


def clear(folder: str, patterns: Iterable[str], beside: str) -> None:
    """Remove the files whose names match, and the folder where it then is empty; the one above it,
    too, where its name ends in `beside`."""
    for pattern in patterns:
        for address in shards_of(folder, pattern):
            remove_file(address)
    path = local_path(folder)
    if path is not None:
        with suppress(OSError):
            path.rmdir()
            if path.parent.name.endswith(beside):
                path.parent.rmdir()


def let_duckdb_read(connection: duckdb.DuckDBPyConnection, folder: str) -> None:
    """Let `read_parquet` see the shards of a folder that is not local."""
    if local_path(folder) is not None:
        return
    system, _ = filesystem(folder)
    if not any(map(connection.filesystem_is_registered, _protocols(system))):
        connection.register_filesystem(system)


def _protocols(system: Any) -> tuple[str, ...]:
    return (system.protocol,) if isinstance(system.protocol, str) else tuple(system.protocol)

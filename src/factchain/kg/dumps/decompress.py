"""Compressed dumps as streams of bytes, with the fastest library for each format.

gzip: ISA-L (`isal`); bzip2, one stream or many: `rapidgzip`, which decompresses blocks in
parallel; Zstandard: `zstandard`. What is cut off or damaged raises InputError, always.
"""

from __future__ import annotations

import bz2
import hashlib
import io
import os
import stat
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import Queue
from typing import Any, BinaryIO, Protocol, cast

import rapidgzip
import zstandard
from isal import igzip, igzip_lib

from factchain.errors import InputError

STANDARD_INPUT = Path("-")
MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}
BLOCK = 4 << 20
ZSTD_BLOCK = 4 << 10
"""Compressed bytes at once: they become at most 32,000 times as many, so memory is bounded."""
ALGORITHMS = {32: "md5", 40: "sha1", 64: "sha256"}
"""By the number of hexadecimal digits of a checksum."""
DAMAGED: tuple[type[Exception], ...] = (
    *(EOFError, zlib.error, cast(Any, igzip_lib.error)),
    *(zstandard.ZstdError, RuntimeError, ValueError),
)
"""What the libraries raise for damaged data; rapidgzip the last two."""
READ_AHEAD = 8
"""Blocks that are decompressed while those before are worked on."""


class Stream(Protocol):
    """What the blocks are read from."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; none at the end."""


class MeteredFile(io.RawIOBase):
    """A file that counts and hashes the bytes that are read from it."""

    def __init__(self, file: BinaryIO, algorithms: set[str]) -> None:
        self._file = file
        self._hashes = {name: hashlib.new(name) for name in sorted(algorithms)}
        self.position = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; return how many bytes there were."""
        count = cast(Any, self._file).readinto(buffer) or 0
        view = memoryview(buffer)[:count]
        for one in self._hashes.values():
            one.update(view)
        self.position += count
        return cast(int, count)

    def advance_to(self, position: int) -> None:
        """Read on, for the count and the checksums."""
        while self.position < position and self.read(min(BLOCK, position - self.position)):
            pass

    def digest(self, algorithm: str) -> str:
        """The checksum of all bytes, those included that no one has read yet."""
        self.advance_to(sys.maxsize)
        return self._hashes[algorithm].hexdigest()


class DumpFile:
    """An open dump: decompressed blocks, how much was read, and its checksums."""

    def __init__(self, path: Path, metered: MeteredFile, stream: Stream, name: str) -> None:
        self.path = path
        self.name = name
        """For messages."""
        self.compressed = 0
        """Compressed bytes behind the blocks that were yielded."""
        self._metered = metered
        self._stream = stream

    def blocks(self, size: int) -> Iterator[bytes]:
        """Decompressed blocks, read ahead in a thread. Raises InputError for a damaged file."""
        queue: Queue[tuple[bytes, int] | BaseException] = Queue(READ_AHEAD)
        stopped = threading.Event()
        thread = threading.Thread(target=self._read, args=(size, queue, stopped), daemon=True)
        thread.start()
        try:
            while True:
                block = queue.get()
                if isinstance(block, BaseException):
                    raise block
                self.compressed = block[1]
                if not block[0]:
                    return
                yield block[0]
        finally:
            stopped.set()
            while thread.is_alive():
                while not queue.empty():
                    queue.get_nowait()
                thread.join(0.01)

    def _read(self, size: int, queue: Queue[Any], stopped: threading.Event) -> None:
        try:
            while not stopped.is_set():
                block = self._stream.read(size)
                if isinstance(self._stream, rapidgzip.IndexedBzip2File):
                    self._metered.advance_to(self._stream.tell_compressed() // 8)
                queue.put((block, self._metered.position))
                if not block:
                    return
        except DAMAGED as error:
            queue.put(self._damaged(error))
        except OSError as error:
            # gzip.BadGzipFile and bz2 have no errno, an unreadable disk has one.
            unreadable = InputError(f"{self.name}: cannot be read: {error.strerror or error}")
            queue.put(self._damaged(error) if error.errno is None else unreadable)
        except BaseException as error:
            queue.put(error)

    def _damaged(self, error: Exception) -> InputError:
        first = (str(error).strip() or "unexpected end").splitlines()[0]
        return InputError(
            f"{self.name}: the archive is cut off or damaged ({first}): download it again and "
            "compare its checksum"
        )

    def digest(self, algorithm: str = "sha256") -> str:
        """The checksum of the file as it lies on the disk, in hexadecimal."""
        return self._metered.digest(algorithm)

    def verify(self, checksum: str) -> None:
        """Raise InputError where the file has not this checksum."""
        algorithm = algorithm_of(checksum)
        found = self.digest(algorithm)
        if found != checksum.lower():
            raise InputError(
                f"{self.name}: its {algorithm} is {found}, not {checksum.lower()}: download it "
                "again"
            )


def size_of(path: Path) -> int | None:
    """The bytes of a file, or of the one that standard input is; none for a pipe."""
    try:
        status = os.fstat(sys.stdin.fileno()) if path == STANDARD_INPUT else path.stat()
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def algorithm_of(checksum: str) -> str:
    """`md5`, `sha1` or `sha256`. Raises InputError for what is no such checksum."""
    if len(checksum) in ALGORITHMS and set(checksum.lower()) <= set("0123456789abcdef"):
        return ALGORITHMS[len(checksum)]
    raise InputError(f"{checksum!r} is no MD5, SHA-1 or SHA-256 in hexadecimal")


@contextmanager
def open_dump(path: Path, *, workers: int = 1, checksum: str | None = None) -> Iterator[DumpFile]:
    """Open a dump; `-` is standard input. The format is told by the name, else by the first bytes.

    `workers` is how many threads decompress bzip2. `checksum` is one to `verify` later. Raises
    InputError where the file cannot be opened.
    """
    name = "standard input" if path == STANDARD_INPUT else str(path)
    algorithms = {"sha256"} | ({algorithm_of(checksum)} if checksum else set())
    with ExitStack() as stack:
        try:
            file = (
                sys.stdin.buffer
                if path == STANDARD_INPUT
                else stack.enter_context(path.open("rb", buffering=0))
            )
            metered = MeteredFile(cast(BinaryIO, file), algorithms)
            buffered = cast(BinaryIO, io.BufferedReader(metered, BLOCK))
            ending = path.suffix if path.suffix in MAGIC.values() else _ending(buffered)
        except OSError as error:
            raise InputError(f"{name}: cannot be read: {error.strerror or error}") from error
        stream: Any = buffered
        if ending == ".gz":
            stream = cast(Any, igzip.IGzipFile)(fileobj=buffered, mode="rb")
        elif ending == ".zst":
            stream = io.BufferedReader(ZstandardReader(buffered), BLOCK)
        elif ending == ".bz2":
            stream = stack.enter_context(_bzip2(path, buffered, workers))
        yield DumpFile(path, metered, stream, name)


def _ending(file: BinaryIO) -> str:
    start = _peek(file)
    return next((ending for magic, ending in MAGIC.items() if start.startswith(magic)), "")


def _peek(file: BinaryIO) -> bytes:
    return cast(bytes, cast(Any, file).peek(4)[:4])


@contextmanager
def _bzip2(path: Path, buffered: BinaryIO, workers: int) -> Iterator[Any]:
    """In parallel from a file; standard input has no positions that threads could jump to."""
    if path == STANDARD_INPUT:
        with bz2.BZ2File(buffered) as stream:
            yield stream
    elif not _peek(buffered).startswith(b"BZh"):
        raise InputError(
            f"{path}: the archive is cut off or damaged (it does not begin as bzip2 does): "
            "download it again and compare its checksum"
        )
    else:
        with rapidgzip.IndexedBzip2File(str(path), parallelization=workers) as stream:
            yield stream


class ZstandardReader(io.RawIOBase):
    """Frames of Zstandard, one after the other; a frame that is cut off raises EOFError.

    `zstandard`'s own reader takes the end of the file for the end of the frame.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame: Any = None
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; return how many bytes there were."""
        while not self._rest:
            data = self._file.read(ZSTD_BLOCK)
            if not data:
                if self._frame is not None:
                    raise EOFError("a frame ends before its end marker")
                return 0
            self._rest = memoryview(b"".join(self._decompress(data)))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def _decompress(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            yield self._frame.decompress(data)
            data = b""
            if self._frame.eof:
                data, self._frame = self._frame.unused_data, None

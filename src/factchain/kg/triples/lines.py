"""A text file of one record a line, compressed or not -> numbered blocks of whole lines."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from factchain.kg.dumps.decompress import DumpFile, open_dump

BLOCK = 8 << 20
LONGEST_LINE = 16 << 20
"""Bytes of a line; no statement of a graph comes near."""
SHOWN = 200
"""Bytes of a malformed line that are kept."""
READ = 1 << 20
"""Bytes that are decompressed at once."""
PEEK = 64 << 10
"""Bytes that a stream can be asked for without being read."""


class Block(NamedTuple):
    """Whole lines of a file, or the beginning of one that is too long."""

    first: int
    """Number of its first line, from 1."""
    data: bytes
    too_long: bool = False


class _Joined(io.RawIOBase):
    """Blocks of bytes as one file."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; return how many bytes there were."""
        if not self._rest:
            self._rest = memoryview(next(self._parts, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


@contextmanager
def open_stream(
    path: Path, workers: int = 1, on_read: Callable[[int], None] | None = None
) -> Iterator[io.BufferedReader]:
    """A file's content, decompressed; `on_read` is told of the bytes of the file that were read.

    Raises InputError where it is unreadable or damaged.
    """
    with (
        open_dump(path, workers=workers) as file,
        # Closed, its thread that reads ahead ends.
        closing(cast(Generator[bytes, None, None], file.blocks(READ))) as parts,
    ):
        yield io.BufferedReader(_Joined(_told(file, parts, on_read) if on_read else parts), PEEK)


def _told(
    file: DumpFile, parts: Iterator[bytes], on_read: Callable[[int], None]
) -> Iterator[bytes]:
    before = 0
    for part in parts:
        on_read(file.compressed - before)
        before = file.compressed
        yield part


def blocks(
    stream: BinaryIO, first: int = 1, size: int = 0, longest: int = LONGEST_LINE
) -> Iterator[Block]:
    """Cut a stream, whose next line has the number `first`, into blocks of `size` or `BLOCK` bytes.

    A line of more than `longest` bytes comes alone and shortened, and is never held whole.
    """
    number, rest, skipping = first, b"", False
    while chunk := stream.read(size or BLOCK):
        if skipping:
            _, newline, chunk = chunk.partition(b"\n")
            if not newline:
                continue
            skipping, number = False, number + 1
        whole, newline, tail = (rest + chunk).rpartition(b"\n")
        if newline:
            yield from _split(Block(number, whole), longest)
            number += whole.count(b"\n") + 1
        rest = tail
        if len(rest) > longest:
            yield Block(number, rest[:SHOWN], too_long=True)
            rest, skipping = b"", True
    if rest:
        yield Block(number, rest)


def _split(block: Block, longest: int) -> Iterator[Block]:
    """The block, or where it holds lines that are too long, these apart from the others."""
    if len(block.data) <= longest:
        yield block
        return
    begun, kept = block.first, list[bytes]()
    for number, line in enumerate(block.data.split(b"\n"), start=block.first):
        if len(line) > longest:
            if kept:
                yield Block(begun, b"\n".join(kept))
            yield Block(number, line[:SHOWN], too_long=True)
            begun, kept = number + 1, []
        else:
            kept.append(line)
    if kept:
        yield Block(begun, b"\n".join(kept))

"""Dumps, cut at newlines into chunks of some megabytes that workers parse.

A dump is one JSON array with one entity a line. Several files are parts of one dump: each may be
an array by itself, or a stretch of the lines of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from factchain.errors import InputError
from factchain.kg.dumps.decompress import BLOCK, STANDARD_INPUT, DumpFile, open_dump
from factchain.kg.records import Reject

CHUNK_BYTES = 24 << 20
"""With a block more it is below 32 MiB, from which on malloc asks the system for fresh pages."""
LONGEST_LINE = 256 << 20
"""In bytes; the largest entity of Wikidata has some 5 MB."""
SUFFIXES = (".json", ".json.gz", ".json.bz2", ".json.zst")
SHOWN = 200
"""How many bytes of a malformed line are kept."""
NEWLINE = b"\n"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines of a dump."""

    index: int
    """Position among the chunks, from 0."""
    file: int
    """Position of their file among the dump's files."""
    line: int
    """Number of the first line in its file, from 1."""
    data: bytes
    """The lines."""
    after: Reject | None = None
    """The line after them, where it is too long to be held."""


@dataclass
class ChunkReader:
    """Reads the files of a dump, one after the other, once."""

    paths: Sequence[Path]
    checksums: Sequence[str] = ()
    """One for each file, or none at all; verified when the file has been read."""
    workers: int = 1
    chunk_bytes: int = CHUNK_BYTES
    longest_line: int = LONGEST_LINE
    on_read: Callable[[int], None] = lambda _: None
    """Is told how many compressed bytes were read since it was told last."""
    sha256: list[str] = field(default_factory=list)
    """Of the files that were read to their ends."""
    _index: int = 0
    _open: str = ""
    """Where the array was left open: file and line."""

    def __iter__(self) -> Iterator[Chunk]:
        """Yield the chunks. Raises InputError for what is no dump, cut off or damaged."""
        if self.checksums and len(self.checksums) != len(self.paths):
            raise InputError(
                f"{len(self.checksums)} checksums for {len(self.paths)} files: give one for each, "
                "in the order of the files"
            )
        for number, path in enumerate(self.paths):
            checksum = self.checksums[number] if self.checksums else None
            with open_dump(path, workers=self.workers, checksum=checksum) as dump:
                yield from self._chunks(dump, number)
                self.sha256.append(dump.digest())
                if checksum:
                    dump.verify(checksum)
        if self._open:
            raise self._cut_off()
        if not self._index:
            raise InputError(f"{', '.join(map(str, self.paths))}: the dump is empty")

    def _chunks(self, dump: DumpFile, number: int) -> Iterator[Chunk]:
        line, waiting = 1, None
        for data, too_long in self._stretches(self._blocks(dump)):
            blank, lines = not data or data.isspace(), count_lines(data)
            if not (blank and not too_long):
                reject = self._reject(line + lines, too_long) if too_long else None
                if waiting is None and not blank:
                    data = self._without_opening(data, dump.name, line)
                else:
                    yield from self._counted(waiting)
                waiting = Chunk(0, number, line, data, reject)
            line += lines
        if self._open and waiting is not None and waiting.after is None:
            # Only at the end of the file: elsewhere a `]` is a malformed line.
            waiting = replace(waiting, data=self._without_closing(waiting.data))
        yield from self._counted(waiting)
        if self._open:
            self._open = f"{dump.name}: the dump is cut off after line {line - 1}"

    def _counted(self, chunk: Chunk | None) -> Iterator[Chunk]:
        """The chunk with its position, where it holds anything."""
        if chunk is not None and (chunk.after or (chunk.data and not chunk.data.isspace())):
            yield replace(chunk, index=self._index)
            self._index += 1

    def _blocks(self, dump: DumpFile) -> Iterator[bytes]:
        told = 0
        for block in dump.blocks(min(BLOCK, self.chunk_bytes)):
            yield block
            self.on_read(dump.compressed - told)
            told = dump.compressed
        self.on_read(dump.compressed - told)

    def _stretches(self, blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Yield whole lines, and the start of the line after them where that is too long."""
        parts: list[bytes] = []
        size = unbroken = 0
        skipping = False
        for block in blocks:
            if skipping:
                end = block.find(NEWLINE)
                block, skipping = (b"", True) if end < 0 else (block[end:], False)
            cut = block.rfind(NEWLINE) + 1
            parts.append(block)
            size += len(block)
            unbroken = len(block) - cut if cut else unbroken + len(block)
            if cut and size >= self.chunk_bytes:
                yield b"".join([*parts[:-1], block[:cut]]), b""
                parts, size = [block[cut:]], unbroken
            elif unbroken > self.longest_line:
                data = b"".join(parts)
                cut = data.rfind(NEWLINE) + 1
                yield data[:cut], data[cut : cut + SHOWN]
                parts, size, unbroken, skipping = [], 0, 0, True
        yield b"".join(parts), b""

    def _reject(self, line: int, start: bytes) -> Reject:
        reason = f"the line is longer than {self.longest_line:,} bytes"
        return Reject(line, reason, start.decode(errors="replace"))

    def _without_opening(self, data: bytes, name: str, line: int) -> bytes:
        """The first lines of a file without the `[`, which is blanked, so that lines count on."""
        start = len(data) - len(data.lstrip())
        first = data[start : start + SHOWN].split(NEWLINE)[0].strip()
        if first == b"[":
            if self._open:
                raise self._cut_off()
            self._open = name
            return data[:start] + b" " + data[start + 1 :]
        if first.startswith(b"{") or (first == b"]" and self._open):
            return data
        raise InputError(
            f"{name}:{line + count_lines(data[:start])}: this is not a Wikidata JSON dump: one "
            "entity a line was expected, as in `latest-all.json.gz`"
        )

    def _without_closing(self, data: bytes) -> bytes:
        """The lines without the `]` at their end."""
        end = data[-SHOWN:].rstrip()
        if end == b"]" or end.endswith(b"\n]"):
            self._open = ""
            return data[: data.rindex(b"]")]
        return data

    def _cut_off(self) -> InputError:
        return InputError(
            f"{self._open} (no closing `]`): download it again and compare its checksum"
        )


def count_lines(data: bytes) -> int:
    """How many lines end in the data: as `bytes.count`, which goes byte by byte, tells slowly."""
    lines, end = 0, data.find(NEWLINE)
    while end >= 0:
        lines, end = lines + 1, data.find(NEWLINE, end + 1)
    return lines


def dump_files(sources: Iterable[Path]) -> list[Path]:
    """The files of a dump: those given, and those of the folders given, sorted by name.

    Raises InputError where there is none, or one that is missing.
    """
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            found = sorted(p for p in source.iterdir() if p.name.endswith(SUFFIXES))
            if not found:
                raise InputError(f"{source}: holds no dump ({', '.join(SUFFIXES)})")
            files += found
        elif source != STANDARD_INPUT and not source.is_file():
            raise InputError(f"{source}: no such file")
        else:
            files.append(source)
    if STANDARD_INPUT in files and len(files) > 1:
        raise InputError("standard input (`-`) is a dump by itself: give no other files with it")
    return files

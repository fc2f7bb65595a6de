"""What is said of an entity -> passages of bounded length, cut between facts.

Passages have stable ids: `Q42`, `Q42@2021-06-21` for a dated version, `Q42#2` for the second
chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import orjson
import pyarrow as pa

from factchain.errors import InputError
from factchain.retrieval_corpus.tokenizers import Counts, TextColumn, Tokenizer

MARKED = ("evidence", "node")


class Chunk(NamedTuple):
    """One passage."""

    id: str
    title: str
    text: str
    entity: int
    """Number of the entity that it is about."""
    snapshot: str | None
    """Name of the snapshot that says so, where another contradicts."""
    facts: bytes
    """The triples as a JSON array."""
    size: int
    """How many facts it states."""
    evidence: tuple[int, ...] = ()
    """Those that questions need, by their numbers."""
    nodes: tuple[int, ...] = ()
    """Entities of questions that it names besides its own."""


class Chunker:
    """Cuts sorted lines into passages: as few as hold them in their order.

    Title and text of a passage have at most `max_tokens` tokens together.
    """

    def __init__(
        self, tokenizer: Tokenizer, max_tokens: int, snapshots: tuple[str | None, ...]
    ) -> None:
        """`snapshots` are the names of the versions."""
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens
        self._snapshots = snapshots
        self._openings = ["" if name is None else f"As of {name}:\n" for name in snapshots]
        self._room = [
            max_tokens - (tokenizer.count_text(opening) if opening else 0)
            for opening in self._openings
        ]
        self._last = (-1, -1, 0)

    def chunks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Chunk]:
        """Yield the passages of the lines. Raises InputError for a fact longer than a chunk."""
        held: pa.RecordBatch | None = None
        for batch in batches:
            joined = batch if held is None else pa.concat_batches([held, batch])
            if len(joined):
                cut = _Cut(joined, self)
                # What the last passage holds may go on in the next batch.
                yield from cut.passages(len(cut.starts) - 1)
                held = joined.slice(int(cut.starts[-1]))
        if held is not None and len(held):
            cut = _Cut(held, self)
            yield from cut.passages(len(cut.starts))

    def number(self, entity: int, version: int) -> int:
        """The number of the next passage of an entity's version."""
        same = self._last[:2] == (entity, version)
        self._last = (entity, version, self._last[2] + 1 if same else 1)
        return self._last[2]

    def opening(self, version: int) -> tuple[str | None, str]:
        """The snapshot of a version, and how its passages open."""
        return self._snapshots[version], self._openings[version]

    def count(self, lines: TextColumn) -> Counts:
        """The tokens of every line."""
        return self._tokenizer.count(lines)

    def room(self, title: str, version: int) -> int:
        """How many tokens the facts of a passage may have."""
        return self._room[version] - self._tokenizer.count_text(title)


class _Cut:
    """Sorted lines, at least one, and where their passages start."""

    def __init__(self, rows: pa.RecordBatch, chunker: Chunker) -> None:
        self._chunker = chunker
        self._lines = TextColumn(rows.column("line"))
        self._triples = TextColumn(rows.column("triple"))
        self._about = rows.column("about").to_numpy()
        self._version = rows.column("version").to_numpy()
        self._marks = [_marked(rows.column(name)) for name in MARKED]
        self._titles: list[str] = []
        self.starts = self._starts(rows)

    def passages(self, count: int) -> Iterator[Chunk]:
        """Yield the first `count` passages."""
        evidence, nodes = (_by_chunk(self.starts, *marked) for marked in self._marks)
        bounds = np.append(self.starts, len(self._about))
        rows = bounds.tolist()
        text_at = self._lines.offsets[bounds].tolist()
        facts_at = self._triples.offsets[bounds].tolist()
        about, version = (column[self.starts].tolist() for column in (self._about, self._version))
        lines, triples = self._lines.bytes, self._triples.bytes
        for at in range(count):
            entity = about[at]
            snapshot, opening = self._chunker.opening(version[at])
            number = self._chunker.number(entity, version[at])
            name = f"Q{entity}" if snapshot is None else f"Q{entity}@{snapshot}"
            yield Chunk(
                name if number == 1 else f"{name}#{number}",
                self._titles[at],
                opening + lines[text_at[at] : text_at[at + 1] - 1].decode(),
                entity,
                snapshot,
                b"[%b]" % triples[facts_at[at] : facts_at[at + 1] - 1],
                rows[at + 1] - rows[at],
                evidence.get(at, ()),
                nodes.get(at, ()),
            )

    def _starts(self, rows: pa.RecordBatch) -> Counts:
        about, version = self._about, self._version
        new = np.flatnonzero((about[1:] != about[:-1]) | (version[1:] != version[:-1])) + 1
        groups = np.append(0, new)
        tokens = self._chunker.count(self._lines)
        totals = np.add.reduceat(tokens, groups).tolist()
        ends = np.append(new, len(about)).tolist()
        sums = np.cumsum(tokens)
        starts: list[int] = []
        titles = self._titles_at(rows, groups)
        versions = version[groups].tolist()
        for at, start in enumerate(groups.tolist()):
            starts.append(start)
            title = titles[at]
            room = self._chunker.room(title, versions[at])
            if totals[at] > room:
                starts += self._cuts(start, ends[at], room, sums, tokens)
            self._titles += [title] * (len(starts) - len(self._titles))
        return np.asarray(starts, np.int64)

    def _titles_at(self, rows: pa.RecordBatch, places: Counts) -> list[str]:
        """The label of the entity that a line is about: told, or the beginning of the line."""
        begins = self._lines.offsets[places].tolist()
        lengths = rows.column("opening").to_numpy()[places].tolist()
        titles = [
            self._lines.bytes[begin : begin + length].decode()
            for begin, length in zip(begins, lengths, strict=True)
        ]
        told = rows.column("title")
        if told.null_count < len(told):
            given = told.take(pa.array(places)).to_pylist()
            titles = [b if a is None else a for a, b in zip(given, titles, strict=True)]
        return titles

    def _cuts(self, start: int, end: int, room: int, sums: Counts, tokens: Counts) -> Iterator[int]:
        """Where a version that is too long for one passage is cut."""
        while True:
            before = sums[start] - tokens[start]
            cut = int(np.searchsorted(sums[start:end], before + room, side="right")) + start
            if cut == start:
                self._refuse(start, int(tokens[start]), room)
            if cut == end:
                return
            yield cut
            start = cut

    def _refuse(self, row: int, size: int, room: int) -> None:
        begin, end = self._triples.offsets[row : row + 2]
        s, p, _ = orjson.loads(self._triples.bytes[begin : end - 1])
        begin, end = self._lines.offsets[row : row + 2]
        line = self._lines.bytes[begin : end - 1].decode()
        raise InputError(
            f"{s} {p}: the fact has {size} tokens where a chunk has room for {room}: "
            f"allow longer chunks or leave the fact out ({line[:80]!r})"
        )


def _marked(column: pa.Array) -> tuple[Counts, list[int]]:
    """The rows that have a mark, and their marks."""
    rows = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    return rows, column.take(pa.array(rows)).to_pylist()


def _by_chunk(starts: Counts, rows: Counts, marks: Sequence[int]) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    chunks = np.searchsorted(starts, rows, side="right") - 1
    for chunk, mark in zip(chunks.tolist(), marks, strict=True):
        found[chunk] = (*found.get(chunk, ()), mark)
    return found

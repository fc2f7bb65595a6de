"""The facts between entities as compressed sparse rows: what the sampler and the checks read.

Entities bear dense numbers in the order of how many facts they have, so that of two entities the
one with the smaller number has the shorter list. Edges, the facts of the newest snapshot, are
sorted by (subject, property, object): the objects of a subject and property are a stretch of
`objects`. The same edges sorted by (object, property, subject) give the subjects. Which entities
any fact of any snapshot joins is kept apart, one list of neighbours for each entity, at the end
with the smaller number: constraints are tested on the whole graph.

About 21 bytes an edge and 21 an entity. The arrays can lie in a folder, from where every process
maps them into its memory; labels and literals stay in the store until they are asked for.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factchain.chains import queries
from factchain.chains.drafts import DraftFact
from factchain.chains.graph.edge_lists import Entities, Positions
from factchain.chains.records import Axis, HopLabel
from factchain.errors import OutputError, StoreError
from factchain.files import write_text
from factchain.kg.store import Store

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]

LABELS: dict[Axis, tuple[HopLabel, ...]] = {
    "popularity": ("unpopular", "popular"),
    "recency": ("old", "new"),
    "none": (),
}
"""The labels of each axis; a code is a position in them, -1 an edge without label."""

AXIS_SHIFT: dict[Axis, int] = {"popularity": 0, "recency": 2}
"""Which two bits of an edge's flags hold its label code plus 1."""
SINGLE = 16
"""Flag of an edge that is the only one of its subject and property."""
SOLE = 32
"""Flag of an edge that is the only one of its property and object."""

LAYOUT = 1
"""Version of the folder's layout."""
META = "index.json"


@dataclass(frozen=True)
class Arrays:
    """The arrays of an index, by the name of their file."""

    ids: Entities
    """Q-number of each entity, by dense number."""
    by_id: Entities
    """The dense numbers in the order of their Q-numbers."""
    named: npt.NDArray[np.bool_]
    """Which entities have a label."""
    property_ids: Entities
    """P-number of each property code, ascending."""
    out_start: Positions
    """Where the edges of each subject begin; one entry more than entities."""
    properties: npt.NDArray[np.uint16]
    """Property code of each edge."""
    objects: Entities
    """Dense number of each edge's object."""
    facts: Positions
    """Id of each edge's fact in the store."""
    flags: npt.NDArray[np.uint8]
    """Label codes of each edge and whether it stands alone: see `AXIS_SHIFT`, SINGLE, SOLE."""
    in_start: Positions
    """Where the edges of each object begin in the reverse order."""
    in_properties: npt.NDArray[np.uint16]
    """Property codes in the reverse order: by object, property, subject."""
    in_subjects: Entities
    """Dense numbers of the subjects in the reverse order."""
    joined_start: Positions
    """Where the neighbours of each entity begin, of those with greater numbers."""
    joined: Positions
    """Neighbour << 2, plus 1 where a fact leads to it, plus 2 where one leads from it."""

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))


class GraphIndex:
    """The arrays, questions to them by Q- and P-number, and what the store says of them."""

    def __init__(self, arrays: Arrays, store: Store | None = None) -> None:
        self.arrays = arrays
        self._store = store

    @classmethod
    def from_store(cls, store: Store, folder: Path | None = None) -> GraphIndex:
        """The index of a store: mapped from the folder where one of the same content lies there,
        or built, and put there. Raises StoreError where no fact joins two entities."""
        from factchain.chains.graph.index_build import build_arrays, read_facts

        state = checksum(store)
        if folder is not None and (arrays := _mapped(folder, state)) is not None:
            return cls(arrays, store)
        arrays = build_arrays(read_facts(store))
        if folder is None:
            return cls(arrays, store)
        save(arrays, folder, state)
        return cls.open(folder, store)

    @classmethod
    def open(cls, folder: Path, store: Store | None = None) -> GraphIndex:
        """Map the index in a folder into memory. Raises StoreError where there is none."""
        arrays = _mapped(folder, None)
        if arrays is None:
            raise StoreError(f"{folder}: holds no graph index of this version: sample again")
        return cls(arrays, store)

    def __len__(self) -> int:
        """The number of edges."""
        return len(self.arrays.objects)

    @property
    def entities(self) -> int:
        """The number of entities, of facts of any snapshot."""
        return len(self.arrays.ids)

    def entity(self, number: int) -> int:
        """The dense number of an entity by Q-number; -1 where no fact has it."""
        arrays = self.arrays
        at = int(np.searchsorted(arrays.ids, number, sorter=arrays.by_id))
        if at < len(arrays.by_id) and arrays.ids[arrays.by_id[at]] == number:
            return int(arrays.by_id[at])
        return -1

    def property_code(self, number: int) -> int:
        """The code of a property by P-number; -1 where no fact has it."""
        at = int(np.searchsorted(self.arrays.property_ids, number))
        found = at < len(self.arrays.property_ids) and self.arrays.property_ids[at] == number
        return at if found else -1

    def stretch(self, s: int, p: int) -> tuple[int, int]:
        """Where the edges of one subject and property begin and end."""
        arrays = self.arrays
        return _stretch(arrays.out_start, arrays.properties, self.entity(s), self.property_code(p))

    def objects(self, s: int, p: int) -> list[int]:
        """Q-numbers of all o of facts (s, p, o) of the newest snapshot, ascending."""
        begin, end = self.stretch(s, p)
        return sorted(self.arrays.ids[self.arrays.objects[begin:end]].tolist())

    def subjects(self, p: int, o: int) -> list[int]:
        """Q-numbers of all s of facts (s, p, o) of the newest snapshot, ascending."""
        arrays = self.arrays
        begin, end = _stretch(
            arrays.in_start, arrays.in_properties, self.entity(o), self.property_code(p)
        )
        return sorted(arrays.ids[arrays.in_subjects[begin:end]].tolist())

    def are_joined(self, a: int, b: int) -> bool:
        """Whether a fact of any property, direction and snapshot joins two entities."""
        return self._directions(a, b) != 0

    def leads(self, a: int, b: int) -> bool:
        """Whether a fact of any property and snapshot leads from a to b."""
        forward = 1 if self.entity(a) <= self.entity(b) else 2
        return bool(self._directions(a, b) & forward)

    def _directions(self, a: int, b: int) -> int:
        low, high = sorted((self.entity(a), self.entity(b)))
        if low < 0:
            return 0
        begin, end = self.arrays.joined_start[low : low + 2].tolist()
        neighbours = self.arrays.joined[begin:end]
        at = int(np.searchsorted(neighbours, np.uint32(high << 2)))
        found = at < len(neighbours) and int(neighbours[at]) >> 2 == high
        return int(neighbours[at]) & 3 if found else 0

    def codes(self, axis: Axis) -> Codes:
        """The label code of every edge on an axis; all 0 on the axis `none`."""
        if axis == "none":
            return np.zeros(len(self), np.int8)
        two_bits = (self.arrays.flags >> np.uint8(AXIS_SHIFT[axis])) & np.uint8(3)
        return two_bits.astype(np.int8) - np.int8(1)

    def edges_of_label(self, axis: Axis, code: int) -> Ints:
        """Positions of the edges that bear a label."""
        return np.flatnonzero(self.codes(axis) == code)

    def edges_of_property(self, p: int) -> Ints:
        """Positions of the edges of a property."""
        code = self.property_code(p)
        return np.flatnonzero(self.arrays.properties == code) if code >= 0 else np.empty(0, int)

    def single_valued(self) -> npt.NDArray[np.bool_]:
        """Which edges are the only one of their subject and property."""
        single: npt.NDArray[np.bool_] = (self.arrays.flags & SINGLE) != 0
        return single

    def subjects_of(self, edges: npt.NDArray[np.integer]) -> Entities:
        """The dense numbers of the subjects of edges."""
        found = np.searchsorted(self.arrays.out_start, edges.astype(np.uint32), side="right") - 1
        return found.astype(np.int32)

    def draft_facts(self, edges: Sequence[int] | npt.NDArray[np.integer]) -> list[DraftFact]:
        """The facts of edges, by their numbers in the store."""
        arrays, at = self.arrays, np.asarray(edges, dtype=np.int64)
        columns = (
            arrays.facts[at],
            arrays.ids[self.subjects_of(at)],
            arrays.property_ids[arrays.properties[at]],
            arrays.ids[arrays.objects[at]],
        )
        return [DraftFact(*row) for row in zip(*(c.tolist() for c in columns), strict=True)]

    @property
    def store(self) -> Store:
        """The open store. Raises StoreError where the index was opened without one."""
        if self._store is None:
            raise StoreError("the graph index was opened without its store")
        return self._store

    def entity_labels(self, numbers: Iterable[int]) -> dict[int, str]:
        """Labels by Q-number, of those entities that have one."""
        return dict(self.store.rows(queries.ENTITY_LABELS, sorted(set(numbers))))

    @cached_property
    def property_labels(self) -> dict[int, str]:
        """The labels of all properties by P-number; the P-id where there is none."""
        return dict(self.store.rows(queries.PROPERTY_LABELS))

    def fact_notes(self, facts: Iterable[int]) -> dict[int, tuple[int | None, str | None]]:
        """By fact id: passages that state it (None where none was counted), and recency."""
        rows = self.store.rows(queries.FACT_NOTES, sorted(set(facts)))
        return {fact: (popularity, recency) for fact, popularity, recency in rows}

    def ended(self, facts: Iterable[int]) -> frozenset[int]:
        """Which of these facts had ended by the date of the newest snapshot."""
        rows = self.store.rows(queries.ENDED_FACTS, sorted(set(facts)))
        return frozenset(fact for (fact,) in rows)

    @cached_property
    def literals(self) -> pa.Table:
        """The newest snapshot's facts with a date or a quantity: fact, s, p, value, datatype,
        unit, precision, calendar, lower, upper, and the label codes `popularity`, `recency`."""
        return self.store.connection.sql(queries.LITERAL_FACTS).to_arrow_table()


def _stretch(
    start: Positions, properties: npt.NDArray[np.uint16], entity: int, code: int
) -> tuple[int, int]:
    if entity < 0 or code < 0:
        return 0, 0
    begin, end = start[entity : entity + 2].tolist()
    of_entity = properties[begin:end]
    first = int(np.searchsorted(of_entity, np.uint16(code), "left"))
    last = int(np.searchsorted(of_entity, np.uint16(code), "right"))
    return begin + first, begin + last


def checksum(store: Store) -> str:
    """A checksum of what the index is built from: snapshots, facts, popularity, labels."""
    return hashlib.sha256(repr(store.rows(queries.INDEXED_STATE)).encode()).hexdigest()


def save(arrays: Arrays, folder: Path, state: str) -> None:
    """Write the arrays into a folder, complete or not at all. Raises OutputError where not."""
    aside = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    try:
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        for field in fields(arrays):
            np.save(aside / f"{field.name}.npy", getattr(arrays, field.name), allow_pickle=False)
        write_text(aside / META, json.dumps({"layout": LAYOUT, "checksum": state}) + "\n")
        shutil.rmtree(folder, ignore_errors=True)
        aside.replace(folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _mapped(folder: Path, state: str | None) -> Arrays | None:
    """The arrays of a folder, if they are complete, of this layout and of this state."""
    try:
        meta = json.loads((folder / META).read_text(encoding="utf-8"))
        if meta["layout"] != LAYOUT or (state is not None and meta["checksum"] != state):
            return None
        # Copy-on-write: numba compiles once, for arrays that could be written; none is.
        return Arrays(
            **{
                field.name: np.load(folder / f"{field.name}.npy", mmap_mode="c", allow_pickle=False)
                for field in fields(Arrays)
            }
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None

"""The names of a graph's entities, and what tells apart those who share a name.

Made once from the store and saved as Parquet, so that worker processes need no store. Memory
grows with the number of names (about 1 KB each, automaton included), not with the text.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from factchain.kg.extraction import queries
from factchain.kg.shared_folder import join, open_new, open_shard
from factchain.kg.store import Store

SHORTEST_NAME = 3
"""Names of fewer characters are not looked for."""
ID_BITS = 32
UNKNOWN = -1
"""Stands for no entity."""

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Lexicon:
    """Names and their bearers, neighbours and degrees in the graph, and titles of pages."""

    bearers: pa.Table
    """name, bearers: sorted by name."""
    degrees: pa.Table
    """entity, degree: the number of facts between entities that it takes part in; of those who
    share a name."""
    neighbours: pa.Table
    """pair: any entity and one that shares a name, packed into one number, that a fact joins."""
    pages: pa.Table
    """title, entity: of Wikipedia pages."""

    @classmethod
    def of(cls, store: Store) -> Lexicon:
        """Read the lexicon of a store's newest snapshot."""

        def table(sql: str, bound: dict[str, int] | None = None) -> pa.Table:
            return store.connection.sql(sql, params=bound).to_arrow_table()

        bearers = table(queries.BEARERS, {"shortest": SHORTEST_NAME})
        with store.incoming(bearers=bearers):
            store.connection.execute(queries.EDGES_OF_SHARED)
        degrees, neighbours = table(queries.DEGREES), table(queries.NEIGHBOURS)
        store.connection.execute(queries.DROP_SHARED)
        return cls(bearers, degrees, neighbours, table(queries.PAGES))

    def save(self, folder: str) -> str:
        """Write it into a folder that workers see; return the hash that `load` needs."""
        files = {part: _bytes(getattr(self, part)) for part in self.__dataclass_fields__}
        digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:16]
        for part, content in files.items():
            with open_new(join(folder, f"lexicon-{digest}-{part}.parquet")) as out:
                out.write(content)
        return digest

    @classmethod
    def load(cls, folder: str, digest: str) -> Lexicon:
        """Read what `save` wrote. Raises InputError where it is not there."""
        parts = []
        for part in cls.__dataclass_fields__:
            with open_shard(join(folder, f"lexicon-{digest}-{part}.parquet")) as file:
                parts.append(pq.read_table(file))
        return cls(*parts)

    @cached_property
    def names(self) -> list[str]:
        """All names, sorted."""
        return list(self.bearers["name"].to_pylist())

    @cached_property
    def first(self) -> Ids:
        """Where the bearers of each name begin, with the end of the last."""
        sizes = _numbers(self.bearers["bearers"].combine_chunks().value_lengths())
        return np.concatenate(([0], np.cumsum(sizes)))

    @cached_property
    def bearer(self) -> Ids:
        """The bearers of all names, one name after the other."""
        return _numbers(self.bearers["bearers"].combine_chunks().flatten())

    @cached_property
    def bearer_degree(self) -> Ids:
        """The degree of each of `bearer`."""
        entities, degrees = _numbers(self.degrees["entity"]), _numbers(self.degrees["degree"])
        if not len(entities):
            return np.zeros(len(self.bearer), np.int64)
        at = np.minimum(np.searchsorted(entities, self.bearer), len(entities) - 1)
        return np.where(entities[at] == self.bearer, degrees[at], 0)

    @cached_property
    def page_entity(self) -> dict[str, int]:
        """The entity that the page of a title is about."""
        pages = self.pages
        return dict(zip(pages["title"].to_pylist(), pages["entity"].to_pylist(), strict=True))

    @cached_property
    def number_of_name(self) -> dict[str, int]:
        """The position of each name."""
        return {name: position for position, name in enumerate(self.names)}

    @cached_property
    def _pairs(self) -> Ids:
        return _numbers(self.neighbours["pair"])

    def joined(self, one: Ids, other: Ids) -> NDArray[np.bool_]:
        """Which pairs of entities a fact joins; UNKNOWN is joined with none."""
        if not len(self._pairs):
            return np.zeros(len(one), dtype=bool)
        wanted = (one << ID_BITS) | other
        at = np.minimum(np.searchsorted(self._pairs, wanted), len(self._pairs) - 1)
        return np.asarray((self._pairs[at] == wanted) & (one != UNKNOWN) & (other != UNKNOWN))


def _numbers(column: pa.Array | pa.ChunkedArray) -> Ids:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.int64)


def _bytes(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table.combine_chunks(), out, compression="zstd")
    return out.getvalue()

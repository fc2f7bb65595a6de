"""Build the graph index: stream the facts out of the store, number the entities, sort the edges.

Everything is held in preallocated columns; with what is made of them they take about 36 bytes an
edge where they take most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from factchain.chains import queries
from factchain.chains.graph.edge_lists import (
    MOST_EDGES,
    MOST_ENTITIES,
    Entities,
    Positions,
    add_uses,
    compress_pairs,
    in_order,
    list_bits,
    order_by,
    set_bits,
    starts,
    to_ranks,
)
from factchain.chains.graph.graph_index import AXIS_SHIFT, SINGLE, SOLE, Arrays
from factchain.errors import StoreError
from factchain.kg.store import Store

BATCH = 1_000_000
"""Rows that are taken out of the store at a time."""
CURRENT = 64
"""Flag of a fact that holds in the newest snapshot."""
OLDEST = 128
"""Flag of a fact that held in the oldest snapshot."""
MOST_PROPERTIES = 2**16
BLOCK = 10
"""Bits of an id within a block; blocks that no id is in take no memory."""


@dataclass
class Facts:
    """Facts between entities, of all snapshots, in any order. Building uses the columns up."""

    fact: Positions
    """Id in the store."""
    s: Entities
    p: Entities
    o: Entities
    flags: npt.NDArray[np.uint8]
    """CURRENT, and label codes plus 1 as in the index."""
    labelled: Entities
    """Q-numbers of the entities that have a label."""


def read_facts(store: Store) -> Facts:
    """Stream the facts between entities out of a store.

    Raises StoreError where none of the newest snapshot joins two entities, or there are more than
    an index can hold.
    """
    ((count, last_fact, entities),) = store.rows(queries.INDEX_SIZE)
    if count > MOST_EDGES or last_fact > MOST_EDGES:
        raise StoreError(f"{store.path}: {count:,} facts are more than an index of 2^32 can hold")
    by_fact = _flags_by_fact(store, last_fact)
    facts = Facts(
        fact=np.empty(count, np.uint32),
        s=np.empty(count, np.int32),
        p=np.empty(count, np.int32),
        o=np.empty(count, np.int32),
        flags=np.empty(count, np.uint8),
        labelled=np.empty(entities, np.int32),
    )
    at = 0
    for fact, s, p, o in _batches(store, queries.ENTITY_FACTS):
        here = slice(at, at + len(fact))
        facts.fact[here], facts.s[here], facts.p[here], facts.o[here] = fact, s, p, o
        facts.flags[here] = by_fact[fact]
        at += len(fact)
    if not (facts.flags & CURRENT).any():
        raise StoreError(f"{store.path}: has no fact between two entities")
    at = 0
    for (ids,) in _batches(store, queries.LABELLED_ENTITIES):
        facts.labelled[at : at + len(ids)] = ids
        at += len(ids)
    return facts


def _batches(store: Store, sql: str) -> Iterator[list[npt.NDArray[np.int64]]]:
    for batch in store.connection.sql(sql).to_arrow_reader(BATCH):
        yield [column.to_numpy(zero_copy_only=False) for column in batch.columns]


def _flags_by_fact(store: Store, last_fact: int) -> npt.NDArray[np.uint8]:
    """Flags by fact id: membership of the newest and the oldest snapshot, and label codes plus 1.

    Recency is that of the store's view `fact_recency`, without its sorting of all facts.
    """
    flags = np.zeros(last_fact + 1, np.uint8)
    for (fact,) in _batches(store, queries.NEWEST_FACTS):
        flags[fact] |= CURRENT
    if len(store.snapshots()) > 1:
        for (fact,) in _batches(store, queries.OLDEST_FACTS):
            flags[fact] |= OLDEST
        current = flags & CURRENT != 0
        old = flags & OLDEST != 0
        flags[current & old] |= np.uint8(1 << AXIS_SHIFT["recency"])
        flags[current & ~old] |= np.uint8(2 << AXIS_SHIFT["recency"])
    for fact, code in _batches(store, queries.POPULARITY_CODES):
        flags[fact] |= (code + 1 << AXIS_SHIFT["popularity"]).astype(np.uint8)
    return flags


def build_arrays(facts: Facts) -> Arrays:
    """The index of these facts; their columns are overwritten."""
    uses = np.zeros(int(facts.p.max()) + 1, np.uint32)
    add_uses(facts.p, 0, uses)
    property_ids = np.flatnonzero(uses).astype(np.int32)
    if len(property_ids) > MOST_PROPERTIES:
        raise StoreError(f"{len(property_ids):,} properties are more than {MOST_PROPERTIES:,}")
    codes = np.zeros(int(property_ids[-1]) + 1, np.int32)
    codes[property_ids] = np.arange(len(property_ids), dtype=np.int32)
    facts.p = codes[facts.p]
    ids, by_id, named = _number_entities(facts)
    joined_start, joined = _join(facts, len(ids))
    current = facts.flags & CURRENT != 0
    if not current.all():
        facts.s, facts.p, facts.o = facts.s[current], facts.p[current], facts.o[current]
        facts.fact, facts.flags = facts.fact[current], facts.flags[current]
    del current
    facts.flags &= np.uint8(CURRENT - 1)
    sizes = {"s": len(ids), "p": len(property_ids), "o": len(ids)}
    _sort(facts, order_by([(facts.s, sizes["s"]), (facts.p, sizes["p"]), (facts.o, sizes["o"])]))
    out_start = starts(facts.s, len(ids))
    facts.flags[_alone(facts.s, facts.p)] |= np.uint8(SINGLE)
    # Edges are in the order of (s, p, o): two stable passes make it (o, p, s).
    reverse = order_by([(facts.o, sizes["o"]), (facts.p, sizes["p"])])
    in_subjects = in_order(facts.s, reverse)
    facts.s = np.empty(0, np.int32)
    properties = facts.p.astype(np.uint16)
    facts.p = np.empty(0, np.int32)
    in_properties = in_order(properties, reverse)
    facts.flags[reverse[_alone(in_order(facts.o, reverse), in_properties)]] |= np.uint8(SOLE)
    return Arrays(
        ids=ids,
        by_id=by_id,
        named=named,
        property_ids=property_ids,
        out_start=out_start,
        properties=properties,
        objects=facts.o,
        facts=facts.fact,
        flags=facts.flags,
        in_start=starts(facts.o, len(ids)),
        in_properties=in_properties,
        in_subjects=in_subjects,
        joined_start=joined_start,
        joined=joined,
    )


def _number_entities(facts: Facts) -> tuple[Entities, Entities, npt.NDArray[np.bool_]]:
    """Give `s` and `o` dense numbers by degree, in place; ids, their order, which have labels."""
    blocks = _close_gaps(facts)
    bits = np.zeros(max(int(facts.s.max()), int(facts.o.max())) // 64 + 1, np.uint64)
    set_bits(bits, facts.s)
    set_bits(bits, facts.o)
    counts = np.bitwise_count(bits)
    before = np.zeros(len(bits) + 1, np.int32)
    np.cumsum(counts, out=before[1:], dtype=np.int32)
    entities = int(before[-1])
    if entities > MOST_ENTITIES:
        raise StoreError(f"{entities:,} entities are more than an index of 2^30 can hold")
    sorted_ids = np.empty(entities, np.int32)
    list_bits(bits, sorted_ids)
    sorted_ids = blocks[sorted_ids >> BLOCK] << BLOCK | sorted_ids & (1 << BLOCK) - 1
    to_ranks(bits, before, facts.s)
    to_ranks(bits, before, facts.o)
    degrees = np.zeros(entities, np.uint32)
    add_uses(facts.s, 0, degrees)
    add_uses(facts.o, 0, degrees)
    by_degree = np.argsort(degrees, kind="stable")
    del degrees
    by_id = np.empty(entities, np.int32)
    by_id[by_degree] = np.arange(entities, dtype=np.int32)
    np.take(by_id, facts.s, out=facts.s)
    np.take(by_id, facts.o, out=facts.o)
    named = np.zeros(entities, np.bool_)
    places = np.searchsorted(sorted_ids, facts.labelled)
    places[places == entities] = 0
    known = sorted_ids[places] == facts.labelled
    named[by_id[places[known]]] = True
    return sorted_ids[by_degree], by_id, named


def _close_gaps(facts: Facts) -> Entities:
    """Move the blocks of ids that are used together, in place; which blocks they were."""
    highest = max(int(facts.s.max()), int(facts.o.max())) >> BLOCK
    uses = np.zeros(highest + 1, np.uint32)
    add_uses(facts.s, BLOCK, uses)
    add_uses(facts.o, BLOCK, uses)
    blocks = np.flatnonzero(uses).astype(np.int32)
    place = np.zeros(highest + 1, np.int32)
    place[blocks] = np.arange(len(blocks), dtype=np.int32) << BLOCK
    for column in (facts.s, facts.o):
        moved = place[column >> BLOCK]
        column &= np.int32((1 << BLOCK) - 1)
        column |= moved
    return blocks


def _join(facts: Facts, entities: int) -> tuple[Positions, Positions]:
    """Where the neighbours of each entity begin, and the neighbours."""
    low, high = np.minimum(facts.s, facts.o), np.maximum(facts.s, facts.o)
    keys = low.astype(np.uint64)
    del low
    keys <<= np.uint64(30)
    keys |= high.astype(np.uint32)
    del high
    keys <<= np.uint64(2)
    keys |= np.where(facts.s <= facts.o, np.uint8(1), np.uint8(2))
    keys.sort()
    start = np.zeros(entities + 1, np.uint32)
    others = np.empty(len(keys), np.uint32)
    count = compress_pairs(keys, start, others)
    return start, others if count == len(others) else others[:count].copy()


def _sort(facts: Facts, order: Positions) -> None:
    """Put every column in an order, one after the other."""
    for name in ("s", "p", "o", "fact", "flags"):
        setattr(facts, name, in_order(getattr(facts, name), order))


def _alone(major: npt.NDArray[np.integer], minor: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Which rows of sorted columns differ from both neighbours."""
    alone = np.ones(len(major), np.bool_)
    same = (major[1:] == major[:-1]) & (minor[1:] == minor[:-1])
    alone[1:] &= ~same
    alone[:-1] &= ~same
    return alone

"""Entities that stand where the answer could: siblings under the same property.

A sibling of an answer is an entity of one of its classes that the same property leads to (or from)
in another fact. Of its siblings an answer gets those that are near to it: as well known, and begun
at the same time. Those whose subject is of a class of the answer's own subject come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factchain.kg.records import number
from factchain.kg.store import Store
from factchain.questions.options import queries
from factchain.questions.options.slots import Slot, offers
from factchain.questions.options.standing import Ids, Standing, classes_of, standing_of

MOST_OF_A_POOL = 20_000
"""About so many entities of a pool are looked at; smaller pools are looked at whole."""
WINDOW = 24
"""Entities of a pool that are looked at on either side of the answer's, by each measure."""
MOST = 24
"""Siblings that an answer gets."""
MOST_NEIGHBOURS = 32
"""Entities that are looked at since they meet one condition of an intersection."""
OTHER_CLASS, OTHER_SUBJECTS = 2.0, 100.0
"""How far it is from an answer to an entity that shares none of its classes but one, and to one
that only subjects of other classes lead to."""


class Sibling(NamedTuple):
    """An entity, and the fact that makes it a sibling."""

    entity: int
    fact: int


class _Place(NamedTuple):
    """Where siblings are looked for: under a property, at one end of its facts."""

    p: int
    is_object: bool
    other: int | None
    """The entity at the other end, where it is one."""


class _Pool(NamedTuple):
    p: int
    is_object: bool
    kind: int
    other_class: int | None


@dataclass
class _Members:
    """The entities of one pool, in the order of both measures."""

    entities: Ids
    facts: Ids
    by_popularity: Ids = field(init=False)
    by_year: Ids = field(init=False)
    popularities: Ids = field(init=False)
    years: Ids = field(init=False)

    def measure(self, standing: Standing) -> None:
        """Sort by popularity and, those that have one, by year."""
        ids = self.entities.tolist()
        known = np.array([standing.popularity.get(one, 0) for one in ids], np.int64)
        dated = np.array([at for at, one in enumerate(ids) if one in standing.year], np.int64)
        years = np.array([standing.year[ids[at]] for at in dated], np.int64)
        self.by_popularity = np.lexsort((self.entities, known))
        self.popularities = known[self.by_popularity]
        order = np.lexsort((self.entities[dated], years))
        self.by_year, self.years = dated[order], years[order]

    def near(self, entity: int, standing: Standing) -> Iterable[Sibling]:
        """Those in the window around the entity, by each measure."""
        found = _window(self.by_popularity, self.popularities, standing.popularity.get(entity, 0))
        if (year := standing.year.get(entity)) is not None:
            found = np.union1d(found, _window(self.by_year, self.years, year))
        for at in found.tolist():
            yield Sibling(int(self.entities[at]), int(self.facts[at]))

    def holds(self, entities: Ids) -> npt.NDArray[np.bool_]:
        """Which of the entities are in the pool."""
        at = np.minimum(np.searchsorted(self.entities, entities), len(self.entities) - 1)
        return self.entities[at] == entities if len(self.entities) else at > 0


def find_siblings(store: Store, slots: Sequence[Slot]) -> list[list[Sibling]]:
    """The siblings of every slot's answer, the nearest first; none where it is no entity."""
    places = [_places(slot) for slot in slots]
    golds = [
        number(slot.gold.id) if slot.gold.id and place else 0
        for slot, place in zip(slots, places, strict=True)
    ]
    others = {place.other for of_slot in places for place in of_slot if place.other is not None}
    classes = classes_of(store, {*golds, *others})
    wanted = [
        [pool for place in of_slot for pool in _pools(place, classes.get(gold, ()), classes)]
        for gold, of_slot in zip(golds, places, strict=True)
    ]
    numbers = {pool: at for at, pool in enumerate(dict.fromkeys(p for own in wanted for p in own))}
    members = _members(store, list(numbers))
    neighbours = _neighbours(store, places, golds, classes)
    seen = {int(x) for pool in members for x in pool.entities}
    seen |= {one.entity for own in neighbours.values() for one in own}
    standing = standing_of(store, seen | set(golds))
    for pool in members:
        pool.measure(standing)
    return [
        _nearest(gold, [(p, members[numbers[p]]) for p in own], neighbours.get(at, ()), standing)
        for at, (gold, own) in enumerate(zip(golds, wanted, strict=True))
    ]


def _places(slot: Slot) -> list[_Place]:
    plan, starts = slot.plan, slot.starts
    if slot.gold.id is None:
        return []
    ends = [start if isinstance(start, int) else None for start in starts]
    if plan.shape in ("lookup", "members"):
        return [_Place(plan.properties[0], True, ends[0])]
    if plan.shape == "intersect":
        return [_Place(p, plan.forward, end) for p, end in zip(plan.properties, ends, strict=True)]
    return [_Place(plan.properties[0], False, None)] if offers(slot.sub) else []


def _pools(
    place: _Place, kinds: Iterable[int], classes: Mapping[int, Sequence[int]]
) -> Iterable[_Pool]:
    for kind in kinds:
        yield _Pool(place.p, place.is_object, kind, None)
        if place.other is not None:
            for other in classes.get(place.other, ()):
                yield _Pool(place.p, place.is_object, kind, other)


def _nearest(
    gold: int,
    pools: Sequence[tuple[_Pool, _Members]],
    neighbours: Iterable[Sibling],
    standing: Standing,
) -> list[Sibling]:
    """The siblings by their distance; of those that are as far the first by id."""
    kinds = {pool.kind for pool, _ in pools}
    found: dict[int, Sibling] = {one.entity: one for one in neighbours}
    # A pool with the class of the subject says more of a sibling: its fact is the evidence.
    for _, members in sorted(pools, key=lambda one: one[0].other_class is None):
        for one in members.near(gold, standing):
            found.setdefault(one.entity, one)
    found.pop(gold, None)

    ids = sorted(found)
    of_kind = {kind: np.zeros(len(ids), np.bool_) for kind in kinds}
    alike = np.zeros(len(ids), np.bool_)
    for pool, members in pools:
        inside = members.holds(np.array(ids, np.int64))
        of_kind[pool.kind] |= inside
        if pool.other_class is not None:
            alike |= inside
    shared = sum((inside.astype(np.float64) for inside in of_kind.values()), np.zeros(len(ids)))
    far = standing.distances(gold, ids) + OTHER_CLASS * (1 - shared / max(1, len(kinds)))
    far += np.where(alike, 0, OTHER_SUBJECTS)
    order = np.argsort(np.round(far, 6), kind="stable")
    return [found[ids[at]] for at in order[:MOST]]


def _window(order: Ids, values: Ids, value: int) -> Ids:
    at = int(np.searchsorted(values, value))
    return order[max(0, at - WINDOW) : at + WINDOW + 1]


def _members(store: Store, pools: Sequence[_Pool]) -> list[_Members]:
    columns = list(zip(*pools, strict=True)) or [()] * 4
    table = pa.table(
        {
            "pool": pa.array(range(len(pools)), pa.int64()),
            "p": pa.array(columns[0], pa.int64()),
            "is_object": pa.array(columns[1], pa.bool_()),
            "class": pa.array(columns[2], pa.int64()),
            "other_class": pa.array(columns[3], pa.int64()),
        }
    )
    with store.incoming(pool=table):
        store.connection.execute(queries.MAKE_MEMBERS)
        rows = store.connection.execute(queries.POOLS, {"most": MOST_OF_A_POOL}).fetchnumpy()
    bounds = np.searchsorted(rows["pool"], np.arange(len(pools) + 1))
    return [
        _Members(
            np.asarray(rows["x"][first:last], np.int64),
            np.asarray(rows["fact"][first:last], np.int64),
        )
        for first, last in pairwise(bounds)
    ]


def _neighbours(
    store: Store,
    places: Sequence[Sequence[_Place]],
    golds: Sequence[int],
    classes: Mapping[int, Sequence[int]],
) -> dict[int, list[Sibling]]:
    """Entities that meet one condition of an intersection."""
    conditions = [
        {"slot": at, "p": place.p, "is_object": place.is_object, "entity": place.other}
        for at, of_slot in enumerate(places)
        if len(of_slot) > 1
        for place in of_slot
        if place.other is not None
    ]
    kinds = [
        {"slot": at, "class": kind}
        for at in dict.fromkeys(int(row["slot"]) for row in conditions)
        for kind in classes.get(golds[at], ())
    ]
    if not conditions or not kinds:
        return {}
    found: dict[int, list[Sibling]] = {}
    with store.incoming(
        condition=pa.Table.from_pylist(conditions), wanted_class=pa.Table.from_pylist(kinds)
    ):
        result = store.connection.execute(queries.NEIGHBOURS, {"most": MOST_NEIGHBOURS})
        for slot, entity, fact in result.fetchall():
            found.setdefault(slot, []).append(Sibling(entity, fact))
    return found

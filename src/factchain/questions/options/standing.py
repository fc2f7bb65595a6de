"""How well known entities are, when they began, and what they are: how near two are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from factchain.chains.domains import HUMAN, OCCUPATION
from factchain.kg.records import number, qid
from factchain.kg.store import Store
from factchain.questions.options import queries
from factchain.questions.options.slots import Slot

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

BEGINNINGS = (569, 571, 577, 585, 580, 1619, 575)
"""Properties whose date says when an entity began, the first that there is: birth, inception,
publication, point in time, start, opening, discovery."""
UNKNOWN_TIME = 2.0
"""How far apart two entities are in time of which one has no date."""
MOST_OF_A_CLASS, MOST_CLASSMATES = 2000, 24
"""Entities of a class that are looked at, and those of them that an answer gets."""


class Classmate(NamedTuple):
    """An entity of a class of the answer's."""

    entity: int
    kind: str
    """Q-id of the class."""


@dataclass(frozen=True)
class Standing:
    """How well known entities are, and when they began."""

    popularity: Mapping[int, int]
    year: Mapping[int, int]

    def distances(self, entity: int, others: Sequence[int]) -> Floats:
        """How far others are from an entity in popularity and in time: 0 where they are alike."""
        known = np.array([self.popularity.get(one, 0) for one in others], np.float64)
        own = self.popularity.get(entity, 0)
        apart: Floats = np.abs(np.log2((1 + known) / (1 + own)))
        years = np.array([self.year.get(one, np.nan) for one in others], np.float64)
        if (year := self.year.get(entity)) is None:
            return apart + np.where(np.isnan(years), 0, UNKNOWN_TIME)
        between = np.log2(1 + np.abs(years - year) / 10)
        return apart + np.where(np.isnan(years), UNKNOWN_TIME, between)


def standing_of(store: Store, entities: Iterable[int]) -> Standing:
    """The standing of entities in the newest snapshot."""
    dating = pa.table({"p": BEGINNINGS, "rank": range(len(BEGINNINGS))})
    with store.incoming(entity=ids_table(entities), dating=dating):
        rows = store.rows(queries.STANDING)
    return Standing(
        {entity: popularity for entity, popularity, _ in rows},
        {entity: year for entity, _, year in rows if year is not None},
    )


def ids_table(ids: Iterable[int]) -> pa.Table:
    """Distinct ids as an incoming table with one column, `id`."""
    return pa.table({"id": pa.array(sorted(set(ids)), pa.int64())})


def find_classmates(store: Store, slots: Sequence[Slot]) -> list[list[Classmate]]:
    """For each slot of an entity others of its classes, the nearest first."""
    golds = [number(slot.gold.id) if slot.gold.id else 0 for slot in slots]
    classes = classes_of(store, golds)
    kinds = {kind for own in classes.values() for kind in own if kind}
    of_kind: dict[int, list[int]] = {}
    with store.incoming(entity=ids_table(kinds)):
        result = store.connection.execute(queries.CLASSMATES, {"most": MOST_OF_A_CLASS})
        for kind, entity in result.fetchall():
            of_kind.setdefault(kind, []).append(entity)
    everybody = {entity for own in of_kind.values() for entity in own}
    standing = standing_of(store, everybody | set(golds))
    found = []
    for gold in golds:
        kind_of: dict[int, int] = {}
        for kind in classes.get(gold, ()):
            for entity in of_kind.get(kind, ()):
                kind_of.setdefault(entity, kind)
        kind_of.pop(gold, None)
        ids = sorted(kind_of)
        order = np.argsort(np.round(standing.distances(gold, ids), 6), kind="stable")
        nearest = [ids[at] for at in order[:MOST_CLASSMATES]]
        found.append([Classmate(one, qid(kind_of[one])) for one in nearest])
    return found


def classes_of(store: Store, entities: Iterable[int]) -> dict[int, list[int]]:
    """The classes of entities that have a name; 0 where they have none."""
    store.connection.execute(queries.MAKE_CLASSES)
    with store.incoming(entity=ids_table(entities)):
        return dict(store.rows(queries.CLASSES_OF))


def kinds_of(store: Store, entities: Iterable[int]) -> dict[int, list[int]]:
    """The classes of entities; of people their occupations, since all people are of one class."""
    classes = classes_of(store, entities)
    people = [entity for entity, own in classes.items() if HUMAN in own]
    with store.incoming(entity=ids_table(people)):
        done: dict[int, list[int]] = dict(store.rows(queries.OCCUPATIONS_OF, OCCUPATION))
    return classes | {person: done.get(person, []) for person in people}

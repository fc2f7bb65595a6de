"""The domain of an entity, from its classes: one of eight, as a plain table says.

Omanic assigns one of eight domains to every hop (SPEC.md 5.2) and names two of them, History and
Literature, and Art and Architecture; the other six are factchain's. `domains.tsv` gives a domain
to classes and, since nearly all people are of the class human, to occupations. An entity has the
domain of its classes (P31), a person that of their occupations (P106). A class that the table
lacks has that of the nearest superclasses (P279) that the store knows. Of several domains the one
of most classes counts, of equals the first in the order of `DOMAINS`.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

import pyarrow as pa

from factchain.chains import queries
from factchain.kg.records import number
from factchain.kg.store import Store

DOMAINS = (
    "History and Literature",
    "Art and Architecture",
    "Film, Music and Stage",
    "Geography and Nature",
    "Politics and Society",
    "Science and Technology",
    "Economy and Industry",
    "Sport and Games",
)
HUMAN = 5
OCCUPATION, SUBCLASS_OF = 106, 279
MOST_STEPS = 10
"""Most steps from a class to a superclass that the table has."""


@cache
def domain_table() -> dict[int, str]:
    """The domain of each class and occupation that the table has, by Q-number."""
    with (files("factchain.chains") / "domains.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {number(row["class"]): row["domain"] for row in rows}


def domains_of(store: Store, entities: Iterable[int]) -> dict[int, str]:
    """The domain of each entity (by Q-number) that has one."""
    classes = _pairs(store, queries.ENTITY_CLASSES, entities)
    people = [entity for entity, own in classes.items() if HUMAN in own]
    occupations = _pairs(store, queries.LED_TO, people, OCCUPATION)
    kinds = classes | {person: occupations.get(person, []) for person in people}
    of_class = _domains_of_classes(store, {one for own in kinds.values() for one in own})
    found = {entity: _first(of_class[one] for one in own) for entity, own in kinds.items()}
    return {entity: domain for entity, domain in sorted(found.items()) if domain is not None}


def _domains_of_classes(store: Store, classes: Iterable[int]) -> dict[int, str | None]:
    """The domain of each class: its own in the table, or that of its nearest superclasses."""
    table = domain_table()
    found: dict[int, str | None] = {}
    above: dict[int, set[int]] = {one: {one} for one in classes}
    known: dict[int, list[int]] = {}
    for _ in range(MOST_STEPS):
        for one in list(above):
            if own := [table[up] for up in sorted(above[one]) if up in table]:
                found[one] = _first(own)
                del above[one]
        unknown = {up for ups in above.values() for up in ups} - set(known)
        if not above:
            break
        superclasses = _pairs(store, queries.LED_TO, unknown, SUBCLASS_OF)
        known.update({one: superclasses.get(one, []) for one in unknown})
        above = {one: {s for up in ups for s in known[up]} for one, ups in above.items()}
    return {**dict.fromkeys(above), **found}


def _first(domains: Iterable[str | None]) -> str | None:
    """The most frequent domain; of equals the first in the order of `DOMAINS`."""
    counts = Counter(domain for domain in domains if domain is not None)
    return min(counts, key=lambda d: (-counts[d], DOMAINS.index(d))) if counts else None


def _pairs(store: Store, query: str, entities: Iterable[int], *values: int) -> dict[int, list[int]]:
    """Second columns of a query's rows by the first, for some entities."""
    wanted = pa.table({"entity": pa.array(sorted(set(entities)), pa.int64())})
    pairs: dict[int, list[int]] = defaultdict(list)
    with store.incoming(wanted=wanted):
        for first, second in store.rows(query, *values):
            pairs[first].append(second)
    return dict(pairs)

"""Figures of a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from factchain.kg import queries
from factchain.kg import stats_queries as own
from factchain.kg.records import number
from factchain.kg.store import Store

TOP = 20
QUANTILES = (0.5, 0.9, 0.99, 0.999)


def statistics(store: Store, top: int = TOP) -> dict[str, Any]:
    """What a store holds, as JSON values that are the same for the same data.

    Counts, snapshots, recency and popularity are of the whole store; degrees, properties and
    classes, of which the `top` most frequent are listed, of the newest snapshot. In place of facts
    `entity_popularity` has what `popularity_unit` says, which is null where nothing was counted.
    """
    properties = store.rows(own.PROPERTIES)
    classes = store.rows(own.CLASSES)
    return {
        "counts": dict(store.rows(queries.COUNTS)),
        "snapshots": [
            {
                "name": snapshot.name,
                "date": snapshot.date.isoformat(),
                "source": snapshot.source,
                "languages": [*snapshot.languages],
            }
            for snapshot in store.snapshots()
        ],
        "facts_by_snapshot": dict(store.rows(own.FACTS_BY_SNAPSHOT)),
        "facts_by_recency": dict(store.rows(queries.FACTS_BY_RECENCY)),
        "facts_by_popularity": dict(store.rows(queries.FACTS_BY_POPULARITY)),
        "popularity_histogram": {
            str(count): n for count, n in store.rows(queries.POPULARITY_HISTOGRAM)
        },
        "popularity_unit": next((unit for (unit,) in store.rows(own.POPULARITY_UNIT)), None),
        "entity_popularity": distribution(store.rows(own.ENTITY_POPULARITY)),
        "degrees": {
            "out": distribution(store.rows(own.OUT_DEGREES)),
            "in": distribution(store.rows(own.IN_DEGREES)),
        },
        "coverage": _coverage(store),
        "properties_used": len(properties),
        "properties": [
            {
                "id": p,
                "label": label,
                "facts": facts,
                "subjects": subjects,
                "single_object_share": single / subjects,
            }
            for p, label, facts, subjects, single in properties[:top]
        ],
        "classes_used": len(classes),
        "classes": [
            {"id": q, "label": label, "entities": entities} for q, label, entities in classes[:top]
        ],
    }


def distribution(histogram: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Describe (degree, how many entities have it), sorted by degree.

    A quantile is the smallest degree that at least that share of the entities does not exceed.
    Bins are 0, 1, 2-3, 4-7 and so on, each twice as wide as the one before.
    """
    entities = sum(n for _, n in histogram)
    edges = sum(degree * n for degree, n in histogram)
    bins: Counter[int] = Counter()
    for degree, n in histogram:
        bins[degree.bit_length()] += n
    return {
        "entities": entities,
        "facts": edges,
        "mean": edges / entities if entities else 0.0,
        "quantiles": {str(share): _quantile(histogram, share * entities) for share in QUANTILES},
        "max": histogram[-1][0] if histogram else 0,
        "bins": [
            {"from": (1 << bits) >> 1, "to": (1 << bits) - 1, "entities": bins[bits]}
            for bits in range(max(bins, default=-1) + 1)
        ],
    }


def _quantile(histogram: Sequence[tuple[int, int]], wanted: float) -> int:
    reached = 0
    for degree, n in histogram:
        reached += n
        if reached >= wanted:
            return degree
    return 0


def _coverage(store: Store) -> dict[str, int]:
    ((entities, label, description, aliases, classes, wikipedia),) = store.rows(own.COVERAGE)
    ((undescribed,),) = store.rows(own.UNDESCRIBED)
    ((properties,),) = store.rows(own.LABELLED_PROPERTIES)
    return {
        "entities": entities,
        "with label": label,
        "with description": description,
        "with aliases": aliases,
        "with class": classes,
        "with Wikipedia page": wikipedia,
        "objects that no dump describes": undescribed,
        "properties with label": properties,
    }


def storage(store: Store) -> dict[str, Any]:
    """Bytes of the store's file, of each table's blocks in it, and of DuckDB's memory now.

    These depend on how the store was written, and not on what it holds alone. Blocks that tables
    share are counted for each; the rest of the file is indexes and free blocks.
    """
    ((block,),) = store.rows(own.BLOCK_SIZE)
    ((memory,),) = store.rows(own.MEMORY)
    return {
        "file": store.path.stat().st_size,
        "memory": memory,
        "tables": {
            name: store.rows(own.TABLE_BLOCKS, name)[0][0] * block
            for (name,) in store.rows(own.TABLES)
        },
    }


def classes_of(store: Store, entities: Iterable[str]) -> dict[str, int]:
    """How many of the entities (Q-ids, repeats count) each class has, by the class's label."""
    counts: Counter[str] = Counter()
    repeats = Counter(number(entity) for entity in entities)
    for entity, label in store.rows(queries.CLASS_LABELS, sorted(repeats)):
        counts[label] += repeats[entity]
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

"""Figures of a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from factchain.kg import queries
from factchain.kg.records import number
from factchain.kg.store import Store

TOP = 20


def statistics(store: Store) -> dict[str, Any]:
    """Counts, facts by snapshot, recency and popularity, and the most frequent properties."""
    return {
        "counts": dict(store.rows(queries.COUNTS)),
        "snapshots": [
            {"name": s.name, "date": s.date.isoformat(), "source": s.source}
            for s in store.snapshots()
        ],
        "facts_by_snapshot": dict(store.rows(queries.FACTS_BY_SNAPSHOT)),
        "facts_by_recency": dict(store.rows(queries.FACTS_BY_RECENCY)),
        "facts_by_popularity": dict(store.rows(queries.FACTS_BY_POPULARITY)),
        "popularity_histogram": {
            str(count): n for count, n in store.rows(queries.POPULARITY_HISTOGRAM)
        },
        "top_properties": [
            {"id": f"P{p}", "label": label, "facts": n}
            for p, label, n in store.rows(queries.TOP_PROPERTIES, TOP)
        ],
    }


def classes_of(store: Store, entities: Iterable[str]) -> dict[str, int]:
    """How many of the entities (Q-ids, repeats count) each class has, by the class's label."""
    counts: Counter[str] = Counter()
    repeats = Counter(number(entity) for entity in entities)
    for entity, label in store.rows(queries.CLASS_LABELS, sorted(repeats)):
        counts[label] += repeats[entity]
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def as_text(figures: dict[str, Any]) -> str:
    """The figures as lines for a terminal."""
    lines = [f"{name:<24}{count:>14,}" for name, count in figures["counts"].items()]
    for title, key in (
        ("facts by snapshot", "facts_by_snapshot"),
        ("facts by recency", "facts_by_recency"),
        ("stated facts by popularity", "facts_by_popularity"),
    ):
        if figures[key]:
            lines += ["", title, *(f"  {n:<22}{c:>14,}" for n, c in figures[key].items())]
    lines += ["", "most frequent properties"]
    for row in figures["top_properties"]:
        lines.append(f"  {row['label'] or row['id']:<50.50}{row['facts']:>10,}")
    return "\n".join(lines)

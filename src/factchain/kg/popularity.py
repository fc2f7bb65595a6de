"""Passages -> which facts they state -> how popular each fact is.

A passage states a fact of the newest snapshot when it mentions the fact's subject and object;
the popularity of a fact is the number of distinct passages that state it (SPEC.md 4.1, 7.1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from factchain.kg import queries
from factchain.kg.extraction.cooccurrence import Cooccurrence
from factchain.kg.extraction.protocol import Extractor
from factchain.kg.records import TextPassage
from factchain.kg.store import Store
from factchain.kg.text import replace_passages
from factchain.progress import track


@dataclass(frozen=True, slots=True)
class PopularityBounds:
    """Counts at which a fact is unpopular or popular; the rest has no label."""

    unpopular_min: int = 1
    unpopular_max: int = 9
    popular_min: int = 50


@dataclass(frozen=True, slots=True)
class TextSummary:
    """What the text gave."""

    passages: int
    mentions: int
    """(passage, fact) pairs."""
    facts: int
    """Facts that at least one passage states."""
    ambiguous_names: int
    """Mentions that were left out because several entities bear the name."""


def count_popularity(
    store: Store, passages: Iterable[TextPassage], bounds: PopularityBounds
) -> TextSummary:
    """Put the passages, their mentions and the popularity of facts in place of the store's."""
    kept = list(passages)
    extractor: Extractor = Cooccurrence(store)
    found = list(extractor.mentions(track(kept, "reading passages", len(kept))))
    table = pa.table(
        {
            "passage": pa.array([passage for passage, _ in found], pa.string()),
            "entity": pa.array([entity for _, entity in found], pa.int64()),
        }
    )
    with store.incoming(mention=table), store.transaction():
        replace_passages(store, iter(kept))
        store.connection.execute(queries.ADD_MENTIONS, {"extractor": extractor.name})
        store.connection.execute(queries.COUNT_POPULARITY)
        store.connection.execute(queries.CLEAR_BOUNDS)
        store.rows(
            queries.ADD_BOUNDS, bounds.unpopular_min, bounds.unpopular_max, bounds.popular_min
        )
        ((mentions, facts),) = store.rows("SELECT count(*), count(DISTINCT fact) FROM mention")
    return TextSummary(len(kept), mentions, facts, sum(extractor.ambiguous.values()))

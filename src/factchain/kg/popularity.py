"""Passages -> which facts they state -> how popular each fact, and each entity, is.

A fact's popularity is the number of distinct passages that state it (SPEC.md 4.1, 7.1 item 10:
the published unit is not said), or of distinct pages, or of all times that it is stated. An
entity's is the number of those that mention it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from factchain.errors import ConfigError, StoreError
from factchain.kg.extraction import queries
from factchain.kg.extraction.cooccurrence import AMBIGUOUS, NAME, CooccurrenceSettings
from factchain.kg.extraction.mentions import put_text
from factchain.kg.extraction.run import extract
from factchain.kg.store import Store
from factchain.parallel import Engine

Unit = Literal["passages", "mentions", "documents"]
UNITS: dict[Unit, tuple[str, str]] = {
    "passages": (queries.POPULARITY_BY_PASSAGES, queries.ENTITIES_BY_PASSAGES),
    "mentions": (queries.POPULARITY_BY_MENTIONS, queries.ENTITIES_BY_MENTIONS),
    "documents": (queries.POPULARITY_BY_DOCUMENTS, queries.ENTITIES_BY_DOCUMENTS),
}


@dataclass(frozen=True, slots=True)
class PopularityBounds:
    """Counts at which a fact is unpopular or popular; the rest has no label.

    Raises ConfigError where they do not rise.
    """

    unpopular_min: int = 1
    unpopular_max: int = 9
    popular_min: int = 50

    def __post_init__(self) -> None:
        if not 0 <= self.unpopular_min <= self.unpopular_max < self.popular_min:
            raise ConfigError(
                f"unpopular {self.unpopular_min}-{self.unpopular_max}, popular {self.popular_min}: "
                "the bounds of popularity must rise"
            )


@dataclass(frozen=True, slots=True)
class PopularitySummary:
    """What counting gave."""

    unit: Unit
    """What was counted."""
    facts: int
    """Facts that are stated at all."""
    entities: int
    """Entities that are mentioned at all."""
    labels: dict[str, int]
    """Facts by popularity: popular, unpopular, unlabelled."""


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


def count_mentions(
    store: Store,
    bounds: PopularityBounds,
    unit: Unit = "passages",
    extractor: str | None = None,
) -> PopularitySummary:
    """Count the popularity of facts and entities from the mentions in the store.

    With an `extractor` only what that found counts. Raises StoreError where the store holds no
    mention of it.
    """
    ((found,),) = store.rows(queries.COUNT_ENTITY_MENTIONS, extractor)
    if not found:
        whose = f"of the extractor {extractor!r} " if extractor else ""
        raise StoreError(
            f"{store.path}: holds no mention {whose}to count: run `factchain kg extract` first "
            "(and `factchain kg link` after the extractor rebel)"
        )
    facts, entities = UNITS[unit]
    bound = {"extractor": extractor}
    with store.transaction():
        store.connection.execute(queries.DROP_COUNTS)
        store.connection.execute(queries.DROP_BOUNDS)
        store.connection.execute(facts, bound)
        store.connection.execute(entities, bound)
        store.rows(
            queries.ADD_BOUNDS, bounds.unpopular_min, bounds.unpopular_max, bounds.popular_min
        )
        store.rows(queries.ADD_UNIT, unit, extractor)
    ((stated, mentioned),) = store.rows(queries.POPULARITY_SIZES)
    return PopularitySummary(unit, stated, mentioned, dict(store.rows(queries.CLASS_SIZES)))


def count_popularity(
    store: Store,
    passages: Path,
    bounds: PopularityBounds,
    *,
    workers: int = 1,
    engine: Engine = "local",
) -> TextSummary:
    """Put a file of passages, co-occurrence's mentions and popularity in place of the store's.

    The shards lie beside the store until they are in it, in the folder that `factchain kg extract`
    takes too: a run that was stopped goes on with them.
    """
    folder = Path(f"{store.path}.{NAME}").absolute()
    settings = CooccurrenceSettings.of_store(store, str(folder))
    run = extract(passages, settings, str(folder), workers=workers, engine=engine)
    put_text(store, str(folder), run)
    count_mentions(store, bounds)
    shutil.rmtree(folder)
    ((mentions, facts),) = store.rows(queries.COUNT_MENTIONS, settings.name)
    return TextSummary(run.passages, mentions, facts, run.rejected.get(AMBIGUOUS, 0))

"""A store without some of its facts: what the corpus still says, to run questions on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from factchain.kg.store import Store
from factchain.questions.kinds import queries


@contextmanager
def remaining(store: Store, withheld: Iterable[int], properties: Iterable[int]) -> Iterator[Store]:
    """The store as if the withheld facts (by id) were in no snapshot, for these properties.

    The facts of all snapshots hold in it, since a corpus tells the older ones too. The store's
    file is left alone: what is left stands in temporary tables of a connection of its own.
    """
    connection = store.connection.cursor()
    try:
        connection.execute(
            queries.MAKE_REMAINING_FACTS,
            {"properties": sorted(set(properties)), "withheld": sorted(set(withheld))},
        )
        connection.execute(queries.SHOW_REMAINING_FACTS)
        yield Store(connection, store.path)
    finally:
        connection.close()

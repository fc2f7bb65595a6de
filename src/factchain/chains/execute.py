"""Run reasoning graphs on the store: which entities does each hop answer with?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pyarrow as pa

from factchain.chains import queries
from factchain.chains.records import FactChain
from factchain.kg.records import number
from factchain.kg.store import Store

Answers = dict[int, set[int]]
"""Answer set by hop."""


def execute(store: Store, chains: Sequence[FactChain]) -> list[Answers]:
    """The answer set of every hop of every chain, found from topics and properties alone.

    The facts that a chain claims are not used, nor its answers: what comes out is what the newest
    snapshot says. All chains take a hop together, in one query a hop.
    """
    found: list[Answers] = [defaultdict(set) for _ in chains]
    for index in range(1, max((len(chain.hops) for chain in chains), default=0) + 1):
        rows = [
            (position, source, number(fact.p))
            for position, chain in enumerate(chains)
            for hop in chain.hops
            if hop.index == index
            for source in (
                set().union(*(found[position][i] for i in hop.inputs))
                if hop.inputs
                else set(map(number, hop.topics))
            )
            for fact in hop.facts
        ]
        steps = pa.table(
            {
                name: pa.array(column, pa.int64())
                for name, column in zip(
                    ("chain", "s", "p"),
                    zip(*rows, strict=True) if rows else ((), (), ()),
                    strict=True,
                )
            }
        )
        with store.incoming(step=steps):
            for position, answer in store.rows(queries.TAKE_STEPS):
                found[position][index].add(answer)
    return found

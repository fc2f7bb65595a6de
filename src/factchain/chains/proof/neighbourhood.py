"""What the store says around a set of chains: all that the constraints ask, in a few queries.

The facts that chains claim are looked up anew, on the whole graph of the newest snapshot;
whether two entities are joined is asked of the facts of every snapshot.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import pyarrow as pa

from factchain.chains import queries
from factchain.chains.proof.execute import Answers, execute
from factchain.chains.proof.plan import conditions_of, planned
from factchain.chains.proof.rules import Rules
from factchain.chains.proof.store_facts import Condition, Pair, StoreFacts
from factchain.chains.records import ChainFact, EntityRef, FactChain
from factchain.kg.records import number
from factchain.kg.store import Store

LEAST_FACTS, OWN_SHARE, TURNED_SHARE = 20, 0.01, 0.1
"""When a fact is held to be stated the wrong way round, see `fact_checks.direction`."""

Triple = tuple[int, int, int]
Conditions = frozenset[Condition]


class Namesakes(NamedTuple):
    """What a topic entity is called, and how many others are called so."""

    label: str | None
    description: str
    others: int
    same_description: int
    """Of the others, those with the same description."""


@dataclass
class Neighbourhood:
    """The graph around some chains."""

    date: datetime.date
    """Of the newest snapshot."""
    facts: StoreFacts
    """All objects of every subject and property of the chains, and what counts ask."""
    joined: set[Pair]
    """Pairs (a, b) of nodes of one chain, where a fact of any snapshot leads from a to b."""
    met: dict[Conditions, frozenset[int]]
    """Who meets all conditions of each intersection."""
    met_without: dict[Conditions, int]
    """How many entities meet an intersection's conditions when one of them is left out."""
    contrary: set[Triple]
    """Facts (s, p, o) that their property's usual classes fit only the other way round."""
    unknown: set[int]
    """Entities of the chains that the store does not have."""
    namesakes: dict[int, Namesakes]
    """By topic entity."""
    executed: dict[str, Answers]
    """By chain the results of its hops, where all answers are to be recorded."""

    @classmethod
    def around(cls, store: Store, chains: Sequence[FactChain], rules: Rules) -> Neighbourhood:
        """Look up everything that the constraints ask about the chains."""
        facts = StoreFacts(store)
        claimed = [fact for chain in chains for hop in chain.hops for fact in hop.facts]
        facts.ask_objects(sorted({(number(fact.s), number(fact.p)) for fact in claimed}))
        plans = [found for chain in chains for found in planned(chain)]
        facts.ask_subjects(
            (plan.properties[0], node)
            for _, plan, nodes in plans
            for node in nodes
            if plan.shape == "count" and not plan.forward and isinstance(node, int)
        )
        tasks = dict.fromkeys(
            frozenset(conditions_of(plan, nodes))
            for _, plan, nodes in plans
            if plan.shape == "intersect"
        )
        fewer = dict.fromkeys(task - {one} for task in tasks for one in task if len(task) > 1)
        met = facts.meeting_all([list(task) for task in tasks])
        numbers = facts.count_meeting_all([list(task) for task in fewer])
        pairs = {pair for chain in chains for pair in permutations(entities_of(chain), 2)}
        run = execute(store, chains, facts) if rules.answers == "all" else []
        return cls(
            date=store.newest().date,
            facts=facts,
            joined=facts.joined(sorted(pairs)),
            met={task: frozenset(found) for task, found in zip(tasks, met, strict=True)},
            met_without=dict(zip(fewer, numbers, strict=True)),
            contrary=_contrary(store, claimed),
            unknown=_unknown(store, {q for chain in chains for q in named(chain)}),
            namesakes=_namesakes(store, chains),
            executed={chain.id: answers for chain, answers in zip(chains, run, strict=False)},
        )


def entities_of(chain: FactChain) -> list[int]:
    """The nodes that are entities: topics and answers, each once, in their order."""
    answers = (hop.answer.id for hop in chain.hops if isinstance(hop.answer, EntityRef))
    return list(dict.fromkeys(map(number, (*chain.topics, *answers))))


def named(chain: FactChain) -> list[int]:
    """Every entity that the chain names, each once, in their order."""
    ends = (q for hop in chain.hops for fact in hop.facts for q in (fact.s, fact.o) if q)
    return list(dict.fromkeys([*entities_of(chain), *map(number, ends)]))


def _unknown(store: Store, entities: set[int]) -> set[int]:
    with store.incoming(entity=pa.table({"id": pa.array(sorted(entities), pa.int64())})):
        return {entity for (entity,) in store.rows(queries.UNKNOWN_ENTITIES)}


def _contrary(store: Store, facts: Iterable[ChainFact]) -> set[Triple]:
    triples = {(number(f.s), number(f.p), number(f.o)) for f in facts if f.o is not None}
    columns = list(zip(*sorted(triples), strict=True)) or [()] * 3
    table = pa.table(
        {name: pa.array(c, pa.int64()) for name, c in zip("spo", columns, strict=True)}
    )
    bounds = {"least_facts": LEAST_FACTS, "own_share": OWN_SHARE, "turned_share": TURNED_SHARE}
    with store.incoming(fact=table):
        return set(store.connection.execute(queries.CONTRARY_FACTS, bounds).fetchall())


def _namesakes(store: Store, chains: Iterable[FactChain]) -> dict[int, Namesakes]:
    topics = sorted({number(topic) for chain in chains for topic in chain.topics})
    with store.incoming(topic=pa.table({"id": pa.array(topics, pa.int64())})):
        return {row[0]: Namesakes(*row[1:]) for row in store.rows(queries.NAMESAKES)}

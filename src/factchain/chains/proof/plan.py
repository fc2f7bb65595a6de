"""What a hop asks for, apart from what it claims: sources, properties, directions, operators.

The facts of a hop show how it is meant: which source each fact starts or ends at. The plan keeps
that, and forgets the objects and answers, so that `execute` finds them and `sparql` asks for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from factchain.chains.operations.operations import ARITHMETIC, CHOICES, COMPARISONS, matches
from factchain.chains.proof.store_facts import Condition, Node
from factchain.chains.records import (
    ChainFact,
    EntityRef,
    FactChain,
    Hop,
    Operand,
    Operator,
    TypedValue,
)
from factchain.kg.records import number, qid

Shape = Literal["lookup", "intersect", "count", "reckon", "compare", "members"]
"""`members`: a choice among, or a sum over, all objects of the source; `reckon`: the inputs'
answers and constants alone."""

MOST_CONDITIONS = 4
"""Of an intersection."""


class NoPlan(ValueError):  # noqa: N818
    """The facts are not those of such a hop; the message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a hop starts: at an earlier hop's answer, or at a topic entity."""

    hop: int | None = None
    topic: int | None = None


@dataclass(frozen=True, slots=True)
class HopPlan:
    """What a hop asks for."""

    index: int
    shape: Shape
    sources: tuple[Source, ...]
    """The inputs, then the topics."""
    properties: tuple[int, ...]
    """Of each source; of `members` the property of the members, then that of their values."""
    forward: bool = True
    """Whether the sources are the facts' subjects, not their objects."""
    operator: Operator | None = None
    operands: tuple[Operand, ...] = ()
    """Of `reckon`: an operand of an earlier hop is that hop's answer, the others are constants."""


def plan_chain(chain: FactChain) -> list[HopPlan]:
    """The plans of all hops. Raises NoPlan where one has none."""
    if [hop.index for hop in chain.hops] != list(range(1, len(chain.hops) + 1)):
        raise NoPlan("hops are not numbered from 1 in their order")
    return [plan_hop(hop, chain.hops) for hop in chain.hops]


def planned(chain: FactChain) -> Iterator[tuple[Hop, HopPlan, list[Node]]]:
    """The hops that have a plan, with the plan and the claimed nodes that they start at."""
    answers = {hop.index: node_of(hop.answer) for hop in chain.hops}
    for hop in chain.hops:
        try:
            plan = plan_hop(hop, chain.hops)
        except NoPlan:
            continue
        yield hop, plan, start_nodes(plan, answers)


def start_nodes(plan: HopPlan, answers: Mapping[int, Node]) -> list[Node]:
    """The nodes at which a hop starts, for answers of the earlier hops."""
    return [
        answers[source.hop] if source.hop is not None else source.topic or 0
        for source in plan.sources
    ]


def conditions_of(plan: HopPlan, nodes: Sequence[Node]) -> list[Condition]:
    """What an intersection asks of its answer."""
    return [
        Condition(p, node, plan.forward) for p, node in zip(plan.properties, nodes, strict=True)
    ]


def node_of(answer: EntityRef | TypedValue) -> Node:
    """An answer as a node of the graph."""
    return number(answer.id) if isinstance(answer, EntityRef) else answer


def key_of(node: Node) -> str:
    """The key of a node, as `EntityRef.key` and `TypedValue.key`."""
    return node.key if isinstance(node, TypedValue) else qid(node)


def plan_hop(hop: Hop, hops: Sequence[Hop]) -> HopPlan:
    """The plan of one of the hops. Raises NoPlan where its facts are not those of its kind."""
    earlier = {other.index: other.answer for other in hops if other.index < hop.index}
    if missing := [source for source in hop.inputs if source not in earlier]:
        raise NoPlan(f"does not come after its input, hop {missing[0]}")
    if len(set(hop.inputs)) < len(hop.inputs) or len(set(hop.topics)) < len(hop.topics):
        raise NoPlan("takes one source twice")
    starts: list[EntityRef | TypedValue] = [earlier[source] for source in hop.inputs]
    starts += [EntityRef(id=topic, label="") for topic in hop.topics]
    if not starts:
        raise NoPlan("starts at no topic entity and no earlier answer")
    return _PLANNERS[hop.kind](hop, starts)


def _sources(hop: Hop) -> tuple[Source, ...]:
    inputs = tuple(Source(hop=source) for source in hop.inputs)
    return inputs + tuple(Source(topic=number(topic)) for topic in hop.topics)


def _lookup(hop: Hop, starts: Sequence[EntityRef | TypedValue]) -> HopPlan:
    _counts(hop, starts, facts=1, sources=1)
    _no_operation(hop)
    if hop.facts[0].s != starts[0].key:
        raise NoPlan(f"starts at {hop.facts[0].s}, which is no input's answer and no topic")
    return HopPlan(hop.index, "lookup", _sources(hop), (number(hop.facts[0].p),))


def _intersect(hop: Hop, starts: Sequence[EntityRef | TypedValue]) -> HopPlan:
    _no_operation(hop)
    if not 2 <= len(starts) <= MOST_CONDITIONS:
        raise NoPlan(f"intersects {len(starts)} conditions, not 2 to {MOST_CONDITIONS}")
    _counts(hop, starts, facts=len(starts), sources=len(starts))
    pairs = list(zip(hop.facts, starts, strict=True))
    properties = tuple(number(fact.p) for fact in hop.facts)
    for forward in (True, False):
        if all((_starts if forward else _ends)(fact, start) for fact, start in pairs):
            return HopPlan(hop.index, "intersect", _sources(hop), properties, forward)
    strays = [f for f, start in pairs if not (_starts(f, start) or _ends(f, start))]
    if strays:
        raise NoPlan(f"its fact {' '.join(strays[0].key)} does not join the source of its place")
    raise NoPlan("its facts lead partly from and partly to its sources")


def _count(hop: Hop, starts: Sequence[EntityRef | TypedValue]) -> HopPlan:
    _counts(hop, starts, facts=None, sources=1)
    _operator(hop, frozenset({"count"}))
    p = _one_property(hop.facts)
    for forward in (True, False):
        if all((_starts if forward else _ends)(fact, starts[0]) for fact in hop.facts):
            return HopPlan(hop.index, "count", _sources(hop), (p,), forward, "count")
    raise NoPlan(f"its facts do not all start, or all end, at {starts[0].key}")


def _arithmetic(hop: Hop, starts: Sequence[EntityRef | TypedValue]) -> HopPlan:
    operator, operands = _operator(hop, ARITHMETIC)
    if hop.facts:
        if operator != "sum":
            raise NoPlan(f"reads facts for {operator}; only a sum is over facts")
        return _members(hop, starts, operator)
    if hop.topics:
        raise NoPlan("reckons with an entity")
    if [operand.hop for operand in operands if operand.hop is not None] != list(hop.inputs):
        raise NoPlan("its operands are not its inputs' answers, in their order, and constants")
    return HopPlan(hop.index, "reckon", _sources(hop), (), operator=operator, operands=operands)


def _compare(hop: Hop, starts: Sequence[EntityRef | TypedValue]) -> HopPlan:
    operator, _ = _operator(hop, COMPARISONS)
    if len(starts) == 1:
        if operator not in CHOICES:
            raise NoPlan(f"{operator} needs two sources")
        return _members(hop, starts, operator)
    _counts(hop, starts, facts=2, sources=2)
    p = _one_property(hop.facts)
    if not all(map(_starts, hop.facts, starts)):
        raise NoPlan("its facts do not start at its sources, in their order")
    return HopPlan(hop.index, "compare", _sources(hop), (p,), operator=operator)


def _members(hop: Hop, starts: Sequence[EntityRef | TypedValue], operator: Operator) -> HopPlan:
    _counts(hop, starts, facts=None, sources=1)
    half, odd = divmod(len(hop.facts), 2)
    members, values = hop.facts[:half], hop.facts[half:]
    if odd or not half:
        raise NoPlan("needs as many facts of members as of their values")
    if not all(_starts(fact, starts[0]) for fact in members):
        raise NoPlan(f"its first {half} facts do not start at {starts[0].key}")
    if [fact.o for fact in members] != [fact.s for fact in values]:
        raise NoPlan("its facts with values do not start at its members, in their order")
    properties = (_one_property(members), _one_property(values))
    return HopPlan(hop.index, "members", _sources(hop), properties, operator=operator)


_PLANNERS = {
    "lookup": _lookup,
    "intersect": _intersect,
    "count": _count,
    "arithmetic": _arithmetic,
    "compare": _compare,
}


def _starts(fact: ChainFact, start: EntityRef | TypedValue) -> bool:
    return isinstance(start, EntityRef) and fact.s == start.id


def _ends(fact: ChainFact, start: EntityRef | TypedValue) -> bool:
    if isinstance(start, EntityRef):
        return fact.o == start.id
    return fact.value is not None and matches(fact.value, start)


def _counts(hop: Hop, starts: Sequence[object], facts: int | None, sources: int) -> None:
    if len(starts) != sources:
        raise NoPlan(f"a {hop.kind} has {sources} sources, not {len(starts)}")
    if len(hop.facts) != facts if facts is not None else not hop.facts:
        raise NoPlan(f"a {hop.kind} of {sources} sources does not have {len(hop.facts)} facts")


def _one_property(facts: Sequence[ChainFact]) -> int:
    properties = {fact.p for fact in facts}
    if len(properties) > 1:
        raise NoPlan(f"mixes the properties {', '.join(sorted(properties))}")
    return number(facts[0].p)


def _operator(hop: Hop, allowed: frozenset[Operator]) -> tuple[Operator, tuple[Operand, ...]]:
    if hop.operation is None:
        raise NoPlan(f"a {hop.kind} needs an operation")
    if hop.operation.operator not in allowed:
        raise NoPlan(f"{hop.operation.operator} is no operation of a {hop.kind}")
    return hop.operation.operator, hop.operation.operands


def _no_operation(hop: Hop) -> None:
    if hop.operation is not None:
        raise NoPlan(f"a {hop.kind} has no operation")

"""Run reasoning graphs on the store: which answers does each hop have, and by which facts?

Only the plan of a chain is used (`plan`): topics, properties, directions, operators and
constants, not the objects and answers that it claims. All chains take a hop together, in a few
queries a hop.

A hop whose inputs have several answers is run for every combination that is possible together,
as a SPARQL query would. What cannot be reckoned (`operations.NotComparable`) has no answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from factchain.chains.operations import operations
from factchain.chains.operations.operations import CHOICES, NotComparable
from factchain.chains.proof.plan import (
    HopPlan,
    NoPlan,
    conditions_of,
    key_of,
    plan_chain,
    start_nodes,
)
from factchain.chains.proof.store_facts import Node, StoreFact, StoreFacts
from factchain.chains.records import EntityRef, FactChain, Operand, TypedValue
from factchain.kg.records import number, qid
from factchain.kg.store import Store

MOST_BINDINGS = 100_000
"""Combinations of earlier answers for which a hop is run; the rest of a chain is not run then."""


@dataclass
class HopResult:
    """What a hop, run on the store, comes to."""

    answers: dict[str, Node] = field(default_factory=dict)
    """The answers by their key: Q-id, or value and unit."""
    facts: set[int] = field(default_factory=set)
    """The witnesses: ids in the store's table `fact`."""

    @property
    def keys(self) -> set[str]:
        """What tells the answers apart, as `EntityRef.key` and `TypedValue.key`."""
        return set(self.answers)


Answers = dict[int, HopResult]
"""Result by hop; a hop that could not be run has no answer."""

Binding = dict[int, Node]
"""Answers of several hops that are possible together."""


def execute(
    store: Store, chains: Sequence[FactChain], facts: StoreFacts | None = None
) -> list[Answers]:
    """The results of every hop of every chain; `facts` remembers what was looked up."""
    looked_up = facts or StoreFacts(store)
    runs = [_Run(chain) for chain in chains]
    for index in range(1, max((len(chain.hops) for chain in chains), default=0) + 1):
        steps = [(run, hop) for run in runs for hop in run.plans if hop.index == index]
        bound = [(run, hop, run.bindings(hop)) for run, hop in steps]
        _RunHops(looked_up, bound).run()
    return [run.answers for run in runs]


class _Run:
    """One chain while it is run.

    Bindings are kept apart as long as no hop needs them together, and what no later hop needs is
    forgotten: a chain of lookups is a set of entities at every hop, not a set of paths.
    """

    def __init__(self, chain: FactChain) -> None:
        self.answers: Answers = {hop.index: HopResult() for hop in chain.hops}
        self.relations: list[tuple[frozenset[int], list[Binding]]] = []
        self._used: frozenset[int] = frozenset()
        """Of which hops the relations held answers that the present hop joins."""
        try:
            self.plans = plan_chain(chain)
        except NoPlan:
            self.plans = []

    def bindings(self, hop: HopPlan) -> list[Binding]:
        """The combinations of the hop's inputs; those relations are used up."""
        inputs = {source.hop for source in hop.sources if source.hop is not None}
        needed = [relation for relation in self.relations if relation[0] & inputs]
        self.relations = [relation for relation in self.relations if not relation[0] & inputs]
        self._used = frozenset().union(*(variables for variables, _ in needed))
        rows: list[Binding] = [{}]
        for _, relation in needed:
            if len(rows) * len(relation) > MOST_BINDINGS:
                return []
            rows = [a | b for a in rows for b in relation]
        return rows

    def add(self, hop: HopPlan, rows: Iterable[tuple[Binding, Node, Iterable[int]]]) -> None:
        """Take the answers of a hop: each with the binding it follows from, and its facts."""
        later = {
            source.hop for plan in self.plans if plan.index > hop.index for source in plan.sources
        }
        result = self.answers[hop.index]
        kept: dict[tuple[tuple[int, str], ...], Binding] = {}
        for binding, answer, facts in rows:
            result.answers[key_of(answer)] = answer
            result.facts.update(facts)
            left = {index: node for index, node in binding.items() if index in later}
            left[hop.index] = answer
            kept[tuple((index, key_of(node)) for index, node in sorted(left.items()))] = left
        self.relations.append(((self._used & later) | {hop.index}, list(kept.values())))


Found = tuple[Binding, Node, Iterable[int]]
"""An answer with the binding that it follows from, and its facts."""


@dataclass
class _RunHops:
    """The hops of one index of all chains."""

    facts: StoreFacts
    steps: list[tuple[_Run, HopPlan, list[Binding]]]

    def run(self) -> None:
        """Look up what the hops ask for, and add the answers to the runs."""
        self._look_up()
        conditions = [
            (at, binding, conditions_of(hop, start_nodes(hop, binding)))
            for at, (_, hop, bindings) in enumerate(self.steps)
            if hop.shape == "intersect"
            for binding in bindings
        ]
        met = self.facts.meeting_all([task for _, _, task in conditions]) if conditions else []
        joint: dict[int, list[Found]] = defaultdict(list)
        for (at, binding, _), entities in zip(conditions, met, strict=True):
            joint[at] += [(binding, entity, facts) for entity, facts in entities.items()]
        takes = {
            "lookup": self._lookup,
            "count": self._count,
            "reckon": self._reckon,
            "compare": self._compare,
            "members": self._members,
        }
        for at, (run, hop, bindings) in enumerate(self.steps):
            if hop.shape == "intersect":
                run.add(hop, joint[at])
                continue
            take = takes[hop.shape]
            run.add(hop, [found for binding in bindings for found in take(hop, binding)])

    def _look_up(self) -> None:
        forward: set[tuple[int, int]] = set()
        backward: set[tuple[int, int]] = set()
        for _, hop, bindings in self.steps:
            if hop.shape in ("intersect", "reckon"):
                continue
            nodes = {node for binding in bindings for node in start_nodes(hop, binding)}
            entities = [node for node in nodes if isinstance(node, int)]
            pairs = [(entity, hop.properties[0]) for entity in entities]
            if hop.forward:
                forward.update(pairs)
            else:
                backward.update((p, entity) for entity, p in pairs)
        self.facts.ask_objects(sorted(forward))
        self.facts.ask_subjects(sorted(backward))
        self.facts.ask_objects(
            sorted(
                {
                    (member, hop.properties[1])
                    for _, hop, bindings in self.steps
                    if hop.shape == "members"
                    for binding in bindings
                    for member, _ in self._members_of(hop, binding)
                }
            )
        )

    def _objects(self, node: Node, p: int) -> Sequence[StoreFact]:
        return self.facts.objects(node, p) if isinstance(node, int) else ()

    def _members_of(self, hop: HopPlan, binding: Binding) -> list[tuple[int, int]]:
        (node,) = start_nodes(hop, binding)
        found = self._objects(node, hop.properties[0])
        return [(fact.object, fact.fact) for fact in found if isinstance(fact.object, int)]

    def _lookup(self, hop: HopPlan, binding: Binding) -> Iterable[Found]:
        (node,) = start_nodes(hop, binding)
        for fact in self._objects(node, hop.properties[0]):
            if fact.object is not None:
                yield binding, fact.object, [fact.fact]

    def _count(self, hop: HopPlan, binding: Binding) -> Iterable[Found]:
        (node,) = start_nodes(hop, binding)
        if not isinstance(node, int):
            return
        if hop.forward:
            facts: Sequence[int] = [f.fact for f in self._objects(node, hop.properties[0])]
            total = len(facts)
        else:
            total, facts, _ = self.facts.subjects(hop.properties[0], node)
        if total:
            yield binding, operations.constant(total), facts

    def _reckon(self, hop: HopPlan, binding: Binding) -> Iterable[Found]:
        assert hop.operator is not None  # by plan_hop
        operands = [
            operand if operand.hop is None else binding[operand.hop] for operand in hop.operands
        ]
        if any(isinstance(operand, int) for operand in operands):
            return
        try:
            result = operations.build(hop.operator, operands).result  # type: ignore[arg-type]
        except NotComparable:
            return
        if isinstance(result, TypedValue):
            yield binding, result, ()

    def _compare(self, hop: HopPlan, binding: Binding) -> Iterable[Found]:
        assert hop.operator is not None  # by plan_hop
        a, b = start_nodes(hop, binding)
        (p,) = hop.properties
        for first in self._objects(a, p):
            for second in self._objects(b, p):
                try:
                    pair = [_operand(a, first.object), _operand(b, second.object)]
                    result = operations.build(hop.operator, pair).result
                except NotComparable:
                    continue
                answer = number(result.id) if isinstance(result, EntityRef) else result
                yield binding, answer, [first.fact, second.fact]

    def _members(self, hop: HopPlan, binding: Binding) -> Iterable[Found]:
        assert hop.operator is not None  # by plan_hop
        values: list[tuple[int, Operand]] = []
        facts: list[int] = []
        for member, fact in self._members_of(hop, binding):
            for value in self._objects(member, hop.properties[1]):
                if isinstance(value.object, TypedValue):
                    values.append((member, _operand(member, value.object)))
                    facts += [fact, value.fact]
        operands = [operand for _, operand in values]
        if hop.operator not in CHOICES:
            try:
                total = operations.build(hop.operator, operands).result
            except NotComparable:
                return
            if isinstance(total, TypedValue):
                yield binding, total, facts
            return
        ahead = partial(operations.is_ahead, hop.operator)
        for member, operand in values:
            others = [other for entity, other in values if entity != member]
            try:
                if others and all(ahead(operand, other) for other in others):
                    yield binding, member, facts
            except NotComparable:
                continue


def _operand(entity: Node, value: Node | None) -> Operand:
    """A value with the entity that it is of; labels play no part."""
    if isinstance(value, int):
        return Operand(value=EntityRef(id=qid(value), label=""))
    if value is None or not isinstance(entity, int):
        raise NotComparable("it is no date and no quantity")
    return Operand(value=value, entity=EntityRef(id=qid(entity), label=""))

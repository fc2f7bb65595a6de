"""Every chain of a small graph, by brute force, and what is wrong with it, by definition.

Nothing of factchain decides here: compositions are enumerated over a template, and each
constraint of DESIGN.md section 2 is tested on plain sets of triples.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import networkx as nx

from factchain.chains.records import EntityRef, FactChain, Hop, TypedValue
from random_chains import chain_of
from typed_worlds import LITERALS, Fact, World, label

Triple = tuple[str, str, str]


class Step(NamedTuple):
    """A hop that looks up or intersects."""

    inputs: tuple[int, ...]
    topics: tuple[str, ...]
    facts: tuple[Triple, ...]
    answer: str

    @property
    def kind(self) -> str:
        return "lookup" if len(self.facts) == 1 else "intersect"


Steps = tuple[Step, ...]


def compositions(triples: Sequence[Triple], template: nx.DiGraph) -> Iterator[Steps]:
    """Every way to lay facts over a template, valid or not: a hop without input starts at any
    topic, one with one input looks up, one with more intersects, in either form."""

    def extend(steps: Steps) -> Iterator[Steps]:
        index = len(steps) + 1
        if index > len(template):
            yield steps
            return
        inputs = tuple(sorted(template.predecessors(index)))
        starts = [steps[i - 1].answer for i in inputs]
        if not inputs:
            found = [Step((), (t[0],), (t,), t[2]) for t in triples]
        elif len(inputs) == 1:
            found = [Step(inputs, (), (t,), t[2]) for t in triples if t[0] == starts[0]]
        else:
            found = list(_joins(triples, inputs, starts))
        for step in found:
            yield from extend((*steps, step))

    yield from extend(())


def _joins(
    triples: Sequence[Triple], inputs: tuple[int, ...], starts: Sequence[str]
) -> Iterator[Step]:
    for near, far in ((0, 2), (2, 0)):
        options = [[t for t in triples if t[near] == start] for start in starts]
        for facts in itertools.product(*options):
            if len({t[far] for t in facts}) == 1:
                yield Step(inputs, (), facts, facts[0][far])


def to_chain(steps: Steps, topology: str) -> FactChain:
    """The record of a composition."""
    hops = [
        Hop(
            index=index,
            kind="lookup" if len(step.facts) == 1 else "intersect",
            inputs=step.inputs,
            topics=step.topics,
            answer=EntityRef(id=step.answer, label=label(step.answer)),
            facts=tuple(Fact(*t).record() for t in step.facts),
        )
        for index, step in enumerate(steps, start=1)
    ]
    return chain_of(hops, topology)


def wrong_with(world: World, steps: Steps) -> set[str]:
    """The names of the constraints that a composition violates."""
    now = {(f.s, f.p, f.o) for f in world.new if f.p not in LITERALS}
    ever = nx.Graph((f.s, f.o) for f in (*world.old, *world.new) if f.p not in LITERALS)
    wrong = set()
    nodes = [t for step in steps for t in step.topics] + [step.answer for step in steps]
    if len(set(nodes)) < len(nodes):
        wrong.add("acyclicity")
    linked = set()
    for step in steps:
        starts = [steps[i - 1].answer for i in step.inputs] + list(step.topics)
        linked |= {frozenset((start, step.answer)) for start in starts}
        if len(step.facts) == 1:
            ((s, p, _),) = step.facts
            if sum(t[:2] == (s, p) for t in now) != 1:
                wrong.add("single answers")
            continue
        met = [_meeting(now, fact, start) for fact, start in zip(step.facts, starts, strict=True)]
        if len(set.intersection(*met)) != 1:
            wrong.add("single answers")
        whole = len(set.intersection(*met))
        for at in range(len(met)):
            rest = met[:at] + met[at + 1 :]
            if len(set.intersection(*rest)) <= whole:
                wrong.add("necessity")
    for a, b in itertools.combinations(sorted(set(nodes)), 2):
        if frozenset((a, b)) not in linked and ever.has_edge(a, b):
            wrong.add("no shortcut")
    return wrong


def _meeting(now: set[Triple], fact: Triple, start: str) -> set[str]:
    """Who meets the condition that a fact states, seen from its start.

    A fact from an entity to itself is of the form that its place in the step gives; such facts
    make a chain cyclic in any case.
    """
    s, p, o = fact
    if s == start:
        return {t[2] for t in now if t[:2] == (s, p)}
    return {t[0] for t in now if t[1:] == (p, o)}


def members(world: World, template: nx.DiGraph) -> set[Steps]:
    """Every valid chain of a template."""
    triples = sorted({(f.s, f.p, f.o) for f in world.new if f.p not in LITERALS})
    return {steps for steps in compositions(triples, template) if not wrong_with(world, steps)}


def reckons_wrong(chain: FactChain) -> list[int]:
    """The hops whose operation does not come to their answer, by datetime, Decimal and sorting.

    Only for dates after Christ, in the Gregorian calendar, that are known to the day where days
    are asked for.
    """
    return [
        hop.index
        for hop in chain.hops
        if hop.operation is not None and _reckoned(hop) != hop.answer.key.partition(" ")[0]
    ]


def _reckoned(hop: Hop) -> str:
    assert hop.operation is not None
    operator = hop.operation.operator
    values = [operand.value for operand in hop.operation.operands]
    keys = [value.key.partition(" ")[0] for value in values]
    if operator == "count":
        return str(len({fact.key for fact in hop.facts}))
    if operator == "same":
        return "yes" if keys[0] == keys[1] else "no"
    if operator in ("sum", "difference", "product"):
        first, *rest = map(Decimal, keys)
        for number in rest:
            first = {
                "sum": first + number,
                "difference": first - number,
                "product": first * number,
            }[operator]
        return f"{first.normalize():f}"
    years = [int(key[:4]) for key in keys if len(key) >= 4 and key[:4].isdigit()]
    if operator == "years_between":
        return str(abs(years[0] - years[1]))
    if operator in ("years_before", "years_after"):
        return f"{years[0] + int(keys[1]) * (1 if operator == 'years_after' else -1):04d}"
    if operator == "days_between":
        a, b = map(datetime.date.fromisoformat, keys)
        return str(abs((a - b).days))
    return _chosen(operator, hop, values, keys)


def _chosen(
    operator: str, hop: Hop, values: Sequence[EntityRef | TypedValue], keys: Sequence[str]
) -> str:
    def rank(at: int) -> tuple[object, ...]:
        value = values[at]
        assert isinstance(value, TypedValue)
        if value.datatype == "time":
            return tuple(map(int, keys[at].split("-")))
        return (Decimal(keys[at]),)

    if operator in ("before", "less"):
        return "yes" if rank(0) < rank(1) else "no"
    if operator in ("after", "more"):
        return "yes" if rank(0) > rank(1) else "no"
    read = hop.facts[-len(keys) :]
    best = min if operator in ("earliest", "smallest") else max
    return read[best(range(len(keys)), key=rank)].s

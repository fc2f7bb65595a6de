"""Every composition of a pattern of mathematics in a small world, by definition.

Only what the steps of a pattern mean is used, on plain lists of facts: neither the joins nor the
tables of `chains.mathematics.compose`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import networkx as nx

from factchain.chains.mathematics.patterns import Pattern, Step
from typed_worlds import DAY, LENGTH, LITERALS, NUMBER, YEAR, World

Triple = tuple[str, str, str]
KINDS = {
    "lookup": "lookup",
    "value": "lookup",
    "count": "count",
    "meet": "intersect",
    "pick": "compare",
    "judge": "compare",
    "alike": "compare",
    "choose": "compare",
}
"""Kinds of hops by step; all others are arithmetic."""
TABLES = {
    "year": (DAY, YEAR),
    "date": (DAY, YEAR),
    "plain year": (YEAR,),
    "moved": (DAY, YEAR),
    "quantity": (NUMBER, LENGTH),
}
"""Properties of literals that a relation may be of."""


class Done(NamedTuple):
    """A hop of a composition."""

    kind: str
    facts: tuple[Triple, ...]
    answer: str | int | None
    """An entity, a literal or a count; None where it depends on what the facts leave open."""
    node: str | None
    """The entity that it answers with."""
    start: str | None = None
    """Its topic."""


Signature = tuple[tuple[str, tuple[Triple, ...]], ...]


def signature(hops: list[tuple[str, tuple[Triple, ...]]]) -> Signature:
    """What tells compositions apart, whatever the order of hops that can change places."""
    return tuple(sorted((kind, tuple(sorted(facts))) for kind, facts in hops))


class Oracle:
    """The compositions of one pattern in one world."""

    def __init__(self, world: World, pattern: Pattern) -> None:
        self.pattern = pattern
        facts = sorted({(f.s, f.p, f.o) for f in world.new})
        self.edges = [f for f in facts if f[1] not in LITERALS]
        self.literals = [f for f in facts if f[1] in LITERALS]
        self.joined = nx.Graph((f.s, f.o) for f in (*world.new, *world.old) if f.p not in LITERALS)
        self.tables = {branch.name: branch.table for branch in pattern.join.walk()}

    def found(self) -> tuple[set[Signature], set[Signature]]:
        """The signatures of valid compositions, and of those that are valid for some choice of
        what the facts leave open."""
        must, may = set(), set()
        for hops in self._extend([]):
            if self._holds(hops):
                own = signature([(hop.kind, hop.facts) for hop in hops])
                (may if self._depends(hops) else must).add(own)
        return must, may

    def _extend(self, hops: list[Done]) -> Iterator[list[Done]]:
        if len(hops) == len(self.pattern.steps):
            yield hops
            return
        step = self.pattern.steps[len(hops)]
        for hop in getattr(self, f"_{step.kind}")(step, hops):
            yield from self._extend([*hops, hop])

    def _starts(self, step: Step, hops: list[Done], options: set[str]) -> list[str]:
        if step.inputs:
            return [node] if (node := hops[step.inputs[0] - 1].node) else []
        return sorted(options)

    def _single(self, fact: Triple) -> bool:
        return sum(f[:2] == fact[:2] for f in (*self.edges, *self.literals)) == 1

    def _lookup(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        for start in self._starts(step, hops, {s for s, _, _ in self.edges}):
            for fact in self.edges:
                if fact[0] == start and self._single(fact):
                    topic = None if step.inputs else start
                    yield Done("lookup", (fact,), fact[2], fact[2], topic)

    def _value(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        allowed = TABLES[self.tables[step.relation]]
        for start in self._starts(step, hops, {s for s, _, _ in self.literals}):
            for fact in self.literals:
                if fact[0] == start and fact[1] in allowed and self._single(fact):
                    topic = None if step.inputs else start
                    yield Done("lookup", (fact,), fact[2], None, topic)

    def _count(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        for place in (0, 2):
            for start in self._starts(step, hops, {f[place] for f in self.edges}):
                for p in sorted({f[1] for f in self.edges}):
                    facts = tuple(f for f in self.edges if f[place] == start and f[1] == p)
                    if len(facts) > 1:
                        topic = None if step.inputs else start
                        yield Done("count", facts, len(facts), None, topic)

    def _open(self, _step: Step, _hops: list[Done]) -> Iterator[Done]:
        yield Done("arithmetic", (), None, None)

    _offset = _before = _shift = _jubilee = _scale = _open

    def _meet(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        nodes = [hops[i - 1].node for i in step.inputs if hops[i - 1].node]
        for date in self.literals:
            if date[1] not in (DAY, YEAR):
                continue
            for edge in self.edges:
                if edge[0] != date[0] or (nodes and edge[2] != nodes[0]):
                    continue
                if self._only(date, edge) and self._reaches(int(date[2][:4]), step, hops):
                    # The order of the facts is that of the inputs, then the topics.
                    topic = None if nodes else edge[2]
                    yield Done("intersect", (date, edge), edge[0], edge[0], topic)

    def _only(self, date: Triple, edge: Triple) -> bool:
        """Whether one entity meets both conditions, by one fact each, and several meet each."""
        dated = [f for f in self.literals if f[1] == date[1] and f[2][:4] == date[2][:4]]
        linked = [f for f in self.edges if f[1:] == edge[1:]]
        both = [(d, e) for d in dated for e in linked if d[0] == e[0]]
        several = len({d[0] for d in dated}) > 1 and len({e[0] for e in linked}) > 1
        return len(both) == 1 and several

    def _reaches(self, year: int, step: Step, hops: list[Done]) -> bool:
        """Whether the year can come out of the hop that gives it."""
        source = next(i for i in step.inputs if not hops[i - 1].node)
        how = self.pattern.steps[source - 1]
        if how.kind == "before":
            return True
        if how.kind == "value":
            return int(str(hops[source - 1].answer)[:4]) == year
        given = [hops[i - 1].answer for i in how.inputs]
        apart = abs(int(str(given[0])[:4]) - year)
        return 1 <= apart <= 100 if how.kind == "offset" else apart == given[1]

    def _two(self, step: Step, hops: list[Done], facts: list[Triple]) -> Iterator[list[Triple]]:
        a, b = (hops[i - 1].node for i in step.inputs)
        for first in facts:
            for second in facts:
                alike = (first[0], second[0]) == (a, b) and first[1] == second[1]
                if alike and self._single(first) and self._single(second):
                    yield [first, second]

    def _pick(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        for facts in self._two(step, hops, self.literals):
            if facts[0][2] == facts[1][2]:
                continue
            for winner in facts:
                yield Done("compare", tuple(facts), None, winner[0])

    def _judge(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        for facts in self._two(step, hops, self.literals):
            if facts[0][2] != facts[1][2]:
                yield Done("compare", tuple(facts), None, None)

    def _alike(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        for facts in self._two(step, hops, self.edges):
            yield Done("compare", tuple(facts), None, None)

    def _members(self, step: Step, hops: list[Done]) -> Iterator[tuple[str, list[Triple]]]:
        """The facts of a group, then one literal of a kind of each object."""
        for start in self._starts(step, hops, {s for s, _, _ in self.edges}):
            for p in sorted({f[1] for f in self.edges}):
                group = [f for f in self.edges if f[:2] == (start, p)]
                for q in LITERALS:
                    values = [
                        f
                        for g in group
                        for f in self.literals
                        if f[:2] == (g[2], q) and self._single(f)
                    ]
                    if len(group) > 1 and len(values) == len(group):
                        yield start, [*group, *values]

    def _choose(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        for start, facts in self._members(step, hops):
            values = facts[len(facts) // 2 :]
            numbers = [(_size(f), f[0]) for f in values]
            for end in (min(numbers), max(numbers)):
                if [n for n, _ in numbers].count(end[0]) == 1:
                    topic = None if step.inputs else start
                    yield Done("compare", tuple(facts), end[1], end[1], topic)

    def _sum(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        for start, facts in self._members(step, hops):
            if facts[-1][1] in (NUMBER, LENGTH):
                yield Done("arithmetic", tuple(facts), None, None, None if step.inputs else start)

    def _of_one_kind(self, step: Step, hops: list[Done]) -> Iterator[Done]:
        a, b = (hops[i - 1] for i in step.inputs)
        if a.kind == "lookup":
            same = a.facts[0][1] == b.facts[0][1]
        else:
            same = a.facts[0][1] == b.facts[0][1] and _form(a) == _form(b)
        if same:
            yield Done("arithmetic", (), None, None)

    _total = _span = _of_one_kind

    def _product(self, _step: Step, _hops: list[Done]) -> Iterator[Done]:
        yield Done("arithmetic", (), None, None)

    def _holds(self, hops: list[Done]) -> bool:
        """Whether entities are distinct and held apart, and no value or fact is repeated."""
        nodes, linked = [], set()
        for hop, step in zip(hops, self.pattern.steps, strict=True):
            starts = [hops[i - 1].node for i in step.inputs] + [hop.start]
            if hop.start:
                nodes.append(hop.start)
            if hop.node and step.kind != "pick":
                nodes.append(hop.node)
                linked |= {frozenset((start, hop.node)) for start in starts if start}
        facts = [fact for hop in hops for fact in hop.facts]
        values = [str(h.answer) for h in hops if h.answer is not None and not h.node]
        return (
            len(set(nodes)) == len(nodes)
            and len(set(facts)) == len(facts)
            and len(set(values)) == len(values)
            and not any(
                self.joined.has_edge(a, b)
                for a, b in combinations(nodes, 2)
                if frozenset((a, b)) not in linked
            )
        )

    def _depends(self, hops: list[Done]) -> bool:
        """Whether the result may be the answer of another hop, as 4 - 2 is: it depends on whether
        a sum or a difference is asked for."""
        last = self.pattern.steps[-1]
        if last.kind != "total":
            return False
        a, b = (float(str(hops[i - 1].answer)) for i in last.inputs)
        return abs(a - b) in (a, b) or a + b in (a, b)


def _form(hop: Done) -> int:
    return 0 if len({f[0] for f in hop.facts}) == 1 else 2


def _size(fact: Triple) -> float:
    return float(fact[2].replace("-", "")) if fact[1] in (DAY, YEAR) else float(fact[2])

"""Small graphs without a store, and every reasoning graph in them by definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.graph.index_build import CURRENT, Facts, build_arrays
from factchain.chains.topologies import Graph

Fact = tuple[int, int, int]
Found = dict[frozenset[Fact], set[str]]
"""The facts of each reasoning graph, and its label patterns."""


@dataclass
class SmallGraph:
    """Facts of the newest snapshot by recency, and facts that are gone."""

    facts: dict[Fact, str]
    gone: list[Fact] = field(default_factory=list)
    unlabelled: frozenset[int] = frozenset()

    def index(self) -> GraphIndex:
        rows = [*self.facts, *self.gone]
        codes = [1 + ("old", "new").index(label) for label in self.facts.values()]
        s, p, o = (np.array(column, np.int32) for column in zip(*rows, strict=True))
        flags = [CURRENT | code << 2 for code in codes] + [0] * len(self.gone)
        entities = {e for s, _, o in rows for e in (s, o)} - self.unlabelled
        return GraphIndex(
            build_arrays(
                Facts(
                    fact=np.arange(1, len(rows) + 1, dtype=np.uint32),
                    s=s,
                    p=p,
                    o=o,
                    flags=np.array(flags, np.uint8),
                    labelled=np.array(sorted(entities), np.int32),
                )
            )
        )

    def reasoning_graphs(self, template: Graph, *, several: bool = False) -> Found:
        """Every valid one, found hop by hop, tested as a whole."""
        found: Found = {}
        objects = Counter((s, p) for s, p, _ in self.facts)
        joined = nx.Graph([(s, o) for s, _, o in [*self.facts, *self.gone]])
        for hops in self._extend(template, (), several, objects):
            facts = frozenset(fact for hop in hops for fact in hop[1])
            if self._holds(template, hops, joined):
                labels = " ".join(
                    "new" if any(self.facts[f] == "new" for f in hop[1]) else "old" for hop in hops
                )
                found.setdefault(facts, set()).add(labels)
        return found

    def _extend(
        self, template: Graph, hops: tuple[Any, ...], several: bool, objects: Counter[Any]
    ) -> Iterator[tuple[Any, ...]]:
        """Assignments of (answer, facts) to hops, in their order."""
        hop = len(hops) + 1
        if hop > len(template):
            yield hops
            return
        inputs = [hops[source - 1][0] for source in sorted(template.predecessors(hop))]
        for answer, facts in self._hop(inputs, several, objects):
            yield from self._extend(template, (*hops, (answer, facts)), several, objects)

    def _hop(
        self, inputs: Sequence[int], several: bool, objects: Counter[Any]
    ) -> Iterator[tuple[int, tuple[Fact, ...]]]:
        if len(inputs) < 2:
            for fact in self.facts:
                single = several or objects[fact[0], fact[1]] == 1
                if single and (not inputs or fact[0] == inputs[0]):
                    yield fact[2], (fact,)
            return
        for end in (0, 2):  # where the answer stands: subject form, object form
            for chosen in self._conditions(inputs, end):
                sets = [
                    {f[end] for f in self.facts if f[1] == c[1] and f[2 - end] == c[2 - end]}
                    for c in chosen
                ]
                unique = set.intersection(*sets) == {chosen[0][end]}
                needed = all(
                    len(set.intersection(*rest)) != 1 for rest in combinations(sets, len(sets) - 1)
                )
                if unique and needed:
                    yield chosen[0][end], chosen

    def _conditions(self, inputs: Sequence[int], end: int) -> Iterator[tuple[Fact, ...]]:
        if not inputs:
            yield ()
            return
        for fact in self.facts:
            if fact[2 - end] == inputs[0]:
                for rest in self._conditions(inputs[1:], end):
                    if not rest or rest[0][end] == fact[end]:
                        yield (fact, *rest)

    def _holds(self, template: Graph, hops: Sequence[Any], joined: nx.Graph[Any]) -> bool:
        nodes, linked = [], set()
        for hop, (answer, facts) in enumerate(hops, start=1):
            nodes.append(answer)
            if not template.in_degree(hop):
                nodes.append(facts[0][0])
            linked |= {frozenset((s, o)) for s, _, o in facts}
        apart = not any(
            frozenset(pair) not in linked and joined.has_edge(*pair)
            for pair in combinations(nodes, 2)
        )
        return apart and len(set(nodes)) == len(nodes) and not self.unlabelled & set(nodes)


def random_graph(seed: int, entities: int, edges: int, properties: int = 3) -> SmallGraph:
    """Facts at random, a tenth of them gone."""
    rng = np.random.default_rng(seed)
    rows = {
        (int(s), int(p), int(o))
        for s, p, o in zip(
            rng.integers(1, entities + 1, edges),
            rng.integers(1, properties + 1, edges),
            rng.integers(1, entities + 1, edges),
            strict=True,
        )
        if s != o
    }
    gone = [fact for fact in sorted(rows) if rng.random() < 0.1]
    labels = {f: ("old", "new")[int(rng.random() < 0.4)] for f in sorted(rows) if f not in gone}
    return SmallGraph(labels, gone)


def planted_graph(seed: int, template: Graph, noise: int = 3) -> SmallGraph:
    """Two reasoning graphs of a template that may share entities, with what makes conditions
    needed, and some facts at random."""
    rng = np.random.default_rng(seed)
    ends = len(template) + sum(not template.in_degree(hop) for hop in template)
    rows = set(random_graph(seed, 2 * ends, noise).facts)
    for _ in range(2):
        nodes = (1 + rng.permutation(2 * ends)).tolist()
        topics = iter(nodes[len(template) :])
        for hop in template:
            sources = [nodes[i - 1] for i in sorted(template.predecessors(hop))]
            backwards = len(sources) > 1 and rng.random() < 0.5
            # Whoever leaves one condition out finds somebody else as well.
            others = (100 + rng.permutation(99)[: len(sources)]).tolist()
            for i, source in enumerate(sources or [next(topics)]):
                p = int(rng.integers(1, 4))
                rest = others[:i] + others[i + 1 :] if len(sources) > 1 else []
                for target in [nodes[hop - 1], *rest]:
                    rows.add((target, p, source) if backwards else (source, p, target))
    return SmallGraph({f: ("old", "new")[int(rng.random() < 0.4)] for f in sorted(rows)})

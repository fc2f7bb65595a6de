"""Chains of a real graph (WD50K), checked one by one from the raw file."""

from __future__ import annotations

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

from factchain.chains.drafts import Draft
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.graph.index_build import CURRENT, Facts, build_arrays
from factchain.chains.sampling.sampler import enumerate_drafts
from factchain.chains.settings import SampleSettings


class RawGraph:
    """The statements as sets, by what they are asked for."""

    def __init__(self, path: Path) -> None:
        self.objects: dict[tuple[int, int], set[int]] = defaultdict(set)
        self.subjects: dict[tuple[int, int], set[int]] = defaultdict(set)
        self.joined: set[frozenset[int]] = set()
        self.facts: set[tuple[int, int, int]] = set()
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                s, p, o = (int(row[column][1:]) for column in ("s", "p", "o"))
                self.facts.add((s, p, o))
                self.objects[s, p].add(o)
                self.subjects[p, o].add(s)
                self.joined.add(frozenset((s, o)))

    def index(self) -> GraphIndex:
        s, p, o = (np.array(c, np.int32) for c in zip(*sorted(self.facts), strict=True))
        count = len(s)
        ids = np.arange(1, count + 1, dtype=np.uint32)
        flags = np.full(count, CURRENT, np.uint8)
        return GraphIndex(build_arrays(Facts(ids, s, p, o, flags, np.union1d(s, o))))

    def assert_valid(self, draft: Draft) -> None:
        """Every constraint, on the raw statements."""
        nodes = [topic for hop in draft.hops for topic in hop.topics]
        linked = set()
        for hop in draft.hops:
            sources = [draft.hops[i - 1].answer for i in hop.inputs] or list(hop.topics)
            facts = [(fact.s, fact.p, fact.o) for fact in hop.facts]
            assert self.facts.issuperset(facts)
            if [s for s, _, _ in facts] == sources:
                answers = [self.objects[s, p] for s, p, _ in facts]
            else:
                assert [o for _, _, o in facts] == sources
                answers = [self.subjects[p, o] for _, p, o in facts]
            assert set.intersection(*answers) == {hop.answer}
            if len(facts) > 1:
                assert all(len(alone) > 1 for alone in answers)
            nodes.append(hop.answer)
            linked |= {frozenset((s, o)) for s, _, o in facts}
        assert len(set(nodes)) == len(nodes)
        for pair in map(frozenset, combinations(nodes, 2)):
            assert pair in linked or pair not in self.joined


def test_no_chain_of_a_real_graph_violates_a_constraint(
    reference: Callable[[str], Path],
) -> None:
    raw = RawGraph(reference("wd50k_labelled.tsv.gz"))
    settings = SampleSettings(
        "none", (1, 2, 3, 4), 16, 1, topologies=("chain", "bridge", "converging"), work=2_000_000
    )
    pools = enumerate_drafts(raw.index(), settings, Counter())
    drafts = [draft for stratum in pools.available for _, draft in pools.candidates(stratum)]
    assert len(drafts) == len({(draft.topology, draft.facts) for draft in drafts})
    shapes = Counter((draft.topology, len(draft.hops)) for draft in drafts)
    assert set(shapes) == {
        *(("chain", hops) for hops in (1, 2, 3, 4)),
        ("bridge", 4),
        ("converging", 3),
        ("converging", 4),
    }
    assert shapes.total() >= 20_000
    for draft in drafts:
        raw.assert_valid(draft)

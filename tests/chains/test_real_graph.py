"""Chains of a real graph (WD50K), checked one by one from the raw file."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path

import networkx as nx

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.chains.build import sample_chains
from factchain.chains.records import FactChain
from factchain.chains.sampler import SampleSettings
from factchain.kg.ingest import ingest
from factchain.kg.store import Store
from factchain.records import read_records


def test_no_chain_of_a_real_graph_violates_a_constraint(
    reference: Callable[[str], Path], tmp_path: Path
) -> None:
    objects: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    labels: dict[str, str] = {}
    properties: set[str] = set()
    joined = nx.Graph()
    with gzip.open(reference("wd50k_labelled.tsv.gz"), "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            objects[row["s"]][row["p"]].add(row["o"])
            joined.add_edge(row["s"], row["o"])
            properties.add(row["p"])
            labels |= {row["s"]: row["s_label"], row["o"]: row["o_label"]}
    entities = [property_entity(p, p) for p in sorted(properties)] + [
        item(
            q,
            label,
            [claim(item_snak(p, o)) for p in sorted(objects[q]) for o in sorted(objects[q][p])],
        )
        for q, label in labels.items()
    ]
    out = tmp_path / "chains.jsonl"
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "dump.json", entities), "a", "2019-08-01")
        sample_chains(store, [SampleSettings("none", (1, 2, 3), 400, 1)], out)
    chains = list(read_records(out, FactChain))
    assert len(chains) == len({chain.id for chain in chains}) == 1200
    for chain in chains:
        facts = [(fact.s, fact.p, fact.o) for hop in chain.hops for fact in hop.facts]
        nodes = [facts[0][0], *(o for _, _, o in facts)]
        assert all(a[2] == b[0] for a, b in pairwise(facts))
        assert len(set(nodes)) == len(nodes)
        assert all(objects[s][p] == {o} for s, p, o in facts)
        linked = set(pairwise(nodes))
        assert not any(
            joined.has_edge(a, b) for a, b in combinations(nodes, 2) if (a, b) not in linked
        )

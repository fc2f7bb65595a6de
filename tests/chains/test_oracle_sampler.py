"""What is drawn against the oracle: only valid chains, all of them over seeds, none twice."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_oracle import Steps, Triple, members
from factchain.chains.build import draw_chains
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.records import FactChain
from factchain.chains.settings import NO_CAPS, SampleSettings
from factchain.kg.store import Store
from random_chains import SHAPES, TOPOLOGIES
from typed_worlds import Fact, World, open_store

USER = {"diamond": ((1, 2), (1, 3), (2, 4), (3, 4))}


def settings_for(topology: str, hops: int, seed: int, per_stratum: int) -> SampleSettings:
    return SampleSettings(
        axis="none",
        hops=(hops,),
        per_stratum=per_stratum,
        seed=seed,
        caps=NO_CAPS,
        topologies=(topology,),
        user_topologies=USER,
    )


def triples_of(chain: FactChain) -> frozenset[Triple]:
    return frozenset((f.s, f.p, f.o or "") for hop in chain.hops for f in hop.facts)


def facts_of(steps: Steps) -> frozenset[Triple]:
    """The two branches of a converging chain are the same in either order."""
    return frozenset(fact for step in steps for fact in step.facts)


def repeats(steps: Steps) -> bool:
    """Whether a hop asks of an input's answer what that input was asked for ("the region of the
    region"): such chains are valid, but not drawn."""
    return any(
        s == steps[i - 1].answer and p in {before[1] for before in steps[i - 1].facts}
        for step in steps
        for i in step.inputs
        for s, p, _ in step.facts
    )


def unit(n: int) -> tuple[Fact, ...]:
    """A bridge, what converges, chains of up to four hops, and a diamond, with decoys."""
    triples = (
        *("Q0 P1 Q1", "Q1 P2 Q2", "Q3 P1 Q4", "Q2 P3 Q5", "Q2 P3 Q6", "Q4 P3 Q5", "Q4 P3 Q7"),
        *("Q5 P4 Q8", "Q8 P5 Q9", "Q9 P6 Q10", "Q10 P1 Q11", "Q14 P5 Q15", "Q14 P6 Q16"),
        *("Q20 P1 Q14", "Q17 P3 Q15", "Q17 P2 Q16", "Q18 P3 Q15", "Q19 P2 Q16"),
    )
    return tuple(
        Fact(f"Q{n + int(s[1:])}", p, f"Q{n + int(o[1:])}") for s, p, o in map(str.split, triples)
    )


nodes = st.sampled_from([f"Q{100 + n}" for n in (0, 2, 3, 4, 5, 6, 8, 11, 14, 15, 17)])
edges = st.builds(Fact, nodes, st.integers(1, 6).map("P{}".format), nodes)


@given(
    added=st.lists(edges.filter(lambda fact: fact.s != fact.o), max_size=8, unique=True),
    seed=st.integers(1, 99),
)
@settings(max_examples=8)
def test_what_is_drawn_is_what_the_oracle_has(added: list[Fact], seed: int) -> None:
    world = World(tuple(dict.fromkeys([*unit(100), *added])))
    with open_store(world) as store:
        graph = GraphIndex.from_store(store)
        for topology, hops in SHAPES:
            valid = members(world, TOPOLOGIES.template(topology, hops))
            wanted = {facts_of(steps) for steps in valid if not repeats(steps)}
            chains, _ = draw_chains(graph, settings_for(topology, hops, seed, 10_000))
            drawn = [triples_of(chain) for chain in chains]
            assert len(drawn) == len(set(drawn)), "a chain was drawn twice"
            assert set(drawn) == wanted, (topology, hops)


@pytest.mark.parametrize(("topology", "hops"), SHAPES)
def test_every_member_is_reached_over_seeds(topology: str, hops: int) -> None:
    world = World(unit(100) + unit(200) + unit(300))
    valid = members(world, TOPOLOGIES.template(topology, hops))
    wanted = {facts_of(steps) for steps in valid if not repeats(steps)}
    assert len(wanted) >= 3
    at_a_time = 1 + len(wanted) // 3
    reached: set[frozenset[Triple]] = set()
    with open_store(world) as store:
        graph = GraphIndex.from_store(store)
        for seed in range(200):
            chains, _ = draw_chains(graph, settings_for(topology, hops, seed, at_a_time))
            assert len(chains) == at_a_time
            reached |= {triples_of(chain) for chain in chains}
            if reached == wanted:
                break
    assert reached == wanted


def statements(path: Path) -> tuple[dict[str, dict[str, set[str]]], dict[str, str]]:
    """Objects by subject and property, and labels, from the raw file."""
    objects: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    labels: dict[str, str] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            objects[row["s"]][row["p"]].add(row["o"])
            labels |= {row["s"]: row["s_label"], row["o"]: row["o_label"]}
    return objects, labels


@pytest.mark.slow
def test_20_000_chains_of_a_real_graph_hold(reference: Callable[[str], Path]) -> None:
    """WD50K: chains of 1-4 hops, bridges and converging ones, each checked from the raw file."""
    objects, labels = statements(reference("wd50k_labelled.tsv.gz"))
    triples = [(s, p, o) for s in objects for p in objects[s] for o in objects[s][p]]
    subjects: dict[tuple[str, str], set[str]] = defaultdict(set)
    joined: set[frozenset[str]] = set()
    for s, p, o in triples:
        subjects[p, o].add(s)
        joined.add(frozenset((s, o)))
    chains: list[FactChain] = []
    with real_store(triples, labels) as store:
        graph = GraphIndex.from_store(store)
        for topology, hops, number in (
            *(("chain", 1, 500), ("chain", 2, 4000), ("chain", 3, 4500), ("chain", 4, 5000)),
            *(("bridge", 4, 2000), ("converging", 3, 2000), ("converging", 4, 2000)),
        ):
            chains += draw_chains(graph, settings_for(topology, hops, 7, number))[0]
    assert len(chains) >= 20_000
    assert Counter(chain.topology for chain in chains).keys() == {"chain", "bridge", "converging"}
    assert len({triples_of(chain) for chain in chains}) == len(chains)
    for chain in chains:
        assert list(wrong_from_raw(chain, objects, subjects, joined)) == [], chain.id


def real_store(triples: list[Triple], labels: dict[str, str]) -> Store:
    """The statements as a store in memory."""
    store = open_store(World((Fact("Q1", "P1", "Q1"),)))
    for table in ("fact", "fact_snapshot", "entity", "property"):
        store.connection.execute(f"DELETE FROM {table}")
    columns = zip(*((int(s[1:]), int(p[1:]), int(o[1:])) for s, p, o in triples), strict=True)
    table = pa.table(dict(zip("spo", columns, strict=True)))
    names = pa.table({"id": [int(q[1:]) for q in labels], "label": list(labels.values())})
    with store.incoming(edge=table, name=names):
        store.connection.execute(
            "INSERT INTO fact (id, s, p, o, datatype) "
            "SELECT row_number() OVER (), s, p, o, 'wikibase-item' FROM incoming_edge"
        )
        store.connection.execute(
            "INSERT INTO fact_snapshot SELECT id, 1, 'normal', NULL, NULL FROM fact"
        )
        # Namesakes are told apart by their ids here: the file has no descriptions.
        store.connection.execute(
            "INSERT INTO entity SELECT id, label, 'entity ' || id, [], [], NULL, 1 "
            "FROM incoming_name"
        )
        store.connection.execute(
            "INSERT INTO property SELECT DISTINCT p, 'property ' || p, NULL, [], 'x', 1 FROM fact"
        )
    return store


def wrong_from_raw(
    chain: FactChain,
    objects: dict[str, dict[str, set[str]]],
    subjects: dict[tuple[str, str], set[str]],
    joined: set[frozenset[str]],
) -> Iterator[str]:
    """What a chain of lookups and intersections violates, by the file's statements alone."""
    answers = {hop.index: hop.answer.key for hop in chain.hops}
    nodes = [*chain.topics, *answers.values()]
    if len(set(nodes)) < len(nodes):
        yield "acyclicity"
    linked = set()
    for hop in chain.hops:
        starts = [answers[i] for i in hop.inputs] + list(hop.topics)
        linked |= {frozenset((start, hop.answer.key)) for start in starts}
        met = []
        for fact, start in zip(hop.facts, starts, strict=True):
            if start not in (fact.s, fact.o) or hop.answer.key not in (fact.s, fact.o):
                yield "connectivity"
            forward = fact.s == start
            met.append(objects[start][fact.p] if forward else subjects[fact.p, start])
        if set.intersection(*met) != {hop.answer.key}:
            yield "single answers"
        if hop.kind == "intersect" and any(
            len(set.intersection(*met[:at], *met[at + 1 :])) < 2 for at in range(len(met))
        ):
            yield "necessity"
    for pair in itertools.combinations(nodes, 2):
        if frozenset(pair) not in linked and frozenset(pair) in joined:
            yield "no shortcut"

"""Execution on the store against SPARQL by rdflib."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, Namespace

from conftest import Edge, edges_to_entities, write_dump
from factchain.chains.execute import execute
from factchain.chains.records import ChainFact, EntityRef, FactChain, Hop, Query
from factchain.chains.sparql import to_sparql
from factchain.chains.topologies import chain_template, reasoning_graph
from factchain.kg.ingest import ingest
from factchain.kg.store import Store

WD = Namespace("http://www.wikidata.org/entity/")
WDT = Namespace("http://www.wikidata.org/prop/direct/")


def chain_of(topic: str, properties: list[str]) -> FactChain:
    """A chain whose claimed answers are wrong on purpose: execution must not look at them."""
    wrong = EntityRef(id="Q999", label="")
    hops = tuple(
        Hop(
            index=index,
            kind="lookup",
            inputs=(index - 1,) if index > 1 else (),
            topics=(topic,) if index == 1 else (),
            answer=wrong,
            facts=(
                ChainFact(
                    s=topic if index == 1 else "Q999",
                    s_label="",
                    p=p,
                    p_label="",
                    o="Q999",
                    o_label="",
                ),
            ),
        )
        for index, p in enumerate(properties, start=1)
    )
    return FactChain(
        id="c-x",
        axis="none",
        topology="chain",
        topics=(topic,),
        answer="Q999",
        hops=hops,
        query=Query(sparql=to_sparql(hops)),
        snapshot="now",
        seed=0,
    )


nodes = st.sampled_from([f"Q{n}" for n in range(1, 6)])
properties = st.sampled_from(["P1", "P2"])


@given(
    edges=st.lists(st.tuples(nodes, properties, nodes), min_size=1, max_size=12, unique=True),
    topic=nodes,
    path=st.lists(properties, min_size=1, max_size=4),
)
@settings(max_examples=40)
def test_execution_equals_sparql(
    tmp_path_factory: pytest.TempPathFactory, edges: list[Edge], topic: str, path: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("s")
    chain = chain_of(topic, path)
    graph = Graph()
    for s, p, o in edges:
        graph.add((WD[s], WDT[p], WD[o]))
    found = graph.query(chain.query.sparql, initNs={"wd": WD, "wdt": WDT})
    expected = {int(str(row[0]).rpartition("/Q")[2]) for row in found}
    with Store.create(folder / "kg") as store:
        ingest(store, write_dump(folder / "d.json", edges_to_entities(edges)), "n", "2024-06-05")
        (answers,) = execute(store, [chain])
        assert answers[len(path)] == expected


def test_templates() -> None:
    assert list(chain_template(3).edges) == [(1, 2), (2, 3)]
    assert list(chain_template(1).nodes) == [1]
    assert list(reasoning_graph(chain_of("Q1", ["P1", "P2"])).edges) == [(1, 2)]
    for hops in (0, 9):
        with pytest.raises(ValueError, match="1 to 8"):
            chain_template(hops)

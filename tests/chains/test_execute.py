"""Execution on the store against SPARQL by rdflib, and its answers written out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st
from rdflib import XSD, Graph, Literal

from factchain.chains.operations.typed_values import number_text
from factchain.chains.proof.execute import HopResult, execute
from factchain.chains.proof.sparql import to_sparql
from factchain.chains.records import FactChain, Hop
from random_chains import MOVED, OF_YEAR, random_chains
from typed_worlds import NAMESPACES, World, open_store, to_rdf, worlds


def asked(graph: Graph, hops: Sequence[Hop], kind: str) -> set[str]:
    """The answers that rdflib gives to the last hop, without their units."""
    rows = graph.query(to_sparql(hops), initNs=NAMESPACES)
    return {plain(row[0], kind) for row in rows if row[0] is not None}


def plain(term: Any, kind: str) -> str:
    if not isinstance(term, Literal):
        return str(term).rpartition("/")[2]
    if kind == MOVED:
        year = int(term.value)
        return f"{year:04d}" if year > 0 else f"-{1 - year:04d}"
    if term.datatype == XSD.dateTime:
        return str(term)[: 4 if kind == OF_YEAR else 10]
    return number_text(term.value) if term.datatype in (XSD.decimal, XSD.integer) else str(term)


def ran(result: HopResult) -> set[str]:
    return {key.partition(" ")[0] for key in result.keys}


@given(world=worlds(), drawn=st.lists(random_chains(), min_size=1, max_size=6))
@settings(max_examples=40)
def test_execution_equals_sparql(world: World, drawn: list[tuple[FactChain, list[str]]]) -> None:
    """At the last hop; at every hop, where no two hops share an input."""
    graph = to_rdf(world.new)
    with open_store(world) as store:
        together = execute(store, [chain for chain, _ in drawn])
    for (chain, kinds), answers in zip(drawn, together, strict=True):
        first = len(kinds) if chain.topology == "diamond" else 1
        for index in range(first, len(kinds) + 1):
            found = ran(answers[index])
            hop = chain.hops[index - 1]
            doing = hop.operation.operator if hop.operation else hop.kind
            event(f"{chain.topology}: {'answers' if found else 'no answer'}")
            event(f"{doing}: {'answers' if found else 'no answer'}")
            assert found == asked(graph, chain.hops[:index], kinds[index - 1])

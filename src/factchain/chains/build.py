"""The chain stage: a store -> `chains.jsonl`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from factchain.chains.constraints import violations
from factchain.chains.graph_index import LABELS, GraphIndex
from factchain.chains.records import Axis, ChainFact, EntityRef, FactChain, Hop, HopLabel, Query
from factchain.chains.sampler import Sample, SampleSettings, sample
from factchain.chains.sparql import to_sparql
from factchain.kg.records import pid, qid
from factchain.kg.store import Store
from factchain.records import write_records

ID_DIGITS = 12


@dataclass(frozen=True)
class ChainSummary:
    """What was drawn on one axis."""

    axis: Axis
    chains: int
    strata: list[dict[str, object]]
    """Per stratum: hops, pattern, available, taken."""
    rejected: dict[str, int]


def sample_chains(store: Store, settings: list[SampleSettings], out: Path) -> list[ChainSummary]:
    """Draw chains for each of the settings (one an axis) and write them all to `out`.

    Every chain is checked against the constraints once more before it is written.
    """
    graph = GraphIndex.from_store(store)
    snapshot = store.newest().name
    chains: list[FactChain] = []
    summaries = []
    for one in settings:
        drawn = sample(graph, one)
        of_axis = [to_chain(graph, one, edges, snapshot) for edges in drawn.chains]
        for chain in of_axis:
            if wrong := violations(chain, graph):
                raise AssertionError(f"the sampler drew an invalid chain: {chain.id}: {wrong}")
        chains += of_axis
        summaries.append(_summary(one.axis, drawn))
    write_records(out, chains)
    return summaries


def to_chain(
    graph: GraphIndex, settings: SampleSettings, edges: tuple[int, ...], snapshot: str
) -> FactChain:
    """The record of a chain, from the positions of its edges in the index."""
    hops = tuple(
        _hop(graph, settings.axis, index, edge) for index, edge in enumerate(edges, start=1)
    )
    content = "|".join(
        [settings.axis, "chain", *(f"{f.s} {f.p} {f.o}" for hop in hops for f in hop.facts)]
    )
    return FactChain(
        id=f"c-{hashlib.sha256(content.encode()).hexdigest()[:ID_DIGITS]}",
        axis=settings.axis,
        topology="chain",
        topics=(hops[0].facts[0].s,),
        answer=hops[-1].answer.key,
        hops=hops,
        query=Query(sparql=to_sparql(hops)),
        snapshot=snapshot,
        seed=settings.seed,
    )


def _hop(graph: GraphIndex, axis: Axis, index: int, edge: int) -> Hop:
    s, p, o = int(graph.s[edge]), int(graph.p[edge]), int(graph.o[edge])
    fact = ChainFact(
        s=qid(s),
        s_label=graph.entity_labels[s],
        p=pid(p),
        p_label=graph.property_labels.get(p, pid(p)),
        o=qid(o),
        o_label=graph.entity_labels[o],
        popularity=int(graph.popularity[edge]) if graph.popularity[edge] >= 0 else None,
        recency=_label(graph, "recency", edge),
    )
    return Hop(
        index=index,
        kind="lookup",
        inputs=(index - 1,) if index > 1 else (),
        topics=() if index > 1 else (fact.s,),
        label=_label(graph, axis, edge),
        answer=EntityRef(id=qid(o), label=fact.o_label),
        facts=(fact,),
    )


def _label(graph: GraphIndex, axis: Axis, edge: int) -> HopLabel | None:
    code = graph.codes[axis][edge]
    return LABELS[axis][code] if LABELS[axis] and code >= 0 else None


def _summary(axis: Axis, drawn: Sample) -> ChainSummary:
    strata: list[dict[str, object]] = [
        {
            "hops": hops,
            "pattern": list(pattern),
            "available": drawn.available[hops, pattern],
            "taken": drawn.taken[hops, pattern],
        }
        for hops, pattern in drawn.available
    ]
    return ChainSummary(axis, len(drawn.chains), strata, drawn.rejected)

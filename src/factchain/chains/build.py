"""The chain stage: a store -> `chains.jsonl`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from factchain.chains.domains import domains_of
from factchain.chains.drafts import Draft, DraftHop
from factchain.chains.graph.graph_index import GraphIndex
from factchain.chains.proof.constraints import violations
from factchain.chains.proof.execute import execute
from factchain.chains.proof.explain import Explanation, explain
from factchain.chains.proof.neighbourhood import Neighbourhood
from factchain.chains.proof.rules import Rules
from factchain.chains.proof.sparql import to_sparql
from factchain.chains.records import Axis, FactChain, Hop, Query, TypedValue
from factchain.chains.sampling.composition import Draw, Sample, StratumCount
from factchain.chains.sampling.labelling import Labels
from factchain.chains.sampling.pools import Identity, identity
from factchain.chains.settings import Engine, SampleSettings, sample_settings
from factchain.chains.topologies import Topologies
from factchain.config import ChainsConfig
from factchain.errors import InputError, StoreError
from factchain.kg.records import qid
from factchain.kg.store import Store
from factchain.records import read_records, write_records

ID_DIGITS = 12
MOST_ROUNDS = 8
"""How often chains that fail the check are replaced by others."""
MOST_REASONS = 2
"""How many of the reasons why a stratum is short are named."""


@dataclass(frozen=True)
class ChainSummary:
    """What was drawn on one axis."""

    axis: Axis
    chains: int
    strata: list[dict[str, Any]]
    """Per stratum: topology, hops, content, pattern, available (`estimated` or counted), wanted,
    taken, and where fewer were taken than wanted what kept the others out (`binding`)."""
    rejected: dict[str, int]
    shares: dict[str, float] = field(default_factory=dict)
    """Of the chains of three hops and more, those with mathematics and with comparison; of those
    of two hops and more, those that cross domains."""
    mathematics: dict[str, int] = field(default_factory=dict)
    """How many hops do each operation."""

    def as_dict(self) -> dict[str, Any]:
        """The summary as JSON values."""
        return asdict(self)

    @property
    def short(self) -> list[dict[str, Any]]:
        """The strata that have fewer chains than wanted."""
        return [stratum for stratum in self.strata if stratum["taken"] < stratum["wanted"]]


def sample_chains(
    store: Store, settings: Sequence[SampleSettings], out: Path, *, strict: bool = False
) -> list[ChainSummary]:
    """Draw chains for each of the settings (one an axis) and write them all to `out`.

    Every chain is checked against the constraints once more before it is written; one that fails
    is counted and replaced. Raises what `draw_chains` raises, and with `strict` StoreError where
    a stratum has fewer chains than wanted; nothing is written then.
    """
    graph = GraphIndex.from_store(store)
    drawn = [draw_chains(graph, one) for one in settings]
    summaries = [summary for _, summary in drawn]
    if strict and any(summary.short for summary in summaries):
        raise StoreError(
            f"{store.path}: not all strata can be filled, so nothing was written:\n"
            f"{shortage(summaries)}\nAsk for fewer chains a stratum or higher caps, or leave out "
            "--strict"
        )
    write_records(out, (chain for chains, _ in drawn for chain in chains))
    return summaries


def sample_file(
    kg_file: Path,
    config: ChainsConfig,
    axis: Axis,
    out: Path,
    *,
    seed: int,
    strict: bool = False,
    workers: int = 1,
    engine: Engine = "local",
) -> ChainSummary:
    """Draw chains of one axis from a store's file, as a config says."""
    settings = sample_settings(config, axis, seed, workers=workers, engine=engine)
    with Store.open(kg_file) as store:
        (summary,) = sample_chains(store, [settings], out, strict=strict)
    return summary


def explain_drawn(kg_file: Path, config: ChainsConfig, drawn: Path, what: str) -> Explanation:
    """Why a drawn chain (by id) was accepted, or a list of facts is not, under these settings.

    Raises InputError where no chain of the file has the id, and the text is no list of facts.
    """
    rules = rules_of(sample_settings(config, "none", 0))
    chains = {chain.id: chain for chain in read_records(drawn, FactChain)}
    if what.startswith("c-") and what not in chains:
        raise InputError(f"{drawn}: none of its {len(chains)} chains has the id {what}")
    with Store.open(kg_file) as store:
        return explain(store, chains.get(what, what), rules)


def shortage(summaries: Sequence[ChainSummary]) -> str:
    """The strata that are short, and why, one a line."""
    return "\n".join(
        f"  {summary.axis}, {row['topology']}, {row['hops']} hops, {row['content']}, "
        f"{' '.join(row['pattern']) or 'no label'}: {row['taken']} of {row['wanted']}, "
        f"{reasons(row)}"
        for summary in summaries
        for row in summary.short
    )


def reasons(row: dict[str, Any]) -> str:
    """What keeps a stratum short."""
    binding = sorted(row["binding"].items(), key=lambda entry: (-entry[1], entry[0]))
    named = [f"{reason} ({count:,})" for reason, count in binding[:MOST_REASONS]]
    return ", ".join(named) or "there are no more valid chains"


def draw_chains(
    graph: GraphIndex, settings: SampleSettings
) -> tuple[list[FactChain], ChainSummary]:
    """The chains of one axis.

    Raises StoreError where the store lacks the axis or what mathematics needs, ConfigError where
    no topology has one of the numbers of hops.
    """
    draw = Draw(graph, settings)
    rules = rules_of(settings)
    banned: frozenset[Identity] = frozenset()
    sound: dict[Identity, FactChain] = {}
    failed: Counter[str] = Counter()
    for _ in range(MOST_ROUNDS):
        drawn = draw.choose(banned)
        fresh = [draft for draft in drawn.drafts if identity(draft) not in sound]
        chains = to_chains(graph, settings, fresh)
        around = Neighbourhood.around(graph.store, chains, rules)
        unfit = set()
        for draft, chain in zip(fresh, chains, strict=True):
            if wrong := violations(chain, around, rules):
                unfit.add(identity(draft))
                failed.update(f"check: {constraint}" for constraint in wrong)
            else:
                sound[identity(draft)] = chain
        if not unfit:
            break
        banned |= unfit
    kept = [sound[key] for key in map(identity, drawn.drafts) if key in sound]
    return kept, _summary(settings, drawn, kept, failed)


def rules_of(settings: SampleSettings) -> Rules:
    """The rules to which chains of these settings are held."""
    return Rules(
        no_shortcut=settings.no_shortcut,
        answers=settings.answers,
        excluded_properties=settings.exclude_properties,
        topologies=Topologies(settings.user_topologies),
    )


def to_chains(
    graph: GraphIndex, settings: SampleSettings, drafts: Sequence[Draft]
) -> list[FactChain]:
    """The records of drafts: with labels, domains, other answers, ids and queries."""
    labels = Labels.of(graph, drafts)
    answers = [h.answer for draft in drafts for h in draft.hops if isinstance(h.answer, int)]
    domains = domains_of(graph.store, answers)
    snapshot = graph.store.newest().name
    chains = []
    for draft in drafts:
        hops = tuple(
            _hop(labels, domains, index, hop) for index, hop in enumerate(draft.hops, start=1)
        )
        chains.append(
            FactChain(
                id=_chain_id(settings.axis, draft.topology, hops),
                axis=settings.axis,
                topology=draft.topology,
                topics=tuple(topic for hop in hops for topic in hop.topics),
                answer=hops[-1].answer.key,
                hops=hops,
                query=Query(sparql=to_sparql(hops)),
                snapshot=snapshot,
                seed=settings.seed,
            )
        )
    return chains if settings.answers == "single" else _with_all_answers(graph, labels, chains)


def _chain_id(axis: Axis, topology: str, hops: Iterable[Hop]) -> str:
    """`c-` and a hash of the axis, the topology, the facts and what is done with them."""
    parts = [axis, topology]
    for hop in hops:
        parts += [" ".join(fact.key) for fact in hop.facts]
        if hop.operation:
            constants = [o.value.key for o in hop.operation.operands if o.hop is None]
            parts.append(" ".join([hop.operation.operator, *constants]))
    return f"c-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:ID_DIGITS]}"


def _hop(labels: Labels, domains: dict[int, str], index: int, hop: DraftHop) -> Hop:
    entity = hop.answer if isinstance(hop.answer, int) else None
    return Hop(
        index=index,
        kind=hop.kind,
        inputs=hop.inputs,
        topics=tuple(map(qid, hop.topics)),
        label=hop.label,
        domain=None if entity is None else domains.get(entity),
        answer=hop.answer if isinstance(hop.answer, TypedValue) else labels.entity(hop.answer),
        facts=tuple(map(labels.fact, hop.facts)),
        operation=labels.operation(hop.operation) if hop.operation else None,
    )


def _with_all_answers(
    graph: GraphIndex, labels: Labels, chains: list[FactChain]
) -> list[FactChain]:
    """The chains with the other answers that their hops have when they are run on the store."""
    results = execute(graph.store, chains)
    entities = {
        node
        for answers in results
        for result in answers.values()
        for node in result.answers.values()
        if isinstance(node, int)
    }
    labels = labels.extended(graph, entities)
    complete = []
    for chain, answers in zip(chains, results, strict=True):
        hops = tuple(
            hop.model_copy(
                update={
                    "other_answers": tuple(
                        node if isinstance(node, TypedValue) else labels.entity(node)
                        for key, node in sorted(answers[hop.index].answers.items())
                        if key != hop.answer.key
                    )
                }
            )
            for hop in chain.hops
        )
        complete.append(chain.model_copy(update={"hops": hops}))
    return complete


def _summary(
    settings: SampleSettings, drawn: Sample, chains: Sequence[FactChain], failed: Counter[str]
) -> ChainSummary:
    return ChainSummary(
        axis=settings.axis,
        chains=len(chains),
        strata=[_row(count) for count in drawn.strata],
        rejected=dict(sorted((Counter(drawn.rejected) + failed).items())),
        shares=drawn.shares,
        mathematics=dict(
            sorted(
                Counter(
                    hop.operation.operator for c in chains for hop in c.hops if hop.operation
                ).items()
            )
        ),
    )


def _row(count: StratumCount) -> dict[str, Any]:
    stratum = count.stratum
    return {
        "topology": stratum.topology,
        "hops": stratum.hops,
        "content": stratum.content,
        "pattern": list(stratum.pattern),
        "available": count.available,
        "estimated": count.estimated,
        "wanted": count.wanted,
        "taken": count.taken,
        "binding": count.binding,
    }

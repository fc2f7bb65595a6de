"""Why a chain was accepted, or why a list of facts is not: each constraint with its evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import pyarrow as pa

from factchain.chains import queries
from factchain.chains.proof.chains_files import chain_of_facts
from factchain.chains.proof.constraints import violations
from factchain.chains.proof.neighbourhood import Neighbourhood, entities_of
from factchain.chains.proof.plan import conditions_of, key_of, planned
from factchain.chains.proof.rules import Rules
from factchain.chains.records import MAX_HOPS, ChainFact, FactChain
from factchain.chains.topologies import reasoning_graph
from factchain.errors import InputError
from factchain.kg.records import number, qid
from factchain.kg.store import Store

_FACT = re.compile(r"(Q[1-9][0-9]{0,9})\s+(P[1-9][0-9]{0,9})\s+(Q[1-9][0-9]{0,9})")


class Finding(NamedTuple):
    """What one constraint finds."""

    constraint: str
    holds: bool
    evidence: list[str]
    """What was looked at; where the constraint does not hold, what is wrong."""


@dataclass(frozen=True)
class Explanation:
    """Why a chain is valid, or why not."""

    chain: FactChain
    findings: list[Finding]

    @property
    def accepted(self) -> bool:
        """Whether every constraint holds."""
        return all(finding.holds for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        return {
            "chain": self.chain.id,
            "accepted": self.accepted,
            "facts": [list(fact.key) for hop in self.chain.hops for fact in hop.facts],
            "constraints": [finding._asdict() for finding in self.findings],
        }

    def as_text(self) -> str:
        """The explanation as lines for a terminal."""
        facts = [fact for hop in self.chain.hops for fact in hop.facts]
        lines = [f"{self.chain.id}: {'accepted' if self.accepted else 'not accepted'}"]
        lines += [
            f"  {' '.join(fact.key)}   {fact.s_label} | {fact.p_label} | {fact.o_label}"
            for fact in facts
        ]
        for finding in self.findings:
            lines.append(f"{'holds' if finding.holds else 'FAILS'}  {finding.constraint}")
            lines += [f"         {line}" for line in finding.evidence]
        return "\n".join(lines)


def explain(store: Store, chain: FactChain | str, rules: Rules | None = None) -> Explanation:
    """Explain a chain, or a list of facts between entities such as "Q1 P2 Q3, Q3 P4 Q5".

    Raises InputError where the text is no such list.
    """
    held_to = rules or Rules()
    if isinstance(chain, str):
        chain = chain_of_facts("facts", _read_facts(store, chain), store.newest().name)
    graph = Neighbourhood.around(store, [chain], held_to)
    wrong = violations(chain, graph, held_to)
    findings = [
        Finding(name, name not in wrong, wrong.get(name) or list(evidence(chain, graph, held_to)))
        for name, evidence in _EVIDENCE.items()
    ]
    return Explanation(chain, findings)


def _read_facts(store: Store, text: str) -> list[ChainFact]:
    parts = [part.strip() for part in text.split(",")]
    matches = [_FACT.fullmatch(part) for part in parts]
    if not all(matches) or len(parts) > MAX_HOPS:
        bad = next((p for p, match in zip(parts, matches, strict=True) if not match), text)
        raise InputError(
            f"{bad!r} is no fact: 1 to {MAX_HOPS} facts between entities are needed, with commas "
            "between them, as in 'Q1 P2 Q3, Q3 P4 Q5'"
        )
    facts = [match.groups() for match in matches if match]
    ids = sorted({number(q) for s, _, o in facts for q in (s, o)})
    with store.incoming(entity=pa.table({"id": pa.array(ids, pa.int64())})):
        labels = {qid(q): label for q, label in store.rows(queries.LABELS_OF)}
    properties = dict(store.rows(queries.PROPERTY_LABELS))
    return [
        ChainFact(
            s=s,
            s_label=labels.get(s) or s,
            p=p,
            p_label=properties.get(number(p), p),
            o=o,
            o_label=labels.get(o) or o,
        )
        for s, p, o in facts
    ]


def _known(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    yield "all entities are in the store"


def _connected(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    edges = ", ".join(f"{a} -> {b}" for a, b in sorted(reasoning_graph(chain).edges))
    yield f"the hops form the topology {chain.topology}: {edges or 'one hop'}"
    for hop in chain.hops:
        sources = [f"hop {source}" for source in hop.inputs] + list(hop.topics)
        yield f"hop {hop.index} ({hop.kind}) leads from {', '.join(sources)} to {hop.answer.key}"


def _distinct(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    nodes = dict.fromkeys([*chain.topics, *(hop.answer.key for hop in chain.hops)])
    yield f"{len(nodes)} distinct nodes: {', '.join(nodes)}"


def _answers(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    for hop, plan, starts in planned(chain):
        if plan.shape == "intersect":
            met = graph.met[frozenset(conditions_of(plan, starts))]
            yield f"hop {hop.index}: {_number(len(met), 'entity', 'entities')} meet all conditions"
            continue
        if plan.shape == "reckon":
            yield f"hop {hop.index}: reckoned from earlier answers"
            continue
        if plan.shape == "count":
            yield f"hop {hop.index}: counts all {len(hop.facts)} facts of the graph"
            continue
        for s, p in dict.fromkeys((fact.s, fact.p) for fact in hop.facts):
            found = graph.facts.objects(number(s), number(p))
            ends = ", ".join(key_of(f.object) for f in found if f.object is not None)
            yield f"hop {hop.index}: {s} {p} has {_number(len(found), 'object')}: {ends}"


def _apart(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    pairs = list(combinations(entities_of(chain), 2))
    joined = [f"{qid(a)}-{qid(b)}" for a, b in pairs if {(a, b), (b, a)} & graph.joined]
    apart = [f"{qid(a)}-{qid(b)}" for a, b in pairs if not {(a, b), (b, a)} & graph.joined]
    yield f"rule {rules.no_shortcut}, over the facts of every snapshot"
    yield f"joined by a fact, as the chain has it: {', '.join(joined) or 'none'}"
    yield f"joined by no fact: {', '.join(apart) or 'no other pair'}"


def _needed(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    for hop, plan, starts in planned(chain):
        if plan.shape != "intersect":
            continue
        conditions = conditions_of(plan, starts)
        for fact, condition in zip(hop.facts, conditions, strict=True):
            left = graph.met_without[frozenset(conditions) - {condition}]
            yield (
                f"hop {hop.index}: without {' '.join(fact.key)}, "
                f"{_number(left, 'entity', 'entities')} would meet the rest"
            )
    if not any(hop.kind == "intersect" for hop in chain.hops):
        yield "no hop intersects"


def _reckoned(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    for hop in chain.hops:
        if hop.operation is not None:
            operands = ", ".join(operand.value.label for operand in hop.operation.operands)
            result = hop.operation.result.label
            yield f"hop {hop.index}: {hop.operation.operator} of {operands} is {result}"
    if all(hop.operation is None for hop in chain.hops):
        yield "no hop reckons"


def _current(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    past = [" ".join(f.key) for hop in chain.hops for f in hop.facts if f.ended]
    known = f", but {', '.join(past)}, which the chain tells" if past else ""
    yield f"no fact had ended by {graph.date}{known}"


def _directed(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    yield "no fact's classes fit its property only the other way round"


def _telling(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    asked = dict.fromkeys(f"{f.p} ({f.p_label})" for hop in chain.hops for f in hop.facts)
    yield f"none of {len(rules.excluded_properties)} excluded properties: {', '.join(asked)}"


def _clear(chain: FactChain, graph: Neighbourhood, rules: Rules) -> Iterator[str]:
    for topic in chain.topics:
        names = graph.namesakes[number(topic)]
        others = _number(names.others, "namesake")
        told_apart = f", told apart by {names.description!r}" if names.others else ""
        yield f"{topic} {names.label!r} has {others}{told_apart}"


_EVIDENCE: dict[str, Callable[[FactChain, Neighbourhood, Rules], Iterator[str]]] = {
    "unknown id": _known,
    "connectivity": _connected,
    "acyclicity": _distinct,
    "single answers": _answers,
    "no shortcut": _apart,
    "necessity": _needed,
    "operation": _reckoned,
    "ended fact": _current,
    "contrary fact": _directed,
    "empty property": _telling,
    "unclear topic": _clear,
}


def _number(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"

"""A fact chain as a language model is shown it: every answer is masked, and nothing else tells it.

The topics stand with their names and descriptions, the answer of hop k as `xk`. A description or
a class that holds the name of an answer is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from factchain.chains.proof.plan import HopPlan, plan_chain
from factchain.chains.records import EntityRef, FactChain, Hop, Operand, TypedValue
from factchain.kg.records import pid, qid
from factchain.questions.leaks import literal_names, occurs
from factchain.questions.names import EntityName
from factchain.questions.prompts.wording import OPERATIONS

COUNTED, MEMBER, VALUE = "each one that is counted", "each member", "value"
_PRECISIONS = {9: "a year", 10: "a month of a year", 11: "a date, told to the day"}
_TOPOLOGIES = ("chain", "bridge", "converging")
_MOST_CLASSES = 2


def masked(
    chain: FactChain, names: Mapping[str, EntityName], meanings: Mapping[str, str]
) -> dict[str, Any]:
    """The chain as JSON values; `meanings` are the descriptions of properties by P-id."""
    hidden = list(hidden_names(chain, names))
    labels = {fact.p: fact.p_label for hop in chain.hops for fact in hop.facts}
    topics = []
    for topic in dict.fromkeys(chain.topics):
        told = {"name": mention(names[topic], hidden)}
        if (description := _untelling(names[topic].description, hidden)) is not None:
            told["description"] = description
        topics.append(told)
    return {
        "as_of": chain.snapshot,
        "topics": topics,
        "hops": [
            _hop(hop, plan, chain, names, hidden)
            for hop, plan in zip(chain.hops, plan_chain(chain), strict=True)
        ],
        "properties": {
            label: meanings[p]
            for p, label in labels.items()
            if _untelling(meanings.get(p, ""), hidden) is not None
        },
    }


def shapes(chain: FactChain) -> list[str]:
    """The demonstrations that fit the chain: of its topology, and of its kinds of hop."""
    topology = chain.topology if chain.topology in _TOPOLOGIES else "chain"
    kinds = dict.fromkeys(hop.kind for hop in chain.hops if hop.kind != "lookup")
    if len(chain.hops) > 1:
        return [topology, *kinds]
    return list(kinds) or ["single"]


def mention(name: EntityName, hidden: list[str]) -> str:
    """How a topic is named: by its label, with its description where others have that label."""
    if name.is_ambiguous and _untelling(name.description, hidden) is not None:
        return f"{name.label} ({name.description})"
    return name.label


def hidden_names(chain: FactChain, names: Mapping[str, EntityName]) -> Iterator[str]:
    """The names of all answers but those that are topics, which a question offers to choose."""
    for hop in chain.hops:
        for answer in (hop.answer, *hop.other_answers):
            if isinstance(answer, TypedValue):
                yield from literal_names(answer)
            elif answer.id not in chain.topics:
                yield from names[answer.id].all


def _untelling(text: str, hidden: list[str]) -> str | None:
    """The text, or none where it is empty or names an answer."""
    return None if not text or any(occurs(name, text) for name in hidden) else text


def _hop(
    hop: Hop,
    plan: HopPlan,
    chain: FactChain,
    names: Mapping[str, EntityName],
    hidden: list[str],
) -> dict[str, Any]:
    labels = {fact.p: fact.p_label for fact in hop.facts}
    properties = [labels[pid(p)] for p in plan.properties]
    starts = [
        f"x{source.hop}"
        if source.hop is not None
        else mention(names[qid(source.topic or 0)], hidden)
        for source in plan.sources
    ]
    answer = f"x{hop.index}"
    told: dict[str, Any] = {
        "hop": hop.index,
        "kind": hop.kind,
        "needs": list(hop.inputs),
        "facts": [
            {"subject": s, "property": p, "object": o}
            for s, p, o in _facts(plan, properties, starts, answer)
        ],
    }
    if plan.operator is not None:
        told["operation"] = {"name": plan.operator, "meaning": OPERATIONS[plan.operator]}
        if plan.operands:
            told["operation"]["of"] = [_operand(operand) for operand in plan.operands]
    return told | {"answer": answer, "answer_is": _kind(hop.answer, names, hidden)}


def _facts(
    plan: HopPlan, properties: list[str], starts: list[str], answer: str
) -> list[tuple[str, str, str]]:
    match plan.shape:
        case "members":
            return [
                (starts[0], properties[0], MEMBER),
                (MEMBER, properties[1], f"its {VALUE}"),
            ]
        case "reckon":
            return []
        case "count":
            ends = [COUNTED]
        case "compare":
            ends = [f"{VALUE} {place}" for place, _ in enumerate(starts, start=1)]
        case _:
            ends = [answer for _ in starts]
    each = properties if len(properties) == len(starts) else properties * len(starts)
    joined = zip(starts, each, ends, strict=True)
    return [(start, p, end) if plan.forward else (end, p, start) for start, p, end in joined]


def _operand(operand: Operand) -> str:
    return operand.value.label if operand.hop is None else f"x{operand.hop}"


def _kind(
    answer: EntityRef | TypedValue, names: Mapping[str, EntityName], hidden: list[str]
) -> str:
    """What an answer is, without telling which."""
    if isinstance(answer, EntityRef):
        classes = [c for c in names[answer.id].class_labels if _untelling(c, hidden)]
        return ", ".join(classes[:_MOST_CLASSES]) or "an entity"
    if answer.datatype == "boolean":
        return "yes or no"
    if answer.datatype == "time":
        return _PRECISIONS.get(answer.precision or 0, "a date")
    return f"a number of {answer.unit_label}" if answer.unit_label else "a number"

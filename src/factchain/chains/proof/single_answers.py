"""Does every hop, executed on the graph, have exactly one answer (constraint 3)?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from factchain.chains.proof.neighbourhood import Neighbourhood
from factchain.chains.proof.plan import HopPlan, conditions_of, key_of, node_of, planned
from factchain.chains.proof.rules import Rules
from factchain.chains.proof.store_facts import Node
from factchain.chains.records import FactChain, Hop
from factchain.kg.records import number, pid, qid


def single_answers(chain: FactChain, graph: Neighbourhood, rules: Rules) -> list[str]:
    """Every hop, executed on the graph, has exactly one answer, the chain's (constraint 3).

    A lookup has one object; an intersection is met by one entity; a count counts all facts that
    there are; a comparison reads the only value of its property for each entity, and one among
    members is over all members. With `answers="all"` a lookup or an intersection may have
    several answers: the answer and the other answers are then all that executing the whole
    chain gives.
    """
    wrong = []
    for hop, plan, starts in planned(chain):
        claimed = {hop.answer.key, *(other.key for other in hop.other_answers)}
        if rules.answers == "all":
            found = graph.executed[chain.id][hop.index].keys
            if found != claimed:
                wrong.append(f"hop {hop.index} has {_several(found)}, not {_several(claimed)}")
        elif hop.other_answers:
            wrong.append(f"hop {hop.index} has {len(claimed)} answers")
        wrong += _ANSWERS[plan.shape](hop, plan, starts, graph, rules.answers == "single")
    return wrong


def _one_object(
    hop: Hop, plan: HopPlan, starts: list[Node], graph: Neighbourhood, single: bool
) -> Iterator[str]:
    for fact in hop.facts:
        found = [f.object for f in graph.facts.objects(number(fact.s), number(fact.p))]
        keys = [key_of(node) for node in found if node is not None]
        if fact.key[2] not in keys:
            yield f"{' '.join(fact.key)} is no fact of the graph"
        elif single and len(found) > 1:
            yield f"{fact.s} {fact.p} has {len(found)} objects in the graph"


def _one_entity(
    hop: Hop, plan: HopPlan, starts: list[Node], graph: Neighbourhood, single: bool
) -> Iterator[str]:
    met = graph.met[frozenset(conditions_of(plan, starts))]
    if node_of(hop.answer) not in met:
        yield f"hop {hop.index}: its answer does not meet all conditions in the graph"
    elif single and len(met) > 1:
        yield f"hop {hop.index}: {len(met)} entities meet all conditions in the graph"


def _all_counted(
    hop: Hop, plan: HopPlan, starts: list[Node], graph: Neighbourhood, single: bool
) -> Iterator[str]:
    (start,) = starts
    if not isinstance(start, int):
        return
    claimed = {fact.key[2] if plan.forward else fact.s for fact in hop.facts}
    if plan.forward:
        found = graph.facts.objects(start, plan.properties[0])
        total, keys = len(found), {key_of(f.object) for f in found if f.object is not None}
    else:
        total, _, subjects = graph.facts.subjects(plan.properties[0], start)
        keys = {qid(subject) for subject in subjects}
    if len(hop.facts) != total or claimed != keys:
        yield (
            f"hop {hop.index} counts {len(hop.facts)} facts of {qid(start)} "
            f"{pid(plan.properties[0])}, of which the graph has {total}"
        )


def _one_value_each(
    hop: Hop, plan: HopPlan, starts: list[Node], graph: Neighbourhood, single: bool
) -> Iterator[str]:
    # What is compared must have one value, whatever else has several answers.
    yield from _one_object(hop, plan, starts, graph, True)


def _all_members(
    hop: Hop, plan: HopPlan, starts: list[Node], graph: Neighbourhood, single: bool
) -> Iterator[str]:
    half = len(hop.facts) // 2
    members, values = hop.facts[:half], hop.facts[half:]
    (start,) = starts
    found = graph.facts.objects(number(members[0].s), plan.properties[0])
    keys = {key_of(f.object) for f in found if f.object is not None}
    if len(found) != half or {fact.key[2] for fact in members} != keys:
        yield (
            f"hop {hop.index} is over {half} members of {key_of(start)} "
            f"{pid(plan.properties[0])}, of which the graph has {len(found)}"
        )
    yield from _one_object(hop.model_copy(update={"facts": values}), plan, starts, graph, True)


def _nothing(
    hop: Hop, plan: HopPlan, starts: list[Node], graph: Neighbourhood, single: bool
) -> Iterator[str]:
    yield from ()


_ANSWERS: dict[str, Callable[[Hop, HopPlan, list[Node], Neighbourhood, bool], Iterator[str]]] = {
    "lookup": _one_object,
    "intersect": _one_entity,
    "count": _all_counted,
    "compare": _one_value_each,
    "members": _all_members,
    "reckon": _nothing,
}


def _several(keys: set[str]) -> str:
    return ", ".join(sorted(keys)) or "no answer"

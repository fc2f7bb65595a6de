"""The fact chain that a question was made from, read back from its sub-questions."""

from __future__ import annotations

from collections.abc import Sequence

from factchain.chains.operations.operations import JUDGEMENTS
from factchain.chains.records import MAX_HOPS, EntityRef, FactChain, Hop, TypedValue
from factchain.questions.records import Answer, Question, SubQuestion
from factchain.records import ItemId


def chain_of(question: Question) -> FactChain | None:
    """The chain of a question, without the domains of its hops, which no question keeps.

    None for a question without a proof: an imported one, or one about an entity that the graph
    does not hold.
    """
    hops = question.sub_questions
    if question.query is None or question.provenance.snapshot is None:
        return None
    if not 1 <= len(hops) <= MAX_HOPS or any(not _is_proved(hop) for hop in hops):
        return None
    topics = [topic for hop in hops for topic in topics_of(hop)]
    return FactChain(
        id=f"c-{question.id.removeprefix('q-')}",
        axis=question.axis,
        topology=question.topology,
        topics=tuple(dict.fromkeys(topics)),
        answer=_node(hops[-1].answer).key,
        hops=tuple(_hop(hop) for hop in hops),
        query=question.query,
        snapshot=question.provenance.snapshot,
        seed=question.provenance.seed,
    )


def topics_of(hop: SubQuestion) -> tuple[ItemId, ...]:
    """The topic entities at which a hop starts, besides the answers of earlier hops.

    The facts of a lookup, a comparison or an intersection stand in the order of the inputs and
    then of the topics; those of a count, and of a choice or a sum over members, start (or, for a
    count, end) at one source.
    """
    if not hop.facts:
        return ()
    if hop.kind == "intersect":
        return _topics_of_conditions(hop)
    if hop.kind == "compare" and _is_of_two(hop):
        return tuple(fact.s for fact in hop.facts[len(hop.inputs) :])
    if hop.inputs:
        return ()
    first = hop.facts[0]
    if hop.kind == "count" and first.o and any(fact.s != first.s for fact in hop.facts):
        return (first.o,)
    return (first.s,)


def _is_proved(hop: SubQuestion) -> bool:
    known = hop.answer.id is not None or hop.answer.value is not None
    return known and bool(hop.facts or hop.operation)


def _is_of_two(hop: SubQuestion) -> bool:
    judges = hop.operation is not None and hop.operation.operator in JUDGEMENTS
    return judges or len(hop.facts) == 2


def _topics_of_conditions(hop: SubQuestion) -> tuple[ItemId, ...]:
    own = hop.facts[len(hop.inputs) :]
    if all(fact.s == hop.answer.id for fact in hop.facts):
        return tuple(fact.o for fact in own if fact.o is not None)
    return tuple(fact.s for fact in own)


def _hop(hop: SubQuestion) -> Hop:
    return Hop(
        index=hop.index,
        kind=hop.kind,
        inputs=hop.inputs,
        topics=topics_of(hop),
        label=hop.label,
        answer=_node(hop.answer),
        other_answers=_nodes(hop.other_answers),
        facts=hop.facts,
        operation=hop.operation,
    )


def _nodes(answers: Sequence[Answer]) -> tuple[EntityRef | TypedValue, ...]:
    return tuple(_node(answer) for answer in answers)


def _node(answer: Answer) -> EntityRef | TypedValue:
    if answer.value is not None:
        return answer.value
    assert answer.id is not None  # by _is_proved
    return EntityRef(id=answer.id, label=answer.label)

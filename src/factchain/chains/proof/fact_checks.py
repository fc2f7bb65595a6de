"""What makes a fact unfit for a question although the chain is valid (SPEC.md 7.1).

Each function returns what is wrong, in words; an empty list means that all is well.
"""

from __future__ import annotations

from factchain.chains.proof.neighbourhood import Neighbourhood, named
from factchain.chains.proof.plan import key_of
from factchain.chains.proof.rules import Rules
from factchain.chains.records import FactChain
from factchain.kg.records import number, qid


def unknown_ids(chain: FactChain, graph: Neighbourhood) -> list[str]:
    """Every entity of the chain is in the store."""
    return [f"{qid(q)} is not in the store" for q in named(chain) if q in graph.unknown]


def ended(chain: FactChain, graph: Neighbourhood) -> list[str]:
    """No fact had ended by the newest snapshot's date (P582; item 5) but one that says so, and is
    asked for in the past. An end that is known to the year or month, of which the date is part,
    counts: the fact may have ended."""
    wrong = []
    for hop in chain.hops:
        for fact in hop.facts:
            for found in graph.facts.objects(number(fact.s), number(fact.p)):
                is_it = found.object is not None and key_of(found.object) == fact.key[2]
                end = found.end_time
                has_ended = end is not None and _has_passed(end, graph.date.isoformat())
                if is_it and has_ended and not fact.ended:
                    wrong.append(f"{' '.join(fact.key)} ended: {end}")
                elif is_it and fact.ended and not has_ended:
                    wrong.append(f"{' '.join(fact.key)} has not ended, though the chain says so")
    return wrong


def _has_passed(end: str, date: str) -> bool:
    # A shorter text sorts before a longer one that it begins: 2024 before 2024-06-05.
    # A year of five digits is no year of the past.
    return end.startswith("-") or (len(end.partition("-")[0]) <= len("2024") and end <= date)


def contrary(chain: FactChain, graph: Neighbourhood) -> list[str]:
    """No fact is stated the wrong way round, as far as the graph tells (item 6).

    Learnt from the graph itself. Of a property's facts, take those whose subject and object both
    have classes. A pair (class of the subject, class of the object) fits as many of them as have
    those classes. A fact is contrary where its property has at least `LEAST_FACTS` such facts, no
    pair of its classes fits more than the share `OWN_SHARE` of them (besides the fact itself),
    and some pair of its classes, turned round, fits at least the share `TURNED_SHARE`. Facts
    whose entities have no class, and properties that join like with like, are never contrary.
    """
    return [
        f"{' '.join(fact.key)} seems to be stated the wrong way round"
        for hop in chain.hops
        for fact in hop.facts
        if fact.o is not None and (number(fact.s), number(fact.p), number(fact.o)) in graph.contrary
    ]


def empty_properties(chain: FactChain, rules: Rules) -> list[str]:
    """No hop asks for a property that says nothing, or that the run leaves out (item 9)."""
    asked = dict.fromkeys((fact.p, fact.p_label) for hop in chain.hops for fact in hop.facts)
    return [f"{p} ({label})" for p, label in asked if number(p) in rules.excluded_properties]


def unclear_topics(chain: FactChain, graph: Neighbourhood) -> list[str]:
    """Every topic entity has a label, and where another entity bears the same label (whatever its
    case), a description that none of those has."""
    wrong = []
    for topic in chain.topics:
        names = graph.namesakes.get(number(topic))
        if names is None or not names.label or names.label == topic:
            wrong.append(f"{topic} has no label")
        elif names.others and not names.description:
            wrong.append(f"{topic} {names.label!r} has {names.others} namesakes, no description")
        elif names.same_description:
            wrong.append(
                f"{topic} {names.label!r} has {names.same_description} namesakes of the same "
                f"description, {names.description!r}"
            )
    return wrong

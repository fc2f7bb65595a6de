"""The candidates of every slot, in the order in which the graph would choose them.

An entity's are, first, what was offered besides it (where it was chosen by a date or a quantity),
then one answer of another hop of the same class (of people: of the same occupation), then its
siblings, the nearest first; where these are too few, others of its class. A number's or a date's
are what an altered operation gives, answers of other hops, near values of the same property, and
its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from factchain.chains.records import TypedValue
from factchain.kg.records import number, pid, qid
from factchain.kg.store import Store
from factchain.questions.options import queries
from factchain.questions.options.choice import WANTED, usable_entities, usable_values
from factchain.questions.options.near_values import near_values, stated_values, to_candidate
from factchain.questions.options.siblings import Sibling, find_siblings
from factchain.questions.options.slots import Candidate, Slot, offers
from factchain.questions.options.standing import find_classmates, ids_table, kinds_of
from factchain.questions.options.truths import Pair, excluded
from factchain.questions.options.values import altered, in_words, neighbours
from factchain.questions.records import Answer, DistractorWay


@dataclass(frozen=True)
class _Found:
    """An entity that may become an option, before its names are known."""

    entity: int
    way: DistractorWay
    evidence: str = ""
    fact: int | None = None


def find_candidates(store: Store, slots: Sequence[Slot]) -> list[list[Candidate]]:
    """The usable candidates of every slot, the best first."""
    of_entities = [at for at, slot in enumerate(slots) if slot.gold.id is not None]
    of_values = [at for at, slot in enumerate(slots) if slot.gold.id is None]
    found: list[list[Candidate]] = [[] for _ in slots]
    entities = _entities(store, [slots[at] for at in of_entities])
    values = _values(store, [slots[at] for at in of_values])
    for at, candidates in [
        *zip(of_entities, entities, strict=True),
        *zip(of_values, values, strict=True),
    ]:
        found[at] = candidates
    return found


def _entities(store: Store, slots: Sequence[Slot]) -> list[list[Candidate]]:
    siblings = find_siblings(store, slots)
    others = {
        number(answer.id) for slot in slots for _, answer in slot.others if answer.id is not None
    }
    classes = kinds_of(store, others | {number(slot.gold.id or "Q0") for slot in slots})
    found = [list(_in_order(slot, own, classes)) for slot, own in zip(slots, siblings, strict=True)]
    usable = _usable(store, slots, found)
    short = [at for at, own in enumerate(usable) if len(own) < WANTED]
    mates = find_classmates(store, [slots[at] for at in short])
    more = [
        [*found[at], *(_Found(one.entity, "same class", f"of {one.kind}, too") for one in own)]
        for at, own in zip(short, mates, strict=True)
    ]
    again = _usable(store, [slots[at] for at in short], more)
    for at, own in zip(short, again, strict=True):
        usable[at] = own
    return usable


def _usable(
    store: Store, slots: Sequence[Slot], found: Sequence[Sequence[_Found]]
) -> list[list[Candidate]]:
    """Those that have a name, and are no true answer, nor may be taken for one."""
    pairs: list[Pair] = [
        (at, one.entity) for at, own in enumerate(found) for one in own if one.way != "operation"
    ]
    true = excluded(store, slots, list(dict.fromkeys(pairs)))
    kept = [
        [one for one in own if (at, one.entity) not in true or one.way == "operation"]
        for at, own in enumerate(found)
    ]
    with store.incoming(entity=ids_table(one.entity for own in kept for one in own)):
        names = {entity: (label, *aliases) for entity, label, aliases in store.rows(queries.NAMES)}
    with store.incoming(entity=ids_table(one.fact for own in kept for one in own if one.fact)):
        facts = {
            fact: f"{qid(s)} {pid(p)} {value if o is None else qid(o)}"
            for fact, s, p, o, value in store.rows(queries.FACTS)
        }
    return [
        usable_entities(slot, (_candidate(one, names, facts) for one in own if one.entity in names))
        for slot, own in zip(slots, kept, strict=True)
    ]


def _in_order(
    slot: Slot, siblings: Sequence[Sibling], classes: Mapping[int, Sequence[int]]
) -> Iterator[_Found]:
    gold = number(slot.gold.id or "Q0")
    for entity in offers(slot.sub):
        if entity != gold and slot.sub.operation is not None:
            chosen = f"offered to {slot.sub.operation.operator}, and not it"
            yield _Found(entity, "operation", chosen)
    own = set(classes.get(gold, ()))
    passed = [
        _Found(number(answer.id), "intermediate", f"the answer of hop {hop}")
        for hop, answer in slot.others
        if answer.id is not None and own & set(classes.get(number(answer.id), ()))
    ]
    yield from passed[:1]
    for one in siblings:
        yield _Found(one.entity, "sibling", fact=one.fact)
    yield from passed[1:]


def _candidate(
    found: _Found, names: Mapping[int, tuple[str, ...]], facts: Mapping[int, str]
) -> Candidate:
    evidence = facts[found.fact] if found.fact is not None else found.evidence
    label, *_ = own = names[found.entity]
    return Candidate(found.entity, label, tuple(own), found.way, evidence)


def _values(store: Store, slots: Sequence[Slot]) -> list[list[Candidate]]:
    near = near_values(store, slots)
    stated = stated_values(store, slots)
    with store.incoming(entity=ids_table(one.fact for own in near for one in own)):
        facts = {
            fact: f"{qid(s)} {pid(p)} {value}" for fact, s, p, _, value in store.rows(queries.FACTS)
        }
    found: list[list[Candidate]] = []
    for at, (slot, own) in enumerate(zip(slots, near, strict=True)):
        gold = slot.gold.value
        if gold is None or gold.datatype == "boolean":
            found.append([])
            continue
        wrong = [*altered(slot.sub.operation, gold)] if slot.sub.operation else []
        wrong += [_passed(hop, other, gold) for hop, other in slot.others if other.value]
        wrong += [to_candidate(one, facts[one.fact]) for one in own]
        wrong += neighbours(gold, slot.plan)
        found.append(usable_values(slot, wrong, stated.get(at, ())))
    return found


def _passed(hop: int, other: Answer, gold: TypedValue) -> Candidate:
    assert other.value is not None  # by the caller
    said = in_words(other.value, gold) if other.value.unit == gold.unit else other.value
    return Candidate(said, said.label, (said.label,), "intermediate", f"the answer of hop {hop}")

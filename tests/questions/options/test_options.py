"""Options on random graphs: nothing true among them, nothing missed, every way as it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factchain.chains.records import FactChain
from factchain.questions.llm.protocol import Ask, Quarantined
from factchain.questions.options.build import add_options, plan_options
from factchain.questions.options.slots import NO_PROOF, TOO_FEW, YES_OR_NO
from factchain.questions.options.truths import comparable_name, may_be_equal
from factchain.questions.records import Question, SubQuestion
from fake_model import FakeModel
from made_questions import as_questions
from random_chains import chain_of as chain_from
from typed_worlds import Fact, World, label, open_store
from written_chains import Written, written

PEOPLE, CITIES, LANDS = range(20, 28), range(30, 38), range(40, 46)
HUMAN, CITY, LAND = "Q5", "Q515", "Q6256"
BORN_IN, PART_OF, MARRIED = "P19", "P131", "P26"


MOST_CHAINS = 12
"""Of a world, the last ones: those of two lookups among them."""


def q(number: int) -> str:
    return f"Q{number}"


@st.composite
def atlases(draw: st.DrawFn) -> World:
    """People born in cities, which lie in lands; some facts are gone, some names are shared."""

    def joined(subjects: Iterable[int], p: str, objects: Iterable[int], most: int) -> list[Fact]:
        ends = st.lists(st.sampled_from(list(objects)), max_size=most, unique=True)
        return [Fact(q(s), p, q(o)) for s in subjects for o in draw(ends) if o != s]

    new = joined(PEOPLE, BORN_IN, CITIES, 1) + joined(CITIES, PART_OF, LANDS, 1)
    new += joined(PEOPLE, MARRIED, PEOPLE, 1) + joined(LANDS, PART_OF, LANDS, 1)
    old = joined(PEOPLE, BORN_IN, CITIES, 1)
    classes = {q(n): (HUMAN,) for n in PEOPLE} | {q(n): (LAND,) for n in LANDS}
    classes |= {q(n): (CITY, *((LAND,) * draw(st.booleans()))) for n in CITIES}
    shared = draw(st.lists(st.sampled_from([*CITIES]), max_size=3, unique=True))
    names = draw(st.sampled_from(["Twin", "the twin!", "Zwilling"]))
    return World(
        tuple(dict.fromkeys(new)),
        tuple(dict.fromkeys(old)),
        labels={q(n): "Twin" if at else names for at, n in enumerate(shared)},
        classes=classes,
    )


def lookups(world: World) -> list[FactChain]:
    """Every chain of one or two lookups that have one answer each."""
    single = [f for f in world.new if len(world.objects(f.s, f.p)) == 1]
    found = []
    for first in single:
        one = Written().add("lookup", [first.s], f"{first.s} {first.p} {first.o}", first.o)
        found.append(one.hops)
        for then in single:
            if then.s == first.o and then.o not in (first.s, first.o):
                two = Written().add("lookup", [first.s], f"{first.s} {first.p} {first.o}", first.o)
                two.add("lookup", [1], f"{then.s} {then.p} {then.o}", then.o)
                found.append(two.hops)
    return [chain_from(hops) for hops in found[-MOST_CHAINS:]]


class Oracle:
    """What a wrong option may be, by definition."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.facts = {(f.s, f.p, f.o) for f in (*world.new, *world.old)}
        self.parts = nx.DiGraph([(f.s, f.o) for f in world.new if f.p == PART_OF])

    def name(self, entity: str) -> str:
        return comparable_name(self.world.labels.get(entity, label(entity)))

    def is_wrong(self, hop: SubQuestion, entity: str, named: set[str]) -> bool:
        fact, gold = hop.facts[0], hop.answer.id
        assert gold is not None
        true = {(fact.s, fact.p, entity), (entity, fact.p, fact.s)} & self.facts
        overlaps = any(
            a in self.parts and b in self.parts and nx.has_path(self.parts, a, b)
            for a, b in ((entity, gold), (gold, entity))
        )
        same_name = self.name(entity) == self.name(gold)
        return not (true or overlaps or same_name or entity == gold or entity in named)

    def classmates(self, hop: SubQuestion) -> set[str]:
        """Entities of one of the answer's classes; siblings are among them."""
        own = set(self.world.classes[hop.answer.id or ""])
        known = {entity for fact in self.facts for entity in (fact[0], fact[2])}
        return {entity for entity in known if own & set(self.world.classes[entity])}


@given(world=atlases())
@settings(max_examples=20)
def test_distractors_are_wrong_and_none_is_missed(world: World) -> None:
    chains = lookups(world)
    with open_store(world) as store:
        asked = as_questions(store, chains)
        questions, summary = add_options(plan_options(store, asked), seed=1)
    oracle = Oracle(world)
    assert len(questions) == len(asked)
    for question in questions:
        for hop in question.sub_questions:
            topics = {hop.facts[0].s}
            possible = {e for e in oracle.classmates(hop) if oracle.is_wrong(hop, e, topics)}
            if hop.options is None:
                assert len({oracle.name(entity) for entity in possible}) < 3
            else:
                check_options(hop, hop, oracle, topics)
        if question.options is not None:
            topics = {question.sub_questions[0].facts[0].s}
            check_options(question, question.sub_questions[-1], oracle, topics)
    told = sum(q.options is not None for q in questions)
    assert summary.question_options == told
    assert summary.question_reasons == ({TOO_FEW: len(asked) - told} if told < len(asked) else {})


def check_options(
    told: Question | SubQuestion, hop: SubQuestion, oracle: Oracle, named: set[str]
) -> None:
    assert told.options is not None
    assert told.correct_option is not None
    wrong = {k: v for k, v in told.options.items() if k != told.correct_option}
    assert sorted(told.options) == list("ABCD")
    assert told.options[told.correct_option] == told.answer.label
    assert list(wrong.values()) == [one.label for one in told.distractors]
    assert len({comparable_name(name) for name in told.options.values()}) == 4
    for one in told.distractors:
        assert one.id is not None
        assert oracle.is_wrong(hop, one.id, named)
        assert oracle.name(one.id) == comparable_name(one.label)
        assert set(oracle.world.classes[one.id]) & set(oracle.world.classes[hop.answer.id or ""])
        if one.way == "sibling":
            s, p, o = one.evidence.split()
            assert (p, o) == (hop.facts[0].p, one.id)
            assert Fact(s, p, o) in oracle.world.new
        elif one.way == "same class":
            # Only where the siblings do not suffice.
            kind = one.evidence.removeprefix("of ").removesuffix(", too")
            assert kind in oracle.world.classes[one.id]
            siblings = {f.o for f in oracle.world.new if f.p == hop.facts[0].p}
            usable = {
                oracle.name(entity)
                for entity in siblings & oracle.classmates(hop)
                if oracle.is_wrong(hop, entity, named)
            }
            assert len(usable) < 3
        else:
            assert one.way == "intermediate"


@given(world=atlases(), seed=st.integers(0, 5))
@settings(max_examples=10)
def test_letters_are_balanced_and_the_file_is_the_same_again(world: World, seed: int) -> None:
    with open_store(world) as store:
        asked = as_questions(store, lookups(world))
        plan = plan_options(store, asked)
        questions, summary = add_options(plan, seed)
        again, _ = add_options(plan_options(store, asked), seed)
    assert questions == again
    letters = Counter(hop.correct_option for one in questions for hop in one.sub_questions)
    letters.pop(None, None)
    if letters:
        assert max(letters.values()) - min(letters[x] for x in "ABCD") <= 1
    assert summary.hop_letters.counts == {x: letters[x] for x in "ABCD"}
    assert summary.hop_options == letters.total()


def world_of_towns(extra: tuple[Fact, ...] = (), old: tuple[Fact, ...] = ()) -> World:
    """Five people born in five towns, each in a land of its own."""
    facts = [Fact(q(20 + n), BORN_IN, q(30 + n)) for n in range(5)]
    facts += [Fact(q(30 + n), PART_OF, q(40 + n)) for n in range(5)]
    classes = {q(20 + n): (HUMAN,) for n in range(5)} | {q(30 + n): (CITY,) for n in range(5)}
    classes |= {q(40 + n): (LAND,) for n in range(5)}
    return World((*facts, *extra), old, classes=classes)


def birthplace(world: World) -> FactChain:
    return chain_from(Written().add("lookup", ["Q20"], "Q20 P19 Q30", "Q30").hops)


def options_of(
    world: World, chain: FactChain, model: FakeModel | None = None, seed: int = 1
) -> tuple[Question, Any]:
    with open_store(world) as store:
        plan = plan_options(store, as_questions(store, [chain]))
        (question,), summary = add_options(plan, seed, model=model)
    return question, summary


def labels(question: Question) -> set[str]:
    return {one.label for one in question.distractors}


def test_what_was_true_once_is_no_wrong_option() -> None:
    everybody = {label(q(30 + n)) for n in range(1, 5)}
    before = world_of_towns(old=(Fact("Q20", BORN_IN, "Q31"),))
    question, _ = options_of(before, birthplace(before))
    assert labels(question) == everybody - {label("Q31")}
    inside = world_of_towns(extra=(Fact("Q30", PART_OF, "Q39"), Fact("Q39", PART_OF, "Q32")))
    question, _ = options_of(inside, birthplace(inside))
    assert labels(question) == everybody - {label("Q32")}


def test_an_alias_of_the_answer_is_no_wrong_option() -> None:
    world = world_of_towns()
    with open_store(world) as store:
        store.connection.execute("UPDATE entity SET aliases = ['ENTITY, q33'] WHERE id = 30")
        plan = plan_options(store, as_questions(store, [birthplace(world)]))
        (question,), _ = add_options(plan, 1)
    assert labels(question) == {label(q(30 + n)) for n in (1, 2, 4)}


def test_the_nearest_in_popularity_and_time_come_first() -> None:
    more = tuple(Fact(q(20 + n), BORN_IN, q(30 + n)) for n in range(5, 8))
    world = world_of_towns(more)
    world.classes.update({q(n): (CITY,) for n in range(35, 38)})
    world.classes.update({q(n): (HUMAN,) for n in range(25, 28)})
    fame = {30: 100, 31: 3, 32: 90, 33: 1, 34: 120, 35: 2, 36: 110, 37: 100_000}
    with open_store(world) as store:
        store.connection.executemany("INSERT INTO entity_popularity VALUES (?, ?)", [*fame.items()])
        plan = plan_options(store, as_questions(store, [birthplace(world)]))
        (question,), _ = add_options(plan, 1)
        assert labels(question) == {label("Q32"), label("Q34"), label("Q36")}
        for entity, year in ((30, "1900"), (32, "0100"), (31, "1901"), (33, "1902")):
            store.connection.execute(
                "INSERT INTO fact SELECT 1000 + ?, ?, 571, NULL, ?, 'time', NULL, 9, "
                "NULL, NULL, NULL",
                [entity, entity, year],
            )
        store.connection.execute("DELETE FROM entity_popularity")
        store.connection.executemany(
            "INSERT INTO entity_popularity VALUES (?, ?)", [(n, 100) for n in range(30, 38)]
        )
        plan = plan_options(store, as_questions(store, [birthplace(world)]))
        (question,), _ = add_options(plan, 1)
        assert {label("Q31"), label("Q33")} <= labels(question)
        assert label("Q32") not in labels(question)


def test_an_intersection_is_not_answered_by_what_meets_all_its_conditions() -> None:
    facts = [Fact(q(n), "P1", "Q1") for n in range(50, 56)]
    facts += [Fact("Q50", "P2", "Q2"), Fact("Q56", "P1", "Q3"), Fact("Q57", "P2", "Q2")]
    world = World(
        tuple(facts),
        (Fact("Q51", "P1", "Q1"), Fact("Q51", "P2", "Q2")),
        classes={q(n): (CITY,) for n in range(50, 58)},
    )
    chain = chain_from(Written().add("intersect", ["Q1", "Q2"], "Q50 P1 Q1, Q50 P2 Q2", "Q50").hops)
    question, _ = options_of(world, chain)
    assert {one.way for one in question.distractors} == {"sibling"}
    assert labels(question) <= {label(q(n)) for n in range(52, 58)}


@pytest.mark.parametrize("name", written())
def test_every_hop_kind_has_options_or_a_reason(name: str) -> None:
    chain, facts = written()[name]
    question, summary = options_of(World(facts), chain)
    kind = question.answer.kind
    if kind == "yes/no":
        assert summary.question_reasons == {YES_OR_NO: 1}
        assert question.options is None
        return
    gold = question.answer.value
    if gold is None:
        assert summary.question_reasons == {TOO_FEW: 1}
        return
    assert len(question.distractors) == 3
    values = [one.value for one in question.distractors]
    for at, value in enumerate(values):
        assert value is not None
        assert (value.unit, value.precision) == (gold.unit, gold.precision)
        assert not any(may_be_equal(value, other) for other in [gold, *values[:at]] if other)
        assert value.label == question.distractors[at].label


def test_a_choice_offers_what_was_not_chosen() -> None:
    chain, facts = written()["latest member"]
    around = tuple(Fact("Q70", "P2", f"Q{n}") for n in (60, 61))
    question, _ = options_of(World((*facts, *around)), chain)
    loser = next(one for one in question.distractors if one.way == "operation")
    assert loser.id == "Q5"
    assert loser.evidence == "offered to latest, and not it"


def test_an_imported_question_is_told() -> None:
    world = world_of_towns()
    with open_store(world) as store:
        (question,) = as_questions(store, [birthplace(world)])
        foreign = question.model_copy(update={"query": None})
        plan = plan_options(store, [question, foreign])
        both, summary = add_options(plan, 1)
        assert [one.options is None for one in both] == [False, True]
        assert summary.question_reasons == {NO_PROOF: 1}
        assert summary.hop_reasons == {NO_PROOF: 1}
        kept, summary = add_options(plan, 1, required="question")
    assert [one.id for one in kept] == [question.id]
    assert summary.dropped == 1


def test_what_is_required_for_all_hops() -> None:
    """Nothing else is of the class of the first hop's answer; the question has options."""
    facts = (Fact("Q20", MARRIED, "Q21"), *world_of_towns().new[1:], Fact("Q21", BORN_IN, "Q36"))
    classes = dict(world_of_towns().classes) | {"Q36": (CITY,), "Q21": ("Q11012",)}
    world = World(
        tuple(dict.fromkeys(f for f in facts if f != Fact("Q21", BORN_IN, "Q31"))), classes=classes
    )
    two = Written().add("lookup", ["Q20"], "Q20 P26 Q21", "Q21")
    two.add("lookup", [1], "Q21 P19 Q36", "Q36")
    with open_store(world) as store:
        plan = plan_options(store, as_questions(store, [chain_from(two.hops)]))
        (kept,), summary = add_options(plan, 1, required="question")
        assert kept.options is not None
        assert summary.hop_reasons == {TOO_FEW: 1}
        none, summary = add_options(plan, 1, required="all")
    assert none == []
    assert summary.dropped == 1


def more_towns() -> World:
    facts = tuple(Fact(q(20 + n), BORN_IN, q(30 + n)) for n in range(10))
    return World(facts, classes={q(30 + n): (CITY,) for n in range(10)})


def test_a_model_chooses_among_candidates() -> None:
    world = more_towns()
    model = FakeModel(lambda ask: {"chosen": ["c5", "c2", "c4"]})
    question, summary = options_of(world, birthplace(world), model)
    assert (summary.chosen_by_model, summary.refused) == (2, 0)
    graphs, _ = options_of(world, birthplace(world))
    assert labels(question) != labels(graphs)
    shown = model.asked[0].user
    assert all(one in shown for one in labels(question))
    assert model.rounds == 1


@pytest.mark.parametrize(
    "reply",
    [
        {"chosen": ["c1", "c2", "Paris"]},
        {"chosen": ["c1", "c2"]},
        {"chosen": ["c1", "c1", "c2"]},
        {"chosen": ["c1", "c2", "c3", "c4"]},
        {"chosen": ["c1", "c2", "c99"]},
        Quarantined("", "a refusal"),
    ],
)
def test_a_model_cannot_invent(reply: Any) -> None:
    def answer(ask: Ask[Any]) -> Any:
        return reply

    world = more_towns()
    question, summary = options_of(world, birthplace(world), FakeModel(answer))
    graphs, _ = options_of(world, birthplace(world))
    assert question == graphs
    assert (summary.chosen_by_model, summary.refused) == (0, 2)

"""The constraints against a brute-force oracle, and against one violation at a time."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from chain_oracle import compositions, members, reckons_wrong, to_chain, wrong_with
from factchain.chains.operations import operations
from factchain.chains.proof.constraints import violations_of
from factchain.chains.proof.rules import Rules
from factchain.chains.records import EntityRef, FactChain, Operand, TypedValue
from random_chains import SHAPES, TOPOLOGIES, chain_of
from typed_worlds import DAY, YEAR, Fact, World, label, open_store
from written_chains import Written, facts_of, written

RULES = Rules(topologies=TOPOLOGIES)
PLANTED = tuple(
    Fact(*triple.split())
    for triple in (
        # A bridge Q11 -> Q12 -> Q1 and Q13 -> Q2, which meet in Q3, which leads on to Q6.
        *("Q11 P1 Q12", "Q12 P2 Q1", "Q13 P1 Q2"),
        *("Q1 P3 Q3", "Q1 P3 Q4", "Q2 P3 Q3", "Q2 P3 Q5", "Q3 P1 Q6"),
        *("Q6 P2 Q7", "Q7 P3 Q8", "Q8 P1 Q9"),
        # A diamond Q20 -> Q14 -> Q15, Q16, of which only Q17 is by P3.
        *(
            "Q20 P1 Q14",
            "Q14 P1 Q15",
            "Q14 P2 Q16",
            "Q17 P3 Q15",
            "Q17 P2 Q16",
            "Q18 P3 Q15",
            "Q19 P2 Q16",
        ),
    )
)
"""Every topology has valid chains here; what is added breaks some of them."""
NOISE = [f"Q{n}" for n in (1, 2, 3, 6, 12, 13, 15, 17)]
MOST = 40
"""Compositions of one template that are tested in one world."""

noise = st.lists(
    st.builds(
        Fact, st.sampled_from(NOISE), st.sampled_from(["P1", "P2", "P3"]), st.sampled_from(NOISE)
    ).filter(lambda fact: fact.s != fact.o),
    max_size=6,
    unique=True,
)


def test_every_topology_has_members_that_the_constraints_accept() -> None:
    world = World(PLANTED)
    with open_store(world) as store:
        for topology, hops in SHAPES:
            found = members(world, TOPOLOGIES.template(topology, hops))
            assert found, (topology, hops)
            chains = [to_chain(steps, topology) for steps in found]
            assert violations_of(chains, store, RULES) == [{}] * len(chains)


@given(added=noise, gone=st.lists(st.sampled_from(NOISE), max_size=3), seed=st.integers(0, 999))
@settings(max_examples=12)
def test_the_constraints_agree_with_the_oracle_on_every_composition(
    added: list[Fact], gone: list[str], seed: int
) -> None:
    """All of a small graph's, or some at random: members and others, of every topology."""
    new = dict.fromkeys([*PLANTED, *added])
    old = [Fact(a, "P9", b) for a, b in pairwise(gone)]
    world = World(tuple(new), tuple(old))
    triples = sorted({(f.s, f.p, f.o) for f in new})
    drawn = []
    for topology, hops in SHAPES:
        found = list(compositions(triples, TOPOLOGIES.template(topology, hops)))
        chosen = random.Random(seed).sample(found, min(MOST, len(found)))
        drawn += [(steps, topology) for steps in chosen]
    chains = [to_chain(steps, topology) for steps, topology in drawn]
    with open_store(world) as store:
        found_wrong = violations_of(chains, store, RULES)
    for (steps, topology), wrong in zip(drawn, found_wrong, strict=True):
        expected = wrong_with(world, steps)
        event(f"{topology}: {', '.join(sorted(expected)) or 'valid'}")
        assert set(wrong) == expected, (steps, wrong)


@pytest.mark.parametrize("name", list(written()))
def test_chains_of_every_mathematics_hop_are_valid(name: str) -> None:
    chain, facts = written()[name]
    assert reckons_wrong(chain) == []
    with open_store(World(facts)) as store:
        assert violations_of([chain], store, RULES) == [{}]


@pytest.mark.parametrize(
    ("name", "added", "constraint"),
    [
        ("choice of a date", f"Q2 {DAY} 1992-01-01", "single answers"),
        ("choice of a date", "Q1 P1 Q8", "single answers"),
        ("choice of a date", "Q4 P7 Q2", "no shortcut"),
        ("choice of a date", "Q1 P7 Q3", "no shortcut"),
        ("same entity", "Q2 P4 Q8", "single answers"),
        ("count of objects", "Q2 P2 Q8", "single answers"),
        ("count of subjects", "Q8 P2 Q2", "single answers"),
        ("latest member", "Q2 P2 Q8", "single answers"),
        ("latest member", f"Q5 {YEAR} 1980", "single answers"),
        ("latest member", "Q1 P7 Q6", "no shortcut"),
        ("sum of members", "Q2 P2 Q8", "single answers"),
        ("year as a condition", f"Q6 {DAY} 1993-02-02, Q8 P1 Q9", "single answers"),
        ("year as a condition", f"Q1 {YEAR} 1991", "single answers"),
        ("year as a condition", "Q2 P7 Q4", "no shortcut"),
    ],
)
def test_one_added_fact_breaks_one_constraint(name: str, added: str, constraint: str) -> None:
    chain, facts = written()[name]
    with open_store(World((*facts, *facts_of(added)))) as store:
        assert [list(wrong) for wrong in violations_of([chain], store, RULES)] == [[constraint]]


@pytest.mark.parametrize(
    ("name", "left_out"),
    [("year as a condition", f"Q5 {DAY} 1993-01-01"), ("year as a condition", "Q6 P1 Q9")],
)
def test_a_condition_that_is_not_needed(name: str, left_out: str) -> None:
    chain, facts = written()[name]
    left = tuple(fact for fact in facts if fact not in facts_of(left_out))
    with open_store(World(left)) as store:
        assert [list(wrong) for wrong in violations_of([chain], store, RULES)] == [["necessity"]]


def changed(chain: FactChain, hop: int, **update: object) -> FactChain:
    """The chain with another hop."""
    hops = list(chain.hops)
    hops[hop - 1] = hops[hop - 1].model_copy(update=update)
    return chain.model_copy(update={"hops": tuple(hops), "answer": hops[-1].answer.key})


def test_operations_are_recomputed_from_their_operands() -> None:
    for name, (chain, facts) in written().items():
        at = next(hop.index for hop in chain.hops if hop.operation)
        hop = chain.hops[at - 1]
        assert hop.operation is not None
        if isinstance(hop.answer, TypedValue) and hop.answer.datatype == "boolean":
            other: EntityRef | TypedValue = operations.typed_value("7", "quantity")
        elif isinstance(hop.answer, TypedValue):
            other = hop.answer.model_copy(update={"value": "1234"})
        else:
            continue
        wrong = hop.operation.model_copy(update={"result": other})
        with open_store(World(facts)) as store:
            (found,) = violations_of([changed(chain, at, operation=wrong)], store, RULES)
        assert set(found) == {"connectivity", "operation"}, name
    chain, facts = written()["days, doubled"]
    operation = chain.hops[3].operation
    assert operation is not None
    lied = operation.model_copy(
        update={"operands": (Operand(hop=3, value=operations.constant(5)), *operation.operands[1:])}
    )
    with open_store(World(facts)) as store:
        (found,) = violations_of([changed(chain, 4, operation=lied)], store, RULES)
    assert list(found) == ["operation"]
    assert len(found["operation"]) == 2, "the result, and where the operand is from"


def test_connectivity_names_what_is_wrong() -> None:
    chain, facts = written()["choice of a date"]
    with open_store(World(facts)) as store:

        def problems(one: FactChain) -> list[str]:
            return violations_of([one], store, RULES)[0].get("connectivity", [])

        assert problems(chain.model_copy(update={"topology": "bridge"})) == [
            "the hops do not form the topology 'bridge'"
        ]
        assert problems(chain.model_copy(update={"answer": "Q77"})) == [
            "the chain's answer Q77 is not the last hop's"
        ]
        assert problems(chain.model_copy(update={"topics": ("Q3", "Q1")})) == [
            "the chain's topics are not those of its hops, in their order"
        ]
        cut = changed(chain, 3, inputs=(1,), topics=("Q4",))
        assert "hop 2 does not lead to the last hop" in problems(cut)
        stray = Fact("Q8", "P1", "Q2").record()
        assert problems(changed(chain, 1, facts=(stray,))) == [
            "hop 1 starts at Q8, which is no input's answer and no topic"
        ]
        ends = Fact("Q1", "P1", "Q8").record()
        assert "hop 1 ends at Q8, not at its answer" in problems(changed(chain, 1, facts=(ends,)))
        assert problems(changed(chain, 3, operation=None)) == ["hop 3 a compare needs an operation"]
        assert problems(changed(chain, 2, inputs=(3,), topics=())) != []


LINE = facts_of("Q1 P1 Q2, Q2 P2 Q3, Q3 P3 Q4")


def line(hops: int = 3) -> FactChain:
    steps = Written()
    for index, fact in enumerate(LINE[:hops], start=1):
        start: int | str = index - 1 if index > 1 else "Q1"
        steps.add("lookup", [start], f"{fact.s} {fact.p} {fact.o}", fact.o)
    return chain_of(steps.hops)


def found_in(world: World, chain: FactChain, **rules: object) -> dict[str, list[str]]:
    with open_store(world) as store:
        return violations_of([chain], store, Rules(**rules))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shortcut", "strict", "paper"),
    [
        ("Q1 P9 Q3", True, False),  # skips one entity: the printed rule lets it pass
        ("Q3 P9 Q1", True, False),
        ("Q1 P9 Q4", True, True),
        ("Q4 P9 Q1", True, False),  # backwards
        ("Q2 P9 Q4", True, False),
        ("Q1 P9 Q2", False, False),
    ],
)
def test_shortcuts_by_the_strict_and_by_the_printed_rule(
    shortcut: str, strict: bool, paper: bool
) -> None:
    for world in (World((*LINE, *facts_of(shortcut))), World(LINE, facts_of(shortcut))):
        assert ("no shortcut" in found_in(world, line())) == strict
        assert ("no shortcut" in found_in(world, line(), no_shortcut="paper")) == paper


def test_all_answers_are_recorded() -> None:
    world = World((*LINE, Fact("Q2", "P2", "Q8"), Fact("Q8", "P3", "Q9")))
    chain = line()
    assert list(found_in(world, chain)) == ["single answers"]
    assert list(found_in(world, chain, answers="all")) == ["single answers"]
    eight, nine = (EntityRef(id=q, label=label(q)) for q in ("Q8", "Q9"))
    recorded = changed(changed(chain, 2, other_answers=(eight,)), 3, other_answers=(nine,))
    assert found_in(world, recorded, answers="all") == {}
    assert list(found_in(world, recorded)) == ["single answers"]
    assert list(found_in(World(LINE), recorded, answers="all")) == ["single answers"]


def test_a_fact_that_had_ended_or_may_have() -> None:
    for end, wrong in (
        ("2020-01-01", True),
        ("2024", True),  # within the snapshot's year
        ("2024-06-05", True),
        ("-0044", True),
        ("2024-06-06", False),
        ("2025", False),
    ):
        ended = Fact("Q2", "P2", "Q3", end)
        found = found_in(World((LINE[0], ended, LINE[2])), line())
        assert list(found) == (["ended fact"] if wrong else []), end
        if wrong:
            assert found["ended fact"] == [f"Q2 P2 Q3 ended: {end}"]


def test_a_fact_that_had_ended_must_be_told_as_such() -> None:
    chain = line()
    told = tuple(fact.model_copy(update={"ended": True}) for fact in chain.hops[1].facts)
    chain = changed(chain, 2, facts=told)
    ended = Fact("Q2", "P2", "Q3", "2020-01-01")
    assert found_in(World((LINE[0], ended, LINE[2])), chain) == {}
    assert found_in(World(LINE), chain) == {
        "ended fact": ["Q2 P2 Q3 has not ended, though the chain says so"]
    }


def test_a_property_that_says_nothing() -> None:
    world = World((Fact("Q1", "P1889", "Q2"),))
    chain = chain_of(Written().add("lookup", ["Q1"], "Q1 P1889 Q2", "Q2").hops)
    assert list(found_in(world, chain)) == ["empty property"]
    assert found_in(world, chain, excluded_properties=frozenset()) == {}
    assert list(found_in(world, chain, excluded_properties=frozenset({1889}))) == ["empty property"]


def test_a_topic_that_namesakes_are_not_told_apart_from() -> None:
    def found(labels: dict[str, str], **descriptions: str) -> list[str]:
        world = World(LINE, labels=labels, descriptions=descriptions)
        return list(found_in(world, line()))

    twins = {"Q1": "Springfield", "Q9": "springfield"}
    assert found(twins) == [], "Q9 is not in the store"
    twins = {"Q1": "Springfield", "Q4": "springfield"}
    assert found(twins) == ["unclear topic"]
    assert found(twins, Q1="city in Ohio") == []
    assert found(twins, Q1="city", Q4="city") == ["unclear topic"]
    assert found(twins, Q1="city in Ohio", Q4="city in Illinois") == []
    assert found({"Q1": "Q1"}) == ["unclear topic"]
    assert found({"Q2": "Springfield", "Q4": "Springfield"}) == [], "only topics are named"


def test_entities_that_the_store_does_not_have() -> None:
    found = found_in(World(LINE[:2]), line())
    assert found["unknown id"] == ["Q4 is not in the store"]


def test_a_fact_stated_the_wrong_way_round() -> None:
    """Twenty books have human authors; a human "by" a book fits only the other way round."""
    books = [Fact(f"Q{100 + n}", "P1", f"Q{200 + n}") for n in range(20)]
    classes = {f.s: ("Q571",) for f in books} | {f.o: ("Q5",) for f in books}
    around = World((*books, *LINE), classes=classes | {"Q1": ("Q5",), "Q2": ("Q571",)})
    assert list(found_in(around, line())) == ["contrary fact"]
    for q1, q2 in ((("Q571",), ("Q5",)), ((), ("Q571",)), (("Q5",), ("Q5",)), (("Q7",), ("Q571",))):
        world = World((*books, *LINE), classes=classes | {"Q1": q1, "Q2": q2})
        assert found_in(world, line()) == {}
    fewer = World((*books[:18], *LINE), classes=classes | {"Q1": ("Q5",), "Q2": ("Q571",)})
    assert found_in(fewer, line()) == {}, "nineteen facts are too few to learn from"
    # Where humans by books are usual too, nothing is the wrong way round.
    both = [Fact(f"Q{300 + n}", "P1", f"Q{400 + n}") for n in range(5)]
    mixed = classes | {f.s: ("Q5",) for f in both} | {f.o: ("Q571",) for f in both}
    world = World((*books, *both, *LINE), classes=mixed | {"Q1": ("Q5",), "Q2": ("Q571",)})
    assert found_in(world, line()) == {}

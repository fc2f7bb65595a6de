"""A question keeps its chain: what is read back is what the question was made from."""

from __future__ import annotations

import pytest

from factchain.chains.operations import operations
from factchain.chains.records import FactChain
from factchain.questions.chain_of import chain_of
from made_questions import as_questions
from random_chains import chain_of as chain_from
from typed_worlds import Fact, World, open_store
from written_chains import Written, facts_of, values, written


def more_chains() -> dict[str, tuple[FactChain, tuple[Fact, ...]]]:
    """Chains whose last hop starts at topics, in every way."""
    found = {}
    for name, kind, starts, facts, answer in (
        ("lookup", "lookup", ["Q1"], "Q1 P1 Q2", "Q2"),
        ("subjects meet", "intersect", ["Q1", "Q2"], "Q3 P1 Q1, Q3 P2 Q2", "Q3"),
        ("objects meet", "intersect", ["Q1", "Q2"], "Q1 P1 Q3, Q2 P2 Q3", "Q3"),
        (
            "four meet",
            "intersect",
            ["Q1", "Q2", "Q4", "Q5"],
            "Q3 P1 Q1, Q3 P2 Q2, Q3 P1 Q4, Q3 P2 Q5",
            "Q3",
        ),
    ):
        chain = Written().add(kind, starts, facts, answer)
        found[name] = chain_from(chain.hops), tuple(chain.facts)
    for name, facts in (("objects", "Q1 P1 Q2, Q1 P1 Q3"), ("subjects", "Q2 P1 Q1, Q3 P1 Q1")):
        counted = Written().add("count", ["Q1"], facts, None, operations.count(2))
        found[f"count of {name} of a topic"] = chain_from(counted.hops), tuple(counted.facts)
    read = "Q5 P12 1990, Q6 P12 1991"
    chosen = operations.build("earliest", values(read))
    pair = Written().add("compare", ["Q5", "Q6"], read, None, chosen)
    found["choice of two topics"] = chain_from(pair.hops), tuple(pair.facts)
    several = Written().add("compare", ["Q2"], f"Q2 P2 Q5, Q2 P2 Q6, {read}", None, chosen)
    found["choice among members of a topic"] = chain_from(several.hops), tuple(several.facts)
    mixed = Written().add("lookup", ["Q1"], "Q1 P1 Q5", "Q5")
    mixed.add("compare", [1, "Q6"], read, None, chosen)
    found["choice of an answer and a topic"] = chain_from(mixed.hops), tuple(mixed.facts)
    return found


CHAINS = written() | more_chains()


@pytest.mark.parametrize("name", CHAINS)
def test_a_question_gives_back_its_chain(name: str) -> None:
    chain, facts = CHAINS[name]
    with open_store(World(facts)) as store:
        (question,) = as_questions(store, [chain])
    found = chain_of(question)
    assert found is not None
    assert found.hops == chain.hops
    assert (found.topics, found.answer) == (chain.topics, chain.answer)


def test_an_imported_question_has_no_chain() -> None:
    chain, facts = CHAINS["lookup"]
    with open_store(World(facts)) as store:
        (question,) = as_questions(store, [chain])
    assert chain_of(question.model_copy(update={"query": None})) is None
    bare = question.sub_questions[0].model_copy(update={"facts": ()})
    assert chain_of(question.model_copy(update={"sub_questions": (bare,)})) is None


def test_facts_are_those_of_a_world() -> None:
    assert all(
        facts == facts_of(",".join(f"{f.s} {f.p} {f.o}" for f in facts))
        for _, facts in CHAINS.values()
    )

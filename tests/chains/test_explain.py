"""Why a chain is valid, or a list of facts is not."""

from __future__ import annotations

import pytest

from factchain.chains.proof.constraints import violations_of
from factchain.chains.proof.explain import explain
from factchain.chains.proof.rules import Rules
from factchain.errors import InputError
from random_chains import TOPOLOGIES
from typed_worlds import Fact, World, open_store
from written_chains import written

FACTS = tuple(Fact(*t.split()) for t in ("Q1 P1 Q2", "Q2 P2 Q3", "Q4 P2 Q3", "Q5 P9 Q1"))


def test_a_list_of_facts_that_holds() -> None:
    with open_store(World(FACTS)) as store:
        found = explain(store, "Q1 P1 Q2, Q2 P2 Q3")
    assert found.accepted
    text = found.as_text()
    assert text.startswith("facts: accepted\n  Q1 P1 Q2   entity Q1 | property P1 | entity Q2\n")
    evidence = {finding.constraint: finding.evidence for finding in found.findings}
    assert evidence["acyclicity"] == ["3 distinct nodes: Q1, Q2, Q3"]
    assert evidence["single answers"] == [
        "hop 1: Q1 P1 has 1 object: Q2",
        "hop 2: Q2 P2 has 1 object: Q3",
    ]
    assert evidence["no shortcut"] == [
        "rule strict, over the facts of every snapshot",
        "joined by a fact, as the chain has it: Q1-Q2, Q2-Q3",
        "joined by no fact: Q1-Q3",
    ]
    assert evidence["unclear topic"] == ["Q1 'entity Q1' has 0 namesakes"]
    assert found.as_dict()["facts"] == [["Q1", "P1", "Q2"], ["Q2", "P2", "Q3"]]


@pytest.mark.parametrize(
    ("facts", "constraint", "problem"),
    [
        ("Q1 P1 Q2, Q4 P2 Q3", "connectivity", "hop 2 starts at Q4"),
        ("Q1 P1 Q9", "single answers", "Q1 P1 Q9 is no fact of the graph"),
        ("Q5 P9 Q1, Q1 P1 Q2, Q2 P2 Q5", "acyclicity", "Q5 occurs twice"),
        ("Q1 P1 Q77", "unknown id", "Q77 is not in the store"),
    ],
)
def test_a_list_of_facts_that_does_not_hold(facts: str, constraint: str, problem: str) -> None:
    with open_store(World(FACTS)) as store:
        found = explain(store, facts)
    assert not found.accepted
    evidence = {f.constraint: f.evidence for f in found.findings if not f.holds}
    assert any(problem in line for line in evidence[constraint])
    assert f"FAILS  {constraint}" in found.as_text()


@pytest.mark.parametrize("text", ["", "Q1 P1", "Q1 P1 Q2; Q2 P2 Q3", "Q1 P1 1990", "Q1 P1 Q2," * 3])
def test_what_is_no_list_of_facts(text: str) -> None:
    with (
        open_store(World(FACTS)) as store,
        pytest.raises(InputError, match="1 to 8 facts between entities are needed"),
    ):
        explain(store, text)


def test_chains_of_every_kind_are_explained_as_they_are_checked() -> None:
    rules = Rules(topologies=TOPOLOGIES)
    for name, (chain, facts) in written().items():
        with open_store(World(facts)) as store:
            found = explain(store, chain, rules)
            (wrong,) = violations_of([chain], store, rules)
        assert found.accepted == (not wrong), name
        for finding in found.findings:
            assert finding.evidence, (name, finding.constraint)

"""Queries for the Wikidata Query Service: their text, and what rdflib answers to them."""

from __future__ import annotations

import pytest

from factchain.chains.operations.typed_values import number_text
from factchain.chains.proof.execute import execute
from factchain.chains.proof.plan import NoPlan
from factchain.chains.proof.sparql import to_sparql
from factchain.chains.records import ChainFact, FactChain
from typed_worlds import NAMESPACES, World, open_store, to_rdf
from written_chains import Written, written


@pytest.mark.parametrize("name", list(written()))
def test_store_and_service_give_the_claimed_answer(name: str) -> None:
    chain, facts = written()[name]
    (row,) = to_rdf(facts).query(to_sparql(chain.hops), initNs=NAMESPACES)
    answer = row[0]
    text = str(answer).rpartition("/")[2]
    if getattr(answer, "value", None) is not None and text not in ("yes", "no"):
        text = number_text(answer.value)
    assert text == chain.answer.partition(" ")[0]
    with open_store(World(facts)) as store:
        (found,) = execute(store, [chain])
        witnesses = {
            row[0]
            for row in store.rows(
                "SELECT 'Q' || s || ' P' || p || ' ' || coalesce('Q' || o, value) FROM fact "
                "WHERE id IN (SELECT unnest(?))",
                sorted(set().union(*(result.facts for result in found.values()))),
            )
        }
    assert found[len(chain.hops)].keys == {chain.answer}
    assert witnesses == {" ".join(fact.key).removesuffix(" Q11573") for fact in _facts(chain)}


def _facts(chain: FactChain) -> list[ChainFact]:
    return [fact for hop in chain.hops for fact in hop.facts]


@pytest.mark.parametrize(
    ("name", "query"),
    [
        (
            "choice of a date",
            "SELECT ?x3 WHERE { wd:Q1 wdt:P1 ?x1 . wd:Q3 wdt:P2 ?x2 . ?x1 wdt:P11 ?v3_1 . "
            "?x2 wdt:P11 ?v3_2 . FILTER(?v3_1 != ?v3_2) FILTER(?x1 != ?x2) "
            "BIND(IF(?v3_1 < ?v3_2, ?x1, ?x2) AS ?x3) }",
        ),
        (
            "count of subjects",
            "SELECT ?x2 WHERE { wd:Q1 wdt:P1 ?x1 . { SELECT ?x1 (COUNT(?c2) AS ?x2) WHERE { "
            "{ SELECT DISTINCT ?x1 ?c2 WHERE { wd:Q1 wdt:P1 ?x1 . ?c2 wdt:P2 ?x1 . } } } "
            "GROUP BY ?x1 HAVING (COUNT(?c2) >= 1) } }",
        ),
        (
            "year as a condition",
            "SELECT ?x4 WHERE { wd:Q1 wdt:P12 ?x1 . wd:Q2 wdt:P13 ?x2 . "
            "BIND(YEAR(?x1) + ?x2 AS ?x3) ?x4 wdt:P11 ?v4_1 . FILTER(YEAR(?v4_1) = ?x3) "
            "?x4 wdt:P1 wd:Q9 . }",
        ),
    ],
)
def test_queries(name: str, query: str) -> None:
    assert to_sparql(written()[name][0].hops) == query


def test_facts_that_are_not_those_of_the_hop_have_no_query() -> None:
    chain = Written().add("lookup", ["Q1"], "Q1 P1 Q2", "Q2")
    chain.add("lookup", [1], "Q7 P1 Q3", "Q3")
    with pytest.raises(NoPlan, match="starts at Q7"):
        to_sparql(chain.hops)

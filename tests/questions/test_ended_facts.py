"""Facts that had ended: kept where asked for, marked in the chain, asked for in the past."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.chains.build import sample_chains
from factchain.chains.proof.constraints import violations_of
from factchain.chains.proof.rules import Rules
from factchain.chains.records import FactChain
from factchain.chains.settings import SampleSettings
from factchain.kg.dumps.dump import DumpSettings
from factchain.kg.dumps.ingest import ingest
from factchain.kg.dumps.statements import FactFilter
from factchain.kg.store import Store
from factchain.questions.names import entity_names
from factchain.questions.verbalize.template import TemplateVerbalizer
from factchain.records import read_records

DATE = "2024-06-05"


def end(time: str, precision: int = 11) -> dict[str, Any]:
    value = {
        "time": time,
        "precision": precision,
        "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
    }
    value |= {"timezone": 0, "before": 0, "after": 0}
    return {
        "snaktype": "value",
        "property": "P582",
        "datatype": "time",
        "datavalue": {"type": "time", "value": value},
    }


def chains_of(folder: Path, until: dict[str, Any] | None) -> tuple[list[FactChain], list[str]]:
    """The chain country -> head of government -> place of birth, and how it is asked for."""
    qualifiers = {"P582": [until]} if until else {}
    head = claim(item_snak("P6", "Q2"), **qualifiers)
    dump = write_dump(
        folder / "dump.json",
        [
            property_entity("P6", "head of government"),
            property_entity("P19", "place of birth"),
            item("Q1", "Ruritania", [head]),
            item("Q2", "Ann", [claim(item_snak("P19", "Q3"))]),
            item("Q3", "Strelsau"),
        ],
    )
    store = Store.create(folder / "kg.duckdb")
    try:
        ingest(store, dump, DATE, DATE, settings=DumpSettings(FactFilter(keep_ended=True)))
        wanted = SampleSettings(axis="none", hops=(2,), per_stratum=5, seed=1)
        sample_chains(store, [wanted], folder / "chains.jsonl")
        chains = list(read_records(folder / "chains.jsonl", FactChain))
        assert violations_of(chains, store, Rules()) == [{} for _ in chains]
        names = entity_names(store, chains)
        verbalizer = TemplateVerbalizer()
        return chains, [verbalizer.verbalize(chain, names).question for chain in chains]
    finally:
        store.close()


@pytest.mark.parametrize(
    ("until", "has_ended"),
    [
        (None, False),
        (end("+2019-07-01T00:00:00Z"), True),
        (end("+2024-00-00T00:00:00Z", 9), True),
        (end("-0044-03-15T00:00:00Z"), True),
        (end("+2030-07-01T00:00:00Z"), False),
    ],
)
def test_a_fact_that_had_ended_is_marked_and_told(
    until: dict[str, Any] | None, has_ended: bool, tmp_path: Path
) -> None:
    chains, questions = chains_of(tmp_path, until)
    assert [[fact.ended for hop in chain.hops for fact in hop.facts] for chain in chains] == [
        [has_ended, False]
    ]
    said = (
        "Where was the former head of government of Ruritania born?"
        if has_ended
        else "As of 5 June 2024, where was the head of government of Ruritania born?"
    )
    assert questions == [said]

"""Domains: eight, from classes, superclasses and occupations."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from factchain.chains.domains import DOMAINS, HUMAN, domain_table, domains_of
from factchain.kg.records import number
from typed_worlds import Fact, World, open_store

HUMAN_ID, FILM, NOVEL, CITY, ACTOR, POET = "Q5", "Q11424", "Q8261", "Q515", "Q33999", "Q49757"


def domains(world: World) -> dict[int, str]:
    with open_store(world) as store:
        return domains_of(store, [int(q[1:]) for q in world.classes])


def test_the_table_has_eight_domains_and_every_class_once() -> None:
    assert len(DOMAINS) == 8
    assert set(domain_table().values()) == set(DOMAINS)
    path = Path(__file__).parents[2] / "src/factchain/chains/domains.tsv"
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    assert len({row[0] for row in rows}) == len(rows) == len(domain_table())
    assert all(row[1] for row in rows)
    assert HUMAN not in domain_table()


def test_classes_people_and_superclasses() -> None:
    facts = (
        Fact("Q1001", "P106", ACTOR),
        Fact("Q1002", "P106", POET),
        Fact("Q1009", "P279", "Q1010"),
        Fact("Q1010", "P279", FILM),
        Fact("Q1011", "P279", "Q1011"),
    )
    classes = {
        "Q1000": (NOVEL,),
        "Q1001": (HUMAN_ID,),
        "Q1002": (HUMAN_ID,),
        "Q1003": (HUMAN_ID,),
        "Q1004": (CITY, "Q1010"),
        "Q1005": ("Q1009",),
        "Q1006": ("Q1011",),
        "Q1007": (FILM, FILM, CITY),
    }
    every = (*facts, *(Fact(q, "P9", "Q1") for q in classes))
    found = domains(World(every, classes=classes))
    assert found == {
        1000: "History and Literature",
        1001: "Film, Music and Stage",
        1002: "History and Literature",
        1004: "Film, Music and Stage",  # of equals the first
        1005: "Film, Music and Stage",
        1007: "Film, Music and Stage",
    }


def test_the_table_covers_the_frequent_classes_of_a_real_graph(
    reference: Callable[[str], Path],
) -> None:
    counts: Counter[int] = Counter()
    with gzip.open(reference("wd50k_labelled.tsv.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            p, _, o = line.split("\t")[2:5]
            if p in ("P31", "P106") and o != HUMAN_ID:
                counts[number(o)] += 1
    covered = sum(count for one, count in counts.items() if one in domain_table())
    assert covered / counts.total() > 0.85


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_domain_is_thin(domain: str) -> None:
    assert list(domain_table().values()).count(domain) >= 20

"""Co-occurrence: which passages state which facts, and how popular these are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import claim, item, item_snak, write_dump
from factchain.errors import InputError
from factchain.kg.extraction.cooccurrence import Cooccurrence
from factchain.kg.ingest import ingest
from factchain.kg.popularity import PopularityBounds, count_popularity
from factchain.kg.records import TextPassage
from factchain.kg.store import Store
from factchain.kg.text import read_passages

ENTITIES = [
    item("Q90", "Paris", [claim(item_snak("P17", "Q142"))], aliases=["City of Light"]),
    item("Q142", "France", [claim(item_snak("P36", "Q90"))]),
    item("Q167646", "Paris", [claim(item_snak("P22", "Q3"))], description="son of Priam"),
    item("Q3", "Priam"),
    item("Q60", "New York", [claim(item_snak("P131", "Q1384"))]),
    item("Q1384", "New York State"),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store.create(tmp_path / "kg")
    ingest(store, write_dump(tmp_path / "dump.json", ENTITIES), "now", "2024-06-05")
    return store


def passage(text: str, title: str = "", entity: str | None = None, id: str = "p") -> TextPassage:
    return TextPassage(id=id, title=title, entity=entity, text=text)


def mentioned(store: Store, one: TextPassage) -> set[int]:
    return {entity for _, entity in Cooccurrence(store).mentions([one])}


@pytest.mark.parametrize(
    ("text", "title", "entity", "expected"),
    [
        ("The City of Light is in France.", "", None, {90, 142}),
        ("Franceland and Frances are no country.", "", None, set()),
        ("Paris lies in France.", "France", "Q142", {90, 142}),
        ("Paris was the son of Priam.", "Priam", "Q3", {167646, 3}),
        ("Paris is all there is.", "", None, set()),
        ("Paris is the page itself.", "Paris", "Q90", {90}),
        ("New York State is larger.", "", None, {1384}),
        ("In New York and New York State.", "", None, {60, 1384}),
        ("(France), “France”; France", "", None, {142}),
    ],
)
def test_names_are_read_as_whole_words_the_longest_first(
    store: Store, text: str, title: str, entity: str | None, expected: set[int]
) -> None:
    assert mentioned(store, passage(text, title, entity)) == expected


def test_popularity_counts_distinct_passages(store: Store) -> None:
    texts = [
        passage("Paris, Paris: the capital of France.", "France", "Q142", "p1"),
        passage("France has Paris.", "Paris", "Q90", "p2"),
        passage("Priam had a son.", "Paris", "Q167646", "p3"),
        passage("Nothing here.", "", None, "p4"),
    ]
    bounds = PopularityBounds(unpopular_min=1, unpopular_max=1, popular_min=2)
    for _ in range(2):  # the second run puts everything in place of the first
        summary = count_popularity(store, texts, bounds)
        assert (summary.passages, summary.mentions, summary.facts) == (4, 5, 3)
    counted = store.rows(
        "SELECT f.s, f.p, c.count, c.label FROM fact_popularity c JOIN fact f ON f.id = c.fact "
        "ORDER BY f.s"
    )
    assert counted == [
        (90, 17, 2, "popular"),
        (142, 36, 2, "popular"),
        (167646, 22, 1, "unpopular"),
    ]


def test_a_count_between_the_bounds_has_no_label(store: Store) -> None:
    texts = [passage("Paris is in France.", "Paris", "Q90", f"p{n}") for n in range(5)]
    count_popularity(store, texts, PopularityBounds(1, 4, 6))
    assert store.rows("SELECT DISTINCT count, label FROM fact_popularity") == [(5, None)]


WORDS = st.lists(st.sampled_from(["Paris", "France", "New", "York", "State", "x"]), max_size=12)


@given(WORDS)
def test_no_entity_is_found_that_the_text_does_not_name(words: list[str]) -> None:
    names = {60: "New York", 1384: "New York State", 142: "France"}
    text = " ".join(words)
    extractor = Cooccurrence(_Names(names))
    found = {entity for _, entity in extractor.mentions([passage(text)])}
    without_longest = text.replace("New York State", "")
    expected = {142} if "France" in words else set()
    expected |= {1384} if "New York State" in text else set()
    expected |= {60} if "New York" in without_longest else set()
    assert found == expected


class _Names:
    """Stands in for a store that has names and no facts."""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names

    def rows(self, sql: str) -> list[tuple[int, str, list[str]]]:
        return [(q, name, []) for q, name in self.names.items()] if "aliases" in sql else []


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"id": "a", "title": "t"}'], r"passages\.jsonl:1: text: Field required"),
        (['{"id": "a", "title": "t", "text": "x"}'] * 2, "stands twice"),
        (
            ['{"id": "a", "title": "t", "text": "x", "entity": "Paris"}'],
            r":1: entity: String should",
        ),
        (["no json"], r"passages\.jsonl:1: the line: Invalid JSON"),
        ([], "holds no passage"),
    ],
)
def test_a_broken_text_corpus_is_refused(tmp_path: Path, lines: list[str], message: str) -> None:
    path = tmp_path / "passages.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=message):
        list(read_passages(path))


def test_a_missing_text_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="absent"):
        list(read_passages(tmp_path / "absent"))


def test_rebel_abstracts_state_facts_of_a_graph_made_of_their_own_triples(
    reference, tmp_path: Path
) -> None:
    lines = reference("rebel_sample.jsonl").read_text().splitlines()
    documents = [json.loads(line) for line in lines[:200]]
    labels: dict[str, str] = {}
    claims: dict[str, set[tuple[str, str]]] = {}
    for document in documents:
        for triple in document["triples"]:
            s, p, o = triple["subject"], triple["predicate"]["uri"], triple["object"]
            if s["uri"][0] == o["uri"][0] == "Q" and p[0] == "P" and s["uri"][1:].isdigit():
                if not o["uri"][1:].isdigit():
                    continue
                labels.setdefault(s["uri"], s["surfaceform"])
                labels.setdefault(o["uri"], o["surfaceform"])
                claims.setdefault(s["uri"], set()).add((p, o["uri"]))
    entities = [
        item(q, label, [claim(item_snak(p, o)) for p, o in sorted(claims.get(q, set()))])
        for q, label in labels.items()
    ]
    texts = [
        TextPassage(id=d["docid"], title=d["title"], entity=d["uri"], text=d["text"])
        for d in documents
    ]
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "dump.json", entities), "now", "2024-06-05")
        count_popularity(store, texts, PopularityBounds())
        stated = {
            (passage_id, f"Q{s}", f"P{p}", f"Q{o}")
            for passage_id, s, p, o in store.rows(
                "SELECT m.passage, f.s, f.p, f.o FROM mention m JOIN fact f ON f.id = m.fact"
            )
        }
    gold = {
        (d["docid"], t["subject"]["uri"], t["predicate"]["uri"], t["object"]["uri"])
        for d in documents
        for t in d["triples"]
        if t["object"]["uri"] in labels
    }
    assert len(gold) > 300
    assert len(gold & stated) / len(gold) > 0.9

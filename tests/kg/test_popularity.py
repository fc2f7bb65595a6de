"""How popular facts and entities are, in passages, mentions or documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

import pytest

from conftest import claim, item, item_snak, write_dump
from factchain.errors import ConfigError, InputError, StoreError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.extraction.cooccurrence import Cooccurrence
from factchain.kg.extraction.protocol import Evidence
from factchain.kg.popularity import (
    PopularityBounds,
    PopularitySummary,
    TextSummary,
    Unit,
    count_mentions,
    count_popularity,
)
from factchain.kg.records import PassageView, TextPassage
from factchain.kg.stats import statistics
from factchain.kg.store import Store
from factchain.kg.text.passages import check_corpus, corpus_blocks, passages_of
from factchain.records import write_records

ENTITIES = [
    item("Q90", "Paris", [claim(item_snak("P17", "Q142"))], aliases=["City of Light"]),
    item("Q142", "France", [claim(item_snak("P36", "Q90"))]),
    item("Q167646", "Paris", [claim(item_snak("P22", "Q3"))], description="son of Priam"),
    item("Q3", "Priam"),
]


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with Store.create(tmp_path / "kg") as store:
        ingest(store, write_dump(tmp_path / "dump.json", ENTITIES), "now", "2024-06-05")
        yield store


def passage(text: str, title: str = "", entity: str | None = None, id: str = "p") -> TextPassage:
    return TextPassage(id=id, title=title, entity=entity, text=text)


TEXTS = [
    passage("Paris, Paris: the capital of France.", "France", "Q142", "p1"),
    passage("France has Paris.", "Paris", "Q90", "p2"),
    passage("Priam had a son.", "Paris of Troy", "Q167646", "p3"),
    passage("Nothing here.", "", None, "p4"),
    passage("Paris is in France, and so France is glad.", "France", "Q142", "p5"),
]


def popularity(store: Store, texts: Sequence[TextPassage], bounds: PopularityBounds) -> TextSummary:
    path = store.path.with_name("passages.jsonl")
    write_records(path, texts)
    return count_popularity(store, path, bounds)


def test_popularity_counts_distinct_passages(store: Store) -> None:
    bounds = PopularityBounds(unpopular_min=1, unpopular_max=1, popular_min=3)
    for _ in range(2):  # the second run puts everything in place of the first
        summary = popularity(store, TEXTS, bounds)
        assert (summary.passages, summary.mentions, summary.facts) == (5, 7, 3)
    counted = store.rows(
        "SELECT f.s, f.p, c.count, c.label FROM fact_popularity c JOIN fact f ON f.id = c.fact "
        "ORDER BY f.s"
    )
    assert counted == [
        (90, 17, 3, "popular"),
        (142, 36, 3, "popular"),
        (167646, 22, 1, "unpopular"),
    ]
    entities = store.rows("SELECT entity, count FROM entity_popularity ORDER BY entity")
    assert entities == [(3, 1), (90, 3), (142, 3), (167646, 1)]
    assert store.rows("SELECT * FROM popularity_unit") == [("passages", None)]


def test_a_stopped_count_goes_on_with_the_shards_that_are_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One passage a shard.
    monkeypatch.setattr(
        "factchain.kg.extraction.run.corpus_blocks", lambda path, _: corpus_blocks(path, 60)
    )
    folder = store.path.with_name(f"{store.path.name}.cooccurrence")
    extract = Cooccurrence.extract

    def stopped(self: Cooccurrence, passages: Sequence[PassageView]) -> Evidence:
        if passages[0].id == "p4":
            raise KeyboardInterrupt
        return extract(self, passages)

    monkeypatch.setattr(Cooccurrence, "extract", stopped)
    with pytest.raises(KeyboardInterrupt):
        popularity(store, TEXTS, PopularityBounds())
    made = sorted(folder.glob("text-*.parquet"))
    assert len(made) == 3
    assert store.rows("SELECT count(*) FROM passage") == [(0,)]

    extracted: list[str] = []

    def watched(self: Cooccurrence, passages: Sequence[PassageView]) -> Evidence:
        extracted.extend(one.id for one in passages)
        return extract(self, passages)

    monkeypatch.setattr(Cooccurrence, "extract", watched)
    summary = popularity(store, TEXTS, PopularityBounds())
    assert extracted == ["p4", "p5"]
    assert (summary.passages, summary.mentions, summary.facts) == (5, 7, 3)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("unit", "facts", "entities"),
    [
        ("passages", {90: 3, 142: 3, 167646: 1}, {3: 1, 90: 3, 142: 3, 167646: 1}),
        # p1 names Paris twice and France twice, its title included; p5 names Paris once.
        ("mentions", {90: 4, 142: 4, 167646: 1}, {3: 1, 90: 5, 142: 6, 167646: 1}),
        # p1 and p5 are of one page.
        ("documents", {90: 2, 142: 2, 167646: 1}, {3: 1, 90: 2, 142: 2, 167646: 1}),
    ],
)
def test_what_is_counted(
    store: Store, unit: Unit, facts: dict[int, int], entities: dict[int, int]
) -> None:
    popularity(store, TEXTS, PopularityBounds())
    summary = count_mentions(store, PopularityBounds(1, 2, 3), unit)
    assert dict(store.rows("SELECT s, count FROM popularity JOIN fact ON id = fact")) == facts
    assert dict(store.rows("SELECT entity, count FROM entity_popularity")) == entities
    assert store.rows("SELECT * FROM popularity_unit") == [(unit, None)]
    figures = statistics(store)
    assert figures["popularity_unit"] == unit
    assert figures["entity_popularity"]["entities"] == len(entities)
    assert figures["entity_popularity"]["max"] == max(entities.values())
    popular = sum(count >= 3 for count in facts.values())
    labels = {"popular": popular, "unpopular": 3 - popular}
    assert summary == PopularitySummary(
        unit, 3, 4, {label: size for label, size in labels.items() if size}
    )


def test_what_two_extractors_find_counts_once(store: Store) -> None:
    popularity(store, TEXTS, PopularityBounds())
    store.rows("INSERT INTO mention SELECT 'p1', fact, 'other', 7 FROM mention WHERE passage='p3'")
    store.rows(
        "INSERT INTO mention SELECT passage, fact, 'other', 9 FROM mention WHERE passage='p3'"
    )
    store.rows("INSERT INTO entity_mention VALUES ('p3', 3, 'other', 9)")

    def counts(unit: Unit, extractor: str | None = None) -> tuple[int, int, int]:
        summary = count_mentions(store, PopularityBounds(), unit, extractor)
        ((fact,),) = store.rows("SELECT count FROM popularity JOIN fact ON id = fact WHERE p = 22")
        ((entity,),) = store.rows("SELECT count FROM entity_popularity WHERE entity = 3")
        assert store.rows("SELECT * FROM popularity_unit") == [(unit, extractor)]
        return fact, entity, summary.facts

    assert counts("passages") == (2, 1, 3)
    assert counts("passages", "other") == (2, 1, 1)
    assert counts("passages", "cooccurrence") == (1, 1, 3)
    assert counts("mentions") == (9 + 7, 9, 3)
    assert counts("documents") == (2, 1, 3)
    with pytest.raises(StoreError, match="no mention of the extractor 'third' to count"):
        count_mentions(store, PopularityBounds(), extractor="third")


def test_units_are_those_of_the_command_line() -> None:
    assert get_args(Unit) == ("passages", "mentions", "documents")


def test_a_store_without_text_is_told(store: Store) -> None:
    with pytest.raises(StoreError, match="run `factchain kg extract` first"):
        count_mentions(store, PopularityBounds())


@pytest.mark.parametrize("bounds", [(9, 1, 50), (1, 50, 50), (-1, 9, 50)])
def test_bounds_must_rise(bounds: tuple[int, int, int]) -> None:
    with pytest.raises(ConfigError, match="must rise"):
        PopularityBounds(*bounds)


def test_a_count_between_the_bounds_has_no_label(store: Store) -> None:
    texts = [passage("Paris is in France.", "Paris", "Q90", f"p{n}") for n in range(5)]
    popularity(store, texts, PopularityBounds(1, 4, 6))
    assert store.rows("SELECT DISTINCT count, label FROM fact_popularity") == [(5, None)]
    assert count_mentions(store, PopularityBounds(1, 4, 6)).labels == {"unlabelled": 2}


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

    def read() -> None:
        check_corpus(path)
        passages_of(path, *corpus_blocks(path))

    with pytest.raises(InputError, match=message):
        read()


def test_a_missing_text_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="absent"):
        check_corpus(tmp_path / "absent")


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
        popularity(store, texts, PopularityBounds())
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

"""Sentences of a corpus: what the phrases of the questions say, whatever the labels hold."""

from __future__ import annotations

from collections.abc import Callable

import duckdb

from factchain.chains.records import ChainFact, TypedValue
from factchain.questions.names import EntityName
from factchain.questions.verbalize.phrases import Phrases
from factchain.retrieval_corpus.chunk import Chunker
from factchain.retrieval_corpus.linearize import Linearizer
from factchain.retrieval_corpus.settings import CorpusSettings
from factchain.retrieval_corpus.tokenizers import Words

NEW = "2024-06-05"
StoreMaker = Callable[..., duckdb.DuckDBPyConnection]


def sentences(store: duckdb.DuckDBPyConnection) -> list[str]:
    made = Linearizer(store, CorpusSettings(style="sentences"))
    chunks = Chunker(Words(), 10**6, made.snapshots()).chunks(made.batches())
    return [line for chunk in chunks for line in chunk.text.split("\n")]


def test_facts_read_as_sentences(make_store: StoreMaker) -> None:
    store = make_store(
        {1: "Ann", 2: "Ulm", 3: "the Louvre", 4: "{o} and Co", 11573: "metre"},
        {
            **{19: "place of birth", 569: "date of birth", 2046: "area", 2048: "height"},
            99001: "kin of {o}",
        },
        [
            (1, 19, 2, (NEW,)),
            (1, 569, ("1879-03-14", "time", None, 11), (NEW,)),
            (1, 2046, ("441467", "quantity", 712226, None), (NEW,)),
            (1, 2048, ("1.75", "quantity", 11573, None), (NEW,)),
            (1, 99001, 3, (NEW,)),
            (1, 99002, 4, (NEW,)),
            (1, 99003, ("12,13", "globe-coordinate", None, None), (NEW,)),
        ],
        snapshots=(NEW,),
    )
    assert sentences(store) == [
        "Ann was born in Ulm.",
        "Ann was born on 14 March 1879.",
        "Ann has an area of 441,467 Q712226.",
        "Ann has a height of 1.75 metres.",
        "Ann has the Louvre as kin of {o}.",
        "Ann has {o} and Co as P99002.",
        "Ann has 12, 13 as P99003.",
    ]


def test_the_class_of_the_subject_decides(make_store: StoreMaker) -> None:
    store = make_store(
        {1: "Gala", 2: "Rome", 3: "Firm"}, {17: "country"}, [(1, 17, 2, (NEW,)), (3, 17, 2, (NEW,))]
    )
    store.execute("UPDATE entity SET classes = [5, 13219666] WHERE id = 1")
    store.execute("UPDATE entity SET classes = [4830453] WHERE id = 3")
    phrases = Phrases()
    for entity, label, classes in ((1, "Gala", "Q13219666"), (3, "Firm", "Q4830453")):
        fact = ChainFact(
            s=f"Q{entity}", s_label=label, p="P17", p_label="country", o="Q2", o_label="Rome"
        )
        name = EntityName(fact.s, label, "", (), frozenset([classes]), False)
        assert f"{label} {phrases.of(fact, name).say('Rome')}." in sentences(store)
    assert len(set(sentences(store))) == 2


OBJECTS = [
    "Rome",
    "the arts",
    "a league",
    "Ann and Bob",
    "both",
    "The Times",
    "automotive Industry",
]


def test_every_phrase_is_said_as_in_questions(make_store: StoreMaker) -> None:
    phrases = Phrases()
    properties = (6, 17, 21, 27, 30, 84, 102, 106, 452)
    labels = {1: "Ann"} | dict(enumerate(OBJECTS, start=2))
    facts = [(1, p, o, (NEW,)) for p in properties for o in labels if o > 1]
    store = make_store(labels, dict.fromkeys(properties, "x"), facts, snapshots=(NEW,))
    expected = []
    for _, p, o, _ in facts:
        fact = ChainFact(s="Q1", s_label="", p=f"P{p}", p_label="x", o="Q1", o_label="")
        expected.append(f"Ann {phrases.of(fact, None).say(labels[o])}.")
    assert sentences(store) == expected
    assert len(set(expected)) == len(expected)


def test_dates_without_a_day_stand_in_their_year(make_store: StoreMaker) -> None:
    store = make_store(
        {1: "Ann"},
        {570: "date of death"},
        [(1, 570, ("1955-00-00", "time", None, 9), (NEW,))],
        snapshots=(NEW,),
    )
    fact = ChainFact(
        s="Q1",
        s_label="Ann",
        p="P570",
        p_label="date of death",
        o_label="1955",
        value=TypedValue(datatype="time", value="1955", label="1955", precision=9),
    )
    assert (
        sentences(store)
        == [f"Ann {Phrases().of(fact, None).say('1955', preposition='in')}."]
        == ["Ann died in 1955."]
    )

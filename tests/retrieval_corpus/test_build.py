"""The corpus folder: passages, queries, gold passages; or an error and nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from factchain.chains.records import ChainFact, TypedValue
from factchain.errors import InputError, StoreError
from factchain.questions.records import Question
from factchain.retrieval_corpus.build import build_corpus
from factchain.retrieval_corpus.formats import (
    read_corpus,
    read_hop_qrels,
    read_qrels,
    read_queries,
)
from factchain.retrieval_corpus.records import CorpusSummary

OLD, NEW = "2021-06-21", "2024-06-05"
BOTH = (OLD, NEW)
StoreMaker = Callable[..., duckdb.DuckDBPyConnection]
QuestionMaker = Callable[..., Question]


@pytest.fixture
def store(make_store: StoreMaker) -> duckdb.DuckDBPyConnection:
    """A book by Ann; its country changed its mayor; Ann kept one of two memberships."""
    return make_store(
        {1: "Book", 2: "Ann", 3: "Utopia", 4: "Bob", 5: "Club", 6: "League", 7: None},
        {50: "author", 27: "citizenship", 6: "head of government", 463: "member of"},
        [
            (1, 50, 2, BOTH),
            (2, 27, 3, BOTH),
            (2, 463, 5, BOTH),
            (2, 463, 6, (OLD,)),
            (3, 6, 2, (OLD,)),
            (3, 6, 4, (NEW,)),
        ],
    )


def test_the_corpus_of_a_small_graph(
    store: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    questions = [
        make_question("q-2", ("Q1", "P50", "Q2"), ("Q2", "P27", "Q3"), ("Q3", "P6", "Q4")),
        make_question("q-1", ("Q2", "P463", "Q5")),
        make_question("q-3", ("Q1", "P50", "Q2"), split="dev"),
    ]
    summary = build_corpus(store, questions, tmp_path)

    texts = [
        ("Q1", "Book", "Book author Ann."),
        ("Q2", "Ann", "Ann citizenship Utopia."),
        ("Q2@2021-06-21", "Ann", "As of 2021-06-21:\nAnn member of Club.\nAnn member of League."),
        ("Q2@2024-06-05", "Ann", "As of 2024-06-05:\nAnn member of Club."),
        ("Q3@2021-06-21", "Utopia", "As of 2021-06-21:\nUtopia head of government Ann."),
        ("Q3@2024-06-05", "Utopia", "As of 2024-06-05:\nUtopia head of government Bob."),
    ]
    corpus = read_corpus(tmp_path)
    assert [(passage.id, passage.title, passage.text) for passage in corpus.values()] == texts
    assert {key: query.text for key, query in read_queries(tmp_path).items()} == {
        "q-2": "Question q-2?",
        "q-1": "Question q-1?",
        "q-3": "Question q-3?",
    }
    # Ann's membership is gold as of the snapshot of the question only.
    assert (tmp_path / "qrels" / "test.tsv").read_text() == (
        "query-id\tcorpus-id\tscore\n"
        "q-2\tQ1\t1\nq-2\tQ2\t1\nq-2\tQ3@2024-06-05\t1\n"
        "q-1\tQ2@2024-06-05\t1\n"
    )
    assert (tmp_path / "hop_qrels" / "test.tsv").read_text() == (
        "query-id\thop\tcorpus-id\tscore\n"
        "q-2\t1\tQ1\t1\nq-2\t2\tQ2\t1\nq-2\t3\tQ3@2024-06-05\t1\n"
        "q-1\t1\tQ2@2024-06-05\t1\n"
    )
    assert read_qrels(tmp_path, corpus, "dev") == {"q-3": {"Q1": 1}}
    assert summary == CorpusSummary(
        entities=3, unlabelled=1, factless=3, passages=6, dated=4, facts=7, questions=3, gold=5
    )


def test_the_lines_are_beir(
    store: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    build_corpus(store, [make_question("q", ("Q1", "P50", "Q2"))], tmp_path)
    first = (tmp_path / "corpus.jsonl").read_text().splitlines()[0]
    assert json.loads(first) == {
        "_id": "Q1",
        "title": "Book",
        "text": "Book author Ann.",
        "metadata": {"entity": "Q1", "snapshot": None, "facts": [["Q1", "P50", "Q2"]]},
    }
    assert (tmp_path / "queries.jsonl").read_text() == '{"_id":"q","text":"Question q?"}\n'


def test_gold_points_at_the_chunk_that_states_the_fact(
    make_store: StoreMaker, make_question: QuestionMaker, tmp_path: Path
) -> None:
    store = make_store(
        {n: f"E{n}" for n in range(1, 11)}, {}, [(1, 5, n, BOTH) for n in range(2, 11)]
    )
    hops = [("Q1", "P5", "Q2"), ("Q1", "P5", "Q9"), ("Q1", "P5", "Q8")]
    # Title 1 word, facts 3 words each: three facts a chunk.
    build_corpus(store, [make_question("q", *hops)], tmp_path, max_tokens=10)
    corpus = read_corpus(tmp_path)
    assert list(corpus) == ["Q1", "Q1#2", "Q1#3"]
    gold = [(row.hop, row.passage) for row in read_hop_qrels(tmp_path, corpus)]
    assert gold == [(1, "Q1"), (2, "Q1#3"), (3, "Q1#3")]
    assert read_qrels(tmp_path, corpus) == {"q": {"Q1": 1, "Q1#3": 1}}
    for row, triple in zip(read_hop_qrels(tmp_path, corpus), hops, strict=True):
        assert triple in corpus[row.passage].metadata.facts


def test_two_builds_are_the_same_bytes(
    store: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    questions = [make_question("q", ("Q1", "P50", "Q2"), ("Q2", "P27", "Q3"))]
    for name in ("a", "b"):
        build_corpus(store, questions, tmp_path / name)
    written = {
        name: {f.name: f.read_bytes() for f in (tmp_path / name).rglob("*") if f.is_file()}
        for name in ("a", "b")
    }
    assert written["a"] == written["b"]
    assert len(written["a"]) == 3  # corpus, queries, and two test.tsv


@pytest.mark.parametrize(
    ("hop", "snapshot"),
    [
        (("Q1", "P50", "Q4"), NEW),  # not in the graph
        (("Q3", "P6", "Q2"), NEW),  # true in the older snapshot only
        (("Q7", "P50", "Q1"), NEW),  # a subject without a label
    ],
)
def test_missing_evidence_names_the_question_and_writes_nothing(
    store: duckdb.DuckDBPyConnection,
    make_question: QuestionMaker,
    tmp_path: Path,
    hop: tuple[str, str, str],
    snapshot: str,
) -> None:
    good = make_question("q-good", ("Q1", "P50", "Q2"))
    bad = make_question("q-bad", ("Q1", "P50", "Q2"), hop, snapshot=snapshot)
    with pytest.raises(InputError, match=f"q-bad: hop 2: .*states {' '.join(hop)}"):
        build_corpus(store, [good, bad], tmp_path / "corpus")
    assert list((tmp_path / "corpus").rglob("*")) == []


def test_a_question_of_the_older_snapshot_has_the_older_gold(
    store: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    build_corpus(store, [make_question("q", ("Q3", "P6", "Q2"), snapshot=OLD)], tmp_path)
    assert read_qrels(tmp_path, read_corpus(tmp_path)) == {"q": {"Q3@2021-06-21": 1}}


def test_questions_that_cannot_be_told_apart_or_filed_are_refused(
    store: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    question = make_question("q", ("Q1", "P50", "Q2"))
    with pytest.raises(InputError, match="question q: 2 questions have this id"):
        build_corpus(store, [question, question], tmp_path / "out")
    escaping = make_question("q", ("Q1", "P50", "Q2"), split="../../q")
    with pytest.raises(InputError, match=r"split '\.\./\.\./q' cannot name a file"):
        build_corpus(store, [escaping], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_empty_store_is_refused(make_store: StoreMaker, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no entity with a label and facts"):
        build_corpus(make_store({1: "A"}, {}, []), [], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_literals_and_several_facts_are_gold_and_reckoning_needs_none(
    make_store: StoreMaker, make_question: QuestionMaker, tmp_path: Path
) -> None:
    store = make_store(
        {1: "Ann", 2: "Bob", 3: "Cat", 11573: "metre"},
        {40: "child", 569: "date of birth", 2048: "height"},
        [
            (1, 40, 2, BOTH),
            (1, 40, 3, BOTH),
            (1, 569, ("1879-03-14", "time", None, 11), BOTH),
            (2, 2048, ("1.75", "quantity", 11573, None), BOTH),
        ],
    )
    born = TypedValue(datatype="time", value="1879-03-14", label="14 March 1879", precision=11)
    tall = TypedValue(
        datatype="quantity", value="1.75", label="1.75 metre", unit="Q11573", unit_label="metre"
    )
    facts = [
        (literal("Q1", "P569", born),),
        (literal("Q2", "P2048", tall),),
        tuple(
            ChainFact(s="Q1", s_label="Ann", p="P40", p_label="child", o=o, o_label=o)
            for o in ("Q2", "Q3")
        ),
        (),
    ]
    question = make_question("q", *[("Q1", "P40", "Q2")] * 4)
    hops = [
        hop.model_copy(update={"facts": of_hop})
        for hop, of_hop in zip(question.sub_questions, facts, strict=True)
    ]
    question = question.model_copy(update={"sub_questions": tuple(hops)})
    build_corpus(store, [question], tmp_path)
    corpus = read_corpus(tmp_path)
    assert [(row.hop, row.passage) for row in read_hop_qrels(tmp_path, corpus)] == [
        (1, "Q1"),
        (2, "Q2"),
        (3, "Q1"),
    ]
    assert corpus["Q2"].text == "Bob height 1.75 metre."
    assert {facts[0][0].key, facts[2][1].key} <= set(corpus["Q1"].metadata.facts)
    # A literal that the store does not hold is missing evidence.
    wrong = born.model_copy(update={"value": "1879-03-15"})
    hop = hops[0].model_copy(update={"facts": (literal("Q1", "P569", wrong),)})
    with pytest.raises(InputError, match=r"hop 1: .*states Q1 P569 1879-03-15"):
        build_corpus(store, [question.model_copy(update={"sub_questions": (hop,)})], tmp_path / "x")


def literal(s: str, p: str, value: TypedValue) -> ChainFact:
    return ChainFact(s=s, s_label=s, p=p, p_label=p, o_label=value.label, value=value)

"""The corpus folder: passages, queries, gold passages; or an error and nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from factchain.chains.records import ChainFact, TypedValue
from factchain.errors import ConfigError, InputError, StoreError
from factchain.questions.records import Answer, Question
from factchain.retrieval_corpus.build import build_corpus
from factchain.retrieval_corpus.formats import (
    read_corpus,
    read_hop_qrels,
    read_qrels,
    read_queries,
)
from factchain.retrieval_corpus.records import CorpusSummary
from factchain.retrieval_corpus.settings import CorpusSettings, Style

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
    summary = build_corpus(store, questions, tmp_path).summary

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
        entities=3,
        unlabelled=1,
        factless=3,
        passages=6,
        dated=4,
        facts=7,
        questions=3,
        gold=5,
        withheld=0,
        distributed=3,
        without_shortcut=3,
        dropped=0,
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
        {n: f"E{n}" for n in range(1, 15)}, {}, [(1, 5, n, BOTH) for n in range(2, 15)]
    )
    hops = [("Q1", "P5", "Q2"), ("Q1", "P5", "Q13"), ("Q1", "P5", "Q12")]
    # Title 1 word, facts 3 words each: five facts a chunk.
    build_corpus(store, [make_question("q", *hops)], tmp_path, CorpusSettings(max_tokens=16))
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
    assert len(written["a"]) == 4  # corpus, audit, queries, and two test.tsv


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
    with pytest.raises(StoreError, match="no entity of the scope has a label and facts"):
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


def corpus_text(folder: Path) -> str:
    return "".join(f.read_text() for f in sorted(folder.rglob("*")) if f.is_file())


def unanswerable(question: Question, *withheld: int) -> Question:
    """The question with the facts of some hops withheld."""
    gold = Answer(label="Insufficient information", kind="insufficient")
    return question.model_copy(
        update={
            "answerable": False,
            "withheld": withheld,
            "answer": gold,
            "full_answer": question.answer,
        }
    )


@pytest.mark.parametrize("style", ["triples", "sentences"])
@pytest.mark.parametrize("incoming", [False, True])
def test_withheld_facts_are_nowhere(
    make_store: StoreMaker,
    make_question: QuestionMaker,
    tmp_path: Path,
    style: Style,
    incoming: bool,
) -> None:
    store = make_store(
        {1: "Book", 2: "Ann", 3: "Utopia", 4: "Bob", 11573: "metre"},
        {50: "author", 27: "citizenship", 6: "head of government", 2048: "height"},
        [
            (1, 50, 2, BOTH),
            (2, 27, 3, BOTH),
            (3, 6, 2, (OLD,)),
            (3, 6, 4, (NEW,)),
            (4, 2048, ("1.75", "quantity", 11573, None), BOTH),
        ],
    )
    tall = TypedValue(datatype="quantity", value="1.75", label="1.75 metre", unit="Q11573")
    asked = make_question("q", ("Q1", "P50", "Q2"), ("Q2", "P27", "Q3"), ("Q3", "P6", "Q4"))
    hop = asked.sub_questions[2].model_copy(
        update={
            "index": 4,
            "facts": (literal("Q4", "P2048", tall),),
            "answer": Answer(kind="quantity", label="1.75 metre", value=tall),
        }
    )
    asked = asked.model_copy(update={"sub_questions": (*asked.sub_questions, hop)})
    question = unanswerable(asked, 2, 3, 4)
    settings = CorpusSettings(style=style, incoming=incoming)
    built = build_corpus(store, [question], tmp_path, settings)
    assert built.summary.withheld == 3
    corpus = read_corpus(tmp_path)
    lines = [line for passage in corpus.values() for line in passage.text.splitlines()]
    for subject, words in (("Ann", "Utopia"), ("Utopia", "Bob"), ("Bob", "1.75")):
        assert not [line for line in lines if line.startswith(subject) and words in line]
    triples = {triple for passage in corpus.values() for triple in passage.metadata.facts}
    # What was true in the older snapshot still says so, with its date.
    assert triples == {("Q1", "P50", "Q2"), ("Q3", "P6", "Q2")}
    assert [line for line in lines if line.startswith("Book")]
    written = corpus_text(tmp_path)
    assert "1.75" not in written
    assert "citizenship" not in written
    # Gold is what the hops in scope need.
    gold = read_hop_qrels(tmp_path, corpus)
    assert {row.hop for row in gold} == {1}
    assert {row.passage for row in gold} == ({"Q1", "Q2"} if incoming else {"Q1"})


def test_a_withheld_fact_that_another_question_needs_is_refused(
    store: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    needs = make_question("q-needs", ("Q1", "P50", "Q2"))
    lacks = unanswerable(make_question("q-lacks", ("Q1", "P50", "Q2"), ("Q2", "P27", "Q3")), 1)
    with pytest.raises(InputError, match=r"q-needs needs Q1 P50 Q2 .* q-lacks withholds"):
        build_corpus(store, [needs, lacks], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_facts_from_both_sides_are_gold(
    store: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    question = make_question("q", ("Q1", "P50", "Q2"), ("Q2", "P27", "Q3"))
    summary = build_corpus(store, [question], tmp_path, CorpusSettings(incoming=True)).summary
    gold = [(row.hop, row.passage) for row in read_hop_qrels(tmp_path, read_corpus(tmp_path))]
    assert gold == [(1, "Q1"), (1, "Q2"), (2, "Q2"), (2, "Q3")]
    # Ann's passage states both facts, and so joins the book and the country.
    assert (summary.distributed, summary.without_shortcut) == (0, 0)


@pytest.fixture
def family(make_store: StoreMaker) -> duckdb.DuckDBPyConnection:
    """Ann was born in Rome, Rome lies in Italy; Bob wrote of Ann and lives in Italy, too."""
    return make_store(
        {1: "Ann", 2: "Rome", 3: "Italy", 4: "Bob", 5: "Opus"},
        {19: "place of birth", 17: "country", 7: "wrote of", 8: "lives in", 9: "named after"},
        [
            (1, 19, 2, BOTH),
            (2, 17, 3, BOTH),
            (4, 7, 1, BOTH),
            (4, 8, 3, BOTH),
            (5, 7, 1, BOTH),
            (5, 9, 2, BOTH),
        ],
    )


def test_the_audit_finds_what_is_brought_together(
    family: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    good = make_question("q-good", ("Q1", "P19", "Q2"), ("Q2", "P17", "Q3"))
    # Bob's passage tells where he lives and of whom he wrote: two hops in one.
    shared = make_question("q-shared", ("Q4", "P7", "Q1"), ("Q4", "P8", "Q3"))
    summary = build_corpus(family, [good, shared], tmp_path).summary
    assert (summary.distributed, summary.without_shortcut, summary.dropped) == (1, 1, 0)
    assert (tmp_path / "audit.tsv").read_text() == (
        "question\tconstraint\tpassage\twhat\n"
        "q-shared\tfact distribution\tQ4\tQ4 P7 Q1 and Q4 P8 Q3\n"
        "q-shared\tno shortcut\tQ4\tQ1 and Q3\n"
    )
    strict = build_corpus(family, [good, shared], tmp_path, CorpusSettings(strict=True))
    assert strict.questions == [good]
    assert (strict.summary.questions, strict.summary.dropped) == (1, 1)
    assert list(read_queries(tmp_path)) == ["q-good"]
    assert read_qrels(tmp_path, read_corpus(tmp_path)) == {"q-good": {"Q1": 1, "Q2": 1}}


def test_a_bridge_that_names_both_ends_is_a_shortcut(
    make_store: StoreMaker, make_question: QuestionMaker, tmp_path: Path
) -> None:
    store = make_store(
        {1: "Film", 2: "Ann", 3: "Italy", 4: "Fan"},
        {57: "director", 800: "notable work", 27: "citizenship"},
        # Fan names both, too, but stands outside the chain.
        [
            (1, 57, 2, BOTH),
            (2, 800, 1, BOTH),
            (2, 27, 3, BOTH),
            (4, 800, 1, BOTH),
            (4, 27, 3, BOTH),
        ],
    )
    question = make_question("q", ("Q1", "P57", "Q2"), ("Q2", "P27", "Q3"))
    summary = build_corpus(store, [question], tmp_path).summary
    assert (summary.distributed, summary.without_shortcut) == (1, 0)
    assert "q\tno shortcut\tQ2\tQ1 and Q3\n" in (tmp_path / "audit.tsv").read_text()


def test_an_earlier_corpus_leaves_no_gold_behind(
    family: duckdb.DuckDBPyConnection, make_question: QuestionMaker, tmp_path: Path
) -> None:
    hop = ("Q1", "P19", "Q2")
    build_corpus(family, [make_question("q", hop, split="dev")], tmp_path)
    build_corpus(family, [make_question("q", hop)], tmp_path)
    assert sorted(f.name for f in tmp_path.rglob("*.tsv")) == ["audit.tsv", "test.tsv", "test.tsv"]


def test_the_scope_says_who_has_passages(
    make_store: StoreMaker, make_question: QuestionMaker, tmp_path: Path
) -> None:
    # A path of 40 entities; old facts but for three that are in the older snapshot only.
    store = make_store(
        {n: f"E{n}" for n in range(1, 42)},
        {},
        [(n, 5, n + 1, (OLD,) if n > 37 else BOTH) for n in range(1, 41)],
    )
    store.execute("INSERT INTO popularity_bounds VALUES (1, 1, 2)")
    question = make_question("q", ("Q1", "P5", "Q2"), ("Q2", "P5", "Q3"))

    def who(**settings: Any) -> set[str]:
        build_corpus(store, [question], tmp_path, CorpusSettings(**settings))
        return {passage.metadata.entity or "" for passage in read_corpus(tmp_path).values()}

    assert who() == {f"Q{n}" for n in range(1, 41)}
    assert who(scope="questions") == {"Q1", "Q2", "Q3"}
    assert who(scope="sampled") == {f"Q{n}" for n in range(1, 39)}
    some = who(scope="questions", distractors=4)
    assert {"Q1", "Q2", "Q3"} < some
    assert len(some) == 3 + 4 * 3
    assert who(scope="questions", distractors=4) == some
    assert who(scope="questions", distractors=4, seed=2) != some
    # No more than there are.
    assert who(scope="questions", distractors=1000) == {f"Q{n}" for n in range(1, 38)}
    with pytest.raises(ConfigError, match="the scope `all` leaves none"):
        CorpusSettings(distractors=1)

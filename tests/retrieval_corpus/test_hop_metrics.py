"""Evidence recall by hop, and the evaluation of a whole folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from factchain.cli import main
from factchain.errors import ConfigError, InputError
from factchain.questions.records import Question
from factchain.records import read_records, write_records
from factchain.retrieval_corpus.build import build_corpus
from factchain.retrieval_corpus.evaluate import evaluate_in_full, evaluate_retriever
from factchain.retrieval_corpus.hop_metrics import pieces_by_hop, score_hops
from factchain.retrieval_corpus.records import HopGold, Passage, PassageMetadata
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from factchain.retrieval_corpus.retrievers.protocol import Hit
from factchain.retrieval_corpus.settings import CorpusSettings

BOTH = ("2021-06-21", "2024-06-05")
StoreMaker = Callable[..., duckdb.DuckDBPyConnection]
QuestionMaker = Callable[..., Question]
FACTS = [("Q1", "P1", "Q2"), ("Q2", "P1", "Q3")]


def passage(name: str, *facts: tuple[str, str, str]) -> Passage:
    return Passage(id=name, title="", text="", metadata=PassageMetadata(facts=facts))


def test_a_fact_is_found_in_any_passage_that_states_it(make_question: QuestionMaker) -> None:
    questions = [make_question("a", *FACTS), make_question("b", FACTS[0])]
    passages = {p.id: p for p in (passage("x", FACTS[0]), passage("y", *FACTS), passage("z"))}
    gold = [HopGold(question="a", hop=h, passage=p) for h, p in ((1, "x"), (1, "y"), (2, "y"))]
    pieces = {"a": pieces_by_hop(questions[0], gold, passages)}
    assert pieces["a"] == {1: [frozenset("xy")], 2: [frozenset("y")]}
    # Without facts, every gold passage is a piece of evidence.
    pieces["b"] = pieces_by_hop(
        questions[1],
        [HopGold(question="b", hop=1, passage=p) for p in "zx"],
        {"z": passages["z"], "x": passage("x")},
    )
    assert pieces["b"] == {1: [frozenset("z"), frozenset("x")]}
    hits = {"a": [Hit("x", 2.0), Hit("z", 1.0), Hit("y", 0.5)], "b": [Hit("x", 1.0)]}
    scores = score_hops(questions, pieces, hits, [2, 3])
    assert [(s.hops, s.hop, s.k, s.questions, s.recall) for s in scores] == [
        (1, 1, 2, 1, 0.5),
        (1, 1, 3, 1, 0.5),
        (2, 1, 2, 1, 1.0),
        (2, 1, 3, 1, 1.0),
        (2, 2, 2, 1, 0.0),
        (2, 2, 3, 1, 1.0),
    ]


@pytest.fixture
def folder(make_store: StoreMaker, make_question: QuestionMaker, tmp_path: Path) -> Path:
    """A dataset of two questions about a book, its author and her country."""
    store = make_store(
        {1: "Hamlet", 2: "Shakespeare", 3: "England", 4: "Faust", 5: "Goethe"}
        | {n: f"Thing{n}" for n in range(6, 13)},
        {50: "author", 27: "citizenship"},
        [(1, 50, 2, BOTH), (2, 27, 3, BOTH), (4, 50, 5, BOTH), (5, 27, 3, BOTH)]
        + [(n, 31, n + 1, BOTH) for n in range(6, 12)],
    )
    asked = make_question("q", ("Q1", "P50", "Q2"), ("Q2", "P27", "Q3"))
    asked = asked.model_copy(update={"question": "Which citizenship has the author of Hamlet?"})
    other = make_question("o", ("Q4", "P50", "Q5"))
    other = other.model_copy(update={"question": "Who is the author of Faust?"})
    build_corpus(store, [asked, other], tmp_path / "corpus")
    write_records(tmp_path / "questions.jsonl", [asked, other])
    return tmp_path


def evaluated(folder: Path, **options: Any) -> Any:
    questions = list(read_records(folder / "questions.jsonl", Question))
    return evaluate_in_full(BM25Retriever(), folder / "corpus", questions, [1, 4], **options)


def test_a_folder_is_scored_in_full(folder: Path) -> None:
    scores = evaluated(folder, compat=True)
    by_hop = {(s.hops, s.hop, s.k): s.recall for s in scores.hops}
    assert by_hop == {
        (1, 1, 1): 1.0,
        (1, 1, 4): 1.0,
        (2, 1, 1): 1.0,
        (2, 1, 4): 1.0,
        (2, 2, 1): 0.0,
        (2, 2, 4): 1.0,
    }
    assert scores.compat["HopWeaver"]["recall@5_compat"] == 1.0
    # The second fact of one question comes after its first: (1 + 1/r) / 2 for its rank r.
    assert 0.5 < scores.compat["MultiHop-RAG"]["MAP@10_compat"] < 1
    assert evaluated(folder).compat == {}


def test_gold_of_questions_that_are_not_asked_is_passed_over(folder: Path) -> None:
    questions = list(read_records(folder / "questions.jsonl", Question))
    groups = evaluate_retriever(BM25Retriever(), folder / "corpus", questions[:1], [1])
    assert {group.questions for group in groups} == {1}


def test_a_question_without_text_is_named(folder: Path) -> None:
    questions = list(read_records(folder / "questions.jsonl", Question))
    silent = questions[1].model_copy(update={"question": " "})
    with pytest.raises(InputError, match="question o: has no text"):
        evaluate_in_full(BM25Retriever(), folder / "corpus", [questions[0], silent], [1])


def test_an_index_is_kept_and_knows_its_corpus(folder: Path) -> None:
    index = folder / "index"
    first = evaluated(folder, index=index)
    kept = {f.name: f.stat().st_mtime_ns for f in index.iterdir()}
    assert "index.json" in kept
    assert evaluated(folder, index=index) == first
    assert {f.name: f.stat().st_mtime_ns for f in index.iterdir()} == kept
    corpus = folder / "corpus/corpus.jsonl"
    corpus.write_text(corpus.read_text().replace("Goethe", "Marlowe"))
    with pytest.raises(InputError, match="the index is of another corpus: build it anew"):
        evaluated(folder, index=index)


def call(*arguments: object) -> Any:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_command_writes_both_tables(folder: Path) -> None:
    table = folder / "scores.csv"
    shown = call("corpus", "evaluate", folder, "--k", "1,4", "--compat", "--out", table)
    assert shown.exit_code == 0, shown.output
    assert "Evidence recall by hop" in shown.output
    assert "MAP@10_compat" in shown.output
    rows = (folder / "scores-by-hop.csv").read_text().splitlines()
    assert rows[0] == "axis,hops,hop,k,questions,recall,recall_stderr"
    assert "recency,2,2,1,1,0.0,0.0" in rows
    result = json.loads(call("corpus", "evaluate", folder, "--k", "4", "--json").stdout)
    assert [(row["hop"], row["recall"]) for row in result["hops"]] == [(1, 1), (1, 1), (2, 1)]


def test_a_folder_with_a_broken_qrel_is_one_message(folder: Path) -> None:
    qrels = folder / "corpus/qrels/test.tsv"
    qrels.write_text(qrels.read_text() + "q\tQ999\t1\n")
    shown = call("corpus", "evaluate", folder)
    assert shown.exit_code == 1
    assert "test.tsv:5: corpus-id: the corpus has no passage 'Q999'" in shown.stderr
    missing = call("corpus", "evaluate", folder / "nothing")
    assert missing.exit_code == 1
    assert "questions.jsonl: cannot be read" in missing.stderr


def test_settings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigError, match="16 are the least"):
        CorpusSettings(max_tokens=3)
    with pytest.raises(ConfigError, match="0 or more"):
        CorpusSettings(distractors=-1, scope="sampled")

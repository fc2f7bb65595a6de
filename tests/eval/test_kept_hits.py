"""A query is searched once, by all tasks and runs, and never answered from another corpus."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from pathlib import Path

import pytest

import factchain.eval.kept_hits
from factchain.eval import passages as eval_passages
from factchain.eval.baseline import LEXICAL
from factchain.eval.kept_hits import KeptHits
from factchain.eval.passages import Contexts, Retrieved, searcher
from factchain.eval.suite import run_suite
from factchain.questions.records import Question
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from factchain.retrieval_corpus.retrievers.protocol import Hit


class Counting(BM25Retriever):
    """Remembers what it was asked, call by call."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[list[str]] = []

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        self.asked.append(list(queries))
        return super().search(queries, k)


CAPITAL = "capital of United Kingdom"
MANY = "United Kingdom London Hamlet Radium Warsaw Stratford"


def test_a_query_is_searched_once(passages: dict[str, Passage]) -> None:
    retriever = Counting()
    search = searcher(retriever, passages.values())
    assert search(CAPITAL)[0] == "Q4"
    assert search(CAPITAL) == search(CAPITAL)
    assert len(search(MANY)) == 5
    assert search(" ") == ()
    assert retriever.asked == [[CAPITAL], [MANY]]


def test_a_later_run_searches_and_indexes_nothing(
    passages: dict[str, Passage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "hits.sqlite"
    found = searcher(Counting(), passages.values(), kept=KeptHits(file, "one", 5))(CAPITAL, [MANY])
    later = Counting()
    monkeypatch.setattr(later, "index", forbidden)
    search = searcher(later, passages.values(), kept=KeptHits(file, "one", 5))
    assert search(CAPITAL) == found
    assert len(search(MANY)) == 5
    assert later.asked == []


def test_what_another_corpus_k_or_version_gave_is_not_used(
    passages: dict[str, Passage], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "hits.sqlite"
    searcher(Counting(), passages.values(), kept=KeptHits(file, "one", 5))(CAPITAL)
    fewer = [passage for key, passage in passages.items() if key != "Q4"]
    other, shorter = Counting(), Counting()
    assert "Q4" not in searcher(other, fewer, kept=KeptHits(file, "two", 5))(CAPITAL)
    assert searcher(shorter, passages.values(), 1, kept=KeptHits(file, "one", 1))(CAPITAL) == (
        "Q4",
    )
    assert (other.asked, shorter.asked) == ([[CAPITAL]], [[CAPITAL]])
    monkeypatch.setattr(factchain.eval.kept_hits, "__version__", "another")
    assert KeptHits(file, "one", 5).get([CAPITAL]) == {}


def test_a_file_that_is_none_only_costs_time(passages: dict[str, Passage], tmp_path: Path) -> None:
    broken = tmp_path / "hits.sqlite"
    broken.write_text("no database" * 100)
    for path in (broken, tmp_path / "hits.sqlite" / "below a file"):
        kept = KeptHits(path, "one", 5)
        assert searcher(Counting(), passages.values(), kept=kept)(CAPITAL)[0] == "Q4"
        assert kept.get([CAPITAL]) == {}


def put_many(path: Path, first: int) -> None:
    kept = KeptHits(path, "one", 5)
    for n in range(first, first + 50):
        kept.put({f"{n}?": (str(n), "é'\"")})


def test_several_processes_keep_hits_at_once(tmp_path: Path) -> None:
    file = tmp_path / "hits.sqlite"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=put_many, args=(file, first)) for first in (0, 25)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    queries = [f"{n}?" for n in range(75)]
    assert KeptHits(file, "one", 5).get(queries) == {
        query: (query[:-1], "é'\"") for query in queries
    }
    assert [path.name for path in tmp_path.iterdir()] == ["hits.sqlite"]


def test_known_queries_are_searched_together(
    passages: dict[str, Passage], questions: list[Question]
) -> None:
    retriever = Counting()
    source = Retrieved(searcher(retriever, passages.values()), questions)
    alone = searcher(BM25Retriever(), passages.values())
    for question in questions:
        assert source.of_question(question) == alone(question.question)
        for sub in question.sub_questions:
            assert source.of_hop(question, sub.index, sub.question) == alone(sub.question)
    whole, subs = retriever.asked
    assert sorted(whole) == sorted(question.question for question in questions)
    assert set(subs) == {sub.question for q in questions for sub in q.sub_questions}
    assert source.of_text("Who is Rishi Sunak?") == alone("Who is Rishi Sunak?")
    assert retriever.asked[2:] == [["Who is Rishi Sunak?"]]


def test_a_run_keeps_its_hits_for_the_next(
    workspace: Path, questions: list[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_suite(workspace, LEXICAL, ["retrieval-bm25"])
    eval_passages._search.cache_clear()  # as in another process
    monkeypatch.setattr(BM25Retriever, "search", forbidden)
    source = Contexts(workspace, questions).source("bm25")
    assert source.of_question(questions[0])[0] == "Q7"


def forbidden(*_: object) -> None:
    raise AssertionError("indexed or searched again")

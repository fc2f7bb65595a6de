"""BM25: the reference library's ranking, ties by passage id, an index that knows its corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from factchain.errors import ConfigError, InputError, OutputError
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever, tokenize
from factchain.retrieval_corpus.retrievers.protocol import Retriever, contents


def passages(*texts: str) -> list[Passage]:
    return [Passage(id=f"p{n}", title="", text=text) for n, text in enumerate(texts)]


def retriever(corpus: Sequence[Passage]) -> Retriever:
    made = BM25Retriever()
    made.index(corpus)
    return made


ANIMALS = passages("A cat.", "The DOG and the dog", "a dog, a cat", "birds", "fish", "Fish")


def test_tokens_are_lower_case_words_without_stop_words() -> None:
    assert tokenize(["The Author of «Hamlet», vitamin C: 3_4", "the"]) == [
        ["author", "hamlet", "vitamin", "c", "3_4"],
        [],
    ]


def test_hits_come_by_score_then_id_and_without_zeros() -> None:
    hits = retriever(ANIMALS).search(["Dog?", "the", "unheard", "fish cat"], k=10)
    assert [[hit.passage_id for hit in found] for found in hits] == [
        ["p1", "p2"],
        [],
        [],
        ["p0", "p4", "p5", "p2"],
    ]
    assert all(hit.score > 0 for found in hits for hit in found)


def test_ties_at_the_cut_go_to_the_first_ids() -> None:
    names = ["z", "q10", "q9", "b", "a", "m"]
    corpus = [Passage(id=name, title="same", text="words") for name in names]
    corpus += [Passage(id=f"other{n}", title="", text="more") for n in range(20)]
    for k in range(1, 7):
        (found,) = retriever(corpus).search(["same words"], k)
        assert [hit.passage_id for hit in found] == sorted(names)[:k]


WORDS = st.lists(st.sampled_from(["ant", "bee", "cow", "dog", "eel", "fox"]), max_size=6)


@settings(max_examples=80, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=25), WORDS.filter(bool), st.integers(1, 30))
def test_the_ranking_is_that_of_rank_bm25(
    documents: list[list[str]], query: list[str], k: int
) -> None:
    assume(any(documents))
    reference = BM25Okapi(documents)
    half = len(documents) / 2
    frequency = {word: sum(word in document for document in documents) for word in query}
    query = [word for word in query if frequency[word] < half]
    assume(query)
    # Robertson's form lacks the constant factor k1 + 1 of rank_bm25's.
    scores = reference.get_scores(query) / 2.5
    corpus = passages(*(" ".join(document) for document in documents))
    expected = {p.id: s for p, s in zip(corpus, scores, strict=True) if s > 0}

    searched = retriever(corpus)
    (ranking,) = searched.search([" ".join(query)], len(corpus))
    assert {hit.passage_id: hit.score for hit in ranking} == pytest.approx(expected, rel=1e-5)
    assert ranking == sorted(ranking, key=lambda hit: (-hit.score, hit.passage_id))
    assert searched.search([" ".join(query)], k) == [ranking[:k]]


def test_the_title_is_searched_too() -> None:
    corpus = [
        Passage(id="x", title="Hamlet", text="author Shakespeare."),
        *passages("one", "two", "three"),
    ]
    assert contents(corpus[0]) == "Hamlet\nauthor Shakespeare."
    assert [hit.passage_id for hit in retriever(corpus).search(["hamlet"], 1)[0]] == ["x"]


def test_an_index_comes_back(tmp_path: Path) -> None:
    made = retriever(ANIMALS)
    made.save(tmp_path / "index")
    back = BM25Retriever()
    back.load(tmp_path / "index", ANIMALS)
    queries = ["cat dog", "birds"]
    assert back.search(queries, 3) == made.search(queries, 3)
    made.save(tmp_path / "index")
    back.save(tmp_path / "again")
    for file in (tmp_path / "index").iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


def test_an_index_of_another_corpus_is_refused(tmp_path: Path) -> None:
    retriever(ANIMALS).save(tmp_path)
    changed = [*ANIMALS[:-1], Passage(id="p5", title="", text="shark")]
    for other in (changed, ANIMALS[:-1], ANIMALS[::-1]):
        with pytest.raises(InputError, match="the index is of another corpus"):
            BM25Retriever().load(tmp_path, other)


def test_a_damaged_or_missing_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no index"):
        BM25Retriever().load(tmp_path, ANIMALS)
    retriever(ANIMALS).save(tmp_path)
    stamp = tmp_path / "index.json"
    whole = stamp.read_text()
    for name in ("data.csc.index.npy", "vocab.index.json", "params.index.json"):
        retriever(ANIMALS).save(tmp_path)
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-7])
        with pytest.raises(InputError, match="the index is damaged"):
            BM25Retriever().load(tmp_path, ANIMALS)
    stamp.write_text(whole.replace("bm25-by-id", "dense"))
    with pytest.raises(InputError, match="holds an index of dense, not of bm25-by-id"):
        BM25Retriever().load(tmp_path, ANIMALS)


def test_an_index_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        retriever(ANIMALS).save(tmp_path / "file")


def test_what_cannot_be_searched_is_refused() -> None:
    made = retriever(ANIMALS)
    with pytest.raises(InputError, match="query 2 of 2 is empty"):
        made.search(["cat", " \n"], 5)
    with pytest.raises(ConfigError, match="k is 0"):
        made.search(["cat"], 0)
    for corpus in ([], passages("the", "?")):
        with pytest.raises(InputError, match="no words to index"):
            retriever(corpus)


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    made = retriever(ANIMALS)
    made.save(tmp_path)
    made.load(tmp_path, ANIMALS)
    assert made.search([], 1) == []
    assert [hit.passage_id for hit in made.search(["birds"], 1)[0]] == ["p3"]
    assert capfd.readouterr() == ("", "")

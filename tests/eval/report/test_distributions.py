from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from factchain.eval.report.distributions import (
    answers_by_class,
    entities_in_facts,
    facts_by_popularity,
    popularity_bins,
    properties_in_facts,
    question_matrix,
    questions_and_facts,
    questions_by_pattern,
)
from factchain.eval.report.records import ReportData
from factchain.eval.report.tables import glyphs, hops_in_words, pattern_order, tone
from factchain.kg.popularity import PopularityBounds


def test_questions_by_pattern(data: ReportData) -> None:
    figure = questions_by_pattern(data.questions)
    assert figure.table.rows == (
        ("popularity", "1", "popular", "1"),
        ("popularity", "2", "popular, unpopular", "1"),
        ("recency", "2", "old, new", "1"),
        ("recency", "2", "new, new", "1"),
        ("recency", "3", "old, old, old", "1"),
        ("recency", "4", "old, new, old, new", "1"),
    )
    assert len(figure.panels) == 2
    assert "●○●○" in figure.panels[1]


def test_question_matrix(data: ReportData) -> None:
    matrix = question_matrix(data.questions)
    assert matrix.head == ("Axis", "1 hop", "2 hops", "3 hops", "4 hops", "All")
    assert matrix.rows == (
        ("popularity", "1", "1", "0", "0", "2"),
        ("recency", "0", "2", "1", "1", "4"),
        ("all", "1", "3", "1", "1", "6"),
    )


def test_popularity_bins_never_cross_a_bound() -> None:
    bounds = PopularityBounds(unpopular_min=2, unpopular_max=7, popular_min=15)
    assert popularity_bins({1: 9, 2: 4, 6: 2, 12: 1, 16: 3, 30: 1}, bounds) == [
        ("unlabelled", "1", 9),
        ("unpopular", "2", 4),
        ("unpopular", "3", 0),
        ("unpopular", "4", 0),
        ("unpopular", "5–7", 2),
        ("unlabelled", "8–9", 0),
        ("unlabelled", "10–14", 1),
        ("popular", "15–19", 3),
        ("popular", "20–30", 1),
    ]


@given(
    st.dictionaries(st.integers(1, 5_000), st.integers(1, 100), min_size=1),
    st.lists(st.integers(1, 200), min_size=3, max_size=3, unique=True).map(sorted),
)
def test_popularity_bins_keep_every_fact_in_its_class(
    histogram: dict[int, int], edges: list[int]
) -> None:
    low, high, popular = edges
    bounds = PopularityBounds(unpopular_min=low, unpopular_max=high, popular_min=popular)
    wanted: Counter[str] = Counter()
    for count, facts in histogram.items():
        kind = "unpopular" if low <= count <= high else "popular" if count >= popular else ""
        wanted[kind or "unlabelled"] += facts
    found: Counter[str] = Counter()
    for kind, _, facts in popularity_bins(histogram, bounds):
        found[kind] += facts
    assert +found == wanted


def test_facts_by_popularity(data: ReportData) -> None:
    assert facts_by_popularity(data.store).table.rows == (
        ("unpopular", "1", "40"),
        ("unpopular", "2", "20"),
        ("unlabelled", "3", "0"),
        ("unlabelled", "4", "0"),
        ("popular", "5–7", "5"),
    )


def test_properties_entities_and_answers(data: ReportData) -> None:
    properties = properties_in_facts(data.questions)
    assert properties.caption == (
        "The most frequent of the 5 properties in the facts of questions; 2 occur once."
    )
    assert properties.table.rows == (
        ("label of P10", "P10", "6"),
        ("label of P20", "P20", "5"),
        ("label of P30", "P30", "2"),
        ("label of P40", "P40", "1"),
        ("label of P41", "P41", "1"),
    )
    entities = entities_in_facts(data.questions)
    # Q1 and its topic are in all six questions, Q2 in all but that of one hop.
    assert entities.table.rows[:3] == (
        ("label of Q1", "Q1", "6"),
        ("label of Q901", "Q901", "6"),
        ("label of Q2", "Q2", "5"),
    )
    assert answers_by_class({"b": 2, "a": 2, "c": 3}).table.rows == (
        ("c", "3"),
        ("a", "2"),
        ("b", "2"),
    )


def test_patterns_in_words_and_order() -> None:
    patterns = [("new",), ("old", "new"), ("old",), ("new", "old"), ("old", "old")]
    assert sorted(patterns, key=pattern_order) == [
        ("old",),
        ("new",),
        ("old", "old"),
        ("old", "new"),
        ("new", "old"),
    ]
    assert glyphs(("popular", "unpopular", "old", "new")) == "●○●○"
    assert [tone(label) for label in ("old", "unpopular", None)] == [
        "familiar",
        "unfamiliar",
        "plain",
    ]
    assert [hops_in_words(n) for n in (1, 2)] == ["1 hop", "2 hops"]


def test_triples_of_an_imported_dataset_count_by_their_words(data: ReportData) -> None:
    (question, *_) = data.questions
    triples = (("Hamlet", "author", "Shakespeare"), ("Hamlet", "genre", "tragedy"))
    (sub,) = question.sub_questions
    bare = sub.model_copy(update={"facts": (), "triples": triples})
    imported = question.model_copy(update={"sub_questions": (bare,)})
    rows = [figure.table.rows for figure in questions_and_facts([imported])[1:]]
    assert rows[0] == tuple((word, word, "1") for word in ("Hamlet", "Shakespeare", "tragedy"))
    assert rows[1] == (("author", "author", "1"), ("genre", "genre", "1"))
    without = question.model_copy(update={"sub_questions": ()})
    assert len(questions_and_facts([without])) == 1
    assert questions_and_facts([]) == []

"""Retrieval in the report: accuracy by passages, recall, heat maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, stdev
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval.report.records import ReportData
from factchain.eval.report.retrieval_results import (
    accuracy_by_retriever,
    heat_maps,
    recall_by_hops,
)
from factchain.eval.results import Results, ShareSummary
from factchain.retrieval_corpus.metrics import GroupScore

Kept = Sequence[Sequence[float]]


def shown(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter("text")]


def test_retrievers_stand_side_by_side_by_hops(data: ReportData) -> None:
    (one, *_) = data.retrieval["BM25"]
    other = one.model_copy(update={"recall": 0.5, "recall_stderr": 0.0})
    (figure,) = recall_by_hops({"dense": (other,), "BM25": (one,)})
    assert shown(figure.panels[0])[:6] == [
        *("Recall@5, on the axis popularity", "1 hop", "BM25", "75.0", "dense", "50.0")
    ]
    # 0.75 and 1.96 standard errors of 0.1 to either side
    assert figure.table.rows == (
        ("BM25", "popularity", "1 hop", "4", "5", "75.0 (55.4–94.6)"),
        ("dense", "popularity", "1 hop", "4", "5", "50.0 (50.0–50.0)"),
    )
    assert figure.panels[0].count('class="whisker"') == 2
    assert recall_by_hops({"BM25": ()}) == []


def test_an_interval_of_recall_ends_at_1(data: ReportData) -> None:
    score = data.retrieval["BM25"][0].model_copy(update={"recall": 0.9})
    (figure,) = recall_by_hops({"BM25": (score,)})
    assert figure.table.rows[0][-1] == "90.0 (70.4–100.0)"


def test_one_question_leaves_the_whole_range_open(data: ReportData) -> None:
    score = data.retrieval["BM25"][0].model_copy(update={"questions": 1, "recall_stderr": 0.0})
    (figure,) = recall_by_hops({"BM25": (score,)})
    assert figure.table.rows[0][-1] == "75.0 (0.0–100.0)"


def test_accuracy_by_passages_is_drawn_for_each_axis(data: ReportData) -> None:
    overall = [s for s in data.results.scores if not s.by]
    by_axis = [
        s.model_copy(update={"axis": axis, "mean": s.mean / 2})
        for s in overall
        for axis in ("popularity", "recency")
    ]
    (figure,) = accuracy_by_retriever(Results(scores=(*overall, *by_axis)))
    assert shown(figure.panels[0])[:9] == [
        *("factchain/lexical", "popularity", "No passages", "0.0", "BM25, top 5", "12.5"),
        *("Gold passages", "25.0", "recency"),
    ]
    one_axis = [s for s in by_axis if s.axis == "popularity"]
    (figure,) = accuracy_by_retriever(Results(scores=(*overall, *one_axis)))
    assert [row[1:3] for row in figure.table.rows] == [
        ("all", "No passages"),
        ("all", "BM25, top 5"),
        ("all", "Gold passages"),
    ]
    parametric = [s for s in overall if s.task == "parametric"]
    assert accuracy_by_retriever(Results(scores=tuple(parametric))) == []


def group(labels: str, kept: Sequence[float]) -> GroupScore:
    spread = stdev(kept) / math.sqrt(len(kept)) if len(kept) > 1 else 0.0
    return GroupScore(
        axis="popularity",
        by="labels",
        group=labels,
        k=5,
        questions=len(kept),
        recall=mean(kept),
        recall_stderr=spread,
        **dict.fromkeys(("complete", "complete_stderr", "hit"), 0.0),
        **dict.fromkeys(("average_precision", "reciprocal_rank", "ndcg"), 0.0),
    )


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), min_size=2, max_size=2))
def test_recall_of_one_share_is_that_of_all_its_questions(kept: Kept) -> None:
    """Label patterns of one share are put together as if their questions had been one group."""
    groups = [group("popular-unpopular", kept[0]), group("unpopular-popular", kept[1])]
    (figure,) = heat_maps(Results(), {"BM25": groups})
    ((what, hops, share, n, shown_cell),) = figure.table.rows
    values = [*kept[0], *kept[1]]
    assert (what, hops, share, n) == ("BM25: recall@5", "2 hops", "1/2", str(len(values)))
    reach = 1.96 * stdev(values) / math.sqrt(len(values))
    wanted = (mean(values), max(0.0, mean(values) - reach), min(1.0, mean(values) + reach))
    found = shown_cell.replace("(", "").replace(")", "").replace("–", " ").split()
    assert [float(one) for one in found] == pytest.approx([100 * one for one in wanted], abs=0.06)


def test_heat_maps_are_of_models_alone() -> None:
    def share(model: str, share: str, mean: float) -> ShareSummary:
        return ShareSummary(
            task="retrieval",
            mode="open",
            context="gold",
            model=model,
            axis="recency",
            hops=2,
            share=share,
            n=4,
            failed=0,
            mean=mean,
            low=mean / 2,
            high=(1 + mean) / 2,
        )

    rows = (share("m", "1", 0.5), share("m", "1/2", 0.25), share("floor/random", "1", 0.125))
    (figure,) = heat_maps(Results(shares=rows), {})
    assert figure.table.rows == (
        ("m: gold passages", "2 hops", "1", "4", "50.0 (25.0–75.0)"),
        ("m: gold passages", "2 hops", "1/2", "4", "25.0 (12.5–62.5)"),
    )
    assert shown(figure.panels[0]) == ["m: gold passages", "1", "1/2", "2 hops", "50", "25"]

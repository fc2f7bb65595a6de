"""The parts of a report on an evaluation, in their order; what no task gives is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factchain.eval.report.panels import signed
from factchain.eval.report.question_results import (
    accuracy_by_hops,
    accuracy_by_retriever,
    accuracy_by_share,
    heat_maps,
)
from factchain.eval.report.score_figures import retrieval_figures
from factchain.eval.report.step_results import (
    decision_figures,
    decomposition_figures,
    floor_figures,
    hop_figures,
)
from factchain.eval.report.tables import Figure, Table, percent
from factchain.eval.results import Results
from factchain.eval.setting_names import setting_name
from factchain.retrieval_corpus.metrics import GroupScore

MOST_COMPARISONS = 200
"""Comparisons that the page shows; the CSV has all."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its figures."""

    name: str
    title: str
    figures: tuple[Figure, ...]


def sections(results: Results, retrieval: Mapping[str, Sequence[GroupScore]]) -> list[Section]:
    """Every part that has something to show."""
    made = (
        Section("hops", "Accuracy by hops", tuple(accuracy_by_hops(results))),
        Section("shares", "Accuracy by familiar hops", tuple(accuracy_by_share(results))),
        Section(
            "retrieval",
            "Retrieval",
            (*accuracy_by_retriever(results), *retrieval_figures(retrieval)),
        ),
        Section("heat", "Hops by familiar hops", tuple(heat_maps(results, retrieval))),
        Section("decisions", "Decisions", tuple(decision_figures(results))),
        Section("decomposition", "Decomposition", tuple(decomposition_figures(results))),
        Section("steps", "Hop by hop", (*hop_figures(results), *floor_figures(results))),
        Section("cheatability", "Cheatability", tuple(_cheatability(results))),
        Section("comparisons", "Comparisons", tuple(_comparisons(results))),
    )
    return [section for section in made if section.figures]


def _cheatability(results: Results) -> list[Figure]:
    if not results.cheatability:
        return []
    lines = [
        (
            *(row.model, row.predicted, f"{row.n:,}"),
            *(percent(row.original), percent(row.probe)),
            f"{row.ratio:.3f}" if row.ratio is not None else "undefined",
        )
        for row in results.cheatability
    ]
    caption = (
        "Cheatability: mean F1 of the best partition of the gold passages, bounded by the F1 with "
        "all of them, by the latter. Low is good; it is undefined where nothing is right."
    )
    head = ("Model", "Predicted", "n", "F1, all passages", "F1, probe", "Ratio")
    return [Figure(caption, (), Table(head, tuple(lines), frozenset(head[2:])))]


def _comparisons(results: Results) -> list[Figure]:
    """The comparisons with the smallest p first."""
    rows = sorted(results.comparisons, key=lambda one: (one.adjusted_p, one.p, one.first))
    if not rows:
        return []
    lines = [
        (
            *(one.score, _side(one.first), _side(one.second), f"{one.n:,}"),
            signed(one.difference, one.low, one.high),
            *(_p(one.p), _p(one.adjusted_p)),
            "yes" if one.adjusted_p < 0.05 else "no",
        )
        for one in rows[:MOST_COMPARISONS]
    ]
    caption = (
        f"Paired tests on the questions that both settings answered, {len(rows):,} in all"
        f"{_of(len(rows))}: McNemar's for accuracy, a bootstrap of chains for F1. Differences in "
        "points; p is adjusted by Holm's method over all comparisons of a score."
    )
    head = ("Score", "First", "Second", "n", "Difference", "p", "Adjusted p", "p < 0.05")
    return [Figure(caption, (), Table(head, tuple(lines), frozenset(head[3:7])))]


def _of(rows: int) -> str:
    return f", of which the {MOST_COMPARISONS} surest are shown" if rows > MOST_COMPARISONS else ""


def _side(setting: tuple[str, str, str, str]) -> str:
    return f"{setting[3]}: {setting_name(*setting[:3])}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"

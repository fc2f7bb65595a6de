"""The parts of a report on an evaluation, in their order; what no task gives is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factchain.eval.report.comparison_tables import comparison_tables, compat_tables
from factchain.eval.report.quality_figures import (
    cheatability_figures,
    gain_figures,
    judge_figures,
    refusal_figures,
)
from factchain.eval.report.question_results import accuracy_by_hops, accuracy_by_share
from factchain.eval.report.retrieval_results import (
    accuracy_by_retriever,
    heat_maps,
    recall_by_hops,
)
from factchain.eval.report.step_results import (
    decision_figures,
    decomposition_figures,
    floor_figures,
    hop_figures,
)
from factchain.eval.report.tables import Figure
from factchain.eval.results import Results
from factchain.retrieval_corpus.metrics import GroupScore


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
            (*accuracy_by_retriever(results), *recall_by_hops(retrieval)),
        ),
        Section("heat", "Hops by familiar hops", tuple(heat_maps(results, retrieval))),
        Section("decisions", "Decisions", tuple(decision_figures(results))),
        Section("decomposition", "Decomposition", tuple(decomposition_figures(results))),
        Section("steps", "Hop by hop", (*hop_figures(results), *floor_figures(results))),
        Section("unanswerable", "Unanswerable questions", tuple(refusal_figures(results))),
        Section(
            "quality",
            "Quality of the questions",
            (*cheatability_figures(results), *gain_figures(results), *judge_figures(results)),
        ),
        Section("comparisons", "Comparisons", tuple(comparison_tables(results))),
        Section("compat", "As published scripts print it", tuple(compat_tables(results))),
    )
    return [section for section in made if section.figures]

"""The report: one HTML file that needs no network, the same for the same data."""

from __future__ import annotations

from pathlib import Path

from factchain.eval.report.distributions import (
    answers_by_class,
    facts_by_popularity,
    properties_in_chains,
    question_matrix,
    questions_by_pattern,
)
from factchain.eval.report.examples import examples
from factchain.eval.report.page import render_page
from factchain.eval.report.records import ReportData
from factchain.eval.report.score_figures import model_figures
from factchain.eval.report.sections import sections
from factchain.eval.report.store_figures import class_sizes, degrees, label_coverage
from factchain.eval.report.tables import AXES, Figure, pattern_order
from factchain.files import write_text


def write_report(data: ReportData, path: Path) -> None:
    """Write the report, complete or not at all. Raises OutputError where it cannot be written."""
    write_text(path, render_report(data))


def render_report(data: ReportData) -> str:
    """The report as one HTML page.

    Every label and text is escaped, and the page's own policy lets the browser load nothing and
    run no script but the one written here. Raises InputError where a question has no chain.
    """
    questions = sorted(
        data.questions, key=lambda q: (AXES.index(q.axis), q.hops, pattern_order(q.labels), q.id)
    )
    return render_page(
        "report.html.jinja",
        ("table.js",),
        {
            "data": data,
            "matrix": question_matrix(questions),
            "distributions": _distributions(data),
            "examples": examples(data),
            "sections": sections(data.results, data.retrieval),
            "scores": _scores(data),
            "questions": questions,
            "axes": [axis for axis in AXES if any(q.axis == axis for q in questions)],
            "hops": sorted({q.hops for q in questions}),
            "patterns": sorted({q.labels for q in questions if q.labels}, key=pattern_order),
            "verbalizers": sorted({q.provenance.verbalizer for q in questions}),
        },
    )


def _distributions(data: ReportData) -> list[Figure]:
    figures = [questions_by_pattern(data.questions)]
    if data.store.popularity:
        figures.append(facts_by_popularity(data.store))
    figures.append(properties_in_chains(data.chains))
    if data.store.answer_classes:
        figures.append(answers_by_class(data.store.answer_classes))
    if data.store.out_degrees and data.store.in_degrees:
        figures.append(degrees(data.store))
    if data.store.coverage:
        figures.append(label_coverage(data.store))
    if data.store.class_sizes:
        figures.append(class_sizes(data.store.class_sizes))
    return figures


def _scores(data: ReportData) -> list[tuple[str, list[Figure]]]:
    """Every model with its figures."""
    models = dict.fromkeys(score.model for score in data.results.scores)
    return [
        (model, model_figures([s for s in data.results.scores if s.model == model], f"scores-{i}"))
        for i, model in enumerate(models)
    ]

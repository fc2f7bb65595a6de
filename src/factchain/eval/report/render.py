"""The report: one HTML file that needs no network, the same for the same data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from factchain.eval.report.distributions import (
    answers_by_class,
    facts_by_popularity,
    question_matrix,
    questions_and_facts,
)
from factchain.eval.report.examples import examples
from factchain.eval.report.page import render_page
from factchain.eval.report.parts import shown_questions, shown_results
from factchain.eval.report.records import ReportData
from factchain.eval.report.store_figures import class_sizes, degrees, label_coverage
from factchain.eval.report.tables import Figure
from factchain.files import write_text

if TYPE_CHECKING:
    from factchain.eval.report.asked import Asked


def write_report(data: ReportData, path: Path, asked: Asked | None = None) -> None:
    """Write the report, complete or not at all. Raises OutputError where it cannot be written."""
    write_text(path, render_report(data, asked))


def render_report(data: ReportData, asked: Asked | None = None) -> str:
    """The report as one HTML page; `asked` has the pages of questions, where models were asked.

    Every label and text is escaped, and the page's own policy lets the browser load nothing and
    run no script but the one written here. Raises InputError where a question has no chain.
    """
    return render_page(
        "report.html.jinja",
        {
            "data": data,
            "asked": asked,
            "matrix": question_matrix(data.questions),
            "distributions": _distributions(data),
            "examples": examples(data),
            "verbalizers": sorted({q.provenance.verbalizer for q in data.questions}),
        }
        | shown_results(data.results, data.retrieval)
        | shown_questions(data.questions),
    )


def _distributions(data: ReportData) -> list[Figure]:
    figures = questions_and_facts(data.questions)
    if data.store.popularity:
        figures.append(facts_by_popularity(data.store))
    if data.store.answer_classes:
        figures.append(answers_by_class(data.store.answer_classes))
    if data.store.out_degrees and data.store.in_degrees:
        figures.append(degrees(data.store))
    if data.store.coverage:
        figures.append(label_coverage(data.store))
    if data.store.class_sizes:
        figures.append(class_sizes(data.store.class_sizes))
    return figures

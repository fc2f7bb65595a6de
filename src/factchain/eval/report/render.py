"""The report: one HTML file that needs no network, the same for the same data."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from factchain.eval.report.distributions import (
    answers_by_class,
    facts_by_popularity,
    properties_in_chains,
    question_matrix,
    questions_by_pattern,
)
from factchain.eval.report.examples import examples
from factchain.eval.report.reasons import in_words
from factchain.eval.report.records import ReportData
from factchain.eval.report.score_figures import BASELINE, model_figures, retrieval_figures
from factchain.eval.report.store_figures import class_sizes, degrees, label_coverage
from factchain.eval.report.tables import (
    AXES,
    Figure,
    glyphs,
    hops_in_words,
    pattern_order,
    percent,
    tone,
)
from factchain.files import write_text


def write_report(data: ReportData, path: Path) -> None:
    """Write the report, complete or not at all. Raises OutputError where it cannot be written."""
    write_text(path, render_report(data))


def render_report(data: ReportData) -> str:
    """The report as one HTML page.

    Every label and text is escaped, and the page's own policy lets the browser load nothing and
    run no script but the one written here. Raises InputError where a question has no chain.
    """
    style, script = _own("style.css"), _own("table.js")
    environment = Environment(
        loader=PackageLoader("factchain.eval.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "glyphs": glyphs,
        "hops": hops_in_words,
        "percent": percent,
        "item": _item,
    }
    environment.globals |= {"tone": tone, "zip": zip, "BASELINE": BASELINE, "in_words": in_words}
    questions = sorted(
        data.questions, key=lambda q: (AXES.index(q.axis), q.hops, pattern_order(q.labels), q.id)
    )
    return environment.get_template("report.html.jinja").render(
        data=data,
        style=style,
        script=script,
        style_hash=_policy_hash(style),
        script_hash=_policy_hash(script),
        matrix=question_matrix(questions),
        distributions=_distributions(data),
        examples=examples(data),
        scores=_scores(data),
        retrieval=retrieval_figures(data.retrieval),
        questions=questions,
        axes=[axis for axis in AXES if any(q.axis == axis for q in questions)],
        hops=sorted({q.hops for q in questions}),
        patterns=sorted({q.labels for q in questions if q.labels}, key=pattern_order),
        verbalizers=sorted({q.provenance.verbalizer for q in questions}),
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
    models = dict.fromkeys(score.model for score in data.scores)
    return [
        (model, model_figures([s for s in data.scores if s.model == model], f"scores-{i}"))
        for i, model in enumerate(models)
    ]


def _own(name: str) -> Markup:
    """A file of this package, which is trusted."""
    return Markup((files("factchain.eval.report") / name).read_text(encoding="utf-8"))


def _policy_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _item(entity_id: str | None, text: str) -> Markup:
    """A text with a link to the Wikidata page of an item; without one where it has no Q-id."""
    if not re.fullmatch(r"Q[1-9][0-9]*", entity_id or ""):
        return Markup("{}").format(text)
    return Markup('<a href="https://www.wikidata.org/wiki/{}" rel="noreferrer">{}</a>').format(
        entity_id, text
    )

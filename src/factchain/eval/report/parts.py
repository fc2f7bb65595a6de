"""What both reports show in the same way, for the macros of `parts.html.jinja`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factchain.eval.report.panels import model_order
from factchain.eval.report.score_figures import model_figures
from factchain.eval.report.sections import sections
from factchain.eval.report.tables import AXES, pattern_order
from factchain.eval.results import FLOOR, Results
from factchain.questions.records import Question
from factchain.retrieval_corpus.metrics import GroupScore


def shown_results(
    results: Results, retrieval: Mapping[str, Sequence[GroupScore]]
) -> dict[str, object]:
    """The models, the parts that have something to show, and every score of every model."""
    known = sorted({score.model for score in results.scores}, key=model_order)
    models = [model for model in known if not model.startswith(FLOOR)]
    return {
        "models": models,
        "has_floors": len(models) < len(known),
        "sections": sections(results, retrieval),
        "scores": [
            (model, model_figures(results.scores, model, f"scores-{number}"))
            for number, model in enumerate(models)
        ],
    }


def shown_questions(questions: Sequence[Question]) -> dict[str, object]:
    """The rows of the table of questions, and what it can be filtered by."""
    return {
        "questions": sorted(
            questions, key=lambda q: (AXES.index(q.axis), q.hops, pattern_order(q.labels), q.id)
        ),
        "axes": [axis for axis in AXES if any(q.axis == axis for q in questions)],
        "hops": sorted({q.hops for q in questions}),
        "patterns": sorted({q.labels for q in questions if q.labels}, key=pattern_order),
    }

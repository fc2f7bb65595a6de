"""The table of scores -> every table of a report."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from factchain.eval.cheatability import cheatability
from factchain.eval.comparison import compare
from factchain.eval.decision_summaries import summarise_decisions
from factchain.eval.decomposition_summaries import (
    count_sub_questions,
    summarise_decompositions,
)
from factchain.eval.results import Results
from factchain.eval.scores import summarise
from factchain.eval.share_summaries import summarise_shares
from factchain.eval.step_summaries import (
    summarise_errors,
    summarise_floors,
)
from factchain.questions.records import Question


def results_of(scores: pa.Table, questions: Iterable[Question]) -> Results:
    """Work out every table; the questions say which hops have no inputs."""
    roots = {(q.id, sub.index) for q in questions for sub in q.sub_questions if not sub.inputs}
    errors, amplification = summarise_errors(scores, roots)
    return Results(
        scores=tuple(summarise(scores)),
        shares=tuple(summarise_shares(scores)),
        decisions=tuple(summarise_decisions(scores)),
        decompositions=tuple(summarise_decompositions(scores)),
        sub_questions=tuple(count_sub_questions(scores)),
        hop_errors=tuple(errors),
        amplification=tuple(amplification),
        floors=tuple(summarise_floors(scores)),
        cheatability=tuple(cheatability(scores)),
        comparisons=tuple(compare(scores)),
    )

"""The table of scores -> every table of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from factchain.eval.cheatability import cheatability
from factchain.eval.comparison import compare
from factchain.eval.compat_summaries import summarise_compat
from factchain.eval.decision_summaries import summarise_decisions
from factchain.eval.decomposition_summaries import (
    count_sub_questions,
    summarise_decompositions,
)
from factchain.eval.document_gain import document_gain
from factchain.eval.judge import Judgement
from factchain.eval.judge_summaries import judge_reliability, judge_scores
from factchain.eval.refusal_ratios import refusal_ratios
from factchain.eval.results import Results
from factchain.eval.scores import summarise
from factchain.eval.share_summaries import summarise_shares
from factchain.eval.step_summaries import (
    summarise_errors,
    summarise_floors,
)
from factchain.questions.records import Question


def results_of(
    scores: pa.Table, questions: Iterable[Question], judgements: Sequence[Judgement] = ()
) -> Results:
    """Work out every table; the questions say which hops have no inputs, and the gold answers."""
    questions = tuple(questions)
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
        refusals=tuple(refusal_ratios(scores)),
        document_gains=tuple(document_gain(scores)),
        judge_scores=tuple(judge_scores(judgements)),
        judge_reliability=tuple(judge_reliability(judgements)),
        comparisons=tuple(compare(scores)),
        compat=tuple(summarise_compat(scores, questions)),
    )

"""How much of the gold evidence a retriever finds, by hops and by label pattern.

`recall@k` is the share of a question's gold passages among the first k, `complete@k` whether
all of them are there (HopWeaver's complete set, SPEC.md 1.7). A fact has one gold passage, so
recall is the share of the question's facts whose evidence is found (SPEC.md 4.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev
from typing import Literal, NamedTuple

from factchain.chains.records import Axis
from factchain.errors import MissingExtraError
from factchain.questions.records import Question
from factchain.records import Record
from factchain.retrieval_corpus.formats import Qrels
from factchain.retrieval_corpus.retrievers.protocol import Hit


class QuestionScore(NamedTuple):
    """What was found for one question."""

    question: str
    """Id of the question."""
    k: int
    """How many hits count."""
    recall: float
    """Share of the gold passages that were found."""
    complete: bool
    """Whether all of them were."""


class GroupScore(Record):
    """The mean over a group of questions."""

    axis: Axis
    """Axis of the questions."""
    by: Literal["all", "hops", "labels"]
    """What the questions of the group have in common."""
    group: str
    """The common value: a number of hops, or labels such as `popular-unpopular`."""
    k: int
    """How many hits count."""
    questions: int
    """Size of the group."""
    recall: float
    """Mean recall@k."""
    recall_stderr: float
    """Its standard error; 0 for a single question."""
    complete: float
    """Share of the questions whose gold passages were all found."""
    complete_stderr: float
    """Its standard error."""


def score_questions(
    hits: Mapping[str, Sequence[Hit]], qrels: Qrels, cutoffs: Sequence[int]
) -> list[QuestionScore]:
    """recall@k and complete@k of every question of `qrels`, by question and `k`.

    `hits` are the ranked passages by question. Raises MissingExtraError without `ir_measures`.
    """
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtraError("scoring a retriever", "eval") from error
    measures = {ir_measures.R @ k: k for k in cutoffs}
    # trec_eval would break ties in its own way, so that the rank itself is the score.
    run = {
        question: {hit.passage_id: -float(rank) for rank, hit in enumerate(ranked)}
        for question, ranked in hits.items()
    }
    return sorted(
        QuestionScore(value.query_id, measures[value.measure], value.value, value.value == 1)
        for value in ir_measures.iter_calc(list(measures), qrels, run)
    )


def score_groups(
    questions: Iterable[Question], scores: Iterable[QuestionScore]
) -> list[GroupScore]:
    """The means by axis, by axis and hops, and by axis and label pattern, for every k.

    Questions without a score are left out.
    """
    known = {question.id: question for question in questions}
    groups: dict[tuple[Axis, Literal["all", "hops", "labels"], str, int], list[QuestionScore]] = {}
    for score in scores:
        question = known[score.question]
        groups.setdefault((question.axis, "all", "all", score.k), []).append(score)
        groups.setdefault((question.axis, "hops", str(question.hops), score.k), []).append(score)
        pattern = "-".join(question.labels)
        if pattern:
            groups.setdefault((question.axis, "labels", pattern, score.k), []).append(score)
    return [
        GroupScore(
            axis=axis,
            by=by,
            group=group,
            k=k,
            questions=len(members),
            recall=mean(member.recall for member in members),
            recall_stderr=_stderr([member.recall for member in members]),
            complete=mean(member.complete for member in members),
            complete_stderr=_stderr([float(member.complete) for member in members]),
        )
        for (axis, by, group, k), members in sorted(groups.items())
    ]


def _stderr(values: Sequence[float]) -> float:
    return stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0

"""How much of the gold evidence a retriever finds, by hops, topology and label pattern.

`recall@k` is the share of a question's gold passages among the first k, `complete@k` whether
all of them are there (HopWeaver's complete set, SPEC.md 1.7). A fact has one gold passage, so
recall is the share of the question's facts whose evidence is found (SPEC.md 4.5). The others are
the textbook's, cut off at k: hit (success), average precision, reciprocal rank, nDCG.
"""

from __future__ import annotations

from collections import defaultdict
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
    hit: float
    """1 where one of them was."""
    average_precision: float
    """Mean over the gold passages of the precision at their ranks, 0 for one not found."""
    reciprocal_rank: float
    """1 by the rank of the first gold passage, 0 where there is none."""
    ndcg: float
    """Discounted cumulative gain, by that of the best ranking."""


GroupKind = Literal["all", "hops", "topology", "labels"]


class GroupScore(Record):
    """The mean over a group of questions."""

    axis: Axis
    """Axis of the questions."""
    by: GroupKind
    """What the questions of the group have in common."""
    group: str
    """The common value: a number of hops, a topology, or labels such as `popular-unpopular`."""
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
    hit: float
    """Share of the questions with a gold passage among the first k."""
    average_precision: float
    """MAP@k."""
    reciprocal_rank: float
    """MRR@k."""
    ndcg: float
    """Mean nDCG@k."""


def score_questions(
    hits: Mapping[str, Sequence[Hit]], qrels: Qrels, cutoffs: Sequence[int]
) -> list[QuestionScore]:
    """The scores of every question of `qrels`, by question and `k`.

    `hits` are the ranked passages by question. Raises MissingExtraError without `ir_measures`.
    """
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtraError("scoring a retriever", "eval") from error
    kinds = (
        ir_measures.R,
        ir_measures.Success,
        ir_measures.AP,
        ir_measures.RR,
        ir_measures.nDCG,
    )
    measures = {kind @ k: (kind, k) for kind in kinds for k in cutoffs}
    # trec_eval would break ties in its own way, so that the rank itself is the score.
    run = {
        question: {hit.passage_id: -float(rank) for rank, hit in enumerate(ranked)}
        for question, ranked in hits.items()
    }
    values: dict[tuple[str, int], dict[object, float]] = defaultdict(dict)
    for value in ir_measures.iter_calc(list(measures), qrels, run):
        kind, k = measures[value.measure]
        values[value.query_id, k][kind] = value.value
    scores = []
    for (question, k), by_kind in sorted(values.items()):
        recall, *others = (by_kind[kind] for kind in kinds)
        scores.append(QuestionScore(question, k, recall, recall == 1, *others))
    return scores


def score_groups(
    questions: Iterable[Question], scores: Iterable[QuestionScore]
) -> list[GroupScore]:
    """The means by axis, and by axis and hops, topology or label pattern, for every k.

    Questions without a score are left out.
    """
    known = {question.id: question for question in questions}
    groups: dict[tuple[Axis, GroupKind, str, int], list[QuestionScore]] = {}
    for score in scores:
        question = known[score.question]
        groups.setdefault((question.axis, "all", "all", score.k), []).append(score)
        groups.setdefault((question.axis, "hops", str(question.hops), score.k), []).append(score)
        groups.setdefault((question.axis, "topology", question.topology, score.k), []).append(score)
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
            recall_stderr=stderr([member.recall for member in members]),
            complete=mean(member.complete for member in members),
            complete_stderr=stderr([float(member.complete) for member in members]),
            hit=mean(member.hit for member in members),
            average_precision=mean(member.average_precision for member in members),
            reciprocal_rank=mean(member.reciprocal_rank for member in members),
            ndcg=mean(member.ndcg for member in members),
        )
        for (axis, by, group, k), members in sorted(groups.items())
    ]


def stderr(values: Sequence[float]) -> float:
    """The standard error of the mean; 0 for a single value."""
    return stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0

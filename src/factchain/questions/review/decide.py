"""Reviewers' scores and corrections -> the questions that are kept, and a record of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

from factchain.errors import ConfigError, InputError
from factchain.progress import track
from factchain.questions.records import Question, Verdict
from factchain.questions.review.corrections import CorrectionError, correct_hop, correct_question
from factchain.questions.review.exports import Annotation, Place
from factchain.questions.review.label_studio import checksum
from factchain.questions.review.records import (
    Outcome,
    Review,
    ReviewComment,
    ReviewCorrection,
    ReviewScore,
)
from factchain.questions.review.rubric import HIGHEST, LOWEST

Rule = Literal["mean", "each"]
REVIEW = "review"
"""Name of the check whose verdict a reviewed question carries."""


@dataclass(frozen=True)
class Decision:
    """By what a question is kept."""

    threshold: float = 4.0
    """The least score."""
    rule: Rule = "mean"
    """`mean`: the mean of all its scores reaches the threshold; `each`: the reviewers' mean under
    every criterion, of every hop, does."""
    keep_unreviewed: bool = False
    """Whether questions that nobody scored are kept."""
    language: str = "en"
    """Of the questions, for the checks of corrected wordings."""

    def __post_init__(self) -> None:
        if not LOWEST <= self.threshold <= HIGHEST:
            raise ConfigError(f"threshold {self.threshold}: scores run from {LOWEST} to {HIGHEST}")


def review_questions(
    questions: Sequence[Question],
    annotations: Sequence[Annotation],
    decision: Decision,
    source: Path,
) -> tuple[list[Question], list[Review]]:
    """The questions that are kept, and a record of all of them, both in their order.

    Raises InputError for a review of a question that there is not, or of another wording; `source`
    is the export, for the message.
    """
    by_question = _match(questions, annotations, source)
    kept, reviews = [], []
    for question in track(questions, "applying reviews", len(questions)):
        changed, review = _review(question, by_question.get(question.id, ()), decision)
        reviews.append(review)
        if review.outcome == "kept" or (
            review.outcome == "not reviewed" and decision.keep_unreviewed
        ):
            kept.append(changed)
    return kept, reviews


def _match(
    questions: Sequence[Question], annotations: Sequence[Annotation], source: Path
) -> dict[str, list[Annotation]]:
    known = {question.id: question for question in questions}
    found: dict[str, list[Annotation]] = {}
    for one in annotations:
        if one.question not in known:
            raise InputError(
                f"{source}: reviews {one.question}, which the questions file has not: name with "
                "--questions the file that was exported"
            )
        if one.checksum != checksum(known[one.question]):
            raise InputError(
                f"{source}: {one.question} was reviewed in another wording than the questions file "
                "has: name with --questions the file that was exported"
            )
        found.setdefault(one.question, []).append(one)
    return found


def _review(
    question: Question, annotations: Sequence[Annotation], decision: Decision
) -> tuple[Question, Review]:
    scores = tuple(
        ReviewScore(reviewer=one.reviewer, hop=place, criterion=criterion, score=score)
        for one in annotations
        for (place, criterion), score in sorted(one.scores.items(), key=_by_place)
    )
    unknown = {s.hop for s in scores if s.hop is not None} - {
        hop.index for hop in question.sub_questions
    }
    if unknown:
        raise InputError(f"question {question.id}: a score of hop {min(unknown)}: it has none")
    changed, corrections = _correct(question, annotations, decision.language)
    mean = fmean(score.score for score in scores) if scores else None
    outcome = _outcome(scores, decision)
    if mean is not None:
        changed = _with_verdict(changed, scores, outcome == "kept", mean)
    comments = tuple(
        ReviewComment(reviewer=one.reviewer, text=one.comment) for one in annotations if one.comment
    )
    return changed, Review(
        question=question.id,
        outcome=outcome,
        mean=mean,
        scores=scores,
        corrections=tuple(corrections),
        comments=comments,
    )


def _outcome(scores: Sequence[ReviewScore], decision: Decision) -> Outcome:
    if not scores:
        return "not reviewed"
    if decision.rule == "mean":
        least = fmean(score.score for score in scores)
    else:
        groups: dict[tuple[Place, str], list[int]] = {}
        for score in scores:
            groups.setdefault((score.hop, score.criterion), []).append(score.score)
        least = min(fmean(group) for group in groups.values())
    return "kept" if least >= decision.threshold else "below the threshold"


def _correct(
    question: Question, annotations: Sequence[Annotation], language: str
) -> tuple[Question, list[ReviewCorrection]]:
    """The question with the wording that most reviewers propose, the latest of several."""
    before: dict[Place, str] = {None: question.question} | {
        hop.index: hop.question for hop in question.sub_questions
    }
    told: list[ReviewCorrection] = []
    changed = question
    places = {place for one in annotations for place in one.corrections}
    for place in sorted(places, key=lambda number: number or 0):
        if place not in before:
            raise InputError(f"question {question.id}: a correction of hop {place}: it has none")
        proposed = [one for one in annotations if place in one.corrections]
        chosen = _chosen(proposed, place)
        why = "the wording is as it was"
        applied = False
        if chosen != before[place]:
            try:
                changed = _apply(changed, place, chosen, language)
                applied, why = True, "passed the checks"
            except CorrectionError as error:
                why = str(error)
        for one in proposed:
            is_chosen = one.corrections[place] == chosen
            told.append(
                ReviewCorrection(
                    reviewer=one.reviewer,
                    time=one.time,
                    hop=place,
                    before=before[place],
                    after=one.corrections[place],
                    applied=applied and is_chosen,
                    why=why if is_chosen else "another wording was chosen",
                )
            )
    return changed, told


def _chosen(proposed: Sequence[Annotation], place: Place) -> str:
    votes = Counter(one.corrections[place] for one in proposed)
    best = max(proposed, key=lambda one: (votes[one.corrections[place]], one.time, one.order))
    return best.corrections[place]


def _apply(question: Question, place: Place, text: str, language: str) -> Question:
    if place is None:
        return correct_question(question, text, language)
    return correct_hop(question, place, text, language)


def _with_verdict(
    question: Question, scores: Sequence[ReviewScore], passed: bool, mean: float
) -> Question:
    reviewers = len({score.reviewer for score in scores})
    told = f"{len(scores)} scores of {reviewers} reviewers, mean {mean:.2f}"
    others = [v for v in question.provenance.verdicts if v.check != REVIEW]
    verdict = Verdict(check=REVIEW, passed=passed, evidence=told)
    made = question.provenance.model_copy(update={"verdicts": (*others, verdict)})
    return question.model_copy(update={"provenance": made})


def _by_place(item: tuple[tuple[Place, str], int]) -> tuple[int, str]:
    (place, criterion), _ = item
    return place or 0, criterion


def outcomes(reviews: Sequence[Review]) -> Mapping[str, int]:
    """How many questions came to each outcome, and how many corrections were applied or not."""
    counts = Counter[str](review.outcome for review in reviews)
    corrections = [correction for review in reviews for correction in review.corrections]
    counts["corrections applied"] = sum(correction.applied for correction in corrections)
    counts["corrections not applied"] = len(corrections) - counts["corrections applied"]
    return counts

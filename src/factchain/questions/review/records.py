"""What reviewers said of a question, and what was made of it: a line of `review.jsonl`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from factchain.questions.review.rubric import HIGHEST, LOWEST
from factchain.records import Record

Outcome = Literal["kept", "below the threshold", "not reviewed"]


class ReviewScore(Record):
    """One score of one reviewer."""

    reviewer: str
    """Who gave it, as Label Studio knows them."""
    hop: int | None
    """Number of the hop, from 1; none for the whole question."""
    criterion: str
    """Key of the rubric's criterion."""
    score: int = Field(ge=LOWEST, le=HIGHEST)
    """From 1 to 5."""


class ReviewCorrection(Record):
    """A wording that a reviewer proposed."""

    reviewer: str
    """Who proposed it."""
    time: str
    """When it was last changed, as Label Studio says it; empty where it does not."""
    hop: int | None
    """Number of the hop, from 1; none for the whole question."""
    before: str
    """The wording that was reviewed."""
    after: str
    """The wording that was proposed."""
    applied: bool
    """Whether the question has it now."""
    why: str
    """What the checks saw, or why it was not applied."""


class ReviewComment(Record):
    """What a reviewer noted."""

    reviewer: str
    """Who noted it."""
    text: str
    """The note."""


class Review(Record):
    """All that was said of one question."""

    schema_version: Literal[1] = Field(1, alias="schema")
    """Version of this layout."""
    question: str
    """Id of the question."""
    outcome: Outcome
    """What became of it."""
    mean: float | None
    """Mean of all scores; none without scores."""
    scores: tuple[ReviewScore, ...]
    """Every score."""
    corrections: tuple[ReviewCorrection, ...]
    """Every wording that was proposed."""
    comments: tuple[ReviewComment, ...]
    """Every note."""

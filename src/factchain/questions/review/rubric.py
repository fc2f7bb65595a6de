"""What reviewers score, from 1 to 5: Omanic's rubric (SPEC.md 5.5)."""

from __future__ import annotations

from dataclasses import dataclass

LOWEST, HIGHEST = 1, 5


@dataclass(frozen=True)
class Criterion:
    """One score."""

    key: str
    """Name in files."""
    title: str
    """As reviewers see it."""
    about: str
    """What the highest and the lowest score mean."""


OF_HOP = (
    Criterion(
        "factuality",
        "Factuality and accuracy",
        "5: question and answer agree with the facts; 1: the answer is wrong.",
    ),
    Criterion(
        "distractors",
        "Distractor quality",
        "5: every wrong option is plausible and wrong; 1: one is right, or all are absurd. Leave "
        "empty where there are no options.",
    ),
    Criterion(
        "hop_fluency",
        "Fluency and completeness",
        "5: reads well and asks for one thing; 1: cannot be understood.",
    ),
)
"""Scores of every hop."""

OF_QUESTION = (
    Criterion(
        "logic",
        "Logical integrity and technical formatting",
        "5: the hops follow from each other and the question asks for their end; 1: they do not.",
    ),
    Criterion(
        "consistency",
        "Contextual fact consistency",
        "5: no hop contradicts another or the question; 1: the question contradicts its facts.",
    ),
    Criterion(
        "obscurity",
        "Answer obscurity and leakage prevention",
        "5: nothing in the question tells an answer on the way; 1: the question names the answer.",
    ),
    Criterion(
        "fluency",
        "Semantic completeness and linguistic fluency",
        "5: complete, unambiguous and fluent; 1: cannot be understood.",
    ),
    Criterion(
        "complexity",
        "Reasoning complexity and domain diversity",
        "5: four domains or more; 4: three domains and four steps or more; 3: three steps or more "
        "over two domains; 2: two domains, one or two steps; 1: not truly multi-hop.",
    ),
)
"""Scores of the whole question, for questions of two hops and more."""

"""The gold answer of a question whose evidence the corpus does not hold."""

from __future__ import annotations

from factchain.questions.records import Answer

INSUFFICIENT = Answer(
    label="Insufficient information",
    aliases=(
        "cannot be answered",
        "insufficient evidence",
        "insufficient information.",
        "no answer",
        "not enough information",
        "unanswerable",
        "unknown",
    ),
    kind="insufficient",
)
"""MultiHop-RAG's gold of a null query, with the ways in which models say it (SPEC.md 1.6)."""

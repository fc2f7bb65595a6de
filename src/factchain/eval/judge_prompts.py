"""What a judge of questions is asked: HopWeaver's eleven dimensions (SPEC.md 3.5).

The words are this project's own. A comparison has its own test of whether it takes several hops:
two documents at least, and none that alone holds both values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from factchain.eval.prompts import Document
from factchain.questions.prompts.data import IS_DATA, block, version

Grade = Literal["Very Poor", "Poor", "Fair", "Good", "Very Good"]
GRADES: dict[Grade, int] = {"Very Poor": 1, "Poor": 2, "Fair": 3, "Good": 4, "Very Good": 5}

MULTI_HOP = "multi_hop_reasoning"
"""The dimension that is yes or no."""

DIMENSIONS: dict[str, str] = {
    "fluency": "whether it is grammatical and reads naturally",
    "clarity": "whether it can be understood in one way only",
    "conciseness": "whether it says what it must and nothing more",
    "relevance": "whether it asks about what the documents are about",
    "consistency": "whether it agrees with the documents and with itself",
    "question_answerability": "whether the documents suffice to answer it",
    "answer_question_consistency": "whether the answer is of the kind that is asked for, and right",
    "information_integration": "how far information of several documents has to be joined",
    "reasoning_path_guidance": "how well its words lead along the steps without giving them away",
    "logical_sophistication": "how demanding the reasoning is",
}
"""The ten dimensions that are graded, and what each is about; language first, then the task."""

_NEEDS_HOPS = (
    "whether answering takes several steps, each with another document: yes only where no single "
    "document suffices and a later step needs the result of an earlier one"
)
_NEEDS_BOTH = (
    "whether answering takes two documents at least, so that no single document holds both of the "
    "values that are compared"
)


class Ratings(BaseModel):
    """A judge's reply; a dimension that it left out is none."""

    multi_hop_reasoning: Literal["Yes", "No"] | None = None
    fluency: Grade | None = None
    clarity: Grade | None = None
    conciseness: Grade | None = None
    relevance: Grade | None = None
    consistency: Grade | None = None
    question_answerability: Grade | None = None
    answer_question_consistency: Grade | None = None
    information_integration: Grade | None = None
    reasoning_path_guidance: Grade | None = None
    logical_sophistication: Grade | None = None


def system(*, comparison: bool = False) -> str:
    """The system message: what is judged, by what, and how."""
    lines = [
        f"- `{MULTI_HOP}`, Yes or No: {_NEEDS_BOTH if comparison else _NEEDS_HOPS}",
        *(f"- `{name}`: {about}" for name, about in DIMENSIONS.items()),
    ]
    return (
        "You judge questions that were made from documents for a test of question answering. "
        "Judge the question in its data, with its answer and the documents it was made from, on "
        "every one of these dimensions:\n\n"
        + "\n".join(lines)
        + f"\n\nAll but the first are graded {', '.join(GRADES)}. Judge each by itself, and leave "
        f"none out.\n\n{IS_DATA}"
    )


def user(question: str, answer: str, documents: Sequence[Document]) -> str:
    """The user message."""
    data = {
        "question": question,
        "answer": answer,
        "documents": [{"title": title, "text": text} for title, text in documents],
    }
    return f"Judge this question:\n{block(data)}"


VERSION = version(system(), system(comparison=True))
"""Of the prompts, whatever the data."""

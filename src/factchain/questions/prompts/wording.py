"""The prompt that puts a masked chain into words (MINTQA's procedure, SPEC.md 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from factchain.questions.prompts.data import IS_DATA, block, in_language, version
from factchain.questions.prompts.demonstrations import DEMONSTRATIONS

SYSTEM = f"""\
You write questions for a benchmark of multi-hop question answering. You get a graph of hops, each \
with facts (subject, property, object) of a knowledge graph, and write one question that asks for \
the answer of the last hop, and one sub-question for every hop.

The answers of the hops are hidden: x1 stands for the answer of hop 1, x2 for that of hop 2, and \
so on. You do not need to know them, and you must not guess them.

The question
- names every topic, as it is written in the data, and what `of` lists besides hidden answers;
- names no other entity, number or date: nothing that could be the answer of a hop, and never x1, \
x2 or #1;
- describes every hidden answer by its facts, so that it says the property of every hop and every \
operation; nothing is left out, nothing is added;
- reads each fact in its direction: the property says what the object is to the subject;
- asks for exactly one thing, in fluent words, as a person would ask; one or two sentences;
- begins with "As of" and the date `as_of` and a comma if the answer of a hop may change with time.

The sub-question of hop k
- asks for the answer of this hop alone, and says its properties and its operation;
- has #j where it needs the answer of hop j, for every j in `needs` and for no other;
- names its own topics as they are written in the data, and no hidden answer.

{IS_DATA}

Reply with one JSON object: `question`, and `sub_questions`, a list with `hop` and `text` for \
every hop in its order."""

AGAIN = """\
Your last reply was refused:

{last}

What is wrong with it:
{problems}

Write the question and all sub-questions again, and mend this."""

OPERATIONS: dict[str, str] = {
    "count": "how many there are",
    "sum": "the sum of all values",
    "difference": "the first minus the second",
    "product": "the first times the second",
    "years_between": "how many years lie between the two dates",
    "days_between": "how many days lie between the two dates",
    "years_before": "the date so many years earlier",
    "years_after": "the date so many years later",
    "earliest": "which of them has the earlier or earliest date",
    "latest": "which of them has the later or latest date",
    "smallest": "which of them has the smaller or smallest value",
    "largest": "which of them has the larger or largest value",
    "before": "whether the first date lies before the second: yes or no",
    "after": "whether the first date lies after the second: yes or no",
    "less": "whether the first value is less than the second: yes or no",
    "more": "whether the first value is more than the second: yes or no",
    "same": "whether both are the same: yes or no",
}
"""What a model is told of an operation."""


class WordedHop(BaseModel):
    """The question of one hop."""

    model_config = ConfigDict(extra="forbid")

    hop: int
    text: str


class Worded(BaseModel):
    """A chain in words, as a model replies."""

    model_config = ConfigDict(extra="forbid")

    question: str
    sub_questions: list[WordedHop]


def system(language: str) -> str:
    """The system message."""
    return SYSTEM + in_language(language)


def user(
    graph: dict[str, Any], shapes: Sequence[str], last: Any = None, problems: Sequence[str] = ()
) -> str:
    """The user message: a demonstration for each of the shapes, the graph, and what was wrong."""
    parts = []
    for shape in shapes:
        example = DEMONSTRATIONS[shape]
        parts.append(f"Example:\n{block(example['graph'])}\nReply:\n{block(example['reply'])}")
    parts.append(f"Put this graph into words:\n{block(graph)}")
    if problems:
        parts.append(AGAIN.format(last=block(last), problems=block(list(problems))))
    return "\n\n".join(parts)


def wording_version(language: str) -> str:
    """Version of the prompt."""
    return version(system(language), AGAIN, OPERATIONS, DEMONSTRATIONS)

"""The prompt that polishes a verified question: keep it, mend its words, rebuild it, or drop it.

The four outcomes are HopWeaver's (SPEC.md 3.4). Its polisher may change the answer; here the chain
and its answers are proved, so that words alone may change.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from factchain.questions.prompts.data import IS_DATA, block, in_language, version
from factchain.questions.prompts.wording import WordedHop

SYSTEM = f"""\
You edit questions for a benchmark of multi-hop question answering. You get a question, the \
sub-questions of its hops (#k stands for the answer of hop k) with their answers, and the facts \
that prove them. Judge the question as a careful reader would, and choose one outcome:

- "pass": it is fluent, says every hop and can only be read in one way. Leave it alone.
- "adjust": its structure is right, but its wording is clumsy, ungrammatical or unclear. Write it \
again in better words.
- "rework": its structure hides or twists a hop, or a sub-question does not ask for its answer. \
Write the question again, and all sub-questions.
- "reject": it cannot be mended: it is trivial, or makes no sense whatever its words.

Whatever you write
- asks for the same answer by the same facts: no hop is left out, none is added;
- names every topic as it is written, and no answer of any hop: describe those by their facts;
- keeps "As of" and its date where the question begins with it;
- in sub-question k has #j for every earlier answer that it needs, and does not name the answer.

{IS_DATA}

Reply with one JSON object: `outcome`; `question`, the new question, empty unless you adjust or \
rework; `sub_questions`, a list with `hop` and `text` for every hop, empty unless you rework; \
`reason`, one short sentence."""


class Polished(BaseModel):
    """What the polisher says of a question."""

    model_config = ConfigDict(extra="forbid")

    outcome: Literal["pass", "adjust", "rework", "reject"]
    question: str
    sub_questions: list[WordedHop]
    reason: str


def system(language: str) -> str:
    """The system message."""
    return SYSTEM + in_language(language)


def user(question: str, answer: str, hops: list[dict[str, Any]]) -> str:
    """The user message; a hop has its number, sub-question, answer and facts."""
    return block({"question": question, "answer": answer, "hops": hops})


def polishing_version(language: str) -> str:
    """Version of the prompt."""
    return version(system(language))

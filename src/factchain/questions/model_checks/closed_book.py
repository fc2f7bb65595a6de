"""How often models answer a question without any context: a difficulty, not a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from factchain.questions.judging import is_right
from factchain.questions.llm.protocol import Ask, LanguageModel, Quarantined
from factchain.questions.prompts import reading
from factchain.questions.prompts.reading import Recalled
from factchain.questions.records import ClosedBook, Question

TEMPERATURE = 0.7
"""Of several replies of one model; a single one is the likeliest."""
_TOKENS = 100


def closed_book_asks(question: Question, replies: int, language: str = "en") -> list[Ask[Recalled]]:
    """So many requests for one question."""
    return [
        Ask(
            purpose="closed book",
            system=reading.closed_book_system(language),
            user=question.question,
            reply=Recalled,
            max_tokens=_TOKENS,
            temperature=TEMPERATURE if replies > 1 else 0.0,
            repeat=repeat,
        )
        for repeat in range(replies)
    ]


def with_difficulty(
    questions: Sequence[Question],
    models: Sequence[LanguageModel],
    replies: int,
    language: str = "en",
) -> list[Question]:
    """The questions with how many of the models' replies, so many of each, were right.

    A reply that cannot be read is a wrong one. Unanswerable questions are left as they are.
    """
    asked = [question for question in questions if question.answerable]
    correct = dict.fromkeys((question.id for question in asked), 0)
    for model in models:
        asks = [closed_book_asks(question, replies, language) for question in asked]
        flat = [ask for of_one in asks for ask in of_one]
        answers = iter(model.ask_all(flat, f"asking {model.name} without context"))
        for question in asked:
            golds = [question.answer, *question.other_answers]
            for reply in [next(answers) for _ in range(replies)]:
                right = not isinstance(reply, Quarantined) and is_right(reply.answer, golds)
                correct[question.id] += right
    names = tuple(model.name for model in models)
    return [
        question.model_copy(
            update={
                "closed_book": ClosedBook(
                    models=names, asked=replies * len(models), correct=correct[question.id]
                )
            }
        )
        if question.id in correct
        else question
        for question in questions
    ]

"""The ensemble filter: what several models know by heart needs no reasoning over the graph.

Omanic drops a question that two or more of four models answer (SPEC.md 5.5), and does not say
whether it asked for one of four options. There, four models that only guess drop 26.2 % of all
questions. So answers are open here; or, with options, a model is right only where it is right in
two orders of them, and what guessing alone would drop is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

from factchain.questions.judging import is_right
from factchain.questions.llm.protocol import Ask, LanguageModel, Quarantined
from factchain.questions.model_checks.closed_book import closed_book_asks
from factchain.questions.prompts import choosing
from factchain.questions.prompts.choosing import Letter
from factchain.questions.prompts.reading import Recalled
from factchain.questions.records import ClosedBook, Question

Mode = Literal["open", "options"]
"""Open answers, or options in two orders."""
ORDERS = 2
"""Orders in which options are shown."""
_TOKENS = 30


@dataclass(frozen=True)
class EnsembleSummary:
    """What the models knew."""

    mode: Mode
    models: tuple[str, ...]
    discard_at: int
    """Models that must be right for a question to be dropped."""
    dropped: int
    """Questions that were dropped."""
    not_asked: int
    """Unanswerable questions, which nobody can know: kept."""
    without_options: int
    """Questions that were asked openly, since they have no options."""
    unread: int
    """Replies that could not be read: wrong answers."""
    correct: dict[str, int]
    """Questions by the number of models that were right, from `0`."""
    by_model: dict[str, int]
    """Questions that each model knew."""
    chance: float
    """The share of questions with four options in two orders that models which only guess would
    drop; 0 where answers are open."""
    chance_in_one_order: float
    """The same, were options shown in one order."""


@dataclass
class _Tally:
    right: dict[str, int]
    by_model: dict[str, int]
    unread: int = 0


def chance_of_dropping(models: int, discard_at: int, orders: int = ORDERS) -> float:
    """How often so many guessers are right so often: a binomial tail, 1/4 in each order."""
    p = 0.25**orders
    return sum(
        comb(models, right) * p**right * (1 - p) ** (models - right)
        for right in range(discard_at, models + 1)
    )


def ensemble_asks(questions: Sequence[Question], mode: Mode) -> list[Ask[Recalled] | Ask[Letter]]:
    """What each model is asked: one round."""
    opened, chosen = _shared_out(questions, mode)
    asks: list[Ask[Recalled] | Ask[Letter]] = [
        ask for question in opened for ask in closed_book_asks(question, 1)
    ]
    return asks + [ask for question in chosen for ask in _option_asks(question)]


def ensemble_filter(
    questions: Sequence[Question], models: Sequence[LanguageModel], discard_at: int, mode: Mode
) -> tuple[list[Question], list[Question], EnsembleSummary]:
    """The questions that stay, and those that were dropped, each with its difficulty.

    How often open answers were right is written to `closed_book`; choices among options say
    something else and are only counted.
    """
    opened, chosen = _shared_out(questions, mode)
    tally = _Tally({question.id: 0 for question in [*opened, *chosen]}, {})
    for model in models:
        tally.by_model[model.name] = 0
        _ask_open(opened, model, tally)
        _ask_options(chosen, model, tally)
    names = tuple(model.name for model in models)
    told = _with_difficulty(questions, {question.id for question in opened}, names, tally.right)
    dropped = [question for question in told if tally.right.get(question.id, 0) >= discard_at]
    summary = EnsembleSummary(
        mode=mode,
        models=names,
        discard_at=discard_at,
        dropped=len(dropped),
        not_asked=len(questions) - len(tally.right),
        without_options=len(opened) if mode == "options" else 0,
        unread=tally.unread,
        correct={
            str(right): sum(one == right for one in tally.right.values())
            for right in range(len(models) + 1)
        },
        by_model=tally.by_model,
        chance=chance_of_dropping(len(models), discard_at) if mode == "options" else 0.0,
        chance_in_one_order=chance_of_dropping(len(models), discard_at, orders=1),
    )
    gone = {question.id for question in dropped}
    return [question for question in told if question.id not in gone], dropped, summary


def _shared_out(questions: Sequence[Question], mode: Mode) -> tuple[list[Question], list[Question]]:
    """The questions that are asked openly, and those that are asked with options."""
    asked = [question for question in questions if question.answerable]
    with_options = [q for q in asked if mode == "options" and q.options and q.correct_option]
    chosen = {question.id for question in with_options}
    return [question for question in asked if question.id not in chosen], with_options


def _ask_open(questions: Sequence[Question], model: LanguageModel, tally: _Tally) -> None:
    asks = [ask for question in questions for ask in closed_book_asks(question, 1)]
    replies = model.ask_all(asks, f"asking {model.name} without context")
    for question, reply in zip(questions, replies, strict=True):
        if isinstance(reply, Quarantined):
            tally.unread += 1
        elif is_right(reply.answer, [question.answer, *question.other_answers]):
            tally.right[question.id] += 1
            tally.by_model[model.name] += 1


def _ask_options(questions: Sequence[Question], model: LanguageModel, tally: _Tally) -> None:
    asks = [ask for question in questions for ask in _option_asks(question)]
    replies = iter(model.ask_all(asks, f"asking {model.name} with options"))
    for question in questions:
        right = 0
        for order in range(ORDERS):
            reply = next(replies)
            if isinstance(reply, Quarantined):
                tally.unread += 1
            else:
                gold = question.options and question.options[question.correct_option or ""]
                right += _shown(question, order)[reply.letter] == gold
        if right == ORDERS:
            tally.right[question.id] += 1
            tally.by_model[model.name] += 1


def _option_asks(question: Question) -> list[Ask[Letter]]:
    return [
        Ask(
            purpose="ensemble",
            system=choosing.SYSTEM,
            user=choosing.user(question.question, _shown(question, order)),
            reply=Letter,
            max_tokens=_TOKENS,
        )
        for order in range(ORDERS)
    ]


def _shown(question: Question, order: int) -> dict[str, str]:
    """The options by letter; in the second order they are turned by two, so that all move."""
    assert question.options is not None  # by _shared_out
    letters = sorted(question.options)
    shift = order * (len(letters) // 2)
    turned = letters[shift:] + letters[:shift]
    return {letter: question.options[of] for letter, of in zip(letters, turned, strict=True)}


def _with_difficulty(
    questions: Sequence[Question],
    opened: set[str],
    models: tuple[str, ...],
    right: Mapping[str, int],
) -> list[Question]:
    return [
        question.model_copy(
            update={
                "closed_book": ClosedBook(
                    models=models, asked=len(models), correct=right[question.id]
                )
            }
        )
        if question.id in opened
        else question
        for question in questions
    ]

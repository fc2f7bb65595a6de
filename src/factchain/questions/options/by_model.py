"""A model chooses among the graph's candidates; it can add none."""

from __future__ import annotations

from collections.abc import Sequence

from factchain.questions.llm.protocol import Ask, LanguageModel, Quarantined
from factchain.questions.options.choice import WANTED
from factchain.questions.options.slots import Candidate, Slot
from factchain.questions.prompts import options as prompt
from factchain.questions.prompts.options import Chosen
from factchain.questions.records import Question

MOST_SHOWN = 12
"""Candidates that a model is shown, the graph's best."""
_TOKENS = 60


def option_asks(
    questions: Sequence[Question], slots: Sequence[Slot], candidates: Sequence[Sequence[Candidate]]
) -> dict[int, Ask[Chosen]]:
    """The requests by slot: of those that have more candidates than options are wanted."""
    return {
        at: _ask(_text(questions[slot.question], slot), slot.gold.label, found[:MOST_SHOWN])
        for at, (slot, found) in enumerate(zip(slots, candidates, strict=True))
        if len(found) > WANTED
    }


def choose_by_model(
    model: LanguageModel,
    asks: dict[int, Ask[Chosen]],
    candidates: Sequence[Sequence[Candidate]],
) -> dict[int, list[Candidate] | None]:
    """By slot what was chosen; None where the reply names no three different candidates."""
    replies = model.ask_all(list(asks.values()), "choosing options")
    return {
        at: _chosen(reply, candidates[at][:MOST_SHOWN])
        for at, reply in zip(asks, replies, strict=True)
    }


def _ask(question: str, answer: str, candidates: Sequence[Candidate]) -> Ask[Chosen]:
    shown = dict(zip(prompt.keys(candidates), (one.label for one in candidates), strict=True))
    return Ask(
        purpose="options",
        system=prompt.SYSTEM,
        user=prompt.user(question, answer, shown),
        reply=Chosen,
        max_tokens=_TOKENS,
    )


def _text(question: Question, slot: Slot) -> str:
    return question.question if slot.hop is None else slot.sub.question


def _chosen(reply: Chosen | Quarantined, shown: Sequence[Candidate]) -> list[Candidate] | None:
    if isinstance(reply, Quarantined):
        return None
    by_key = dict(zip(prompt.keys(shown), shown, strict=True))
    if len(set(reply.chosen)) != WANTED or not set(reply.chosen) <= set(by_key):
        return None
    return [by_key[key] for key in dict.fromkeys(reply.chosen)]

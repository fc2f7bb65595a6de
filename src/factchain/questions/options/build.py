"""Options for the hops of questions and for the questions: three distractors and the answer."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from factchain.chains.proof.execute import execute
from factchain.chains.records import TypedValue
from factchain.kg.records import qid
from factchain.kg.store import Store
from factchain.progress import track
from factchain.questions.chain_of import chain_of
from factchain.questions.llm.protocol import Ask, LanguageModel
from factchain.questions.options.by_model import choose_by_model, option_asks
from factchain.questions.options.candidates import find_candidates
from factchain.questions.options.choice import WANTED, pick_values
from factchain.questions.options.letters import (
    LETTERS,
    LetterBalance,
    balanced_letters,
    letter_balance,
)
from factchain.questions.options.slots import (
    NO_PROOF,
    TOO_FEW,
    YES_OR_NO,
    Candidate,
    Slot,
    reason_without,
    slots_of,
)
from factchain.questions.prompts.options import Chosen
from factchain.questions.records import Distractor, Question, SubQuestion

Required = Literal["none", "question", "all"]
"""Which questions are left out: none; those without options of their own; those of which any hop
has none, but for yes or no."""
Where = tuple[int, int | None]
"""A question's place in the file, and a hop's number, or none for the question itself."""
SHARD = 2000
"""Questions that are looked up together."""


@dataclass(frozen=True)
class OptionsSummary:
    """How many sets of options there are, and why others are not."""

    questions: int
    """Questions that were written."""
    question_options: int
    """Questions with options."""
    hop_options: int
    """Hops with options."""
    hops: int
    """Hops in all."""
    question_reasons: dict[str, int]
    """Questions without options, by reason."""
    hop_reasons: dict[str, int]
    """Hops without options, by reason."""
    ways: dict[str, int]
    """Distractors by the way in which they were found."""
    question_letters: LetterBalance
    """Of the right answers of questions."""
    hop_letters: LetterBalance
    """Of the right answers of hops."""
    dropped: int = 0
    """Questions left out for want of options."""
    chosen_by_model: int = 0
    """Sets of options that a model chose."""
    refused: int = 0
    """Replies that named no three candidates; the graph's order was used."""


@dataclass
class OptionsPlan:
    """What is known before anything is chosen: the candidates of every slot."""

    questions: Sequence[Question]
    slots: list[Slot] = field(default_factory=list)
    candidates: list[list[Candidate]] = field(default_factory=list)

    def asks(self) -> dict[int, Ask[Chosen]]:
        """What a model would be asked, by slot: one round."""
        return option_asks(self.questions, self.slots, self.candidates)


def plan_options(store: Store, questions: Sequence[Question]) -> OptionsPlan:
    """Find the candidates of all hops and questions, a shard of the questions at a time."""
    plan = OptionsPlan(questions)
    shards = range(0, len(questions), SHARD)
    for first in track(shards, "finding distractors", len(shards)):
        slots = _slots(store, questions[first : first + SHARD], first)
        plan.slots += slots
        plan.candidates += find_candidates(store, slots)
    return plan


def add_options(
    plan: OptionsPlan, seed: int, required: Required = "none", model: LanguageModel | None = None
) -> tuple[list[Question], OptionsSummary]:
    """The questions with their options; the letters of the right answers are balanced.

    A model, where one is given, chooses among the candidates; where its reply is none of them,
    the graph's order is used.
    """
    by_model: Mapping[int, list[Candidate] | None] = {}
    if model is not None:
        by_model = choose_by_model(model, plan.asks(), plan.candidates)
    chosen: dict[Where, list[Distractor]] = {}
    for at, (slot, candidates) in enumerate(zip(plan.slots, plan.candidates, strict=True)):
        if len(candidates) >= WANTED:
            own = by_model.get(at) or _pick(slot, candidates, plan.questions, seed)
            chosen[slot.question, slot.hop] = [_distractor(one) for one in own]
    kept = [
        at
        for at, question in enumerate(plan.questions)
        if not _lacks(at, question, chosen, required)
    ]
    stay = set(kept)
    chosen = {where: own for where, own in chosen.items() if where[0] in stay}
    letters = _letters(chosen, seed)
    written = [_with_options(at, plan.questions[at], chosen, letters, seed) for at in kept]
    models = list(by_model.values())
    return written, _summary(
        written,
        dropped=len(plan.questions) - len(kept),
        chosen_by_model=sum(one is not None for one in models),
        refused=sum(one is None for one in models),
        slots={(slot.question, slot.hop) for slot in plan.slots},
        kept=kept,
    )


def _slots(store: Store, questions: Sequence[Question], first: int) -> list[Slot]:
    proved = [
        (at, question, chain)
        for at, question in enumerate(questions, start=first)
        if (chain := chain_of(question)) is not None
    ]
    executed = execute(store, [chain for _, _, chain in proved])
    slots = []
    for (at, question, chain), answers in zip(proved, executed, strict=True):
        for slot in slots_of(at, question, chain, answers):
            if reason_without(question, slot.hop) is None:
                slots.append(slot)
    return slots


def _pick(
    slot: Slot, candidates: Sequence[Candidate], questions: Sequence[Question], seed: int
) -> list[Candidate]:
    if slot.gold.value is None:
        return list(candidates[:WANTED])
    generator = _generator(seed, questions[slot.question].id, slot.hop, "sides")
    return pick_values(slot, candidates, generator)


def _distractor(candidate: Candidate) -> Distractor:
    node = candidate.node
    return Distractor(
        label=candidate.label,
        id=qid(node) if isinstance(node, int) else None,
        value=node if isinstance(node, TypedValue) else None,
        way=candidate.way,
        evidence=candidate.evidence,
    )


def _lacks(at: int, question: Question, chosen: Mapping[Where, object], required: Required) -> bool:
    """Whether options are missing that are required."""
    if required == "none":
        return False
    if (at, None) not in chosen:
        return True
    return required == "all" and any(
        (at, hop.index) not in chosen and reason_without(question, hop.index) != YES_OR_NO
        for hop in question.sub_questions
    )


def _letters(chosen: Mapping[Where, object], seed: int) -> dict[Where, str]:
    """The letters of the right answers, balanced over the questions, and over their hops."""
    found: dict[Where, str] = {}
    for level in ("questions", "hops"):
        own = [where for where in chosen if (where[1] is None) == (level == "questions")]
        letters = balanced_letters(len(own), _generator(seed, level))
        found |= dict(zip(own, letters, strict=True))
    return found


def _with_options(
    at: int,
    question: Question,
    chosen: Mapping[Where, list[Distractor]],
    letters: Mapping[Where, str],
    seed: int,
) -> Question:
    def options(hop: int | None, gold: str) -> dict[str, Any]:
        if (at, hop) not in chosen:
            return {"options": None, "correct_option": None, "distractors": ()}
        own = chosen[at, hop]
        order = _generator(seed, question.id, hop, "order").permutation(len(own))
        wrong = [own[place] for place in order]
        letter = letters[at, hop]
        labels = iter([one.label for one in wrong])
        said = {one: gold if one == letter else next(labels) for one in LETTERS}
        return {"options": said, "correct_option": letter, "distractors": tuple(wrong)}

    def of_hop(hop: SubQuestion) -> SubQuestion:
        return hop.model_copy(update=options(hop.index, hop.answer.label))

    hops = tuple(of_hop(hop) for hop in question.sub_questions)
    return question.model_copy(
        update={"sub_questions": hops, **options(None, question.answer.label)}
    )


def _summary(
    questions: Sequence[Question],
    dropped: int,
    chosen_by_model: int,
    refused: int,
    slots: set[Where],
    kept: Sequence[int],
) -> OptionsSummary:
    of_questions: Counter[str] = Counter()
    of_hops: Counter[str] = Counter()
    for at, question in zip(kept, questions, strict=True):
        if question.options is None:
            of_questions[_reason(at, question, None, slots)] += 1
        for hop in question.sub_questions:
            if hop.options is None:
                of_hops[_reason(at, question, hop.index, slots)] += 1
    hops = [hop for question in questions for hop in question.sub_questions]
    sets: list[Question | SubQuestion] = [*questions, *hops]
    ways = Counter(one.way for own in sets for one in own.distractors)
    return OptionsSummary(
        questions=len(questions),
        question_options=sum(question.options is not None for question in questions),
        hop_options=sum(hop.options is not None for hop in hops),
        hops=len(hops),
        question_reasons=dict(sorted(of_questions.items())),
        hop_reasons=dict(sorted(of_hops.items())),
        ways=dict(sorted(ways.items())),
        question_letters=letter_balance(q.correct_option for q in questions if q.correct_option),
        hop_letters=letter_balance(hop.correct_option for hop in hops if hop.correct_option),
        dropped=dropped,
        chosen_by_model=chosen_by_model,
        refused=refused,
    )


def _reason(at: int, question: Question, hop: int | None, slots: set[Where]) -> str:
    known = reason_without(question, hop)
    return known or (TOO_FEW if (at, hop) in slots else NO_PROOF)


def _generator(seed: int, *names: object) -> np.random.Generator:
    text = "\x00".join(map(str, ("options", seed, *names)))
    return np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))

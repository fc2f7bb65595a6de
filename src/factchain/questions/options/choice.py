"""Three wrong options of the candidates: none of them true, all of them distinct by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from factchain.chains.records import TypedValue
from factchain.questions.options.slots import Candidate, Slot
from factchain.questions.options.truths import comparable_name, may_be_equal, share_a_name
from factchain.questions.options.values import fits, place

WANTED = 3
"""Distractors of a set of options."""
ENOUGH = 16
"""Usable candidates of a set, after which no more are looked at."""


def usable_entities(slot: Slot, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those that the slot does not know to be true, named in the question, or called the same."""
    golds = [name for gold in slot.golds for name in gold.names]
    kept: list[Candidate] = []
    seen = {comparable_name(name) for name in golds}
    for candidate in candidates:
        if len(kept) == ENOUGH:
            break
        if candidate.key in slot.true or candidate.key in slot.barred:
            continue
        names = {comparable_name(name) for name in candidate.names}
        if not names & seen and comparable_name(candidate.label):
            kept.append(candidate)
            seen |= names
    return kept


def usable_values(
    slot: Slot, candidates: Iterable[Candidate], stated: Iterable[TypedValue]
) -> list[Candidate]:
    """Those of the answer's kind that are, beyond doubt, no true value and not each other."""
    gold = slot.gold.value
    assert gold is not None  # slots of literals
    true = [*stated, *(node for node in slot.true.values() if isinstance(node, TypedValue))]
    golds = [name for one in slot.golds for name in one.names]
    kept: list[Candidate] = []
    for candidate in candidates:
        if len(kept) == ENOUGH:
            break
        value = candidate.node
        if not isinstance(value, TypedValue) or not fits(value, gold):
            continue
        taken = [*true, *(one.node for one in kept if isinstance(one.node, TypedValue))]
        if any(may_be_equal(value, other) for other in taken):
            continue
        if not share_a_name([candidate.label], [*golds, *(one.label for one in kept)]):
            kept.append(candidate)
    return kept


def pick_values(
    slot: Slot, candidates: Sequence[Candidate], generator: np.random.Generator
) -> list[Candidate]:
    """The first candidates, with as many below the answer as is drawn.

    Were they all around it, the answer would be the middle one for whoever guesses.
    """
    gold = slot.gold.value
    assert gold is not None  # slots of literals
    here = place(gold)
    lower = [one for one in candidates if place(_value(one)) < here]
    upper = [one for one in candidates if place(_value(one)) >= here]
    # A mistake on the way is the best option there is: one at least is taken.
    fewest = int(_has_mistake(lower) and not _has_mistake(upper))
    most = WANTED - int(_has_mistake(upper) and not _has_mistake(lower))
    below = int(generator.integers(fewest, most + 1))
    below = max(min(below, len(lower)), WANTED - len(upper))
    chosen = {one.key for one in [*lower[:below], *upper[: WANTED - below]]}
    return [one for one in candidates if one.key in chosen]


def _has_mistake(candidates: Sequence[Candidate]) -> bool:
    return any(candidate.way == "operation" for candidate in candidates)


def _value(candidate: Candidate) -> TypedValue:
    assert isinstance(candidate.node, TypedValue)  # by usable_values
    return candidate.node

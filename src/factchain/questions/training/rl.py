"""Reinforcement learning data in Omanic's layout for verl, and its reward (SPEC.md 1.14, 5.6)."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from random import Random

from factchain.questions.records import Question
from factchain.questions.training.choice import SEED, Drawn, draw

DATA_SOURCE = "omanic"
"""By which verl finds the reward function."""
LETTERS = "ABCD"
OPEN = (
    "Reason step by step about the question. Then give the answer alone, as short as possible, "
    "between <answer> and </answer>."
)
CHOICE = (
    "Reason step by step about the question and its options. Then give the letter of the right "
    "option between <answer> and </answer>."
)
_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_LETTER = re.compile(r"\b([A-D])\b")
_ONE_LETTER = re.compile(r"[\W_]*([A-D])(?:[\W_].*)?", re.DOTALL | re.IGNORECASE)


def rl_rows(
    questions: Sequence[Question], seed: int = SEED, data_source: str = DATA_SOURCE
) -> list[dict[str, object]]:
    """One row a question, in their order: `prompt`, `data_source`, `ability`, `reward_model`.

    A question without options, or whose letter is none of A to D, is open.
    """
    return [_row(drawn, data_source) for drawn in draw(questions, Random(seed))]


def reward(reply: str, truth: str) -> float:
    """1 where the last `<answer>` of a reply is right, else 0.

    A letter is compared with the letter that the answer begins with, if it stands alone: `C`,
    `(c)`, `C. Paris`. Without the tag the last capital A to D that stands alone counts. Any other
    truth is compared in lower case without outer punctuation, and without the tag nothing is right.
    """
    tagged = _TAGGED.findall(reply)
    if len(truth) == 1 and truth.upper() in LETTERS:
        found = _ONE_LETTER.fullmatch(tagged[-1]) if tagged else None
        letter = found[1] if found else None
        if not tagged:
            letter = next(iter(_LETTER.findall(reply)[-1:]), None)
        return float(letter is not None and letter.upper() == truth.upper())
    return float(bool(tagged) and _strip(tagged[-1]) == _strip(truth))


def reward_compat(reply: str, truth: str) -> float:
    """Omanic's reward: as `reward`, but of a tagged answer only the first character is compared
    with a letter, so that `Cat` counts as C."""
    tagged = _TAGGED.findall(reply)
    if len(truth) == 1 and truth.upper() in LETTERS and tagged:
        return float(tagged[-1].strip()[:1].upper() == truth.upper())
    return reward(reply, truth)


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: object = None
) -> float:
    """`reward` under the name and with the arguments that verl calls."""
    return reward(solution_str, ground_truth)


def _row(drawn: Drawn, data_source: str) -> dict[str, object]:
    question, letter = drawn.question, drawn.letter
    if letter is None or letter not in LETTERS or letter not in drawn.options:
        text, system, truth = question.question, OPEN, question.answer.label
    else:
        lines = [f"{key}. {option}" for key, option in drawn.options.items()]
        text, system, truth = "\n".join([question.question, "", *lines]), CHOICE, letter
    return {
        "prompt": [
            {"role": "system", "content": system},
            {"role": "user", "content": text},
        ],
        "data_source": data_source,
        "ability": "reasoning",
        "reward_model": {"style": "rule", "ground_truth": truth},
    }


def _strip(text: str) -> str:
    """In lower case, without outer whitespace and ASCII punctuation."""
    return text.lower().strip(string.whitespace + string.punctuation)

"""What one scores who knows nothing: rows of scores for every plot's floor.

Two models that see no passage, and of a question no more than what type of answer it asks for (a
name, a number, a date, yes or no), added to the scores of what was run:

- `floor/most-frequent` says what is most often right: of the gold answers of the type in the
  setting's questions (or hops) the most frequent, the most frequent gold label of a decision, the
  most frequent letter. It has seen the gold answers, as the majority baseline of a classifier has.
- `floor/random` draws one of the different gold answers of the type, one of the choices, or one of
  the question's letters, each as likely; the draw hangs on the seed, the question and the hop
  alone, so that it is the same in every context and whatever else was run.

They belong to what is answered or decided. The probe and the unanswerable questions have their own
scale: who gives one answer to all parts is perfectly cheatable, who always refuses is always right.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from factchain.eval.columns import Columns, Rows
from factchain.eval.dataset import read_questions
from factchain.eval.scores import FLOOR, SCHEMA, SETTING
from factchain.eval.strategy import CHOICES
from factchain.questions.records import Answer, Question
from factchain.questions.text_scores import SCORES
from factchain.questions.typed_answers import score_any

MOST_FREQUENT, RANDOM = f"{FLOOR}most-frequent", f"{FLOOR}random"
FLOORS = (MOST_FREQUENT, RANDOM)

_SEED = 0
_LEFT_OUT = ("probe", "unanswerable")
_OF_QUESTION = ("chain", "axis", "topology", "kinds", "hops", "labels")

Row = dict[str, Any]


def with_floors(scores: pa.Table, workspace: Path) -> pa.Table:
    """The table with the floors of every setting that a model has scores in, sorted as it was.

    Raises InputError where the workspace's questions cannot be read.
    """
    columns = Columns(scores)
    settings = [
        (setting, rows)
        for setting, rows in columns.groups(SETTING[:3])
        if setting["task"] not in _LEFT_OUT
    ]
    if not settings:
        return scores
    questions = {question.id: question for question in read_questions(workspace)}
    rows = [
        row
        for setting, members in settings
        for row in _floors(setting, _answered(scores, columns, members), questions)
    ]
    both = pa.concat_tables([scores, pa.Table.from_pylist(rows, schema=SCHEMA)])
    columns = Columns(both)
    keys = [columns.codes(name) for name in reversed((*SETTING, "question", "hop"))]
    return both.take(pa.array(np.lexsort(keys))).combine_chunks()


def _answered(scores: pa.Table, columns: Columns, rows: Rows) -> list[Row]:
    """What the models were asked in one setting, each question and hop once."""
    names = ["question", "hop", "gold", *_OF_QUESTION, "f1", "error"]
    found: dict[tuple[str, int], Row] = {}
    for row in scores.select(names).take(pa.array(rows)).to_pylist():
        if row["error"] is None:
            found.setdefault((row["question"], row["hop"]), row)
    return [found[key] for key in sorted(found)]


def _floors(setting: Row, asked: list[Row], questions: dict[str, Question]) -> Iterator[Row]:
    """The rows of both floors in one setting."""
    asked = [row for row in asked if row["question"] in questions]
    decided = all(row["f1"] is None for row in asked)
    golds: dict[str, list[str]] = {}
    for row in asked:
        golds.setdefault(_type_of(row, questions, decided), []).extend(
            [str(row["gold"])] if decided else _labels(questions[row["question"]], row["hop"])
        )
    usual = {kind: most_frequent(labels) for kind, labels in golds.items()}
    pools = {kind: sorted(set(labels)) for kind, labels in golds.items()}
    for row in asked:
        question, hop = questions[row["question"]], row["hop"]
        kind = _type_of(row, questions, decided)
        choices = _choices(setting, question, hop, pools[kind]) if decided else pools[kind]
        drawn = draw(choices, setting["task"], setting["mode"], question.id, str(hop))
        for model, said in ((MOST_FREQUENT, usual[kind]), (RANDOM, drawn)):
            scored = (
                {"accuracy": float(said == row["gold"])}
                if decided
                else dict(zip(SCORES, _score(said, _golds(question, hop)), strict=True))
            )
            told = {name: row[name] for name in ("question", "hop", "gold", *_OF_QUESTION)}
            yield setting | told | {"model": model, "prediction": said} | scored


def _type_of(row: Row, questions: dict[str, Question], decided: bool) -> str:
    """What type of answer is asked for; decisions are all of one."""
    return "" if decided else _golds(questions[row["question"]], row["hop"])[0].kind


def most_frequent(labels: Sequence[str]) -> str:
    """The most frequent of the labels, of several the first in the alphabet."""
    counts = Counter(labels)
    return min(counts, key=lambda label: (-counts[label], label))


def draw(choices: Sequence[str], *key: str, seed: int = _SEED) -> str:
    """One of the choices, each as likely, the same for the same key."""
    digest = hashlib.sha256("\x1f".join([str(seed), *key]).encode()).digest()
    return choices[int.from_bytes(digest[:8]) % len(choices)]


def _choices(setting: Row, question: Question, hop: int, pool: list[str]) -> Sequence[str]:
    """What may be decided: the labels of a strategy, or the letters of the options."""
    if setting["task"] == "strategy":
        return sorted(CHOICES[setting["mode"].removesuffix("-known")].values())
    options = question.options if hop == 0 else question.sub_questions[hop - 1].options
    return sorted(options) if options else pool


def _golds(question: Question, hop: int) -> tuple[Answer, ...]:
    """The gold answers of a hop, or of the question as hop 0."""
    if hop == 0:
        return (question.answer, *question.other_answers)
    (sub,) = (sub for sub in question.sub_questions if sub.index == hop)
    return (sub.answer, *sub.other_answers)


def _labels(question: Question, hop: int) -> list[str]:
    return [gold.label for gold in _golds(question, hop)]


@functools.lru_cache(maxsize=100_000)
def _score(said: str, golds: tuple[Answer, ...]) -> tuple[float, ...]:
    """The scores in the order of `SCORES`; one answer is met in many settings."""
    scored = score_any(said, golds)
    return tuple(scored[name] for name in SCORES)

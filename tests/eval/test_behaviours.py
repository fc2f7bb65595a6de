"""Every task with models of known behaviour: each score is what is worked out by hand.

The dataset has eleven hops, three of them unpopular and one new (`conftest.py`):

    q-1 popular · q-2 popular, unpopular · q-3 old, old, old
    q-4 popular, popular, unpopular, unpopular · q-5 new

The third hop of q-4 is that of q-3, so that who knows what is popular or old knows eight hops, and
all hops of q-1 and q-3. q-1 to q-4 have options. Two questions have no answer in the corpus: u-3
lacks the last hop of q-3, n-1 is about nobody. The probe has q-2, q-3 and q-4, which have two gold
passages or more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from factchain.eval.prompts import Prompt
from factchain.eval.scores import FLOOR, PROBE_SCORES, REFUSAL_SCORES, read_scores
from factchain.eval.suite import run_suite
from factchain.eval.tasks import task_makers
from factchain.questions.records import Answer, Question, SubQuestion
from factchain.questions.text_scores import SCORES
from factchain.records import write_records
from prompted_model import PromptedModel
from pupil import FAMILIAR, REFUSAL, WRONG, Pupil

WITHHELD = "Which country has the birthplace of the author of Hamlet?"
NOBODY = "Who discovered or invented Nullium?"

COLUMNS = ("right", "wrong", "popular", "unsure", "sure", "broken", "endless", "silent", "refusing")

# Task, mode and context; the score, or all scores of an answer (*); how many rows have it; then by
# behaviour the sum over them, or - where no row has it.
BY_HAND = """
parametric open none              *                  5   5   0   2   5   1   0   5   0   0
parametric open-think none        *                  5   5   0   2   5   1   0   5   0   0
parametric options none           accuracy           4   4   0   2   4   1   0   4   0   0
parametric options-think none     accuracy           4   4   0   2   4   1   0   4   0   0
strategy question none            accuracy           5   5   0   5   1   1   0   5   0   0
strategy sub-question none        accuracy          11  11   0  11   4   7   0  11   0   0
strategy synthesis none           accuracy           9   9   0   9   6   3   0   6   0   0
retrieval open bm25               *                  5   5   0   2   5   1   0   5   0   0
retrieval open gold               *                  5   5   0   2   5   1   0   5   0   0
sub_questions generated none      *                  5   5   0   2   5   1   0   5   0   0
sub_questions generated none      sub_questions      5  11  11  11  11  11  25  25   0  25
sub_questions generated none      retrievals         5   0   0   0   0   0   0   0   0   0
sub_questions given none          *                  5   5   0   2   5   1   0   5   0   0
sub_questions given none          sub_questions      5  11  11  11  11  11  11  11  11  11
decomposition generated bm25      *                  5   5   0   2   5   1   0   5   0   0
decomposition generated bm25      sub_questions      5  11  11  11  11  11  25  25   0  25
decomposition generated bm25      retrievals         5  11  11  11  11  11   0  25   0   0
decomposition given bm25          *                  5   5   0   2   5   1   0   5   0   0
decomposition given bm25          retrievals         5  11  11  11  11  11  11  11  11  11
decomposition given gold          *                  5   5   0   2   5   1   0   5   0   0
decomposition given gold          retrievals         5  11  11  11  11  11  11  11  11  11
dynamic_retrieval generated bm25  *                  5   5   0   2   5   1   0   5   0   0
dynamic_retrieval generated bm25  sub_questions      5  11  11  11  11  11  25  25   0  25
dynamic_retrieval generated bm25  retrievals         5   0   0   3  11   0   0  14   0   0
stepwise gold-open none           *                 11  11   0   8  11   1   0  11   0   0
stepwise own-open none            *                 11  11   0   8  11   1   0  11   0   0
stepwise gold-open gold           *                 11  11   0   8  11   1   0  11   0   0
stepwise own-open gold            *                 11  11   0   8  11   1   0  11   0   0
stepwise gold-options none        accuracy          10  10   0   8  10   1   0  10   0   0
probe parts gold                  *                  3   3   0   1   3   1   0   3   0   0
probe parts gold                  probe_f1           3   3   0   1   3   1   0   3   0   0
probe parts gold                  probe_f1_min       3   3   0   1   3   1   0   3   0   0
probe parts gold                  support_f1         3   3   0   3   3   3   0   3   0   0
probe parts gold                  probe_support_f1   3   3   0   3   3   3   0   3   0   0
probe parts gold                  joint_f1           3   3   0   1   3   1   0   3   0   0
probe parts gold                  probe_joint_f1     3   3   0   1   3   1   0   3   0   0
unanswerable detector none        acceptable         2   2   0   1   2   0   0   2   -   2
unanswerable detector none        unanswered         2   2   0   1   2   0   0   2   -   2
unanswerable detector none        clarification      2   0   0   0   0   0   0   0   -   0
unanswerable detector none        answered           2   0   2   1   0   2   2   0   -   0
unanswerable detector none        full_answer        1   0   0   1   0   0   0   0   0   0
unanswerable detector bm25        acceptable         2   2   0   1   2   0   0   2   -   2
unanswerable judge none           acceptable         2   2   0   1   2   0   -   2   0   2
unanswerable judge none           unanswered         2   2   0   1   2   0   -   2   0   2
unanswerable judge none           answered           2   0   2   1   0   2   -   0   2   0
unanswerable judge bm25           acceptable         2   2   0   1   2   0   -   2   0   2
"""


class Wrong(Pupil):
    """Never right: every answer, every choice, every passage; and certain of it."""

    def says(self, text: str) -> str:
        return WRONG

    def is_certain(self, text: str) -> bool:
        return True

    def choice(self, prompt: Prompt) -> str:
        return {"A": "B", "B": "A", "C": "A"}[super().choice(prompt)]

    def reply(self, prompt: Prompt) -> str:
        if prompt.kind == "supported":
            return json.dumps({"answer": WRONG, "documents": []})
        return super().reply(prompt)


class Popular(Pupil):
    """Right where all hops are popular or old, also where the corpus withholds the last one; else
    it says that it does not know."""

    def says(self, text: str) -> str:
        return self.known(text) or REFUSAL

    def concludes(self, prompt: Prompt) -> str:
        return super().concludes(prompt) or REFUSAL


class Unsure(Pupil):
    """Right, and never sure: looks everything up, and always wants one step more."""

    def is_certain(self, text: str) -> bool:
        return False

    def choice(self, prompt: Prompt) -> str:
        return "C" if prompt.kind == "strategy" else "B"


class Sure(Pupil):
    """Says Warsaw, and is always sure of it: answers at once, and never wants a step more."""

    def says(self, text: str) -> str:
        return "Warsaw"

    def is_certain(self, text: str) -> bool:
        return True

    def choice(self, prompt: Prompt) -> str:
        return "B" if prompt.kind == "strategy" else "A"


class Endless(Pupil):
    """Right, but asks one sub-question after the other, of which it is not sure in the end, and
    never thinks that they suffice."""

    def next(self, prompt: Prompt) -> str:
        said = super().next(prompt)
        return said if said != "finish" else "Next Subquestion: Where is Hamlet?"

    def concludes(self, prompt: Prompt) -> str:
        return self.says(prompt.question)

    def choice(self, prompt: Prompt) -> str:
        return "B" if prompt.kind == "completion" else super().choice(prompt)


def judged(prompt: Prompt) -> str:
    """A judge that knows a refusal when it sees one."""
    refuses = prompt.reply == REFUSAL
    return json.dumps({"choice": "B" if refuses == (prompt.kind == "judge-refusal") else "A"})


def all_known(labels: set[str]) -> bool:
    return True


def familiar(labels: set[str]) -> bool:
    return bool(labels & FAMILIAR)


MODELS: dict[str, Callable[[list[Question]], Callable[[Prompt], str]]] = {
    "right": lambda questions: Pupil(questions, all_known).reply,
    "wrong": lambda questions: Wrong(questions, all_known).reply,
    "popular": lambda questions: Popular(questions, familiar).reply,
    "unsure": lambda questions: Unsure(questions, all_known).reply,
    "sure": lambda questions: Sure(questions, all_known).reply,
    "broken": lambda questions: lambda prompt: '{"choice": }',
    "endless": lambda questions: Endless(questions, all_known).reply,
    "silent": lambda questions: lambda prompt: "",
    "refusing": lambda questions: lambda prompt: REFUSAL,
}


@pytest.fixture
def everything(workspace: Path, questions: list[Question]) -> tuple[Path, list[Question]]:
    """The workspace with options and unanswerable questions; every task can be run."""
    insufficient = Answer(label="Insufficient information", kind="insufficient")
    third, first = questions[2], questions[0]
    nothing = {"answerable": False, "answer": insufficient}
    withheld = {"id": "u-3", "question": WITHHELD, "withheld": (3,), "full_answer": third.answer}
    nobody = {"id": "n-1", "question": NOBODY, "type": "null", "sub_questions": ()}
    asked = [
        *map(_with_options, questions[:4]),
        questions[4],
        third.model_copy(update=nothing | withheld),
        first.model_copy(update=nothing | nobody),
    ]
    write_records(workspace / "questions.jsonl", asked)
    return workspace, asked


def _with_options(question: Question) -> Question:
    subs = tuple(sub.model_copy(update=_options(sub, "C")) for sub in question.sub_questions)
    return question.model_copy(update=_options(question, "B") | {"sub_questions": subs})


def _options(asked: Question | SubQuestion, letter: str) -> dict[str, object]:
    """The right option at the letter; Warsaw is one of the options only where it is right."""
    names = dict(zip("ABCD", ["Paris", "Rome", "Bern", "Oslo"], strict=True))
    return {"options": names | {letter: asked.answer.label}, "correct_option": letter}


def by_hand(behaviour: str) -> dict[tuple[str, str], tuple[int, float | None]]:
    """By setting and score: the rows, and the sum over them; none where no row has the score."""
    found = {}
    for line in filter(None, BY_HAND.splitlines()):
        *setting, score, rows = line.split()[:5]
        said = line.split()[5 + COLUMNS.index(behaviour)]
        for name in SCORES if score == "*" else (score,):
            found[" ".join(setting), name] = (int(rows), None if said == "-" else float(said))
    return found


@pytest.mark.parametrize("behaviour", COLUMNS)
def test_every_score_of_every_task(everything: tuple[Path, list[Question]], behaviour: str) -> None:
    workspace, questions = everything
    judge = PromptedModel((lambda prompt: "{") if behaviour == "broken" else judged)
    model = PromptedModel(MODELS[behaviour](questions))
    result = run_suite(workspace, model.model, judge=judge.model)
    assert (result["not_run"], result["failed"]) == ({}, 0)
    table = read_scores(workspace / "eval" / "scores.parquet").to_pylist()
    rows = [row for row in table if not row["model"].startswith(FLOOR)]
    settings = {f"{row['task']} {row['mode']} {row['context']}" for row in rows}
    wanted = by_hand(behaviour)
    assert len(settings) == len(task_makers(str(workspace), ["bm25"], judged=True))
    assert settings == {setting for setting, _ in wanted}
    found = {}
    for setting, score in wanted:
        of_setting = [r for r in rows if f"{r['task']} {r['mode']} {r['context']}" == setting]
        values = [row[score] for row in of_setting if row[score] is not None]
        found[setting, score] = (
            wanted[setting, score][0] if not values else len(values),
            float(np.sum(values)) if values else None,
        )
    assert found == wanted


def test_every_score_stands_in_the_table() -> None:
    """But the variants of the probe's scores, which its own tests know."""
    told = {score for _, score in by_hand("right")}
    assert {*SCORES, "sub_questions", "retrievals", *REFUSAL_SCORES} <= told
    assert told & set(PROBE_SCORES) == {
        *("probe_f1", "probe_f1_min", "support_f1", "probe_support_f1"),
        *("joint_f1", "probe_joint_f1"),
    }

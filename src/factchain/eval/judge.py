"""A language model judges the questions of a dataset, several times each (SPEC.md 3.5).

A reply in which a dimension lacks, or that cannot be read, is asked for again, three attempts in
all; the one with most dimensions stands. No model may judge what it wrote itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from pydantic import Field

from factchain.errors import ConfigError, InputError
from factchain.eval import judge_prompts
from factchain.eval.dataset import read_questions
from factchain.eval.judge_prompts import DIMENSIONS, GRADES, MULTI_HOP, Ratings
from factchain.eval.passages import GOLD, Contexts
from factchain.eval.prompts import Document
from factchain.questions.filtering.polish import polisher_of
from factchain.questions.llm.protocol import Ask, LanguageModel, Quarantined
from factchain.questions.records import Question
from factchain.records import Record, read_records

FOLDER = Path("eval") / "judgements"
"""Where a workspace keeps judgements, a file a judge."""

REPEATS = 5
ATTEMPTS = 3
TEMPERATURE = 0.7
"""Above 0, or the repeats would show nothing of how sure a judge is."""

_TOKENS = 600
_RELEASE = re.compile(r"([-@:](latest|preview|exp|\d{4}-?\d{2}-?\d{2}|\d{2}-\d{2,4}|\d{3,4}))+$")
"""What stands behind a model's name for one release of it: `-2024-08-06`, `@20241022`, `-latest`,
`-preview-05-06`, `-001`."""
_APART = 1_000_000
"""Between the attempts at one request, so that their replies are told apart."""

Documents = Callable[[Question], Sequence[Document]]


class Judgement(Record):
    """What a judge says of one question, once."""

    question: str
    """Id of the question."""
    text: str
    """The question as it was judged."""
    judge: str
    """Name of the judging model."""
    prompts: str
    """Version of the prompts."""
    repeat: int = Field(ge=0)
    """Which of the repeats it is, from 0."""
    multi_hop: bool | None
    """Whether several hops are needed; none where the judge did not say."""
    grades: dict[str, int]
    """Grades from 1 to 5, of the dimensions that the judge gave one."""
    attempts: int = Field(ge=1)
    """How many times it was asked."""
    problem: str | None
    """Why nothing could be read; none where something was."""

    @property
    def overall(self) -> float | None:
        """The mean grade; none where there is none. HopWeaver's script says 0 instead."""
        return sum(self.grades.values()) / len(self.grades) if self.grades else None

    def rating(self, dimension: str) -> float | None:
        """A dimension's rating: 0 or 1 for several hops, the grade or the overall mean else."""
        if dimension == MULTI_HOP:
            return None if self.multi_hop is None else float(self.multi_hop)
        return self.overall if dimension == OVERALL else self.grades.get(dimension)


OVERALL = "overall_quality"
"""The mean of the ten grades."""

RATED = (MULTI_HOP, *DIMENSIONS, OVERALL)
"""Everything that a judgement rates."""


def judge_questions(
    questions: Sequence[Question],
    documents: Documents,
    model: LanguageModel,
    repeats: int = REPEATS,
    temperature: float = TEMPERATURE,
) -> list[Judgement]:
    """Every question `repeats` times, in their order.

    Raises ConfigError where the model wrote one of the questions itself, a ModelError where it
    gives no reply.
    """
    refuse_own(questions, model.name)
    asks = first_round(questions, documents, repeats, temperature)
    best: list[Ratings | Quarantined] = [Quarantined("", "was not asked") for _ in asks]
    attempts = [0] * len(asks)
    for attempt in range(ATTEMPTS):
        open_ = [number for number, found in enumerate(best) if _given(found) < len(RATED) - 1]
        if not open_:
            break
        again = [_again(asks[number], attempt) for number in open_]
        for number, reply in zip(open_, model.ask_all(again, "judging questions"), strict=True):
            attempts[number] += 1
            if _given(reply) > _given(best[number]) or isinstance(best[number], Quarantined):
                best[number] = reply
    return [
        _judgement(questions[number // repeats], model.name, number % repeats, found, tried)
        for number, (found, tried) in enumerate(zip(best, attempts, strict=True))
    ]


def first_round(
    questions: Iterable[Question],
    documents: Documents,
    repeats: int = REPEATS,
    temperature: float = TEMPERATURE,
) -> list[Ask[Ratings]]:
    """The requests of the first attempt: the repeats of a question one after another."""
    return [
        Ask(
            purpose="judge",
            system=judge_prompts.system(comparison=question.type == "comparison"),
            user=judge_prompts.user(question.question, question.answer.label, documents(question)),
            reply=Ratings,
            max_tokens=_TOKENS,
            temperature=temperature,
            repeat=repeat,
        )
        for question in questions
        for repeat in range(repeats)
    ]


def refuse_own(questions: Iterable[Question], judge: str) -> None:
    """Raises ConfigError where a judge would judge what it wrote, or put into other words, itself.

    Names are compared in any case, without the provider before them and without the date or the
    number of a release behind them: `gpt-4o-2024-08-06` is `openai/gpt-4o`.
    """
    own = [
        question
        for question in questions
        for writer in (question.provenance.model, polisher_of(question))
        if writer and _bare(writer) == _bare(judge)
    ]
    if own:
        raise ConfigError(
            f"judge {judge}: wrote {len(own)} of the questions itself, {own[0].id} the first: "
            "let another model judge them"
        )


def gold_documents(workspace: Path, questions: Sequence[Question]) -> Documents:
    """The gold passages of questions. Raises InputError where the workspace has none."""
    contexts = Contexts(workspace, questions)
    source = contexts.source(GOLD)
    return lambda question: contexts.documents(source.of_question(question))


def draw_questions(workspace: Path, number: int | None, seed: int) -> list[Question]:
    """So many of the answerable questions, drawn at random, in the order of the file; all without
    a number. Raises InputError where there are none."""
    questions = read_questions(workspace)
    if number is None or number >= len(questions):
        return questions
    drawn = np.random.default_rng(seed).choice(len(questions), number, replace=False)
    return [questions[place] for place in sorted(drawn)]


def judgements_file(workspace: Path, judge: str) -> Path:
    """Where the judgements of a model are kept."""
    name = "".join(c if c.isalnum() or c in "-." else "-" for c in judge).strip(".")
    return workspace / FOLDER / f"{name}.jsonl"


def read_judgements(workspace: Path) -> list[Judgement]:
    """The judgements of all judges on the questions as they are now; other wordings are left out.

    Raises InputError for a broken record and where there are none.
    """
    texts = {question.id: question.question for question in read_questions(workspace)}
    files = sorted((workspace / FOLDER).glob("*.jsonl"))
    found = [
        one
        for path in files
        for one in read_records(path, Judgement)
        if texts.get(one.question) == one.text
    ]
    if not found:
        raise InputError(
            f"{workspace / FOLDER}: holds no judgement of the present questions: run "
            "`factchain eval judge` with a --model first"
        )
    return found


def _again(ask: Ask[Ratings], attempt: int) -> Ask[Ratings]:
    return Ask(
        **{name: getattr(ask, name) for name in ask.__dataclass_fields__ if name != "repeat"},
        repeat=ask.repeat + attempt * _APART,
    )


def _given(reply: Ratings | Quarantined) -> int:
    """How many of the eleven dimensions a reply has."""
    if isinstance(reply, Quarantined):
        return 0
    return sum(value is not None for value in reply.model_dump().values())


def _judgement(
    question: Question, judge: str, repeat: int, found: Ratings | Quarantined, attempts: int
) -> Judgement:
    said = {} if isinstance(found, Quarantined) else found.model_dump(exclude_none=True)
    several = said.get(MULTI_HOP)
    return Judgement(
        question=question.id,
        text=question.question,
        judge=judge,
        prompts=judge_prompts.VERSION,
        repeat=repeat,
        multi_hop=None if several is None else several == "Yes",
        grades={name: GRADES[said[name]] for name in DIMENSIONS if name in said},
        attempts=attempts,
        problem=found.problem if isinstance(found, Quarantined) else None,
    )


def _bare(name: str) -> str:
    """A model's name without provider and release."""
    return _RELEASE.sub("", name.rpartition("/")[2].casefold())

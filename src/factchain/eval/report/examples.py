"""A dozen questions that differ from each other, with everything that was recorded about them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from factchain.chains.records import FactChain
from factchain.errors import InputError
from factchain.eval.report.graph_drawing import draw_chain
from factchain.eval.report.records import ReportData
from factchain.eval.report.tables import AXES
from factchain.questions.records import Question, SubQuestion

EXAMPLES = 12


@dataclass(frozen=True, slots=True)
class Step:
    """A sub-question and the ids of the passages that state its facts."""

    sub_question: SubQuestion
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its reasoning graph."""

    question: Question
    drawing: Markup
    steps: tuple[Step, ...]


def choose(questions: Sequence[Question], how_many: int = EXAMPLES) -> list[Question]:
    """Deal questions from the strata of axis and hops in turn, most hops first.

    Within a stratum the rarest topology and label pattern among those chosen goes first, then the
    smaller id: the choice depends on the questions alone.
    """
    strata: defaultdict[tuple[int, int], list[Question]] = defaultdict(list)
    for question in questions:
        strata[-question.hops, AXES.index(question.axis)].append(question)
    seen: Counter[tuple[str, ...]] = Counter()
    chosen: list[Question] = []
    while len(chosen) < min(how_many, len(questions)):
        for stratum in sorted(strata):
            left = strata[stratum]
            if left and len(chosen) < how_many:
                question = min(left, key=lambda q: (seen[q.axis, q.topology], seen[q.labels], q.id))
                left.remove(question)
                seen[question.axis, question.topology] += 1
                seen[question.labels] += 1
                chosen.append(question)
    return sorted(chosen, key=lambda q: (AXES.index(q.axis), q.hops, q.id))


def examples(data: ReportData) -> list[Example]:
    """The chosen questions, drawn. Raises InputError where a question has no chain."""
    chains = {_hash(chain.id): chain for chain in data.chains}
    gold: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for row in data.gold:
        gold[row.question, row.hop].append(row.passage)
    return [
        Example(
            question,
            draw_chain(_chain(question, chains), f"graph-{_hash(question.id)}"),
            tuple(
                Step(sub_question, tuple(sorted(gold[question.id, sub_question.index])))
                for sub_question in question.sub_questions
            ),
        )
        for question in choose(data.questions)
    ]


def _hash(record_id: str) -> str:
    return record_id.partition("-")[2]


def _chain(question: Question, chains: dict[str, FactChain]) -> FactChain:
    try:
        return chains[_hash(question.id)]
    except KeyError:
        raise InputError(
            f"question {question.id}: its chain is not among the chains: they come from "
            "different runs; build them together again"
        ) from None

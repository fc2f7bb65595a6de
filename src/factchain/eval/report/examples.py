"""A dozen questions that differ from each other, with everything that was recorded about them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from factchain.chains.records import FactChain
from factchain.errors import InputError
from factchain.eval.report.graph_drawing import draw_chain
from factchain.eval.report.operations import operation_in_words
from factchain.eval.report.records import ReportData
from factchain.eval.report.tables import AXES
from factchain.questions.records import Question, SubQuestion

EXAMPLES = 12


@dataclass(frozen=True, slots=True)
class Step:
    """A sub-question, the ids of the passages that state its facts, and its operation in words."""

    sub_question: SubQuestion
    gold: tuple[str, ...]
    operation: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its reasoning graph."""

    question: Question
    drawing: Markup
    steps: tuple[Step, ...]


def choose(questions: Sequence[Question], how_many: int = EXAMPLES) -> list[Question]:
    """Deal questions from the strata of axis and hops in turn, most hops first.

    Within a stratum the topology, the kinds of hop and the label pattern that are rarest among
    those chosen go first, then the smaller id: the choice depends on the questions alone.
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
                question = min(left, key=lambda q: (*(seen[trait] for trait in _traits(q)), q.id))
                left.remove(question)
                seen.update(_traits(question))
                chosen.append(question)
    return sorted(chosen, key=lambda q: (AXES.index(q.axis), q.hops, q.id))


def _traits(question: Question) -> tuple[tuple[str, ...], ...]:
    """What examples shall differ in, the weightiest first."""
    topology, kinds = ("topology", question.topology), ("kinds", *question.kinds)
    return (question.axis, *topology), (question.axis, *kinds), ("labels", *question.labels)


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
                Step(
                    sub_question,
                    tuple(sorted(gold[question.id, sub_question.index])),
                    operation_in_words(sub_question.operation) if sub_question.operation else "",
                )
                for sub_question in question.sub_questions
            ),
        )
        # A null question is about an entity that the graph does not hold: it has no chain.
        for question in choose([q for q in data.questions if q.type != "null"])
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

"""What options are made for: every hop of a question, and the question itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from factchain.chains.operations.operations import CHOICES
from factchain.chains.proof.execute import Answers
from factchain.chains.proof.plan import HopPlan, key_of, planned
from factchain.chains.proof.store_facts import Node
from factchain.chains.records import FactChain
from factchain.kg.records import number, qid
from factchain.questions.records import Answer, DistractorWay, Question, SubQuestion

YES_OR_NO = "yes or no: there is one other answer"
UNANSWERABLE = "unanswerable: the answer is that there is none"
NO_PROOF = "nothing to execute: an imported question, or no such facts"
TOO_FEW = "fewer than three distractors in the graph"


@dataclass(frozen=True)
class Candidate:
    """What may become a wrong option."""

    node: Node
    label: str
    names: tuple[str, ...]
    """Label and aliases."""
    way: DistractorWay
    evidence: str

    @property
    def key(self) -> str:
        """What tells it from others."""
        return key_of(self.node)


@dataclass(frozen=True)
class Slot:
    """One set of options to be made."""

    question: int
    """Place of the question in its file."""
    hop: int | None
    """Number of the hop; none for the question itself."""
    sub: SubQuestion
    """The hop, or the last one, whose answer is the question's."""
    plan: HopPlan
    starts: tuple[Node, ...]
    """The nodes at which the hop starts, in the order of the plan's sources."""
    golds: tuple[Answer, ...]
    """The gold answer, then the others that are as right."""
    true: Mapping[str, Node]
    """Everything that the graph admits as an answer, by key."""
    barred: frozenset[str]
    """Keys of what the question itself names, which nobody would choose."""
    others: tuple[tuple[int, Answer], ...]
    """Answers of the other hops, with their numbers."""

    @property
    def gold(self) -> Answer:
        """The gold answer."""
        return self.golds[0]


def slots_of(at: int, question: Question, chain: FactChain, executed: Answers) -> Iterator[Slot]:
    """The slots of an executable question: one a hop, then its own where it is answerable."""
    plans = {plan.index: (plan, tuple(nodes)) for _, plan, nodes in planned(chain)}
    topics = {topic for hop in chain.hops for topic in hop.topics}
    answers = {sub.index: sub.answer for sub in question.sub_questions}
    for sub in question.sub_questions:
        if sub.index in plans:
            named = {key_of(node) for node in plans[sub.index][1]}
            yield _slot(at, sub.index, sub, plans, executed, named, answers)
    last = question.sub_questions[-1]
    if question.answerable and last.index in plans:
        yield _slot(at, None, last, plans, executed, topics, answers)


def reason_without(question: Question, hop: int | None) -> str | None:
    """Why no options can be made for a hop, or for the question, whatever the graph holds."""
    if hop is None and not question.answerable:
        return UNANSWERABLE
    gold = question.answer if hop is None else question.sub_questions[hop - 1].answer
    if gold.kind == "insufficient":
        return UNANSWERABLE
    return YES_OR_NO if gold.kind == "yes/no" else None


def offers(sub: SubQuestion) -> tuple[int, ...]:
    """The entities that a choice by date or quantity is among."""
    if sub.operation is None or sub.operation.operator not in CHOICES:
        return ()
    return tuple(number(o.entity.id) for o in sub.operation.operands if o.entity is not None)


def node_of_answer(answer: Answer) -> Node:
    """The entity or the literal of an answer that has one."""
    if answer.value is not None:
        return answer.value
    assert answer.id is not None  # slots are made of executable hops
    return number(answer.id)


def _slot(
    at: int,
    hop: int | None,
    sub: SubQuestion,
    plans: Mapping[int, tuple[HopPlan, tuple[Node, ...]]],
    executed: Answers,
    named: set[str],
    answers: Mapping[int, Answer],
) -> Slot:
    plan, starts = plans[sub.index]
    golds = (sub.answer, *sub.other_answers)
    offered = {qid(entity) for entity in offers(sub)}
    return Slot(
        question=at,
        hop=hop,
        sub=sub,
        plan=plan,
        starts=starts,
        golds=golds,
        true=executed[sub.index].answers
        | {key_of(node): node for node in map(node_of_answer, golds)},
        barred=frozenset(named - offered),
        others=tuple((k, answer) for k, answer in answers.items() if k != sub.index),
    )

"""Coverage by a model: it lists the hops that a question asks for, which must be the chain's.

The model sees the question alone, and chooses the properties from a list in which those of the
chain stand among others, so that its reply is compared by id, not by wording.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from factchain.questions.lexis import content_words, stem
from factchain.questions.llm.protocol import Ask, Quarantined
from factchain.questions.model_checks.protocol import Finding, unreadable
from factchain.questions.prompts import hops_read
from factchain.questions.prompts.hops_read import ReadHops
from factchain.questions.records import Question, SubQuestion, Verdict

COVERAGE = "coverage"
OTHERS = 8
"""Properties in the list that are not the chain's."""
NOTHING = frozenset({"none", ""})
READ_AS: dict[str, str] = {
    "years_between": "difference",
    "days_between": "difference",
    "years_before": "shift",
    "years_after": "shift",
    "earliest": "earlier",
    "before": "earlier",
    "latest": "later",
    "after": "later",
    "smallest": "less",
    "largest": "more",
}
"""The operation of the prompt that stands for one of a chain, where it has another name."""
_TOKENS = 300


class HopsRead:
    """The hops that a model reads in a question."""

    name = COVERAGE
    doing = "listing the hops of questions"

    def __init__(self, labels: Mapping[str, str], meanings: Mapping[str, str]) -> None:
        """`labels` and `meanings` of properties by their keys: P-ids, or words without ids."""
        self._labels = labels
        self._meanings = meanings

    def asks(self, question: Question) -> list[Ask[ReadHops]]:
        """One request."""
        listed = {
            key: {"name": self._labels[key]}
            | ({"meaning": self._meanings[key]} if self._meanings.get(key) else {})
            for key in self._listed(question)
        }
        return [
            Ask(
                purpose=COVERAGE,
                system=hops_read.SYSTEM,
                user=hops_read.user(question.question, listed),
                reply=ReadHops,
                max_tokens=_TOKENS,
            )
        ]

    def judge(self, question: Question, replies: Sequence[ReadHops | Quarantined]) -> Finding:
        """No property and no operation of the chain may be missing from the list."""
        (reply,) = replies
        if isinstance(reply, Quarantined):
            verdict = Verdict(check=COVERAGE, passed=False, evidence=unreadable(reply))
            return Finding(verdict, ("the question could not be taken apart into hops",))
        read = Counter(hop.property for hop in reply.hops if hop.property not in NOTHING)
        expected = Counter(p for sub in question.sub_questions for p in asked(sub, question))
        operations = {hop.operation for hop in reply.hops}
        wanted = {
            READ_AS.get(sub.operation.operator, sub.operation.operator)
            for sub in question.sub_questions
            if sub.operation is not None
        }
        lost = [self._labels.get(p, p) for p in (expected - read)]
        lost += sorted(wanted - operations)
        extra = [self._labels.get(p, p) for p in read if p not in expected]
        told = ", ".join(self._labels.get(p, p) for p in read.elements()) or "no hop"
        evidence = f"the model reads {told}"
        if extra:
            evidence += f"; of which {', '.join(extra)} is not in the chain"
        if lost:
            evidence += f"; it does not read {', '.join(lost)}"
        advice = [
            f"a reader does not find this in the question, or not often enough: {name}"
            for name in lost
        ]
        return Finding(Verdict(check=COVERAGE, passed=not lost, evidence=evidence), tuple(advice))

    def _listed(self, question: Question) -> list[str]:
        """The chain's properties and others of unlike names, in an order drawn by the question."""
        own = {p for sub in question.sub_questions for p in asked(sub, question)}
        taken = {stem(word) for p in own for word in content_words(self._labels[p])}
        others = [
            p
            for p in sorted(self._labels, key=lambda p: _draw(question.id, p))
            if p not in own and not taken & set(map(stem, content_words(self._labels[p])))
        ]
        return sorted([*own, *others[:OTHERS]], key=lambda p: _draw(question.id, p, "order"))


def properties_of(questions: Iterable[Question]) -> dict[str, str]:
    """The labels of all properties of the questions, by key."""
    labels: dict[str, str] = {}
    for sub in (sub for question in questions for sub in question.sub_questions):
        labels.update((fact.p, fact.p_label) for fact in sub.facts)
        labels.update((p, p) for _, p, _ in sub.triples)
    return labels


def asked(sub: SubQuestion, question: Question) -> set[str]:
    """The properties that a hop asks for; not again the one by which an input was found, where
    an intersection leads back over it (`coverage` counts alike)."""
    own = {fact.p for fact in sub.facts} | {p for _, p, _ in sub.triples}
    if sub.kind != "intersect" or any(fact.s != sub.answer.id for fact in sub.facts):
        return own
    inputs = [one for one in question.sub_questions if one.index in sub.inputs]
    return own - {fact.p for one in inputs for fact in one.facts}


def _draw(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()

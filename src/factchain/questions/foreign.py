"""What can be said of a question that has no proof of ours: an imported one.

Its facts are triples of words, or of ids, or there are none. Where they are a chain of lookups the
store knows, it is executed as ours are; otherwise each fact is looked up alone. What cannot be
looked at is said to be so, and is not passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from factchain.chains.proof.chains_files import resolve_triples
from factchain.chains.proof.execute import execute
from factchain.chains.proof.sparql import to_sparql
from factchain.chains.records import ChainFact, EntityRef, FactChain, Hop, Query
from factchain.kg.records import pid, qid
from factchain.kg.store import Store
from factchain.questions import queries
from factchain.questions.leaks import occurs
from factchain.questions.lexis import fold
from factchain.questions.records import Answer, Question, Verdict

UNVERIFIABLE = "cannot be verified: "
"""How the evidence of a check begins that could not be made."""
Triple = tuple[str, str, str]
_WORDS_ONLY = frozenset({"yes", "no", "true", "false", ""})


def unverifiable(check: str, why: str) -> Verdict:
    """A verdict that is none: the check was asked for, and could not be made."""
    return Verdict(check=check, passed=False, evidence=UNVERIFIABLE + why)


@dataclass(frozen=True)
class Resolved:
    """The facts of a foreign question, as far as the store knows their names."""

    facts: dict[int, list[ChainFact]]
    """By hop, those whose names stand for one thing each."""
    problems: list[str]
    """Names that are unknown or ambiguous."""


class ForeignQuestions:
    """Looks up what foreign questions claim, all of them at once."""

    def __init__(self, store: Store, questions: Sequence[Question]) -> None:
        self._store = store
        self._snapshot = store.newest().name
        triples = sorted({t for q in questions for sub in q.sub_questions for t in sub.triples})
        found = resolve_triples(store, triples) if triples else []
        self._ids = dict(zip(triples, found, strict=True))
        self._entities = self._named(questions)

    def _named(self, questions: Sequence[Question]) -> dict[str, list[str]]:
        answers = [a for q in questions for a in (q.answer, *(s.answer for s in q.sub_questions))]
        names = {name.lower() for answer in answers for name in answer.names}
        found: dict[str, list[str]] = {}
        for name, entity in self._store.rows(queries.ENTITIES_NAMED, sorted(names)):
            found.setdefault(name, []).append(qid(entity))
        return found

    def resolved(self, question: Question) -> Resolved:
        """The facts of the question's hops, and which names are unknown or ambiguous."""
        facts: dict[int, list[ChainFact]] = {}
        problems: list[str] = []
        for sub in question.sub_questions:
            facts[sub.index] = list(sub.facts)
            for triple in sub.triples:
                found = self._ids[triple]
                if isinstance(found, list):
                    problems += found
                else:
                    facts[sub.index].append(_fact(found, triple))
        return Resolved(facts, list(dict.fromkeys(problems)))

    def chain(self, question: Question) -> FactChain | None:
        """The chain of lookups that the question's facts are; none where they are no such chain."""
        resolved = self.resolved(question)
        hops: list[Hop] = []
        ends: dict[int, str | None] = {}
        for sub in question.sub_questions:
            facts = resolved.facts[sub.index]
            if len(facts) != 1 or facts[0].o is None or not self._is(sub.answer, facts[0]):
                return None
            (fact,) = facts
            inputs = tuple(k for k in sub.inputs if ends.get(k) == fact.s)
            if sub.kind != "lookup" or len(inputs) != len(sub.inputs) or len(inputs) > 1:
                return None
            ends[sub.index] = fact.o
            hops.append(
                Hop(
                    index=sub.index,
                    kind="lookup",
                    inputs=inputs,
                    topics=() if inputs else (fact.s,),
                    answer=EntityRef(id=fact.o or "", label=fact.o_label),
                    facts=(fact,),
                )
            )
        if not hops or not self._is(question.answer, hops[-1].facts[0]):
            return None
        return FactChain(
            id=f"c-{question.id}",
            axis=question.axis,
            topology=question.topology,
            topics=tuple(topic for hop in hops for topic in hop.topics),
            answer=hops[-1].answer.key,
            hops=tuple(hops),
            query=Query(sparql=to_sparql(hops)),
            snapshot=self._snapshot,
            seed=0,
        )

    def symbolic(self, questions: Sequence[Question]) -> list[Verdict]:
        """For questions that are no such chain: whether the store holds each of their facts."""
        resolved = [self.resolved(question) for question in questions]
        facts = [fact for one in resolved for of_hop in one.facts.values() for fact in of_hop]
        asked = [fact for fact in {fact.key: fact for fact in facts}.values() if fact.o]
        chains = [_alone(fact, self._snapshot) for fact in asked]
        held = {
            fact.key
            for fact, answers in zip(asked, execute(self._store, chains), strict=True)
            if fact.o in answers[1].keys
        }
        return [
            self._verdict(question, one, held)
            for question, one in zip(questions, resolved, strict=True)
        ]

    def _verdict(self, question: Question, resolved: Resolved, held: set[Triple]) -> Verdict:
        facts = [fact for of_hop in resolved.facts.values() for fact in of_hop]
        if not facts and not resolved.problems:
            return unverifiable("symbolic", f"it names no facts; {self._answer(question)}")
        lacking = [f"{f.s_label} {f.p_label} {f.o_label}" for f in facts if f.key not in held]
        if lacking:
            evidence = f"the store does not hold: {'; '.join(lacking)}"
            return Verdict(check="symbolic", passed=False, evidence=evidence)
        if resolved.problems:
            return unverifiable("symbolic", ", ".join(resolved.problems))
        return unverifiable(
            "symbolic",
            f"the store holds all {len(facts)} facts, but they are no chain of lookups that leads "
            f"to the answer; {self._answer(question)}",
        )

    def _answer(self, question: Question) -> str:
        found = sorted({e for name in question.answer.names for e in self._of(name)})
        label = question.answer.label
        if not found:
            return f"no entity of the store is called {label!r}"
        return f"{label!r} is a name of {', '.join(found[:5])}" + " ..." * (len(found) > 5)

    def _is(self, answer: Answer, fact: ChainFact) -> bool:
        """Whether the object of the fact is the answer, by id or by a name of it."""
        if answer.id is not None:
            return answer.id == fact.o
        said = fold(fact.o_label) in {fold(name) for name in answer.names}
        return said or any(fact.o in self._of(name) for name in answer.names)

    def _of(self, name: str) -> list[str]:
        return self._entities.get(name.lower(), [])


def leak_by_words(question: Question) -> Verdict:
    """Whether the question names an answer, by what the data set says of its answers alone.

    Topics are not known, so a name that a topic contains cannot be excused.
    """
    answers: dict[str, Answer] = {sub.answer.label: sub.answer for sub in question.sub_questions}
    answers[question.answer.label] = question.answer
    if question.type == "comparison":
        return unverifiable("leak", "a comparison offers its answers to choose from")
    if not question.answerable:
        return unverifiable("leak", "no answer is known")
    names = [name for one in answers.values() if one.kind != "insufficient" for name in one.names]
    told = [n for n in names if fold(n) not in _WORDS_ONLY and occurs(n, question.question)]
    evidence = f"names {', '.join(dict.fromkeys(told))}" if told else "names no answer of any hop"
    return Verdict(check="leak", passed=not told, evidence=evidence)


def _fact(ids: tuple[int, int, int], labels: Triple) -> ChainFact:
    s, p, o = labels
    return ChainFact(s=qid(ids[0]), s_label=s, p=pid(ids[1]), p_label=p, o=qid(ids[2]), o_label=o)


def _alone(fact: ChainFact, snapshot: str) -> FactChain:
    hop = Hop(
        index=1,
        kind="lookup",
        inputs=(),
        topics=(fact.s,),
        answer=EntityRef(id=fact.o or "", label=fact.o_label),
        facts=(fact,),
    )
    return FactChain(
        id="c-",
        axis="none",
        topology="chain",
        topics=hop.topics,
        answer=hop.answer.key,
        hops=(hop,),
        query=Query(sparql=""),
        snapshot=snapshot,
        seed=0,
    )

"""Which facts the corpus must state, which it must not, and the passages that state them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from factchain.chains.records import ChainFact
from factchain.errors import InputError
from factchain.questions.records import Question, SubQuestion
from factchain.retrieval_corpus.chunk import Chunk
from factchain.retrieval_corpus.records import HopGold

Triple = tuple[str, str, str]


@dataclass
class Evidence:
    """The facts that questions need, numbered, and where they are stated."""

    facts: list[ChainFact]
    """Needed by at least one question, each once."""
    withheld: list[ChainFact]
    """Withheld by at least one question, each once."""
    _numbers: dict[Triple, int] = field(init=False)
    _stated: list[list[tuple[str | None, str]]] = field(init=False)

    def __post_init__(self) -> None:
        self._numbers = {fact.key: number for number, fact in enumerate(self.facts)}
        self._stated = [[] for _ in self.facts]

    @classmethod
    def of(cls, questions: Iterable[Question]) -> Evidence:
        """What the questions need and withhold.

        Raises InputError where one needs a fact that one withholds.
        """
        needed: dict[Triple, tuple[str, ChainFact]] = {}
        withheld: dict[Triple, tuple[str, ChainFact]] = {}
        for question in questions:
            for hop in question.sub_questions:
                kept = withheld if hop.index in question.withheld else needed
                for fact in hop.facts:
                    kept.setdefault(fact.key, (question.id, fact))
        for key in needed.keys() & withheld.keys():
            (needs, fact), (withholds, _) = needed[key], withheld[key]
            raise InputError(
                f"question {needs} needs {' '.join(fact.key)} ({fact.s_label} {fact.p_label} "
                f"{fact.o_label}), which question {withholds} withholds: leave one of the two out"
            )
        return cls(
            facts=[fact for _, fact in needed.values()],
            withheld=[fact for _, fact in withheld.values()],
        )

    def meet(self, chunk: Chunk) -> None:
        """Note the facts that a passage states."""
        for number in chunk.evidence:
            self._stated[number].append((chunk.snapshot, chunk.id))

    def passages(self, question: Question, fact: ChainFact) -> list[str]:
        """The passages that state a fact, undated or in the snapshot of the question."""
        holds_in = (None, question.provenance.snapshot)
        stated = self._stated[self._numbers[fact.key]]
        return [passage for snapshot, passage in stated if snapshot in holds_in]

    def gold(self, question: Question) -> list[HopGold]:
        """The gold passages of every hop, in the order of hops and facts.

        Raises InputError where a fact that the question needs is in no passage.
        """
        gold: dict[HopGold, None] = {}
        for hop, fact in needed_facts(question):
            passages = self.passages(question, fact)
            if not passages:
                raise InputError(
                    f"question {question.id}: hop {hop.index}: no passage of the snapshot "
                    f"{question.provenance.snapshot!r} states {' '.join(fact.key)} "
                    f"({fact.s_label} {fact.p_label} {fact.o_label}): build the corpus from "
                    "the store that the question was made from"
                )
            for passage in passages:
                gold[HopGold(question=question.id, hop=hop.index, passage=passage)] = None
        return list(gold)


def needed_facts(question: Question) -> Iterator[tuple[SubQuestion, ChainFact]]:
    """Yield the facts of the hops that are in scope, each with its hop."""
    for hop in question.sub_questions:
        if hop.index not in question.withheld:
            for fact in hop.facts:
                yield hop, fact


def entities_of(questions: Sequence[Question]) -> set[str]:
    """Every entity that the questions speak of: in their facts, and as answers."""
    found: set[str] = set()
    for question in questions:
        for hop in question.sub_questions:
            for fact in hop.facts:
                found.update(one for one in (fact.s, fact.o) if one)
            for answer in (hop.answer, *hop.other_answers):
                if answer.id:
                    found.add(answer.id)
    return found

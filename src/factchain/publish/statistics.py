"""What the questions of a dataset are: counts for its card, gathered one question at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from factchain.questions.records import Question

EXAMPLES = 3
"""How many questions the card shows: the first of as many topologies and numbers of hops."""


@dataclass
class Statistics:
    """Counts of the questions seen so far."""

    questions: int = 0
    unanswerable: int = 0
    with_options: int = 0
    imported: int = 0
    """Questions that no snapshot of a graph proves: they come from another dataset."""
    hops: Counter[tuple[str, int]] = field(default_factory=Counter)
    """By axis and number of hops."""
    types: Counter[str] = field(default_factory=Counter)
    topologies: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    """By kind of the answer."""
    makers: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By verbalizer and model; an empty model for none."""
    snapshots: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    """How many questions passed each check."""
    entities: set[str] = field(default_factory=set)
    properties: set[str] = field(default_factory=set)
    examples: dict[tuple[str, int], Question] = field(default_factory=dict)

    def see(self, question: Question) -> None:
        """Count one more question."""
        made = question.provenance
        self.questions += 1
        self.unanswerable += not question.answerable
        self.with_options += question.options is not None
        self.imported += made.snapshot is None
        self.hops[question.axis, question.hops] += 1
        self.types[question.type] += 1
        self.topologies[question.topology] += 1
        self.answers[question.answer.kind] += 1
        self.makers[made.verbalizer, made.model or ""] += 1
        self.snapshots.update([made.snapshot] if made.snapshot else [])
        self.checks.update({verdict.check for verdict in made.verdicts if verdict.passed})
        for hop in question.sub_questions:
            for fact in hop.facts:
                self.properties.add(fact.p)
                self.entities.update(filter(None, (fact.s, fact.o)))
        shape = (question.topology, question.hops)
        if len(self.examples) < EXAMPLES:
            self.examples.setdefault(shape, question)

    @property
    def longest(self) -> int:
        """The most hops of a question."""
        return max((hops for _, hops in self.hops), default=0)

    @property
    def shortest(self) -> int:
        """The fewest hops of a question."""
        return min((hops for _, hops in self.hops), default=0)

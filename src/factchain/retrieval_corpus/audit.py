"""The passage audit: whether a corpus keeps the hops of a question apart (HopWeaver, SPEC.md 3.1).

*Fact distribution*: every fact of the chain stands in passages of its own. Facts of one subject and
property, which a hop counts or sums up, belong together and may share one.

*No shortcut*: no single passage about an entity of the chain names two that the chain holds apart,
which are those that no hop has together. A passage about something else may name both by chance:
it does not lead from one to the other.
"""

from __future__ import annotations

import codecs
import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from factchain.files import write_atomically
from factchain.kg.records import number, qid
from factchain.questions.records import Question, SubQuestion
from factchain.retrieval_corpus.chunk import Chunk
from factchain.retrieval_corpus.evidence import Evidence, needed_facts

AUDIT = "audit.tsv"
"""The findings, beside `corpus.jsonl`."""

Constraint = Literal["fact distribution", "no shortcut"]


class Finding(NamedTuple):
    """A passage that breaks a constraint for a question."""

    question: str
    """Id of the question."""
    constraint: Constraint
    passage: str
    """Id of the passage."""
    what: str
    """The two facts, or the two entities, that it brings together."""


class Shortcuts:
    """The pairs of entities that chains hold apart, and the passages that join them."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._apart: dict[int, set[int]] = defaultdict(set)
        self._nodes: set[int] = set()
        for question in questions:
            self._nodes.update(*map(_nodes, question.sub_questions))
            for a, b in _apart(question):
                self._apart[a].add(b)
                self._apart[b].add(a)
        self._joined: dict[tuple[int, int], dict[int, str]] = defaultdict(dict)

    @property
    def entities(self) -> Iterable[int]:
        """Those of all pairs."""
        return self._apart.keys()

    def meet(self, chunk: Chunk) -> None:
        """Note the pairs that a passage names."""
        if chunk.nodes and chunk.entity in self._nodes:
            named = {chunk.entity, *chunk.nodes}
            for a in named & self._apart.keys():
                for b in named & self._apart[a]:
                    if a < b:
                        self._joined[a, b].setdefault(chunk.entity, chunk.id)

    def findings(self, question: Question) -> Iterator[Finding]:
        """Yield the pairs of a question that a passage joins."""
        nodes = sorted(set().union(*map(_nodes, question.sub_questions)))
        for pair in sorted(_apart(question)):
            joining = self._joined.get(pair, {})
            passage = next((joining[entity] for entity in nodes if entity in joining), None)
            if passage is not None:
                what = " and ".join(map(qid, pair))
                yield Finding(question.id, "no shortcut", passage, what)


def undistributed(question: Question, evidence: Evidence) -> Iterator[Finding]:
    """Yield the pairs of a question's facts that share a passage."""
    facts = {fact.key: fact for _, fact in needed_facts(question)}
    found = [(fact, evidence.passages(question, fact)) for fact in facts.values()]
    for (f, of_f), (g, of_g) in combinations(found, 2):
        if (f.s, f.p) != (g.s, g.p):
            shared = [passage for passage in of_f if passage in of_g]
            if shared:
                what = f"{' '.join(f.key)} and {' '.join(g.key)}"
                yield Finding(question.id, "fact distribution", shared[0], what)


def _apart(question: Question) -> set[tuple[int, int]]:
    """The pairs of entities that no hop has together, the lower number first."""
    hops = [_nodes(hop) for hop in question.sub_questions]
    nodes = sorted(set().union(*hops))
    together = {pair for hop in hops for pair in combinations(sorted(hop), 2)}
    return set(combinations(nodes, 2)) - together


def _nodes(hop: SubQuestion) -> set[int]:
    """The entities that a hop leads from and to; of what it counts, the one that all share."""
    ends = [{number(one) for one in (fact.s, fact.o) if one} for fact in hop.facts]
    if hop.kind == "count" and ends:
        return set.intersection(*ends) if len(ends) > 1 else {number(hop.facts[0].s)}
    answer = {number(hop.answer.id)} if hop.answer.id else set()
    return answer.union(*ends)


def write_findings(path: Path, findings: Iterable[Finding]) -> None:
    """Write the findings as a table, complete or not at all."""
    with write_atomically(path) as out:
        table = csv.writer(codecs.getwriter("utf-8")(out), delimiter="\t", lineterminator="\n")
        table.writerow(Finding._fields)
        table.writerows(findings)

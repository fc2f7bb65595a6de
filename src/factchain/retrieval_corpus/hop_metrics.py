"""How much of the evidence of each hop a retriever finds.

A piece of evidence is a fact of the hop, found where a passage that states it is among the first
`k`; in a dataset without facts it is a gold passage of the hop. Later hops are the hard ones: the
question does not name what they are about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean

from factchain.chains.records import Axis
from factchain.questions.records import Question
from factchain.records import Record
from factchain.retrieval_corpus.metrics import stderr
from factchain.retrieval_corpus.records import HopGold, Passage
from factchain.retrieval_corpus.retrievers.protocol import Hit

Pieces = list[frozenset[str]]
"""For each piece of evidence the passages that hold it."""


class HopScore(Record):
    """Evidence recall of one hop, over the questions of one length."""

    axis: Axis
    """Axis of the questions."""
    hops: int
    """How many hops the questions have."""
    hop: int
    """Number of the hop."""
    k: int
    """How many hits count."""
    questions: int
    """Questions that have evidence for the hop."""
    recall: float
    """Mean share of the hop's evidence among the first k."""
    recall_stderr: float
    """Its standard error; 0 for a single question."""


def pieces_by_hop(
    question: Question, gold: Iterable[HopGold], passages: Mapping[str, Passage]
) -> dict[int, Pieces]:
    """The evidence of every hop that has some."""
    by_hop: dict[int, list[str]] = defaultdict(list)
    for row in gold:
        by_hop[row.hop].append(row.passage)
    facts = {hop.index: [fact.key for fact in hop.facts] for hop in question.sub_questions}
    pieces: dict[int, Pieces] = {}
    for hop, ids in sorted(by_hop.items()):
        stating = [
            frozenset(p for p in ids if key in passages[p].metadata.facts)
            for key in facts.get(hop, [])
        ]
        stated = [of_fact for of_fact in stating if of_fact]
        pieces[hop] = stated or [frozenset([passage]) for passage in ids]
    return pieces


def score_hops(
    questions: Iterable[Question],
    pieces: Mapping[str, Mapping[int, Pieces]],
    hits: Mapping[str, Sequence[Hit]],
    cutoffs: Sequence[int],
) -> list[HopScore]:
    """Evidence recall by axis, number of hops, hop and `k`; `pieces` are by question and hop."""
    groups: dict[tuple[Axis, int, int, int], list[float]] = defaultdict(list)
    for question in questions:
        for hop, of_hop in pieces.get(question.id, {}).items():
            for k in cutoffs:
                first = {hit.passage_id for hit in hits.get(question.id, [])[:k]}
                share = mean(float(bool(piece & first)) for piece in of_hop)
                groups[question.axis, question.hops, hop, k].append(share)
    return [
        HopScore(
            axis=axis,
            hops=hops,
            hop=hop,
            k=k,
            questions=len(shares),
            recall=mean(shares),
            recall_stderr=stderr(shares),
        )
        for (axis, hops, hop, k), shares in sorted(groups.items())
    ]

"""Retrieval scores as MultiHop-RAG and HopWeaver print them, to set beside their tables.

They differ from the textbook's (SPEC.md 1.5 and 1.7) and stand in no table with those of
`metrics`. MultiHop-RAG looks for the sentences of the evidence in the texts of the passages and
counts ranks to 10; its `MAP@10` adds up new facts by rank, so that a perfect ranking of two facts
scores 0.75. HopWeaver compares ids; its `Support F1` is recall@10 / 3 for two gold passages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log2
from statistics import mean

RANKS = 10
"""How many hits both look at, except for HopWeaver's recall@20."""

Scores = dict[str, float]


def found_facts(texts: Iterable[str], facts: Sequence[str]) -> list[set[int]]:
    """By passage the facts that it contains, once spaces and line breaks are taken out.

    A fact that is given twice is found once, and an empty one is in every text.
    """
    bare = [_bare(fact) for fact in facts]
    first = {fact: number for number, fact in reversed(list(enumerate(bare)))}
    found = []
    for text in map(_bare, texts):
        found.append({number for fact, number in first.items() if fact in text})
    return found


def multihop_rag_compat(found: Sequence[set[int]], gold: int) -> Scores:
    """MultiHop-RAG's scores of one question: the facts in each passage by rank, of `gold` facts."""
    ranked = found[:RANKS]
    at = [rank for rank, facts in enumerate(ranked, start=1) if facts]
    seen: set[int] = set()
    total = 0.0
    for rank, facts in enumerate(ranked, start=1):
        total += len(facts - seen) / rank
        seen |= facts
    return {
        "hits@4_compat": float(any(rank <= 4 for rank in at)),
        "hits@10_compat": float(bool(at)),
        "MRR@10_compat": 1 / at[0] if at else 0.0,
        "MAP@10_compat": total / min(gold, RANKS),
    }


def hopweaver_compat(ranked: Sequence[str], gold: set[str]) -> Scores:
    """HopWeaver's scores of one question; a document that comes twice is counted twice."""
    marks = [document in gold for document in ranked]
    hits, precisions = 0, 0.0
    for rank, mark in enumerate(marks[:RANKS], start=1):
        if mark:
            hits += 1
            precisions += hits / rank
    scores = {"MAP_compat": precisions / len(gold)}
    for k in (5, 10, 20):
        scores[f"recall@{k}_compat"] = sum(marks[:k]) / len(gold)
    for k in (5, 10):
        gain = sum(1 / log2(rank + 1) for rank, mark in enumerate(marks[:k], start=1) if mark)
        best = sum(1 / log2(rank + 1) for rank in range(1, min(len(gold), k) + 1))
        scores[f"nDCG@{k}_compat"] = gain / best
    looked_at = len(marks[:RANKS])
    precision, recall = hits / looked_at if looked_at else 0.0, hits / len(gold)
    both = precision + recall
    scores["support_F1_compat"] = 2 * precision * recall / both if both else 0.0
    return scores


def mean_scores(scores: Iterable[Mapping[str, float]]) -> Scores:
    """The means over questions; empty where there is none."""
    rows = list(scores)
    return {name: mean(row[name] for row in rows) for name in rows[0]} if rows else {}


def _bare(text: str) -> str:
    return text.replace(" ", "").replace("\n", "")

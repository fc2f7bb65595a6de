"""Retrieval scores as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from rich.console import Console
from rich.table import Table

from factchain.retrieval_corpus.compat_metrics import Scores
from factchain.retrieval_corpus.evaluate import RetrieverScores
from factchain.retrieval_corpus.hop_metrics import HopScore
from factchain.retrieval_corpus.metrics import GroupScore

_COLUMNS = {
    "recall": "recall",
    "complete": "complete",
    "hit": "hit",
    "average_precision": "MAP",
    "reciprocal_rank": "MRR",
    "ndcg": "nDCG",
}
_WIDTH = 120


def as_text(scores: RetrieverScores) -> str:
    """All tables that there are."""
    parts = [_groups(scores.groups)]
    if scores.hops:
        parts.append(f"Evidence recall by hop\n{_hops(scores.hops)}")
    if scores.compat:
        parts.append(f"As printed elsewhere (not the textbook's)\n{_compat(scores.compat)}")
    return "\n\n".join(parts)


def _groups(scores: Sequence[GroupScore]) -> str:
    head = ("axis", "by", "group", "questions", "k", *_COLUMNS.values())
    rows = (
        (
            *(score.axis, score.by, score.group, str(score.questions), str(score.k)),
            *(f"{getattr(score, name):.3f}" for name in _COLUMNS),
        )
        for score in scores
    )
    return _table(head, rows, words=3)


def _hops(scores: Sequence[HopScore]) -> str:
    """One row for each length of question and k, one column a hop."""
    rows: dict[tuple[str, int, int], list[str]] = {}
    last = max(score.hop for score in scores)
    for score in scores:
        key = score.axis, score.hops, score.k
        rows.setdefault(key, [""] * last)[score.hop - 1] = f"{score.recall:.3f}"
    head = ("axis", "hops", "k", *(f"hop {n}" for n in range(1, last + 1)))
    return _table(head, ((a, str(h), str(k), *row) for (a, h, k), row in rows.items()), words=1)


def _compat(scores: Mapping[str, Scores]) -> str:
    rows = (
        (name, score, f"{value:.4f}") for name, of in scores.items() for score, value in of.items()
    )
    return _table(("system", "score", "mean"), rows, words=2)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, words: int) -> str:
    """A table whose first columns are words and whose others are numbers."""
    table = Table(box=None, pad_edge=False, header_style="")
    for number, heading in enumerate(head):
        table.add_column(heading, justify="left" if number < words else "right")
    for row in rows:
        table.add_row(*row)
    text = StringIO()
    Console(width=_WIDTH, file=text, markup=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

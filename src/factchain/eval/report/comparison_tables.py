"""Tables without drawings: paired tests, and scores as published scripts print them."""

from __future__ import annotations

from collections.abc import Sequence

from factchain.eval.comparison_results import Comparison, CompatScore
from factchain.eval.report.panels import signed
from factchain.eval.report.tables import Figure, Table
from factchain.eval.results import Results
from factchain.eval.setting_names import setting_name

MOST_COMPARISONS = 200
"""Comparisons that the page shows; the CSV has all."""

_COMPAT = {
    "f1_hotpotqa_compat": "F1, HotpotQA",
    "f1_best_compat": "F1, FlashRAG",
    "f1_omanic_compat": "F1, Omanic",
    "f1_hopweaver_bridge_compat": "F1, HopWeaver bridge",
    "f1_hopweaver_comparison_compat": "F1, HopWeaver comparison",
    "accuracy_popqa_compat": "Accuracy, PopQA",
    "accuracy_flashrag_compat": "Accuracy, FlashRAG",
    "correct_multihop_rag_compat": "Correct, MultiHop-RAG",
    "accuracy_multihop_rag_compat": "Printed by MultiHop-RAG",
}
"""How the scores of `compat_scores.py` are called, in the order in which they are shown."""


def comparison_tables(results: Results) -> list[Figure]:
    """Models against each other, and the settings of a model, folded; the smallest p first."""
    rows = sorted(results.comparisons, key=lambda one: (one.adjusted_p, one.p, one.first))
    models = [row for row in rows if row.first[3] != row.second[3]]
    settings = [row for row in rows if row.first[3] == row.second[3]]
    caption = (
        "{}: paired tests on the questions that both answered, {:,} in all{}: McNemar's for "
        "accuracy, a bootstrap of chains for F1. Differences in points; p is adjusted by Holm's "
        "method over all comparisons of a score, those of the other table among them."
    )
    return [
        Figure(
            caption.format(title, len(of), _of(len(of))),
            (),
            _table(of),
            title,
            folded=of is settings,
        )
        for title, of in (("Models against each other", models), ("Settings of a model", settings))
        if of
    ]


def compat_tables(results: Results) -> list[Figure]:
    """Every score as published code reckons it: a line a setting; folded, for it is to be compared
    with published tables alone."""
    lines: dict[tuple[str, ...], dict[str, CompatScore]] = {}
    for row in results.compat:
        setting = (row.model, row.task, row.mode, row.context)
        lines.setdefault(setting, {})[row.score] = row
    if not lines:
        return []
    names = [*_COMPAT, *sorted({row.score for row in results.compat} - _COMPAT.keys())]
    head = ("Model", "Setting", "n", "Cut", *(_COMPAT.get(name, name) for name in names))
    cells = tuple(
        (
            *(setting[0], setting_name(*setting[1:])),
            *(f"{next(iter(of.values())).n:,}", f"{next(iter(of.values())).cut:,}"),
            *(f"{of[name].mean * 100:.1f}" if name in of else "" for name in names),
        )
        for setting, of in sorted(lines.items())
    )
    caption = (
        "Scores in per cent as published scripts print them, quirks included: to compare with "
        "their tables, never with the other scores of this report. Answers to whole questions "
        "count; one of more than 1,024 characters is cut there, while a script sees all of it. "
        "MultiHop-RAG prints 1 / (3 − 2p) where a share p is correct."
    )
    return [Figure(caption, (), Table(head, cells, frozenset(head[2:])), folded=True)]


def p_value(value: float) -> str:
    """A p with three decimals."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _table(rows: Sequence[Comparison]) -> Table:
    lines = tuple(
        (
            *(one.score, _side(one.first), _side(one.second), f"{one.n:,}"),
            signed(one.difference, one.low, one.high),
            *(p_value(one.p), p_value(one.adjusted_p)),
            "yes" if one.adjusted_p < 0.05 else "no",
        )
        for one in rows[:MOST_COMPARISONS]
    )
    head = ("Score", "First", "Second", "n", "Difference", "p", "Adjusted p", "p < 0.05")
    return Table(head, lines, frozenset(head[3:7]))


def _of(rows: int) -> str:
    return f", of which the {MOST_COMPARISONS} surest are shown" if rows > MOST_COMPARISONS else ""


def _side(setting: tuple[str, str, str, str]) -> str:
    return f"{setting[3]}: {setting_name(*setting[:3])}"

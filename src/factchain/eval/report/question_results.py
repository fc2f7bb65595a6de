"""Whole questions: accuracy by hops, and by the share of familiar hops."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from factchain.eval.records import ScoreSummary
from factchain.eval.report.panels import (
    Shown,
    draw,
    floors,
    model_order,
    of_models,
    with_interval,
)
from factchain.eval.report.tables import AXES, Figure, Table, hops_in_words
from factchain.eval.results import Results, ShareSummary
from factchain.eval.setting_names import Setting, setting_name, setting_order

_OTHER = ("strategy", "stepwise")
FAMILIAR = {"popularity": "popular", "recency": "old"}

_SHARES = {"1": "all", "0": "none"}


def accuracy_by_hops(results: Results) -> list[Figure]:
    """A figure for each axis, a drawing for each setting, models side by side."""
    figures = []
    rows = [s for s in results.scores if s.by == ("axis", "hops") and s.score == "accuracy"]
    rows = [s for s in rows if s.task not in _OTHER]
    for axis in AXES:
        chosen = [s for s in rows if s.axis == axis]
        drawn = of_models(chosen)
        floor = floors(chosen, lambda s: (setting_of(s), s.hops), lambda s: s.mean)
        if drawn:
            panels = tuple(
                draw(
                    f"by-hops-{axis}-{i}",
                    setting_name(*setting),
                    [
                        Shown(
                            hops_in_words(s.hops or 0),
                            *(s.model, s.mean, s.low, s.high),
                            floor.get((setting, s.hops)),
                        )
                        for s in sorted(drawn, key=lambda s: (s.hops or 0, s.model))
                        if setting_of(s) == setting
                    ],
                )
                for i, setting in enumerate(_settings(drawn))
            )
            caption = f"Accuracy in per cent by hops, models side by side{on_axis(axis)}."
            ordered = sorted(chosen, key=_row_order)
            lines = [
                (
                    *(setting_name(*setting_of(s)), hops_in_words(s.hops or 0), s.model),
                    *(f"{s.n:,}", f"{s.failed:,}", with_interval(s.mean, s.low, s.high)),
                )
                for s in ordered
            ]
            head = ("Setting", "Hops", "Model", "n", "Not asked", "Accuracy")
            figures.append(Figure(caption, panels, _table(head, lines, 3)))
    return figures


def accuracy_by_share(results: Results) -> list[Figure]:
    """MINTQA's table 8: a figure for each axis, a drawing for each setting."""
    figures = []
    for axis, familiar in FAMILIAR.items():
        chosen = [s for s in results.shares if s.axis == axis and s.hops is None]
        drawn = of_models(chosen)
        floor = floors(chosen, lambda s: (setting_of(s), s.share), lambda s: s.mean)
        if drawn:
            panels = tuple(
                draw(
                    f"by-share-{axis}-{i}",
                    setting_name(*setting),
                    [
                        Shown(
                            f"{_SHARES.get(s.share, s.share)} {familiar}",
                            *(s.model, s.mean, s.low, s.high),
                            floor.get((setting, s.share)),
                        )
                        for s in sorted(drawn, key=lambda s: (-Fraction(s.share), s.model))
                        if setting_of(s) == setting
                    ],
                )
                for i, setting in enumerate(_settings(drawn))
            )
            caption = (
                f"Accuracy in per cent by the share of {familiar} hops{on_axis(axis)}. The share "
                "goes with the number of hops: the table has it within one number of hops, too."
            )
            everything = [s for s in results.shares if s.axis == axis]
            everything.sort(
                key=lambda s: (*_row_order(s)[:2], -Fraction(s.share), model_order(s.model))
            )
            lines = [
                (
                    setting_name(*setting_of(s)),
                    *(hops_in_words(s.hops) if s.hops else "all", s.share, s.model),
                    *(f"{s.n:,}", f"{s.failed:,}", with_interval(s.mean, s.low, s.high)),
                )
                for s in everything
            ]
            head = ("Setting", "Hops", "Share", "Model", "n", "Not asked", "Accuracy")
            figures.append(Figure(caption, panels, _table(head, lines, 4)))
    return figures


def on_axis(axis: str) -> str:
    """`, on the axis popularity`; nothing where there are no axes."""
    return "" if axis == "none" else f", on the axis {axis}"


def setting_of(row: ScoreSummary | ShareSummary) -> Setting:
    """Task, mode and context."""
    return row.task, row.mode, row.context


def _row_order(row: ScoreSummary | ShareSummary) -> tuple[object, ...]:
    return setting_order(setting_of(row)), row.hops or 0, model_order(row.model)


def _settings(rows: Sequence[ScoreSummary] | Sequence[ShareSummary]) -> list[Setting]:
    return sorted({setting_of(row) for row in rows}, key=setting_order)


def _table(head: tuple[str, ...], lines: Sequence[tuple[str, ...]], words: int) -> Table:
    """A table whose first columns are words and the others numbers."""
    return Table(head, tuple(lines), frozenset(head[words:]))

"""Retrieval: accuracy by what stood before the question, recall, and both as heat maps."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from factchain.eval.records import ScoreSummary
from factchain.eval.report.heat_map import heat_map
from factchain.eval.report.panels import (
    Shown,
    draw,
    floors,
    model_order,
    of_models,
    with_interval,
)
from factchain.eval.report.question_results import FAMILIAR, on_axis, setting_of
from factchain.eval.report.tables import AXES, Figure, Table, hops_in_words
from factchain.eval.results import NO_LABELS, Results, share_of
from factchain.eval.setting_names import context_name, setting_name
from factchain.retrieval_corpus.metrics import GroupScore

_NORMAL_95 = 1.96

Place = tuple[int, Fraction]
"""A number of hops, and the share of them that is familiar."""


class Cell(NamedTuple):
    """A cell of a heat map, with its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


def accuracy_by_retriever(results: Results) -> list[Figure]:
    """MINTQA's figures 5 and 13: no passages, every retriever, gold passages, on every axis; a
    drawing a model."""
    rows = [s for s in results.scores if s.score == "accuracy" and _has_one_answer(s)]
    if not any(s.task == "retrieval" for s in rows):
        return []
    axes = {s.axis for s in rows if s.by == ("axis",)}
    rows = [s for s in rows if s.by == (("axis",) if len(axes) > 1 else ())]
    rows.sort(key=_retriever_order)
    floor = floors(rows, lambda s: (s.axis, setting_of(s)), lambda s: s.mean)
    drawn = of_models(rows)
    panels = tuple(
        draw(
            f"by-retriever-{i}",
            model,
            [
                Shown(
                    s.axis or "",
                    setting_name(*setting_of(s)),
                    *(s.mean, s.low, s.high),
                    floor.get((s.axis, setting_of(s))),
                )
                for s in drawn
                if s.model == model
            ],
        )
        for i, model in enumerate(dict.fromkeys(s.model for s in drawn))
    )
    lines = tuple(
        (
            *(s.model, s.axis or "all", setting_name(*setting_of(s)), f"{s.n:,}", f"{s.failed:,}"),
            with_interval(s.mean, s.low, s.high),
        )
        for s in rows
    )
    head = ("Model", "Axis", "Passages", "n", "Not asked", "Accuracy")
    caption = "Accuracy in per cent by what stood before the question."
    table = Table(head, lines, frozenset(head[3:]))
    return [Figure(caption, panels, table, "Accuracy by passages")]


def recall_by_hops(retrieval: Mapping[str, Sequence[GroupScore]]) -> list[Figure]:
    """MINTQA's figure 10: retrievers side by side; a drawing for each axis and k."""
    rows = [(name, s) for name, scores in retrieval.items() for s in scores if s.by == "hops"]
    if not rows:
        return []
    rows.sort(key=lambda row: (AXES.index(row[1].axis), row[1].k, int(row[1].group), row[0]))
    panels = tuple(
        draw(
            f"recall-{axis}-{k}",
            f"Recall@{k}{on_axis(axis)}",
            [
                Shown(hops_in_words(int(s.group)), name, s.recall, *_recall_interval(s))
                for name, s in rows
                if (s.axis, s.k) == (axis, k)
            ],
        )
        for axis, k in dict.fromkeys((s.axis, s.k) for _, s in rows)
    )
    lines = tuple(
        (
            *(name, s.axis, hops_in_words(int(s.group)), f"{s.questions:,}", str(s.k)),
            with_interval(s.recall, *_recall_interval(s)),
        )
        for name, s in rows
    )
    head = ("Retriever", "Axis", "Questions", "n", "k", "Recall")
    caption = "Share of the gold passages among the first k retrieved, in per cent, by hops."
    return [Figure(caption, panels, Table(head, lines, frozenset(head[3:])), "Recall")]


def heat_maps(results: Results, retrieval: Mapping[str, Sequence[GroupScore]]) -> list[Figure]:
    """MINTQA's figures 4 and 11: hops by share, of accuracy with gold and retrieved passages, and
    of recall; a cell that no question can have is blank."""
    figures = []
    for axis, familiar in FAMILIAR.items():
        maps: dict[str, dict[Place, Cell]] = defaultdict(dict)
        chosen = [s for s in results.shares if s.axis == axis and s.hops and s.task == "retrieval"]
        for s in sorted(
            of_models(chosen), key=lambda s: (s.context != "gold", s.context, s.mode, s.model)
        ):
            name = f"{s.model}: {context_name(s.context)}"
            maps[name][s.hops or 0, Fraction(s.share)] = Cell(s.mean, s.low, s.high, s.n)
        for retriever, groups in retrieval.items():
            for k, recall in _recall(groups, axis).items():
                maps[f"{retriever}: recall@{k}"] = recall
        if not maps:
            continue
        places = {place for cells in maps.values() for place in cells}
        hops = sorted({place[0] for place in places})
        shares = sorted({place[1] for place in places}, reverse=True)
        panels = tuple(
            heat_map(
                f"heat-{axis}-{i}",
                name,
                f"{name}, in per cent; rows are hops, columns the share of {familiar} hops.",
                [hops_in_words(n) for n in hops],
                [str(share) for share in shares],
                {(hops_in_words(n), str(share)): cell.mean for (n, share), cell in cells.items()},
            )
            for i, (name, cells) in enumerate(maps.items())
        )
        lines = tuple(
            (
                *(name, hops_in_words(n), str(share), f"{cell.n:,}"),
                with_interval(cell.mean, cell.low, cell.high),
            )
            for name, cells in maps.items()
            for (n, share), cell in sorted(cells.items(), key=lambda one: (one[0][0], -one[0][1]))
        )
        caption = (
            f"Accuracy of models with passages, and recall of retrievers, by hops (rows) and the "
            f"share of {familiar} hops (columns), in per cent. n hops allow only shares of k/n: "
            "other cells are blank."
        )
        head = ("What", "Hops", "Share", "n", "Per cent")
        figures.append(Figure(caption, panels, Table(head, lines, frozenset(head[3:]))))
    return figures


def _has_one_answer(score: ScoreSummary) -> bool:
    """Whether it is of questions that are answered at once, in words."""
    return score.task == "retrieval" or (score.task, score.mode) == ("parametric", "open")


def _retriever_order(score: ScoreSummary) -> tuple[object, ...]:
    axis = AXES.index(score.axis) if score.axis else 0
    context = (score.context != "none", score.context == "gold", score.context)
    return (model_order(score.model), axis, *context)


def _recall(groups: Sequence[GroupScore], axis: str) -> dict[int, dict[Place, Cell]]:
    """By k: recall and questions for each number of hops and share, over the label patterns."""
    found: dict[int, dict[Place, list[GroupScore]]] = {}
    for one in groups:
        if one.axis == axis and one.by == "labels" and one.group != NO_LABELS:
            place = (len(one.group.split("-")), share_of(one.group))
            found.setdefault(one.k, {}).setdefault(place, []).append(one)
    return {
        k: {place: _together(of) for place, of in places.items()} for k, places in found.items()
    }


def _together(groups: Iterable[GroupScore]) -> Cell:
    """The recall over several groups, with the normal interval of all their questions."""
    of = list(groups)
    n = sum(one.questions for one in of)
    mean = sum(one.recall * one.questions for one in of) / n
    # The squares that each group's standard error stands for, and those between the groups.
    squares = sum(
        one.recall_stderr**2 * one.questions * (one.questions - 1)
        + one.questions * (one.recall - mean) ** 2
        for one in of
    )
    reach = _NORMAL_95 * math.sqrt(squares / (n - 1) / n) if n > 1 else 1.0
    return Cell(mean, max(0.0, mean - reach), min(1.0, mean + reach), n)


def _recall_interval(score: GroupScore) -> tuple[float, float]:
    """The normal interval of the mean, within 0 and 1; of a single question the whole range."""
    cell = _together([score])
    return cell.low, cell.high

"""Whole questions: accuracy by hops, by the share of familiar hops and by retriever."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

from factchain.eval.records import ScoreSummary
from factchain.eval.report.heat_map import heat_map
from factchain.eval.report.panels import Shown, draw, with_interval
from factchain.eval.report.tables import AXES, Figure, Table, hops_in_words, percent
from factchain.eval.results import NO_LABELS, Results, ShareSummary, share_of
from factchain.eval.setting_names import context_name, setting_name
from factchain.retrieval_corpus.metrics import GroupScore

_TASKS = (
    *("parametric", "retrieval", "sub_questions", "decomposition", "dynamic_retrieval", "probe"),
)
_OTHER = ("strategy", "stepwise")
_FAMILIAR = {"popularity": "popular", "recency": "old"}

Setting = tuple[str, str, str]


def accuracy_by_hops(results: Results) -> list[Figure]:
    """A figure for each axis, a drawing for each setting, models side by side."""
    figures = []
    rows = [s for s in results.scores if s.by == ("axis", "hops") and s.score == "accuracy"]
    rows = [s for s in rows if s.task not in _OTHER]
    for axis in AXES:
        chosen = [s for s in rows if s.axis == axis]
        if chosen:
            panels = tuple(
                draw(
                    f"by-hops-{axis}-{i}",
                    setting_name(*setting),
                    [
                        Shown(hops_in_words(s.hops or 0), s.model, s.mean, s.low, s.high)
                        for s in sorted(chosen, key=lambda s: (s.hops or 0, s.model))
                        if _setting(s) == setting
                    ],
                )
                for i, setting in enumerate(_settings(chosen))
            )
            caption = f"Accuracy in per cent by hops, models side by side{_on(axis)}."
            ordered = sorted(chosen, key=lambda s: (_order(_setting(s)), s.hops or 0, s.model))
            lines = [
                (
                    *(setting_name(*_setting(s)), hops_in_words(s.hops or 0), s.model),
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
    for axis, familiar in _FAMILIAR.items():
        chosen = [s for s in results.shares if s.axis == axis and s.hops is None]
        if chosen:
            panels = tuple(
                draw(
                    f"by-share-{axis}-{i}",
                    setting_name(*setting),
                    [
                        Shown(f"{s.share} {familiar}", s.model, s.mean, s.low, s.high)
                        for s in sorted(chosen, key=lambda s: (-Fraction(s.share), s.model))
                        if _setting(s) == setting
                    ],
                )
                for i, setting in enumerate(_settings(chosen))
            )
            caption = (
                f"Accuracy in per cent by the share of {familiar} hops{_on(axis)}. The share goes "
                "with the number of hops: the table has it within one number of hops, too."
            )
            everything = [s for s in results.shares if s.axis == axis]
            everything.sort(
                key=lambda s: (_order(_setting(s)), s.hops or 0, -Fraction(s.share), s.model)
            )
            lines = [
                (
                    setting_name(*_setting(s)),
                    *(hops_in_words(s.hops) if s.hops else "all", s.share, s.model),
                    *(f"{s.n:,}", f"{s.failed:,}", with_interval(s.mean, s.low, s.high)),
                )
                for s in everything
            ]
            head = ("Setting", "Hops", "Share", "Model", "n", "Not asked", "Accuracy")
            figures.append(Figure(caption, panels, _table(head, lines, 4)))
    return figures


def heat_maps(results: Results, retrieval: Mapping[str, Sequence[GroupScore]]) -> list[Figure]:
    """MINTQA's figures 4 and 11: hops by share, of accuracy with gold and retrieved passages, and
    of recall; a cell that no question can have is blank."""
    figures = []
    for axis, familiar in _FAMILIAR.items():
        chosen = [s for s in results.shares if s.axis == axis and s.hops and s.task == "retrieval"]
        maps: dict[str, dict[tuple[int, Fraction], tuple[float, int]]] = defaultdict(dict)
        for s in sorted(chosen, key=lambda s: (s.context != "gold", s.context, s.model)):
            maps[f"{s.model}: {context_name(s.context)}"][s.hops or 0, Fraction(s.share)] = (
                s.mean,
                s.n,
            )
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
                {(hops_in_words(n), str(share)): mean for (n, share), (mean, _) in cells.items()},
            )
            for i, (name, cells) in enumerate(maps.items())
        )
        lines = [
            (name, hops_in_words(n), str(share), f"{count:,}", percent(mean))
            for name, cells in maps.items()
            for (n, share), (mean, count) in sorted(cells.items(), key=lambda one: _place(one[0]))
        ]
        caption = (
            f"Accuracy of models with passages, and recall of retrievers, by hops (rows) and the "
            f"share of {familiar} hops (columns), in per cent. n hops allow only shares of k/n: "
            "other cells are blank."
        )
        head = ("What", "Hops", "Share", "n", "Per cent")
        figures.append(Figure(caption, panels, _table(head, lines, 3)))
    return figures


def accuracy_by_retriever(results: Results) -> list[Figure]:
    """MINTQA's figures 5 and 13: no passages, every retriever, gold passages; a drawing a model."""
    rows = [
        s
        for s in results.scores
        if not s.by
        and s.score == "accuracy"
        and (s.task == "retrieval" or (s.task, s.mode) == ("parametric", "open"))
    ]
    if not any(s.task == "retrieval" for s in rows):
        return []
    rows.sort(key=lambda s: (s.model, s.context != "none", s.context == "gold", s.context))
    panels = tuple(
        draw(
            f"by-retriever-{i}",
            model,
            [
                Shown("", setting_name(*_setting(s)), s.mean, s.low, s.high)
                for s in rows
                if s.model == model
            ],
        )
        for i, model in enumerate(dict.fromkeys(s.model for s in rows))
    )
    lines = [
        (
            *(s.model, setting_name(*_setting(s)), f"{s.n:,}", f"{s.failed:,}"),
            with_interval(s.mean, s.low, s.high),
        )
        for s in rows
    ]
    head = ("Model", "Passages", "n", "Not asked", "Accuracy")
    caption = "Accuracy in per cent by what stood before the question."
    return [Figure(caption, panels, _table(head, lines, 2))]


def _recall(
    groups: Sequence[GroupScore], axis: str
) -> dict[int, dict[tuple[int, Fraction], tuple[float, int]]]:
    """By k: recall and questions for each number of hops and share, over the label patterns."""
    found: dict[int, dict[tuple[int, Fraction], list[GroupScore]]] = {}
    for one in groups:
        if one.axis == axis and one.by == "labels" and one.group != NO_LABELS:
            place = (len(one.group.split("-")), share_of(one.group))
            found.setdefault(one.k, {}).setdefault(place, []).append(one)
    return {
        k: {
            place: (
                sum(one.recall * one.questions for one in of) / sum(one.questions for one in of),
                sum(one.questions for one in of),
            )
            for place, of in places.items()
        }
        for k, places in found.items()
    }


def _place(place: tuple[int, Fraction]) -> tuple[int, Fraction]:
    return place[0], -place[1]


def _on(axis: str) -> str:
    return "" if axis == "none" else f", on the axis {axis}"


def _setting(row: ScoreSummary | ShareSummary) -> Setting:
    return row.task, row.mode, row.context


def _order(setting: Setting) -> tuple[object, ...]:
    task, mode, context = setting
    place = _TASKS.index(task) if task in _TASKS else len(_TASKS)
    return place, task, mode, context == "gold", context


def _settings(rows: Sequence[ScoreSummary] | Sequence[ShareSummary]) -> list[Setting]:
    return sorted({_setting(row) for row in rows}, key=_order)


def _table(head: tuple[str, ...], lines: Sequence[tuple[str, ...]], words: int) -> Table:
    """A table whose first columns are words and the others numbers."""
    return Table(head, tuple(lines), frozenset(head[words:]))

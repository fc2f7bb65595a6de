"""Every score of one model, with 95 % intervals: by setting, hops, topology, kind of hop and label
pattern."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import groupby

from markupsafe import Markup

from factchain.eval.records import ScoreSummary
from factchain.eval.report.figures import SHARES, Bar, BarGroup, Tone, bar_chart
from factchain.eval.report.panels import TONES, floors, with_interval
from factchain.eval.report.tables import (
    AXES,
    Figure,
    Table,
    glyphs,
    hops_in_words,
    pattern_order,
)
from factchain.eval.setting_names import setting_name

BASELINE = "factchain/lexical"
"""The model that is none: it looks words up."""

SCORES = {
    "accuracy": "Accuracy",
    "exact_match": "Exact match",
    "f1": "F1",
    "accuracy_alias": "Accuracy with aliases",
    "accuracy_word": "Accuracy, whole words",
}
"""How scores are called; the tables hold those of any other name too."""

DRAWN = ("accuracy", "exact_match", "f1")


GROUPINGS: dict[tuple[str, ...], tuple[str, str]] = {
    (): ("all", "Scores in per cent, by setting."),
    ("axis",): ("axis", "Scores in per cent, by axis and setting."),
    ("hops",): ("hops", "Scores in per cent, by hops and setting."),
    ("topology",): ("topology", "Scores in per cent, by topology and setting."),
    ("kind",): (
        "kind",
        "Scores in per cent, by kind of hop and setting: of the questions that have such a hop, be "
        "it the last one or another.",
    ),
}
"""What scores are grouped by: the part of the drawing's name, and the caption."""

FAMILIES = {
    "From memory, and with passages": ("parametric", "retrieval"),
    "Sub-questions": ("sub_questions", "decomposition", "dynamic_retrieval"),
    "Hop by hop": ("stepwise",),
    "Decisions": ("strategy",),
}
"""Tasks that are drawn together; a task of no family stands with the first."""


def model_figures(rows: Sequence[ScoreSummary], model: str, name: str) -> list[Figure]:
    """All figures of one model's scores, with the floors among the rows. `name` is unique in the
    page.

    The first family of tasks is shown by every grouping, the others as a whole and by hops.
    """
    scores = [s for s in rows if s.model == model]
    floor = floors(rows, _floor_key, lambda s: s.mean)
    known = {task for tasks in FAMILIES.values() for task in tasks}
    figures = []
    for number, (family, tasks) in enumerate(FAMILIES.items()):
        of_family = [s for s in scores if s.task in tasks or (not number and s.task not in known)]
        groupings = GROUPINGS if not number else {by: GROUPINGS[by] for by in ((), ("hops",))}
        for by, (part, caption) in groupings.items():
            figures += _by_setting(
                [s for s in of_family if s.by == by],
                f"{name}-{number}-{part}",
                f"{family}. {caption}",
                floor,
            )
        if not number:
            labelled = [s for s in of_family if s.labels is not None and s.axis != "none"]
            figures += _by_pattern(labelled, name, floor)
    return figures


def score_name(score: str) -> str:
    """How a score is called in the report."""
    return SCORES.get(score, score)


def _by_setting(
    scores: Sequence[ScoreSummary], name: str, caption: str, floor: Mapping[Hashable, float]
) -> list[Figure]:
    """One figure, a drawing for each score; none without scores."""
    settings = _settings(scores)
    ordered = sorted(scores, key=lambda s: (_group_order(s), settings.index(_setting(s))))
    panels = tuple(
        _panel(
            f"{name}-{score}",
            score_name(score),
            [s for s in ordered if s.score == score],
            heading=_group_name,
            bar_name=lambda s: setting_name(*_setting(s)),
            tone=lambda s: TONES[settings.index(_setting(s)) % len(TONES)],
            floor=floor,
        )
        for score in _names(scores)
        if score in DRAWN
    )
    return [Figure(caption, panels, _table(ordered))] if panels else []


def _by_pattern(
    scores: Sequence[ScoreSummary], name: str, floor: Mapping[Hashable, float]
) -> list[Figure]:
    """A figure of accuracy for each axis, a drawing for each setting."""
    figures = []
    ordered = sorted(scores, key=_group_order)
    for axis, of_axis in groupby(ordered, key=lambda s: s.axis):
        chosen = list(of_axis)
        panels = tuple(
            _panel(
                f"{name}-{axis}-{i}",
                setting_name(*setting),
                [s for s in chosen if (_setting(s), s.score) == (setting, "accuracy")],
                heading=lambda s: hops_in_words(len(_labels(s))),
                bar_name=lambda s: glyphs(_labels(s)),
                tone=lambda s: "second",
                floor=floor,
            )
            for i, setting in enumerate(_settings(chosen))
        )
        familiar, other = ("popular", "unpopular") if axis == "popularity" else ("old", "new")
        caption = (
            f"Accuracy in per cent on the axis {axis}, by hops and label pattern: "
            f"● {familiar}, ○ {other}."
        )
        figures.append(Figure(caption, panels, _table(chosen)))
    return figures


def _panel(
    name: str,
    title: str,
    scores: Iterable[ScoreSummary],
    *,
    heading: Callable[[ScoreSummary], str],
    bar_name: Callable[[ScoreSummary], str],
    tone: Callable[[ScoreSummary], Tone],
    floor: Mapping[Hashable, float],
) -> Markup:
    groups = [
        BarGroup(
            head,
            tuple(
                Bar(bar_name(s), s.mean, (s.low, s.high), tone(s), floor.get(_floor_key(s)))
                for s in of_head
            ),
        )
        for head, of_head in groupby(scores, key=heading)
    ]
    return bar_chart(name, title, f"{title}, in per cent, with 95 % intervals.", groups, SHARES)


def _table(scores: Sequence[ScoreSummary]) -> Table:
    """A line for each group and setting, a column for each score with its interval."""
    names = _names(scores)
    found = {(_group_order(s), _setting(s), s.score): s for s in scores}
    lines = []
    for group, setting in dict.fromkeys((_group_order(s), _setting(s)) for s in scores):
        cells = [found.get((group, setting, name)) for name in names]
        first = next(s for s in cells if s is not None)
        lines.append(
            (
                _group_name(first) or "all",
                setting_name(*setting),
                f"{first.n:,}",
                f"{first.failed:,}",
                *(with_interval(s.mean, s.low, s.high) if s else "" for s in cells),
            )
        )
    numeric = ("n", "Not asked", *map(score_name, names))
    return Table(("Questions", "Setting", *numeric), tuple(lines), frozenset(numeric))


def _floor_key(score: ScoreSummary) -> Hashable:
    group = (score.axis, score.hops, score.labels, score.topology, score.kind)
    return _setting(score), group, score.score


def _labels(score: ScoreSummary) -> list[str]:
    return (score.labels or "").split("-")


def _setting(score: ScoreSummary) -> tuple[str, str, str]:
    return score.task, score.mode, score.context


def _settings(scores: Iterable[ScoreSummary]) -> list[tuple[str, str, str]]:
    return list(dict.fromkeys(map(_setting, scores)))


def _names(scores: Iterable[ScoreSummary]) -> list[str]:
    return list(dict.fromkeys(s.score for s in scores))


def _group_name(score: ScoreSummary) -> str:
    if score.labels is not None:
        return ", ".join(_labels(score))
    hops = hops_in_words(score.hops) if score.hops else None
    return ", ".join(filter(None, (score.axis, hops, score.topology, score.kind)))


def _group_order(score: ScoreSummary) -> tuple[object, ...]:
    axis = AXES.index(score.axis) if score.axis else -1
    group = (score.topology or "", score.kind or "")
    return (axis, score.hops or 0, *group, *pattern_order(_labels(score)))

"""Steps on the way: decisions, sub-questions, errors by hop, and what must be known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from markupsafe import Markup

from factchain.eval.report.figures import SHARES
from factchain.eval.report.heat_map import heat_map
from factchain.eval.report.panels import (
    Shown,
    draw,
    floors,
    mean_scale,
    model_order,
    of_models,
    signed,
    with_interval,
)
from factchain.eval.report.tables import Figure, Table, hops_in_words, percent
from factchain.eval.results import (
    FEW,
    DecisionSummary,
    DecompositionSummary,
    KnowledgeFloor,
    Results,
)
from factchain.eval.setting_names import setting_name

_MEASURES = {
    "accuracy": "Accuracy",
    "macro_f1": "Macro F1",
    "recall": "Recall",
    "f1": "F1",
    "chosen": "Share of choices",
    "unparsed": "Not readable",
}
_FLOORED = ("accuracy", "macro_f1", "recall", "f1")
"""Measures that have a floor: more is better."""

_COUNTS = {
    "accuracy": "Accuracy",
    "sub_questions": "Sub-questions a question",
    "retrievals": "Retrievals a question",
    "retrieval_rate": "Retrieval rate",
}
_INPUTS = {"gold": "alone, gold inputs", "own": "in chain, own inputs"}


def decision_figures(results: Results) -> list[Figure]:
    """A figure for each decision, a drawing for each measure."""
    figures = []
    for mode in dict.fromkeys(row.mode for row in results.decisions):
        rows = [row for row in results.decisions if row.mode == mode]
        rows.sort(key=lambda row: model_order(row.model))
        whole = [row for row in rows if row.axis is None]
        floor = floors(whole, lambda row: (row.measure, row.label), lambda row: row.mean)
        panels = tuple(
            draw(
                f"decisions-{mode}-{measure}",
                title,
                [
                    Shown(
                        label or "",
                        *(row.model, row.mean, row.low, row.high),
                        floor.get((measure, label)) if measure in _FLOORED else None,
                    )
                    for label, of_label in _by_label(of_models(whole), measure)
                    for row in of_label
                ],
            )
            for measure, title in _MEASURES.items()
            if any(row.measure == measure for row in rows)
        )
        what = setting_name("strategy", mode.removesuffix("-known"), "none")
        known = ", by what the model knows" if mode.endswith("-known") else ""
        caption = (
            f"{what}{known}, in per cent. Recall is of the gold label; a reply that is not "
            "readable is wrong."
        )
        lines = [
            (
                *(row.model, row.axis or "all", _MEASURES[row.measure], row.label or "all"),
                f"{row.n:,}",
                with_interval(row.mean, row.low, row.high),
            )
            for row in rows
        ]
        head = ("Model", "Axis", "Measure", "Choice", "n", "Per cent")
        table = Table(head, tuple(lines), frozenset(head[4:]))
        figures.append(Figure(caption, panels, table, title=what + known))
    return figures


def decomposition_figures(results: Results) -> list[Figure]:
    """Accuracy, sub-questions and retrievals of every setting; then hops against sub-questions."""
    figures = []
    overall = [row for row in results.decompositions if row.hops is None and row.axis is None]
    if overall:
        panels = tuple(
            _counted(measure, title, [row for row in overall if row.measure == measure])
            for measure, title in _COUNTS.items()
        )
        lines = [
            (
                setting_name(row.task, row.mode, row.context),
                *(row.model, row.axis or "all", hops_in_words(row.hops) if row.hops else "all"),
                *(_COUNTS[row.measure], f"{row.n:,}"),
                with_interval(row.mean, row.low, row.high, share=_is_share(row.measure)),
            )
            for row in results.decompositions
        ]
        caption = (
            "Questions taken apart: accuracy in per cent, sub-questions and retrievals as means "
            "over questions, and the share of sub-questions that were searched for."
        )
        head = ("Setting", "Model", "Axis", "Hops", "Measure", "n", "Figure")
        table = Table(head, tuple(lines), frozenset(head[5:]))
        figures.append(Figure(caption, panels, table, "Accuracy, sub-questions and retrievals"))
    return figures + _confusion(results)


def hop_figures(results: Results) -> list[Figure]:
    """Omanic's error by hop, alone and in chain, with what the chain adds."""
    rows = sorted(results.hop_errors, key=lambda row: model_order(row.model))
    if not rows:
        return []
    drawn = of_models(rows)
    runs = list(dict.fromkeys((row.model, row.answers, row.context) for row in drawn))
    floor = floors(
        rows,
        lambda row: (row.answers, row.context, row.inputs, row.hop),
        lambda row: row.error,
        min,
    )
    panels = tuple(
        draw(
            f"hop-errors-{i}",
            f"{model}: {setting_name('stepwise', f'gold-{answers}', context)}",
            [
                Shown(
                    f"hop {row.hop}",
                    *(_INPUTS[row.inputs], row.error, row.low, row.high),
                    floor.get((answers, context, row.inputs, row.hop)),
                )
                for row in sorted(drawn, key=lambda row: (row.hop, row.inputs))
                if (row.model, row.answers, row.context) == (model, answers, context)
            ],
        )
        for i, (model, answers, context) in enumerate(runs)
    )
    added = {
        (one.model, one.answers, one.context, one.hop): signed(one.difference, one.low, one.high)
        for one in results.amplification
    }
    lines = [
        (
            *(row.model, row.answers, row.context, str(row.hop), _INPUTS[row.inputs]),
            *(f"{row.n:,}", with_interval(row.error, row.low, row.high)),
            added.get((row.model, row.answers, row.context, row.hop), "")
            if row.inputs == "own"
            else "",
        )
        for row in rows
    ]
    caption = (
        "Error in per cent by hop: each hop alone with the gold answers of the hops before it, and "
        "in chain with the model's own. Hops without inputs are not in the chain's error. The "
        "table says how many points the chain adds, on the same hops."
    )
    head = ("Model", "Answers", "Context", "Hop", "Inputs", "n", "Error", "Added by the chain")
    table = Table(head, tuple(lines), frozenset(("Hop", *head[5:])))
    return [Figure(caption, panels, table, "Error by hop")]


def floor_figures(results: Results) -> list[Figure]:
    """Omanic's knowledge floor: what thinking gains by the number of hops not known."""
    rows = of_models(results.floors)
    if not rows:
        return []
    runs = list(dict.fromkeys((row.model, row.answers) for row in rows))
    panels = tuple(
        draw(
            f"floor-{i}",
            f"{model}, {answers} answers",
            [
                bar
                for row in rows
                if (row.model, row.answers) == (model, answers)
                for bar in _floor_bars(row)
            ],
        )
        for i, (model, answers) in enumerate(runs)
        if any(r.direct is not None for r in rows if (r.model, r.answers) == (model, answers))
    )
    lines = [
        (
            *(row.model, row.answers, str(row.unknown), f"{row.n:,}"),
            _optional(row.direct, row.direct_low, row.direct_high),
            _optional(row.think, row.think_low, row.think_high),
            signed(row.gain, row.gain_low or 0, row.gain_high or 0)
            if row.gain is not None
            else f"fewer than {FEW}",
        )
        for row in rows
    ]
    caption = (
        "The knowledge floor: accuracy in per cent, directly and after a chain of thought, by how "
        "many hops the model answers wrong by itself (gold inputs, no passages, direct). Groups of "
        f"fewer than {FEW} questions are not shown."
    )
    head = ("Model", "Answers", "Hops not known", "n", "Direct", "Step by step", "Gain")
    table = Table(head, tuple(lines), frozenset(head[2:]))
    return [Figure(caption, panels, table, "Knowledge floor")]


def _by_label(
    rows: Sequence[DecisionSummary], measure: str
) -> Iterable[tuple[str | None, list[DecisionSummary]]]:
    chosen = [row for row in rows if row.measure == measure]
    chosen.sort(key=lambda row: (row.label or "", row.model))
    return [(label, list(of)) for label, of in groupby(chosen, key=lambda row: row.label)]


def _counted(measure: str, title: str, rows: Sequence[DecompositionSummary]) -> Markup:
    shown = [
        Shown(setting_name(row.task, row.mode, row.context), row.model, row.mean, row.low, row.high)
        for row in rows
    ]
    largest = max((row.high for row in rows), default=1.0)
    scale = SHARES if _is_share(measure) else mean_scale(largest)
    return draw(f"decomposition-{measure}", title, shown, scale)


def _is_share(measure: str) -> bool:
    return measure in ("accuracy", "retrieval_rate")


def _confusion(results: Results) -> list[Figure]:
    """MINTQA's figure 14: rows are hops, columns the sub-questions that the model asked."""
    rows = results.sub_questions
    if not rows:
        return []
    runs = list(dict.fromkeys((row.model, row.task, row.context) for row in rows))
    panels = tuple(
        heat_map(
            f"confusion-{i}",
            f"{model}: {setting_name(task, 'generated', context)}",
            "In per cent of the row; rows are hops, columns the sub-questions that were asked.",
            [hops_in_words(n) for n in sorted({row.hops for row in rows})],
            [str(n) for n in sorted({row.generated for row in rows})],
            {
                (hops_in_words(row.hops), str(row.generated)): row.share
                for row in rows
                if (row.model, row.task, row.context) == (model, task, context)
            },
        )
        for i, (model, task, context) in enumerate(runs)
    )
    lines = [
        (
            *(row.model, setting_name(row.task, "generated", row.context), str(row.hops)),
            *(str(row.generated), f"{row.questions:,}", percent(row.share)),
        )
        for row in rows
    ]
    caption = (
        "Hops (rows) against the sub-questions that the model asked (columns), in per cent of the "
        "questions with as many hops. On the diagonal a model sees how many steps there are."
    )
    head = ("Model", "Setting", "Hops", "Sub-questions", "Questions", "% of the row")
    table = Table(head, tuple(lines), frozenset(head[2:]))
    return [Figure(caption, panels, table, "Hops against sub-questions")]


def _floor_bars(row: KnowledgeFloor) -> list[Shown]:
    heading = f"{row.unknown} not known (n = {row.n:,})"
    if row.direct is None or row.think is None:
        return []
    return [
        Shown(heading, "direct", row.direct, row.direct_low or 0, row.direct_high or 0),
        Shown(heading, "step by step", row.think, row.think_low or 0, row.think_high or 0),
    ]


def _optional(mean: float | None, low: float | None, high: float | None) -> str:
    return "" if mean is None else with_interval(mean, low or 0, high or 0)

"""The dataset itself: shortcuts, questions without an answer, what its passages give, and what
judges say of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from factchain.eval.dataset_results import JudgeScore, RefusalRatio
from factchain.eval.report.comparison_tables import p_value
from factchain.eval.report.figures import SHARES, Scale
from factchain.eval.report.panels import MeanScale, Shown, draw, signed, with_interval
from factchain.eval.report.tables import Figure, Table, percent
from factchain.eval.results import Results
from factchain.eval.setting_names import context_name

_PREDICTED = {
    "answer": "Answer",
    "support": "Passages that support it",
    "joint": "Answer and passages",
}
_RATIOS = {
    "acceptable": "Acceptable",
    "unanswered": "Refused",
    "clarification": "Asks for clarification",
    "answered": "Answered",
    "full_answer": "Withheld answer",
}
_SCORES = {"exact_match": "Exact match", "f1": "F1"}
_VERDICTS = {"detector": "detector", "judge": "judge"}
_GRADES = MeanScale((0, 1, 2, 3, 4, 5))
_MULTI_HOP = "multi_hop_reasoning"


def refusal_figures(results: Results) -> list[Figure]:
    """UAEval4RAG's ratios on questions that cannot be answered; a drawing for each, then by the
    hops that were withheld."""
    rows = sorted(results.refusals, key=lambda row: (row.model, row.mode, row.context))
    whole = [row for row in rows if row.withheld is None]
    if not whole:
        return []
    panels = tuple(
        draw(
            f"refusals-{ratio}",
            title,
            [
                Shown(_setting(row), row.model, row.mean, row.low, row.high)
                for row in sorted(whole, key=lambda row: (row.mode, row.context, row.model))
                if row.ratio == ratio
            ],
        )
        for ratio, title in _RATIOS.items()
        if any(row.ratio == ratio for row in whole)
    )
    caption = (
        "Replies to questions that cannot be answered from the corpus, in per cent. Acceptable is "
        "a refusal, or to point out that the information does not suffice; replies without a "
        "readable verdict are left out and counted. Look at the refusals of questions that can be "
        "answered, too: who always refuses is acceptable here."
    )
    figures = [Figure(caption, panels, _refusal_table(whole))]
    by_withheld = [row for row in rows if row.withheld is not None]
    if len({row.withheld for row in by_withheld}) > 1:
        settings = dict.fromkeys((row.model, row.mode, row.context) for row in by_withheld)
        drawn = tuple(
            draw(
                f"withheld-{number}",
                f"{model}: {_setting(of[0])}",
                [
                    Shown(_withheld(row.withheld), _RATIOS[row.ratio], row.mean, row.low, row.high)
                    for row in sorted(of, key=lambda row: row.withheld or 0)
                    if row.ratio in ("acceptable", "full_answer")
                ],
            )
            for number, (model, mode, context) in enumerate(settings)
            if (
                of := [
                    row
                    for row in by_withheld
                    if (row.model, row.mode, row.context) == (model, mode, context)
                ]
            )
        )
        caption = "Replies to questions that cannot be answered, in per cent, by what is withheld."
        figures.append(Figure(caption, drawn, _refusal_table(by_withheld)))
    return figures


def cheatability_figures(results: Results) -> list[Figure]:
    """CRUMQs' ratio of what is left without joining facts."""
    rows = sorted(
        results.cheatability, key=lambda row: ([*_PREDICTED].index(row.predicted), row.model)
    )
    if not rows:
        return []
    shown = [row for row in rows if row.ratio is not None]
    panels = tuple(
        draw(
            f"cheatability-{predicted}",
            _PREDICTED[predicted],
            [Shown("", row.model, row.ratio or 0.0, row.low or 0.0, row.high or 0.0) for row in of],
        )
        for predicted, of in groupby(shown, key=lambda row: row.predicted)
    )
    lines = tuple(
        (
            *(row.model, _PREDICTED[row.predicted], row.preferred or "", f"{row.n:,}"),
            *(percent(row.original), percent(row.probe)),
            "undefined"
            if row.ratio is None
            else with_interval(row.ratio, row.low or 0.0, row.high or 0.0),
        )
        for row in rows
    )
    caption = (
        "Cheatability: mean F1 of the best partition of the gold passages, bounded by the F1 with "
        "all of them, as a share of the latter in per cent. Low is good: a model must join facts. "
        "It is undefined where nothing is right. Of the two answers of a partition counts the one "
        "that the model is surer of (confidence), or else the better one (an upper bound)."
    )
    head = ("Model", "Predicted", "Preferred by", "n", "F1, all passages", "F1, probe", "Ratio")
    return [Figure(caption, panels, Table(head, lines, frozenset(head[3:])), "Cheatability")]


def gain_figures(results: Results) -> list[Figure]:
    """HopWeaver's question alone against question with its gold passages."""
    rows = sorted(results.document_gains, key=lambda row: (row.score, row.model))
    if not rows:
        return []
    panels = tuple(
        draw(
            f"gain-{score}",
            _SCORES[score],
            [
                shown
                for row in of
                for shown in (
                    Shown(
                        row.model,
                        "question alone",
                        *(row.question_only, row.question_only_low, row.question_only_high),
                    ),
                    Shown(
                        row.model,
                        "with gold passages",
                        *(row.with_passages, row.with_passages_low, row.with_passages_high),
                    ),
                )
            ],
        )
        for score, of in groupby(rows, key=lambda row: row.score)
    )
    lines = tuple(
        (
            *(row.model, _SCORES[row.score], f"{row.n:,}"),
            with_interval(row.question_only, row.question_only_low, row.question_only_high),
            with_interval(row.with_passages, row.with_passages_low, row.with_passages_high),
            *(signed(row.gain, row.low, row.high), p_value(row.p)),
        )
        for row in rows
    )
    caption = (
        "The question alone against the question with its gold passages, in per cent, on the "
        "same questions; the gain in points. A good question is answered with its passages and "
        "not without."
    )
    head = ("Model", "Score", "n", "Question alone", "With gold passages", "Gain", "p")
    table = Table(head, lines, frozenset(head[2:]))
    return [Figure(caption, panels, table, "What the passages give")]


def judge_figures(results: Results) -> list[Figure]:
    """HopWeaver's judges: the eleven dimensions, and how far the repeats of a judge agree."""
    figures = []
    if results.judge_scores:
        panels = tuple(
            draw(f"judge-{number}", title, map(_graded, rows), scale)
            for number, (title, scale, rows) in enumerate(_by_scale(results.judge_scores))
            if rows
        )
        lines = tuple(
            (
                *(row.judge, _dimension(row.dimension), f"{row.n:,}"),
                with_interval(row.mean, row.low, row.high, share=row.dimension == _MULTI_HOP),
            )
            for row in results.judge_scores
        )
        caption = (
            "What judges say of the questions: grades from 1 to 5, and the share of questions that "
            "need several hops, in per cent."
        )
        head = ("Judge", "Dimension", "n", "Mean")
        table = Table(head, lines, frozenset(head[2:]))
        figures.append(Figure(caption, panels, table, "Judges"))
    if results.judge_reliability:
        told = tuple(
            (
                *(row.judge, _dimension(row.dimension), f"{row.n:,}", f"{row.average_sd:.3f}"),
                *(_agreement(row.alpha), _agreement(row.kappa)),
            )
            for row in results.judge_reliability
        )
        caption = (
            "How far the repeats of a judge agree: the mean over the questions of the standard "
            "deviation of their grades, Krippendorff's alpha (ordinal) and Fleiss' kappa."
        )
        heads = ("Judge", "Dimension", "n", "Mean SD", "Alpha", "Kappa")
        table = Table(heads, told, frozenset(heads[2:]))
        figures.append(Figure(caption, (), table, "Reliability of the judges"))
    return figures


def _refusal_table(rows: Sequence[RefusalRatio]) -> Table:
    lines = tuple(
        (
            *(row.model, _setting(row), _withheld(row.withheld), _RATIOS[row.ratio]),
            *(f"{row.n:,}", f"{row.unread:,}", f"{row.failed:,}"),
            with_interval(row.mean, row.low, row.high),
        )
        for row in rows
    )
    head = ("Model", "Setting", "Withheld", "Reply", "n", "Not readable", "Not asked", "Per cent")
    return Table(head, lines, frozenset(head[4:]))


def _setting(row: RefusalRatio) -> str:
    return f"{context_name(row.context)}, {_VERDICTS.get(row.mode, row.mode)}"


def _withheld(hops: int | None) -> str:
    if hops is None:
        return "all"
    if not hops:
        return "about nobody in the graph"
    return f"{hops} hop{'' if hops == 1 else 's'} withheld"


def _by_scale(scores: Sequence[JudgeScore]) -> list[tuple[str, Scale, list[JudgeScore]]]:
    hops = [row for row in scores if row.dimension == _MULTI_HOP]
    grades = [row for row in scores if row.dimension != _MULTI_HOP]
    return [("Grades, 1 to 5", _GRADES, grades), ("Needs several hops", SHARES, hops)]


def _graded(row: JudgeScore) -> Shown:
    heading = "" if row.dimension == _MULTI_HOP else _dimension(row.dimension)
    return Shown(heading, row.judge, row.mean, row.low, row.high)


def _dimension(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _agreement(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"

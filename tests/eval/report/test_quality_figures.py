"""The dataset's quality in the report: refusals, cheatability, gain of passages, judges."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from factchain.eval.dataset_results import (
    DocumentGain,
    JudgeReliability,
    JudgeScore,
    RefusalRatio,
)
from factchain.eval.report.quality_figures import (
    cheatability_figures,
    gain_figures,
    judge_figures,
    refusal_figures,
)
from factchain.eval.report.sections import sections
from factchain.eval.results import Cheatability, Results


def shown(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter("text")]


def ratio(ratio: str, mean: float, **values: Any) -> RefusalRatio:
    return RefusalRatio.model_validate(
        {
            **{"mode": "detector", "context": "bm25", "model": "m", "withheld": None},
            **{"ratio": ratio, "n": 8, "unread": 1, "failed": 2, "mean": mean},
            **{"low": mean / 2, "high": (1 + mean) / 2},
        }
        | values
    )


def test_refusals_have_a_drawing_for_each_ratio() -> None:
    rows = (
        ratio("acceptable", 0.5),
        ratio("acceptable", 0.25, model="other"),
        ratio("answered", 0.75, context="none", mode="judge"),
    )
    (figure,) = refusal_figures(Results(refusals=rows))
    assert [shown(panel)[:6] for panel in figure.panels] == [
        ["Acceptable", "BM25, top 5, detector", "m", "50.0", "other", "25.0"],
        ["Answered", "No passages, judge", "m", "75.0", "0", "25"],
    ]
    assert all('class="whisker"' in panel for panel in figure.panels)
    assert figure.table.rows[0] == (
        *("m", "BM25, top 5, detector", "all", "Acceptable", "8", "1", "2", "50.0 (25.0–75.0)"),
    )
    assert refusal_figures(Results()) == []


def test_refusals_by_what_is_withheld_have_a_drawing_for_each_setting() -> None:
    by_withheld = [ratio("acceptable", 0.5, withheld=hops) for hops in (2, 0, 1)]
    everything = ratio("acceptable", 0.5)
    _, figure = refusal_figures(Results(refusals=(everything, *by_withheld)))
    words = shown(figure.panels[0])
    assert words[:2] == ["m: BM25, top 5, detector", "about nobody in the graph"]
    assert words.index("1 hop withheld") < words.index("2 hops withheld")
    assert len(figure.table.rows) == 3
    alone = refusal_figures(Results(refusals=(everything, by_withheld[0])))
    assert len(alone) == 1


def test_cheatability_has_a_bar_with_an_interval_and_is_undefined_without_a_score() -> None:
    def cheat(model: str, predicted: str, ratio: float | None) -> Cheatability:
        return Cheatability.model_validate(
            {
                **{"model": model, "predicted": predicted, "n": 9},
                "preferred": "upper bound" if predicted == "answer" else None,
                **{"original": 0.5 if ratio else 0.0, "probe": 0.5 * (ratio or 0.0)},
                **{"ratio": ratio, "low": ratio and ratio / 2, "high": ratio and 1.0},
            }
        )

    rows = (cheat("m", "support", 0.25), cheat("m", "answer", 0.5), cheat("n", "answer", None))
    (figure,) = cheatability_figures(Results(cheatability=rows))
    assert [shown(panel)[:3] for panel in figure.panels] == [
        ["Answer", "m", "50.0"],
        ["Passages that support it", "m", "25.0"],
    ]
    assert all(panel.count('class="whisker"') == 1 for panel in figure.panels)
    assert figure.table.rows == (
        ("m", "Answer", "upper bound", "9", "50.0", "25.0", "50.0 (25.0–100.0)"),
        ("n", "Answer", "upper bound", "9", "0.0", "0.0", "undefined"),
        ("m", "Passages that support it", "", "9", "50.0", "12.5", "25.0 (12.5–100.0)"),
    )


def test_the_gain_of_passages_has_both_scores_side_by_side() -> None:
    gain = DocumentGain(
        **{"model": "m", "score": "f1", "n": 7, "gain": 0.5, "low": 0.25, "high": 0.75},
        **{"question_only": 0.25, "question_only_low": 0.0, "question_only_high": 0.5},
        **{"with_passages": 0.75, "with_passages_low": 0.5, "with_passages_high": 1.0},
        p=0.0005,
    )
    (figure,) = gain_figures(Results(document_gains=(gain,)))
    assert shown(figure.panels[0])[:6] == [
        *("F1", "m", "question alone", "25.0", "with gold passages", "75.0")
    ]
    assert figure.table.rows == (
        (
            *("m", "F1", "7", "25.0 (0.0–50.0)", "75.0 (50.0–100.0)"),
            *("+50.0 (+25.0 to +75.0)", "< 0.001"),
        ),
    )


def test_judges_are_drawn_on_two_scales() -> None:
    scores = (
        JudgeScore(judge="j", dimension="multi_hop_reasoning", n=5, mean=0.8, low=0.4, high=1),
        JudgeScore(judge="j", dimension="logical_sophistication", n=5, mean=3.5, low=3, high=4),
    )
    spread = JudgeReliability(
        judge="j", dimension="fluency", n=5, average_sd=0.25, alpha=None, kappa=0.5
    )
    scored, reliable = judge_figures(Results(judge_scores=scores, judge_reliability=(spread,)))
    assert [shown(panel)[:4] for panel in scored.panels] == [
        ["Grades, 1 to 5", "Logical sophistication", "j", "3.50"],
        ["Needs several hops", "j", "80.0", "0"],
    ]
    assert scored.table.rows == (
        ("j", "Multi hop reasoning", "5", "80.0 (40.0–100.0)"),
        ("j", "Logical sophistication", "5", "3.50 (3.00–4.00)"),
    )
    assert reliable.table.rows == (("j", "Fluency", "5", "0.250", "undefined", "0.500"),)
    assert [one.title for one in sections(Results(judge_scores=scores), {})] == [
        "Quality of the questions"
    ]

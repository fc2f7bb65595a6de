from __future__ import annotations

from xml.etree import ElementTree

from factchain.eval.report.records import ReportData
from factchain.eval.report.score_figures import BASELINE, model_figures, score_name


def shown(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter("text")]


def test_scores_by_setting_have_a_drawing_for_each_score(data: ReportData) -> None:
    figure = model_figures(data.results.scores, BASELINE, "m")[0]
    assert figure.caption == "From memory, and with passages. Scores in per cent, by setting."
    assert [shown(panel)[0] for panel in figure.panels] == ["Accuracy", "Exact match", "F1"]
    assert shown(figure.panels[0])[1:7] == [
        *("No passages", "0.0", "BM25, top 5", "25.0", "Gold passages", "50.0")
    ]
    scores = ("Accuracy", "Accuracy with aliases", "Exact match", "F1")
    assert figure.table.head == ("Questions", "Setting", "n", "Not asked", *scores)
    assert figure.table.rows == tuple(
        ("all", setting, "4", "1", *[cell] * 4)
        for setting, cell in (
            ("No passages", "0.0 (0.0–50.0)"),
            ("BM25, top 5", "25.0 (12.5–62.5)"),
            ("Gold passages", "50.0 (25.0–75.0)"),
        )
    )


def test_scores_by_hops_are_grouped_in_order(data: ReportData) -> None:
    figure = model_figures(data.results.scores, BASELINE, "m")[1]
    assert (
        figure.caption == "From memory, and with passages. Scores in per cent, by hops and setting."
    )
    assert [row[:2] for row in figure.table.rows] == [
        (hops, setting)
        for hops in ("1 hop", "2 hops")
        for setting in ("No passages", "BM25, top 5", "Gold passages")
    ]
    words = shown(figure.panels[0])
    assert words.index("1 hop") < words.index("2 hops")


def test_scores_by_topology_and_by_kind_have_a_figure_each(data: ReportData) -> None:
    overall = [s for s in data.results.scores if not s.by]
    scores = [
        *overall,
        *(s.model_copy(update={"topology": "bridge"}) for s in overall),
        *(s.model_copy(update={"kind": "count"}) for s in overall),
    ]
    everything, by_topology, by_kind = model_figures(scores, BASELINE, "m")
    assert {row[0] for row in everything.table.rows} == {"all"}
    assert {row[0] for row in by_topology.table.rows} == {"bridge"}
    assert {row[0] for row in by_kind.table.rows} == {"count"}
    assert "by kind of hop" in by_kind.caption
    assert shown(by_topology.panels[0])[1:4] == ["bridge", "No passages", "0.0"]


def test_scores_by_pattern_have_a_figure_for_each_axis(data: ReportData) -> None:
    popularity, recency = model_figures(data.results.scores, BASELINE, "m")[2:]
    assert "● popular, ○ unpopular" in popularity.caption
    assert "● old, ○ new" in recency.caption
    assert [shown(panel)[0] for panel in popularity.panels] == [
        *("No passages", "BM25, top 5", "Gold passages")
    ]
    assert shown(popularity.panels[2])[1:7] == ["1 hop", "●", "50.0", "2 hops", "●○", "50.0"]
    assert {row[0] for row in recency.table.rows} == {"old, new"}


def test_scores_by_axis_are_drawn_where_they_are(data: ReportData) -> None:
    of_axis = [s.model_copy(update={"axis": "recency"}) for s in data.results.scores if not s.hops]
    (figure,) = model_figures(of_axis, BASELINE, "m")
    assert (
        figure.caption == "From memory, and with passages. Scores in per cent, by axis and setting."
    )
    assert [row[0] for row in figure.table.rows] == ["recency"] * 3
    assert shown(figure.panels[0])[1] == "recency"


def test_every_bar_of_a_score_has_its_interval(data: ReportData) -> None:
    for panel in model_figures(data.results.scores, BASELINE, "m")[0].panels:
        paths = [path.attrib["class"] for path in ElementTree.fromstring(panel).iter("path")]
        assert paths == ["whisker"] * 3


def test_no_scores_no_figure() -> None:
    assert model_figures([], BASELINE, "m") == []


def test_a_floor_is_a_dashed_line_at_the_best_of_the_floors(data: ReportData) -> None:
    overall = [s for s in data.results.scores if not s.by and s.score == "accuracy"]
    floors = [
        s.model_copy(update={"model": model, "mean": mean})
        for s in overall
        for model, mean in (("floor/random", 0.1), ("floor/most-frequent", 0.2))
        if s.context == "gold"
    ]
    (figure,) = model_figures([*overall, *floors], BASELINE, "m")
    assert [row[1] for row in figure.table.rows] == [
        *("No passages", "BM25, top 5", "Gold passages")
    ]
    drawing = ElementTree.fromstring(figure.panels[0])
    lines = [line for line in drawing.iter("line") if line.get("class") in ("floor", "grid")]
    (floor,) = [float(line.attrib["x1"]) for line in lines if line.get("class") == "floor"]
    quarters = [float(line.attrib["x1"]) for line in lines if line.get("class") == "grid"]
    step = quarters[1] - quarters[0]
    assert abs(floor - (quarters[0] - step * 0.2)) < 0.1  # a fifth of 25 below the line of 25
    assert "Gold passages: 50.0 (25.0 to 75.0), floor 20.0" in figure.panels[0]


def test_a_score_that_one_setting_lacks_leaves_its_cell_empty(data: ReportData) -> None:
    rows = [s for s in data.results.scores if (s.context, s.score) != ("none", "f1")]
    figure = model_figures(rows, BASELINE, "m")[0]
    assert figure.table.rows[0][-1] == ""
    assert len(figure.panels) == 3


def test_tasks_of_one_kind_are_drawn_together(data: ReportData) -> None:
    overall = [s for s in data.results.scores if not s.by and s.context == "gold"]
    scores = [
        one.model_copy(update={"task": task, "mode": mode})
        for one in overall
        for task, mode in (
            ("retrieval", "open"),
            ("decomposition", "given"),
            ("stepwise", "own-open"),
            ("strategy", "question"),
        )
    ]
    figures = model_figures(scores, BASELINE, "m")
    assert [(figure.caption.partition(".")[0], figure.table.rows[0][1]) for figure in figures] == [
        ("From memory, and with passages", "Gold passages"),
        ("Sub-questions", "Given sub-questions, gold passages"),
        ("Hop by hop", "Each hop, own inputs, gold passages"),
        ("Decisions", "How to answer a question, gold passages"),
    ]


def test_names_of_scores() -> None:
    assert [score_name(s) for s in ("f1", "accuracy_word", "other")] == [
        *("F1", "Accuracy, whole words", "other")
    ]

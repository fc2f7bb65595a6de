"""Review: Label Studio's files, scores, agreement and corrections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from factchain.cli import main
from factchain.errors import ConfigError, InputError
from factchain.questions.records import Question
from factchain.questions.review.agreement import agreement, alpha, kappa, raw_agreement
from factchain.questions.review.decide import Decision, review_questions
from factchain.questions.review.exports import Annotation, read_export
from factchain.questions.review.label_studio import (
    checksum,
    labelling_config,
    task,
    write_project,
)
from factchain.questions.review.records import Review
from factchain.records import read_records, write_records
from small_dataset import HOSTILE, small_questions

SOURCE = Path("export.json")


def rating(name: str, score: int) -> dict[str, Any]:
    return {"from_name": name, "to_name": "question", "type": "rating", "value": {"rating": score}}


def text(name: str, words: str) -> dict[str, Any]:
    return {
        "from_name": name,
        "to_name": "question",
        "type": "textarea",
        "value": {"text": [words]},
    }


def annotation(reviewer: Any, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    fields = {"id": 1, "completed_by": reviewer, "result": list(results), "was_cancelled": False}
    return fields | {"updated_at": "2026-01-01T00:00:00Z"} | more


def exported(question: Question, *annotations: dict[str, Any]) -> dict[str, Any]:
    return task(question) | {"id": 7, "annotations": list(annotations), "predictions": []}


def written(path: Path, *entries: Any) -> Path:
    path.write_text(json.dumps(list(entries)))
    return path


def decide(
    question: Question, *annotations: dict[str, Any], path: Path, **settings: Any
) -> tuple[Question | None, Review]:
    found = read_export(written(path, exported(question, *annotations)))
    kept, (review,) = review_questions([question], found, Decision(**settings), path)
    return (kept[0] if kept else None), review


def test_labels_stand_in_the_tasks_alone_and_as_text(tmp_path: Path) -> None:
    questions = small_questions()
    assert write_project(questions, tmp_path) == 5
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    hostile = tasks[2]["data"]
    assert HOSTILE in hostile["question"]
    assert " ".join(HOSTILE.split()) in hostile["chain"], "on one line"
    assert hostile["options"] == "A. Warsaw\nB. Paris\nC. London\nD. Berlin"
    config = (tmp_path / "labelling.xml").read_text()
    assert "script" not in config
    view = Xml.fromstring(config)
    fields = {f"${name}" for name in hostile}
    for shown in view.iter("Text"):
        assert shown.get("valueType") == "text", "shown as text, never as HTML"
        assert shown.get("value", "").partition("[")[0] in fields
    assert {tag.tag for tag in view.iter()} == {
        *("View", "Header", "Text", "Rating", "TextArea", "Repeater"),
    }


def test_the_chain_is_drawn_hop_by_hop() -> None:
    drawn = task(small_questions()[1])["data"]["chain"]
    assert drawn.splitlines() == [
        "(1) lookup",
        "    Hamlet - author - William Shakespeare",
        "    = William Shakespeare",
        "(1) -> (2) lookup",
        "    William Shakespeare - place of birth - Stratford-upon-Avon",
        "    = Stratford-upon-Avon",
    ]


def test_the_rubric_is_asked_of_the_question_and_of_every_hop() -> None:
    view = Xml.fromstring(labelling_config())
    (repeater,) = view.iter("Repeater")
    of_hops = [tag.get("name") for tag in repeater.iter("Rating")]
    assert of_hops == ["factuality_{{idx}}", "distractors_{{idx}}", "hop_fluency_{{idx}}"]
    of_all = [tag.get("name") for tag in view.iter("Rating")]
    assert of_all[:5] == ["logic", "consistency", "obscurity", "fluency", "complexity"]
    names = {tag.get("name") for tag in view.iter("Text")}
    for tag in (*view.iter("Rating"), *view.iter("TextArea")):
        assert tag.get("toName") in names
        assert tag.get("maxRating", "5") == "5"


def test_a_sample_is_drawn_by_the_seed(tmp_path: Path) -> None:
    questions = small_questions()

    def ids(seed: int) -> list[str]:
        assert write_project(questions, tmp_path, sample=3, seed=seed) == 3
        tasks = json.loads((tmp_path / "tasks.json").read_text())
        return [one["data"]["question_id"] for one in tasks]

    assert ids(1) == ids(1) == sorted(ids(1))
    assert len({tuple(ids(seed)) for seed in range(8)}) > 1
    with pytest.raises(InputError, match="no question to review"):
        write_project([], tmp_path)
    with pytest.raises(InputError, match="one id"):
        write_project([questions[0], questions[0]], tmp_path)


def test_json_and_json_min_say_the_same(tmp_path: Path) -> None:
    question = small_questions()[1]
    results = [rating("logic", 4), rating("factuality_1", 5), text("corrected_hop_0", "Who?")]
    whole = written(tmp_path / "a.json", exported(question, annotation(3, *results)))
    short = written(
        tmp_path / "b.json",
        task(question)["data"]
        | {
            "id": 7,
            "annotator": 3,
            "annotation_id": 1,
            "updated_at": "2026-01-01T00:00:00Z",
            "logic": [{"rating": 4}],
            "factuality_1": 5,
            "corrected_hop_0": "Who?",
        },
    )
    (found,) = read_export(whole)
    assert read_export(short) == [found]
    assert found.scores == {(None, "logic"): 4, (2, "factuality"): 5}
    assert found.corrections == {1: "Who?"}
    assert (found.question, found.reviewer) == ("q-2", "3")


def test_the_last_annotation_of_a_reviewer_counts(tmp_path: Path) -> None:
    question = small_questions()[1]
    path = written(
        tmp_path / "a.json",
        exported(
            question,
            annotation({"id": 9, "email": "x"}, rating("logic", 1), updated_at="2026-02-01"),
            annotation("x", rating("logic", 5), updated_at="2026-03-01"),
            annotation("x", rating("logic", 2), updated_at="2026-01-01"),
            annotation("x", rating("logic", 1), updated_at="2026-09-01", was_cancelled=True),
        ),
        task(question),  # nobody's yet
    )
    (found,) = read_export(path)
    assert found.scores == {(None, "logic"): 5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no JSON"),
        ("{}", "is no list of tasks"),
        ("[3]", "task 1: is no object"),
        ('[{"id": 1}]', "task 1: is no task of"),
        ('[{"annotations": []}]', "task 1: data: is missing"),
        ('[{"annotations": [{"completed_by": 1}], "data": {}}]', "question_id: is missing"),
    ],
)
def test_a_broken_export_is_told(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "export.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_export(path)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (rating("logic", 6), "logic: 6 is no score from 1 to 5"),
        (rating("logic", 0), "no score"),
        (rating("factuality_0", True), "no score"),
        ({"from_name": "comment", "value": {"text": [3]}}, "comment: is no text"),
        ({"value": 3}, "has no from_name"),
    ],
)
def test_a_broken_annotation_is_told(tmp_path: Path, result: Any, message: str) -> None:
    path = written(tmp_path / "export.json", exported(small_questions()[0], annotation(1, result)))
    with pytest.raises(InputError, match=message):
        read_export(path)


def test_a_review_of_another_wording_is_refused() -> None:
    question = small_questions()[0]
    seen = Annotation(question.id, checksum(question), "x", "", 1)
    other = question.model_copy(update={"question": "Who is the author of Hamlet?"})
    with pytest.raises(InputError, match="q-1 was reviewed in another wording"):
        review_questions([other], [seen], Decision(), SOURCE)
    with pytest.raises(InputError, match="q-1, which the questions file has not"):
        review_questions([], [seen], Decision(), SOURCE)


def test_a_good_correction_is_applied_and_verified(tmp_path: Path) -> None:
    better = "In which place was the author of the play Hamlet born?"
    question, review = decide(
        small_questions()[1],
        annotation("x", rating("logic", 5), text("corrected_question", better)),
        path=tmp_path / "e.json",
    )
    assert question is not None
    assert question.question == better
    checks = {verdict.check: verdict for verdict in question.provenance.verdicts}
    assert list(checks) == ["symbolic", "leak", "coverage", "review"]
    assert all(verdict.passed for verdict in checks.values())
    assert "1 scores of 1 reviewers, mean 5.00" in checks["review"].evidence
    (correction,) = review.corrections
    assert (correction.applied, correction.why) == (True, "passed the checks")
    assert (correction.reviewer, correction.after) == ("x", better)
    assert question.answer == small_questions()[1].answer


@pytest.mark.parametrize(
    ("proposed", "why"),
    [
        ("Where was William Shakespeare, author of Hamlet, born?", "leak: names William Shakesp"),
        ("What is the birthplace of Hamlet?", "coverage: does not say author"),
        ("What is the birthplace of the author of Hamlet?", "the wording is as it was"),
    ],
)
def test_a_bad_correction_is_not_applied(tmp_path: Path, proposed: str, why: str) -> None:
    before = small_questions()[1]
    question, review = decide(
        before,
        annotation("x", rating("logic", 5), text("corrected_question", proposed)),
        path=tmp_path / "e.json",
    )
    assert question is not None
    assert question.question == before.question
    assert not review.corrections[0].applied
    assert why in review.corrections[0].why


@pytest.mark.parametrize(
    ("proposed", "template", "why"),
    [
        ("Where was #1 born?", "Where was #1 born?", "passed"),
        ("Where was William Shakespeare born?", "Where was #1 born?", "passed"),
        ("Where was the author born?", None, "does not name William Shakespeare, the answer of ho"),
        ("Was #1 born in Stratford-upon-Avon?", None, "leak: names Stratford-upon-Avon"),
        ("Who is #1?", None, "coverage: does not say place of birth"),
        ("Where was #1 born, and #2?", None, "speaks of #2"),
    ],
)
def test_a_hop_keeps_what_it_needs(
    tmp_path: Path, proposed: str, template: str | None, why: str
) -> None:
    before = small_questions()[1]
    question, review = decide(
        before,
        annotation("x", rating("logic", 5), text("corrected_hop_1", proposed)),
        path=tmp_path / "e.json",
    )
    assert question is not None
    assert why in review.corrections[0].why
    if template is None:
        assert question.sub_questions == before.sub_questions
    else:
        assert question.sub_questions[1].template == template
        assert question.sub_questions[1].question == "Where was William Shakespeare born?"


def test_the_wording_of_most_reviewers_is_taken(tmp_path: Path) -> None:
    most = "In which town was the author of Hamlet born?"
    late = "Which is the birthplace of the author of Hamlet?"
    question, review = decide(
        small_questions()[1],
        annotation("a", rating("logic", 5), text("corrected_question", most)),
        annotation("b", rating("logic", 5), text("corrected_question", most)),
        annotation("c", text("corrected_question", late), text("comment", "Hm"), updated_at="9"),
        path=tmp_path / "e.json",
    )
    assert question is not None
    assert question.question == most
    assert [correction.applied for correction in review.corrections] == [True, True, False]
    assert review.corrections[2].why == "another wording was chosen"
    assert [(one.reviewer, one.text) for one in review.comments] == [("c", "Hm")]


@pytest.mark.parametrize(
    ("threshold", "rule", "kept"),
    [(4, "mean", True), (4.1, "mean", False), (3, "each", True), (3.1, "each", False)],
)
def test_the_threshold(tmp_path: Path, threshold: float, rule: str, kept: bool) -> None:
    question, review = decide(
        small_questions()[1],
        annotation("a", rating("logic", 5), rating("factuality_1", 2)),
        annotation("b", rating("logic", 5), rating("factuality_1", 4)),
        path=tmp_path / "e.json",
        threshold=threshold,
        rule=rule,
    )
    assert review.mean == 4
    assert (question is not None) is kept
    assert review.outcome == ("kept" if kept else "below the threshold")


def test_questions_that_nobody_scored_are_kept_where_asked_for() -> None:
    questions = small_questions()
    for keep in (False, True):
        kept, reviews = review_questions(questions, [], Decision(keep_unreviewed=keep), SOURCE)
        assert kept == (questions if keep else [])
        assert {review.outcome for review in reviews} == {"not reviewed"}
    with pytest.raises(ConfigError, match="threshold 6"):
        Decision(threshold=6)


def test_agreement_by_hand() -> None:
    # Krippendorff's example of four raters and twelve units: ordinal 0.815 (SPEC.md 1.13).
    missing = None
    raters = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, missing, missing, missing],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, missing, 3],
        [missing, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, missing],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, missing],
    ]
    units = [
        {str(r): row[n] for r, row in enumerate(raters) if row[n] is not None} for n in range(12)
    ]
    assert alpha(units) == pytest.approx(0.815, abs=5e-4)
    # Rows of [0, 0, 1, 2, 2] have a kappa of -0.25 (SPEC.md 1.13).
    assert kappa([[3, 4, 4, 5, 5]] * 4) == pytest.approx(-0.25)
    assert kappa([[5, 5], [5, 5]]) == 1
    assert kappa([]) is None
    assert alpha([{"a": 5, "b": 5}]) is None
    assert raw_agreement([[1, 1, 2], [3, 3]]) == pytest.approx(2 / 4)
    assert raw_agreement([]) is None


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(1, 5), min_size=1), max_size=12)
)
def test_agreement_rests_on_shared_units(units: list[dict[str, int]]) -> None:
    annotations = [
        Annotation(f"q-{n}", "", reviewer, "", 1, scores={(None, "logic"): score})
        for n, unit in enumerate(units)
        for reviewer, score in unit.items()
    ]
    rows = {row.criterion: row for row in agreement(annotations)}
    shared = [unit for unit in units if len(unit) > 1]
    assert rows["all"].units == len(shared)
    assert set(rows) == ({"logic", "all"} if units else {"all"})
    pairs = [unit[a] == unit[b] for unit in shared for a in unit for b in unit if a < b]
    assert rows["all"].raw == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)
    if pairs and all(pairs):
        assert rows["all"].alpha in (None, pytest.approx(1))
        assert rows["all"].kappa == pytest.approx(1)


def test_there_and_back_by_the_commands(tmp_path: Path) -> None:
    questions = small_questions()
    write_records(tmp_path / "questions.jsonl", questions)
    project = tmp_path / "project"
    sent = CliRunner().invoke(
        main,
        ["questions", "review", "export", str(tmp_path / "questions.jsonl"), "--out", str(project)],
    )
    assert sent.exit_code == 0, sent.output
    tasks = json.loads((project / "tasks.json").read_text())
    for number, one in enumerate(tasks[:2]):
        one["annotations"] = [
            annotation(who, rating("logic", 5 - number), rating("factuality_0", 4 - number))
            for who in ("a", "b")
        ]
    written(tmp_path / "export.json", *tasks)
    arguments = [
        *("questions", "review", "import", str(tmp_path / "export.json")),
        *("--questions", str(tmp_path / "questions.jsonl")),
        *("--out", str(tmp_path / "reviewed.jsonl")),
    ]
    result = CliRunner().invoke(main, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["questions"]["kept"] == 1
    assert told["questions"]["below the threshold"] == 1
    assert told["questions"]["not reviewed"] == 3
    overall = told["agreement"][-1]
    assert (overall["units"], overall["raw"], overall["alpha"]) == (4, 1.0, pytest.approx(1))
    assert [q.id for q in read_records(tmp_path / "reviewed.jsonl", Question)] == ["q-1"]
    reviews = list(read_records(tmp_path / "review.jsonl", Review))
    assert [review.question for review in reviews] == [question.id for question in questions]
    shown = CliRunner().invoke(main, arguments)
    assert "factuality" in shown.output
    (tmp_path / "reviewed.jsonl").unlink()
    written(tmp_path / "export.json", {"id": 1})
    broken = CliRunner().invoke(main, arguments)
    assert broken.exit_code == 1
    assert "task 1: is no task" in broken.stderr
    assert not (tmp_path / "reviewed.jsonl").exists()

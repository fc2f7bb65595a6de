"""The probe with models of known behaviour, by hand."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import (
    ChatMessage,
    Logprob,
    Logprobs,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from scipy import stats
from sklearn import metrics

import score_rows
from factchain.chains.records import TypedValue
from factchain.errors import ConfigError, InputError
from factchain.eval import compat_scores, prompts
from factchain.eval.cheatability import cheatability, reduction
from factchain.eval.probes import (
    MEASURES,
    answer_measures,
    partitions,
    parts,
    probe,
    set_measures,
    with_support,
)
from factchain.eval.prompts import Prompt
from factchain.eval.results import Cheatability
from factchain.eval.scores import read_scores
from factchain.eval.suite import run_suite
from factchain.questions import text_scores
from factchain.questions.records import Answer, Question
from factchain.records import write_records
from prompted_model import PromptedModel


@given(st.integers(2, 6))
def test_every_partition_once(n: int) -> None:
    whole = tuple("abcdef"[:n])
    found = [frozenset(map(frozenset, pair)) for pair in partitions(whole)]
    assert len(found) == len(set(found)) == 2 ** (n - 1) - 1
    assert all(a | b == set(whole) and not a & b for a, b in map(tuple, found))
    assert set(parts(whole)) == {part for size in range(1, n) for part in combinations(whole, size)}


PASSAGES = st.sets(st.sampled_from("abcdef"))


@given(PASSAGES, PASSAGES.filter(bool))
def test_sets_are_measured_as_scikit_learn_does(predicted: set[str], gold: set[str]) -> None:
    said, right = ([one in named for one in "abcdef"] for named in (predicted, gold))
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        right, said, average="binary", zero_division=0
    )
    assert set_measures(predicted, gold) == {
        "f1": pytest.approx(f1),
        "exact_match": float(predicted == gold),
        "precision": pytest.approx(precision),
        "recall": pytest.approx(recall),
    }


WORDS = st.lists(st.sampled_from(["paris", "rome", "the", "x"]), max_size=4).map(" ".join)


@given(WORDS, WORDS)
def test_answers_are_measured_as_hotpotqa_does(said: str, gold: str) -> None:
    """But where both sides are empty, which is the same here and 0 there."""
    found = answer_measures(said, [Answer(label=gold, kind="text")])
    assert found["exact_match"] == text_scores.exact_match(said, [gold])
    if text_scores.normalise(gold) or text_scores.normalise(said):
        reference = compat_scores.overlap_hotpotqa_compat(said, gold)
        assert {name: found[name] for name in reference._fields} == pytest.approx(
            reference._asdict()
        )
    else:
        assert set(found.values()) == {1}


def test_a_value_that_is_written_otherwise_is_the_same() -> None:
    value = TypedValue(datatype="quantity", value="35", label="35")
    gold = Answer(label="35", kind="number", value=value)
    assert answer_measures("thirty-five", [gold]) == dict.fromkeys(MEASURES, 1)
    assert answer_measures("36", [gold]) == dict.fromkeys(MEASURES, 0)
    # of several gold answers the one with the best F1 gives precision and recall
    other = Answer(label="New York City", kind="text")
    assert answer_measures("york", [gold, other]) == {
        **{"f1": 0.5, "exact_match": 0, "precision": 1},
        "recall": pytest.approx(1 / 3),
    }


MEASURED = st.fixed_dictionaries(dict.fromkeys(MEASURES, st.floats(0, 1)))


@given(MEASURED, MEASURED)
def test_joint_measures_are_products(answer: dict[str, float], support: dict[str, float]) -> None:
    found = with_support(answer, support)
    assert {name: found[name] for name in MEASURES} == answer
    assert {name: found[f"support_{name}"] for name in MEASURES} == support
    precision = answer["precision"] * support["precision"]
    recall = answer["recall"] * support["recall"]
    assert (found["joint_precision"], found["joint_recall"]) == (precision, recall)
    assert found["joint_f1"] * (precision + recall) == pytest.approx(2 * precision * recall)
    assert found["joint_exact_match"] == min(answer["exact_match"], support["exact_match"])


def probed(workspace: Path, model: PromptedModel) -> tuple[dict[str, Any], list[Cheatability]]:
    run_suite(workspace, model.model, ["probe"])
    table = read_scores(workspace / "eval" / "scores.parquet")
    return {row["question"]: row for row in table.to_pylist()}, cheatability(table)


def reply(answer: str, documents: list[int]) -> str:
    return json.dumps({"answer": answer, "documents": documents})


def test_a_model_that_joins(workspace: Path) -> None:
    """Right only where it sees as many documents as the question has hops."""
    answers = {"Radium": ("Warsaw", 2), "In which": ("United Kingdom", 3), "capital": ("London", 4)}

    def join(prompt: Prompt) -> str:
        gold, hops = next(a for word, a in answers.items() if word in prompt.question)
        n = len(prompt.documents)
        return reply(gold if n == hops else "no", list(range(1, n + 1)))

    model = PromptedModel(join)
    rows, (answer, support, joint) = probed(workspace, model)
    assert set(rows) == {"q-2", "q-3", "q-4"}  # the others have one gold passage
    assert len(model.asked) == 3 + 7 + 15
    assert [rows[q]["f1"] for q in rows] == [1, 1, 1]
    assert [rows[q]["probe_f1"] for q in rows] == [0, 0, 0]
    assert (answer.n, answer.original, answer.probe, answer.ratio) == (3, 1, 0, 0)
    # It names all that it sees: the union of two parts is the whole.
    assert (support.original, support.probe, support.ratio) == (1, 1, 1)
    assert (joint.original, joint.probe, joint.ratio, joint.low, joint.high) == (1, 0, 0, 0, 0)
    assert [one.preferred for one in (answer, support, joint)] == [
        *("upper bound", None, "upper bound")
    ]


def test_a_model_that_guesses_from_one_passage(workspace: Path) -> None:
    """Right where it sees the passage of Marie Curie."""

    def guess(prompt: Prompt) -> str:
        titles = [document.title for document in prompt.documents]
        if "Marie Curie" in titles:
            return reply("Warsaw", [titles.index("Marie Curie") + 1])
        return reply("no", [])

    rows, (answer, support, joint) = probed(workspace, PromptedModel(guess))
    assert (rows["q-2"]["f1"], rows["q-2"]["probe_f1"], rows["q-2"]["probe_f1_min"]) == (1, 1, 1)
    assert rows["q-2"]["support_f1"] == pytest.approx(2 / 3)
    assert rows["q-2"]["probe_support_f1"] == pytest.approx(2 / 3)
    assert answer.ratio == 1
    assert answer.original == pytest.approx(1 / 3)
    assert support.ratio == 1
    row = rows["q-2"]
    # One of two passages named: precision 1, recall 1/2; of the answer both are 1.
    for name, by_hand in {
        **{"precision": 1, "recall": 1, "support_exact_match": 0, "support_precision": 1},
        **{"support_recall": 1 / 2, "joint_precision": 1, "joint_recall": 1 / 2},
        **{"joint_f1": 2 / 3, "joint_exact_match": 0},
    }.items():
        assert row[name] == row[f"probe_{name}"] == pytest.approx(by_hand), name
    assert joint.original == pytest.approx(2 / 9)


def test_the_probe_never_scores_more_than_the_whole(workspace: Path) -> None:
    def confused(prompt: Prompt) -> str:
        return reply("Warsaw" if len(prompt.documents) == 1 else "no", [1])

    rows, (answer, *_) = probed(workspace, PromptedModel(confused))
    assert [row["probe_f1"] for row in rows.values()] == [0, 0, 0]
    assert (answer.original, answer.ratio, answer.low, answer.high) == (0, None, None, None)


class SureModel:
    """Says an answer with its log-probability by the titles that it sees; all passages support."""

    def __init__(self, says: dict[str, tuple[str, float]]) -> None:
        self.says = says

    @property
    def model(self) -> Model:
        def generate(input: list[ChatMessage], *_: object) -> ModelOutput:
            prompt = prompts.read(input[-1].text)
            titles = "+".join(document.title for document in prompt.documents)
            answer, sure = self.says[titles]
            said = ['{"answer": "', answer, '", "documents": [1]}']
            output = ModelOutput.from_content("scripted", "".join(said))
            output.usage = ModelUsage()
            # What stands around the answer is always sure, and does not count.
            tokens = [Logprob(token=t, logprob=p) for t, p in zip(said, (0, sure, 0), strict=True)]
            output.choices[0].logprobs = Logprobs(content=tokens)
            return output

        return get_model("mockllm/scripted", custom_outputs=generate)


@pytest.mark.parametrize(
    ("radium", "curie", "f1"),
    [
        (("Paris", -0.1), ("Warsaw", -0.2), 0),
        (("Paris", -0.2), ("Warsaw", -0.1), 1),
        (("Paris", -0.1), ("Warsaw", -0.1), 1),  # of two as sure the second counts
        (("Warsaw", -0.1), ("Paris", -0.1), 0),
    ],
)
def test_the_answer_counts_that_the_model_is_surer_of(
    workspace: Path,
    questions: list[Question],
    radium: tuple[str, float],
    curie: tuple[str, float],
    f1: float,
) -> None:
    write_records(workspace / "questions.jsonl", [questions[1]])
    says = {"Radium": radium, "Marie Curie": curie, "Radium+Marie Curie": ("Warsaw", -9.0)}
    run_suite(workspace, SureModel(says).model, ["probe"])
    table = read_scores(workspace / "eval" / "scores.parquet")
    (row,) = table.to_pylist()
    assert (row["probe_by_confidence"], row["f1"], row["probe_f1"]) == (1, 1, f1)
    assert row["probe_f1_mean"] == row["probe_f1_min"] == f1
    assert (row["probe_support_f1"], row["support_f1"]) == (pytest.approx(2 / 3),) * 2
    answer, support, joint = cheatability(table)
    assert (answer.preferred, support.preferred, joint.preferred) == (
        *("confidence", None, "confidence"),
    )
    assert (answer.ratio, joint.ratio) == (f1, f1)


def test_without_log_probabilities_the_better_answer_counts(
    workspace: Path, questions: list[Question]
) -> None:
    write_records(workspace / "questions.jsonl", [questions[1]])
    said = {"Radium": "Paris", "Marie Curie": "Warsaw"}
    model = PromptedModel(lambda prompt: reply(said[prompt.documents[-1].title], [1]))
    rows, (answer, _, joint) = probed(workspace, model)
    assert (rows["q-2"]["probe_by_confidence"], rows["q-2"]["probe_f1"]) == (0, 1)
    assert answer.preferred == joint.preferred == "upper bound"
    # Not asked for, none are given: the request of a server that refuses them has none.
    assert probe(str(workspace)).config.logprobs is True
    assert probe(str(workspace), logprobs=False).config.logprobs is None


def row_of(chain: str, probe_f1: float, f1: float) -> dict[str, Any]:
    scores = {"f1": f1, "support_f1": f1, "joint_f1": f1, "probe_by_confidence": 1.0}
    probes = {f"probe_{name}": probe_f1 for name in ("f1", "support_f1", "joint_f1")}
    return score_rows.row(
        f"{chain}-{probe_f1}-{f1}", 1, task="probe", chain=chain, **scores, **probes
    )


def ratio(*rows: dict[str, Any]) -> Cheatability:
    return cheatability(score_rows.table(*rows))[0]


def test_the_interval_of_the_ratio_is_drawn_by_chain() -> None:
    found = ratio(row_of("a", 1, 1), row_of("b", 0, 1))
    assert (found.ratio, found.low, found.high) == (0.5, 0, 1)
    # Where only one chain has anything right, the resamples without it say nothing.
    found = ratio(row_of("a", 1, 1), row_of("b", 0, 0))
    assert (found.ratio, found.low, found.high) == (1, 1, 1)


def test_the_interval_agrees_with_scipy_s() -> None:
    rng = np.random.default_rng(4)
    original = rng.uniform(0.5, 1, 150)
    probe_f1 = original * rng.uniform(0, 1, 150)
    found = ratio(
        *(row_of(f"c{n}", p, o) for n, (p, o) in enumerate(zip(probe_f1, original, strict=True)))
    )
    reference = stats.bootstrap(
        (probe_f1, original),
        lambda p, o, axis: p.mean(axis=axis) / o.mean(axis=axis),
        paired=True,
        n_resamples=4000,
        method="percentile",
        rng=rng,
    ).confidence_interval
    assert found.ratio == pytest.approx(probe_f1.sum() / original.sum())
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), abs=0.01)


def test_how_much_less_cheatable_a_dataset_is() -> None:
    old = ratio(row_of("a", 0.8, 1), row_of("b", 0.8, 1))
    new = ratio(row_of("a", 0.2, 1), row_of("b", 0.2, 1))
    assert reduction(new, old) == pytest.approx(1 - 0.25)
    assert reduction(old, new) == pytest.approx(1 - 4)
    assert reduction(new, ratio(row_of("a", 0, 1))) is None
    assert reduction(ratio(row_of("a", 0, 0)), old) is None
    with pytest.raises(ConfigError, match=r"of m .* and of n .*: are not comparable"):
        reduction(new, old.model_copy(update={"model": "n"}))


def test_partitions_differ(workspace: Path) -> None:
    """Of three passages, only the part of the first two answers: one partition of three."""

    def pair(prompt: Prompt) -> str:
        titles = {document.title for document in prompt.documents}
        return reply("United Kingdom" if {"Hamlet", "William Shakespeare"} <= titles else "no", [])

    rows, _ = probed(workspace, PromptedModel(pair))
    row = rows["q-3"]
    assert (row["probe_f1"], row["probe_f1_min"]) == (1, 0)
    assert row["probe_f1_mean"] == pytest.approx(1 / 3)


def test_replies_without_json(workspace: Path) -> None:
    rows, _ = probed(workspace, PromptedModel(lambda prompt: "Warsaw"))
    assert [row["f1"] for row in rows.values()] == [1, 0, 0]
    assert {row["support_f1"] for row in rows.values()} == {0}


def test_the_baseline(workspace: Path) -> None:
    run_suite(workspace, "factchain/lexical", ["probe"])
    table = read_scores(workspace / "eval" / "scores.parquet")
    answer, support, _ = cheatability(table)
    assert answer.original == 1
    assert answer.probe < 1
    assert 0 < support.original <= 1


def test_questions_of_one_passage_cannot_be_probed(
    workspace: Path, questions: list[Question]
) -> None:
    write_records(workspace / "questions.jsonl", [questions[0]])
    with pytest.raises(InputError, match="no question has two to 4 gold passages"):
        probe(str(workspace))

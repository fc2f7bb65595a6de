"""Every task with models of known behaviour: the scores are those worked out by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    GenerateConfig,
    Logprob,
    Logprobs,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)

from factchain.errors import ConfigError, InputError
from factchain.eval import baseline, prompts
from factchain.eval.decomposition import decomposition
from factchain.eval.dynamic_retrieval import dynamic_retrieval
from factchain.eval.inspect_run import run_tasks
from factchain.eval.prompts import Prompt
from factchain.eval.scores import FLOOR, read_headers, read_scores
from factchain.eval.stepwise import stepwise
from factchain.eval.strategy import strategy
from factchain.eval.suite import run_suite
from factchain.questions.records import Question
from factchain.records import write_records
from prompted_model import PromptedModel

Row = dict[str, Any]


def rows(workspace: Path, model: Model | str, *tasks: str) -> list[Row]:
    run_suite(workspace, model, list(tasks))
    table: list[Row] = read_scores(workspace / "eval" / "scores.parquet").to_pylist()
    return [row for row in table if not row["model"].startswith(FLOOR)]


def column(table: list[Row], name: str) -> list[Any]:
    return [row[name] for row in table]


def log_metrics(workspace: Path) -> dict[str, float]:
    (header,) = read_headers(workspace / "eval" / "logs")
    assert header.results is not None
    return {name: metric.value for name, metric in header.results.scores[0].metrics.items()}


def always(letter: str) -> Model:
    return PromptedModel(lambda prompt: f'{{"choice": "{letter}"}}').model


class Scholar:
    """Asks the given sub-questions, and knows the answers of those that `knows` lets it know."""

    def __init__(self, questions: list[Question], knows: Callable[[str], bool]) -> None:
        self.knows = knows
        self.answers = {
            sub.question: sub.answer.label
            for question in questions
            for sub in question.sub_questions
        }
        self.hops = {q.question: [s.template for s in q.sub_questions] for q in questions}

    def reply(self, prompt: Prompt) -> str:
        if prompt.kind == "next":
            templates = self.hops[prompt.question]
            if len(prompt.steps) == len(templates):
                return "finish"
            done = [step.answer or "" for step in prompt.steps]
            asked = templates[len(done)]
            for k, answer in enumerate(done, start=1):
                asked = asked.replace(f"#{k}", answer)
            return f"Next Subquestion: {asked}"
        if prompt.kind == "final":
            return prompt.steps[-1].answer or "nothing" if prompt.steps else "nothing"
        known = self.knows(prompt.question) and prompt.question in self.answers
        answer = self.answers[prompt.question] if known else "no idea"
        if prompt.kind == "confident":
            return f"Answer: {answer}\nConfidence: {'certain' if known else 'uncertain'}"
        if prompt.documents:
            return baseline.answer(prompts.answer_with_documents(prompt.question, prompt.documents))
        return answer


@pytest.fixture
def knows_all(questions: list[Question]) -> PromptedModel:
    return PromptedModel(Scholar(questions, lambda question: True).reply)


@pytest.fixture
def knows_authors(questions: list[Question]) -> PromptedModel:
    """Knows who wrote or discovered what, and nothing else."""

    def knows(question: str) -> bool:
        return "author" in question or "discoverer" in question

    return PromptedModel(Scholar(questions, knows).reply)


def test_a_chain_of_thought(workspace: Path) -> None:
    model = PromptedModel(lambda prompt: "Paris, no.\nThe answer is: Warsaw")
    (table, asked) = rows(workspace, model.model, "parametric-think"), model.kinds()
    assert column(table, "prediction") == ["Warsaw"] * 5
    assert column(table, "accuracy") == [0, 1, 0, 0, 0]
    assert set(asked) == {"think"}


def test_the_strategy_for_a_question(workspace: Path) -> None:
    table = rows(workspace, always("A"), "strategy-question")
    assert column(table, "gold") == ["answer", *["decompose"] * 3, "retrieve"]
    assert column(table, "prediction") == ["decompose"] * 5
    assert column(table, "accuracy") == [0, 1, 1, 1, 0]
    assert column(table, "hop") == [0] * 5
    assert column(table, "f1") == [None] * 5
    metrics = log_metrics(workspace)
    # decompose has precision 3/5 and recall 1, the others 0
    assert metrics["macro_f1"] == pytest.approx(0.75 / 3)
    assert metrics["recall(decompose)"] == metrics["chosen(decompose)"] == 1
    assert metrics["unparsed"] == 0


def test_the_strategy_for_sub_questions(workspace: Path) -> None:
    table = rows(workspace, always("A"), "strategy-sub-question")
    wanted = ["a", "ar", "aaa", "aarr", "r"]
    assert [row["gold"][0] for row in table] == list("".join(wanted))
    assert column(table, "hop") == [1, 1, 2, 1, 2, 3, 1, 2, 3, 4, 1]
    assert sum(column(table, "accuracy")) == 7
    assert log_metrics(workspace)["accuracy"] == pytest.approx(7 / 11)
    assert log_metrics(workspace)["accuracy(hop=3)"] == 1 / 2


def test_whether_the_steps_suffice(workspace: Path) -> None:
    table = rows(workspace, always("A"), "strategy-synthesis")
    assert [(row["question"], row["hop"], row["gold"]) for row in table] == [
        (f"q-{n}", k, "finish" if k == n else "continue")
        for n in (2, 3, 4)
        for k in range(1, n + 1)
    ]
    assert sum(column(table, "accuracy")) == 3


def test_a_reply_that_is_no_choice_is_wrong_and_counted(workspace: Path) -> None:
    table = rows(workspace, PromptedModel(lambda prompt: "Hm.").model, "strategy-question")
    assert column(table, "prediction") == ["unparsed"] * 5
    assert log_metrics(workspace) == {
        **dict.fromkeys(["accuracy", "macro_f1", "recall(answer)", "recall(decompose)"], 0),
        **dict.fromkeys(["recall(retrieve)", "chosen(answer)", "chosen(decompose)"], 0),
        "chosen(retrieve)": 0,
        "unparsed": 1,
    }


def test_gold_labels_by_what_the_model_knows(
    workspace: Path, tmp_path: Path, knows_authors: PromptedModel
) -> None:
    run_suite(workspace, knows_authors.model, ["stepwise"], tmp_path / "knows")
    known = tmp_path / "knows" / "scores.parquet"
    task = strategy(str(workspace), "sub-question", known=str(known))
    run_tasks([task], always("A"), tmp_path / "logs", None)
    (header,) = read_headers(tmp_path / "logs")
    assert header.results is not None
    # of 11 sub-questions it knows the discoverer (twice) and the author (twice)
    assert header.results.scores[0].metrics["accuracy"].value == pytest.approx(4 / 11)
    run_suite(workspace, "factchain/lexical", ["parametric"], tmp_path / "other")
    other = str(tmp_path / "other" / "scores.parquet")
    with pytest.raises(InputError, match="stepwise answers of 0 models where one is needed"):
        strategy(str(workspace), "question", known=other)


def test_own_sub_questions(workspace: Path, knows_all: PromptedModel) -> None:
    table = rows(workspace, knows_all.model, "sub-questions-generated")
    assert column(table, "accuracy") == [1] * 5
    assert column(table, "sub_questions") == [1, 2, 3, 4, 1]
    assert column(table, "retrievals") == [0] * 5


def test_given_sub_questions_get_the_model_s_own_answers(
    workspace: Path, knows_authors: PromptedModel
) -> None:
    table = rows(workspace, knows_authors.model, "sub-questions-given")
    assert column(table, "accuracy") == [1, 0, 0, 0, 0]
    assert column(table, "prediction") == ["Marie Curie", *["no idea"] * 4]
    asked = [prompt.question for prompt in knows_authors.asked]
    assert "What is the country of no idea?" in asked
    assert "What is the place of birth of Marie Curie?" in asked


@pytest.mark.parametrize(
    ("reply", "steps"), [("Next Subquestion: Why?", 5), ("finish", 0), ("", 0)]
)
def test_sub_questions_end(workspace: Path, reply: str, steps: int) -> None:
    model = PromptedModel(lambda prompt: reply)
    table = rows(workspace, model.model, "sub-questions-generated", "dynamic-retrieval-bm25")
    assert column(table, "sub_questions") == [steps] * 10
    asked = Counter(model.kinds())
    assert asked["next"] == 10 * min(steps + 1, 5)
    assert asked["final"] == 10


def test_decompose_then_retrieve(workspace: Path, knows_all: PromptedModel) -> None:
    table = rows(workspace, knows_all.model, "decomposition-bm25", "decomposition-given-*")
    settings = [(row["mode"], row["context"]) for row in table[::5]]
    assert settings == [("generated", "bm25"), ("given", "bm25"), ("given", "gold")]
    assert column(table[10:], "accuracy") == [1] * 5
    assert column(table, "retrievals") == column(table, "sub_questions") == [1, 2, 3, 4, 1] * 3
    # a gold hop is answered from its own passage alone
    oracle = [p for p in knows_all.asked if p.kind == "documents" and len(p.documents) == 1]
    assert "Hamlet" in {prompt.documents[0].title for prompt in oracle}


def test_retrieval_where_the_model_is_uncertain(
    workspace: Path, knows_authors: PromptedModel
) -> None:
    table = rows(workspace, knows_authors.model, "dynamic-retrieval-bm25")
    assert column(table, "sub_questions") == [1, 2, 3, 4, 1]
    assert column(table, "retrievals") == [0, 1, 2, 3, 1]
    (header,) = read_headers(workspace / "eval" / "logs")
    sample = (read_eval_log(header.location).samples or [])[1]
    first, second = sample.store["steps"]
    assert (first["answer"], first["certain"], first["passages"]) == ("Marie Curie", True, [])
    assert (second["certain"], second["retrieved"]) == (False, True)
    assert second["passages"][0] == "Q8"


@pytest.mark.parametrize(("word", "share"), [("certain", 0), ("uncertain", 1)])
def test_never_and_always_uncertain(workspace: Path, word: str, share: float) -> None:
    def reply(prompt: Prompt) -> str:
        if prompt.kind == "next":
            return "finish" if prompt.steps else "Next Subquestion: Who discovered Radium?"
        return f"Answer: x\nConfidence: {word}"

    table = rows(workspace, PromptedModel(reply).model, "dynamic-retrieval-bm25")
    assert column(table, "sub_questions") == [1] * 5
    assert column(table, "retrievals") == [share] * 5


@pytest.mark.parametrize(("logprob", "retrievals"), [(-0.1, 0), (-3.0, 1), (None, None)])
def test_certainty_by_log_probability(
    workspace: Path, tmp_path: Path, logprob: float | None, retrievals: int | None
) -> None:
    def generate(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("scripted", "x")
        output.usage = ModelUsage()
        if logprob is not None:
            token = Logprob(token="x", logprob=logprob)
            output.choices[0].logprobs = Logprobs(content=[token, token])
        return output

    model = get_model("mockllm/scripted", custom_outputs=generate)
    task = dynamic_retrieval(str(workspace), questions="given", threshold=-1.0)
    assert task.config.logprobs is True
    run_tasks([task], model, tmp_path, None)
    (header,) = read_headers(tmp_path)
    sample = (read_eval_log(header.location).samples or [])[0]
    if retrievals is None:
        assert "gives no log-probabilities: leave out threshold" in str(sample.error)
    else:
        assert sample.scores["answer_scores"].as_dict()["retrievals"] == retrievals
    with pytest.raises(ConfigError, match="never above 0"):
        dynamic_retrieval(str(workspace), threshold=0.5)


def test_hop_by_hop_with_gold_and_with_own_inputs(
    workspace: Path, questions: list[Question]
) -> None:
    scholar = Scholar(questions, lambda question: "author" not in question)
    table = rows(workspace, PromptedModel(scholar.reply).model, "stepwise", "stepwise-own")
    right = {
        mode: [
            "".join(
                str(int(row["accuracy"]))
                for row in table
                if (row["mode"], row["question"]) == (mode, f"q-{n}")
            )
            for n in range(1, 6)
        ]
        for mode in ("gold-open", "own-open")
    }
    # Only who wrote Hamlet is not known: alone one hop is wrong, in the chain all that follow.
    assert right == {
        "gold-open": ["1", "11", "011", "0111", "1"],
        "own-open": ["1", "11", "000", "0000", "1"],
    }
    assert {row["hop"] for row in table} == {1, 2, 3, 4}
    assert table[0]["gold"] == "Marie Curie"


def test_hops_from_their_passages(workspace: Path) -> None:
    table = rows(workspace, "factchain/lexical", "stepwise-gold", "stepwise")
    assert column(table, "context") == ["gold"] * 11 + ["none"] * 11
    assert sum(column(table[:11], "accuracy")) == 11
    assert sum(column(table[11:], "accuracy")) == 0


@pytest.fixture
def with_options(workspace: Path, questions: list[Question]) -> Path:
    """The gold option of a question is `B`, those of its hops `C`; `q-5` has none."""

    def options(gold: str, letter: str) -> dict[str, str]:
        names = dict(zip("ABCD", ["Paris", "Rome", "Bern", "Oslo"], strict=True))
        return names | {letter: gold}

    write_records(
        workspace / "questions.jsonl",
        [
            question.model_copy(
                update={
                    "options": options(question.answer.label, "B"),
                    "correct_option": "B",
                    "sub_questions": tuple(
                        sub.model_copy(
                            update={
                                "options": options(sub.answer.label, "C"),
                                "correct_option": "C",
                            }
                        )
                        for sub in question.sub_questions
                    ),
                }
            )
            for question in questions[:4]
        ]
        + [questions[4]],
    )
    return workspace


def test_options(with_options: Path) -> None:
    chosen = {"option": "B", "think-option": "It is not B.\nThe answer is (C)"}
    model = PromptedModel(lambda prompt: chosen[prompt.kind])
    table = rows(with_options, model.model, "parametric-options*", "stepwise-options")
    by_mode = {
        mode: [(r["prediction"], r["accuracy"]) for r in table if r["mode"] == mode]
        for mode in ("options", "options-think", "gold-options")
    }
    assert by_mode == {
        "options": [("B", 1)] * 4,
        "options-think": [("C", 0)] * 4,
        "gold-options": [("B", 0)] * 10,
    }
    assert model.asked[0].options["B"] == "Marie Curie"


def test_what_does_not_go_together_is_told(workspace: Path) -> None:
    dataset = str(workspace)
    with pytest.raises(ConfigError, match="gold passages belong to the given sub-questions"):
        decomposition(dataset, "gold")
    with pytest.raises(ConfigError, match="questions 'mine': there is only generated and given"):
        decomposition(dataset, questions="mine")
    with pytest.raises(ConfigError, match="inputs 'mine': there is only gold and own"):
        stepwise(dataset, "mine")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="options belong to gold inputs"):
        stepwise(dataset, "own", answers="options")
    with pytest.raises(ConfigError, match="level 'hop': there is only question"):
        strategy(dataset, "hop")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="without passages only"):
        stepwise(dataset, think=True, context="gold")


def test_a_dataset_without_labels_has_no_strategy(
    workspace: Path, questions: list[Question]
) -> None:
    plain = [
        question.model_copy(
            update={
                "labels": (),
                "sub_questions": tuple(
                    sub.model_copy(update={"label": None}) for sub in question.sub_questions
                ),
            }
        )
        for question in questions
        if question.hops == 1
    ]
    write_records(workspace / "questions.jsonl", plain)
    for level in ("question", "sub-question", "synthesis"):
        with pytest.raises(InputError, match=f"no question has what strategy level={level} needs"):
            strategy(str(workspace), level)


def test_a_task_asks_at_temperature_0(workspace: Path) -> None:
    assert strategy(str(workspace)).config == GenerateConfig(temperature=0)

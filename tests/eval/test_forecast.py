"""A forecast is compared with the run itself, of models that take least and most."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai.log import read_eval_log

from factchain.cli import main
from factchain.errors import ConfigError, InputError
from factchain.eval import forecast as module
from factchain.eval import prompts, suite
from factchain.eval.forecast import Range, Toll, forecast, price_of
from factchain.eval.prompts import Prompt
from factchain.eval.scores import read_headers
from factchain.eval.suite import run_suite
from factchain.questions.llm.estimate import expected_tokens
from factchain.questions.llm.prices import Price
from prompted_model import PromptedModel
from small_dataset import write_small_dataset

MODEL = "mockllm/scripted"
TASKS = (
    *("parametric-think", "strategy-synthesis", "retrieval-bm25", "sub-questions-generated"),
    *("decomposition-bm25", "decomposition-given-gold", "dynamic-retrieval-bm25"),
    *("stepwise-own", "unanswerable-judged"),
)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Four questions of one and two hops, and an unanswerable one."""
    return write_small_dataset(tmp_path / "dataset")


def reply(prompt: Prompt, *, eager: bool) -> str:
    """Asks as many sub-questions as it may and is never certain; or asks none and always is."""
    if prompt.kind == "next":
        return f"{prompts.NEXT} {prompt.question}" if eager else prompts.FINISH
    if prompt.kind == "confident":
        return f"{prompts.ANSWER} x\n{prompts.CONFIDENCE} {'uncertain' if eager else 'certain'}"
    return "an answer of some words"


def counted(logs: Path) -> tuple[Counter[str], Counter[str]]:
    """By task, the calls and the tokens of the prompts that the logs hold."""
    calls: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for header in read_headers(logs):
        log = read_eval_log(header.location)
        for sample in log.samples or []:
            asked = [one.text for one in sample.messages if one.role == "user"]
            calls[log.eval.task.rpartition("/")[2] + str(log.eval.metadata)] += len(asked)
            tokens[log.eval.task.rpartition("/")[2] + str(log.eval.metadata)] += sum(
                round(1000 * (expected_tokens(text) + 4)) for text in asked
            )
    return calls, tokens


def test_calls_and_prompts_are_those_of_the_run(dataset: Path) -> None:
    told = forecast(dataset, MODEL, TASKS, judge="none/none", price=Price(1, 10))
    assert [one.task for one in told.tasks if one.role == "model"] == list(TASKS)
    for eager in (True, False):
        model = PromptedModel(lambda prompt, eager=eager: reply(prompt, eager=eager))
        judge = PromptedModel(lambda prompt: '{"choice": "A"}')
        out = dataset / f"eval-{eager}"
        run_suite(dataset, model.model, TASKS, out, judge=judge.model)
        calls, tokens = counted(out / "logs")
        end = "most" if eager else "least"
        of_model = [one.toll for one in told.tasks if one.role == "model"]
        assert Counter(getattr(toll.calls, end) for toll in of_model) == Counter(calls.values())
        assert sorted(getattr(toll.prompt_tokens, end) for toll in of_model) == sorted(
            round(number / 1000) for number in tokens.values()
        )
        (of_judge,) = [one.toll for one in told.tasks if one.role == "judge"]
        assert of_judge.calls == Range(2, 2)
        assert len(judge.asked) == 2
    thinks = next(one.toll for one in told.tasks if one.task == "parametric-think")
    assert thinks.reply_tokens == Range(4 * 250, 4 * 250)
    assert thinks.usd is not None
    assert thinks.usd.least == pytest.approx((thinks.prompt_tokens.least + 10 * 1000) / 1e6)
    assert told.total.usd is None  # the judge has no price
    assert told.total.calls.most == sum(one.toll.calls.most for one in told.tasks)


def test_what_is_answered_is_not_counted_again(dataset: Path) -> None:
    model = PromptedModel(lambda prompt: "Warsaw")
    run_suite(dataset, model.model, ["parametric"], limit=3)
    (told,) = forecast(dataset, MODEL, ["parametric"]).tasks
    assert (told.questions, told.answered, told.toll.calls) == (1, 3, Range(1, 1))
    (told,) = forecast(dataset, MODEL, ["parametric"], limit=2).tasks
    assert (told.questions, told.answered, told.toll.calls) == (0, 2, Range(0, 0))
    (told,) = forecast(dataset, "mockllm/other", ["parametric"], limit=2).tasks
    assert (told.questions, told.answered, told.toll.calls) == (2, 0, Range(2, 2))
    before = len(model.asked)
    run_suite(dataset, model.model, ["parametric"])
    assert len(model.asked) == before + 1


def test_many_questions_are_scaled_up_from_some(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (whole,) = forecast(dataset, MODEL, ["retrieval-gold"]).tasks
    monkeypatch.setattr(module, "MOST_READ", 2)
    (some,) = forecast(dataset, MODEL, ["retrieval-gold"]).tasks
    assert (whole.scaled, some.scaled) == (False, True)
    assert whole.toll.calls == some.toll.calls == Range(4, 4)
    assert 0.5 < some.toll.prompt_tokens.most / whole.toll.prompt_tokens.most < 2


def test_bm25_stands_in_for_a_retriever_that_needs_a_model(dataset: Path) -> None:
    (dear,) = forecast(dataset, MODEL, ["retrieval-dense*"], retrievers=["dense:no/such"]).tasks
    (cheap,) = forecast(dataset, MODEL, ["retrieval-bm25"]).tasks
    assert dear.task == "retrieval-dense:no/such"
    assert dear.toll == cheap.toll


def test_prices() -> None:
    assert (
        price_of("openai/gpt-4o-mini") == price_of("openai/azure/gpt-4o-mini") == Price(0.15, 0.6)
    )
    assert price_of("factchain/lexical") == Price(0, 0)
    assert price_of("ollama/llama3.1") is None


def test_mistakes_are_those_of_the_run(dataset: Path) -> None:
    with pytest.raises(ConfigError, match="task 'nought': there is only parametric"):
        forecast(dataset, MODEL, ["nought"])
    with pytest.raises(InputError, match="no judge was named"):
        forecast(dataset, MODEL, ["unanswerable-judged"])


def test_the_command(dataset: Path) -> None:
    def run(*more: str) -> str:
        words = ["eval", "run", str(dataset), "--model", "openai/gpt-4o-mini", "--dry-run"]
        done = CliRunner().invoke(main, [*words, "--quiet", *more])
        assert done.exit_code == 0, done.output
        return done.stdout

    shown = run("--tasks", "parametric*,dynamic*", "--price", "100000,0")
    lines = {line.split()[0]: line.split()[1:] for line in shown.splitlines() if line.strip()}
    assert lines["parametric"][:2] == ["4", "4"]
    assert lines["dynamic-retrieval-bm25"][:2] == ["4", "8-64"]
    assert "parametric-options-think" in lines
    assert "Nothing was asked." in shown
    assert not (dataset / "eval" / "logs").exists()
    told = json.loads(run("--tasks", "parametric", "--thinking-tokens", "100", "--json"))
    toll = told["tasks"][0]["toll"]
    assert toll["reply_tokens"] == {"least": 4 * 116, "most": 4 * 116}
    assert told["total"]["usd"] == toll["usd"]
    assert told["not_run"] == {}
    unknown = CliRunner().invoke(
        main,
        ["eval", "run", str(dataset), "--model", "x/y", "--dry-run", "--tasks", "parametric"],
    )
    assert "unknown" in unknown.stdout
    assert "--price IN,OUT" in unknown.stdout


def test_a_missing_extra_is_told(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "is_installed", lambda: False)
    done = CliRunner().invoke(main, ["eval", "run", str(dataset), "--model", "x/y", "--dry-run"])
    assert done.exit_code == 1
    assert "factchain[eval]" in done.stderr


def test_a_toll_without_any_question_is_nothing() -> None:
    nothing = Range(0, 0)
    assert module._total([]) == Toll(nothing, nothing, nothing, nothing)

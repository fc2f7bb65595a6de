"""What a run of the suite will take, told before anything is asked: calls, tokens and dollars.

Every task is worked through with a stand-in in place of the model, so that the calls and prompts
are those of the run. Where the number of calls hangs on the replies there are two stand-ins: one
asks no sub-question and is certain, the other asks as many as it may and never is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow.compute as pc
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelName
from inspect_ai.solver import TaskState

from factchain.eval import prompts
from factchain.eval.asking import answered_by
from factchain.eval.scores import collect, where
from factchain.eval.suite import BUILT_IN
from factchain.eval.tasks import make_matching, task_makers
from factchain.progress import counting
from factchain.questions.llm.estimate import expected_tokens
from factchain.questions.llm.prices import Price, known_price

MOST_READ = 500
"""Questions of a task that are worked through; for more of them, figures are scaled up."""

SHORT, THOUGHT = 16, 250
"""Tokens of a reply: of an answer or a choice, and of a chain of thought."""

_AROUND = 4
"""Tokens that a message takes besides its text."""
_ANSWER = "an answer of some words"
_THINKS = tuple(prompts.INSTRUCTIONS[kind] for kind in ("think", "think-option"))
_FREE = Price(0, 0)


@dataclass(frozen=True)
class Range:
    """The least and the most of something."""

    least: float
    most: float


@dataclass(frozen=True)
class Toll:
    """What asking takes."""

    calls: Range
    prompt_tokens: Range
    reply_tokens: Range
    usd: Range | None
    """None where a price is not known."""


@dataclass(frozen=True)
class TaskForecast:
    """What one model will be asked in one task."""

    task: str
    """Its name for `--tasks`."""
    role: Literal["model", "judge"]
    """Whether it is the model that is evaluated, or judges it."""
    model: str
    """Inspect's name of the model."""
    questions: int
    """That are still to be asked."""
    answered: int
    """That were answered by an earlier run, and are kept."""
    scaled: bool
    """Whether the toll is scaled up from a part of the questions."""
    toll: Toll


@dataclass(frozen=True)
class Forecast:
    """What a run will take, and what it will not run."""

    tasks: tuple[TaskForecast, ...]
    total: Toll
    not_run: Mapping[str, str]
    """By the name of a task, why it cannot be run."""


@dataclass
class _Asked:
    """What was asked of a model."""

    calls: int = 0
    prompt: float = 0
    reply: float = 0

    def note(self, prompt: str, thinking_tokens: int) -> None:
        self.calls += 1
        self.prompt += expected_tokens(prompt) + _AROUND
        self.reply += (THOUGHT if prompt.startswith(_THINKS) else SHORT) + thinking_tokens


@dataclass
class _StandIn:
    """Replies in place of a model, and counts."""

    eager: bool
    """Whether it asks as many sub-questions as it may, and is never certain."""
    thinking_tokens: int
    asked: _Asked = field(default_factory=_Asked)
    judged: _Asked = field(default_factory=_Asked)
    decided: bool = False
    """Whether a reply decided what is asked next."""

    def __call__(self, prompt: str) -> str:
        self.asked.note(prompt, self.thinking_tokens)
        if prompt.startswith(prompts.INSTRUCTIONS["next"]):
            self.decided = True
            asked = prompts.read(prompt).question
            return f"{prompts.NEXT} {asked}" if self.eager else prompts.FINISH
        if prompt.startswith(prompts.INSTRUCTIONS["confident"]):
            self.decided = True
            certainty = "uncertain" if self.eager else "certain"
            return f"{prompts.ANSWER} {_ANSWER}\n{prompts.CONFIDENCE} {certainty}"
        return _ANSWER


def forecast(
    workspace: Path,
    model: str,
    tasks: Sequence[str] | None = None,
    *,
    retrievers: Sequence[str] = ("bm25",),
    limit: int | None = None,
    judge: str | None = None,
    price: Price | None = None,
    thinking_tokens: int = 0,
) -> Forecast:
    """What `run_suite` with the same arguments will ask that no log has answered.

    Nothing is sent, and no key is needed. `price` is the model's, by default that of the list of
    well-known models; `thinking_tokens` are added to every reply. The passages of BM25 stand in for
    those of retrievers that need a model themselves. Raises what `run_suite` raises about tasks.
    """
    dataset = str(workspace.resolve())
    makers = task_makers(dataset, retrievers, judge is not None)
    in_place = _stand_ins(makers, retrievers)
    cheap = task_makers(dataset, ["bm25"], judge is not None)
    made, not_run = make_matching(
        makers | {name: cheap[stand_in] for name, (stand_in, _) in in_place.items()}, tasks
    )
    answered = _answered(workspace, model)
    found: list[TaskForecast] = []
    with counting("counting calls", len(made)) as advance:
        for name, task in made.items():
            of, mode, context = _setting(task)
            if name in in_place:
                context = in_place[name][1]
            samples = list(task.dataset)[:limit]
            kept = answered.get((of, mode, context), set())
            left = [sample for sample in samples if sample.id not in kept]
            shown = _drawn(left)
            ends = _both_ends(task, shown, thinking_tokens)
            whose = partial(
                TaskForecast,
                task=name,
                questions=len(left),
                answered=len(samples) - len(left),
                scaled=len(shown) < len(left),
            )
            factor = len(left) / max(1, len(shown))
            toll = _toll([end.asked for end in ends], factor, price or price_of(model))
            found.append(whose(role="model", model=model, toll=toll))
            if judge is not None and _is_judged(task):
                toll = _toll([end.judged for end in ends], factor, price_of(judge))
                found.append(whose(role="judge", model=judge, toll=toll))
            advance()
    return Forecast(tuple(found), _total([one.toll for one in found]), not_run)


def _drawn(samples: list[Sample]) -> list[Sample]:
    """All samples, or as many as are worked through, drawn at random: their order has a pattern."""
    if len(samples) <= MOST_READ:
        return samples
    places = np.random.default_rng(0).choice(len(samples), MOST_READ, replace=False)
    return [samples[place] for place in sorted(places)]


def _toll(ends: Sequence[_Asked], factor: float, price: Price | None) -> Toll:
    """The toll between both ends, for so many times the questions."""

    def span(of: Callable[[_Asked], float]) -> Range:
        return Range(*sorted(round(of(end) * factor) for end in ends))

    prompt, reply = span(lambda end: end.prompt), span(lambda end: end.reply)
    if price is None:
        return Toll(span(lambda end: end.calls), prompt, reply, None)
    usd = Range(price.usd(prompt.least, reply.least), price.usd(prompt.most, reply.most))
    return Toll(span(lambda end: end.calls), prompt, reply, usd)


def _total(tolls: Sequence[Toll]) -> Toll:
    dollars = [toll.usd for toll in tolls if toll.usd is not None]
    return Toll(
        _sum([toll.calls for toll in tolls]),
        _sum([toll.prompt_tokens for toll in tolls]),
        _sum([toll.reply_tokens for toll in tolls]),
        _sum(dollars) if len(dollars) == len(tolls) else None,
    )


def _sum(ranges: Sequence[Range]) -> Range:
    return Range(sum(one.least for one in ranges), sum(one.most for one in ranges))


def price_of(model: str) -> Price | None:
    """The price of a model by Inspect's name of it; built-in ones cost nothing."""
    return _FREE if model.startswith(BUILT_IN) else known_price(model.rpartition("/")[2])


def _stand_ins(names: Iterable[str], retrievers: Sequence[str]) -> dict[str, tuple[str, str]]:
    """By the name of a task whose retriever needs a model: its like with BM25; the retriever."""
    return {
        name: (f"{name.removesuffix(retriever)}bm25", retriever)
        for name in names
        for retriever in retrievers
        if ":" in retriever and name.endswith(f"-{retriever}")
    }


def _answered(workspace: Path, model: str) -> dict[tuple[str, str, str], set[str]]:
    """By task, mode and context, the questions that the model has answered."""
    table = where(collect(workspace / "eval" / "logs", workspace), {"model": model})
    table = table.filter(pc.is_null(table["error"]))
    found: dict[tuple[str, str, str], set[str]] = {}
    for row in table.select(["task", "mode", "context", "question"]).to_pylist():
        found.setdefault((row["task"], row["mode"], row["context"]), set()).add(row["question"])
    return found


def _setting(task: Task) -> tuple[str, str, str]:
    metadata = task.metadata or {}
    return task.name.rpartition("/")[2], metadata["mode"], metadata["context"]


def _is_judged(task: Task) -> bool:
    return _setting(task)[1] == "judge"


def _both_ends(task: Task, samples: Sequence[Sample], thinking_tokens: int) -> list[_StandIn]:
    """The stand-in that takes most calls, and the one that takes least."""
    most = _worked_through(task, samples, _StandIn(True, thinking_tokens))
    if not most.decided:
        return [most, most]
    return [_worked_through(task, samples, _StandIn(False, thinking_tokens)), most]


def _worked_through(task: Task, samples: Sequence[Sample], stand_in: _StandIn) -> _StandIn:
    """Let the stand-in answer all that a task asks about these samples."""

    async def work() -> None:
        for sample in samples:
            state = TaskState(
                model=ModelName("none/none"),
                sample_id=sample.id or "",
                epoch=1,
                input=sample.input,
                messages=[ChatMessageUser(content=str(sample.input))],
                metadata=dict(sample.metadata or {}),
            )
            await task.solver(state, _never)
            if _is_judged(task):
                question = str(sample.input)
                for ask in (prompts.judge_refusal, prompts.judge_acceptable):
                    stand_in.judged.note(ask(question, _ANSWER), 0)

    with answered_by(stand_in):
        asyncio.run(work())
    return stand_in


async def _never(state: TaskState, *_: object, **__: object) -> TaskState:
    """Never called: our solvers ask by `asking.ask`."""
    raise AssertionError("a forecast asks nothing")

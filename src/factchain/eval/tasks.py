"""The tasks of the suite, by name, on one workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from inspect_ai import Task

from factchain.errors import ConfigError, InputError
from factchain.eval.decomposition import decomposition, sub_questions
from factchain.eval.dynamic_retrieval import dynamic_retrieval
from factchain.eval.parametric import parametric
from factchain.eval.passages import GOLD, NONE
from factchain.eval.probes import probe
from factchain.eval.retrieval_qa import retrieval
from factchain.eval.stepwise import stepwise
from factchain.eval.strategy import CHOICES, strategy
from factchain.eval.unanswerable import unanswerable


def task_makers(
    dataset: str, retrievers: Sequence[str], judged: bool = False
) -> dict[str, Callable[[], Task]]:
    """What can be run, by name; those that need passages once for each retriever.

    `judged` says whether there is a judge for the tasks that need one.
    """
    by_judge = partial(_unanswerable_judged, judged, dataset)
    return {
        "parametric": partial(parametric, dataset),
        "parametric-think": partial(parametric, dataset, think=True),
        "parametric-options": partial(parametric, dataset, "options"),
        "parametric-options-think": partial(parametric, dataset, "options", think=True),
        **{f"strategy-{level}": partial(strategy, dataset, level) for level in CHOICES},
        **{
            f"retrieval-{context}": partial(retrieval, dataset, context)
            for context in (*retrievers, GOLD)
        },
        "sub-questions-generated": partial(sub_questions, dataset),
        "sub-questions-given": partial(sub_questions, dataset, "given"),
        **{f"decomposition-{one}": partial(decomposition, dataset, one) for one in retrievers},
        **{
            f"decomposition-given-{context}": partial(decomposition, dataset, context, "given")
            for context in (*retrievers, GOLD)
        },
        **{
            f"dynamic-retrieval-{one}": partial(dynamic_retrieval, dataset, one)
            for one in retrievers
        },
        "stepwise": partial(stepwise, dataset),
        "stepwise-own": partial(stepwise, dataset, "own"),
        "stepwise-gold": partial(stepwise, dataset, context=GOLD),
        "stepwise-gold-own": partial(stepwise, dataset, "own", context=GOLD),
        "stepwise-options": partial(stepwise, dataset, answers="options"),
        "probe": partial(probe, dataset),
        "unanswerable": partial(unanswerable, dataset),
        **{f"unanswerable-{one}": partial(unanswerable, dataset, one) for one in retrievers},
        "unanswerable-judged": by_judge,
        **{f"unanswerable-judged-{one}": partial(by_judge, one) for one in retrievers},
    }


def _unanswerable_judged(judged: bool, dataset: str, context: str = NONE) -> Task:
    """The task with a judge's verdicts. Raises InputError where there is no judge."""
    made = unanswerable(dataset, context, "judge")
    if not judged:
        raise InputError("no judge was named: name a model that judges the replies, with --judge")
    return made


def make_tasks(
    workspace: Path,
    patterns: Sequence[str] | None,
    retrievers: Sequence[str],
    judged: bool = False,
) -> tuple[dict[str, Task], dict[str, str]]:
    """The tasks whose names match, and by name why one cannot be run.

    Patterns are names, with `*` for any letters; without any all tasks are made. Raises ConfigError
    for a pattern that matches none and for a retriever that is none, InputError where a task that
    is named as it is cannot be run, or none can.
    """
    return make_matching(task_makers(str(workspace.resolve()), retrievers, judged), patterns)


def make_matching(
    makers: Mapping[str, Callable[[], Task]], patterns: Sequence[str] | None
) -> tuple[dict[str, Task], dict[str, str]]:
    """The same from makers by name."""
    for pattern in patterns or ():
        if not any(fnmatchcase(name, pattern) for name in makers):
            raise ConfigError(f"task {pattern!r}: there is only {', '.join(makers)}")
    made: dict[str, Task] = {}
    reasons: dict[str, str] = {}
    for name, make in makers.items():
        if matches(name, patterns or ("*",)):
            try:
                made[name] = make()
            except InputError as error:
                if name in (patterns or ()):
                    raise
                reasons[name] = str(error)
    if not made:
        raise InputError(next(iter(reasons.values())))
    return made, reasons


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a task has one of these names, in which `*` stands for any letters."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)

"""The evaluation of one model on one dataset: tasks in, logs and scores out.

Inspect asks, retries and keeps the logs (`logs/`). A run that was stopped goes on where it was:
what a log of the same files, prompts and model holds is not asked again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factchain.errors import ConfigError, MissingExtraError
from factchain.parallel import as_it_is, map_shards
from factchain.progress import counting, say, silenced

if TYPE_CHECKING:
    import pyarrow as pa
    from inspect_ai import Task
    from inspect_ai.model import Model


BUILT_IN = "factchain/"
"""What the names of built-in models begin with."""

_MOST_CALLS = ("probe", "dynamic", "decomposition", "stepwise", "sub-", "strategy-s")
"""What the names of tasks with several calls a question begin with, those with most first."""
Limited = tuple[str, int | None]
"""A task by name, and how many of its questions are asked: all, if no number is given."""


def is_installed() -> bool:
    """Whether what the extra `eval` brings is there."""
    return find_spec("inspect_ai") is not None and find_spec("scipy") is not None


def run_suite(
    workspace: Path,
    model: str | Model,
    tasks: Sequence[str] | None = None,
    out: Path | None = None,
    *,
    retrievers: Sequence[str] = ("bm25",),
    limit: int | None = None,
    in_full: Sequence[str] = (),
    judge: str | Model | None = None,
    workers: int = 1,
) -> dict[str, Any]:
    """Ask `model` the questions of a workspace, write `scores.parquet`, and return a summary.

    `tasks` are names of `tasks.TASKS`, by default all that the workspace has the data for; the
    summary's `not_run` says of the others why, and of those of which no question could be asked.
    `retrievers` are those that tasks with passages are run with. Logs and scores go to `out`, by
    default the workspace's `eval/`; the scores are those of every model whose logs are there, and
    of models that know nothing (`floors.py`). With a `limit` a task asks only so many questions,
    spread evenly (`dealing.py`), except for tasks whose names match `in_full`. `judge` is the model
    that judges, in the tasks that need one. A question that cannot be asked stands in the table
    with its error. `workers` are processes that share the tasks of a built-in model; any other
    answers elsewhere, and Inspect asks it concurrently.

    Raises MissingExtraError without the extra `eval`, InputError where the workspace lacks what a
    task needs, ConfigError for a task that does not exist and for a model that does not, or that
    answers no question at all.
    """
    if not is_installed():
        raise MissingExtraError("the evaluation", "eval")
    # Here, because Inspect takes more than a second to import.
    from factchain.eval import floors, inspect_run, odd_replies, scores
    from factchain.eval.refusal_ratios import refusing
    from factchain.eval.tasks import make_tasks, matches

    out = out or workspace / "eval"
    chosen, not_run = make_tasks(workspace, tasks, retrievers, judge is not None)
    for name, reason in not_run.items():
        say(f"{name}: not run: {reason}")
    asked = inspect_run.find_model(model)
    judging = inspect_run.find_model(judge) if judge else None
    scores.read_headers(out / "logs")  # a broken log is told before anything is asked
    limits = {name: None if matches(name, in_full) else limit for name in chosen}
    if str(asked).startswith(BUILT_IN) and not judging:
        _run_apart(workspace, str(asked), limits, retrievers, out / "logs", workers)
    else:
        for name, task in chosen.items():
            task.dataset = task.dataset[: limits[name]]
        with odd_replies.counted() as tally:
            inspect_run.run_tasks(list(chosen.values()), asked, out / "logs", judging)
        for told in odd_replies.described(tally):
            say(told)
    table = scores.collect(out / "logs", workspace)
    answers = scores.where(table, {"model": str(asked)})
    errors = answers["error"].drop_null().to_pylist()
    if len(errors) == len(answers):
        raise ConfigError(
            f"model {asked}: no question could be asked, the first because of: "
            f"{next(iter(errors), 'no sample was run')}: check the model's name, key and address, "
            "then run this again"
        )
    if errors:
        say(
            f"{len(errors)} of {len(answers)} questions could not be asked, the first because of: "
            f"{errors[0]}: run this again"
        )
    not_run |= _failed(chosen, answers)
    for told in refusing(answers) if not str(asked).startswith(BUILT_IN) else ():
        say(told)
    scores.write_scores(out / "scores.parquet", floors.with_floors(table, workspace))
    return {
        "model": str(asked),
        "answers": len(answers) - len(errors),
        "failed": len(errors),
        "not_run": not_run,
        "scores": [
            {
                "task": one.task,
                "mode": one.mode,
                "context": one.context,
                "score": one.score,
                "mean": one.mean,
            }
            for one in scores.summarise(answers, [()])
        ],
    }


def _failed(tasks: Mapping[str, Task], answers: pa.Table) -> dict[str, str]:
    """By name why a task was not run: no question of it could be asked."""
    from factchain.eval.scores import where

    found = {}
    for name, task in tasks.items():
        of_task = {key: (task.metadata or {})[key] for key in ("mode", "context")}
        rows = where(answers, {"task": task.name.rpartition("/")[2], **of_task})
        errors = rows["error"].drop_null().to_pylist()
        if errors and len(errors) == len(rows):
            found[name] = f"no question could be asked, the first because of: {errors[0]}"
    return found


def _run_apart(
    workspace: Path,
    model: str,
    limits: Mapping[str, int | None],
    retrievers: Sequence[str],
    logs: Path,
    workers: int,
) -> None:
    """Run every task by itself, in one of the processes, with a folder of logs of its own."""
    run = partial(_run_one, workspace, model, retrievers, logs)
    # A long one that begins last would leave the other processes idle.
    ordered = sorted(limits.items(), key=lambda one: (one[1] is not None, _rank(one[0])))
    if workers == 1:
        for one in ordered:
            run(one)  # with a bar of its own
        return
    quiet = partial(_quietly, run)
    with counting("running tasks", len(ordered)) as advance:
        # This process has imported Inspect already, which takes others five seconds.
        for _ in map_shards(quiet, ordered, workers, hand_over=as_it_is):
            advance()


def _quietly(run: Callable[[Limited], None], one: Limited) -> None:
    with silenced():
        run(one)


def _rank(name: str) -> int:
    """Where a task stands among those that ask most of a question."""
    kinds = enumerate(_MOST_CALLS)
    return next((rank for rank, kind in kinds if name.startswith(kind)), len(_MOST_CALLS))


def _run_one(
    workspace: Path,
    model: str,
    retrievers: Sequence[str],
    logs: Path,
    one: Limited,
) -> None:
    from factchain.eval import inspect_run
    from factchain.eval.tasks import make_tasks

    name, limit = one
    made, _ = make_tasks(workspace, [name], retrievers)
    task = made[name]
    task.dataset = task.dataset[:limit]
    folder = logs / re.sub(r"[^\w-]", "-", name)
    inspect_run.run_tasks([task], inspect_run.find_model(model), folder)

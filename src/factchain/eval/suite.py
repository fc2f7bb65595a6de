"""The evaluation of one model on one dataset: tasks in, logs and scores out.

Inspect asks, retries and keeps the logs (`logs/`). A run that was stopped goes on where it was:
what a log of the same files, prompts and model holds is not asked again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factchain.errors import ConfigError, MissingExtraError
from factchain.parallel import map_shards
from factchain.progress import counting, say, set_silent

if TYPE_CHECKING:
    from inspect_ai.model import Model


BUILT_IN = "factchain/"
"""What the names of built-in models begin with."""


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
    judge: str | Model | None = None,
    workers: int = 1,
) -> dict[str, Any]:
    """Ask `model` the questions of a workspace, write `scores.parquet`, and return a summary.

    `tasks` are names of `tasks.TASKS`, by default all that the workspace has the data for; the
    summary's `not_run` says of the others why. `retrievers` are those that tasks with passages are
    run with. Logs and scores go to `out`, by default the workspace's `eval/`; the scores are those
    of every model whose logs are there, and of models that know nothing (`floors.py`). `limit` asks
    the first questions only. `judge` is the model that judges, in the tasks that need one. A
    question that cannot be asked stands in the table with its error. `workers` are processes that
    share the tasks of a built-in model; any other answers elsewhere, and Inspect asks it
    concurrently.

    Raises MissingExtraError without the extra `eval`, InputError where the workspace lacks what a
    task needs, ConfigError for a task that does not exist and for a model that does not, or that
    answers no question at all.
    """
    if not is_installed():
        raise MissingExtraError("the evaluation", "eval")
    # Here, because Inspect takes more than a second to import.
    from factchain.eval import floors, inspect_run, scores
    from factchain.eval.tasks import make_tasks

    out = out or workspace / "eval"
    chosen, not_run = make_tasks(workspace, tasks, retrievers, judge is not None)
    for name, reason in not_run.items():
        say(f"{name}: not run: {reason}")
    asked = inspect_run.find_model(model)
    judging = inspect_run.find_model(judge) if judge else None
    scores.read_headers(out / "logs")  # a broken log is told before anything is asked
    if str(asked).startswith(BUILT_IN) and not judging and workers > 1:
        _run_apart(workspace, str(asked), list(chosen), retrievers, out / "logs", limit, workers)
    else:
        inspect_run.run_tasks(list(chosen.values()), asked, out / "logs", limit, judging)
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
        say(f"{len(errors)} of {len(answers)} questions could not be asked: run this again")
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
            for one in scores.summarise(answers)
            if not one.by
        ],
    }


def _run_apart(
    workspace: Path,
    model: str,
    names: Sequence[str],
    retrievers: Sequence[str],
    logs: Path,
    limit: int | None,
    workers: int,
) -> None:
    """Run every task in one of several processes, with a folder of logs of its own."""
    run = partial(_run_one, workspace, model, retrievers, logs, limit)
    with counting("running tasks", len(names)) as advance:
        for _ in map_shards(run, names, workers):
            advance()


def _run_one(
    workspace: Path,
    model: str,
    retrievers: Sequence[str],
    logs: Path,
    limit: int | None,
    name: str,
) -> None:
    from factchain.eval import inspect_run
    from factchain.eval.tasks import make_tasks

    set_silent(True)  # this process's own bar
    made, _ = make_tasks(workspace, [name], retrievers)
    folder = logs / re.sub(r"[^\w-]", "-", name)
    inspect_run.run_tasks(list(made.values()), inspect_run.find_model(model), folder, limit)

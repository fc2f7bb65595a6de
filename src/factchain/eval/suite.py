"""The evaluation of one model on one dataset: tasks in, logs and scores out.

Inspect asks, retries and keeps the logs (`logs/`). A run that was stopped goes on where it was:
what a log of the same files, prompts and model holds is not asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factchain.errors import ConfigError, MissingExtraError
from factchain.progress import say

if TYPE_CHECKING:
    from inspect_ai.model import Model


def is_installed() -> bool:
    """Whether what the extra `eval` brings is there."""
    return find_spec("inspect_ai") is not None and find_spec("scipy") is not None


def run_suite(
    workspace: Path,
    model: str | Model,
    tasks: Sequence[str] | None = None,
    out: Path | None = None,
    *,
    limit: int | None = None,
) -> dict[str, Any]:
    """Ask `model` the questions of a workspace, write `scores.parquet`, and return a summary.

    `tasks` are names of `inspect_run.TASKS`, by default all. Logs and scores go to `out`, by
    default the workspace's `eval/`; the scores are those of every model whose logs are there.
    `limit` asks the first questions only. A question that cannot be asked stands in the table
    with its error.

    Raises MissingExtraError without the extra `eval`, InputError where the workspace lacks what a
    task needs, ConfigError for a task that does not exist and for a model that does not, or that
    answers no question at all.
    """
    if not is_installed():
        raise MissingExtraError("the evaluation", "eval")
    # Here, because Inspect takes more than a second to import.
    from factchain.eval import inspect_run, scores

    out = out or workspace / "eval"
    chosen = inspect_run.make_tasks(tasks or list(inspect_run.TASKS), workspace)
    asked = inspect_run.find_model(model)
    scores.read_headers(out / "logs")  # a broken log is told before anything is asked
    inspect_run.run_tasks(chosen, asked, out / "logs", limit)
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
    scores.write_scores(out / "scores.parquet", table)
    return {
        "model": str(asked),
        "answers": len(answers) - len(errors),
        "failed": len(errors),
        "scores": [
            {"task": one.task, "context": one.context, "score": one.score, "mean": one.mean}
            for one in scores.summarise(answers)
            if not one.by
        ],
    }

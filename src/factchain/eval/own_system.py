"""One's own system on a dataset: whatever answers a question, as an Inspect solver."""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task
from inspect_ai.solver import Solver

from factchain.eval.dataset import QUESTIONS, as_dataset, read_questions, rests_on, version_of
from factchain.eval.scorers import answer_scores


def system_task(dataset: str, system: Solver, name: str) -> Task:
    """Every question put to a system, scored as all answers are.

    `system` sets `state.output.completion` to its answer to `state.input_text`; `name` is what it
    is called in the table of scores, as its context. `dataset` is a folder with questions. A
    question on which the system fails is listed as failed, and stops nothing. Raises InputError
    where the dataset has no questions.
    """
    workspace = Path(dataset)
    files = rests_on(workspace, [QUESTIONS])
    return Task(
        dataset=as_dataset(read_questions(workspace)),
        solver=system,
        scorer=answer_scores(),
        fail_on_error=True,
        continue_on_fail=True,
        version=version_of(files),
        metadata={"mode": "open", "context": name, "files": files},
    )

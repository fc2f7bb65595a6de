"""What the Inspect tasks of this dataset share: samples and scores."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

# By path: several published datasets may be loaded at once.
HERE = Path(__file__).resolve().parent
published = SimpleNamespace(**run_path(str(HERE / "published.py")))


@scorer(metrics={name: [mean(), stderr()] for name in published.SCORES})
def answer_scores() -> Scorer:
    """Exact match, token F1 and containment of the gold answer."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = state.output.completion.strip()
        values = published.score(reply, target[0], list(target))
        return Score(value=dict(values), answer=reply)

    return score


def open_task(questions: list[dict[str, Any]]) -> Task:
    """Ask the prompts of `questions`, and score the replies against every gold name."""
    samples = [
        Sample(id=one["id"], input=one["prompt"], target=one["answers"], metadata=groups(one))
        for one in questions
    ]
    return Task(
        dataset=MemoryDataset(samples),
        solver=generate(),
        scorer=answer_scores(),
        config=GenerateConfig(temperature=0),
    )


def groups(question: dict[str, Any]) -> dict[str, Any]:
    """By what the scores of a question may be grouped."""
    return {name: question[name] for name in ("hops", "topology", "axis")}

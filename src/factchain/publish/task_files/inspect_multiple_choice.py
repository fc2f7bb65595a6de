"""The questions as multiple choice.

Run it with: `inspect eval inspect_multiple_choice.py --model PROVIDER/MODEL`.
"""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice as ask_for_a_letter

# By path: several published datasets may be loaded at once.
HERE = Path(__file__).resolve().parent
published = SimpleNamespace(**run_path(str(HERE / "published.py")))
scoring = SimpleNamespace(**run_path(str(HERE / "inspect_scoring.py")))


@task
def multiple_choice(split: str = "") -> Task:
    """Every answerable question that has options, without any context."""
    samples = [
        Sample(
            id=one["id"],
            input=one["question"],
            choices=one["options"],
            # Inspect letters the choices anew, from A.
            target=chr(ord("A") + one["gold"]),
            metadata=scoring.groups(one),
        )
        for one in published.multiple_choice(split or published.default_split())
    ]
    return Task(dataset=MemoryDataset(samples), solver=ask_for_a_letter(), scorer=choice())

"""The questions with their gold passages.

Run it with: `inspect eval inspect_gold_passages.py --model PROVIDER/MODEL`.
"""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

from inspect_ai import Task, task

# By path: several published datasets may be loaded at once.
HERE = Path(__file__).resolve().parent
published = SimpleNamespace(**run_path(str(HERE / "published.py")))
scoring = SimpleNamespace(**run_path(str(HERE / "inspect_scoring.py")))


@task
def gold_passages(split: str = "") -> Task:
    """Every answerable question with its gold passages."""
    asked: Task = scoring.open_task(published.gold_passages(split or published.default_split()))
    return asked

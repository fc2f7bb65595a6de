"""The questions without any context.

Run it with: `inspect eval inspect_closed_book.py --model PROVIDER/MODEL`.
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
def closed_book(split: str = "") -> Task:
    """Every answerable question without any context."""
    asked: Task = scoring.open_task(published.closed_book(split or published.default_split()))
    return asked

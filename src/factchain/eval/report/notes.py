"""What Inspect's logs keep of a question's way: the steps and the passages."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog

from factchain.eval.asking import StepTaken
from factchain.eval.log_archives import read_stores
from factchain.eval.scores import current_logs, setting_of
from factchain.progress import counting

_LOGS = Path("eval") / "logs"
_TASKS = ("retrieval", "sub_questions", "decomposition", "dynamic_retrieval")

Setting = tuple[str, ...]
Noted = tuple[list[StepTaken], list[str]]


def read_notes(
    whose: Mapping[Setting, Path], questions: Collection[str]
) -> dict[tuple[Setting, str], Noted]:
    """By setting and question: the steps, and the passages before the question itself.

    `whose` is the workspace of each setting. Only these questions are read, one by one; a log of
    other files or prompts than the workspace's is passed over. Raises InputError for a log that
    cannot be read.
    """
    logs: list[tuple[Setting, EvalLog]] = []
    for folder in sorted(set(whose.values())):
        for log in current_logs(folder / _LOGS, folder):
            setting: Setting = setting_of(log)
            if setting[0] in _TASKS and whose.get(setting) == folder:
                logs.append((setting, log))
    found: dict[tuple[Setting, str], Noted] = {}
    wanted = set(questions)
    samples = {
        (setting, log.location): chosen
        for setting, log in logs
        if (chosen := [one for one in log.eval.dataset.sample_ids or () if str(one) in wanted])
    }
    with counting("reading steps", sum(map(len, samples.values()))) as advance:
        for (setting, location), chosen in samples.items():
            for sample, store in read_stores(location, chosen):
                if store is not None:
                    found[setting, str(sample)] = _noted(store)
                advance()
    return found


def _noted(store: Mapping[str, Any]) -> Noted:
    steps = [StepTaken.model_validate(step) for step in store.get("steps", ())]
    return steps, [str(passage) for passage in store.get("passages", ())]

"""What Inspect's logs keep of a question's way: the steps and the passages."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from inspect_ai.log import EvalLog, read_eval_log_sample

from factchain.eval.asking import StepTaken
from factchain.eval.scores import current_logs, setting_of
from factchain.progress import counting

_LOGS = Path("eval") / "logs"
_TASKS = ("retrieval", "sub_questions", "decomposition", "dynamic_retrieval")
_LEFT_OUT = {"events", "messages", "attachments"}

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
            setting = setting_of(log)
            if setting[0] in _TASKS and whose.get(setting) == folder:
                logs.append((setting, log))
    found: dict[tuple[Setting, str], Noted] = {}
    wanted = set(questions)
    samples = [
        (setting, log.location, sample)
        for setting, log in logs
        for sample in (log.eval.dataset.sample_ids or ())
        if str(sample) in wanted
    ]
    with counting("reading steps", len(samples)) as advance:
        for of, location, sample in samples:
            noted = _read(location, sample)
            if noted is not None:
                found[of, str(sample)] = noted
            advance()
    return found


def _read(location: str, sample: int | str) -> Noted | None:
    """None for a question that the log lists but that was not asked or failed."""
    try:
        read = read_eval_log_sample(location, id=sample, exclude_fields=_LEFT_OUT)
    except (IndexError, KeyError):
        return None
    if read.error:
        return None
    steps = [StepTaken.model_validate(step) for step in read.store.get("steps", ())]
    return steps, [str(passage) for passage in read.store.get("passages", ())]

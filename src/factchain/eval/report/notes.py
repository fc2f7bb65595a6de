"""What Inspect's logs keep of a question's way: the steps and the passages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import orjson
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
            for sample, store in _stores(location, chosen):
                if store is not None:
                    found[setting, str(sample)] = _noted(store)
                advance()
    return found


def _stores(
    location: str, samples: Iterable[int | str]
) -> Iterator[tuple[int | str, Mapping[str, Any] | None]]:
    """What the samples of a log keep; none for one that is listed but was not asked or failed.

    Inspect's own reader opens the log anew for every sample, which takes twenty times as long: it
    reads those logs alone that are no archives of samples.
    """
    path = location.removeprefix("file://")
    if not is_zipfile(path):
        yield from ((sample, _slowly(location, sample)) for sample in samples)
        return
    with ZipFile(path) as archive:
        names = set(archive.namelist())
        for sample in samples:
            name = f"samples/{sample}_epoch_1.json"
            kept: dict[str, Any] = orjson.loads(archive.read(name)) if name in names else {}
            yield sample, None if kept.get("error") else kept.get("store")


def _slowly(location: str, sample: int | str) -> Mapping[str, Any] | None:
    try:
        read = read_eval_log_sample(location, id=sample, exclude_fields=_LEFT_OUT)
    except (IndexError, KeyError):
        return None
    return None if read.error else dict(read.store)


def _noted(store: Mapping[str, Any]) -> Noted:
    steps = [StepTaken.model_validate(step) for step in store.get("steps", ())]
    return steps, [str(passage) for passage in store.get("passages", ())]

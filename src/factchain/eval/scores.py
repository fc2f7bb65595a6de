"""Inspect's logs -> one table of scores -> means with intervals.

`scores.parquet` has one row a (task, mode, context, model, question, hop), sorted by these; a row
of the whole question has hop 0. A question that could not be asked has an `error` and no scores.
What else there is to know (messages, times, token counts) stays in the logs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from pydantic import ValidationError

from factchain.errors import InputError
from factchain.eval.columns import Columns, Rows
from factchain.eval.dataset import rests_on, version_of
from factchain.eval.log_archives import Summary, read_summaries, reading
from factchain.eval.records import ScoreSummary
from factchain.eval.results import FLOOR as FLOOR
from factchain.eval.scorers import outcomes_of
from factchain.eval.statistics import interval
from factchain.files import write_atomically
from factchain.progress import say
from factchain.questions.text_scores import SCORES

_MEASURES = (
    *("precision", "recall"),
    *("support_f1", "support_exact_match", "support_precision", "support_recall"),
    *("joint_f1", "joint_exact_match", "joint_precision", "joint_recall"),
)

PROBE_SCORES = (
    *_MEASURES,
    "probe_by_confidence",
    *(f"probe_{name}" for name in ("f1", "exact_match", *_MEASURES)),
    *(f"probe_{name}_mean" for name in ("f1", "exact_match", "support_f1", "joint_f1")),
    *(f"probe_{name}_min" for name in ("f1", "exact_match", "support_f1", "joint_f1")),
)
"""What the task `probe` gives besides (`probes.py`)."""

REFUSAL_SCORES = ("acceptable", "unanswered", "clarification", "answered", "full_answer")
"""What the task `unanswerable` gives (`unanswerable.py`), instead of the scores of answers."""

SCHEMA = pa.schema(
    [
        pa.field("task", pa.string(), nullable=False),
        pa.field("mode", pa.string(), nullable=False),
        pa.field("context", pa.string(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("hop", pa.int8(), nullable=False),
        pa.field("chain", pa.string(), nullable=False),
        pa.field("axis", pa.string(), nullable=False),
        pa.field("topology", pa.string(), nullable=False),
        pa.field("kinds", pa.string(), nullable=False),
        pa.field("hops", pa.int8(), nullable=False),
        pa.field("labels", pa.string(), nullable=False),
        pa.field("gold", pa.string()),
        pa.field("prediction", pa.string()),
        pa.field("error", pa.string()),
        pa.field("sub_questions", pa.int16()),
        pa.field("retrievals", pa.int16()),
        pa.field("withheld", pa.int8()),
        *(pa.field(name, pa.float64()) for name in (*SCORES, *PROBE_SCORES, *REFUSAL_SCORES)),
    ]
)
"""Columns of `scores.parquet`; a `prediction` has single spaces and at most 1,024 characters."""

SETTING = ("task", "mode", "context", "model")
"""What a score is of: these together are one setting."""

_LOG_VERSION = EvalLog.model_fields["version"].default
_KEY = (*SETTING, "question", "hop")
_OF_QUESTION = ("chain", "axis", "topology", "kinds", "hops", "labels")
_KIND = ("kind",)
_GROUPS = (
    (),
    *(("axis",), ("hops",), ("axis", "hops"), ("axis", "hops", "labels")),
    ("topology",),
    _KIND,
)

Row = dict[str, Any]


def collect(logs: Path, workspace: Path) -> pa.Table:
    """The scores of all logs in a folder that are of the workspace's present files and prompts.

    Where a question was asked again, the later answer counts, but an answer before an error. Logs
    that are of other files or prompts are left out, which is said. Raises InputError for a log
    that cannot be read, or that another version of factchain wrote.
    """
    found: dict[tuple[str, ...], list[Row]] = {}
    current = list(current_logs(logs, workspace))
    others = len(list_eval_logs(str(logs))) - len(current) if logs.is_dir() else 0
    if others:
        say(
            f"{logs}: {others} of {others + len(current)} logs are left out: they are of other "
            "questions, passages or prompts than the present ones; move them away if they are of "
            "no more use"
        )
    for log in current:
        for sample in read_summaries(log.location):
            try:
                rows = list(_rows(log, sample))
            except (KeyError, ValidationError) as error:
                raise InputError(
                    f"{_path_of(logs, log.location)}: was written by another version of "
                    f"factchain ({error}): move it away, so that its questions are asked again"
                ) from error
            key = tuple(rows[0][name] for name in _KEY[:-1])
            if rows[0]["error"] is None or key not in found:
                found[key] = rows
    ordered = [row for key in sorted(found) for row in found[key]]
    return pa.Table.from_pylist(ordered, schema=SCHEMA)


def current_logs(logs: Path, workspace: Path) -> Iterator[EvalLog]:
    """The headers of the logs that are of the workspace's present files and prompts, oldest first.

    Raises InputError for a log that cannot be read.
    """
    version = functools.cache(lambda files: version_of(rests_on(workspace, files)))
    for log in sorted(read_headers(logs), key=lambda log: (log.eval.created, log.location)):
        files = tuple((log.eval.metadata or {}).get("files", ()))
        present = all((workspace / name).is_file() for name in files)
        if present and log.eval.task_version == version(files):
            yield log


def setting_of(log: EvalLog) -> tuple[str, str, str, str]:
    """Task, mode, context and model of a log."""
    metadata = log.eval.metadata or {}
    task = log.eval.task.rpartition("/")[2]
    return task, metadata["mode"], metadata["context"], log.eval.model


def read_headers(logs: Path) -> list[EvalLog]:
    """The headers of all logs in a folder; none where it does not exist.

    Raises InputError for a log that cannot be read.
    """
    headers = []
    for info in list_eval_logs(str(logs)) if logs.is_dir() else []:
        path = _path_of(logs, info.name)
        with reading(path):
            header = read_eval_log(info, header_only=True)
        if header.version > _LOG_VERSION:
            raise InputError(
                f"{path}: is a log of version {header.version}, and the Inspect that is installed "
                f"reads up to {_LOG_VERSION}: install a newer inspect_ai, or move it away"
            )
        headers.append(header)
    return headers


def _path_of(logs: Path, location: str) -> Path:
    """The file of a log, which Inspect names by an address."""
    name = Path(location).name
    return next(logs.rglob(name), logs / name)


def write_scores(path: Path, scores: pa.Table) -> None:
    """Write the table, complete or not at all; the same table gives the same bytes."""
    with write_atomically(path) as out:
        pq.write_table(scores, out)


def read_scores(path: Path) -> pa.Table:
    """Read `scores.parquet` back. Raises InputError for what is no such table."""
    try:
        scores = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path}: is no table of scores: {error}") from error
    if not scores.schema.equals(SCHEMA):
        raise InputError(
            f"{path}: has other columns, since another version of factchain wrote it: run "
            "`factchain eval run` again, which asks nothing anew that the logs hold"
        )
    return scores


def where(scores: pa.Table, values: Row) -> pa.Table:
    """The rows that have these values."""
    for name, value in values.items():
        scores = scores.filter(pc.equal(scores[name], value))
    return scores


def summarise(scores: pa.Table, groups: Sequence[tuple[str, ...]] = _GROUPS) -> list[ScoreSummary]:
    """Means by task, context and model: by default of all questions, by axis, hops, both, and
    labels, by topology, and of the questions that have a hop of each kind.

    `groups` are the columns to group by, none of them for all questions. Where a task scores hops,
    the means are over these. Intervals as `statistics.interval` gives them. Sorted; groups without
    any score are left out.
    """
    columns = Columns(scores)
    return [
        summary
        for setting, rows in columns.groups(SETTING)
        for summary in _summaries(columns, rows, setting, groups)
    ]


def _rows(log: EvalLog, sample: Summary) -> Iterator[Row]:
    """The row of the question, or those of its hops where the task scores these."""
    row: Row = {
        **dict(zip(SETTING, setting_of(log), strict=True)),
        "question": str(sample["id"]),
        "hop": 0,
        **{name: sample["metadata"][name] for name in _OF_QUESTION},
    }
    error = sample.get("error")
    scored = next(iter((sample.get("scores") or {}).values()), None)
    if error or scored is None:
        yield row | {"error": error or "stopped before it was scored"}
    elif isinstance(scored["value"], dict):
        yield row | {"error": None, "prediction": scored.get("answer"), **scored["value"]}
    else:
        for outcome in outcomes_of(scored.get("metadata")):
            told = {"hop": outcome.hop, "gold": outcome.gold, "prediction": outcome.prediction}
            yield row | told | {"error": None} | outcome.scores


def _summaries(
    columns: Columns, rows: Rows, setting: Row, groups: Sequence[tuple[str, ...]]
) -> Iterator[ScoreSummary]:
    """The summaries of one setting."""
    for names in groups:
        parts = _by_kind(columns, rows) if names == _KIND else columns.groups(names, rows)
        for group, members in parts:
            yield from _summary(columns, members, setting | group)


def _by_kind(columns: Columns, rows: Rows) -> Iterator[tuple[Row, Rows]]:
    """The rows of questions that have a hop of each kind; an imported question may have none."""
    kinds = np.array([set(words.split("-")) - {""} for words in columns.words("kinds")])
    of_rows = columns.codes("kinds")[rows]
    for kind in sorted(set[str]().union(*kinds[np.unique(of_rows)])):
        having = np.array([kind in words for words in kinds])
        yield {"kind": kind}, rows[having[of_rows]]


def _summary(columns: Columns, rows: Rows, values: Row) -> Iterator[ScoreSummary]:
    everywhere = dict.fromkeys(("axis", "hops", "labels", "topology", "kind"))
    chains = columns.codes("chain")[rows]
    known: dict[bytes, tuple[float, float]] = {}
    for name in SCORES:
        column = columns.values(name)[rows]
        scored = ~np.isnan(column)
        if scored.any():
            key = column.tobytes()  # scores often agree on every question
            if key not in known:
                known[key] = interval(column[scored], chains[scored])
            low, high = known[key]
            yield ScoreSummary(
                **everywhere | values,
                score=name,
                n=int(scored.sum()),
                failed=int((~scored).sum()),
                mean=float(column[scored].mean()),
                low=low,
                high=high,
            )

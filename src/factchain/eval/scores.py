"""Inspect's logs -> one table of scores -> means with intervals.

`scores.parquet` has one row a (task, context, model, question), sorted by these. A question that
could not be asked has an `error` and no scores. What else there is to know (messages, times,
token counts) stays in the logs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)
from scipy import stats

from factchain.errors import InputError
from factchain.eval.answers import SCORES
from factchain.eval.dataset import rests_on, version_of
from factchain.eval.records import ScoreSummary
from factchain.files import write_atomically

SCHEMA = pa.schema(
    [
        pa.field("task", pa.string(), nullable=False),
        pa.field("context", pa.string(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("question", pa.string(), nullable=False),
        pa.field("axis", pa.string(), nullable=False),
        pa.field("topology", pa.string(), nullable=False),
        pa.field("kinds", pa.string(), nullable=False),
        pa.field("hops", pa.int8(), nullable=False),
        pa.field("labels", pa.string(), nullable=False),
        pa.field("prediction", pa.string()),
        pa.field("error", pa.string()),
        *(pa.field(name, pa.float64()) for name in SCORES),
    ]
)
"""Columns of `scores.parquet`; a `prediction` has single spaces and at most 1,024 characters."""

_KEY = ("task", "context", "model", "question")
_OF_QUESTION = ("axis", "topology", "kinds", "hops", "labels")
_GROUPS = (
    *(("axis",), ("hops",), ("axis", "hops"), ("axis", "hops", "labels")),
    ("topology",),
)
_RESAMPLES = 2000
_SEED = 0
_VALUES_AT_ONCE = 4_000_000

Row = dict[str, Any]


def collect(logs: Path, workspace: Path) -> pa.Table:
    """The scores of all logs in a folder that are of the workspace's present files and prompts.

    Where a question was asked again, the later answer counts, but an answer before an error.
    Raises InputError for a log that cannot be read.
    """
    version = functools.cache(lambda files: version_of(rests_on(workspace, files)))
    rows: dict[tuple[str, ...], Row] = {}
    for log in sorted(read_headers(logs), key=lambda log: (log.eval.created, log.location)):
        files = tuple((log.eval.metadata or {}).get("files", ()))
        if not all((workspace / name).is_file() for name in files):
            continue
        if log.eval.task_version != version(files):
            continue
        for sample in read_eval_log_sample_summaries(log.location):
            row = _row(log, sample)
            key = tuple(row[name] for name in _KEY)
            if row["error"] is None or key not in rows:
                rows[key] = row
    return pa.Table.from_pylist([rows[key] for key in sorted(rows)], schema=SCHEMA)


def read_headers(logs: Path) -> list[EvalLog]:
    """The headers of all logs in a folder; none where it does not exist.

    Raises InputError for a log that cannot be read.
    """
    headers = []
    for info in list_eval_logs(str(logs)) if logs.is_dir() else []:
        try:
            headers.append(read_eval_log(info, header_only=True))
        except Exception as error:  # Inspect has no exception of its own for a broken log
            name = Path(info.name).name
            raise InputError(f"{logs / name}: is no readable log: move it away") from error
    return headers


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
        raise InputError(f"{path}: has other columns: collect the scores anew with this version")
    return scores


def where(scores: pa.Table, values: Row) -> pa.Table:
    """The rows that have these values."""
    for name, value in values.items():
        scores = scores.filter(pc.equal(scores[name], value))
    return scores


def summarise(scores: pa.Table) -> list[ScoreSummary]:
    """Means by task, context and model: of all questions, by axis, hops, both, and labels, by
    topology, and of the questions that have a hop of each kind.

    Intervals of 95 %: Wilson's for scores of 0 and 1, a percentile bootstrap for F1; one question
    alone leaves the whole range open. Sorted; groups without any score are left out.
    """
    settings = scores.group_by(["task", "context", "model"], use_threads=False).aggregate([])
    return [
        summary
        for setting in settings.sort_by([(name, "ascending") for name in _KEY[:3]]).to_pylist()
        for summary in _summaries(where(scores, setting), setting)
    ]


def _row(log: EvalLog, sample: EvalSampleSummary) -> Row:
    row: Row = {
        "task": log.eval.task.rpartition("/")[2],
        "context": (log.eval.metadata or {})["context"],
        "model": log.eval.model,
        "question": str(sample.id),
        **{name: sample.metadata[name] for name in _OF_QUESTION},
    }
    scored = next(iter((sample.scores or {}).values()), None)
    if sample.error or scored is None:
        return row | {"error": sample.error or "stopped before it was scored"}
    assert isinstance(scored.value, dict)
    return row | {"error": None, "prediction": scored.answer, **scored.value}


def _summaries(scores: pa.Table, setting: Row) -> Iterator[ScoreSummary]:
    """The summaries of one setting: all questions first, then every group."""
    yield from _summary(scores, setting)
    for names in _GROUPS:
        groups = scores.group_by(list(names), use_threads=False).aggregate([])
        for group in groups.sort_by([(name, "ascending") for name in names]).to_pylist():
            yield from _summary(where(scores, group), setting | group)
    present = {kind for kinds in scores["kinds"].to_pylist() for kind in kinds.split("-")}
    for kind in sorted(present):
        having = scores.filter(pc.match_substring_regex(scores["kinds"], rf"\b{kind}\b"))
        yield from _summary(having, setting | {"kind": kind})


def _summary(scores: pa.Table, values: Row) -> Iterator[ScoreSummary]:
    everywhere = dict.fromkeys(("axis", "hops", "labels", "topology", "kind"))
    for name in SCORES:
        column = scores[name].drop_null().to_numpy()
        if len(column):
            low, high = interval(column)
            yield ScoreSummary(
                **everywhere | values,
                score=name,
                n=len(column),
                failed=scores[name].null_count,
                mean=float(column.mean()),
                low=low,
                high=high,
            )


def interval(values: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, float]:
    """The 95 % interval of the mean of values from 0 to 1.

    Wilson's where all are 0 or 1, else a percentile bootstrap with a fixed seed; a single value
    in between leaves the whole range open.
    """
    if np.isin(values, (0, 1)).all():
        wilson = stats.binomtest(int(values.sum()), len(values)).proportion_ci(method="wilson")
        return float(wilson.low), float(wilson.high)
    if len(values) == 1:
        return 0.0, 1.0
    bootstrap = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=_RESAMPLES,
        method="percentile",
        batch=max(1, _VALUES_AT_ONCE // len(values)),
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return float(bootstrap.low), float(bootstrap.high)

"""Logs read as archives, beside Inspect's own reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import pytest
from inspect_ai.log import EvalLog, EvalSampleSummary, read_eval_log, write_eval_log

from factchain.errors import InputError
from factchain.eval import log_archives
from factchain.eval.log_archives import read_stores, read_summaries
from factchain.eval.scores import read_headers
from factchain.eval.suite import run_suite

Writer = Callable[[str], Path]


@pytest.fixture
def logs(write_workspace: Writer) -> list[EvalLog]:
    """Of a task with steps, one without and one that scores hops."""
    folder = write_workspace("a name with 20% spaces")
    run_suite(
        folder, "factchain/lexical", ["retrieval-bm25", "decomposition-bm25", "stepwise"], limit=3
    )
    return read_headers(folder / "eval" / "logs")


def in_short(summaries: Iterable[Any]) -> list[list[Any]]:
    """What scores are made of, in the order of the samples."""
    found = []
    for summary in map(EvalSampleSummary.model_validate, summaries):
        scores = {name: (one.value, one.answer) for name, one in (summary.scores or {}).items()}
        found.append([str(summary.id), summary.metadata, scores, summary.error])
    return sorted(found, key=lambda one: str(one[0]))


def test_stores_are_as_inspect_reads_them(logs: list[EvalLog]) -> None:
    read = 0
    for log in logs:
        samples = [*(log.eval.dataset.sample_ids or ()), "nowhere"]
        assert is_zipfile(log.location.removeprefix("file://"))
        for sample, store in read_stores(log.location, samples):
            assert store == log_archives._read_store(log.location, sample)
            read += store is not None
    assert read == 9


def test_summaries_are_as_inspect_reads_them(
    logs: list[EvalLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    for log in logs:
        read = in_short(read_summaries(log.location))
        with monkeypatch.context() as patched:
            patched.setattr(log_archives, "is_zipfile", lambda path: False)
            assert read == in_short(read_summaries(log.location))
        assert len(read) == 3
        assert all(scores for _, _, scores, _ in read)


def test_a_log_that_is_no_archive_is_read_too(logs: list[EvalLog], tmp_path: Path) -> None:
    for number, log in enumerate(logs):
        other = str(tmp_path / f"{number}.json")  # Inspect remembers what it has read of a path
        write_eval_log(read_eval_log(log.location), other)
        samples = log.eval.dataset.sample_ids or ()
        assert list(read_stores(other, samples)) == list(read_stores(log.location, samples))
        assert in_short(read_summaries(other)) == in_short(read_summaries(log.location))


def test_a_log_that_was_not_finished_is_read_too(logs: list[EvalLog]) -> None:
    log = next(log for log in logs if log.eval.task.endswith("retrieval"))
    path = Path(log.location.removeprefix("file://"))
    whole = in_short(read_summaries(log.location))
    with ZipFile(path) as archive:
        kept = {one: archive.read(one) for one in archive.namelist() if one != "summaries.json"}
    with ZipFile(path, "w") as archive:
        for name, content in kept.items():
            archive.writestr(name, content)
    assert in_short(read_summaries(log.location)) == whole


@pytest.mark.parametrize(
    ("member", "read"),
    [
        ("summaries.json", lambda path, _: read_summaries(path)),
        ("samples/", lambda path, samples: list(read_stores(path, samples))),
    ],
)
def test_a_broken_part_of_a_log_is_told(
    logs: list[EvalLog], member: str, read: Callable[[str, list[Any]], Any]
) -> None:
    path = Path(logs[0].location.removeprefix("file://"))
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content[:9] if name.startswith(member) else content)
    assert len(read_headers(path.parent)) == 1
    with pytest.raises(InputError, match=r"is no readable log: .*: move it away$"):
        read(str(path), list(logs[0].eval.dataset.sample_ids or ()))

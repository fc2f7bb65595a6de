"""A workspace -> the samples that Inspect asks, and what a result rests on."""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample

from factchain.errors import InputError
from factchain.eval import prompts
from factchain.eval.dealing import deal
from factchain.files import sha256
from factchain.questions.records import Question
from factchain.records import read_records

QUESTIONS = "questions.jsonl"
_PROOFS_OF_OPTIONS: dict[str, Any] = {
    "distractors": True,
    "sub_questions": {"__all__": {"distractors": True}},
}
_LOGGER = logging.getLogger(__name__)


def rests_on(workspace: Path, files: Iterable[str]) -> dict[str, str]:
    """SHA-256 of the files that a task reads, by their path in the workspace.

    Raises InputError, with the remedy, for a file that is not there.
    """
    if not workspace.is_dir():
        raise InputError(f"{workspace}: no such folder: name one that `factchain build` wrote")
    checksums = {}
    for name in files:
        if not (workspace / name).is_file():
            raise InputError(
                f"{workspace / name}: is missing, and this task reads it: write it with "
                "`factchain build`, or run another task"
            )
        checksums[name] = sha256(workspace / name)
    return checksums


def version_of(checksums: Mapping[str, str]) -> str:
    """A task's version: answers are reused only for the same files and prompts."""
    lines = [prompts.VERSION, *(f"{name} {checksum}" for name, checksum in checksums.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def read_questions(workspace: Path) -> list[Question]:
    """The answerable questions of `questions.jsonl`, in the order of the file.

    A question with an empty gold label is left out with a warning (SPEC.md 1.4). Raises
    InputError for a broken record, for two questions with one id, and where none is left.
    """
    path = workspace / QUESTIONS
    questions = [question for question in _scorable(path) if question.answerable]
    if not questions:
        raise InputError(f"{path}: has no answerable question: build the dataset anew")
    return questions


def read_unanswerable(workspace: Path) -> list[Question]:
    """The unanswerable questions of `questions.jsonl`, in the order of the file.

    Raises InputError for a broken record, for two questions with one id, and where there are none.
    """
    path = workspace / QUESTIONS
    questions = [question for question in _scorable(path) if not question.answerable]
    if not questions:
        raise InputError(
            f"{path}: has no unanswerable question: make some with `factchain questions "
            "unanswerable`, or run another task"
        )
    return questions


def as_dataset(questions: Iterable[Question]) -> MemoryDataset:
    """One sample a question, in an order of which every beginning is spread evenly (`dealing.py`).

    `target` is the gold label, then its aliases, and those of further gold answers; `metadata`
    holds `chain` (see `chain_key`), `axis`, `topology`, `kinds` (of the hops, joined by `-`),
    `hops`, `labels` (see `label_pattern`) and the record as `question`, less the proofs of wrong
    options, which no task reads.
    """
    return MemoryDataset([_sample(question) for question in deal(questions)], name="factchain")


def label_pattern(question: Question) -> str:
    """The labels of the hops in their order, such as `popular-unpopular`, or `none`."""
    return "-".join(question.labels) or "none"


def chain_key(question: Question) -> str:
    """What questions have in common that rest on the same facts, whatever their axis.

    An imported question without facts is a chain of its own.
    """
    facts = sorted({fact.key for sub in question.sub_questions for fact in sub.facts})
    if not facts:
        return question.id
    return hashlib.sha256("\n".join(map(" ".join, facts)).encode()).hexdigest()[:12]


def _scorable(path: Path) -> tuple[Question, ...]:
    """The questions of a file that have a gold label."""
    return _read(path, sha256(path) if path.is_file() else "")


@functools.lru_cache(maxsize=2)
def _read(path: Path, _checksum: str) -> tuple[Question, ...]:
    """Read once, whatever the number of tasks."""
    return tuple(_with_gold_label(path))


def _with_gold_label(path: Path) -> Iterator[Question]:
    known: set[str] = set()
    for number, question in enumerate(read_records(path, Question), start=1):
        if question.id in known:
            raise InputError(f"{path}:{number}: id: {question.id!r} stands on an earlier line")
        known.add(question.id)
        if question.answer.label.strip():
            yield question
        else:
            _LOGGER.warning("%s:%d: left out: the gold answer is empty", path, number)


def _sample(question: Question) -> Sample:
    return Sample(
        id=question.id,
        input=question.question,
        target=[name for gold in (question.answer, *question.other_answers) for name in gold.names],
        metadata={
            "chain": chain_key(question),
            "axis": question.axis,
            "topology": question.topology,
            "kinds": "-".join(question.kinds),
            "hops": question.hops,
            "labels": label_pattern(question),
            # In a list, because Inspect wraps a long string anew for every summary of a sample.
            "question": [question.model_dump_json(exclude=_PROOFS_OF_OPTIONS)],
        },
    )

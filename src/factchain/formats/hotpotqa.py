"""HotpotQA: a JSON array of questions, each with ten paragraphs and supporting facts (SPEC.md 2).

A paragraph becomes a passage that remembers its sentences; the paragraphs with supporting facts
are the gold ones, in the order of the facts, each as that of a hop, since HotpotQA does not say
which hop needs which.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from factchain.formats.contexts import (
    PARAGRAPHS,
    ContextRecord,
    context_and_support,
    final_answer,
    is_comparison,
    pool_of,
    supporting_passages,
)
from factchain.formats.dataset_folder import DatasetFolder
from factchain.formats.json_files import Json, parse, read_objects
from factchain.formats.json_output import answerable_only, write_by_split
from factchain.formats.protocol import Drops, Entry, Format, Items, Written
from factchain.formats.references import UNKNOWN
from factchain.formats.source import answer, check_id, known, provenance, remember, split_of
from factchain.questions.records import Question

NAME = "hotpotqa"
_KEPT = ("type", "level", "supporting_facts")
_HOLDS = frozenset({"answer", "gold passages", "candidates"})


class HotpotRecord(ContextRecord):
    """One question of HotpotQA."""

    level: str | None = None


def read(files: Sequence[Path], split: str | None, drops: Drops) -> Items:
    """The questions of JSON arrays (or JSON Lines)."""
    for path in files:
        for place, source in read_objects(path):
            record = parse(place, source, HotpotRecord, "a question of HotpotQA")
            yield _entry(record, place, source, split_of(path, split), drops)


def _entry(record: HotpotRecord, place: str, source: Json, split: str, drops: Drops) -> Entry:
    pool = pool_of(record)
    gold = tuple(enumerate(supporting_passages(record, pool, drops).values(), start=1))
    question = Question(
        id=check_id(place, "_id", record.id),
        split=split,
        type="comparison" if record.type == "comparison" else "chain",
        axis="none",
        topology=UNKNOWN,
        hops=max(1, len({title for title, _ in record.supporting_facts})),
        question=record.question,
        answer=answer(record.answer or ""),
        sub_questions=(),
        labels=(),
        provenance=provenance(),
        metadata={"format": NAME}
        | {key: source[key] for key in _KEPT if source.get(key) is not None},
    )
    entry = Entry(question, pool, gold)
    rebuilt = to_object(entry, Drops())
    return entry._replace(question=remember(question, source, rebuilt, leave=("context",)))


def to_object(entry: Entry, drops: Drops) -> Json:
    """The question as HotpotQA has it.

    Where the question says nothing of `type` and `level`: `comparison` for what compares, `bridge`
    for the rest; `easy`, `medium`, `hard` for one, two, more hops.
    """
    question = entry.question
    context, support = context_and_support(entry, spaced=True, titles_merged=drops)
    kind = known(question, NAME, "type")
    level = known(question, NAME, "level")
    return {
        "_id": question.id,
        "question": question.question,
        "answer": final_answer(question),
        "type": kind or ("comparison" if is_comparison(question) else "bridge"),
        "level": level or {1: "easy", 2: "medium"}.get(question.hops, "hard"),
        "supporting_facts": support,
        "context": context,
    }


def write(dataset: DatasetFolder, out: Path, drops: Drops) -> Written:
    """Write a JSON array a split."""
    return write_by_split(
        dataset.entries(PARAGRAPHS, one_a_title=True),
        out,
        answerable_only(to_object, drops),
        name=NAME,
        holds=_HOLDS,
        drops=drops,
        array=True,
    )


FORMAT = Format(
    name=NAME,
    title="HotpotQA",
    files="JSON arrays of questions with their paragraphs, such as hotpot_dev_distractor_v1.json",
    read=read,
    write=write,
    holds=_HOLDS,
)

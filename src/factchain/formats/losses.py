"""What a dataset has that a format has no place for, counted field by field."""

from __future__ import annotations

from collections.abc import Callable

from factchain.formats.protocol import Drops, Entry
from factchain.formats.source import IMPORTED
from factchain.questions.records import Answer, Question, SubQuestion


def _hops(count: Callable[[SubQuestion], bool]) -> Callable[[Entry], int]:
    return lambda entry: sum(count(sub) for sub in entry.question.sub_questions)


def _one(has: Callable[[Question], object]) -> Callable[[Entry], int]:
    return lambda entry: int(bool(has(entry.question)))


def _typed(answer: Answer) -> bool:
    return answer.value is not None


FIELDS: dict[str, Callable[[Entry], int]] = {
    "type": _one(lambda q: q.type != "chain"),
    "topology": _one(lambda q: q.topology not in ("chain", "unknown", "other")),
    "hops": _one(lambda q: q.hops > 1),
    "labels": _one(lambda q: q.labels),
    "answer": _one(lambda q: q.answer.label),
    "answer.id": _one(lambda q: q.answer.id),
    "answer.aliases": _one(lambda q: q.answer.aliases),
    "answer.value": _one(lambda q: _typed(q.answer)),
    "other_answers": _one(lambda q: q.other_answers),
    "options": _one(lambda q: q.options),
    "distractors": _one(lambda q: q.distractors),
    "withheld": _one(lambda q: q.withheld),
    "full_answer": _one(lambda q: q.full_answer),
    "closed_book": _one(lambda q: q.closed_book),
    "query": _one(lambda q: q.query),
    "provenance": _one(lambda q: q.provenance.verbalizer != IMPORTED),
    "sub_questions": _hops(lambda sub: bool(sub.question)),
    "sub_questions.template": _hops(lambda sub: bool(sub.inputs)),
    "sub_questions.answer.id": _hops(lambda sub: sub.answer.id is not None),
    "sub_questions.answer.aliases": _hops(lambda sub: bool(sub.answer.aliases)),
    "sub_questions.answer.value": _hops(lambda sub: _typed(sub.answer)),
    "sub_questions.other_answers": _hops(lambda sub: bool(sub.other_answers)),
    "sub_questions.options": _hops(lambda sub: bool(sub.options)),
    "sub_questions.distractors": _hops(lambda sub: bool(sub.distractors)),
    "sub_questions.facts": _hops(lambda sub: bool(sub.facts or sub.triples)),
    "sub_questions.facts.ids": _hops(lambda sub: bool(sub.facts)),
    "sub_questions.kind": _hops(lambda sub: sub.kind != "lookup"),
    "sub_questions.operation": _hops(lambda sub: sub.operation is not None),
    "gold passages": lambda entry: len(entry.gold),
    "gold passages by hop": lambda entry: len(entry.hop_gold),
    "candidates": lambda entry: len(entry.pool),
}
"""By the name of a field how often an entry has something there."""

_READ_OUT = ("type", "topology", "hops", "sub_questions", "gold passages by hop")
"""Fields that an import reads out of others, so that its own format loses nothing with them."""


def count_losses(entry: Entry, name: str, holds: frozenset[str], drops: Drops) -> None:
    """Count what the entry has, and the format called `name` does not hold.

    What a question keeps of its source (`metadata`) goes only into the format that it is from.
    """
    metadata = entry.question.metadata
    native = metadata.get("format") == name
    for field, count in FIELDS.items():
        if field not in holds and not (native and field.startswith(_READ_OUT)):
            drops[field] += count(entry)
    drops["metadata"] += bool(metadata) and not native

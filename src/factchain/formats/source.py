"""What a published record says beyond our records, kept in a question's `metadata`.

`metadata.format` names the format. Fields that the format's writer would not make out of our
records as they stood in the source are in `metadata.verbatim`, those that it would make though
the source has none in `metadata.absent`: so an imported dataset, exported again, is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from factchain.errors import InputError
from factchain.formats.json_files import Json, SourceRecord, parse, read_objects
from factchain.questions.records import Answer, Provenance, Question

IMPORTED = "imported"
"""Verbalizer of the questions that others made."""

_SPLIT_WORDS = {"train": "train", "dev": "dev", "valid": "dev", "validation": "dev", "test": "test"}


def provenance() -> Provenance:
    """Of a question that others made."""
    return Provenance(verbalizer=IMPORTED, verifier="none", verdicts=(), snapshot=None, seed=0)


def answer(label: str, aliases: Collection[str] = (), item: object = None) -> Answer:
    """An answer in words, or an entity where the source has its Q-id."""
    if is_item(item):
        return Answer(id=str(item), label=label, aliases=tuple(aliases))
    return Answer(label=label, aliases=tuple(aliases), kind="text")


def is_item(value: object) -> bool:
    """Whether a value is a Q-id."""
    text = value if isinstance(value, str) else ""
    number = text[1:]
    return (
        text[:1] == "Q" and number.isascii() and number.isdecimal() and len(number) <= 10
        and number[0] != "0"
    )  # fmt: skip


def split_of(path: Path, split: str | None) -> str:
    """The split that was asked for, or the one that a word of the file's name names, or `test`."""
    if split:
        return split
    words = path.name.lower().replace("-", "_").replace(".", "_").split("_")
    return next((_SPLIT_WORDS[word] for word in words if word in _SPLIT_WORDS), "test")


R = TypeVar("R", bound=SourceRecord)


def numbered(
    files: Sequence[Path], split: str | None, kind: type[R], name: str, title: str
) -> Iterator[tuple[R, str, Json, str, str]]:
    """The records of files whose ids are optional: record, place, source, id and split.

    A record without an id is called by `name` and its number. Raises InputError for one that is no
    question of `title`.
    """
    number = 0
    for path in files:
        for place, source in read_objects(path):
            number += 1
            record = parse(place, source, kind, f"a question of {title}")
            given: object = getattr(record, "id", None)
            key = f"{name}-{number:05}" if given is None else str(given)
            yield record, place, source, check_id(place, "id", key), split_of(path, split)


def check_id(place: str, field: str, value: str) -> str:
    """The id, which stands in tables: raises InputError where it is empty or unprintable."""
    if not value.strip() or not value.isprintable():
        raise InputError(f"{place}: {field}: {value!r} is no id: printable characters are needed")
    return value


def remember(
    question: Question, source: Json, rebuilt: Json, leave: Collection[str] = ()
) -> Question:
    """The question with what `rebuilt`, made of it, does not say of `source`.

    The fields `leave` are not compared: what they hold has its place in the corpus.
    """
    metadata: dict[str, Any] = dict(question.metadata)
    verbatim = {
        key: value
        for key, value in source.items()
        if key not in leave and (key not in rebuilt or rebuilt[key] != value)
    }
    if verbatim:
        metadata["verbatim"] = verbatim
    if absent := [key for key in rebuilt if key not in source]:
        metadata["absent"] = absent
    return question.model_copy(update={"metadata": metadata})


def restore(question: Question, name: str, made: Json) -> Json:
    """The record as its source had it, where it is of this format; else as it was made."""
    if question.metadata.get("format") != name:
        return made
    absent: Any = question.metadata.get("absent", ())
    verbatim: Any = question.metadata.get("verbatim", {})
    kept = {key: value for key, value in made.items() if key not in absent}
    return {**kept, **verbatim}


def known(question: Question, name: str, field: str) -> Any:
    """A field of `metadata` where the question is of the format; else nothing."""
    return question.metadata.get(field) if question.metadata.get("format") == name else None

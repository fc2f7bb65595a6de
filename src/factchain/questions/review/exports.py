"""Label Studio's exports (JSON and JSON-MIN) -> what every reviewer said of every question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from factchain.errors import InputError
from factchain.questions.review.label_studio import COMMENT, CORRECTED, CORRECTED_HOP
from factchain.questions.review.rubric import HIGHEST, LOWEST, OF_HOP, OF_QUESTION

_HOP_FIELD = re.compile(r"(\w+)_(\d{1,3})")
_OF_QUESTION = {criterion.key for criterion in OF_QUESTION}
_OF_HOP = {criterion.key for criterion in OF_HOP}

Place = int | None
"""Number of a hop, from 1; none for the whole question."""


@dataclass
class Annotation:
    """What one reviewer said of one question."""

    question: str
    checksum: str
    """Of what the reviewer saw."""
    reviewer: str
    time: str
    order: int
    """Number of the annotation in Label Studio: the later one counts."""
    scores: dict[tuple[Place, str], int] = field(default_factory=dict)
    """By hop and criterion."""
    corrections: dict[Place, str] = field(default_factory=dict)
    comment: str = ""


def read_export(path: Path) -> list[Annotation]:
    """The annotations of an export, the last one of each reviewer and question, in a fixed order.

    Skipped tasks and empty annotations are left out. Raises InputError, naming file, task and
    field, for what is no such export.
    """
    try:
        content = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: is no JSON: export the project as JSON or JSON-MIN") from error
    if not isinstance(content, list):
        raise InputError(f"{path}: is no list of tasks: export the project as JSON or JSON-MIN")
    latest: dict[tuple[str, str], Annotation] = {}
    for number, entry in enumerate(content, start=1):
        place = f"{path}: task {number}"
        for one in _annotations(place, entry):
            key = (one.question, one.reviewer)
            if key not in latest or (one.time, one.order) > (latest[key].time, latest[key].order):
                latest[key] = one
    return [latest[key] for key in sorted(latest)]


def _annotations(place: str, entry: Any) -> Iterator[Annotation]:
    """Those of one entry: a task with annotations (JSON), or one annotation (JSON-MIN)."""
    if not isinstance(entry, dict):
        raise InputError(f"{place}: is no object")
    if "annotations" in entry:
        data = entry.get("data")
        if not isinstance(data, dict) or not isinstance(entry["annotations"], list):
            raise InputError(f"{place}: data: is missing: export the project as JSON")
        for made in entry["annotations"]:
            if not isinstance(made, dict):
                raise InputError(f"{place}: annotations: one is no object")
            if not made.get("was_cancelled"):
                found = _start(place, data, made, made.get("completed_by"), made.get("id"))
                for name, value in _results(place, made.get("result")):
                    _take(place, found, name, value)
                yield found
    elif "annotation_id" in entry or "annotator" in entry:
        found = _start(place, entry, entry, entry.get("annotator"), entry.get("annotation_id"))
        for name, value in entry.items():
            _take(place, found, name, value)
        yield found
    elif "question_id" not in (entry.get("data") or entry):  # else nobody's yet
        raise InputError(f"{place}: is no task of `factchain questions review export`")


def _start(
    place: str, data: Mapping[str, Any], made: Mapping[str, Any], who: Any, number: Any
) -> Annotation:
    for name in ("question_id", "checksum"):
        if not isinstance(data.get(name), str):
            raise InputError(
                f"{place}: {name}: is missing: the project was not made by "
                "`factchain questions review export`"
            )
    return Annotation(
        question=data["question_id"],
        checksum=data["checksum"],
        reviewer=_reviewer(place, who),
        time=str(made.get("updated_at") or made.get("created_at") or ""),
        order=number if isinstance(number, int) else 0,
    )


def _reviewer(place: str, who: Any) -> str:
    """An address or a number; newer versions give an object with both."""
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    if who is None or not isinstance(who, str | int):
        raise InputError(f"{place}: completed_by: says nobody: export the project anew")
    return str(who)


def _results(place: str, results: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(results, list):
        raise InputError(f"{place}: result: is no list")
    for result in results:
        if not isinstance(result, dict) or not isinstance(result.get("from_name"), str):
            raise InputError(f"{place}: result: one has no from_name")
        yield result["from_name"], result.get("value")


def _take(place: str, found: Annotation, name: str, value: Any) -> None:
    """Put one field of an annotation where it belongs; fields of the task are passed over."""
    match = _HOP_FIELD.fullmatch(name)
    if name in _OF_QUESTION:
        found.scores[None, name] = _score(f"{place}: {name}", value)
    elif match and match[1] in _OF_HOP:
        found.scores[int(match[2]) + 1, match[1]] = _score(f"{place}: {name}", value)
    elif name == CORRECTED and (text := _text(f"{place}: {name}", value)):
        found.corrections[None] = text
    elif match and match[1] == CORRECTED_HOP and (text := _text(f"{place}: {name}", value)):
        found.corrections[int(match[2]) + 1] = text
    elif name == COMMENT:
        found.comment = _text(f"{place}: {name}", value)


def _score(place: str, value: Any) -> int:
    """A rating as the exports write it: 4, {"rating": 4}, or a list of one of these."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        value = value.get("rating")
    if isinstance(value, bool) or not isinstance(value, int) or not LOWEST <= value <= HIGHEST:
        raise InputError(f"{place}: {value!r} is no score from {LOWEST} to {HIGHEST}")
    return value


def _text(place: str, value: Any) -> str:
    """A text as the exports write it: "x", ["x"], {"text": ["x"]}; on one line."""
    if isinstance(value, dict):
        value = value.get("text")
    lines = value if isinstance(value, list) else [value]
    if not all(isinstance(line, str) for line in lines):
        raise InputError(f"{place}: is no text")
    return " ".join(" ".join(lines).split())

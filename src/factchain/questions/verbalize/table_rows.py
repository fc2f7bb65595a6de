"""What a row of each table must hold; a user's mistake is told with its line and column."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn

from factchain.errors import InputError
from factchain.questions.verbalize.english import settle

COLUMNS: dict[str, dict[str, bool]] = {
    "phrases.tsv": {
        "property": True,
        "label": False,
        "changes": False,
        "classes": False,
        "question": True,
        "noun": True,
        "subject": False,
        "clause": True,
        "plural": True,
        "how_many": False,
        "indefinite": False,
    },
    "literals.tsv": {
        "property": True,
        "label": False,
        "changes": False,
        "classes": False,
        "event": True,
        "measure": True,
        "comparative": False,
        "subject": False,
    },
    "mentions.tsv": {"mention": True, "classes": True, "label": False, "plural": False},
    "nouns.tsv": {
        "noun": True,
        "plural": True,
        "pronoun": False,
        "classes": True,
        "asked": False,
    },
    "frames.tsv": {"frame": True, "text": True},
}
"""By table its columns, and whether a row must fill them or a file at least name them."""

_SLOTS = {"question": "{s}", "noun": "{s}", "plural": "{s}", "how_many": "{s}", "indefinite": "{s}"}
_HEADED = re.compile(r"\{[^{}|:]+:o\}")
_FREE = frozenset({"{pronoun}"})
_PLACEHOLDER = re.compile(r"\{\w+\}")


def check_row(table: str, where: str, row: Mapping[str, str], frames: Mapping[str, str]) -> None:
    """Raises InputError where a cell cannot be used; `frames` are the built-in ones."""
    if "property" in row and not re.fullmatch(r"P[1-9]\d{0,9}", row["property"]):
        _fail(where, "property", f"`{row['property']}` is no property id such as P57")
    answered = {"mentions.tsv": "plural"}.get(table, "changes")
    if row.get(answered, "") not in ("", "yes", "no"):
        _fail(where, answered, f"`{row[answered]}` is neither yes nor no")
    if wrong := [c for c in row.get("classes", "").split() if not re.fullmatch(r"Q[1-9]\d*", c)]:
        _fail(where, "classes", f"`{wrong[0]}` is no item id such as Q5; apart by spaces")
    match table:
        case "phrases.tsv":
            _check_phrase(where, row)
        case "literals.tsv":
            if bool(row["event"]) == bool(row["measure"]):
                _fail(where, "event", "give either `event` (of a date) or `measure` (of a number)")
        case "mentions.tsv":
            _check_mention(where, row)
        case "nouns.tsv":
            for column in ("noun", "plural"):
                if not row[column]:
                    _fail(where, column, "must not be empty")
        case "frames.tsv":
            _check_frame(where, row, frames)


def _check_phrase(where: str, row: Mapping[str, str]) -> None:
    for column, slot in _SLOTS.items():
        text = row.get(column, "")
        if not text and COLUMNS["phrases.tsv"][column]:
            _fail(where, column, "must not be empty")
        if text and text.count(slot) != 1:
            _fail(where, column, f"must hold {slot} once, for the subject: `{text}`")
    clause = row["clause"]
    if clause.count("{o}") + len(_HEADED.findall(clause)) != 1:
        _fail(where, "clause", f"must hold {{o}} once, for the object: `{clause}`")
    for column in ("question", "noun", "plural", "clause", "how_many", "indefinite"):
        known = re.sub(r"\{(?:s|o|in|Which)\}", "", row.get(column, ""))
        rest = settle(_HEADED.sub("", known))
        if left := re.search(r"[{}|]", rest):
            _fail(where, column, f"`{left[0]}` is out of place: `{row[column]}`")
    if "{Which}" in row["question"][1:]:
        _fail(where, "question", "{Which} must be its first word")


def _check_mention(where: str, row: Mapping[str, str]) -> None:
    if row["mention"].count("{label}") != 1:
        _fail(where, "mention", f"must hold {{label}} once: `{row['mention']}`")
    try:
        re.compile(row.get("label", ""))
    except re.error as error:
        _fail(where, "label", f"is no regular expression: {error}")


def _check_frame(where: str, row: Mapping[str, str], frames: Mapping[str, str]) -> None:
    frame, text = row["frame"], row["text"]
    if frame not in frames:
        _fail(where, "frame", f"there is no frame `{frame}`; there are {', '.join(sorted(frames))}")
    has, wants = (set(_PLACEHOLDER.findall(one)) for one in (text, frames[frame]))
    if missing := sorted(wants - has - _FREE):
        _fail(where, "text", f"must hold {missing[0]}: `{text}`")
    if unknown := sorted(has - wants):
        _fail(where, "text", f"holds {unknown[0]}, which frame `{frame}` has not: `{text}`")


def _fail(where: str, column: str, problem: str) -> NoReturn:
    raise InputError(f"{where}: column `{column}`: {problem}")

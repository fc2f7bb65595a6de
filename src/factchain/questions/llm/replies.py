"""From the text of a reply to the JSON object that was wanted: tolerant of its wrapping, not of its
content.

Prose, code fences and thinking around the object are passed over, and slips of syntax (a trailing
comma, single quotes) are mended by `json-repair`. What is missing is never made up: an object that
breaks off, or two different ones, is a problem to be told to the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import json_repair
from pydantic import BaseModel, ValidationError

from factchain.questions.llm.exchanges import REFUSED_BY_SERVER, Choice
from factchain.questions.llm.protocol import Quarantined

T = TypeVar("T", bound=BaseModel)

SHOWN = 3
"""Violations of the schema that are told."""
LONGEST = 100_000
"""Characters of a reply that are looked at for objects with slips."""
_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)


class UnreadableError(Exception):
    """A reply that cannot be read; its message says why, in words for the model."""


def refused(choice: Choice) -> Quarantined | None:
    """What becomes of a reply that no repair would change: a refusal, a filtered reply."""
    if choice.finish == REFUSED_BY_SERVER:
        return Quarantined(choice.refusal or "", "the server refused the request for its content")
    if choice.refusal is not None:
        return Quarantined(choice.refusal, "the model refused")
    if choice.finish == "content_filter":
        return Quarantined(choice.text, "the server's content filter stopped the reply")
    return None


def read_reply(choice: Choice, reply: type[T]) -> T:
    """The object of a reply. Raises UnreadableError where there is not exactly one that fits."""
    if choice.empty:
        raise UnreadableError("the response held no choice")
    if choice.finish == "length":
        raise UnreadableError("it breaks off at the limit of its length; be shorter")
    text = _THINKING.sub("", choice.text).strip()
    if not text:
        raise UnreadableError("it is empty")
    return _whole(_fitting(text, reply))


def _whole(read: T) -> T:
    """The object, unless it holds half a character, which no file takes."""
    if any("\ud800" <= sign <= "\udfff" for one, _ in _texts(read.model_dump()) for sign in one):
        raise UnreadableError("it holds half a character")
    return read


def _fitting(text: str, reply: type[T]) -> T:
    """The one object in a text that fits. Raises UnreadableError where there is not just one."""
    try:
        return reply.model_validate_json(text)
    except ValidationError as error:
        whole = error
    objects = list(_objects(text))
    fitting: list[T] = []
    violations = _in_words(whole)
    for one in objects:
        try:
            read = reply.model_validate(one)
        except ValidationError as error:
            violations = _in_words(error)
            continue
        if read not in fitting:
            fitting.append(read)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UnreadableError("it holds several different JSON objects")
    if not objects and "{" in text:
        raise UnreadableError("its JSON object is malformed or breaks off")
    if not objects:
        raise UnreadableError("it holds no JSON object")
    raise UnreadableError(f"its JSON object does not follow the schema: {violations}")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The complete objects in a text that are not inside another, their syntax mended."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            closing = _closing(text, at) if len(text) <= LONGEST else None
            if closing is None:
                return
            end = closing + 1
            value = _mended(text[at:end])
        if isinstance(value, dict):
            yield value
        at = text.find("{", end)


def _mended(text: str) -> Any:
    """The value of an object with slips; None where the mending changed any of its texts."""
    mended = json_repair.loads(text, skip_json_loads=True)
    value = json.loads(json.dumps(mended))  # joins halves of characters
    return value if _as_written(value, text) else None


def _as_written(value: Any, text: str) -> bool:
    """Whether all texts of a value stand in the source, in this order; but for names, in quotes."""
    at = 0
    for one, is_name in _texts(value):
        written = [json.dumps(one, ensure_ascii=False), json.dumps(one), f"'{one}'"]
        written += [f"{one}:"] if is_name else []
        places = [(place, len(form)) for form in written if (place := text.find(form, at)) >= 0]
        if not places:
            return False
        place, length = min(places)
        at = place + length
    return True


def _texts(value: Any) -> Iterator[tuple[str, bool]]:
    """All texts in a value, and whether each is a name."""
    if isinstance(value, str):
        yield value, False
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield str(name), True
            yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)


def _closing(text: str, at: int) -> int | None:
    """Where the object that opens at `at` closes, strings minded; None where it breaks off."""
    open_brackets: list[str] = []
    quote, escaped = "", False
    for place in range(at, len(text)):
        sign = text[place]
        if quote:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == quote:
                quote = ""
        elif sign == '"' or (sign == "'" and not text[place - 1].isalnum()):
            quote = sign
        elif sign in "{[":
            open_brackets.append("}" if sign == "{" else "]")
        elif sign in "}]":
            if open_brackets.pop() != sign:
                return None
            if not open_brackets:
                return place
    return None


def _in_words(error: ValidationError) -> str:
    """The first violations of a schema."""
    return "; ".join(
        f"{'.'.join(str(part) for part in one['loc']) or 'the whole'}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:SHOWN]
    )

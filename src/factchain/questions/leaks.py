"""Does a question name what it asks for, or an answer on the way to it?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from factchain.chains.records import EntityRef, FactChain, TypedValue
from factchain.questions.lexis import fold
from factchain.questions.literal_forms import date_forms, date_parts, number_forms
from factchain.questions.names import EntityName

SHORT_NAME = 3
"""Names of up to so many characters leak only with their case: `US` is not `us`."""

PART_OF_NAME = "part of a topic's name"
OFFERED = "one of the choices that the question offers"
CONSTANT = "a constant of an operation"
_AS_OF = re.compile(r"^As of [^,]+, ")


def leaks(
    chain: FactChain, question: str, names: Mapping[str, EntityName]
) -> tuple[list[str], dict[str, str]]:
    """The names of answers that the question gives away, and those that it may say, with why."""
    topics = [names[topic].label for topic in dict.fromkeys(chain.topics)]
    constants = {
        form
        for hop in chain.hops
        if hop.operation
        for operand in hop.operation.operands
        if operand.hop is None
        and isinstance(operand.value, TypedValue)
        and hop.kind == "arithmetic"
        for form in literal_names(operand.value)
    }
    # The snapshot's date says nothing of the answers.
    text = _AS_OF.sub("", question)
    bare = _without(topics, text)
    given_away: list[str] = []
    excused: dict[str, str] = {}
    for name, offered in _answer_names(chain, names):
        if not occurs(name, text):
            continue
        if offered:
            excused[name] = OFFERED
        elif not occurs(name, bare):
            excused[name] = PART_OF_NAME
        elif name in constants:
            excused[name] = CONSTANT
        elif name not in given_away:
            given_away.append(name)
    return given_away, excused


def literal_names(value: TypedValue) -> list[str]:
    """Every form of a number or a date that would tell it; a date is told by its year too."""
    if value.datatype == "boolean":
        return []
    if value.datatype == "time":
        year = [str(abs(part)) for part in date_parts(value)[:1]]
        return list(dict.fromkeys([*date_forms(value), *year]))
    return list(dict.fromkeys([value.label, *number_forms(value.value)]))


def occurs(name: str, text: str) -> bool:
    """Whether the name stands in the text at word boundaries, case and accents folded."""
    if len(name) > SHORT_NAME:
        name, text = fold(name), fold(text)
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _answer_names(chain: FactChain, names: Mapping[str, EntityName]) -> Iterator[tuple[str, bool]]:
    """The names of all answers, and whether the question offers each to choose from."""
    for hop in chain.hops:
        for answer in (hop.answer, *hop.other_answers):
            if isinstance(answer, EntityRef):
                offered = hop.kind == "compare" and answer.id in hop.topics
                yield from ((name, offered) for name in names[answer.id].all)
            else:
                yield from ((name, False) for name in literal_names(answer))


def _without(topics: Iterable[str], text: str) -> str:
    """The text without the names of its topics, the longest first."""
    for topic in sorted(topics, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(topic)}(?!\w)", " ", text)
    return text

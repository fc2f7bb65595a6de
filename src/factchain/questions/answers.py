"""The gold answer of a hop: an entity with its names, or a literal with the ways to write it."""

from __future__ import annotations

from collections.abc import Mapping

from factchain.chains.records import EntityRef, TypedValue
from factchain.questions.literal_forms import date_forms, for_readers, number_forms
from factchain.questions.names import EntityName
from factchain.questions.records import Answer, AnswerKind
from factchain.questions.verbalize.english import pluralise


def to_answer(answer: EntityRef | TypedValue, names: Mapping[str, EntityName]) -> Answer:
    """The record of an answer; `names` holds the entity, or the unit, where it has a label."""
    if isinstance(answer, EntityRef):
        name = names[answer.id]
        return Answer(id=name.id, label=name.label, aliases=tuple(sorted(name.aliases)))
    label = for_readers(answer)
    forms = {answer.label, *_forms(answer, names)} - {label}
    return Answer(label=label, aliases=tuple(sorted(forms)), kind=_kind(answer), value=answer)


def _kind(value: TypedValue) -> AnswerKind:
    if value.datatype == "time":
        return "date"
    if value.datatype == "boolean":
        return "yes/no"
    return "quantity" if value.unit else "number"


def _forms(value: TypedValue, names: Mapping[str, EntityName]) -> list[str]:
    """Ways to write a literal: digits and words, with and without the unit; dates in any order."""
    if value.datatype == "boolean":
        return []
    if value.datatype == "time":
        return date_forms(value)
    numbers = number_forms(value.value)
    units = _unit_names(value, names)
    return [*numbers, *(f"{number} {unit}" for number in numbers for unit in units)]


def _unit_names(value: TypedValue, names: Mapping[str, EntityName]) -> list[str]:
    if value.unit is None:
        return []
    label = value.unit_label or value.unit
    known = names.get(value.unit)
    # A unit's label is in the singular, but for the `years` and `days` between two dates.
    plural = label if label.endswith("s") else pluralise(label)
    return list(dict.fromkeys([label, plural, *(known.aliases if known else ())]))

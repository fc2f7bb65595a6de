"""Property templates as what stands around subject and object: `X was directed by Y.`

The clauses are those of the questions (`questions/verbalize`), so that a corpus in sentences and
its questions speak of a property in the same words, and in the same tense.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypedDict

import pyarrow as pa

from factchain.chains.records import ChainFact, TypedValue
from factchain.kg.records import number, pid
from factchain.questions.verbalize.phrases import Phrase, Phrases

Kind = Literal["entity", "time", "quantity", "text"]
_HERE = "\x00"
"""Stands for the object; no label holds it."""
_OTHER = f"the {_HERE}"
"""Stands for an object that is no bare name, since it has an article."""
_HEADED = re.compile(r"\{([^{}|:]+):o\}")


class Way(TypedDict):
    """One way to say a property: the words between subject and object, and after the object."""

    classes: list[int]
    """Classes of the subject that it is for; empty for all."""
    opening: str
    """Before an object that is a bare name."""
    ending: str
    day_opening: str
    """Before a date whose day is known."""
    head: str
    """What the object is called (`industry`), where a bare name has that before it."""
    head_opening: str
    """Before a name that ends with that word itself (`the automotive industry`)."""
    other_opening: str
    """Before an object that is no bare name (`the arts`)."""
    other_ending: str


_WAY = pa.struct(
    [
        ("classes", pa.list_(pa.int64())),
        *((name, pa.string()) for name in [*Way.__annotations__][1:]),
    ]
)


def pattern_table(properties: Iterable[tuple[int, Kind, str]]) -> pa.Table:
    """By property and kind of object the ways to say it, the one to prefer first.

    `properties` are the number of a property, the kind and the property's label.
    """
    phrases = Phrases()
    rows = [(p, kind, ways(phrases, p, kind, label)) for p, kind, label in properties]
    names, kinds, said = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table(
        {
            "p": pa.array(names, pa.int32()),
            "kind": pa.array(kinds, pa.string()),
            "ways": pa.array(said, pa.list_(_WAY)),
        }
    )


def ways(phrases: Phrases, p: int, kind: Kind, label: str) -> list[Way]:
    """The ways to say a property; the last is for all subjects."""
    fact = ChainFact(
        s="Q1",
        s_label="",
        p=pid(p),
        p_label=label,
        o="Q1" if kind == "entity" else None,
        o_label="",
        value=None if kind == "entity" else _literal(kind),
    )
    for_classes = [phrase for phrase in phrases.all_of(fact) if phrase.classes]
    return [_way(phrase) for phrase in (*for_classes, phrases.of(fact, None))]


def _literal(kind: Kind) -> TypedValue:
    # A text is said as a date is: it has no measure.
    datatype: Literal["time", "quantity"] = "quantity" if kind == "quantity" else "time"
    return TypedValue(datatype=datatype, value="", label="")


def _way(phrase: Phrase) -> Way:
    opening, ending = _around(phrase.say(_HERE, preposition="in"))
    other_opening, other_ending = _around(phrase.say(_OTHER, preposition="in"), _OTHER)
    headed = _HEADED.search(phrase.clause)
    head = headed[1] if headed else ""
    return Way(
        classes=sorted(number(one) for one in phrase.classes),
        opening=opening,
        ending=ending,
        day_opening=_around(phrase.say(_HERE, preposition="on"))[0],
        head=head.removesuffix(" of").split(" ")[-1].casefold(),
        head_opening=f"{opening.removesuffix(f'{head} ')}the ",
        other_opening=other_opening,
        other_ending=other_ending,
    )


def _around(clause: str, name: str = _HERE) -> tuple[str, str]:
    """What stands between subject and object, and what after the object, which is `name`."""
    before, _, after = clause.partition(name)
    # A label is data: what looks like the place of the object stays as it is.
    return f" {before}", after.replace(name, "{o}")

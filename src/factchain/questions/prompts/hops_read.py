"""The prompt that lists the hops that a question asks for, from a list of properties to choose."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from factchain.questions.prompts.data import IS_DATA, block, version

OPERATIONS: dict[str, str] = {
    "none": "nothing is reckoned: something is looked up, or found by several conditions",
    "count": "how many there are",
    "sum": "a sum of values",
    "difference": "how far apart two numbers or dates are",
    "product": "one number times another",
    "shift": "a date so many years before or after another",
    "earlier": "which is or comes earlier, or whether one does",
    "later": "which is or comes later, or whether one does",
    "less": "which is or has the less or least, or whether one has less",
    "more": "which is or has the more or most, or whether one has more",
    "same": "whether two are the same",
}
"""The operations that a reader tells apart; those of chains that one question may mean alike are
one here."""

SYSTEM = f"""\
You take questions apart. You get a question and a list of properties of a knowledge graph, and \
list the hops that somebody must make who looks its answer up there, in their order: for each use \
of a property one hop, with the key of the property. If two things are compared by one property, \
that is one hop, with the operation. If a hop reckons with earlier answers only, its property is \
`none`. Take only what the question itself says, not what you know of its subject. If it asks for \
a relation that is not in the list, put `other`.

The operations are:
{block(OPERATIONS)}

{IS_DATA}

Reply with one JSON object: `hops`, a list with `property` and `operation` for each hop."""


class ReadHop(BaseModel):
    """One hop that the question asks for."""

    model_config = ConfigDict(extra="forbid")

    property: str
    operation: str


class ReadHops(BaseModel):
    """The hops that the question asks for."""

    model_config = ConfigDict(extra="forbid")

    hops: list[ReadHop]


def user(question: str, properties: Mapping[str, Mapping[str, str]]) -> str:
    """The user message; `properties` by key."""
    return f"Properties:\n{block(properties)}\n\nQuestion:\n{block(question)}"


def hops_read_version() -> str:
    """Version of the prompt."""
    return version(SYSTEM)

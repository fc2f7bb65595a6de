"""Why a stage leaves something out: its names for the reasons, in a reader's words."""

from __future__ import annotations

REASONS = {
    "malformed line": "a line of a dump that is no entity",
    "redirect": "an entity that was merged into another",
    "lexeme": "a word, not a thing",
    "rank": "a statement of lower rank than the best of its property, or deprecated",
    "novalue": "a statement that says that there is no value",
    "somevalue": "a statement whose value is unknown",
    "datatype": "a statement whose value is an external identifier, a file or the like",
    "ended": "a statement that had ended by the snapshot's date",
    "not an item": "a statement whose value is no item",
    "ambiguous name": "a mention in the text, of a name that several entities bear",
    "fact without label on the axis": "a fact between the bounds of popularity, or never stated",
    "excluded property": "a property that the settings leave out of chains",
    "several answers": "a subject with several objects of the property: no single answer",
    "entity without label": "an entity that cannot be named in English",
    "entity without facts": "an entity of which the store says nothing",
    "acyclicity": "a chain that comes back to an entity",
    "no shortcut": "a chain two of whose entities a fact joins directly, past a hop",
    "necessity": "an intersection one of whose conditions has the answer to itself",
    "not comparable": "a hop whose numbers or dates do not decide what is asked",
    "years too far apart": "a date that would be moved by more years than make a question",
    "operation": "a hop whose operation has another result than its answer",
    "connectivity": "hops that do not form the topology they name",
    "single answers": "a hop with another number of answers than it claims",
    "unknown id": "a chain with an entity or property that the store does not hold",
    "ended fact": "a fact that had ended by the snapshot's date",
    "contrary fact": "a fact whose classes contradict its property's direction",
    "empty property": "a property that says nothing, such as `different from`",
    "unclear topic": "a topic entity that shares its name, without a description",
    "failed the check": "a chain that the check of all constraints refused",
    "sub-chain of another": "a chain that a chosen longer one contains",
    "one property twice in a row": "a chain that asks for the same property of its own answer",
    "cap on topics": "a chain whose topic entity has enough chains already",
    "cap on answers": "a chain whose answer has enough chains already",
    "cap on bridge entities": "a chain through an entity on the way of enough chains already",
    "cap on property sequences": "a chain whose sequence of properties enough chains have",
    "cap on properties": "a chain of whose property the stratum has enough already",
    "symbolic": "a question whose executed query has another answer than the gold one",
    "distinguishable": "a question whose topic shares its name, and no description tells it apart",
    "leak": "a question that names its answer, or an entity on the way to it",
    "coverage": "a question that does not say a property or an operation of its chain",
    "duplicate": "a question in the same words as another",
    "could not be asked": "a question that the model gave no answer to",
}


DETAILS = {
    "approximate": "a quantity that is known only approximately, never compared or reckoned with",
    "tie": "values that are the same, so that neither is first or larger",
    "units differ": "quantities in different units, which are never reckoned together",
    "more precise than a decade": "a date that is coarser than a year",
    "one date is part of the other": "dates too coarse to tell which is first",
    "too coarse to tell": "values that are the same, or dates too coarse to tell which is first",
    "different calendars": "dates of different calendars",
    "known to the day": "days counted from a date that is not known to the day",
    "year 0": "a date in a year that does not exist",
}
"""What stands in a reason after `not comparable`, in a reader's words."""


def in_words(reason: str) -> str:
    """A reason in a reader's words; empty where there are none for it."""
    name, _, detail = reason.partition(": ")
    found = (words for part, words in DETAILS.items() if part in detail)
    return REASONS.get(reason) or next(found, REASONS.get(name, ""))

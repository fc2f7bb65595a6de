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
    "sub-chain of another": "a chain that a chosen longer one contains",
    "one property twice in a row": "a chain that asks for the same property of its own answer",
    "cap on topics": "a chain whose topic entity has enough chains already",
    "cap on answers": "a chain whose answer has enough chains already",
    "cap on properties": "a chain of whose property the stratum has enough already",
    "symbolic": "a question whose executed query has another answer than the gold one",
    "distinguishable": "a question whose topic shares its name, and no description tells it apart",
    "leak": "a question that names its answer, or an entity on the way to it",
    "duplicate": "a question in the same words as another",
    "could not be asked": "a question that the model gave no answer to",
}

"""Names that no entity of the store bears, made of parts of names that entities of a class bear.

A person gets the first name of one and the last name of another; anything else the first half of
one label and the last half of another, word by word or, where it is one word, letter by letter.
A name is taken only if no label and no alias is like it, case and accents aside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from factchain.kg.records import number, qid
from factchain.kg.store import Store
from factchain.questions.kinds import queries
from factchain.questions.lexis import fold
from factchain.questions.names import EntityName

HUMAN = "Q5"
MOST_LABELS = 5000
"""Labels of one class that names are made of."""
LEAST_LABELS = 4
"""A class of fewer labelled entities has too few names to make others of."""
TRIES = 12
"""Names that are made for one place, of which the first that is free is taken."""


class MadeUpNames:
    """Makes names by the class of the entity whose place they take."""

    def __init__(self, store: Store, replaced: Iterable[EntityName]) -> None:
        """Read the labels of the classes of the entities that are to be replaced."""
        self._store = store
        classes = {c for name in replaced for c in name.classes}
        sizes = store.rows(queries.CLASS_SIZES, sorted(map(number, classes)))
        self._sizes = {qid(c): size for c, size in sizes if size >= LEAST_LABELS}
        self._labels: dict[str, list[str]] = {}
        self._used: set[str] = set()

    def class_of(self, name: EntityName) -> str | None:
        """The class whose names fill an entity's place: the largest; none where all are small."""
        known = [c for c in name.classes if c in self._sizes]
        if HUMAN in known:
            return HUMAN
        return max(known, key=lambda c: (self._sizes[c], -number(c)), default=None)

    def make(self, classes: Sequence[str], rng: np.random.Generator) -> list[str | None]:
        """A name for a thing of each class, none where none was found; no name is made twice."""
        tried = []
        for of_class in classes:
            labels = self._labels_of(of_class)
            made = [_combine(labels, of_class == HUMAN, rng) for _ in range(TRIES)]
            tried.append([name for name in made if name])
        known = self._existing(name for names in tried for name in names)
        found: list[str | None] = []
        for names in tried:
            free = (n for n in names if n not in known and fold(n) not in self._used)
            found.append(name := next(free, None))
            self._used.update([fold(name)] if name else [])
        return found

    def _labels_of(self, of_class: str) -> list[str]:
        if of_class not in self._labels:
            rows = self._store.rows(queries.LABELS_OF_CLASS, number(of_class), MOST_LABELS)
            self._labels[of_class] = [label for (label,) in rows if label.strip()]
        return self._labels[of_class]

    def _existing(self, names: Iterable[str]) -> set[str]:
        wanted = pa.table({"name": pa.array(sorted(set(names)), pa.string())})
        with self._store.incoming(name=wanted):
            return {name for (name,) in self._store.rows(queries.NAMES_THAT_EXIST)}


def _combine(labels: Sequence[str], is_person: bool, rng: np.random.Generator) -> str | None:
    """A name from two labels; none where they give none."""
    a, b = (labels[int(at)].split() for at in rng.integers(0, len(labels), 2))
    if is_person:
        return f"{a[0]} {b[-1]}" if len(a) > 1 and len(b) > 1 else None
    if len(a) > 1 and len(b) > 1:
        words = [*a[: (len(a) + 1) // 2], *b[len(b) // 2 :]]
        twice = [word for word, count in Counter(words).items() if count > 1]
        return None if twice else " ".join(words)
    if len(a) > 1 or len(b) > 1:
        # The name of one word would stand in it as a whole.
        return None
    first, last = a[0][: (len(a[0]) + 1) // 2], b[0][len(b[0]) // 2 :]
    return first + last.lower() if len(first) > 1 and len(last) > 1 else None

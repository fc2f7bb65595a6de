"""Is what a model answered the gold answer? By value for literals, by any name for the rest.

The paper that asks for this check does not say how (SPEC.md 7.1, item 12). Here a reply is right
where it is a name of the answer, both normalised and without accents, or holds one among few other
words: a reply that lists everything holds the gold answer too, and is none.
"""

from __future__ import annotations

from collections.abc import Iterable

from factchain.questions import text_scores, typed_answers
from factchain.questions.lexis import fold
from factchain.questions.records import Answer

MOST_OTHER_WORDS = 4
"""Words that a reply may have besides the name of the answer."""


def is_right(said: str, golds: Iterable[Answer]) -> bool:
    """Whether the reply is one of the gold answers."""
    return any(_is(said, gold) for gold in golds)


def _is(said: str, gold: Answer) -> bool:
    names = [name for name in gold.names if name.strip()]
    longest = max((len(name.split()) for name in names), default=0)
    if len(said.split()) > longest + MOST_OTHER_WORDS:
        return False
    if gold.value is not None:
        return bool(typed_answers.score(said, gold)["accuracy_word"])
    text, folded = fold(said), [fold(name) for name in names]
    return bool(text_scores.exact_match(text, folded) or text_scores.word_containment(text, folded))

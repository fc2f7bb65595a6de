"""Is every hop of a chain said in the question? Published sets lose hops (SPEC.md 7.1, item 7).

A property is said where all content words of one of its wordings (its label, an alias, a phrase of
the templates) stand in the question, as often as the chain has hops with it. An operation is said
where one of its cues does. Words are compared by stem; nothing is understood.

The cues are English, and so are the endings that stems are without. In another language a property
is said where the words of its label or an alias stand in the question, but for their endings, and
operations are not looked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from factchain.chains.records import FactChain, Hop, Operator
from factchain.questions.lexis import content_words, is_named, stem

_MORE = r"more|greater|larger|bigger|higher|longer|taller|deeper|heavier|exceeds?"
_LESS = r"less|fewer|smaller|lower|shorter|lighter"
CUES: dict[Operator, str] = {
    "count": r"how many|number of|count|as many",
    "sum": r"sum|total|combined|together|altogether|added|plus",
    "difference": rf"difference|subtract\w*|minus|by how (?:much|many)|{_MORE}",
    "product": r"product|times|multiplied|twice|double|triple",
    "years_between": r"years|how long|old|age",
    "days_between": r"days",
    "years_before": r"years? (?:before|earlier|prior)|as many years before|precede\w*",
    "years_after": r"years? (?:after|later)|as many years after|follow\w*",
    "earliest": r"earliest|earlier|first|oldest|older|before",
    "latest": r"latest|later|last|youngest|younger|newest|newer|most recent\w*|after",
    "smallest": rf"smallest|least|lowest|shortest|fewest|lightest|{_LESS}",
    "largest": rf"largest|greatest|most|highest|longest|tallest|biggest|heaviest|deepest|{_MORE}",
    "before": r"before|earlier|prior|older",
    "after": r"after|later|younger|newer",
    "less": _LESS,
    "more": _MORE,
    "same": r"same|equal\w*|share[sd]?|identical|both|common",
}
"""By operator what shows, as a regular expression, that a question speaks of it."""


def unsaid(
    chain: FactChain,
    question: str,
    wordings: Mapping[str, Iterable[str]],
    names: Iterable[str] = (),
    language: str = "en",
) -> list[str]:
    """The properties and operations of the chain that the question does not say.

    `wordings` are a property's, by P-id; `names` are the names of topic entities, whose words say
    nothing of a hop.
    """
    for name in names:
        question = question.replace(name, " ")
    if language != "en":
        return _unsaid_by_label(chain, question, wordings)
    words = Counter(map(stem, content_words(question)))
    labels = {fact.p: fact.p_label for hop in chain.hops for fact in hop.facts}
    uses = Counter(p for hop in chain.hops for p in _asked(hop, chain))
    lost = []
    for p, times in uses.items():
        forms = {
            frozenset(map(stem, content_words(wording)))
            for wording in (labels[p], *wordings.get(p, ()))
        }
        found = sum(min((words[word] for word in form), default=0) for form in forms)
        if found < times:
            lost.append(labels[p])
    operators = dict.fromkeys(hop.operation.operator for hop in chain.hops if hop.operation)
    lost += [
        operator
        for operator in operators
        if not re.search(rf"(?<!\w)(?:{CUES[operator]})(?!\w)", question, re.IGNORECASE)
    ]
    return lost


def _unsaid_by_label(
    chain: FactChain, question: str, wordings: Mapping[str, Iterable[str]]
) -> list[str]:
    labels = {fact.p: fact.p_label for hop in chain.hops for fact in hop.facts}
    return [
        label
        for p, label in labels.items()
        if not any(is_named(form, question) for form in (label, *wordings.get(p, ())))
    ]


def _asked(hop: Hop, chain: FactChain) -> set[str]:
    """The properties that a hop must say.

    `is of the gender of A` says one property for two hops: that of A, and the same one back.
    """
    own = {fact.p for fact in hop.facts}
    if hop.kind != "intersect" or any(fact.s != hop.answer.key for fact in hop.facts):
        return own
    before = {fact.p for one in chain.hops if one.index in hop.inputs for fact in one.facts}
    return own - before

"""The rules of English that phrases need: plurals, articles, tenses, inversion.

They are used where a table does not give a form, and not at all where the frames are of another
language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_IRREGULAR = {
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "foot": "feet",
    "series": "series",
    "species": "species",
    "taxon": "taxa",
    "phenomenon": "phenomena",
    "criterion": "criteria",
    "thesis": "theses",
    "aircraft": "aircraft",
    "spacecraft": "spacecraft",
    "software": "pieces of software",
    "music": "pieces of music",
    "status": "statuses",
    "percent": "percent",
    "hertz": "hertz",
    "kilohertz": "kilohertz",
    "megahertz": "megahertz",
    "gigahertz": "gigahertz",
    "siemens": "siemens",
    "yen": "yen",
    "renminbi": "renminbi",
    "baht": "baht",
    "won": "won",
    "rand": "rand",
}
_BEFORE = re.compile(
    r" (?:of|in|by|on|at|to|from|for|after|with|as|under|near|that|who|which|per) "
    r"| (?:Celsius|Fahrenheit|sterling|squared|\(.*)$"
)
_NUMBERED = re.compile(r"\{([^{}|:]*)\|([^{}|:]*)(?:\|([^{}|:]*))?\}")
_PAST = {"is": "was", "are": "were", "does": "did", "do": "did", "has": "had", "have": "had"}
_PRESENT = re.compile(rf"\b(?:{'|'.join(_PAST)})\b")
_PLURAL_VERBS = {"is": "are", "was": "were", "does": "do", "has": "have"}
_VERB_BEFORE = re.compile(rf"\b({'|'.join(_PLURAL_VERBS)}) \{{s\}}")
_VERB_AFTER = re.compile(rf"\{{s\}} ({'|'.join(_PLURAL_VERBS)})\b")
_AUXILIARIES = frozenset({"was", "is", "has"})


def pluralise(words: str) -> str:
    """The English plural of a noun phrase: `head of state` -> `heads of state`."""
    cut = _BEFORE.search(words)
    head, rest = (words[: cut.start()], words[cut.start() :]) if cut else (words, "")
    before, space, last = head.rpartition(" ")
    return f"{before}{space}{_plural_of(last)}{rest}"


def _plural_of(word: str) -> str:
    if word.lower() in _IRREGULAR:
        return _IRREGULAR[word.lower()]
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    if re.search(r"(?:s|x|z|ch|sh)$", word):
        return f"{word}es"
    return f"{word}s"


def about_several(pattern: str) -> str:
    """The pattern for a subject in the plural: `was {s} founded` -> `were {s} founded`."""
    pattern = _VERB_BEFORE.sub(lambda match: f"{_PLURAL_VERBS[match[1]]} {{s}}", pattern)
    return _VERB_AFTER.sub(lambda match: f"{{s}} {_PLURAL_VERBS[match[1]]}", pattern)


def indefinite(phrase: str) -> str:
    """The phrase with `a` or `an` for its leading `the`; as it is where it has none."""
    rest = phrase.removeprefix("the ")
    if rest == phrase:
        return phrase
    vowel = r"(?!uni[^nm]|us[eu]|eu|one\b|once\b)[aeiou]|heir|hour|honou?r|IUCN"
    sounds_like_vowel = re.match(vowel, rest, re.IGNORECASE)
    return f"{'an' if sounds_like_vowel else 'a'} {rest}"


def listing(phrases: Iterable[str], comma: str = ", ", last: str = " and ") -> str:
    """`A`, `A and B`, `A, B and C`."""
    *before, end = phrases
    return f"{comma.join(before)}{last}{end}" if before else end


def settle(pattern: str, *, plural: bool = False, past: bool = False) -> str:
    """The pattern with one word for each `{singular|plural|past}`.

    The past form may be left out where it is that of `is`, `has` or `does`, or where nothing
    changes with the tense, as in `{its|their}`.
    """

    def choose(match: re.Match[str]) -> str:
        present = match[2 if plural else 1]
        if not past:
            return present
        return match[3] if match[3] is not None else _PAST.get(present, present)

    settled = _NUMBERED.sub(choose, pattern)
    # `is or was held` -> `was held`
    return re.sub(r"\b(\w+) or \1\b", r"\1", settled) if past else settled


def past_question(pattern: str) -> str:
    """A question in the past: `Who is the head coach of {s}?` -> `Who was ...`.

    Only its first verb changes, and none where a verb of the pattern has a past form.
    """
    settled = settle(pattern, past=True)
    if settled != settle(pattern):
        return settled
    return re.sub(
        r"\b(\w+) or \1\b",
        r"\1",
        _PRESENT.sub(lambda match: _PAST[match[0]], settled, count=1),
    )


def past_noun(pattern: str) -> str:
    """A noun phrase of what was once: `the head coach of {s}` -> `the former head coach of {s}`.

    Where it has a clause, its verb tells the tense: `what {s} owned`.
    """
    settled = past_question(pattern)
    if settled != settle(pattern):
        return settled
    article = "the " if settled.startswith("the ") else ""
    return f"{article}former {settled.removeprefix(article)}"


def inverted(event: str, infinitive: str, subject: str) -> str:
    """An event as a question that yes or no answers: `Was A born`, `Did A die`."""
    auxiliary, _, rest = event.partition(" ")
    if infinitive or auxiliary not in _AUXILIARIES:
        return f"Did {subject} {infinitive or event}"
    return f"{auxiliary.capitalize()} {subject} {rest}"


def superlative(comparative: str) -> str:
    """`lower` -> `lowest`."""
    return f"{comparative.removesuffix('er')}est"

"""Numbers, dates and yes or no: a prediction against the value of the gold answer.

`35` and `thirty-five`, `12 March 1968` and `1968-03-12` are the same. A date is right where it is
as precise as the gold one and agrees with it: `12 March 1968` names the year 1968, but `1968` does
not name the day. A number in another unit is another number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from factchain.questions import text_scores
from factchain.questions.literal_forms import date_parts, dates, numbers
from factchain.questions.records import Answer
from factchain.questions.text_scores import NO_OVERLAP, SAME, Overlap

_LONGEST_READ = 4000
"""Characters of a prediction in which values are looked for: a text without end is no answer."""
_LONGEST_BARE = 300
"""Characters of a number or date with nothing but its unit: a longer text, which may hold thousands
of numbers, says more."""
_YES_OR_NO = re.compile(r"(?<!\w)(yes|no|true|false)(?!\w)", re.IGNORECASE)
_VERDICTS = {"yes": "yes", "true": "yes", "no": "no", "false": "no"}
_NEXT_WORD = re.compile(r"\s*([^\W\d]+)")
_LINKING = frozenset({"in", "on", "year", "date", "about"})
_UNITS = frozenset(
    {
        *("metre", "meter", "m", "kilometre", "kilometer", "km", "centimetre", "centimeter", "cm"),
        *("millimetre", "millimeter", "mm", "mile", "foot", "feet", "ft", "inch", "inche", "yard"),
        *("gram", "g", "kilogram", "kg", "tonne", "ton", "pound", "lb", "ounce", "hectare", "ha"),
        *("acre", "square", "second", "minute", "hour", "day", "week", "month", "year", "century"),
        *("dollar", "euro", "yen", "franc", "rupee", "percent", "litre", "liter", "gallon"),
    }
)
"""Words that make a number a quantity of something else, in the singular."""


def score(prediction: str, gold: Answer) -> dict[str, float]:
    """Every score of `text_scores.SCORES` by its name.

    Containment is by value, since a short number stands in longer ones, and `no` in `know`.
    """
    exact, contained, overlap = _rate(prediction, gold)
    return {
        **dict.fromkeys(("accuracy", "accuracy_alias", "accuracy_word"), float(contained)),
        "exact_match": float(exact),
        "f1": overlap.f1,
    }


def score_any(prediction: str, golds: Sequence[Answer]) -> dict[str, float]:
    """Every score, each of the gold answer that it is best for."""
    scored = [
        score(prediction, gold)
        if gold.value is not None
        else text_scores.score(prediction, gold.label, gold.aliases)
        for gold in golds
    ]
    return {name: max(one[name] for one in scored) for name in text_scores.SCORES}


def overlap_any(prediction: str, golds: Sequence[Answer]) -> Overlap:
    """F1, precision and recall, all of the gold answer with the best F1, which is `score_any`'s."""
    return max(
        _rate(prediction, gold)[2]
        if gold.value is not None
        else text_scores.token_overlap(prediction, gold.names)
        for gold in golds
    )


def _rate(prediction: str, gold: Answer) -> tuple[bool, bool, Overlap]:
    """Whether the prediction is the gold value, whether it contains it, and how far they overlap:
    wholly where the value is the same, however it is written."""
    exact, contained = _compare(prediction.strip()[:_LONGEST_READ], gold)
    # Without its punctuation a number is another one: -35, 3.5.
    by_text = gold.kind not in ("number", "quantity")
    exact |= by_text and bool(text_scores.exact_match(prediction, gold.names))
    if exact:
        return exact, contained, SAME
    if by_text or contained:
        return exact, contained, text_scores.token_overlap(prediction, gold.names)
    return exact, contained, NO_OVERLAP


def _compare(prediction: str, gold: Answer) -> tuple[bool, bool]:
    """Whether the prediction is the gold value, and whether it contains it."""
    assert gold.value is not None
    if gold.value.datatype == "boolean":
        return _compare_verdict(prediction, gold.value.value)
    if gold.value.datatype == "time":
        if parts := date_parts(gold.value):
            return _compare_date(prediction, parts)
        return False, bool(text_scores.word_containment(prediction, gold.names))
    return _compare_number(prediction, gold, Decimal(gold.value.value))


def _compare_verdict(prediction: str, gold: str) -> tuple[bool, bool]:
    """A verdict is the first word, or the only one of `yes` and `no` in the text."""
    found = list(_YES_OR_NO.finditer(prediction))
    said = {_VERDICTS[match[1].lower()] for match in found}
    if not found or (len(said) > 1 and found[0].start() > 0):
        return False, False
    first = found[0]
    right = _VERDICTS[first[1].lower()] == gold
    rest = prediction[: first.start()] + prediction[first.end() :]
    return right and not text_scores.normalise(rest), right


def _compare_date(prediction: str, gold: tuple[int, ...]) -> tuple[bool, bool]:
    right = [
        date
        for date in dates(prediction)
        if len(date.parts) >= len(gold) and date.parts[: len(gold)] == gold
    ]
    bare = (_is_bare(prediction[: d.start] + " " + prediction[d.end :], [""]) for d in right)
    return len(prediction) <= _LONGEST_BARE and any(bare), bool(right)


def _compare_number(prediction: str, gold: Answer, value: Decimal) -> tuple[bool, bool]:
    units = {
        name[: number.start] + name[number.end :]
        for name in gold.names
        for number in numbers(name)
        if number.start == 0
    }
    own = {text_scores.normalise(unit) for unit in units}
    right = [
        number
        for number in numbers(prediction)
        if number.value == value
        and not _has_other_unit(prediction[number.end :][:_LONGEST_BARE], own, gold)
    ]
    bare = (_is_bare(prediction[: n.start] + " " + prediction[n.end :], units) for n in right)
    return len(prediction) <= _LONGEST_BARE and any(bare), bool(right)


def _has_other_unit(after: str, own: set[str], gold: Answer) -> bool:
    """Whether a unit follows that is not the gold one; a bare number may count anything."""
    word = _NEXT_WORD.match(after)
    if gold.kind != "quantity" or word is None:
        return False
    text = word[1].lower()
    following = text_scores.normalise(after)
    if any(unit and following.startswith(unit) for unit in own):
        return False
    return text in _UNITS or text.removesuffix("s") in _UNITS


def _is_bare(rest: str, units: Iterable[str]) -> bool:
    """Whether nothing but a unit is left of a prediction without its number or date."""
    words = [word for word in text_scores.normalise(rest).split() if word not in _LINKING]
    return " ".join(words) in {"", *(text_scores.normalise(unit) for unit in units)}

"""What a question reckons with, split off by its form: counts, sums, years, comparisons.

The forms are those of plain English and of the template verbalizer. What stands in the place of a
number, a date or a name is read by itself, again by its form or else along the lines
(`lexical_reader.py`). What cannot be found out makes the whole answer none.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from factchain.eval.lexical_conditions import meeting
from factchain.eval.lexical_facts import LineFact, LineFacts, content, key
from factchain.eval.lexical_reader import follow, named
from factchain.eval.prompts import Document
from factchain.questions.literal_forms import dates, numbers

_MOST_NESTED = 6
_DESCRIPTION = re.compile(r" \([^)]*\)$")
_NESTING = re.compile(r"\b(of|that|who|whose|by|in|to)\b")
"""Words of a phrase that is about the name in it."""
_AS_OF = re.compile(r"^as of [^,]*, ", re.IGNORECASE)
_LET = re.compile(r"^let ([A-Z]) be (.+?)\. (?=[A-Z])", re.IGNORECASE | re.DOTALL)
_MORE = r"later|latest|last|greater|greatest|larger|largest|highest|higher|longest|longer|most"
_LESS = r"earlier|earliest|smaller|smallest|lowest|lower|shortest|shorter|fewest|first"
_OF_TWO = re.compile(
    rf"^(?:which|whichever) of (?P<pair>.+) (?P<said>(?<!was )"
    rf"(?:was|is|has|died|did|began|took|first|ended)\b.*?\b(?P<how>{_MORE}|{_LESS})\b.*)$",
    re.IGNORECASE,
)
_HAVE = re.compile(
    r"^does (?P<a>.+) have an? (?P<how>greater|larger|smaller|higher|lower) (?P<what>.+) "
    r"than (?P<b>.+)$",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"^(?:was|did|is) (?P<a>.+?) (?P<what>(?:first |officially |published or |take )?\S+) "
    r"(?P<how>before|after) (?P<b>.+)$",
    re.IGNORECASE,
)
_SAME = re.compile(r"^is (?P<a>.+) the same as (?P<b>.+)$", re.IGNORECASE)
_SHIFT = re.compile(
    r"^(?:which year is|(?:what is )?(?:the )?year(?: that is)?) "
    r"(?:as many years (?P<how>before|after) (?P<far>.+) as (?P<many>.+)"
    r"|(?P<n>\S+) years? (?P<how2>before|after) (?P<from>.+))$",
    re.IGNORECASE,
)
_FIXED_YEAR = re.compile(r"the year \d+ years? (?:before|after) \d+(?: BC)?", re.IGNORECASE)
_BETWEEN = re.compile(
    r"^(?:how many|the number of) (?P<unit>years|days)(?: lie)? between (?P<pair>.+)$",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    r"^(?:what is )?the (?P<what>sum|product|difference) (?:of|between) (?P<pair>.+)$",
    re.IGNORECASE,
)
_SUBTRACT = re.compile(
    r"^(?:what is )?the result of subtracting (?P<b>.+) from (?P<a>.+)$", re.IGNORECASE
)
_COMBINED = re.compile(
    r"^(?:what is )?the combined (?P<what>.+?) of all (?P<many>.+)$", re.IGNORECASE
)
_COUNT = re.compile(
    r"^(?:(?:in )?how many|(?:what is )?(?:the )?number of) (?P<what>.+)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Reader:
    """One question's facts, and how deep its parts are nested."""

    facts: LineFacts
    depth: int = 0

    def deeper(self) -> _Reader:
        return _Reader(self.facts, self.depth + 1)


def read(question: str, documents: Sequence[Document]) -> str | None:
    """The answer to a question from the lines of documents; none where they do not give one."""
    return _read(question, tuple(documents))


@functools.lru_cache(maxsize=4_000)
def _read(question: str, documents: tuple[Document, ...]) -> str | None:
    """The same question is asked of the same documents in several tasks."""
    reader = _Reader(LineFacts(documents, frozenset(content(question))))
    text = question.strip().removesuffix("?")
    while let := _LET.match(_AS_OF.sub("", text)):
        said = _resolve(let[2], reader.deeper())
        if said is None:
            return None
        rest = _AS_OF.sub("", text)[let.end() :]
        text = re.sub(rf"(?<!\w){let[1]}(?!\w)", lambda _, name=said: name, rest)  # type: ignore[misc]
    return _resolve(text, reader)


def _resolve(text: str, reader: _Reader) -> str | None:
    """The name, number or date that a phrase or a question comes to."""
    if reader.depth > _MOST_NESTED:
        return None
    text = _AS_OF.sub("", text.strip().removesuffix("?"))
    for form, reckon in _FORMS:
        if match := form.match(text):
            return reckon(match, reader.deeper())
    # `was founded in the year 35 years before 1968`
    for phrase in _FIXED_YEAR.findall(text):
        text = text.replace(phrase, _resolve(phrase, reader.deeper()) or phrase)
    nested = reader.deeper()
    if met := meeting(text, reader.facts, lambda part: _resolve(part, nested)):
        name, asked = met
        return follow(f"{asked}{name}", reader.facts) if asked.strip() else name
    return follow(text, reader.facts)


def _chosen(match: re.Match[str], reader: _Reader) -> str | None:
    pair = match["pair"].removeprefix("the ")
    most = re.fullmatch(_MORE, match["how"], re.IGNORECASE) is not None
    for first, second in _splits(pair):
        names = [_name(part, reader) for part in (first, second)]
        values = [_value(match["said"], name, reader) for name in names]
        if None not in names and None not in values:
            return _best(zip(names, values, strict=True), most)
    members = _members(pair, reader)
    values = [_value(match["said"], member, reader) for member in members]
    if len(members) < 2 or None in values:
        return None
    return _best(zip(members, values, strict=True), most)


def _best(pairs: Iterator[tuple[str | None, tuple[Decimal, ...] | None]], most: bool) -> str | None:
    ranked = [(value, name) for name, value in pairs if value is not None and name is not None]
    value, name = (max if most else min)(ranked, key=lambda pair: pair[0])
    return name if sum(other == value for other, _ in ranked) == 1 else None


def _judged(match: re.Match[str], reader: _Reader) -> str | None:
    names = [_name(match[part], reader) for part in "ab"]
    a, b = (_value(match["what"], name, reader) for name in names)
    if a is None or b is None or a == b:
        return None
    above = match["how"].lower() in {"after", "greater", "larger", "higher"}
    return "yes" if (a > b) == above else "no"


def _same(match: re.Match[str], reader: _Reader) -> str | None:
    a, b = (_resolve(match[part], reader) for part in "ab")
    if a is None or b is None:
        return None
    return "yes" if key(a) == key(b) else "no"


def _shifted(match: re.Match[str], reader: _Reader) -> str | None:
    start = _date(match["far"] or match["from"], reader)
    years = _number(match["many"] or match["n"], reader)
    if start is None or years is None:
        return None
    sign = -1 if (match["how"] or match["how2"]).lower() == "before" else 1
    year = start[0] + sign * int(years)
    # There is no year 0.
    year -= 1 if start[0] > 0 >= year else 0
    return f"{year}" if year > 0 else f"{-year} BC"


def _between(match: re.Match[str], reader: _Reader) -> str | None:
    for parts in _splits(match["pair"]):
        a, b = (_date(part, reader) for part in parts)
        if a is None or b is None:
            continue
        if match["unit"].lower() == "years":
            gap = abs(a[0] - b[0]) - (1 if a[0] * b[0] < 0 else 0)
            return f"{gap} years"
        if len(a) == len(b) == 3 and min(a[0], b[0]) > 0:
            return f"{abs((datetime.date(*a) - datetime.date(*b)).days)} days"
    return None


def _total(match: re.Match[str], reader: _Reader) -> str | None:
    for parts in _splits(match["pair"]):
        a, b = (_number(part, reader) for part in parts)
        if a is not None and b is not None:
            results = {"sum": a + b, "product": a * b, "difference": abs(a - b)}
            return _plain(results[match["what"].lower()])
    return None


def _subtracted(match: re.Match[str], reader: _Reader) -> str | None:
    a, b = (_number(match[part], reader) for part in "ab")
    return None if a is None or b is None else _plain(a - b)


def _combined(match: re.Match[str], reader: _Reader) -> str | None:
    values = [_value(match["what"], one, reader) for one in _members(match["many"], reader)]
    if not values or None in values:
        return None
    return _plain(sum((value[0] for value in values if value), Decimal(0)))


def _counted(match: re.Match[str], reader: _Reader) -> str | None:
    found = _members(match["what"], reader)
    if len(found) > 1 or (found and next(numbers(found[0]), None) is None):
        return str(len(found))
    # A number that a line states: `number of children 5`.
    said = follow(match[0], reader.facts)
    return said if said and next(numbers(said), None) else None


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], _Reader], str | None]], ...] = (
    (_OF_TWO, _chosen),
    (_HAVE, _judged),
    (_WHEN, _judged),
    (_SAME, _same),
    (_SHIFT, _shifted),
    (_BETWEEN, _between),
    (_TOTAL, _total),
    (_SUBTRACT, _subtracted),
    (_COMBINED, _combined),
    (_COUNT, _counted),
)


def _splits(pair: str) -> Iterator[tuple[str, str]]:
    """Every way to cut a text at an `and`."""
    for match in re.finditer(r" and ", pair):
        yield pair[: match.start()], pair[match.end() :]


def _name(text: str, reader: _Reader) -> str | None:
    """The name that a phrase comes to: a title as it is, or what its words lead to."""
    bare = _DESCRIPTION.sub("", text)
    for name in (text, bare):
        if key(name) in reader.facts.of:
            return name
    # `the film Dune`: nothing but a class, which may be a name itself, and the title.
    for _, start, end in named(bare, reader.facts.names):
        if end == len(bare) and not _NESTING.search(bare[:start]):
            return bare[start:]
    return _resolve(text, reader)


def _value(what: str, name: str | None, reader: _Reader) -> tuple[Decimal, ...] | None:
    """The number or date that the lines state of something, in a form that can be compared."""
    if name is None:
        return None
    asked = set(content(what))
    stated = [
        (len(fact.words & asked) / len(fact.words | {""}), fact.object)
        for fact in reader.facts.of.get(key(name), [])
        if fact.words & asked
    ]
    for _, text in sorted(stated, key=lambda pair: -pair[0]):
        if date := next((d.parts for d in dates(text) if d.end - d.start == len(text)), None):
            return tuple(map(Decimal, date))
        if number := next(numbers(text), None):
            return (number.value,)
    return None


def _members(text: str, reader: _Reader) -> list[str]:
    """All that one property leads to from a name in the text, or all that it leads from."""
    topics = named(text, reader.facts.names)
    starts = [(topic, text[:start] + text[end:]) for topic, start, end in topics]
    best: tuple[float, list[str]] = (0.0, [])
    for topic, rest in [*starts, *_nested(text, reader)]:
        asked = set(content(rest))
        for facts, end in ((reader.facts.of, "object"), (reader.facts.about, "subject")):
            groups: dict[tuple[frozenset[str], bool], list[LineFact]] = {}
            for fact in facts.get(topic, []):
                # `founded` is said of the founders and of the date.
                is_date = next(dates(fact.object), None) is not None
                groups.setdefault((fact.words, is_date), []).append(fact)
            for (words, _), group in sorted(groups.items(), key=lambda entry: entry[0][1]):
                score = len(words & asked) / max(1, len(words | asked))
                if score > best[0]:
                    best = score, list(dict.fromkeys(getattr(fact, end) for fact in group))
    return best[1]


def _nested(text: str, reader: _Reader) -> Iterator[tuple[str, str]]:
    """The names that the tails of a phrase come to, with what stands before each."""
    for match in re.finditer(r"(?<=\w )(?=the )", text):
        if name := _resolve(text[match.end() :], reader.deeper()):
            yield key(name), text[: match.start()]


def _date(text: str, reader: _Reader) -> tuple[int, ...] | None:
    said = text if _is_literal(text) else _resolve(text, reader)
    return next((date.parts for date in dates(said)), None) if said else None


def _number(text: str, reader: _Reader) -> Decimal | None:
    said = text if _is_literal(text) else _resolve(text, reader)
    return next((number.value for number in numbers(said)), None) if said else None


def _is_literal(text: str) -> bool:
    return re.fullmatch(r"[\d\s.,-]+(?: BC| years?)?|\d{1,2} \w+ \d+", text) is not None


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text

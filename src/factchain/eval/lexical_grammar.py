"""The template language, read back: a question or noun phrase -> the hops that it puts into words.

The sentence frames are those of `questions/verbalize/frames.tsv`, the phrases in them those of the
tables (`lexical_forms.py`). Names are whatever is left; of several readings the one that explains
most letters counts. What a question asks is read from its wording alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from factchain.eval.lexical_forms import Forms, template_forms
from factchain.eval.lexical_words import (
    Hop,
    Reading,
    Words,
    around,
    headed,
    joined,
    relative,
    starts,
)

_DEGREE = r"(?:later|latest|last|earlier|earliest|first|\w+er|\w+est)"
_SAID = re.compile(
    rf" (?=(?P<plain>(?:has the {_DEGREE} [^,]+|(?:was|is|has) (?:[a-z]+ ){{0,4}}{_DEGREE})$)"
    rf"|(?:[a-z]+ ){{1,4}}{_DEGREE}$)"
)
_HAVE = re.compile(rf"Does (?P<a>.+) (?P<said>have an? {_DEGREE} .+?) than (?P<b>.+)")
_SAME = re.compile(r"Is (?P<a>.+) the same as (?P<b>.+)")
_IN_ORDER = re.compile(r"(?P<verb>Is|Was|Did|Has) (?P<a>.+) (?P<order>before|after) (?P<b>.+)")
_SHIFTED = re.compile(
    r"(?P<asked>Which year is|the year(?: that is)?) "
    r"(?P<how>as many years (?:before|after)|\d+ years? (?:before|after)) (?P<rest>.+)"
)
_BETWEEN = re.compile(
    r"(?:How many|the number of) (?P<unit>years|days)(?: lie)? between (?P<pair>.+)"
)
_TOTAL = re.compile(r"(?P<said>the (?:sum of|product of|difference between) )(?P<pair>.+)")
_SUBTRACTED = re.compile(r"the result of subtracting (?P<b>.+) from (?P<a>.+)")
_COMBINED = re.compile(r"(?P<said>the combined .+? of all )(?P<things>.+)")
_IS = re.compile(r"(?:What|Who) (?:is|are|was|were) (?P<noun>.+)")
_ANSWER_TO = re.compile(r"the answer to “(?P<question>.+)\?”")
# A label of a property has no relative clause ("the place where the author of Hamlet was born").
_GENERIC = re.compile(
    r"(?P<said>the (?P<label>[a-z](?:(?! (?:where|who|whose|which|that) )[^A-Z“])*?) of )(?P<of>.+)"
)
_CONTINENT = re.compile(
    r"the continent of (?:Africa|Antarctica|Asia|Europe|Oceania|(?:North|South) America)"
)
_NAME = re.compile(r"(?:the .*)?(?:[A-Z0-9“\"#]).*", re.DOTALL)


class Grammar:
    """Reads one question; `letters` are what it has defined before: `Let X be ...`."""

    def __init__(self, letters: Mapping[str, Words]) -> None:
        self.letters = letters
        self._forms = template_forms()
        self._read: dict[tuple[object, str], Reading | None] = {}

    def question(self, text: str) -> Hop | None:
        """The last hop of a question without its mark; none where no form of a question fits."""
        best = self._best("question", self._questions, text)
        if best is None:
            return None
        if best.is_hop:
            (hop,) = best.words
            assert isinstance(hop, Hop)
            return hop
        return Hop(best.words, (text,), best.changes)

    def phrase(self, text: str) -> Reading:
        """A noun phrase: a hop, or a name as it is."""
        return self._best("phrase", self._phrases, text) or Reading(0, (text,))

    def _best(
        self, what: str, readings: Callable[[str], Iterator[Reading]], text: str
    ) -> Reading | None:
        """The reading that explains most; each part of a question is read once."""
        key = what, text
        if key not in self._read:
            self._read[key] = max(readings(text), key=lambda one: one.weight, default=None)
        return self._read[key]

    def _questions(self, text: str) -> Iterator[Reading]:
        forms = self._forms
        yield from self._filled(forms.questions, text)
        yield from self._filled(forms.counts, text)
        for head, rest in headed(text):
            yield from (around(head, one) for one in self._filled(forms.whiches, f" {rest}"))
            if met := self._conditions(rest):
                # The noun is any, so its letters explain nothing.
                yield around(f"{head} ", met, "?")._replace(weight=met.weight)
        if (is_noun := _IS.fullmatch(text)) and (noun := self.phrase(is_noun["noun"])).is_hop:
            yield noun
        if text.startswith("How many "):
            for head, rest in starts(text.removeprefix("How many ")):
                if met := self._conditions(rest):
                    yield around(f"How many {head} ", met, "?")._replace(changes=True)
        if text.startswith("Which of "):
            yield from self._chosen(text.removeprefix("Which of "))
        yield from self._judged(text)
        yield from self._reckoned(text)

    def _phrases(self, text: str) -> Iterator[Reading]:
        if _CONTINENT.fullmatch(text):
            return  # a name, not the continent that something lies on
        if text in self.letters:
            yield Reading(1, self.letters[text])
        if text.startswith("the year of ") and (of := self.phrase(text[12:])).is_hop:
            yield of._replace(weight=of.weight + len("the year of "))
        yield from self._hops(text, self._filled(self._forms.nouns, text))
        if text.startswith("the "):
            for head, pronoun, said in relative(text.removeprefix("the ")):
                if met := self._conditions(said):
                    asked = "Who " if pronoun == "who" else f"Which {head} "
                    yield from self._hops(text, [around(asked, met, "?")])
        if text.startswith("the number of "):
            yield from self._hops(text, self._counted(text.removeprefix("the number of ")))
        if text.startswith("whichever of "):
            yield from self._hops(text, self._chosen(text.removeprefix("whichever of ")))
        yield from self._hops(text, self._reckoned(text))
        if (told := _ANSWER_TO.fullmatch(text)) and (hop := self.question(told["question"])):
            yield Reading(len(text), (hop,))
        if (generic := _GENERIC.fullmatch(text)) and _NAME.fullmatch(generic["of"]):
            of = self.phrase(generic["of"])
            read = around(f"What is {generic['said']}", of, "?")
            yield from self._hops(text, [read._replace(weight=of.weight + 1)])

    def _hops(self, text: str, asked: Iterable[Reading]) -> Iterator[Reading]:
        """The hops that are asked for by these questions, each named by the text."""
        for one in asked:
            hop = Hop(one.words, self._named(text), one.changes)
            yield Reading(one.weight, (hop,))

    def _named(self, text: str) -> Words:
        """The text with the phrases that its letters stand for."""
        parts = re.split(r"\b([A-Z])\b", text) if self.letters else [text]
        words: list[str | Hop] = []
        for part in parts:
            words += self.letters.get(part, (part,))
        return tuple(words)

    def _filled(self, forms: Forms, text: str) -> Iterator[Reading]:
        """The questions that ask for what forms of nouns or questions say."""
        for form, slot in forms.find(text):
            inner = self.phrase(slot)
            before, after = form.ask
            yield Reading(form.weight + inner.weight, (before, *inner.words, after), form.changes)

    def _opened(self, text: str) -> Reading | None:
        """A noun phrase whose own hop is not asked for, since what stands around it is."""
        readings = [
            Reading(form.weight + inner.weight, (form.before, *inner.words, form.after))
            for form, slot in self._forms.nouns.find(text)
            for inner in [self.phrase(slot)]
        ]
        return max(readings, key=lambda one: one.weight, default=None)

    def _conditions(self, text: str) -> Reading | None:
        """What is said of one thing: a clause, or several."""
        return self._best("conditions", self._all_conditions, text)

    def _all_conditions(self, text: str) -> Iterator[Reading]:
        for copula in ("is both ", "is "):
            if text.startswith(copula):
                for pair in self._pairs(text.removeprefix(copula), self._member):
                    yield around(copula, pair)
                if found := self._member(text.removeprefix(copula)):
                    yield around(copula, found)
        if one := self._clause(text):
            yield one
        for joint in re.finditer(r", and also |, | and ", text):
            first = self._clause(text[: joint.start()])
            rest = self._conditions(text[joint.end() :]) if first else None
            if first and rest:
                yield joined(first, joint[0], rest)

    def _member(self, text: str) -> Reading | None:
        """One of several: `a country of A`, or of both A and B."""
        readings = [
            Reading(
                form.weight + inner.weight, (form.before, *inner.words, form.after), form.changes
            )
            for form, slot in self._forms.members.find(text)
            if re.match("an? ", text)
            for inner in [self._objects(slot)]
        ]
        return max(readings, key=lambda one: one.weight, default=None)

    def _clause(self, text: str) -> Reading | None:
        return self._best("clause", self._clauses, text)

    def _clauses(self, text: str) -> Iterator[Reading]:
        for form, slot in self._forms.clauses.find(text):
            inner = self._objects(slot)
            # `is of the gender of A`: of all clauses `is of` the one whose noun follows is meant.
            # An answer in the phrase's place needs that noun: `is of the gender female`.
            noun = form.ask[0].removeprefix(form.before)
            fits = len(noun) if slot.startswith(noun) else 0
            before, after = form.ask if inner.is_hop and fits else (form.before, form.after)
            words = (before, *inner.words, after)
            yield Reading(form.weight + inner.weight + fits, words, form.changes)

    def _objects(self, text: str) -> Reading:
        """A noun phrase, or two: `both A and B`."""
        if text.startswith("both "):
            for pair in self._pairs(text.removeprefix("both "), self.phrase):
                return around("both ", pair)
        return self.phrase(text)

    def _pairs(
        self, text: str, read: Callable[[str], Reading | None], joint: str = " and "
    ) -> Iterator[Reading]:
        """`A and B`, cut where most is explained; else where both begin alike."""
        found: list[tuple[int, bool, int, Reading]] = []
        for match in re.finditer(joint, text):
            first, second = text[: match.start()], text[match.end() :]
            if (a := read(first)) and (b := read(second)):
                alike = first.split()[:2] == second.split()[:2]
                found.append((a.weight + b.weight, alike, len(found), joined(a, joint, b)))
        if found:
            yield max(found, key=lambda one: one[:3])[3]

    def _counted(self, things: str) -> Iterator[Reading]:
        """How many: `countries of A`, or `films that were directed by A`."""
        yield from self._filled(self._forms.plurals, things)
        for head, _, said in relative(things):
            if met := self._conditions(said):
                yield around(f"How many {head} ", met, "?")._replace(changes=True)

    def _chosen(self, text: str) -> Iterator[Reading]:
        """Which of two, or of several."""
        for match in sorted(_SAID.finditer(text), key=lambda one: one["plain"] is None):
            things, said = text[: match.start()], text[match.start() :]
            for among in self._pairs(things, self.phrase):
                yield around("Which of ", among, f"{said}?", changes=True)
            if things.startswith("the "):
                for several in self._several(things.removeprefix("the ")):
                    yield around("Which of the ", several, f"{said}?", changes=True)

    def _several(self, things: str) -> Iterator[Reading]:
        """Several things of one, by their plural."""
        for form, slot in self._forms.plurals.find(things):
            inner = self.phrase(slot)
            yield Reading(form.weight + inner.weight, (form.before, *inner.words, form.after))

    def _judged(self, text: str) -> Iterator[Reading]:
        """What yes or no answers."""
        if match := _HAVE.fullmatch(text):
            a, b = (self.phrase(match[one]) for one in "ab")
            yield around("Does ", joined(a, f" {match['said']} than ", b), "?", changes=True)
        if match := _SAME.fullmatch(text):
            a, b = (self._opened(match[one]) or self.phrase(match[one]) for one in "ab")
            yield around("Is ", joined(a, " the same as ", b), "?", changes=True)
        if match := _IN_ORDER.fullmatch(text):
            yield from self._ordered(match)

    def _ordered(self, match: re.Match[str]) -> Iterator[Reading]:
        """`Was A born before B`, `Is the date on which A was born before the date on which ...`."""
        b = self._opened(match["b"]) if match["verb"] == "Is" else None
        a = self._opened(match["a"]) if b else None
        if a and b:
            yield around("Is ", joined(a, f" {match['order']} ", b), "?", changes=True)
            return
        b = self.phrase(match["b"])
        for cut in re.finditer(" ", match["a"]):
            event = match["a"][cut.start() :]
            if re.fullmatch(r"( [a-z]+){1,5}", event):
                a = self.phrase(match["a"][: cut.start()])
                said = joined(a, f"{event} {match['order']} ", b)
                yield around(f"{match['verb']} ", said, "?", changes=True)
                return

    def _reckoned(self, text: str) -> Iterator[Reading]:
        """What is reckoned: years, sums, spans of time."""
        if match := _SHIFTED.fullmatch(text):
            asked = f"Which year is {match['how']} "
            rest = match["rest"]
            if match["how"].startswith("as many"):
                for pair in self._pairs(rest, self.phrase, " as "):
                    yield around(asked, pair, "?")
            else:
                yield around(asked, self.phrase(rest), "?")
        if match := _BETWEEN.fullmatch(text):
            for pair in self._pairs(match["pair"], self.phrase):
                yield around(f"How many {match['unit']} lie between ", pair, "?")
        if match := _TOTAL.fullmatch(text):
            for pair in self._pairs(match["pair"], self.phrase):
                yield around(f"What is {match['said']}", pair, "?")
        if match := _SUBTRACTED.fullmatch(text):
            b, a = self.phrase(match["b"]), self.phrase(match["a"])
            yield around("What is the result of subtracting ", joined(b, " from ", a), "?")
        if match := _COMBINED.fullmatch(text):
            for several in self._several(match["things"]):
                yield around(f"What is {match['said']}", several, "?", changes=True)

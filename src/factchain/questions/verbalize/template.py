"""The template verbalizer: nested noun phrases over any graph of hops.

The last hop is asked for; every earlier hop stands in it as a noun phrase, nested from the topics
outwards. Where the nesting would grow too deep to be read, where a hop's answer is needed twice, or
where the phrase would swallow what follows, it gets a letter first: "Let
X be the ... . Who ... X?".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from factchain.chains.records import FactChain, Hop
from factchain.questions.names import EntityName
from factchain.questions.verbalize.clauses import Said, Term
from factchain.questions.verbalize.hops import HopWords, as_input, reference
from factchain.questions.verbalize.protocol import Wording
from factchain.questions.verbalize.tables import Tables

DEEPEST = 4
"""Hops that one noun phrase puts into words at most, besides the one that it stands in."""
LETTERS = ("X", "Y", "Z", "W", "V", "U", "T", "S")


class TemplateVerbalizer:
    """Puts chains of every topology and hop kind into words by templates."""

    name = "template"

    def __init__(self, phrases: Path | None = None) -> None:
        """`phrases` is a user's table, or a folder of them, laid over the built-in ones.

        Raises InputError, naming line and column, where it cannot be used.
        """
        self._tables = Tables(phrases)
        self._words = HopWords(self._tables)
        self._frames = self._words.frames

    @property
    def version(self) -> str:
        """`templates-` and a checksum of the tables, the user's among them."""
        return self._tables.version

    @property
    def language(self) -> str:
        """The language of the sentences, as a code such as `en`; that of the names is apart."""
        return self._frames.language

    def verbalize(self, chain: FactChain, names: Mapping[str, EntityName]) -> Wording:
        """The chain in words; `names` holds every entity of the chain."""
        answers = {hop.index: hop.answer for hop in chain.hops}
        gold = {k: self._words.term(answer, names) for k, answer in answers.items()}
        marked = {k: reference(k, answer) for k, answer in answers.items()}
        return Wording(
            question=self._question(chain, names),
            sub_questions=tuple(self._ask(chain, hop, gold, names) for hop in chain.hops),
            templates=tuple(self._ask(chain, hop, marked, names) for hop in chain.hops),
        )

    def mention(self, name: EntityName) -> str:
        """How the entity is mentioned; with its description where the label alone is ambiguous."""
        return self._words.nouns.mention(name)

    def wordings(self, chain: FactChain) -> dict[str, set[str]]:
        """By property what a template would say for it, for the check that no hop is lost."""
        said: dict[str, set[str]] = {}
        for fact in (fact for hop in chain.hops for fact in hop.facts):
            known = self._words.phrases.all_of(fact)
            for phrase in known or [self._words.phrases.of(fact, None)]:
                said.setdefault(fact.p, set()).update(phrase.wordings())
        return said

    def _say(
        self,
        chain: FactChain,
        hop: Hop,
        inputs: Mapping[int, Term],
        names: Mapping[str, EntityName],
    ) -> Said:
        """A hop in words, with these words for the answers that it needs."""
        answers = {one.index: one.answer.key for one in chain.hops}
        starts = [inputs[k] for k in hop.inputs]
        starts += [self._words.name(names[topic]) for topic in hop.topics]
        ids = [*(answers[k] for k in hop.inputs), *hop.topics]
        return self._words.say(hop, starts, ids, names)

    def _ask(
        self,
        chain: FactChain,
        hop: Hop,
        inputs: Mapping[int, Term],
        names: Mapping[str, EntityName],
    ) -> str:
        said = self._say(chain, hop, inputs, names)
        return self._dated(said.question, said.changes, chain.snapshot)

    def _question(self, chain: FactChain, names: Mapping[str, EntityName]) -> str:
        terms: dict[int, Term] = {}
        lets: list[str] = []
        changes = False
        for hop in chain.hops[:-1]:
            said = self._say(chain, hop, terms, names)
            changes |= said.changes
            size = 1 + sum(terms[k].hops for k in hop.inputs)
            term = as_input(said, hop.answer, size)
            if self._needs_letter(chain, hop, size, said):
                letter = LETTERS[len(lets)]
                lets.append(self._frames.say("let", letter=letter, noun=said.noun))
                term = as_input(Said("", letter, self._year_of_letter(said, letter)), hop.answer, 0)
            terms[hop.index] = term
        said = self._say(chain, chain.hops[-1], terms, names)
        question = " ".join([*lets, said.question])
        return self._dated(question, changes or said.changes, chain.snapshot)

    @staticmethod
    def _needs_letter(chain: FactChain, hop: Hop, size: int, said: Said) -> bool:
        """Whether the phrase of a hop, which puts `size` hops into words, is told beforehand."""
        users = [later for later in chain.hops if hop.index in later.inputs]
        deep = size >= DEEPEST and chain.hops[-1] not in users
        # Its conditions would run into those of the hop that it is a condition of.
        conditions = hop.kind == "intersect" or said.is_long
        nested = conditions and any(later.kind == "intersect" for later in users)
        return deep or len(users) > 1 or said.is_open or nested

    def _year_of_letter(self, said: Said, letter: str) -> str:
        is_day = said.year and said.year != said.noun
        return self._frames.say("year_of", noun=letter) if is_day else ""

    def _dated(self, question: str, changes: bool, snapshot: str) -> str:
        """The question with the snapshot's date before it, where the answer changes with time."""
        if not changes:
            return question
        if not self._frames.is_english:
            return self._frames.say("as_of", date=snapshot, question=question)
        lower = f"{question[0].lower()}{question[1:]}"
        return self._frames.say("as_of", date=day_in_words(snapshot), question=lower)


def day_in_words(snapshot: str) -> str:
    """A snapshot that is named by its date, as a reader would write it."""
    try:
        day = date.fromisoformat(snapshot)
    except ValueError:
        return snapshot
    return f"{day.day} {day:%B %Y}"

"""The template verbalizer: nested noun phrases, one for each property.

`phrases.tsv` gives for a property a question about its subject and a noun phrase for its object;
where the subject's class matters, the first line that lists a class of the subject is taken. A
property without a line gets "What is the <label> of ...?". `mentions.tsv` says how entities of a
class are mentioned ("the film ..."), the first line that fits is taken.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files

from factchain.chains.records import ChainFact, FactChain
from factchain.questions.names import EntityName
from factchain.questions.verbalize.protocol import Wording

_FOLDER = files("factchain.questions.verbalize")
_PHRASES, _MENTIONS = "phrases.tsv", "mentions.tsv"


@dataclass(frozen=True, slots=True)
class Phrase:
    """How a property is put into words; `{s}` stands for its subject."""

    question: str
    noun: str
    classes: frozenset[str] = frozenset()
    """Classes of the subject that the phrase is for; empty for all."""
    changes: bool = False
    """Whether the object changes with time, so that a question must say as of when."""


@dataclass(frozen=True, slots=True)
class Mention:
    """How an entity is mentioned: by its class or by the form of its label."""

    pattern: str
    """`{label}` stands for the label."""
    classes: frozenset[str]
    label: re.Pattern[str] | None


class TemplateVerbalizer:
    """Puts chains of lookups into words by templates."""

    name = "template"

    @property
    def version(self) -> str:
        """`templates-` and a checksum of the phrases and mentions."""
        tables = b"".join((_FOLDER / name).read_bytes() for name in (_PHRASES, _MENTIONS))
        return f"templates-{hashlib.sha256(tables).hexdigest()[:8]}"

    def __init__(self) -> None:
        self._phrases: dict[str, list[Phrase]] = {}
        for row in _table(_PHRASES):
            self._phrases.setdefault(row["property"], []).append(
                Phrase(
                    question=row["question"],
                    noun=row["noun"],
                    classes=frozenset(row["classes"].split()),
                    changes=row["changes"] == "yes",
                )
            )
        self._mentions = [
            Mention(
                pattern=row["mention"],
                classes=frozenset(row["classes"].split()),
                label=re.compile(row["label"]) if row["label"] else None,
            )
            for row in _table(_MENTIONS)
        ]

    def verbalize(self, chain: FactChain, names: Mapping[str, EntityName]) -> Wording:
        """The chain in words; `names` holds every entity of the chain.

        Raises ValueError for a topology other than a chain of lookups.
        """
        if any(hop.kind != "lookup" for hop in chain.hops) or chain.topology != "chain":
            raise ValueError(f"{chain.id}: templates cover chains of lookups only")
        facts = [fact for hop in chain.hops for fact in hop.facts]
        phrases = [self._phrase(fact, names[fact.s]) for fact in facts]
        noun = self.mention(names[facts[0].s])
        for phrase in phrases[:-1]:
            noun = _fill(phrase.noun, noun)
        subjects = [self.mention(names[fact.s]) for fact in facts]
        references = [subjects[0], *(f"#{hop.index}" for hop in chain.hops[:-1])]
        return Wording(
            question=_dated(
                _fill(phrases[-1].question, noun), any(p.changes for p in phrases), chain.snapshot
            ),
            sub_questions=tuple(
                _dated(_fill(p.question, s), p.changes, chain.snapshot)
                for p, s in zip(phrases, subjects, strict=True)
            ),
            templates=tuple(
                _dated(_fill(p.question, s), p.changes, chain.snapshot)
                for p, s in zip(phrases, references, strict=True)
            ),
        )

    def mention(self, name: EntityName) -> str:
        """How the entity is mentioned; with its description where the label alone is ambiguous."""
        text = name.label
        for mention in self._mentions:
            by_class = bool(mention.classes & name.classes)
            by_label = mention.label is not None and mention.label.search(name.label) is not None
            if by_class or by_label:
                text = mention.pattern.replace("{label}", name.label)
                break
        if name.is_ambiguous and name.description:
            return f"{text} ({name.description})"
        return text

    def _phrase(self, fact: ChainFact, subject: EntityName) -> Phrase:
        for phrase in self._phrases.get(fact.p, []):
            if not phrase.classes or phrase.classes & subject.classes:
                return phrase
        return Phrase(
            question=f"What is the {fact.p_label} of {{s}}?", noun=f"the {fact.p_label} of {{s}}"
        )


def _fill(pattern: str, subject: str) -> str:
    return pattern.replace("{s}", subject)


def _dated(question: str, changes: bool, snapshot: str) -> str:
    """The question with the snapshot's date before it, where the answer changes with time."""
    if not changes:
        return question
    try:
        day = date.fromisoformat(snapshot)
        snapshot = f"{day.day} {day:%B %Y}"
    except ValueError:
        pass
    return f"As of {snapshot}, {question[0].lower()}{question[1:]}"


def _table(name: str) -> list[dict[str, str]]:
    with (_FOLDER / name).open("r", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))

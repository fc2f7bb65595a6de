"""Does the corpus hold what unanswerable questions lack? Search for it, and read what is found.

For an unanswerable question and each of its sub-questions the first passages of a retriever are
read. A passage with metadata states a withheld fact if these join the fact's subject and object,
in either direction; and, against homonyms, if it is about an entity of the subject's name, has the
property and names the object, or is about one of the object's name and names the subject. A
passage without metadata states it if one line, together with the title, names both. A passage that
bears the made-up name of a null question counts too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factchain.chains.records import ChainFact
from factchain.questions.kinds.null_questions import made_up_names
from factchain.questions.leaks import literal_names, occurs
from factchain.questions.lexis import fold
from factchain.questions.records import Question, SubQuestion, Verdict
from factchain.retrieval_corpus.formats import read_corpus
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.protocol import Hit, Retriever

CHECK = "not retrieved"
"""Name of the verdict."""
TOP_K = 10
"""Passages that are read for each search (CRUMQs)."""


@dataclass(frozen=True)
class Stated:
    """A passage that states what should be withheld."""

    question: str
    hop: int
    """Number of the withheld hop."""
    passage: str
    what: str
    """The fact, or the made-up name, in words."""

    def as_text(self) -> str:
        """One line for a reader."""
        return f"{self.question}: hop {self.hop}: passage {self.passage} states {self.what}"


@dataclass
class RetrievalCheck:
    """What was found for the unanswerable questions of a file."""

    questions: list[Question]
    """All questions but those that a passage answers; the unanswerable ones with a verdict."""
    checked: int
    """Unanswerable questions that were searched for."""
    searches: int
    stated: list[Stated]
    """What was found, a passage and a hop a row."""

    @property
    def failed(self) -> dict[str, int]:
        """By question how many passages state what it should lack."""
        return dict(Counter(found.question for found in self.stated))

    def as_dict(self) -> dict[str, object]:
        """The figures as JSON values."""
        return {
            "checked": self.checked,
            "searches": self.searches,
            "failed": len(self.failed),
            "stated": [vars(found) for found in self.stated],
        }

    def as_text(self) -> str:
        """The figures for a reader."""
        lines = [found.as_text() for found in self.stated]
        return "\n".join(
            [
                *lines,
                f"{self.checked:,} unanswerable questions, {self.searches:,} searches: for "
                f"{len(self.failed):,} questions a passage states what they should lack",
            ]
        )


def check_unanswerable(
    retriever: Retriever, folder: Path, questions: Sequence[Question], k: int = TOP_K
) -> RetrievalCheck:
    """Index the corpus folder and search it for every unanswerable question and its hops.

    Raises InputError for a broken corpus folder.
    """
    asked = [question for question in questions if not question.answerable]
    searches = [
        (question, text)
        for question in asked
        for text in dict.fromkeys([question.question, *_sub_questions(question)])
    ]
    passages = read_corpus(folder) if asked else {}
    hits: list[list[Hit]] = []
    if asked:
        retriever.index(passages.values())
        hits = retriever.search([text for _, text in searches], k)
    found: dict[Stated, None] = {}
    for (question, _), ranked in zip(searches, hits, strict=True):
        found |= dict.fromkeys(
            stated for hit in ranked for stated in _stated(question, passages[hit.passage_id])
        )
    failed = {stated.question for stated in found}
    kept = [
        question if question.answerable else _with_verdict(question, k)
        for question in questions
        if question.id not in failed
    ]
    return RetrievalCheck(kept, len(asked), len(searches), list(found))


def states(passage: Passage, fact: ChainFact, names: Mapping[str, Sequence[str]]) -> bool:
    """Whether a passage states a fact; `names` are further names of entities, by Q-id."""
    s, p, o = fact.key
    subjects = [fact.s_label, *names.get(s, ())]
    value = fact.value
    objects = literal_names(value) if value else [fact.o_label, *names.get(o, ())]
    told = passage.metadata.facts
    if not told:
        lines = [f"{passage.title} {line}" for line in passage.text.splitlines()]
        return any(_names_one(line, subjects) and _names_one(line, objects) for line in lines)
    if fact.o and any({subject, object_} == {s, o} for subject, _, object_ in told):
        return True
    title = fold(passage.title)
    if title in map(fold, subjects) and any(p == one for _, one, _ in told):
        return _names_one(passage.text, objects)
    return title in map(fold, objects) and _names_one(passage.text, subjects)


def _names_one(text: str, names: Sequence[str]) -> bool:
    return any(occurs(name, text) for name in names)


def _stated(question: Question, passage: Passage) -> list[Stated]:
    hidden = [hop for hop in question.sub_questions if hop.index in question.withheld]
    names = _names(question.sub_questions)
    found = [
        Stated(question.id, hop.index, passage.id, f"{fact.s_label} {fact.p_label} {fact.o_label}")
        for hop in hidden
        for fact in hop.facts
        if states(passage, fact, names)
    ]
    text = f"{passage.title}\n{passage.text}"
    found += [
        Stated(question.id, hidden[0].index, passage.id, f"the name {name}")
        for name in made_up_names(question)
        if occurs(name, text)
    ]
    return found


def _sub_questions(question: Question) -> list[str]:
    return [hop.question for hop in question.sub_questions]


def _names(hops: Sequence[SubQuestion]) -> dict[str, Sequence[str]]:
    """What the answers of the hops are called, by Q-id."""
    return {hop.answer.id: hop.answer.names for hop in hops if hop.answer.id is not None}


def _with_verdict(question: Question, k: int) -> Question:
    verdict = Verdict(
        check=CHECK,
        passed=True,
        evidence=f"none of the first {k} passages for the question or a sub-question states what "
        "is withheld",
    )
    before = tuple(v for v in question.provenance.verdicts if v.check != CHECK)
    provenance = question.provenance.model_copy(update={"verdicts": (*before, verdict)})
    return question.model_copy(update={"provenance": provenance})

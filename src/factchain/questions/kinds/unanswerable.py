"""Make questions unanswerable: the facts of one or more of their hops are withheld (CRUMQs).

The corpus then leaves those facts out, and the more hops are withheld, the less of the way to the
answer is there. No answerable question that stays needs a withheld fact. Verified by execution:
on the facts that remain, of every snapshot, a question has no answer, and no other fact states
what is withheld (`otherwise_stated`). That no passage states it either is checked when the corpus
is built (`retrieval_corpus.unanswerable_check`).
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from factchain.chains.proof.execute import execute
from factchain.errors import ConfigError
from factchain.kg.records import number
from factchain.kg.store import Store
from factchain.questions.chain_of import chain_of
from factchain.questions.kinds.insufficient import INSUFFICIENT
from factchain.questions.kinds.otherwise_stated import Key, Statements
from factchain.questions.kinds.remaining import remaining
from factchain.questions.records import Question, SubQuestion, Verdict

CHECK = "unanswerable"
"""Name of the verdict."""
NO_CHAIN = "no facts by id"
TOO_FEW = "too few hops whose facts are stated once"
NEEDED = "facts that other questions need"
STILL_ANSWERED = "answered by the facts that remain"
NEEDS_WITHHELD = "answerable, but needs a withheld fact: left out"

Places = tuple[int, ...]
"""Numbers of hops."""


@dataclass(frozen=True)
class WithholdSettings:
    """How many questions are made unanswerable, and how."""

    share: float
    """Of the answerable questions, the share that becomes unanswerable."""
    least: int = 1
    """Fewest hops of a question that are withheld."""
    most: int = 1
    """Most hops; the number is drawn for each question."""
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ConfigError(f"the share {self.share} of unanswerable questions is none: 0 to 1")
        if not 1 <= self.least <= self.most:
            raise ConfigError(
                f"{self.least} to {self.most} hops cannot be withheld: such as 1-2, or 1"
            )


@dataclass
class Withholding:
    """The questions, some of them unanswerable, and how it went."""

    questions: list[Question]
    wanted: int
    by_hops: dict[int, int]
    """Unanswerable questions by the number of withheld hops."""
    passed_over: dict[str, int] = field(default_factory=dict)
    """Why others were not made unanswerable, or left out."""

    @property
    def made(self) -> int:
        """How many questions were made unanswerable."""
        return sum(self.by_hops.values())

    def as_dict(self) -> dict[str, object]:
        """The figures as JSON values."""
        return {
            "questions": len(self.questions),
            "wanted": self.wanted,
            "unanswerable": self.made,
            "by withheld hops": {str(hops): count for hops, count in self.by_hops.items()},
            "passed over": self.passed_over,
        }

    def as_text(self) -> str:
        """The figures for a reader."""
        by_hops = ", ".join(
            f"{count:,} without {hops} hop{'s' if hops > 1 else ''}"
            for hops, count in self.by_hops.items()
        )
        lines = [
            f"{len(self.questions):,} questions, {self.made:,} of them unanswerable"
            + (f" ({by_hops})" if by_hops else "")
        ]
        if self.made < self.wanted:
            why = ", ".join(f"{reason} {count:,}" for reason, count in self.passed_over.items())
            lines.append(f"{self.wanted:,} were wanted; passed over: {why or 'none'}")
        return "\n".join(lines)


def make_unanswerable(
    store: Store, questions: Sequence[Question], settings: WithholdSettings
) -> Withholding:
    """Make a share of the questions unanswerable, chosen by seed, in their places.

    Fewer are made where too few can be; `passed_over` says why. A question that is unanswerable
    already stays as it is, and what it withholds stays withheld.
    """
    answerable = [question for question in questions if question.answerable]
    wanted = round(settings.share * len(answerable))
    passed_over: Counter[str] = Counter()
    choice = _Choice(questions, settings)
    proved = [question for question in answerable if chain_of(question) is not None]
    passed_over[NO_CHAIN] = len(answerable) - len(proved)
    told = Statements.around(store, [hop for q in proved for hop in q.sub_questions])
    queue = iter(sorted(proved, key=lambda question: hash_of(settings.seed, question.id)))
    while len(choice.taken) < wanted:
        if (question := next(queue, None)) is None:
            break
        if reason := choice.consider(question, told):
            passed_over[reason] += 1
        if len(choice.taken) == wanted:
            _drop_answered(store, choice, told, passed_over)
    _drop_answered(store, choice, told, passed_over)
    kept: list[Question] = []
    for question in questions:
        if places := choice.taken.get(question.id):
            kept.append(_unanswerable(question, places))
        elif question.answerable and choice.withheld & _keys(question.sub_questions):
            passed_over[NEEDS_WITHHELD] += 1
        else:
            kept.append(question)
    by_hops = Counter(len(places) for places in choice.taken.values())
    return Withholding(
        kept, wanted, dict(sorted(by_hops.items())), dict(sorted((+passed_over).items()))
    )


class _Choice:
    """Which hops of which questions are withheld, one question after the other."""

    def __init__(self, questions: Sequence[Question], settings: WithholdSettings) -> None:
        self.taken: dict[str, Places] = {}
        """By question its withheld hops."""
        self.by_id = {question.id: question for question in questions}
        self._settings = settings
        self._needed: Counter[Key] = Counter()
        """How many hops in scope need a fact."""
        self._before: set[Key] = set()
        for question in questions:
            hidden = [hop for hop in question.sub_questions if hop.index in question.withheld]
            self._before |= _keys(hidden)
            for hop in question.sub_questions:
                if hop not in hidden:
                    self._needed.update(_keys([hop]))

    @property
    def withheld(self) -> set[Key]:
        """Every fact that is withheld."""
        facts = set(self._before)
        for question, places in self.taken.items():
            facts |= _keys(_at(self.by_id[question], places))
        return facts

    def consider(self, question: Question, told: Statements) -> str | None:
        """Withhold hops of the question if it can be; else the reason why it cannot."""
        able = [hop for hop in question.sub_questions if hop.facts]
        able = [hop for hop in able if not told.stated_otherwise(hop)]
        if len(able) < self._settings.least:
            return TOO_FEW
        rng = np.random.default_rng([self._settings.seed, hash_of(0, question.id)])
        size = int(rng.integers(self._settings.least, min(self._settings.most, len(able)) + 1))
        choices = list(itertools.combinations([hop.index for hop in able], size))
        for at in rng.permutation(len(choices)).tolist():
            if self._is_free(question, choices[at]):
                for hop in _at(question, choices[at]):
                    self._needed.subtract(_keys([hop]))
                self.taken[question.id] = choices[at]
                return None
        return NEEDED

    def give_back(self, question: str) -> None:
        """Take the question for answerable again."""
        for hop in _at(self.by_id[question], self.taken.pop(question)):
            self._needed.update(_keys([hop]))

    def _is_free(self, question: Question, places: Places) -> bool:
        """Whether no hop in scope, of this question or another, needs what would be withheld."""
        hidden = _at(question, places)
        own = Counter(key for hop in hidden for key in _keys([hop]))
        if any(self._needed[key] > uses for key, uses in own.items()):
            return False
        seen = _keys(hop for hop in question.sub_questions if hop.index not in places)
        return not seen & self.withheld


def _drop_answered(
    store: Store, choice: _Choice, told: Statements, passed_over: Counter[str]
) -> None:
    """Take back the questions that have an answer on the facts that remain.

    Their facts are there again, so that others may have an answer then: until none has.
    """
    while choice.taken:
        chains = [chain_of(choice.by_id[question]) for question in choice.taken]
        proved = [chain for chain in chains if chain is not None]
        properties = {number(f.p) for c in proved for hop in c.hops for f in hop.facts}
        ids = [told.ids[key] for key in choice.withheld if key in told.ids]
        with remaining(store, ids, properties) as rest:
            results = execute(rest, proved)
        answered = [
            question
            for question, chain, result in zip(choice.taken, proved, results, strict=True)
            if result[chain.hops[-1].index].keys
        ]
        for question in answered:
            choice.give_back(question)
        passed_over[STILL_ANSWERED] += len(answered)
        if not answered:
            return


def _unanswerable(question: Question, places: Places) -> Question:
    hops = " and ".join(map(str, places))
    verdict = Verdict(
        check=CHECK,
        passed=True,
        evidence=f"without the facts of hop {hops} the remaining facts, of every snapshot, give no "
        "answer, and no other fact states them",
    )
    provenance = question.provenance
    verdicts = (*provenance.verdicts, verdict)
    return question.model_copy(
        update={
            "id": f"u-{question.id.removeprefix('q-')}",
            "answer": INSUFFICIENT,
            "other_answers": (),
            "full_answer": question.answer,
            "answerable": False,
            "withheld": places,
            "options": None,
            "correct_option": None,
            "distractors": (),
            "provenance": provenance.model_copy(update={"verdicts": verdicts}),
        }
    )


def _at(question: Question, places: Places) -> list[SubQuestion]:
    return [hop for hop in question.sub_questions if hop.index in places]


def _keys(hops: Iterable[SubQuestion]) -> set[Key]:
    return {fact.key for hop in hops for fact in hop.facts}


def hash_of(seed: int, text: str) -> int:
    """A 64-bit hash of a text, keyed by a seed."""
    digest = hashlib.blake2b(text.encode(), digest_size=8, key=str(seed).encode()).digest()
    return int.from_bytes(digest)

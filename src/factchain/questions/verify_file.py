"""`questions verify`: the checks, made again on any file of questions.

Questions of ours carry their chain, which is executed on the store anew. Of imported ones what can
be verified is (`foreign`). A check that cannot be made is no pass: its verdict says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from factchain.chains.records import EntityRef, FactChain
from factchain.errors import InputError
from factchain.kg.store import Store
from factchain.questions import queries
from factchain.questions.build import candidates_of
from factchain.questions.chain_of import chain_of
from factchain.questions.checks import NEED_A_MODEL, Verification
from factchain.questions.foreign import (
    UNVERIFIABLE,
    ForeignQuestions,
    leak_by_words,
    unverifiable,
)
from factchain.questions.language import check_language
from factchain.questions.model_checks.closed_book import with_difficulty
from factchain.questions.model_checks.hops_read import properties_of
from factchain.questions.model_checks.protocol import run_check
from factchain.questions.model_checks.reading import source_facts
from factchain.questions.names import entity_names
from factchain.questions.records import Question, Verdict
from factchain.questions.rounds import Candidate, model_checks, with_finding
from factchain.questions.verbalize.protocol import Wording
from factchain.questions.verify import CHECKS, verify
from factchain.records import read_records, write_records


@dataclass
class FileVerdicts:
    """What the checks said of a file."""

    questions: int
    foreign: int
    """Questions without a chain of ours."""
    passed: Counter[str] = field(default_factory=Counter)
    """By check."""
    failed: Counter[str] = field(default_factory=Counter)
    """By check."""
    not_verified: Counter[str] = field(default_factory=Counter)
    """By check, those of which it could not be made."""
    reasons: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """By check, question and evidence of those that failed."""
    kept: int = 0
    """Questions that passed every check that was asked for."""
    correct_closed_book: float | None = None
    """Share of right replies without context, where models were asked."""

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "questions": self.questions,
            "foreign": self.foreign,
            "passed all": self.kept,
            "checks": {
                check: {
                    "passed": self.passed[check],
                    "failed": self.failed[check],
                    "not verified": self.not_verified[check],
                }
                for check in self.checks
            },
            "failures": {
                check: [{"question": q, "evidence": evidence} for q, evidence in found]
                for check, found in self.reasons.items()
            },
            "correct closed book": self.correct_closed_book,
        }

    @property
    def checks(self) -> list[str]:
        """The checks that were made or could not be."""
        return list(dict.fromkeys([*self.passed, *self.failed, *self.not_verified]))


def read_questions(path: Path) -> list[Question]:
    """The questions of a file. Raises InputError where it holds none, or something else."""
    try:
        questions = list(read_records(path, Question))
    except InputError as error:
        raise InputError(
            f"{error}; a file of another format is read by `factchain import`"
        ) from error
    if not questions:
        raise InputError(f"{path}: holds no question")
    twice = [key for key, times in Counter(q.id for q in questions).items() if times > 1]
    if twice:
        raise InputError(
            f"{path}: the id {twice[0]} stands there twice: give each question its own"
        )
    return questions


def verify_file(
    questions: Sequence[Question],
    store: Store,
    verification: Verification,
    out: Path | None = None,
    only_passed: bool = False,
) -> FileVerdicts:
    """Verify the questions on the store; write them with their new verdicts to `out`.

    Raises ModelError where a model that is asked gives no reply; nothing is written then.
    """
    verified = verify_questions(questions, store, verification)
    if verification.closed_book:
        verified = with_difficulty(
            verified, verification.readers, verification.closed_book, verification.language
        )
    result = _count(verified, [chain_of(question) is None for question in questions])
    if out is not None:
        passing = [question for question in verified if _passes(question)]
        write_records(out, passing if only_passed else verified)
    return result


def verify_questions(
    questions: Sequence[Question], store: Store, verification: Verification
) -> list[Question]:
    """The questions with their new verdicts, of the checks without and with a model."""
    verified = _without_model(questions, store, verification)
    return _with_model(verified, store, verification)


def _without_model(
    questions: Sequence[Question], store: Store, verification: Verification
) -> list[Question]:
    """The questions with the verdicts of the checks that need no model."""
    foreign = ForeignQuestions(store, [q for q in questions if chain_of(q) is None])
    chains = [chain_of(question) or foreign.chain(question) for question in questions]
    check_language(store, [chain for chain in chains if chain], verification.language)
    found = [chain for chain in chains if chain is not None]
    names = entity_names(store, found)
    unknown = {chain.id: [e for e in _named(chain) if e not in names] for chain in found}
    whole = [chain for chain in found if not unknown[chain.id]]
    candidates = iter(candidates_of(store, whole, verification.language))
    rest = [q for q, chain in zip(questions, chains, strict=True) if chain is None]
    facts = iter(foreign.symbolic(rest))
    checks = [check for check in verification.checks if check in CHECKS]
    verified = []
    for question, chain in zip(questions, chains, strict=True):
        if chain is None:
            verdicts = _of_words(question, next(facts), checks)
        elif unknown[chain.id]:
            why = f"the store knows no label of {', '.join(unknown[chain.id])}"
            verdicts = [Verdict(check=check, passed=False, evidence=why) for check in checks]
        else:
            verdicts = _of_chain(question, next(candidates), checks, verification.language)
        verified.append(_with_verdicts(question, verdicts, verification))
    return verified


def _of_chain(
    question: Question, one: Candidate, checks: Sequence[str], language: str
) -> list[Verdict]:
    subs = question.sub_questions
    wording = Wording(
        question.question,
        tuple(sub.question for sub in subs),
        tuple(sub.template for sub in subs),
    )
    verdicts = list(
        verify(one.chain, wording, one.draft.names, one.executed, one.wordings, checks, language)
    )
    if (wrong := _wrong_gold(question, one)) and "symbolic" in checks:
        old = verdicts[0]
        verdicts[0] = Verdict(check=old.check, passed=False, evidence=f"{old.evidence}; {wrong}")
    return verdicts


def _wrong_gold(question: Question, one: Candidate) -> str | None:
    """Whether the question's gold answer is another than its last hop's, or is not called so."""
    gold = question.full_answer or question.answer
    last = question.sub_questions[-1].answer
    if gold.kind == "insufficient":
        return None
    if gold.kind != "text" and (gold.id, gold.value) != (last.id, last.value):
        return f"the answer is {gold.label}, but that of the last hop is {last.label}"
    if gold.id is not None and gold.label not in one.draft.names[gold.id].all:
        return f"{gold.id} is not called {gold.label} in the store"
    return None


def _of_words(question: Question, facts: Verdict, checks: Sequence[str]) -> list[Verdict]:
    """The verdicts on a question whose facts are no chain."""
    why = "its facts are no chain that the store knows"
    made = {"symbolic": facts, "leak": leak_by_words(question)}
    return [made.get(check) or unverifiable(check, why) for check in checks]


def _named(chain: FactChain) -> list[str]:
    """The entities of a chain whose names the checks need: topics and answers."""
    answers = [answer for hop in chain.hops for answer in (hop.answer, *hop.other_answers)]
    ids = [answer.id for answer in answers if isinstance(answer, EntityRef)]
    return list(dict.fromkeys([*chain.topics, *ids]))


def _with_model(
    questions: Sequence[Question], store: Store, verification: Verification
) -> list[Question]:
    """The questions with the verdicts of the checks that ask the verifier."""
    model = verification.verifier
    if model is None:
        return list(questions)
    with_facts = [q for q in questions if source_facts(q)]
    labels = properties_of(with_facts)
    meanings = _meanings(store, labels)
    done = {question.id: question for question in with_facts}
    for check in model_checks(verification, labels, meanings):
        asked = list(done.values())
        for question, finding in zip(asked, run_check(check, asked, model), strict=True):
            done[question.id] = with_finding(question, finding)
    return [done.get(question.id) or _unread(question, verification) for question in questions]


def _unread(question: Question, verification: Verification) -> Question:
    verdicts = [
        *question.provenance.verdicts,
        *(
            unverifiable(check, "it names no facts")
            for check in verification.checks
            if check in NEED_A_MODEL
        ),
    ]
    return _with_verdicts(question, verdicts, verification)


def _meanings(store: Store, labels: dict[str, str]) -> dict[str, str]:
    numbers = sorted(int(p[1:]) for p in labels if p[:1] == "P" and p[1:].isdigit())
    return {f"P{p}": text for p, text in store.rows(queries.PROPERTY_MEANINGS, numbers)}


def _with_verdicts(
    question: Question, verdicts: Sequence[Verdict], verification: Verification
) -> Question:
    update = {"verdicts": tuple(verdicts), "verifier": verification.title}
    provenance = question.provenance.model_copy(update=update)
    return question.model_copy(update={"provenance": provenance})


def _passes(question: Question) -> bool:
    return all(verdict.passed for verdict in question.provenance.verdicts)


def _count(questions: Sequence[Question], foreign: Sequence[bool]) -> FileVerdicts:
    result = FileVerdicts(len(questions), sum(foreign), kept=sum(map(_passes, questions)))
    for question in questions:
        for verdict in question.provenance.verdicts:
            if verdict.passed:
                result.passed[verdict.check] += 1
            elif verdict.evidence.startswith(UNVERIFIABLE):
                result.not_verified[verdict.check] += 1
            else:
                result.failed[verdict.check] += 1
                found = result.reasons.setdefault(verdict.check, [])
                found.append((question.id, verdict.evidence))
    books = [question.closed_book for question in questions if question.closed_book]
    if books:
        result.correct_closed_book = sum(b.correct for b in books) / sum(b.asked for b in books)
    return result

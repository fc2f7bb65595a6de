"""Wording and verification in rounds: what a check refuses is put into words again, and told why.

Everything that costs nothing is checked before a model is asked: chains that are not proved are
never put into words, and wordings that lose a hop are not read. Of the checks that ask a model
each is a round over all questions that passed the one before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from factchain.chains.proof.execute import Answers
from factchain.chains.proof.plan import NoPlan, plan_chain
from factchain.chains.records import FactChain
from factchain.questions.checks import Verification
from factchain.questions.model_checks.hops_read import COVERAGE, HopsRead
from factchain.questions.model_checks.protocol import Finding, ModelCheck, run_check
from factchain.questions.model_checks.reading import NECESSITY, READING, Necessity, Reading
from factchain.questions.names import EntityName
from factchain.questions.prompts.wording import OPERATIONS
from factchain.questions.records import Question, Verdict
from factchain.questions.verbalize.protocol import (
    Draft,
    NoWording,
    RoundVerbalizer,
    Wording,
)
from factchain.questions.verify import verify

PROOF = ("symbolic", "distinguishable")
"""The checks of the chain, whatever its wording."""
ADVICE = {
    "leak": "the question names something that is not in the data: a hidden answer, or a number or "
    "date that tells one; it must name nothing but the topics",
}


@dataclass
class Candidate:
    """A chain on its way to a question."""

    draft: Draft
    executed: Answers
    wordings: Mapping[str, Iterable[str]]
    """How its properties may be said, by P-id."""
    proof: tuple[Verdict, ...] = ()
    attempts: int = 0
    question: Question | None = None
    """The verified question; none as long as a check refuses it."""
    refused: str = ""
    """The check that refused it last."""

    @property
    def chain(self) -> FactChain:
        """The chain."""
        return self.draft.chain

    def refuse(self, check: str, problems: Sequence[str], last: Wording | str | None) -> None:
        """Take a refusal, which the next attempt is told."""
        self.refused = check
        self.draft = replace(self.draft, problems=tuple(problems), last=last)


@dataclass
class Outcome:
    """What became of the candidates."""

    refusals: Counter[str] = field(default_factory=Counter)
    """How often each check refused a wording, over all attempts."""


ToQuestion = Callable[[Candidate, Wording, tuple[Verdict, ...]], Question]


def prove(candidates: Sequence[Candidate], checks: Sequence[str]) -> list[Candidate]:
    """Check what does not depend on words; return the candidates that may be put into words."""
    nothing = Wording("", (), ())
    asked = [check for check in PROOF if check in checks]
    for one in candidates:
        if not _has_plan(one.chain):
            one.refused = PROOF[0]
            continue
        one.proof = _verdicts(one, nothing, asked, "en")
        if failed := next((v for v in one.proof if not v.passed), None):
            one.refused = failed.check
    return [one for one in candidates if not one.refused]


def _has_plan(chain: FactChain) -> bool:
    """Whether the facts of every hop are those of its kind, or nothing can be said of it."""
    try:
        plan_chain(chain)
    except NoPlan:
        return False
    return True


def word_and_verify(
    candidates: Sequence[Candidate],
    verbalizer: RoundVerbalizer,
    verification: Verification,
    to_question: ToQuestion,
    properties: tuple[Mapping[str, str], Mapping[str, str]],
) -> Outcome:
    """Put the candidates into words until their checks pass, or the attempts are used up.

    `properties` are the labels and the descriptions of those that `coverage` lists.
    """
    outcome = Outcome()
    pending = list(candidates)
    for _ in range(verbalizer.attempts):
        if not pending:
            break
        worded = _attempt(pending, verbalizer, verification, to_question)
        for check in model_checks(verification, *properties):
            worded = _checked(worded, check, verification)
        for one, question, _ in worded:
            one.question, one.refused = question, ""
        pending = [one for one in pending if one.refused]
        outcome.refusals.update(one.refused for one in pending)
    return outcome


def model_checks(
    verification: Verification, labels: Mapping[str, str], meanings: Mapping[str, str]
) -> Iterator[ModelCheck[Any]]:
    """The checks that ask the verifier, cheapest first."""
    if verification.verifier is None:
        return
    if COVERAGE in verification.checks:
        yield HopsRead(labels, meanings)
    if READING in verification.checks:
        yield Reading(verification.language)
    if NECESSITY in verification.checks:
        yield Necessity(verification.language)


def with_finding(question: Question, finding: Finding) -> Question:
    """The question with a further verdict.

    Of two of one check the model's decides; the evidence of both is kept.
    """
    new = finding.verdict
    verdicts = list(question.provenance.verdicts)
    for place, old in enumerate(verdicts):
        if old.check == new.check:
            verdicts[place] = Verdict(
                check=new.check,
                passed=new.passed,
                evidence=f"{new.evidence}; by its words: {old.evidence}",
            )
            break
    else:
        verdicts.append(new)
    provenance = question.provenance.model_copy(update={"verdicts": tuple(verdicts)})
    return question.model_copy(update={"provenance": provenance})


Worded = tuple[Candidate, Question, Wording]


def _attempt(
    pending: Sequence[Candidate],
    verbalizer: RoundVerbalizer,
    verification: Verification,
    to_question: ToQuestion,
) -> list[Worded]:
    """The wordings that pass the checks that cost nothing."""
    passed: list[Worded] = []
    replies = verbalizer.verbalize_all([one.draft for one in pending])
    asked = [check for check in verification.checks if check not in PROOF]
    for one, reply in zip(pending, replies, strict=True):
        one.attempts += 1
        if isinstance(reply, NoWording):
            one.refuse(reply.check, [reply.problem], reply.last)
            continue
        verdicts = _verdicts(one, reply, asked, verification.language)
        failed = [verdict for verdict in verdicts if not _is_borne(verdict, verification)]
        if failed:
            one.refuse(failed[0].check, [_advice(verdict) for verdict in failed], reply)
            continue
        passed.append((one, to_question(one, reply, (*one.proof, *verdicts)), reply))
    return passed


def _is_borne(verdict: Verdict, verification: Verification) -> bool:
    """Whether the wording may go on: in other languages than English a reader decides whether all
    hops are said, since another wording than the property's label is not known there."""
    by_reader = verification.language != "en" and verification.verifier is not None
    return verdict.passed or (verdict.check == COVERAGE and by_reader)


def _checked(
    worded: Sequence[Worded], check: ModelCheck[Any], verification: Verification
) -> list[Worded]:
    """Those that pass the check, with its verdict; the others are refused."""
    assert verification.verifier is not None  # by model_checks
    findings = run_check(check, [question for _, question, _ in worded], verification.verifier)
    passed: list[Worded] = []
    for (one, question, wording), finding in zip(worded, findings, strict=True):
        if finding.verdict.passed:
            passed.append((one, with_finding(question, finding), wording))
        else:
            one.refuse(check.name, finding.advice, wording)
    return passed


def _verdicts(
    one: Candidate, wording: Wording, checks: Sequence[str], language: str
) -> tuple[Verdict, ...]:
    names: Mapping[str, EntityName] = one.draft.names
    return verify(one.chain, wording, names, one.executed, one.wordings, checks, language)


def _advice(verdict: Verdict) -> str:
    """What is wrong, for the writer; the evidence of a leak would unmask an answer."""
    if verdict.check in ADVICE:
        return ADVICE[verdict.check]
    words = set(re.findall(r"\w+", verdict.evidence))
    meanings = [f"; {name} is {OPERATIONS[name]}" for name in OPERATIONS if name in words]
    return f"the question {verdict.evidence}{''.join(meanings)}"

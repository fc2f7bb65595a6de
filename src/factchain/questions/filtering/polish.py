"""Polishing: a model passes, adjusts, reworks or rejects each question (HopWeaver, SPEC.md 3.4).

What it writes is verified as the question was before. An adjusted wording that fails leaves the
old one, which was verified; a reworked question that fails is rejected. The raw questions keep
everything: each has the polisher's verdict, with what it wrote.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from factchain.chains.records import FactChain
from factchain.kg.store import Store
from factchain.questions.chain_of import chain_of
from factchain.questions.checks import ALL_CHECKS, NEED_A_MODEL, Verification
from factchain.questions.llm.protocol import Ask, LanguageModel, Quarantined
from factchain.questions.names import EntityName, entity_names
from factchain.questions.prompts import polishing
from factchain.questions.prompts.polishing import Polished
from factchain.questions.prompts.wording import Worded
from factchain.questions.records import Question, Verdict
from factchain.questions.verbalize.form import read_wording, text_problems
from factchain.questions.verbalize.protocol import Wording
from factchain.questions.verify import CHECKS
from factchain.questions.verify_file import verify_questions

POLISH = "polish"
"""Name of the verdict."""
OUTCOMES = (
    "pass",
    "adjust",
    "adjust failed: the old wording stays",
    "rework",
    "rework failed: rejected",
    "reject",
    "reply cannot be read: left out",
)
PASS, ADJUST, ADJUST_FAILED, REWORK, REWORK_FAILED, REJECT, UNREAD = OUTCOMES
KEPT = frozenset({PASS, ADJUST, ADJUST_FAILED, REWORK})
_POLISHER = re.compile(rf"(?:{ADJUST}|{REWORK}) by (\S+): ")
_TOKENS, _TOKENS_A_HOP = 300, 120


class Polishing(NamedTuple):
    """What polishing a file gives."""

    kept: list[Question]
    """The polished set."""
    raw: list[Question]
    """All questions as they were, with the polisher's verdict."""
    outcomes: dict[str, int]
    """Questions by what became of them."""


@dataclass
class _Edit:
    """A question, what the polisher wrote, and what became of it."""

    old: Question
    outcome: str
    reason: str = ""
    new: Question | None = None
    """The question in new words."""


def polish_ask(question: Question, language: str = "en") -> Ask[Polished]:
    """What is asked for a question: all requests are one round."""
    hops = [
        {
            "hop": hop.index,
            "sub_question": hop.template,
            "answer": hop.answer.label,
            "facts": [[fact.s_label, fact.p_label, fact.o_label] for fact in hop.facts]
            + [list(triple) for triple in hop.triples],
        }
        for hop in question.sub_questions
    ]
    return Ask(
        purpose=POLISH,
        system=polishing.system(language),
        user=polishing.user(question.question, question.answer.label, hops),
        reply=Polished,
        max_tokens=_TOKENS + _TOKENS_A_HOP * len(hops),
    )


def polish(
    questions: Sequence[Question], store: Store, model: LanguageModel, language: str = "en"
) -> Polishing:
    """Ask the polisher for every question, and verify what it wrote anew.

    Raises ModelError where the model gives no reply.
    """
    replies = model.ask_all([polish_ask(q, language) for q in questions], "polishing questions")
    chains = [chain_of(question) for question in questions]
    names = entity_names(store, [chain for chain in chains if chain is not None])
    edits = [
        _read(question, chain, reply, names)
        for question, chain, reply in zip(questions, chains, replies, strict=True)
    ]
    _verify(edits, store, model, language)
    by = f"{model.name} ({polishing.polishing_version(language)})"
    counts = Counter(edit.outcome for edit in edits)
    return Polishing(
        [_final(edit, by) for edit in edits if edit.outcome in KEPT],
        [_raw(edit, by) for edit in edits],
        {outcome: counts[outcome] for outcome in OUTCOMES},
    )


def _read(
    question: Question,
    chain: FactChain | None,
    reply: Polished | Quarantined,
    names: dict[str, EntityName],
) -> _Edit:
    if isinstance(reply, Quarantined):
        return _Edit(question, UNREAD, reply.problem)
    if reply.outcome == PASS or reply.outcome == REJECT:
        return _Edit(question, reply.outcome, reply.reason)
    failed = ADJUST_FAILED if reply.outcome == ADJUST else REWORK_FAILED
    if chain is None:
        return _Edit(question, failed, "nothing proves an imported question in other words")
    if reply.outcome == ADJUST:
        text = reply.question.strip()
        problems = list(text_problems("the question", text, chain.topics, chain, names))
        wording = Wording(text, (), ())
    else:
        said = Worded(question=reply.question, sub_questions=reply.sub_questions)
        found, problems = read_wording(chain, said, names)
        wording = found or Wording("", (), ())
    if problems:
        return _Edit(question, failed, "; ".join(problems))
    return _Edit(question, reply.outcome, reply.reason, _reworded(question, wording))


def polisher_of(question: Question) -> str | None:
    """The model whose wording a question has since it was polished; none where its own stood."""
    for verdict in question.provenance.verdicts:
        if verdict.check == POLISH and (found := _POLISHER.match(verdict.evidence)):
            return found[1]
    return None


def _reworded(question: Question, wording: Wording) -> Question:
    """The question in these words; its sub-questions too, where there are any."""
    hops = question.sub_questions
    if wording.templates:
        hops = tuple(
            hop.model_copy(update={"question": text, "template": template})
            for hop, text, template in zip(
                hops, wording.sub_questions, wording.templates, strict=True
            )
        )
    attempts = question.provenance.attempts + 1
    provenance = question.provenance.model_copy(update={"attempts": attempts})
    said = {"question": wording.question, "sub_questions": hops, "provenance": provenance}
    return question.model_copy(update=said)


def _verify(edits: Sequence[_Edit], store: Store, model: LanguageModel, language: str) -> None:
    """Make the checks anew that any question had passed; a failure undoes the edit."""
    asked = [edit for edit in edits if edit.new is not None]
    made = {verdict.check for edit in asked for verdict in edit.old.provenance.verdicts}
    checks = tuple(check for check in ALL_CHECKS if check in made) or CHECKS
    verifier = model if NEED_A_MODEL & set(checks) else None
    verification = Verification(checks, verifier, language)
    new = [edit.new for edit in asked if edit.new is not None]
    if not new:
        return
    for edit, question in zip(asked, verify_questions(new, store, verification), strict=True):
        failed = [verdict for verdict in question.provenance.verdicts if not verdict.passed]
        if failed:
            edit.reason = "; ".join(f"{one.check}: {one.evidence}" for one in failed)
            edit.outcome = ADJUST_FAILED if edit.outcome == ADJUST else REWORK_FAILED
        edit.new = question


def _final(edit: _Edit, by: str) -> Question:
    if edit.outcome in (ADJUST, REWORK) and edit.new is not None:
        was = f"{edit.outcome} by {by}: {edit.reason}; it was: {edit.old.question}"
        return _with_verdict(edit.new, True, was)
    return _raw(edit, by)


def _raw(edit: _Edit, by: str) -> Question:
    wrote = f"; it wrote: {edit.new.question}" if edit.new is not None else ""
    evidence = f"{edit.outcome} by {by}: {edit.reason}{wrote}"
    return _with_verdict(edit.old, edit.outcome in KEPT, evidence)


def _with_verdict(question: Question, passed: bool, evidence: str) -> Question:
    """The question with the polisher's verdict in place of an earlier one of its kind."""
    others = tuple(one for one in question.provenance.verdicts if one.check != POLISH)
    verdict = Verdict(check=POLISH, passed=passed, evidence=evidence)
    provenance = question.provenance.model_copy(update={"verdicts": (*others, verdict)})
    return question.model_copy(update={"provenance": provenance})

"""A reviewer's wording, checked as the first one was: it may not leak, nor lose a hop.

Answers follow from the graph and cannot be corrected. What a model read in the old wording, and how
hard it was, no longer holds and is taken away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from factchain.chains.records import FactChain
from factchain.questions.chain_of import chain_of
from factchain.questions.coverage import unsaid
from factchain.questions.foreign import leak_by_words
from factchain.questions.leaks import leaks
from factchain.questions.names import EntityName
from factchain.questions.records import Question, SubQuestion, Verdict
from factchain.questions.verbalize.protocol import Wording
from factchain.questions.verbalize.template import TemplateVerbalizer
from factchain.questions.verify import coverage, no_leak

_LASTING = ("symbolic", "distinguishable")
"""Checks that do not read the wording."""
_REFERENCE = re.compile(r"#(\d+)")


class CorrectionError(Exception):
    """The proposed wording cannot be used; says why."""


def correct_question(question: Question, text: str, language: str = "en") -> Question:
    """The question in other words, with new verdicts. Raises CorrectionError."""
    changed = question.model_copy(update={"question": text, "closed_book": None})
    verdicts = _verdicts(changed, language)
    if chain_of(question) is None and not leak_by_words(question).passed:
        verdicts = []  # what its answers are called is in the old wording, too
    _refuse(verdicts)
    old = [v for v in question.provenance.verdicts if v.check in _LASTING]
    made = question.provenance.model_copy(update={"verdicts": (*old, *verdicts)})
    return changed.model_copy(update={"provenance": made})


def correct_hop(question: Question, number: int, text: str, language: str = "en") -> Question:
    """The question with one sub-question in other words. Raises CorrectionError.

    `#k` stands for the answer of hop k; so does its label.
    """
    hops = {hop.index: hop for hop in question.sub_questions}
    if number not in hops:
        raise CorrectionError(f"there is no hop {number}")
    hop = hops[number]
    template = _template(hop, text, hops)
    filled = _REFERENCE.sub(lambda match: hops[int(match[1])].answer.label, template)
    changed = hop.model_copy(update={"question": filled, "template": template})
    _refuse(_hop_verdicts(question, hop, changed, language))
    subs = tuple(changed if one.index == number else one for one in question.sub_questions)
    return question.model_copy(update={"sub_questions": subs})


def names_of(question: Question) -> dict[str, EntityName]:
    """What the record says of its entities' names: labels of all, aliases of answers."""
    names: dict[str, EntityName] = {}
    for hop in question.sub_questions:
        for fact in hop.facts:
            for key, label in ((fact.s, fact.s_label), (fact.o, fact.o_label)):
                if key is not None:
                    names.setdefault(key, _name(key, label, ()))
    for hop in question.sub_questions:
        for answer in (hop.answer, *hop.other_answers):
            if answer.id is not None:
                names[answer.id] = _name(answer.id, answer.label, answer.aliases)
    return names


def _verdicts(question: Question, language: str) -> list[Verdict]:
    chain = chain_of(question)
    if chain is None:
        return [leak_by_words(question)]
    subs = question.sub_questions
    wording = Wording(
        question.question,
        tuple(sub.question for sub in subs),
        tuple(sub.template for sub in subs),
    )
    names = names_of(question)
    return [
        no_leak(chain, wording, names),
        coverage(chain, wording, names, _wordings(chain, language), language),
    ]


def _hop_verdicts(
    question: Question, before: SubQuestion, after: SubQuestion, language: str
) -> list[Verdict]:
    """Whether a hop's wording names its own answer, or loses what the old one said."""
    chain = chain_of(question)
    if chain is None:
        return []
    hops = tuple(hop for hop in chain.hops if hop.index == before.index)
    alone = chain.model_copy(update={"hops": hops})
    inputs = [hop.answer.label for hop in question.sub_questions if hop.index in before.inputs]
    names = names_of(question)
    # The inputs are said by name, and a name may hold that of the hop's answer.
    given_away, _ = leaks(alone, _without(after.question, inputs), names)
    told = f"names {', '.join(given_away)}" if given_away else "names no answer"
    said = [names[topic].label for topic in chain.topics] + inputs
    wordings = _wordings(alone, language)
    lost, lacked = (
        unsaid(alone, hop.question, wordings, said, language) for hop in (after, before)
    )
    new = [what for what in lost if what not in lacked]
    missing = f"does not say {', '.join(new)}" if new else "says what the old one said"
    return [
        Verdict(check="leak", passed=not given_away, evidence=told),
        Verdict(check="coverage", passed=not new, evidence=missing),
    ]


def _without(text: str, names: list[str]) -> str:
    for name in names:
        text = text.replace(name, " ")
    return text


def _wordings(chain: FactChain, language: str) -> Mapping[str, set[str]]:
    return TemplateVerbalizer().wordings(chain) if language == "en" else {}


def _template(hop: SubQuestion, text: str, hops: Mapping[int, SubQuestion]) -> str:
    """The text with `#k` for the answer of every hop that it needs."""
    for number in hop.inputs:
        if re.search(rf"#{number}(?!\d)", text):
            continue
        label = hops[number].answer.label
        found = re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text)
        if not found:
            raise CorrectionError(
                f"does not name {label}, the answer of hop {number}, or #{number}"
            )
        text = f"{text[: found.start()]}#{number}{text[found.end() :]}"
    unknown = {int(number) for number in _REFERENCE.findall(text)} - {*hop.inputs}
    if unknown:
        raise CorrectionError(f"speaks of #{min(unknown)}, whose answer the hop does not need")
    return text


def _refuse(verdicts: list[Verdict]) -> None:
    failed = [f"{verdict.check}: {verdict.evidence}" for verdict in verdicts if not verdict.passed]
    if failed:
        raise CorrectionError("; ".join(failed))


def _name(key: str, label: str, aliases: tuple[str, ...]) -> EntityName:
    return EntityName(key, label, "", aliases, frozenset(), is_ambiguous=False)

"""A model answers from the source facts alone: it must succeed with all, and fail without one.

*Reading* asks the question and every sub-question with all facts of the chain; each answer must be
the gold one. *Necessity* asks the question once for each hop, without that hop's facts; the reader
must not come to the gold answer, or the hop is no step of the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from factchain.questions.judging import is_right
from factchain.questions.llm.protocol import Ask, Quarantined
from factchain.questions.model_checks.protocol import Finding, unreadable
from factchain.questions.prompts import reading
from factchain.questions.prompts.reading import Read
from factchain.questions.records import Answer, Question, SubQuestion, Verdict

Triple = tuple[str, str, str]
READING, NECESSITY = "reading", "necessity"
INSUFFICIENT = "insufficient"
_TOKENS = 200


class Reading:
    """The question and each sub-question, from all source facts."""

    name = READING
    doing = "reading questions from their facts"

    def __init__(self, language: str = "en") -> None:
        self._language = language

    def asks(self, question: Question) -> list[Ask[Read]]:
        """First the question, then the sub-questions that can be answered and are not the same."""
        facts = source_facts(question)
        texts = [question.question, *(sub.question for sub in _subs(question))]
        return [_ask(facts, text, READING, self._language) for text in texts]

    def judge(self, question: Question, replies: Sequence[Read | Quarantined]) -> Finding:
        """Every reply must be the gold answer."""
        golds = [_golds(question), *(_golds(sub) for sub in _subs(question))]
        places = ["the question", *(f"sub-question {sub.index}" for sub in _subs(question))]
        wrong, said, advice = [], [], []
        for place, gold, reply in zip(places, golds, replies, strict=True):
            text, is_gold = _answered(reply, gold)
            said.append(text)
            if not is_gold:
                wrong.append(f"{place} is read as {text}, not {gold[0].label!r}")
                advice.append(
                    f"a reader who had only the facts of the data answered {place} otherwise than "
                    "they say: ask for exactly what the facts state, in their direction"
                )
        evidence = "; ".join(wrong) or f"reads {', '.join(said)}"
        verdict = Verdict(check=READING, passed=not wrong, evidence=evidence)
        return Finding(verdict, tuple(advice))


class Necessity:
    """The question from all facts but those of one hop, for each hop that has any."""

    name = NECESSITY
    doing = "reading questions without the facts of one hop"

    def __init__(self, language: str = "en") -> None:
        self._language = language

    def asks(self, question: Question) -> list[Ask[Read]]:
        """One request a hop with facts."""
        return [
            _ask(source_facts(question, without=hop), question.question, NECESSITY, self._language)
            for hop in _with_facts(question)
        ]

    def judge(self, question: Question, replies: Sequence[Read | Quarantined]) -> Finding:
        """No reply may be the gold answer."""
        needless, said, advice = [], [], []
        for hop, reply in zip(_with_facts(question), replies, strict=True):
            text, is_gold = _answered(reply, _golds(question))
            if isinstance(reply, Quarantined) or (is_gold and question.answerable):
                needless.append(f"without the facts of hop {hop}: {text}")
                advice.append(
                    f"a reader could answer the question without the facts of hop {hop}: it must "
                    "not give that step away, and must need it"
                )
            said.append(f"without hop {hop}: {text}")
        evidence = "; ".join(needless or said) or "no hop has facts"
        verdict = Verdict(check=NECESSITY, passed=not needless, evidence=evidence)
        return Finding(verdict, tuple(advice))


def source_facts(question: Question, without: int | None = None) -> list[Triple]:
    """The facts of the hops in words, each once; none that a hop left out, or withheld, states."""
    absent = {*question.withheld, *([without] if without is not None else [])}
    gone = {fact for sub in question.sub_questions if sub.index in absent for fact in _facts(sub)}
    kept = (
        fact
        for sub in question.sub_questions
        if sub.index not in absent
        for fact in _facts(sub)
        if fact not in gone
    )
    return list(dict.fromkeys(kept))


def _facts(sub: SubQuestion) -> Iterable[Triple]:
    yield from ((fact.s_label, fact.p_label, fact.o_label) for fact in sub.facts)
    yield from sub.triples


def _subs(question: Question) -> list[SubQuestion]:
    """The sub-questions to be read: not a repeated question, and none of a withheld hop."""
    return [
        sub
        for sub in question.sub_questions
        if sub.question != question.question
        and sub.index not in question.withheld
        and sub.answer.kind != "insufficient"
    ]


def _with_facts(question: Question) -> list[int]:
    return [sub.index for sub in question.sub_questions if any(True for _ in _facts(sub))]


def _golds(asked: Question | SubQuestion) -> list[Answer]:
    return [asked.answer, *asked.other_answers]


def _ask(facts: Sequence[Triple], text: str, purpose: str, language: str) -> Ask[Read]:
    return Ask(
        purpose=purpose,
        system=reading.system(language),
        user=reading.user(facts, text),
        reply=Read,
        max_tokens=_TOKENS,
    )


def _answered(reply: Read | Quarantined, golds: Sequence[Answer]) -> tuple[str, bool]:
    """What a reader said, for a verdict, and whether it is a gold answer."""
    if isinstance(reply, Quarantined):
        return unreadable(reply), False
    wants_none = golds[0].kind == "insufficient"
    if not reply.sufficient:
        return INSUFFICIENT, wants_none
    return repr(reply.answer), not wants_none and is_right(reply.answer, golds)

"""A template question, taken apart into the questions of its hops (`lexical_grammar.py`).

Questions of other forms stay whole.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from factchain.eval.lexical_grammar import Grammar
from factchain.eval.lexical_operations import read
from factchain.eval.lexical_words import Hop, Words
from factchain.eval.prompts import Document, Step

_AS_OF = re.compile(r"^(As of [^,]+, )(.+)$", re.DOTALL)
_LET = re.compile(r"Let ([A-Z]) be ")
_END = re.compile(r"\. (?=[A-Z])")


@functools.lru_cache(maxsize=100_000)
def take_apart(question: str) -> tuple[Hop, ...]:
    """The hops of a question, each after those that it needs.

    One that is asked by the question itself where it is not of a form that can be taken apart.
    """
    text = question.strip().removesuffix("?")
    if dated := _AS_OF.match(text):
        text = f"{dated[2][0].upper()}{dated[2][1:]}"
    last = _last_hop(text, {})
    if last is None:
        return (_whole(question),)
    hops = tuple(_in_order(last))
    return hops if len(hops) > 1 else (_whole(question),)


def next_sub_question(
    question: str, steps: Sequence[Step], unknown: Sequence[str] = ()
) -> str | None:
    """The sub-question after these steps; none where nothing is left to ask.

    In place of an answer that is `unknown` it has the words of the question.
    """
    hops = take_apart(question)
    if len(steps) >= len(hops):
        return None
    answers = {
        hop: step.answer
        for hop, step in zip(hops, steps, strict=False)
        if step.answer and step.answer not in unknown
    }
    hop = hops[len(steps)]
    asked = _said(hop.question, answers)
    if hop.changes and (dated := _AS_OF.match(question.strip())):
        return f"{dated[1]}{asked[0].lower()}{asked[1:]}"
    return asked


def read_by_hops(question: str, documents: Sequence[Document]) -> str | None:
    """The answer, read hop by hop; none where the documents lack that of any hop."""
    steps: list[Step] = []
    while (asked := next_sub_question(question, steps)) is not None:
        said = read(asked, documents)
        if said is None:
            return None
        steps.append(Step(asked, said))
    return steps[-1].answer


def _last_hop(text: str, letters: Mapping[str, Words]) -> Hop | None:
    """The last hop of a question; none where it or what it defines beforehand cannot be read."""
    grammar = Grammar(letters)
    let = _LET.match(text)
    if let is None:
        return grammar.question(text)
    for end in _END.finditer(text):  # a name may have a full stop
        meant = grammar.phrase(text[let.end() : end.start()])
        if meant.is_hop and (
            last := _last_hop(text[end.end() :], {**letters, let[1]: meant.words})
        ):
            return last
    return None


def _in_order(hop: Hop) -> list[Hop]:
    """A hop and all that it needs, each once, those before it first."""
    found: dict[Hop, None] = {}
    for part in hop.question:
        if isinstance(part, Hop):
            found |= dict.fromkeys(_in_order(part))
    return [*found, hop]


def _said(words: Words, answers: Mapping[Hop, str]) -> str:
    """The words, with the answers of hops, or with what stands for one that has none."""
    return "".join(
        part if isinstance(part, str) else answers.get(part) or _said(part.phrase, answers)
        for part in words
    )


def _whole(question: str) -> Hop:
    return Hop((question,), (question,), changes=False)

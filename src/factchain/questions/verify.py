"""Is the question's answer proved, and does the question give nothing away?

Each check returns a verdict with its evidence; a question is kept when all of them pass.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from factchain.chains.execute import Answers
from factchain.chains.records import FactChain
from factchain.kg.records import number, qid
from factchain.questions.names import EntityName
from factchain.questions.records import Verdict
from factchain.questions.verbalize.protocol import Wording

SHORT_NAME = 3
"""Names of up to so many characters leak only with their case: `US` is not `us`."""


def verify(
    chain: FactChain, wording: Wording, names: Mapping[str, EntityName], executed: Answers
) -> tuple[Verdict, ...]:
    """The verdicts of every check; `executed` is what the chain's query gives on the store."""
    return (
        symbolic(chain, executed),
        distinguishable(chain, names),
        no_leak(chain, wording, names),
    )


def symbolic(chain: FactChain, executed: Answers) -> Verdict:
    """The query, executed on the store, gives exactly the chain's answers, hop by hop."""
    found = [executed[hop.index] for hop in chain.hops]
    expected = [{number(hop.answer.key)} for hop in chain.hops]
    text = " -> ".join("{" + ", ".join(qid(e) for e in sorted(answers)) + "}" for answers in found)
    return Verdict(check="symbolic", passed=found == expected, evidence=f"executed: {text}")


def distinguishable(chain: FactChain, names: Mapping[str, EntityName]) -> Verdict:
    """No topic entity shares its label with another, unless a description tells them apart."""
    vague = [
        names[topic].label
        for topic in chain.topics
        if names[topic].is_ambiguous and not names[topic].description
    ]
    evidence = f"homonyms without description: {', '.join(vague)}" if vague else "topics are clear"
    return Verdict(check="distinguishable", passed=not vague, evidence=evidence)


def no_leak(chain: FactChain, wording: Wording, names: Mapping[str, EntityName]) -> Verdict:
    """The question names no intermediate entity and no answer, by no label or alias."""
    leaks = [
        name
        for hop in chain.hops
        for name in names[hop.answer.key].all
        if occurs(name, wording.question)
    ]
    evidence = f"names {', '.join(leaks)}" if leaks else "names no answer of any hop"
    return Verdict(check="leak", passed=not leaks, evidence=evidence)


def occurs(name: str, text: str) -> bool:
    """Whether the name stands in the text at word boundaries, case and accents folded."""
    if len(name) > SHORT_NAME:
        name, text = fold(name), fold(text)
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def fold(text: str) -> str:
    """Case and accents removed."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))

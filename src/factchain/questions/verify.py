"""Is the question's answer proved, does the question say every hop, and give nothing away?

Each check returns a verdict with its evidence; a question is kept when all of them pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from factchain.chains.operations.operations import NotComparable, recompute
from factchain.chains.proof.execute import Answers
from factchain.chains.records import FactChain, Hop
from factchain.questions.coverage import unsaid
from factchain.questions.leaks import leaks
from factchain.questions.names import EntityName
from factchain.questions.records import Verdict
from factchain.questions.verbalize.protocol import Wording

CHECKS = ("symbolic", "distinguishable", "leak", "coverage")
"""The names of the checks that need no model, in their order."""


def verify(
    chain: FactChain,
    wording: Wording,
    names: Mapping[str, EntityName],
    executed: Answers,
    wordings: Mapping[str, Iterable[str]],
    checks: Collection[str] = CHECKS,
    language: str = "en",
) -> tuple[Verdict, ...]:
    """The verdicts of the checks that are asked for and need no model, in their order.

    `executed` is what the chain's query gives on the store, `wordings` how its properties may be
    said, by P-id.
    """
    run: dict[str, Callable[[], Verdict]] = {
        "symbolic": lambda: symbolic(chain, executed),
        "distinguishable": lambda: distinguishable(chain, names),
        "leak": lambda: no_leak(chain, wording, names),
        "coverage": lambda: coverage(chain, wording, names, wordings, language),
    }
    return tuple(run[check]() for check in CHECKS if check in checks)


def symbolic(chain: FactChain, executed: Answers) -> Verdict:
    """The query, executed on the store, gives exactly the chain's answers, hop by hop, and every
    operation has the result that its operands give."""
    found = [executed[hop.index].keys for hop in chain.hops]
    expected = [{answer.key for answer in (hop.answer, *hop.other_answers)} for hop in chain.hops]
    text = " -> ".join("{" + ", ".join(sorted(answers)) + "}" for answers in found)
    wrong = [problem for hop in chain.hops if (problem := _wrong_operation(hop))]
    evidence = "; ".join([f"executed: {text}", *wrong])
    return Verdict(check="symbolic", passed=found == expected and not wrong, evidence=evidence)


def _wrong_operation(hop: Hop) -> str | None:
    if hop.operation is None:
        return None
    try:
        result = recompute(hop.operation)
    except NotComparable as error:
        return f"hop {hop.index} cannot be reckoned: {error}"
    if result.key != hop.answer.key or hop.operation.result.key != hop.answer.key:
        return f"hop {hop.index} comes to {result.label}"
    return None


def distinguishable(chain: FactChain, names: Mapping[str, EntityName]) -> Verdict:
    """No topic entity shares its label with another, unless a description tells them apart."""
    vague = [
        names[topic].label
        for topic in dict.fromkeys(chain.topics)
        if names[topic].is_ambiguous and not names[topic].description
    ]
    evidence = f"homonyms without description: {', '.join(vague)}" if vague else "topics are clear"
    return Verdict(check="distinguishable", passed=not vague, evidence=evidence)


def no_leak(chain: FactChain, wording: Wording, names: Mapping[str, EntityName]) -> Verdict:
    """The question names no intermediate answer and no answer, by no label, alias or number.

    What is part of a topic's own name, is offered as a choice or is a constant of an operation
    gives nothing away; it is told in the evidence.
    """
    given_away, excused = leaks(chain, wording.question, names)
    evidence = (
        f"names {', '.join(given_away)}" if given_away else "names no answer of any hop"
    ) + "".join(f"; {name} is {excuse}" for name, excuse in excused.items())
    return Verdict(check="leak", passed=not given_away, evidence=evidence)


def coverage(
    chain: FactChain,
    wording: Wording,
    names: Mapping[str, EntityName],
    wordings: Mapping[str, Iterable[str]],
    language: str = "en",
) -> Verdict:
    """The question says every property and, in English, every operation of the chain."""
    topics = [names[topic].label for topic in chain.topics]
    lost = unsaid(chain, wording.question, wordings, topics, language)
    said = "says every property and operation" if language == "en" else "says every property"
    evidence = f"does not say {', '.join(lost)}" if lost else said
    return Verdict(check="coverage", passed=not lost, evidence=evidence)

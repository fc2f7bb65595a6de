"""Is a model's reply a wording of this chain: the right hops, references and topics?

What can be told without understanding is told here, before anything is executed or asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from factchain.chains.records import EntityRef, FactChain, Hop
from factchain.questions.leaks import leaks
from factchain.questions.lexis import is_named
from factchain.questions.literal_forms import for_readers
from factchain.questions.names import EntityName
from factchain.questions.prompts.wording import Worded
from factchain.questions.verbalize.masked import hidden_names, mention
from factchain.questions.verbalize.protocol import Wording

LONGEST = 800
"""Most characters of a question."""
_REFERENCE = re.compile(r"#(\d+)")
_MASK = re.compile(r"(?<!\w)x[1-8](?!\w)")


def read_wording(
    chain: FactChain, reply: Worded, names: Mapping[str, EntityName]
) -> tuple[Wording | None, list[str]]:
    """The wording that a reply holds, or what is wrong with it."""
    texts = [hop.text.strip() for hop in reply.sub_questions]
    if [hop.hop for hop in reply.sub_questions] != [hop.index for hop in chain.hops]:
        found = ", ".join(str(hop.hop) for hop in reply.sub_questions) or "none"
        return None, [
            f"there must be one sub-question for each of the hops 1 to {len(chain.hops)}, in this "
            f"order; the reply has those of hops: {found}"
        ]
    question = reply.question.strip()
    problems = [
        *text_problems("the question", question, chain.topics, chain, names),
        *(["the question holds `#`, which only sub-questions may"] * ("#" in question)),
    ]
    for hop, text in zip(chain.hops, texts, strict=True):
        problems += text_problems(f"sub-question {hop.index}", text, hop.topics, chain, names)
        problems += _of_hop(hop, text, chain, names)
    if problems:
        return None, problems
    return Wording(question, tuple(filled(chain, texts, names)), tuple(texts)), []


def filled(
    chain: FactChain, templates: Sequence[str], names: Mapping[str, EntityName]
) -> Iterator[str]:
    """The templates with the answers of the earlier hops put in."""
    said = {
        hop.index: mention(names[hop.answer.id], [])
        if isinstance(hop.answer, EntityRef)
        else for_readers(hop.answer)
        for hop in chain.hops
    }
    for template in templates:
        yield _REFERENCE.sub(lambda match: said[int(match[1])], template)


def text_problems(
    what: str,
    text: str,
    topics: Sequence[str],
    chain: FactChain,
    names: Mapping[str, EntityName],
) -> Iterator[str]:
    """What is wrong with a text in form: empty, overlong, masked, or without one of its topics."""
    if not text:
        yield f"{what} is empty"
    if len(text) > LONGEST:
        yield f"{what} has {len(text)} characters; {LONGEST} are the most"
    if any(not character.isprintable() for character in text):
        yield f"{what} is not one line of plain text"
    if _MASK.search(text) and not any(_MASK.search(names[t].label) for t in chain.topics):
        yield f"{what} holds a mask such as x1: describe that answer by its facts"
    hidden = list(hidden_names(chain, names))
    for topic in topics:
        name = mention(names[topic], hidden)
        if not is_named(name, text):
            yield f"{what} does not name the topic as it is written in the data: {name}"


def _of_hop(
    hop: Hop, text: str, chain: FactChain, names: Mapping[str, EntityName]
) -> Iterator[str]:
    needed, found = set(hop.inputs), {int(number) for number in _REFERENCE.findall(text)}
    if missing := sorted(needed - found):
        yield f"sub-question {hop.index} needs #{missing[0]} for the answer of hop {missing[0]}"
    if strays := sorted(found - needed):
        yield f"sub-question {hop.index} holds #{strays[0]}, of which its hop needs no answer"
    alone = chain.model_copy(update={"hops": (hop,), "topics": hop.topics})
    given_away, _ = leaks(alone, _REFERENCE.sub(" ", text), names)
    if given_away:
        yield (
            f"sub-question {hop.index} holds a name or number that is not in the data: an answer "
            "must not be named"
        )

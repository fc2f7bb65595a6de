"""Questions of written chains, in plain words: what they say is not what is tested."""

from __future__ import annotations

from collections.abc import Sequence

from factchain.chains.records import FactChain, Query
from factchain.kg.store import Store
from factchain.questions.build import to_question
from factchain.questions.names import entity_names
from factchain.questions.records import Question
from factchain.questions.verbalize.protocol import Wording, in_rounds
from factchain.questions.verbalize.template import TemplateVerbalizer


def as_questions(store: Store, chains: Sequence[FactChain]) -> list[Question]:
    """One question for each chain, with an id and a text of its own."""
    verbalizer = in_rounds(TemplateVerbalizer())
    names = entity_names(store, chains)
    made = []
    for at, chain in enumerate(chains):
        named = chain.model_copy(update={"id": f"c-{at}", "query": Query(sparql="SELECT ?x")})
        asked = [f"sub-question {hop.index} of {at}?" for hop in chain.hops]
        wording = Wording(f"question {at}?", tuple(asked), tuple(asked))
        made.append(to_question(named, wording, (), names, verbalizer))
    return made

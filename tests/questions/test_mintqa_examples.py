"""Chains as MINTQA prints them (facts, not sentences; SPEC.md 7.1): no hop lost, no leak."""

from __future__ import annotations

import pytest

from chain_builder import ChainBuilder
from factchain.questions.coverage import unsaid
from factchain.questions.leaks import leaks
from factchain.questions.verbalize.template import TemplateVerbalizer

Step = tuple[str, str]
CHAINS: dict[str, tuple[str, list[Step], str]] = {
    "stale fact": (
        "CineKink NYC",
        [("P276 location", "New York City"), ("P1376 capital of", "United States")],
        "As of 5 June 2024, what is the location of CineKink NYC the capital of?",
    ),
    "direction": (
        "Geoffrey Howe",
        [("P170 creator", "June Mendoza")],
        "Who created Geoffrey Howe?",
    ),
    "dropped mother": (
        "The Life You Can Save",
        [
            ("P50 author", "Peter Singer"),
            ("P25 mother", "Cora Singer"),
            ("P22 father", "David Ernst Oppenheim"),
            ("P512 academic degree", "doctorate"),
        ],
        "Which academic degree does the father of the mother of the author of The Life You Can "
        "Save hold?",
    ),
    "dropped relative": (
        "Sri Dhamasokaraj",
        [("P1038 relative", "a prince"), ("P22 father", "a king"), ("P19 place of birth", "Sukho")],
        "Where was the father of the relative of Sri Dhamasokaraj born?",
    ),
    "dropped award": (
        "Gwen en Geraldine",
        [
            ("P50 author", "Sandra"),
            ("P166 award received", "Prize"),
            ("P1027 conferred by", "Body"),
        ],
        "As of 5 June 2024, who confers the award received by the author of Gwen en Geraldine?",
    ),
    "weak head": (
        "Iberian Revolutionary Liberation Directory",
        [("P1344 participant in", "the hijacking")],
        "In which event did Iberian Revolutionary Liberation Directory take part?",
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_every_hop_is_said_and_none_given_away(name: str) -> None:
    topic, steps, question = CHAINS[name]
    builder = ChainBuilder()
    for index, (p, answer) in enumerate(steps):
        builder.lookup(p, index or topic, answer)
    chain = builder.chain()
    verbalizer = TemplateVerbalizer()
    wording = verbalizer.verbalize(chain, builder.names)
    assert wording.question == question
    assert unsaid(chain, wording.question, verbalizer.wordings(chain), [topic]) == []
    assert leaks(chain, wording.question, builder.names)[0] == []
    for index, template in enumerate(wording.templates):
        assert (f"#{index}" in template) is (index > 0)

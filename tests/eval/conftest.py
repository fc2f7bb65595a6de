"""A small workspace: five questions of one to four hops over nine passages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from factchain.chains.records import ChainFact, Query
from factchain.questions.records import Answer, Provenance, Question, SubQuestion
from factchain.records import write_records
from factchain.retrieval_corpus.formats import hop_qrels_file, write_hop_qrels
from factchain.retrieval_corpus.records import HopGold, Passage, PassageMetadata

IDS = {
    "Hamlet": "Q1",
    "William Shakespeare": "Q2",
    "Stratford-upon-Avon": "Q3",
    "United Kingdom": "Q4",
    "London": "Q5",
    "Rishi Sunak": "Q6",
    "Radium": "Q7",
    "Marie Curie": "Q8",
    "Warsaw": "Q9",
    "Poland": "Q10",
}
AUTHOR = ("Hamlet", "P50", "author", "William Shakespeare")
BIRTH = ("William Shakespeare", "P19", "place of birth", "Stratford-upon-Avon")
COUNTRY = ("Stratford-upon-Avon", "P17", "country", "United Kingdom")
CAPITAL = ("United Kingdom", "P36", "capital", "London")
HEAD = ("United Kingdom", "P6", "head of government", "Rishi Sunak")
DISCOVERER = ("Radium", "P61", "discoverer or inventor", "Marie Curie")
CURIE_BIRTH = ("Marie Curie", "P19", "place of birth", "Warsaw")

TEXTS = {
    "Q1": ("Hamlet", "Hamlet author William Shakespeare.\nHamlet genre tragedy."),
    "Q2": (
        "William Shakespeare",
        "William Shakespeare date of birth 26 April 1564.\n"
        "William Shakespeare notable work Hamlet.\n"
        "William Shakespeare place of birth Stratford-upon-Avon.\n"
        "William Shakespeare place of death Stratford-upon-Avon.",
    ),
    "Q3": (
        "Stratford-upon-Avon",
        "Stratford-upon-Avon country United Kingdom.\n"
        "Stratford-upon-Avon located in or next to body of water River Avon.",
    ),
    "Q4": ("United Kingdom", "United Kingdom capital London.\nUnited Kingdom continent Europe."),
    "Q4@2021-06-21": (
        "United Kingdom",
        "As of 2021-06-21:\nUnited Kingdom head of government Boris Johnson.",
    ),
    "Q4@2024-06-05": (
        "United Kingdom",
        "As of 2024-06-05:\nUnited Kingdom head of government Rishi Sunak.",
    ),
    "Q5": ("London", "London country United Kingdom."),
    "Q7": ("Radium", "Radium discoverer or inventor Marie Curie."),
    "Q8": ("Marie Curie", "Marie Curie place of birth Warsaw.\nMarie Curie spouse Pierre Curie."),
}
GOLD = {AUTHOR: "Q1", BIRTH: "Q2", COUNTRY: "Q3", CAPITAL: "Q4", HEAD: "Q4@2024-06-05"} | {
    DISCOVERER: "Q7",
    CURIE_BIRTH: "Q8",
}
ALIASES = {"Marie Curie": ("Madame Curie", "Maria Sklodowska-Curie"), "London": ("Londinium",)}

CHAINS = {
    "q-1": ("popularity", "popular", "Who discovered or invented Radium?", [DISCOVERER]),
    "q-2": (
        "popularity",
        "popular unpopular",
        "Where was the discoverer or inventor of Radium born?",
        [DISCOVERER, CURIE_BIRTH],
    ),
    "q-3": (
        "recency",
        "old old old",
        "In which country is the place where the author of Hamlet was born located?",
        [AUTHOR, BIRTH, COUNTRY],
    ),
    "q-4": (
        "popularity",
        "popular popular unpopular unpopular",
        "What is the capital of the country where the place where the author of Hamlet was born "
        "is located?",
        [AUTHOR, BIRTH, COUNTRY, CAPITAL],
    ),
    "q-5": (
        "recency",
        "new",
        "As of 5 June 2024, who is the head of government of United Kingdom?",
        [HEAD],
    ),
}


def _question(question_id: str) -> Question:
    axis, labels, text, facts = CHAINS[question_id]
    subs = tuple(
        SubQuestion(
            index=index,
            question=f"What is the {fact[2]} of {fact[0]}?",
            template=f"What is the {fact[2]} of {fact[0] if index == 1 else f'#{index - 1}'}?",
            inputs=(index - 1,) if index > 1 else (),
            answer=_answer(fact[3]),
            facts=(
                ChainFact(
                    s=IDS[fact[0]],
                    s_label=fact[0],
                    p=fact[1],
                    p_label=fact[2],
                    o=IDS[fact[3]],
                    o_label=fact[3],
                ),
            ),
            label=label,
        )
        for index, (fact, label) in enumerate(zip(facts, labels.split(), strict=True), start=1)
    )
    return Question(
        id=question_id,
        axis=axis,
        topology="chain",
        hops=len(facts),
        question=text,
        answer=subs[-1].answer,
        sub_questions=subs,
        labels=tuple(labels.split()),
        query=Query(sparql="SELECT ?x WHERE { }"),
        provenance=Provenance(
            verbalizer="template", verifier="symbolic", verdicts=(), snapshot="2024-06-05", seed=1
        ),
    )


def _answer(label: str) -> Answer:
    return Answer(id=IDS[label], label=label, aliases=ALIASES.get(label, ()))


@pytest.fixture
def questions() -> list[Question]:
    return [_question(question_id) for question_id in CHAINS]


@pytest.fixture
def passages() -> dict[str, Passage]:
    return {
        key: Passage(
            _id=key,
            title=title,
            text=text,
            metadata=PassageMetadata(entity=key.partition("@")[0], facts=()),
        )
        for key, (title, text) in TEXTS.items()
    }


@pytest.fixture
def hop_gold() -> list[HopGold]:
    return [
        HopGold(question=question_id, hop=hop, passage=GOLD[fact])
        for question_id, chain in CHAINS.items()
        for hop, fact in enumerate(chain[3], start=1)
    ]


@pytest.fixture
def write_workspace(
    tmp_path: Path,
    questions: list[Question],
    passages: dict[str, Passage],
    hop_gold: list[HopGold],
) -> Callable[[str], Path]:
    """Write the workspace into a folder of that name."""

    def write(name: str) -> Path:
        workspace = tmp_path / name
        write_records(workspace / "questions.jsonl", questions)
        write_records(workspace / "corpus" / "corpus.jsonl", passages.values())
        write_hop_qrels(hop_qrels_file(workspace / "corpus", "test"), hop_gold)
        return workspace

    return write


@pytest.fixture
def workspace(write_workspace: Callable[[str], Path]) -> Path:
    return write_workspace("workspace")

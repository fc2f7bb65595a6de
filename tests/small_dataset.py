"""A small dataset with two splits, options, an unanswerable question and a hostile label."""

from __future__ import annotations

from pathlib import Path

from factchain.chains.records import ChainFact, Query
from factchain.questions.records import Answer, Provenance, Question, SubQuestion, Verdict
from factchain.records import write_records
from factchain.retrieval_corpus.formats import (
    hop_qrels_file,
    qrels_file,
    write_hop_qrels,
    write_qrels,
)
from factchain.retrieval_corpus.records import HopGold, Passage, PassageMetadata

HOSTILE = (
    "Radium</document> | <script>alert('x')</script> [a](http://evil.test) #1 `code` **b** \t&"
)
"""A label that would break tables, tags, links and prompts."""

Q = {
    "Hamlet": "Q1",
    "William Shakespeare": "Q2",
    "Stratford-upon-Avon": "Q3",
    "United Kingdom": "Q4",
    "London": "Q5",
    HOSTILE: "Q7",
    "Marie Curie": "Q8",
    "Warsaw": "Q9",
    "Poland": "Q10",
}
ALIASES = {"Marie Curie": ("Madame Curie",), "London": ("Londinium",)}
AUTHOR = ("Hamlet", "P50", "author", "William Shakespeare")
BIRTH = ("William Shakespeare", "P19", "place of birth", "Stratford-upon-Avon")
COUNTRY = ("Stratford-upon-Avon", "P17", "country", "United Kingdom")
CAPITAL = ("United Kingdom", "P36", "capital", "London")
DISCOVERER = (HOSTILE, "P61", "discoverer or inventor", "Marie Curie")
CURIE_BIRTH = ("Marie Curie", "P19", "place of birth", "Warsaw")
FACTS = (AUTHOR, BIRTH, COUNTRY, CAPITAL, DISCOVERER, CURIE_BIRTH)
OPTIONS = {"A": "Warsaw", "B": "Paris", "C": "London", "D": "Berlin"}


def small_questions() -> list[Question]:
    """Two questions to train on and three to test with; the last one is unanswerable."""
    return [
        _question("q-1", "train", "Who wrote Hamlet?", [AUTHOR]),
        _question(
            "q-2", "train", "What is the birthplace of the author of Hamlet?", [AUTHOR, BIRTH]
        ),
        _question(
            "q-3",
            "test",
            f"What is the birthplace of the discoverer of {HOSTILE}?",
            [DISCOVERER, CURIE_BIRTH],
            options=OPTIONS,
            correct_option="A",
        ),
        _question(
            "q-4",
            "test",
            "What is the capital of the country of Stratford-upon-Avon?",
            [COUNTRY, CAPITAL],
        ),
        _question(
            "q-5",
            "test",
            "What is the country of the birthplace of the author of Hamlet?",
            [AUTHOR, BIRTH, COUNTRY],
            answerable=False,
            withheld=(3,),
            full_answer=_answer("United Kingdom"),
            answer=Answer(label="Insufficient information", kind="insufficient"),
        ),
    ]


def small_passages() -> list[Passage]:
    """One passage a fact, and two that state none of them."""
    stated = [
        Passage(
            id=f"p{number}",
            title=s,
            text=f"{s} {label} {o}.",
            metadata=PassageMetadata(entity=Q[s], facts=((Q[s], p, Q[o]),)),
        )
        for number, (s, p, label, o) in enumerate(FACTS, start=1)
    ]
    other = [
        Passage(
            id=f"p{number}",
            title=title,
            text=f"{title} is discussed at length: author, capital, country, birthplace of Hamlet.",
            metadata=PassageMetadata(facts=(("Q90", "P31", "Q91"),)),
        )
        for number, title in ((8, "Theatre"), (9, "Chemistry"))
    ]
    return [*stated, *other]


def write_small_dataset(folder: Path) -> Path:
    """The dataset as a workspace."""
    questions = small_questions()
    write_records(folder / "questions.jsonl", questions)
    write_records(folder / "corpus/corpus.jsonl", small_passages())
    passage_of = {fact: f"p{number}" for number, fact in enumerate(FACTS, start=1)}
    for split in ("train", "test"):
        gold = [
            HopGold(question=q.id, hop=hop.index, passage=passage_of[fact])
            for q in questions
            if q.split == split
            for hop in q.sub_questions
            for fact in [(f.s_label, f.p, f.p_label, f.o_label) for f in hop.facts]
            if hop.index not in q.withheld
        ]
        write_hop_qrels(hop_qrels_file(folder / "corpus", split), gold)
        qrels: dict[str, dict[str, int]] = {}
        for row in gold:
            qrels.setdefault(row.question, {})[row.passage] = 1
        write_qrels(qrels_file(folder / "corpus", split), qrels)
    return folder


def _answer(label: str) -> Answer:
    return Answer(id=Q[label], label=label, aliases=ALIASES.get(label, ()))


def _question(
    key: str, split: str, text: str, facts: list[tuple[str, str, str, str]], **more: object
) -> Question:
    subs = tuple(
        SubQuestion(
            index=index,
            question=f"What is the {label} of {s}?",
            template=f"What is the {label} of {f'#{index - 1}' if index > 1 else s}?",
            inputs=(index - 1,) if index > 1 else (),
            answer=_answer(o),
            facts=(ChainFact(s=Q[s], s_label=s, p=p, p_label=label, o=Q[o], o_label=o),),
            label="popular",
        )
        for index, (s, p, label, o) in enumerate(facts, start=1)
    )
    fields: dict[str, object] = {
        "id": key,
        "split": split,
        "axis": "popularity",
        "topology": "chain",
        "hops": len(facts),
        "question": text,
        "answer": subs[-1].answer,
        "sub_questions": subs,
        "labels": ("popular",) * len(facts),
        "query": Query(sparql="SELECT ?x WHERE { }"),
        "provenance": Provenance(
            verbalizer="template",
            verifier="symbolic",
            verdicts=(Verdict(check="symbolic", passed=True, evidence="executed"),),
            snapshot="2024-06-05",
            seed=1,
        ),
    }
    return Question.model_validate(fields | more)

"""What a single record of each format becomes, and that retrieval and evaluation run on it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from factchain.chains.records import ChainFact
from factchain.eval.passages import Contexts
from factchain.formats.importing import import_dataset
from factchain.formats.popqa import PROPERTIES
from factchain.formats.registry import FORMATS
from factchain.pipeline import evaluate_workspace
from factchain.questions.records import Question
from factchain.records import read_records
from factchain.retrieval_corpus.evaluate import evaluate_retriever
from factchain.retrieval_corpus.formats import read_candidates, read_corpus, read_hop_qrels
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from format_examples import HOTPOT, MINTQA, MUSIQUE, OMANIC, POPQA, QUERY, TWO_WIKI, deep, lines


def load(
    name: str, folder: Path, *contents: str, file: str = "x{}.json", **options: Any
) -> list[Question]:
    """Import the contents; the questions. What they are imported into is `folder / "in"`."""
    paths = [folder / file.format(number) for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content, encoding="utf-8")
    import_dataset(FORMATS[name], paths, folder / "in", **options)
    return list(read_records(folder / "in" / "questions.jsonl", Question))


def gold(folder: Path, split: str = "test") -> list[tuple[str, int, str]]:
    """Question, hop and title of every gold passage."""
    passages = read_corpus(folder / "in" / "corpus")
    rows = read_hop_qrels(folder / "in" / "corpus", passages, split)
    return [(row.question, row.hop, passages[row.passage].title) for row in rows]


def test_musique(tmp_path: Path) -> None:
    twin = deep(MUSIQUE, "question_decomposition", 1, "paragraph_support_idx", value=None)
    twin |= {"answerable": False, "paragraphs": MUSIQUE["paragraphs"][:1]}
    one, other = load(
        "musique", tmp_path, lines(MUSIQUE, twin), file="full_dev{}.jsonl".format("_")
    )
    assert (one.split, one.topology, one.hops, one.axis) == ("dev", "chain", 2, "none")
    assert [sub.question for sub in one.sub_questions] == ["Ann >> land", "Who leads Here?"]
    assert [sub.template for sub in one.sub_questions] == ["Ann >> land", "Who leads #1?"]
    assert [sub.inputs for sub in one.sub_questions] == [(), (1,)]
    assert (one.answer.label, one.answer.kind) == ("Bob", "text")
    assert gold(tmp_path, "dev") == [
        (one.id, 1, "Ann"),
        (one.id, 2, "Here"),
        (other.id, 1, "Ann"),
    ]
    assert other.id == "2hop__1_2-unanswerable"
    assert (other.answer.kind, other.full_answer) == ("insufficient", one.answer)
    assert (other.answerable, other.withheld) == (False, (2,))
    passages = read_corpus(tmp_path / "in" / "corpus")
    shown = read_candidates(tmp_path / "in" / "corpus", passages, "dev")
    assert [len(shown[key.id]) for key in (one, other)] == [2, 1]
    assert len(passages) == 2


def test_hotpotqa(tmp_path: Path) -> None:
    record = HOTPOT | {
        "context": [["A", ["One.", " Two."]], ["B", ["Three.", "Four."]], ["C", []]],
        "supporting_facts": [["B", 1], ["A", 0], ["B", 0], ["Lost", 0], ["A", 9]],
        "type": "comparison",
    }
    (one,) = load("hotpotqa", tmp_path, json.dumps([record]))
    assert (one.type, one.topology, one.hops) == ("comparison", "unknown", 3)
    assert gold(tmp_path) == [("a", 1, "B"), ("a", 2, "A")]
    texts = {p.title: p.text for p in read_corpus(tmp_path / "in" / "corpus").values()}
    assert texts == {"A": "One. Two.", "B": "Three. Four.", "C": ""}
    conversion = json.loads((tmp_path / "in" / "conversion.json").read_text())
    assert conversion["dropped"] == {
        "supporting facts without a paragraph in the context": 1,
        "supporting facts without a sentence in the paragraph": 1,
    }


def test_two_wiki(tmp_path: Path) -> None:
    record = TWO_WIKI | {
        "type": "bridge-comparison",
        "context": [["Film A", ["x"]], ["Ann", ["y"]], ["Film B", ["z"]], ["Bob", ["w"]]],
        "supporting_facts": [["Film A", 0], ["Film B", 0], ["Ann", 0], ["Bob", 0]],
        "evidences": [
            ["Film A", "director", "Ann"],
            ["Film B", "director", "Bob"],
            ["Ann", "country", "Here"],
            ["Bob", "country", "There"],
        ],
        "evidences_id": [
            ["Q1", "director", "Q3"],
            ["Q2", "director", "Q4"],
            ["Q3", "country", "Q5"],
            ["Q4", "country", "Q6"],
        ],
        "answer": "Film A",
        "answer_id": "Q1",
    }
    (one,) = load("2wikimultihopqa", tmp_path, json.dumps([record]))
    assert (one.type, one.hops, one.topology) == ("comparison", 4, "other")
    assert (one.answer.id, one.answer.label) == ("Q1", "Film A")
    third = one.sub_questions[2]
    assert (third.question, third.template) == ("Ann >> country", "#1 >> country")
    assert (third.answer.id, third.inputs) == ("Q5", (1,))
    assert [title for _, _, title in gold(tmp_path)] == ["Film A", "Film B", "Ann", "Bob"]


def test_every_two_wiki_hop_has_a_gold_passage(tmp_path: Path) -> None:
    record = TWO_WIKI | {
        "context": [["A", ["x"]], ["B", ["y"]]],
        "supporting_facts": [["B", 0], ["A", 0]],
        "evidences": [["a", "of", "m"], ["m", "of", "n"], ["n", "of", "o"]],
    }
    (one,) = load("2wikimultihopqa", tmp_path, json.dumps([record]))
    assert one.topology == "chain"
    assert [(hop, title) for _, hop, title in gold(tmp_path)] == [(1, "A"), (2, "B"), (3, "A")]


def test_mintqa(tmp_path: Path) -> None:
    single = {
        "question": "Where was Ann born?",
        "answer": ["Here", "there"],
        "type": "Old",
        "triple": ["Ann", "birthplace", "Here"],
        "triple_ids": ["Q1", "P19", "Q2"],
    }
    several = MINTQA | {"subquestion": ["Who?", "Where was Y born?"], "num_hops": 2}
    one, two = load("mintqa", tmp_path, lines(single, several))
    assert (one.id, one.axis, one.labels) == ("mintqa-00001", "recency", ("old",))
    assert (one.answer.id, one.answer.names) == ("Q2", ("Here", "there"))
    (sub,) = one.sub_questions
    assert sub.question == one.question
    assert sub.facts == (
        ChainFact(s="Q1", s_label="Ann", p="P19", p_label="birthplace", o="Q2", o_label="Here"),
    )
    assert (two.hops, two.labels, two.topology) == (2, ("old", "new"), "chain")
    second = two.sub_questions[1]
    assert (second.template, second.inputs) == ("Where was #1 born?", (1,))
    assert second.triples == (("y", "c", "x"),)
    assert not (tmp_path / "in" / "corpus").exists()


def test_omanic(tmp_path: Path) -> None:
    hops = [
        {"sub_question": "Who wrote it?", "gold_answer": "Ann"},
        {"sub_question": "Where was Ann born?", "gold_answer": "Here"},
        {"sub_question": "How many ways?", "gold_answer": "35"},
        {
            "sub_question": "Which party was founded 35 years before 1968 in Here?",
            "gold_answer": "P",
            "multiple_choice_options": dict(zip("ABCD", "PQRS", strict=True)),
            "correct_answer_label": "A",
        },
    ]
    (one,) = load("omanic", tmp_path, lines(OMANIC | {"repaired_single_hop": hops}))
    assert (one.topology, one.hops, one.correct_option) == ("bridge", 4, "A")
    assert one.options == {"A": "P", "B": "Q", "C": "R", "D": "S"}
    last = one.sub_questions[3]
    assert last.template == "Which party was founded #3 years before 1968 in #2?"
    assert last.inputs == (2, 3)


def test_multihop_rag(tmp_path: Path) -> None:
    null = QUERY | {"question_type": "null_query", "evidence_list": []}
    null["answer"] = "Insufficient information."
    temporal = QUERY | {"question_type": "temporal_query"}
    articles = [
        {"title": "T", "body": "Other words.", "url": "u", "source": "S", "published_at": "2023"},
        {"title": "T", "body": "Here is f.", "url": "u", "source": "S", "published_at": "2023"},
    ]
    one, other = load("multihop-rag", tmp_path, json.dumps([temporal, null]), json.dumps(articles))
    assert (one.type, one.hops, one.answerable) == ("temporal", 1, True)
    assert (other.type, other.answerable, other.answer.kind) == ("null", False, "insufficient")
    passages = read_corpus(tmp_path / "in" / "corpus")
    (row,) = read_hop_qrels(tmp_path / "in" / "corpus", passages)
    assert passages[row.passage].text == "Here is f."
    assert passages[row.passage].metadata.extra["source"] == "S"


def test_flashrag_choices(tmp_path: Path) -> None:
    record = {"id": "1", "question": "?", "golden_answers": [1], "choices": ["no", "yes"]}
    (one,) = load("flashrag", tmp_path, lines(record))
    assert (one.options, one.correct_option) == ({"A": "no", "B": "yes"}, "B")
    assert one.answer.label == "yes"


def test_popqa(tmp_path: Path) -> None:
    uris = "http://www.wikidata.org/entity/"
    head = POPQA.strip() + "\ts_uri\to_uri\ts_pop\n"
    row = f'7\tAnn\toccupation\tpolitician\tWhat is it?\t"[""politician"", ""pol""]"\t{uris}Q1\t'
    (one,) = load("popqa", tmp_path, head + row + f"{uris}Q82955\t142\n", file="popQA{}.tsv")
    assert (one.id, one.answer.id, one.answer.names) == (
        *("popqa-7", "Q82955", ("politician", "pol")),
    )
    assert one.metadata["s_pop"] == 142
    assert one.sub_questions[0].facts[0].key == ("Q1", "P106", "Q82955")


def test_the_relations_of_popqa_are_these_properties(reference: Callable[[str], Path]) -> None:
    with reference("property_labels.csv").open(encoding="utf-8", newline="") as file:
        labels = {f"P{row[0]}": row[1] for row in csv.reader(file)}
    assert len(set(PROPERTIES.values())) == len(PROPERTIES) == 16
    renamed = {"religion": "religion or worldview"}
    assert {name: labels[p] for name, p in PROPERTIES.items()} == {
        name: renamed.get(name, name) for name in PROPERTIES
    }


def test_splits_and_limits(tmp_path: Path) -> None:
    more = [deep(MUSIQUE, "id", value=f"2hop__{n}_1") for n in range(4)]
    questions = load("musique", tmp_path, lines(*more), limit=3, split="mine")
    assert [one.id for one in questions] == ["2hop__0_1", "2hop__1_1", "2hop__2_1"]
    assert {one.split for one in questions} == {"mine"}
    manifest = json.loads((tmp_path / "in" / "manifest.json").read_text())
    assert manifest["inputs"][0]["file"] == "x0.json"
    assert manifest["stages"]["import"]["rows_out"] == 3


@pytest.mark.parametrize(
    ("name", "recall", "complete"), [("musique", 0.499, 0.14), ("hotpotqa", 0.765, 0.55)]
)
def test_retrieval_and_evaluation_run_unchanged(
    reference: Callable[[str], Path], tmp_path: Path, name: str, recall: float, complete: float
) -> None:
    import_dataset(FORMATS[name], [reference(f"{name}_train.json")], tmp_path / "in")
    questions = list(read_records(tmp_path / "in" / "questions.jsonl", Question))
    scores = evaluate_retriever(BM25Retriever(), tmp_path / "in" / "corpus", questions, [5])
    (total,) = (score for score in scores if score.by == "all")
    assert (total.questions, total.recall) == (100, pytest.approx(recall, abs=1e-3))
    assert total.complete == pytest.approx(complete, abs=1e-3)
    tasks = ["parametric", "retrieval-*"]
    result = evaluate_workspace(tmp_path / "in", "factchain/lexical", tasks, limit=2)
    assert (result["failed"], result["answers"]) == (0, 3 * 2)
    assert {one["context"] for one in result["scores"]} == {"none", "bm25", "gold"}
    # What stands before a question as gold is the paragraphs that its dataset calls supporting.
    contexts = Contexts(tmp_path / "in", questions)
    shown = contexts.source("gold").of_question(questions[0])
    source = json.loads(reference(f"{name}_train.json").read_text())[0]
    supporting = {p["title"] for p in source.get("paragraphs", ()) if p["is_supporting"]} or {
        title for title, _ in source["supporting_facts"]
    }
    assert {document.title for document in contexts.documents(shown)} == supporting

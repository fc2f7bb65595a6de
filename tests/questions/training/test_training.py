"""Training data: Omanic's layouts, drawn by the seed, and no split in another."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from factchain.cli import main
from factchain.errors import ConfigError, InputError
from factchain.questions.records import Question
from factchain.questions.training.choice import training_set
from factchain.questions.training.rl import compute_score, reward, reward_compat, rl_rows
from factchain.questions.training.sft import sft_rows
from factchain.records import write_records
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever
from factchain.retrieval_corpus.training import write_reranker_triples
from small_dataset import OPTIONS, small_passages, small_questions, write_small_dataset


def with_options(count: int, **changes: object) -> list[Question]:
    fields = {"options": OPTIONS, "correct_option": "A"} | changes
    base = small_questions()[2]
    return [
        base.model_copy(update={**fields, "id": f"q-{n}", "question": f"Question {n}?"})
        for n in range(count)
    ]


@given(st.integers(0, 30), st.integers(0, 2**32))
def test_one_number_a_question_draws_multiple_choice(count: int, seed: int) -> None:
    random = Random(seed)
    drawn = {f"Question {n}?": random.random() < 0.5 for n in range(count)}
    order = list(range(count))
    random.shuffle(order)
    rows = sft_rows(with_options(count), seed)
    assert [row["instruction"].splitlines()[0] for row in rows] == [f"Question {n}?" for n in order]
    for row in rows:
        first, *rest = row["instruction"].splitlines()
        assert row["input"] == ""
        if drawn[first]:
            assert rest == ["", "A. Warsaw", "B. Paris", "C. London", "D. Berlin"]
            assert row["output"] == "A. Warsaw"
        else:
            assert (rest, row["output"]) == ([], "Warsaw")
    for n, row in enumerate(rl_rows(with_options(count), seed)):
        assert [message["role"] for message in row["prompt"]] == ["system", "user"]
        assert "<answer>" in row["prompt"][0]["content"]
        assert (row["data_source"], row["ability"]) == ("omanic", "reasoning")
        truth = "A" if drawn[f"Question {n}?"] else "Warsaw"
        assert row["reward_model"] == {"style": "rule", "ground_truth": truth}


def test_without_options_everything_is_open() -> None:
    questions = with_options(40, options=None, correct_option=None)
    assert {row["output"] for row in sft_rows(questions)} == {"Warsaw"}
    assert {row["reward_model"]["ground_truth"] for row in rl_rows(questions)} == {"Warsaw"}


def test_without_a_letter_sft_assumes_a_and_rl_is_open() -> None:
    questions = with_options(40, correct_option=None)
    assert {row["output"] for row in sft_rows(questions)} == {"A. Warsaw", "Warsaw"}
    assert {row["reward_model"]["ground_truth"] for row in rl_rows(questions)} == {"Warsaw"}


def test_options_of_the_last_hop_serve_where_the_question_has_none() -> None:
    (question,) = with_options(1, options=None, correct_option=None)
    last = question.sub_questions[-1].model_copy(
        update={"options": OPTIONS | {"D": " "}, "correct_option": "C"}
    )
    question = question.model_copy(update={"sub_questions": (*question.sub_questions[:-1], last)})
    rows = [sft_rows([question], seed)[0] for seed in range(20)]
    assert {row["output"] for row in rows} == {"C. London", "Warsaw"}
    assert not any("D. " in row["instruction"] for row in rows), "an empty option is shown"


@pytest.mark.parametrize(
    ("reply", "truth", "plain", "compat"),
    [
        ("<answer>C</answer>", "C", 1, 1),
        ("<answer>A</answer> no: <answer> (c) </answer>", "C", 1, 0),
        ("<answer>C. Paris</answer>", "C", 1, 1),
        ("<answer>Cat</answer>", "C", 0, 1),
        ("<answer>Cat</answer>", "D", 0, 0),
        ("I think it is A, or rather B.", "B", 1, 1),
        ("I think it is A dog.", "B", 0, 0),
        ("<answer></answer>", "B", 0, 0),
        ("<answer> London. </answer>", "london", 1, 1),
        ("<answer>The London</answer>", "London", 0, 0),
        ("London", "London", 0, 0),
        ("<answer>Paris</answer><ANSWER>London</ANSWER>", "London", 1, 1),
        ("", "A", 0, 0),
    ],
)
def test_rewards(reply: str, truth: str, plain: int, compat: int) -> None:
    assert reward(reply, truth) == plain
    assert reward_compat(reply, truth) == compat
    assert compute_score("omanic", reply, truth, {}) == plain


def test_a_split_takes_nothing_that_stands_in_another(tmp_path: Path) -> None:
    questions = small_questions()
    same_words = questions[3].model_copy(update={"id": "q-6", "split": "train"})
    same_facts = questions[3].model_copy(
        update={"id": "q-7", "split": "train", "question": "In other words?"}
    )
    path = tmp_path / "questions.jsonl"
    write_records(path, [*questions, same_words, same_facts])
    chosen = training_set(path, "train")
    assert [question.id for question in chosen.questions] == ["q-1", "q-2"]
    assert (chosen.repeated, chosen.unanswerable, chosen.sharing) == (2, 0, 2)
    tested = training_set(path, "test")
    assert [question.id for question in tested.questions] == ["q-3"]
    assert (tested.unanswerable, tested.repeated) == (1, 1)
    with pytest.raises(InputError, match=r"no question of the split 'dev', but of: test, train"):
        training_set(path, "dev")


def test_reranker_negatives_state_no_fact_of_the_question(tmp_path: Path) -> None:
    folder = write_small_dataset(tmp_path / "data")
    questions = [q for q in small_questions() if q.split == "train"]
    out = tmp_path / "triples.jsonl"
    counts = write_reranker_triples(folder / "corpus", questions, "train", BM25Retriever(), out)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert counts.rows == len(rows) == 3
    texts = {passage.title: passage for passage in small_passages()}
    for row in rows:
        assert set(row) == {"query", "pos", "neg"}
        assert 1 <= len(row["neg"]) <= 3
        assert not set(row["pos"]) & set(row["neg"])
        assert "author William" not in "".join(row["neg"])
        assert "place of birth Stratford" not in "".join(row["neg"])
    assert rows[0]["query"] == "What is the author of Hamlet?"
    assert rows[0]["pos"] == ["Hamlet\nHamlet author William Shakespeare."]
    assert rows[0]["neg"][0] == f"Theatre\n{texts['Theatre'].text}"
    whole = write_reranker_triples(
        folder / "corpus", questions, "train", BM25Retriever(), out, queries="questions"
    )
    assert whole.rows == 2
    second = json.loads(out.read_text().splitlines()[1])
    assert len(second["pos"]) == 2


def test_passages_without_known_facts_are_negatives_unless_they_name_an_answer(
    tmp_path: Path,
) -> None:
    folder = write_small_dataset(tmp_path / "data")
    path = folder / "corpus/corpus.jsonl"
    bare = [
        passage.model_copy(update={"metadata": passage.metadata.model_copy(update={"facts": ()})})
        for passage in small_passages()
    ]
    named = bare[-1].model_copy(update={"id": "p10", "text": "William Shakespeare: author Hamlet."})
    write_records(path, [*bare, named])
    questions = [q for q in small_questions() if q.id == "q-1"]
    out = tmp_path / "triples.jsonl"
    write_reranker_triples(folder / "corpus", questions, "train", BM25Retriever(), out)
    (row,) = map(json.loads, out.read_text().splitlines())
    assert row["neg"]
    assert not any("Shakespeare" in text for text in row["neg"])


def test_a_group_needs_a_negative(tmp_path: Path) -> None:
    folder = write_small_dataset(tmp_path / "data")
    with pytest.raises(ConfigError, match="a group of 1"):
        write_reranker_triples(
            folder / "corpus", [], "train", BM25Retriever(), tmp_path / "x", group_size=1
        )
    with pytest.raises(InputError, match="has no gold passage for these questions"):
        write_reranker_triples(folder / "corpus", [], "train", BM25Retriever(), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_the_commands(tmp_path: Path) -> None:
    folder = write_small_dataset(tmp_path / "data")
    for layout in ("sft", "rl", "reranker"):
        out = tmp_path / f"{layout}.json"
        arguments = ["training", layout, str(folder), "--out", str(out), "--json"]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        told = json.loads(result.stdout)
        first = out.read_bytes()
        assert told["rows"] == {"sft": 2, "rl": 2, "reranker": 3}[layout]
        CliRunner().invoke(main, arguments)
        assert out.read_bytes() == first, "the same seed gives other bytes"
    missing = CliRunner().invoke(
        main, ["training", "sft", str(folder), "--split", "dev", "--out", str(tmp_path / "no")]
    )
    assert missing.exit_code == 1
    assert "has no question of the split 'dev'" in missing.stderr
    assert not (tmp_path / "no").exists()

"""Counting words and the tokens of a Hugging Face tokenizer; chunks keep to either."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.errors import ConfigError, MissingExtraError
from factchain.retrieval_corpus.build import build_corpus
from factchain.retrieval_corpus.formats import read_corpus
from factchain.retrieval_corpus.settings import CorpusSettings
from factchain.retrieval_corpus.tokenizers import TextColumn, Words, load_tokenizer

StoreMaker = Callable[..., duckdb.DuckDBPyConnection]
LINES = st.lists(st.text(min_size=1, max_size=9).map(lambda t: f"x {t.replace(' ', '_')}\n"))


@given(LINES.filter(bool), st.integers(0, 3))
def test_a_column_gives_its_texts_back(lines: list[str], skip: int) -> None:
    column = TextColumn(pa.array(lines, pa.string()).slice(skip))
    assert column.texts() == lines[skip:]
    if lines[skip:]:
        assert Words().count(column).tolist() == [2] * len(lines[skip:])


def test_words_are_counted_by_line() -> None:
    column = TextColumn(pa.array(["a b c.\n", "d\n", "eé ü\n"]))
    assert Words().count(column).tolist() == [3, 1, 2]
    assert Words().count_text("As of 2024:\n") == 3


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A byte-pair tokenizer, trained on the spot, that would cut texts off at 8 tokens."""
    tokenizers = pytest.importorskip("tokenizers")
    from tokenizers import models, pre_tokenizers, processors, trainers

    made = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["[UNK]", "[CLS]"])
    made.train_from_iterator(["Entity property value", "As of 2024-06-05:"] * 5, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", made.token_to_id("[CLS]"))]
    )
    made.enable_truncation(8)
    path = tmp_path / "model" / "tokenizer.json"
    path.parent.mkdir()
    made.save(str(path))
    return path


def test_chunks_keep_to_the_tokens_of_a_model(
    trained: Path, make_store: StoreMaker, tmp_path: Path
) -> None:
    tokenizer = load_tokenizer(str(trained.parent))
    assert tokenizer.count_text("Entity property value " * 9) > 8
    lines = ["Entity property\n", "value\n"]
    counted = tokenizer.count(TextColumn(pa.array(lines))).tolist()
    assert counted == [
        max(tokenizer.count_text(line), tokenizer.count_text(f"\n{line[:-1]}")) for line in lines
    ]
    store = make_store(
        {n: f"Entity {n}" for n in range(1, 40)},
        {5: "property"},
        [(1, 5, n, ("2021-06-21", "2024-06-05")) for n in range(2, 39)],
    )
    sizes = {}
    for name in ("words", str(trained)):
        build_corpus(store, [], tmp_path / "out", CorpusSettings(tokenizer=name, max_tokens=60))
        passages = read_corpus(tmp_path / "out").values()
        sizes[name] = [
            load_tokenizer(name).count_text(p.title) + load_tokenizer(name).count_text(p.text)
            for p in passages
        ]
        assert max(sizes[name]) <= 60
        assert sum(len(p.metadata.facts) for p in passages) == 37
    assert len(sizes[str(trained)]) > len(sizes["words"])


def test_no_tokenizer_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tokenizers")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(ConfigError, match=r"broken\.json: no tokenizer could be loaded"):
        load_tokenizer(str(tmp_path / "broken.json"))
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'factchain\[dense\]'"):
        load_tokenizer("some/model")

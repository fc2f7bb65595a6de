"""The stages on a Ray cluster make the store and the chains that local processes make."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from conftest import claim, item, item_snak, property_entity
from factchain.cli import main
from factchain.kg.dumps.chunks import ChunkReader
from factchain.kg.extraction.run import _batches
from factchain.kg.linking.index import build_index
from factchain.kg.store import Store
from factchain.parallel import RAY_ADDRESS

ray = pytest.importorskip("ray", reason="the extra ray is not installed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Tip:FutureWarning"),
]

PEOPLE = range(100, 160)
TOWNS = range(1, 10)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dump, passages, triples in words and an index; the current folder, for relative paths."""
    entities = [
        property_entity("P19", "place of birth"),
        property_entity("P17", "country"),
        item("Q300", "Land"),
        *(item(f"Q{n}", f"Town{n}", [claim(item_snak("P17", "Q300"))]) for n in TOWNS),
        *(item(f"Q{n}", f"Person{n}", [claim(item_snak("P19", f"Q{n % 9 + 1}"))]) for n in PEOPLE),
    ]
    lines = ",\n".join(map(json.dumps, entities))
    (tmp_path / "dump.json.gz").write_bytes(gzip.compress(f"[\n{lines}\n]\n".encode()))
    passages, triples = [], []
    for n in PEOPLE:
        person, town = f"Person{n}", f"Town{n % 9 + 1}"
        text = f"{person} was born in {town}."
        passages.append({"id": f"p{n}", "title": person, "entity": f"Q{n}", "text": text})
        triples.append({"passage": f"p{n}", "head": person, "relation": "place of birth"})
        triples[-1]["tail"] = town if n % 2 else "Nowhere"
    for name, rows in (("passages", passages), ("triples", triples)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text)
    make_wiki(tmp_path / "wiki", {int(e["id"][1:]): e["labels"]["en"]["value"] for e in entities})
    build_index(tmp_path / "wiki", tmp_path / "index.db")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make_wiki(folder: Path, pages: dict[int, str]) -> None:
    folder.mkdir()
    rows = {
        "page": [f"({n},0,'{title}')" for n, title in pages.items()],
        "page_props": [f"({n},'wikibase_item','Q{n}',NULL)" for n in pages],
        "redirect": [],
    }
    for table, values in rows.items():
        text = f"INSERT INTO `{table}` VALUES {','.join(values)};\n" if values else "\n"
        (folder / f"wiki-1-{table}.sql.gz").write_bytes(gzip.compress(text.encode()))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two machines whose current folder is another one than this program's."""
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 1, "object_store_memory": 100_000_000}
    made = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    try:
        made.add_node(**small)
        made.wait_for_nodes()
        monkeypatch.setenv(RAY_ADDRESS, made.address)
        yield
    finally:
        made.shutdown()


def call(*arguments: object) -> None:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output


@pytest.mark.usefixtures("cluster")
def test_the_stages_on_ray(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Small shards, so that there are several.
    monkeypatch.setattr(
        "factchain.kg.dumps.ingest.ChunkReader", lambda *args: ChunkReader(*args[:3], 5_000)
    )
    monkeypatch.setattr(
        "factchain.kg.extraction.run._batches", lambda passages, _: _batches(passages, 500)
    )
    monkeypatch.setattr("factchain.kg.linking.link.SPANS_A_SHARD", 20)
    for engine in ("local", "ray"):
        kg = Path(f"{engine}.duckdb")
        shared = ("--kg", kg, "--engine", engine, "--quiet")
        call("kg", "ingest", "dump.json.gz", "--snapshot", "now", "--date", "2024-06-05", *shared)
        call("kg", "extract", "passages.jsonl", "--out", f"{engine}-found", *shared)
        call("kg", "link", "triples.jsonl", "--index", "index.db", *shared)
        call("kg", "popularity", "--kg", kg, "--unpopular", "1-1", "--popular", 2)
        drawn = ("--axis", "none", "--topology", "chain", "--hops", "2", "--out", f"{engine}.jsonl")
        call("chains", "sample", *drawn, "--per-answer", 20, "--per-property-sequence", 20, *shared)
    assert not ray.is_initialized()
    with Store.open(Path("local.duckdb")) as local, Store.open(Path("ray.duckdb")) as on_ray:
        wanted = local.dump()
        assert on_ray.dump() == wanted
    assert len(wanted["fact"]) == len(PEOPLE) + len(TOWNS)
    chains = Path("local.jsonl").read_bytes()
    assert Path("ray.jsonl").read_bytes() == chains
    assert len(chains.splitlines()) == 10
    extractors = {row[2] for row in wanted["mention"]}
    assert extractors == {"cooccurrence", "rebel"}
    found = {
        engine: {path.name: path.read_bytes() for path in Path(f"{engine}-found").iterdir()}
        for engine in ("local", "ray")
    }
    assert found["ray"] == found["local"]
    assert sum(name.startswith("text-") for name in found["ray"]) > 2
    kept = {path.name for path in project.iterdir()}
    assert not any(name.startswith(".") or name.endswith(".ingest") for name in kept)

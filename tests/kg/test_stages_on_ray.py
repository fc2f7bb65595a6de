"""The stages on a Ray cluster make the store and the chains that local processes make."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import claim, item, item_snak, property_entity
from factchain.cli import main
from factchain.kg.dumps.chunks import ChunkReader
from factchain.kg.linking.index import build_index
from factchain.kg.store import Store
from factchain.kg.text.passages import corpus_blocks
from factchain.parallel import RAY_ADDRESS, map_shards

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


SMALL = {"num_cpus": 1, "object_store_memory": 100_000_000}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two machines whose current folder is another one than this program's."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={**SMALL, "include_dashboard": False})
    try:
        made.add_node(**SMALL)
        made.wait_for_nodes()
        monkeypatch.setenv(RAY_ADDRESS, made.address)
        yield made
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
        "factchain.kg.extraction.run.corpus_blocks", lambda path, _: corpus_blocks(path, 1_000)
    )
    monkeypatch.setattr("factchain.kg.linking.link.SPANS_A_SHARD", 20)
    monkeypatch.setattr("factchain.kg.triples.lines.BLOCK", 500)
    rows = (f"/m/{n}\t/p\t/m/{n * 7 % 60}\n" for n in PEOPLE)
    Path("graph.tsv").write_text("s\tp\to\n" + "".join(rows))
    for engine in ("local", "ray"):
        kg = Path(f"{engine}.duckdb")
        shared = ("--kg", kg, "--engine", engine, "--quiet")
        call("kg", "ingest", "dump.json.gz", "--snapshot", "now", "--date", "2024-06-05", *shared)
        dated = ("--snapshot", "now", "--date", "2024-06-05", "--engine", engine, "--quiet")
        call("kg", "add-triples", "graph.tsv", "--kg", f"{engine}-graph.duckdb", *dated)
        call("kg", "extract", "passages.jsonl", "--out", f"{engine}-found", *shared)
        call("kg", "link", "triples.jsonl", "--index", "index.db", *shared)
        call("kg", "popularity", "--kg", kg, "--unpopular", "1-1", "--popular", 2)
        drawn = ("--axis", "none", "--topology", "chain", "--hops", "2", "--out", f"{engine}.jsonl")
        call("chains", "sample", *drawn, "--per-answer", 20, "--per-property-sequence", 20, *shared)
    assert not ray.is_initialized()
    with Store.open(Path("local.duckdb")) as local, Store.open(Path("ray.duckdb")) as on_ray:
        wanted = local.dump()
        assert on_ray.dump() == wanted
    graphs = []
    for engine in ("local", "ray"):
        with Store.open(Path(f"{engine}-graph.duckdb")) as store:
            graphs.append(store.dump())
    assert graphs[0] == graphs[1]
    assert len(graphs[0]["fact"]) == len(PEOPLE)
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
    assert not any(name.startswith(".") or name.endswith((".ingest", ".triples")) for name in kept)


CONFIG = """
snapshots: [{dump: dump.json.gz, date: 2024-06-05}]
passages: passages.jsonl
popularity: {unpopular_max: 1, popular_min: 2}
chains: {axes: [popularity], topologies: [chain], hops: [1, 2], property_share: 1.0}
eval: {tasks: [parametric]}
"""


def test_a_build_on_ray_whose_machines_die(
    project: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A further machine dies while the dump is read, and another one while the text is."""
    died: list[str] = []

    def dying(stage: str) -> Callable[..., Iterator[Any]]:
        def shards_of(*arguments: Any, **more: Any) -> Iterator[Any]:
            machine = cluster.add_node(**SMALL) if "ray" in arguments else None
            cluster.wait_for_nodes()
            for number, result in enumerate(map_shards(*arguments, **more)):
                if machine and number == 1:
                    cluster.remove_node(machine, allow_graceful=False)
                    died.append(stage)
                yield result

        return shards_of

    for stage in ("dumps.ingest", "extraction.run"):
        monkeypatch.setattr(f"factchain.kg.{stage}.map_shards", dying(stage))
    monkeypatch.setattr(
        "factchain.kg.dumps.ingest.ChunkReader", lambda *args: ChunkReader(*args[:3], 5_000)
    )
    monkeypatch.setattr(
        "factchain.kg.extraction.run.corpus_blocks", lambda path, _: corpus_blocks(path, 1_000)
    )
    Path("config.yaml").write_text(CONFIG)
    for engine in ("local", "ray"):
        call("build", "config.yaml", "--out", engine, "--engine", engine, "--quiet")
    assert not ray.is_initialized()
    assert died == ["dumps.ingest", "extraction.run"]
    with Store.open(Path("local/kg.duckdb")) as local, Store.open(Path("ray/kg.duckdb")) as on_ray:
        wanted = local.dump()
        assert on_ray.dump() == wanted
    assert len(wanted["mention"]) == len(PEOPLE)

    def written(folder: str) -> dict[Path, bytes]:
        files = (path for path in Path(folder).rglob("*") if path.suffix in {".jsonl", ".tsv"})
        return {path.relative_to(folder): path.read_bytes() for path in files}

    on_local = written("local")
    assert {Path("chains.jsonl"), Path("questions.jsonl")} < set(on_local)
    assert on_local[Path("questions.jsonl")]
    assert written("ray") == on_local

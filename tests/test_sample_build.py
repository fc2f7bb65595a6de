"""The main job on the bundled sample: proved question by question, and the same every time."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import pyarrow.parquet as pq
import pytest
from qwikidata.entity import WikidataItem
from qwikidata.json_dump import WikidataJsonDump

from factchain.chains.build import sample_chains
from factchain.chains.records import FactChain
from factchain.chains.sampler import SampleSettings
from factchain.kg.store import Store
from factchain.pipeline import build
from factchain.questions.records import Question
from factchain.questions.verify import occurs
from factchain.records import read_records

pytestmark = pytest.mark.xdist_group("sample")

DATES = ("2021-06-21", "2024-06-05")
Edge = tuple[str, str, str]


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build with one worker."""
    out = tmp_path_factory.mktemp("one") / "out"
    build(None, out, seed=1, workers=1)
    return out


@pytest.fixture(scope="module")
def questions(one: Path) -> list[Question]:
    return list(read_records(one / "questions.jsonl", Question))


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def current_facts(dump: Path, date: str) -> Iterator[Edge]:
    """Truthy facts between entities that had not ended, read without factchain."""
    for entity in WikidataJsonDump(str(dump)):
        if entity["type"] != "item":
            continue
        for prop, claims in WikidataItem(entity).get_truthy_claim_groups().items():
            for claim in claims:
                snak = claim.mainsnak
                ends = [q.snak.datavalue.value["time"] for q in claim.qualifiers.get("P582", [])]
                ended = any(end.lstrip("+")[:10].replace("-00", "") <= date for end in ends)
                is_item = snak.snaktype == "value" and snak.snak_datatype == "wikibase-item"
                if is_item and not ended:
                    yield entity["id"], prop, snak.datavalue.value["id"]


@pytest.fixture(scope="module")
def graphs(one: Path) -> tuple[set[Edge], set[Edge]]:
    """The facts of the older and the newer snapshot."""
    older, newer = (
        set(current_facts(one / f"sample/wikidata-{date}.json.gz", date)) for date in DATES
    )
    return older, newer


def test_there_are_enough_questions_over_all_hops(questions: list[Question]) -> None:
    by_axis = Counter(question.axis for question in questions)
    assert by_axis["popularity"] >= 400
    assert by_axis["recency"] >= 300
    by_hops = Counter((question.axis, question.hops) for question in questions)
    assert all(by_hops[axis, hops] >= 30 for axis in by_axis for hops in (1, 2, 3, 4))
    patterns = {(question.axis, question.labels) for question in questions}
    assert sum(1 for axis, labels in patterns if axis == "popularity" and len(labels) == 4) >= 12
    assert sum(1 for axis, labels in patterns if axis == "recency" and len(labels) == 4) >= 8


def test_every_question_holds_by_an_independent_check(
    questions: list[Question], graphs: tuple[set[Edge], set[Edge]]
) -> None:
    older, newer = graphs
    joined = nx.Graph((s, o) for s, _, o in older | newer)
    objects: dict[tuple[str, str], set[str]] = defaultdict(set)
    for s, p, o in newer:
        objects[s, p].add(o)
    for question in questions:
        facts = [(fact.s, fact.p, fact.o) for sub in question.sub_questions for fact in sub.facts]
        assert len(facts) == question.hops
        nodes = [facts[0][0], *(o for _, _, o in facts)]
        assert all(a[2] == b[0] for a, b in pairwise(facts)), question.id
        assert len(set(nodes)) == len(nodes), question.id
        assert nodes[-1] == question.answer.id
        for s, p, o in facts:
            assert objects[s, p] == {o}, question.id
        for a in range(len(nodes)):
            for b in range(a + 2, len(nodes)):
                assert not joined.has_edge(nodes[a], nodes[b]), question.id
        if question.axis == "recency":
            for label, fact in zip(question.labels, facts, strict=True):
                assert label == ("old" if fact in older else "new"), question.id


def test_no_question_is_part_of_another(questions: list[Question]) -> None:
    for axis in ("popularity", "recency"):
        chains = [
            tuple((f.s, f.p, f.o) for sub in q.sub_questions for f in sub.facts)
            for q in questions
            if q.axis == axis
        ]
        parts = Counter(
            chain[begin:end]
            for chain in chains
            for begin in range(len(chain))
            for end in range(begin + 1, len(chain) + 1)
        )
        assert all(parts[chain] == 1 for chain in chains)


def test_popularity_labels_are_counts_of_passages(one: Path, questions: list[Question]) -> None:
    passages = json_lines(one / "sample/passages.jsonl")
    texts = [f"{p['title']}\n{p['text']}" for p in passages]
    for question in [q for q in questions if q.axis == "popularity"][::25]:
        for sub in question.sub_questions:
            (fact,) = sub.facts
            both = sum(1 for t in texts if fact.s_label in t and fact.o_label in t)
            assert fact.popularity is not None
            assert sub.label == ("unpopular" if fact.popularity == 1 else "popular")
            assert fact.popularity == 1 or fact.popularity >= 3
            assert both > 0 or sub.answer.aliases, question.id


def test_no_question_gives_anything_away(questions: list[Question]) -> None:
    for question in questions:
        for sub in question.sub_questions:
            for name in (sub.answer.label, *sub.answer.aliases):
                assert not occurs(name, question.question), question.question
        assert question.question.endswith("?")
        assert "  " not in question.question
        assert all(verdict.passed for verdict in question.provenance.verdicts)


def test_gold_passages_state_the_facts(one: Path, questions: list[Question]) -> None:
    passages = {passage["_id"]: passage for passage in json_lines(one / "corpus/corpus.jsonl")}
    gold: dict[tuple[str, int], list[str]] = defaultdict(list)
    for line in (one / "corpus/hop_qrels/test.tsv").read_text().splitlines()[1:]:
        query, hop, passage, _ = line.split("\t")
        gold[query, int(hop)].append(passage)
    for question in questions:
        for sub in question.sub_questions:
            (fact,) = sub.facts
            (passage_id,) = gold[question.id, sub.index]
            passage = passages[passage_id]
            assert f"{fact.s_label} {fact.p_label} {fact.o_label}." in passage["text"]
            assert passage["metadata"]["snapshot"] in (None, DATES[1])


def test_scores_rise_with_the_passages(one: Path) -> None:
    rows = pq.read_table(one / "eval/scores.parquet").to_pylist()
    means: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        assert row["error"] is None
        means[row["context"]].append(row["accuracy"])
    accuracy = {context: sum(v) / len(v) for context, v in means.items()}
    gold = accuracy.pop("gold")
    none = accuracy.pop("none")
    (retrieved,) = accuracy.values()
    assert none == 0
    assert 0.05 < retrieved < gold
    assert gold > 0.5


def plain_manifest(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    for stage in manifest["stages"].values():
        del stage["start"], stage["end"]
    return manifest


def test_the_number_of_workers_changes_nothing(
    one: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    two = tmp_path_factory.mktemp("two") / "out"
    build(None, two, seed=1, workers=2)
    files = {p.relative_to(one) for p in one.rglob("*") if p.is_file()}
    assert {p.relative_to(two) for p in two.rglob("*") if p.is_file()} - files == {
        p for p in {q.relative_to(two) for q in two.rglob("*.eval")} if p not in files
    }
    assert plain_manifest(one) == plain_manifest(two)
    compared = 0
    for file in files:
        if file.suffix in {".jsonl", ".tsv", ".html", ".yaml", ".parquet", ".gz"}:
            assert (one / file).read_bytes() == (two / file).read_bytes(), file
            compared += 1
    assert compared >= 11
    with Store.open(one / "kg.duckdb") as a, Store.open(two / "kg.duckdb") as b:
        tables = a.dump()
        assert len(tables) >= 9
        assert tables == b.dump()


def test_another_seed_gives_another_set(one: Path, tmp_path: Path) -> None:
    with Store.open(one / "kg.duckdb") as store:
        for seed in (1, 2):
            settings = SampleSettings("recency", (1, 2, 3, 4), 10, seed)
            sample_chains(store, [settings], tmp_path / f"{seed}.jsonl")
    first, second = (
        {chain.id for chain in read_records(tmp_path / f"{seed}.jsonl", FactChain)}
        for seed in (1, 2)
    )
    assert len(first & second) < len(first) / 2


def test_the_python_of_the_readme_runs(
    one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    (tmp_path / "demo").symlink_to(one)  # built already, so that every stage is done
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr()
    assert out.err.count("done already") == 7
    assert "SELECT ?x3 WHERE" in out.out

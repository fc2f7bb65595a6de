"""The main job on the bundled sample: proved question by question, and the same every time."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import pyarrow.parquet as pq
import pytest
import yaml
from qwikidata.entity import WikidataItem
from qwikidata.json_dump import WikidataJsonDump

from chain_oracle import reckons_wrong
from factchain.chains.build import sample_chains
from factchain.chains.records import ChainFact, EntityRef, FactChain
from factchain.chains.sampling.sampler import SampleSettings
from factchain.data.render import render_sample
from factchain.kg.store import Store
from factchain.pipeline import build
from factchain.questions.kinds.null_questions import made_up_names
from factchain.questions.leaks import occurs
from factchain.questions.records import Question
from factchain.records import read_records
from factchain.retrieval_corpus.evaluate import evaluate_retriever
from factchain.retrieval_corpus.retrievers.bm25 import BM25Retriever

pytestmark = pytest.mark.xdist_group("sample")

DATES = ("2021-06-21", "2024-06-05")
Edge = tuple[str, str, str]


def build_sample(folder: Path, workers: int) -> Path:
    """The job of `make demo`, with fewer questions asked; the sample itself lies beside it."""
    sample = render_sample(folder / "sample")
    config = yaml.safe_load(sample.config.read_text(encoding="utf-8"))
    config["eval"] |= {"limit": 30, "in_full": []}
    sample.config.write_text(yaml.safe_dump(config), encoding="utf-8")
    build(sample.config, folder / "out", seed=1, workers=workers)
    return folder / "out"


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build with one worker."""
    return build_sample(tmp_path_factory.mktemp("one"), workers=1)


@pytest.fixture(scope="module")
def questions(one: Path) -> list[Question]:
    return list(read_records(one / "questions.jsonl", Question))


@pytest.fixture(scope="module")
def chains(one: Path) -> list[FactChain]:
    return list(read_records(one / "chains.jsonl", FactChain))


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Graph(NamedTuple):
    """The truthy statements of a dump that had not ended, read without factchain."""

    edges: set[Edge]
    """Facts between entities."""
    values: Counter[tuple[str, str]]
    """How many known values an entity has for a property."""


def current_graph(dump: Path, date: str) -> Graph:
    edges: set[Edge] = set()
    values: Counter[tuple[str, str]] = Counter()
    for entity in WikidataJsonDump(str(dump)):
        if entity["type"] != "item":
            continue
        for prop, claims in WikidataItem(entity).get_truthy_claim_groups().items():
            for claim in claims:
                snak = claim.mainsnak
                ends = [q.snak.datavalue.value["time"] for q in claim.qualifiers.get("P582", [])]
                ended = any(end.lstrip("+")[:10].replace("-00", "") <= date for end in ends)
                if snak.snaktype != "value" or ended:
                    continue
                values[entity["id"], prop] += 1
                if snak.snak_datatype == "wikibase-item":
                    edges.add((entity["id"], prop, snak.datavalue.value["id"]))
    return Graph(edges, values)


@pytest.fixture(scope="module")
def graphs(one: Path) -> tuple[Graph, Graph]:
    """The older and the newer snapshot."""
    older, newer = (
        current_graph(one.parent / f"sample/wikidata-{date}.json.gz", date) for date in DATES
    )
    return older, newer


def entity_facts(facts: Iterable[ChainFact]) -> list[Edge]:
    return [(fact.s, fact.p, fact.o) for fact in facts if fact.o]


def test_there_are_enough_questions_over_all_hops(questions: list[Question]) -> None:
    by_axis = Counter(question.axis for question in questions)
    assert by_axis["popularity"] >= 400
    assert by_axis["recency"] >= 350
    by_hops = Counter((question.axis, question.hops) for question in questions)
    assert all(by_hops[axis, hops] >= 14 for axis in by_axis for hops in (1, 2, 3, 4))
    by_topology = Counter((question.axis, question.topology) for question in questions)
    assert all(
        by_topology[axis, topology] >= 50
        for axis in by_axis
        for topology in ("chain", "bridge", "converging")
    )
    patterns = {(question.axis, question.labels) for question in questions}
    assert sum(1 for axis, labels in patterns if axis == "popularity" and len(labels) == 4) >= 12
    assert sum(1 for axis, labels in patterns if axis == "recency" and len(labels) == 4) >= 10
    kinds = Counter(kind for question in questions for kind in question.kinds)
    assert all(kinds[kind] >= 30 for kind in ("lookup", "intersect", "arithmetic", "compare"))
    assert kinds["count"] >= 10


def test_every_chain_holds_by_an_independent_check(
    chains: list[FactChain], graphs: tuple[Graph, Graph]
) -> None:
    older, newer = graphs
    joined = nx.Graph((s, o) for s, _, o in older.edges | newer.edges)
    objects: dict[tuple[str, str], set[str]] = defaultdict(set)
    subjects: dict[tuple[str, str], set[str]] = defaultdict(set)
    for s, p, o in newer.edges:
        objects[s, p].add(o)
        subjects[p, o].add(s)
    for chain in chains:
        nodes = set(chain.topics)
        linked = set()
        for hop in chain.hops:
            edges = entity_facts(hop.facts)
            assert set(edges) <= newer.edges, chain.id
            linked |= {frozenset((s, o)) for s, _, o in edges}
            if isinstance(hop.answer, EntityRef):
                nodes.add(hop.answer.id)
            if hop.kind == "lookup":
                (fact,) = hop.facts
                assert newer.values[fact.s, fact.p] == 1, chain.id
            if hop.kind == "intersect":
                held = [fact for fact in hop.facts if fact.o]
                if all(fact.s == hop.answer.key for fact in hop.facts):
                    found = set.intersection(*(subjects[f.p, f.o or ""] for f in held))
                else:
                    found = set.intersection(*(objects[f.s, f.p] for f in held))
                exact = len(held) == len(hop.facts)
                assert (found == {hop.answer.key}) if exact else (hop.answer.key in found)
            if hop.kind == "count":
                ((s, p),) = {(fact.s, fact.p) for fact in hop.facts}
                assert hop.answer.key == str(len(hop.facts)) == str(newer.values[s, p])
            if chain.axis == "recency" and edges and len(edges) == len(hop.facts):
                new = any(edge not in older.edges for edge in edges)
                assert hop.label == ("new" if new else "old"), chain.id
        assert not reckons_wrong(chain), chain.id
        for a, b in combinations(sorted(nodes), 2):
            assert frozenset((a, b)) in linked or not joined.has_edge(a, b), chain.id
        answers = [
            hop.answer.key
            for hop in chain.hops
            if isinstance(hop.answer, EntityRef) and hop.kind != "compare"
        ]
        assert len({*chain.topics, *answers}) == len(chain.topics) + len(answers), chain.id


def test_no_chain_of_lookups_is_part_of_another(chains: list[FactChain]) -> None:
    for axis in ("popularity", "recency"):
        paths = [
            tuple(fact.key for hop in chain.hops for fact in hop.facts)
            for chain in chains
            if chain.axis == axis and all(hop.kind == "lookup" for hop in chain.hops)
        ]
        parts = Counter(
            path[begin:end]
            for path in paths
            for begin in range(len(path))
            for end in range(begin + 1, len(path) + 1)
        )
        assert all(parts[path] == 1 for path in paths)


def test_popularity_labels_are_counts_of_passages(one: Path, questions: list[Question]) -> None:
    passages = json_lines(one.parent / "sample/passages.jsonl")
    texts = [f"{p['title']}\n{p['text']}" for p in passages]
    for question in [q for q in questions if q.axis == "popularity"][::25]:
        for sub in question.sub_questions:
            if sub.label is None:
                continue
            counts = [fact.popularity or 0 for fact in sub.facts]
            assert all(count == 1 or count >= 3 for count in counts)
            assert sub.label == ("unpopular" if min(counts) == 1 else "popular")
            (fact, *_) = sub.facts
            both = sum(1 for t in texts if fact.s_label in t and fact.o_label in t)
            assert both > 0 or sub.answer.aliases, question.id


def test_no_question_gives_anything_away(questions: list[Question]) -> None:
    for question in (q for q in questions if q.type != "null"):
        (leak,) = [v for v in question.provenance.verdicts if v.check == "leak"]
        offers = any(sub.kind == "compare" for sub in question.sub_questions)
        for sub in question.sub_questions:
            if sub.answer.id is None or offers:
                continue
            for name in sub.answer.names:
                excused = name in leak.evidence
                assert excused or not occurs(name, question.question), question.question
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
            if sub.index in question.withheld:
                assert not gold[question.id, sub.index]
                continue
            found = [passages[passage] for passage in gold[question.id, sub.index]]
            assert len(found) <= len(sub.facts)
            for fact in sub.facts:
                said = f"{fact.s_label} {fact.p_label} {fact.o_label}."
                assert any(said in passage["text"] for passage in found), said
            assert {p["metadata"]["snapshot"] for p in found} <= {None, DATES[1]}


def test_recall_falls_with_hops(one: Path, questions: list[Question]) -> None:
    scores = evaluate_retriever(BM25Retriever(), one / "corpus", questions, [5])
    of_hops = defaultdict(list)
    for score in scores:
        if score.by == "hops":
            of_hops[score.group].append(score)
    assert list(of_hops) == ["1", "2", "3", "4"]
    recall = [
        sum(score.recall * score.questions for score in group)
        / sum(score.questions for score in group)
        for group in of_hops.values()
    ]
    assert recall == sorted(recall, reverse=True)
    for axis in ("popularity", "recency"):
        # Of two hops an axis has some 20 questions, whose mean may lie below that of three.
        by_hops = [s.recall for s in scores if (s.axis, s.by) == (axis, "hops")]
        one_hop, two_hops, three_hops, four_hops = by_hops
        assert one_hop > 1.5 * max(two_hops, three_hops)
        assert four_hops < min(two_hops, three_hops)


def test_what_is_withheld_is_nowhere(one: Path, questions: list[Question]) -> None:
    hidden = [question for question in questions if not question.answerable]
    assert Counter(len(q.withheld) for q in hidden if q.full_answer).keys() == {1, 2}
    assert sum(question.type == "null" for question in hidden) >= 30
    facts = {
        f.key for q in hidden for s in q.sub_questions if s.index in q.withheld for f in s.facts
    }
    needed = {
        fact.key
        for question in questions
        for sub in question.sub_questions
        if sub.index not in question.withheld
        for fact in sub.facts
    }
    assert len(facts) >= 60
    assert not facts & needed
    texts = []
    for passage in json_lines(one / "corpus/corpus.jsonl"):
        texts.append(f"{passage['title']}\n{passage['text']}")
        told = {tuple(fact) for fact in passage["metadata"]["facts"]}
        assert not told & facts
        assert not {(o, s) for s, _, o in told} & {(s, o) for s, _, o in facts}
    every = "\n".join(texts)
    for question in hidden:
        assert not any(name in every for name in made_up_names(question))
        assert question.provenance.verdicts[-1].check == "not retrieved"


def test_every_type_of_question_is_there(questions: list[Question]) -> None:
    types = Counter((question.axis, question.type) for question in questions)
    assert all(
        types[axis, one] >= 7
        for axis in ("popularity", "recency")
        for one in ("comparison", "temporal", "inference", "null")
    )
    facts = Counter(
        len(q.sub_questions[0].facts) for q in questions if q.type == "inference" and q.hops == 1
    )
    assert set(facts) >= {2, 3}


def test_scores_rise_with_the_passages(one: Path) -> None:
    table = pq.read_table(one / "eval/scores.parquet").to_pylist()
    rows = [
        row
        for row in table
        if row["model"] == "factchain/lexical"  # floors stand beside it
        and row["task"] in ("parametric", "retrieval")
        and row["mode"] == "open"
    ]
    means: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        assert row["error"] is None
        means[row["context"]].append(row["accuracy"])
    accuracy = {context: sum(v) / len(v) for context, v in means.items()}
    gold = accuracy.pop("gold")
    none = accuracy.pop("none")
    (retrieved,) = accuracy.values()
    assert none < 0.1  # yes or no can be guessed
    assert none < retrieved < gold
    assert gold > 0.5


def plain_manifest(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    for stage in manifest["stages"].values():
        del stage["start"], stage["end"]
    return manifest


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(
    one: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    two = build_sample(tmp_path_factory.mktemp("two"), workers=2)
    # With several workers every task has a folder of logs of its own; logs carry times.
    files, others = (
        {p.relative_to(out) for p in out.rglob("*") if p.is_file() and "logs" not in p.parts}
        for out in (one, two)
    )
    assert files == others
    assert plain_manifest(one) == plain_manifest(two)
    compared = 0
    for file in files:
        if file.suffix in {".jsonl", ".tsv", ".html", ".yaml", ".parquet", ".gz"}:
            assert (one / file).read_bytes() == (two / file).read_bytes(), file
            compared += 1
    assert compared >= 10
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
    config = one.parent / "sample" / "config.yaml"
    assert "build(None," in code
    code = code.replace("build(None,", f"build(Path({str(config)!r}),")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr()
    assert out.err.count("done already") == 8
    assert "SELECT" in out.out

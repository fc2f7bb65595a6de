"""Comparisons, orders in time and inferences between topic entities."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

from factchain.chains.build import sample_chains
from factchain.chains.drafts import Draft
from factchain.chains.kinds.described import SIZES, Described
from factchain.chains.kinds.pairs import FAR_FACTOR, FAR_YEARS
from factchain.chains.kinds.types import ChainType, type_of
from factchain.chains.proof.constraints import violations_of
from factchain.chains.proof.execute import execute
from factchain.chains.proof.rules import Rules
from factchain.chains.records import EntityRef, FactChain, HopKind, Operator, TypedValue
from factchain.chains.settings import NO_CAPS, SampleSettings
from factchain.cli import main
from factchain.config import ChainsConfig
from factchain.kg.store import Store
from factchain.records import read_records
from small_graphs import Fact as SmallFact
from small_graphs import SmallGraph, planted_graph, random_graph
from store_copies import copy_store
from typed_worlds import DAY, LENGTH, YEAR, Fact, World, open_store

TYPES: tuple[ChainType, ...] = ("comparison", "temporal", "inference")


@pytest.mark.parametrize(
    ("kind", "operator", "expected"),
    [
        ("lookup", None, "chain"),
        ("count", "count", "chain"),
        ("arithmetic", "years_between", "chain"),
        ("intersect", None, "inference"),
        ("compare", "earliest", "temporal"),
        ("compare", "before", "temporal"),
        ("compare", "largest", "comparison"),
        ("compare", "same", "comparison"),
    ],
)
def test_the_last_hop_says_the_type(
    kind: HopKind, operator: Operator | None, expected: ChainType
) -> None:
    assert type_of(kind, operator) == expected


def described_by_definition(small: SmallGraph, label: str) -> dict[int, set[frozenset[object]]]:
    """Every set of facts that describes one entity, each fact needed, tested one by one."""
    joined = nx.Graph([(s, o) for s, _, o in [*small.facts, *small.gone]])
    found: dict[int, set[frozenset[object]]] = {size: set() for size in SIZES}
    entities = {entity for s, _, o in small.facts for entity in (s, o)}
    for answer_at, answer, size in itertools.product((0, 2), entities, SIZES):
        own = [fact for fact in small.facts if fact[answer_at] == answer]
        met = {
            fact: {f[answer_at] for f in small.facts if _same_condition(f, fact, answer_at)}
            for fact in own
        }
        for facts in combinations(own, size):
            topics = [fact[2 - answer_at] for fact in facts]
            new = any(small.facts[fact] == "new" for fact in facts)
            if (
                set.intersection(*(met[fact] for fact in facts)) == {answer}
                and all(
                    len(set.intersection(*(met[fact] for fact in fewer))) > 1
                    for fewer in combinations(facts, size - 1)
                )
                and len({answer, *topics}) == size + 1
                and not any(joined.has_edge(a, b) for a, b in combinations(topics, 2))
                and label == ("new" if new else "old")
            ):
                found[size].add(frozenset(facts))
    return found


def _same_condition(a: SmallFact, b: SmallFact, answer_at: int) -> bool:
    return a[1] == b[1] and a[2 - answer_at] == b[2 - answer_at]


def star(size: int) -> nx.DiGraph[int]:
    """A hop with so many inputs."""
    return nx.DiGraph([(hop, size + 1) for hop in range(1, size + 1)])


def small_graph(seed: int) -> SmallGraph:
    if seed % 4 == 3:
        return random_graph(seed, 8, 22, 2)
    return planted_graph(seed, star(2 + seed % 4), noise=6)


@pytest.mark.parametrize("seed", range(12))
def test_inferences_are_those_of_the_definition(seed: int) -> None:
    small = small_graph(seed)
    settings = SampleSettings("recency", (1,), 5, seed, types=("inference",))
    described = Described(small.index(), settings)
    for code, label in enumerate(("old", "new")):
        expected = described_by_definition(small, label)
        found: dict[int, set[frozenset[object]]] = {size: set() for size in SIZES}
        available: Counter[int] = Counter()
        for forward in (False, True):
            kept = list(described._draw(code, forward, 10_000, Counter()))
            for size, one in zip(SIZES, kept, strict=True):
                assert one.exact
                available[size] += one.available
                found[size] |= {facts_of(draft) for draft in one.drafts}
                assert all(draft.pattern == (label,) for draft in one.drafts)
        assert dict(available) == {size: len(sets) for size, sets in expected.items()}
        for size in SIZES:
            assert found[size] <= expected[size]
            # One for each entity that has any.
            assert bool(found[size]) == bool(expected[size])


def facts_of(draft: Draft) -> frozenset[object]:
    return frozenset((fact.s, fact.p, fact.o) for fact in draft.facts)


def test_the_random_graphs_hold_inferences_of_all_sizes() -> None:
    sizes = Counter(
        size
        for seed in range(12)
        for label in ("old", "new")
        for size, sets in described_by_definition(small_graph(seed), label).items()
        if sets
    )
    assert all(sizes[size] for size in SIZES)


def people(count: int) -> World:
    """People with dates and heights, born in places; cities of another class with dates."""
    facts = []
    classes = {}
    rng = np.random.default_rng(5)
    for n in range(1, count + 1):
        q = f"Q{n}"
        classes[q] = ("Q5",) if n % 4 else ("Q515",)
        born = f"{1700 + int(rng.integers(300))}-{1 + n % 12:02d}-{1 + n % 28:02d}"
        facts += [
            Fact(q, DAY, born),
            Fact(q, LENGTH, str(int(rng.integers(1, 60)))),
            Fact(q, YEAR, str(1900 + int(rng.integers(12)))),
            Fact(q, "P1", f"Q{1000 + int(rng.integers(10))}"),
            Fact(q, "P2", f"Q{2000 + int(rng.integers(10))}"),
            Fact(q, "P3", f"Q{3000 + int(rng.integers(5))}"),
        ]
    return World(
        new=tuple(facts),
        old=tuple(fact for at, fact in enumerate(facts) if at % 5 < 3),
        classes=classes,
    )


@pytest.fixture(scope="module")
def store() -> Store:
    return open_store(people(120))


def drawn(store: Store, out: Path, seed: int = 1, **settings: object) -> list[FactChain]:
    asked = SampleSettings("recency", (1,), 24, seed, caps=NO_CAPS, types=TYPES, **settings)  # type: ignore[arg-type]
    sample_chains(store, [asked], out)
    return list(read_records(out, FactChain))


@pytest.fixture(scope="module")
def chains(store: Store, tmp_path_factory: pytest.TempPathFactory) -> list[FactChain]:
    return drawn(store, tmp_path_factory.mktemp("kinds") / "chains.jsonl")


def type_in(chain: FactChain) -> ChainType:
    last = chain.hops[-1]
    return type_of(last.kind, last.operation.operator if last.operation else None)


def test_every_type_fills_its_strata(chains: list[FactChain]) -> None:
    strata = Counter((type_in(chain), chain.labels) for chain in chains)
    assert all(
        strata[one, (label,)] == 24
        for one in ("comparison", "temporal")
        for label in ("old", "new")
    )
    assert min(strata["inference", (label,)] for label in ("old", "new")) >= 8
    operators = Counter(c.hops[0].operation.operator for c in chains if c.hops[0].operation)
    for one in ("earliest", "latest", "before", "after", "smallest", "largest", "less", "more"):
        assert operators[one] >= 2, operators  # type: ignore[index]
    facts = Counter(len(c.hops[0].facts) for c in chains if type_in(c) == "inference")
    assert set(facts) >= {2, 3}


def test_no_constraint_is_violated_and_execution_agrees(
    store: Store, chains: list[FactChain]
) -> None:
    assert violations_of(chains, store, Rules()) == [{}] * len(chains)
    for chain, results in zip(chains, execute(store, chains), strict=True):
        assert results[1].keys == {chain.answer}, chain.id
        assert len(chain.topics) == len(chain.hops[0].facts) >= 2
        assert chain.query.sparql.startswith("SELECT ?x1 WHERE")


def test_compared_entities_are_comparable(chains: list[FactChain]) -> None:
    classes = people(120).classes
    verdicts: Counter[tuple[str, str]] = Counter()
    for hop in (chain.hops[0] for chain in chains if chain.hops[0].kind == "compare"):
        a, b = hop.facts
        assert a.p == b.p
        assert a.s != b.s
        assert classes[a.s] == classes[b.s]
        assert hop.operation is not None
        if isinstance(hop.answer, TypedValue):
            verdicts[hop.operation.operator, hop.answer.value] += 1
        else:
            assert hop.answer.id in hop.topics
        if a.value and b.value and a.value.datatype == "quantity":
            low, high = sorted((float(a.value.value), float(b.value.value)))
            assert high <= FAR_FACTOR * low
        elif a.value and b.value:
            years = [int(value.value[:4]) for value in (a.value, b.value)]
            assert abs(years[0] - years[1]) <= FAR_YEARS
    assert min(verdicts["same", answer] for answer in ("yes", "no")) >= 10


def test_the_seed_decides(store: Store, chains: list[FactChain], tmp_path: Path) -> None:
    again = drawn(store, tmp_path / "again.jsonl")
    assert again == chains
    other = drawn(store, tmp_path / "other.jsonl", seed=2)
    assert len({c.id for c in other} & {c.id for c in chains}) < len(chains) / 2


def test_a_type_without_candidates_is_told(tmp_path: Path) -> None:
    world = World(new=(Fact("Q1", "P1", "Q2"), Fact("Q3", "P2", "Q4")))
    with open_store(world) as store:
        asked = SampleSettings("none", (1,), 3, 1, types=("temporal", "inference"))
        (summary,) = sample_chains(store, [asked], tmp_path / "none.jsonl")
    assert [(row["content"], row["wanted"], row["taken"]) for row in summary.strata] == [
        ("inference", 3, 0),
        ("temporal", 3, 0),
    ]
    assert (tmp_path / "none.jsonl").read_text() == ""


def test_an_inference_starts_at_distinct_topics(chains: list[FactChain]) -> None:
    for chain in chains:
        if type_in(chain) == "inference":
            answer = chain.hops[0].answer
            assert isinstance(answer, EntityRef)
            assert len({*chain.topics, answer.id}) == len(chain.topics) + 1


def test_the_command_line(store: Store, tmp_path: Path) -> None:
    kg = tmp_path / "kg.duckdb"
    copy_store(store, kg).close()
    out = tmp_path / "chains.jsonl"
    arguments = ["--kg", kg, "--axis", "none", "--per-stratum", "5", "--out", out, "--json"]
    result = CliRunner().invoke(
        main, ["chains", "sample", *map(str, arguments), "--type", "temporal"]
    )
    assert result.exit_code == 0, result.output
    assert {row["content"] for row in json.loads(result.stdout)["strata"]} == {"temporal"}
    assert {type_in(chain) for chain in read_records(out, FactChain)} == {"temporal"}


def test_no_type_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="types: none is named"):
        ChainsConfig(types=())

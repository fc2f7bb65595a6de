"""Splits: nothing of a kind is shared, and every chain is in one of them."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factchain.chains.records import ChainFact, EntityRef, FactChain, Hop, Query, TypedValue
from factchain.chains.splits import KINDS, SPLITS, Splitting, components, split_chains, split_file
from factchain.errors import ConfigError, InputError
from factchain.records import write_records

RATIOS = (0.6, 0.2, 0.2)


def chain(number: int, *path: str) -> FactChain:
    """A chain along entities; its properties are those of the hops' numbers."""
    hops = []
    for index, (s, o) in enumerate(pairwise(path), start=1):
        fact = ChainFact(s=s, s_label=s, p=f"P{index}", p_label="p", o=o, o_label=o)
        hops.append(
            Hop(
                index=index,
                kind="lookup",
                inputs=(index - 1,) if index > 1 else (),
                topics=() if index > 1 else (s,),
                answer=EntityRef(id=o, label=o),
                facts=(fact,),
            )
        )
    return FactChain(
        id=f"c-{number}",
        axis="none",
        topology="chain",
        topics=(path[0],),
        answer=path[-1],
        hops=tuple(hops),
        query=Query(sparql=""),
        snapshot="now",
        seed=1,
    )


def apart(count: int) -> list[FactChain]:
    """Chains that share nothing but properties, of one and of two hops."""
    return [
        chain(n, *(f"Q{10 * n + step}" for step in range(1, 3 + n % 2)))
        for n in range(1, count + 1)
    ]


entities = st.integers(1, 60).map("Q{}".format)
paths = st.lists(st.lists(entities, min_size=2, max_size=4, unique=True), min_size=3, max_size=40)


@given(
    paths=paths,
    disjoint=st.sampled_from(["facts", "answers", "topics"]),
    seed=st.integers(0, 9),
    ratios=st.sampled_from([(0.8, 0.1, 0.1), RATIOS, (0.5, 0.0, 0.5)]),
)
@settings(max_examples=150)
def test_every_chain_is_in_one_split_and_nothing_is_shared(
    paths: list[list[str]], disjoint: str, seed: int, ratios: tuple[float, ...]
) -> None:
    chains = [chain(n, *path) for n, path in enumerate(paths, start=1)]
    try:
        splitting = split_chains(chains, disjoint, ratios, seed)  # type: ignore[arg-type]
    except InputError:
        # Impossible where one component is too large for its split, or there are too few.
        groups = components(chains, KINDS[disjoint])
        parts = sum(1 for ratio in ratios if ratio)
        assert max(map(len, groups)) > 1 or len(groups) < 3 * parts / min(r for r in ratios if r)
        return
    together = [one.id for split in SPLITS for one in splitting.chains[split]]
    assert sorted(together) == sorted(one.id for one in chains)
    for first, second in combinations(SPLITS, 2):
        a, b = ([KINDS[disjoint](c) for c in splitting.chains[s]] for s in (first, second))
        assert not set().union(*a) & set().union(*b)
    (shared,) = {row["shared"] for row in splitting.leakage() if row["kind"] == disjoint}
    assert shared == 0
    assert splitting == split_chains(chains, disjoint, ratios, seed)  # type: ignore[arg-type]
    for split, ratio in zip(SPLITS, ratios, strict=True):
        assert bool(splitting.chains[split]) == (ratio > 0)


def test_chains_that_share_nothing_are_split_by_the_ratios_in_every_stratum() -> None:
    splitting = split_chains(apart(100), "facts", RATIOS, 1)
    assert splitting.components == 100
    assert [(row["hops"], row["train"], row["dev"], row["test"]) for row in splitting.strata()] == [
        (1, 30, 10, 10),
        (2, 30, 10, 10),
    ]


def test_seeds_split_differently() -> None:
    def test_ids(seed: int) -> list[str]:
        return [one.id for one in split_chains(apart(50), "facts", RATIOS, seed).chains["test"]]

    assert test_ids(1) == test_ids(1) != test_ids(2)


def leaks(splitting: Splitting, kind: str) -> dict[tuple[str, str], tuple[int, int]]:
    return {
        (row["first"], row["second"]): (row["shared"], row["chains"])
        for row in splitting.leakage()
        if row["kind"] == kind
    }


def test_the_report_counts_what_is_shared_of_other_kinds() -> None:
    """Ten chains from ten topics to one answer: without shared facts they still share that."""
    star = [chain(n, f"Q{n}", f"Q{n + 100}", "Q999") for n in range(1, 11)]
    splitting = split_chains(star, "topics", (0.8, 0.1, 0.1), 1)
    assert {s: len(c) for s, c in splitting.chains.items()} == {"train": 8, "dev": 1, "test": 1}
    assert leaks(splitting, "answers") == dict.fromkeys(combinations(SPLITS, 2), (1, 1))
    assert leaks(splitting, "properties")["train", "test"] == (2, 1)
    assert leaks(splitting, "facts")["train", "test"] == (0, 0)


def test_a_giant_component_is_named() -> None:
    star = [chain(n, f"Q{n}", "Q999") for n in range(1, 11)]
    with pytest.raises(InputError) as caught:
        split_chains(star, "answers", (0.8, 0.1, 0.1), 1)
    message = str(caught.value)
    assert "10 chains make 1 components of which the largest has 10 chains" in message
    assert "Q999 in 10" in message
    assert "Split by facts or topics" in message


def test_yes_and_no_are_answers_that_chains_may_share() -> None:
    yes = TypedValue(datatype="boolean", value="yes", label="yes")
    chains = [
        one.model_copy(update={"hops": (one.hops[0].model_copy(update={"answer": yes}),)})
        for one in apart(20)
    ]
    assert split_chains(chains, "answers", RATIOS, 1).components == 20


@pytest.mark.parametrize("ratios", [(0.5, 0.5), (0.9, 0.2, 0.1), (1.2, -0.1, -0.1)])
def test_ratios_that_are_none(ratios: tuple[float, ...]) -> None:
    with pytest.raises(ConfigError, match=r"such as 0\.8,0\.1,0\.1"):
        split_chains(apart(9), "facts", ratios, 1)


def test_files_are_written_whole_with_a_report(tmp_path: Path) -> None:
    write_records(tmp_path / "chains.jsonl", apart(20))
    splitting = split_file(tmp_path / "chains.jsonl", "facts", RATIOS, 1, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("dev.jsonl", "leakage.json", "test.jsonl", "train.jsonl")
    ]
    lines = {line for s in SPLITS for line in (tmp_path / f"out/{s}.jsonl").read_text().split("\n")}
    assert lines == set((tmp_path / "chains.jsonl").read_text().split("\n"))
    assert json.loads((tmp_path / "out/leakage.json").read_text()) == splitting.as_dict()


def test_files_that_cannot_be_split(tmp_path: Path) -> None:
    file = tmp_path / "chains.jsonl"
    for content, message in (
        ("", "holds no chain"),
        ("{", "chains.jsonl:1: the line: Invalid JSON"),
        (apart(1)[0].model_dump_json().replace('"schema":2', '"schema":1') + "\n", ":1: schema:"),
        (2 * (apart(1)[0].model_dump_json() + "\n"), "2 chains have the id c-1"),
    ):
        file.write_text(content)
        with pytest.raises(InputError) as caught:
            split_file(file, "facts", RATIOS, 1, tmp_path / "out")
        assert message in str(caught.value)
        assert not (tmp_path / "out").exists()

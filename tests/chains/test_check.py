"""Checking files of chains: ours, MINTQA's, and what is neither."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from chain_oracle import Step, to_chain
from factchain.chains.proof.check import check_file
from factchain.chains.proof.uniqueness import part_positions, unique_in_set
from factchain.chains.records import FactChain
from factchain.cli import main
from factchain.errors import InputError
from factchain.kg.store import Store
from factchain.records import write_records
from typed_worlds import Fact, World, open_store

TRIPLES = [("Q1", "P1", "Q2"), ("Q2", "P2", "Q3"), ("Q3", "P3", "Q4")]
WORLD = World(
    tuple(Fact(*t) for t in [*TRIPLES, ("Q5", "P1", "Q6"), ("Q5", "P1", "Q7"), ("Q9", "P1", "Q2")]),
    labels={"Q1": "Film", "Q2": "Person", "Q3": "Town", "Q4": "Land", "Q5": "Film", "Q6": "Town"},
    descriptions={"Q1": "film of 1990", "Q5": "film of 1991"},
)


def lookups(*triples: tuple[str, str, str], name: str = "c-1") -> FactChain:
    steps = [
        Step((k - 1,) if k > 1 else (), () if k > 1 else (t[0],), (t,), t[2])
        for k, t in enumerate(triples, start=1)
    ]
    return to_chain(tuple(steps), "chain").model_copy(update={"id": name})


@pytest.fixture
def kg(tmp_path: Path) -> Path:
    """The world as a file."""
    path = tmp_path / "kg.duckdb"
    with open_store(WORLD) as memory, Store.create(path) as store:
        for table in ("snapshot", "entity", "property", "fact", "fact_snapshot"):
            with store.incoming(rows=memory.connection.table(table).to_arrow_table()):
                store.connection.execute(f"INSERT INTO {table} SELECT * FROM incoming_rows")
    return path


@pytest.fixture
def chains(tmp_path: Path) -> Path:
    """A chain that is valid, one that is part of it, and one of several answers."""
    path = tmp_path / "chains.jsonl"
    write_records(
        path,
        [
            lookups(*TRIPLES, name="c-long"),
            lookups(*TRIPLES[1:], name="c-part"),
            lookups(("Q5", "P1", "Q6"), name="c-two"),
        ],
    )
    return path


def test_violations_by_kind_and_by_chain(kg: Path, chains: Path) -> None:
    result = check_file(chains, kg)
    assert [(v.chain, v.constraint) for v in result.violations] == [
        ("c-part", "uniqueness"),
        ("c-two", "single answers"),
    ]
    assert result.as_dict()["counts"] == {
        "uniqueness": {"chains": 1, "violations": 1},
        "single answers": {"chains": 1, "violations": 1},
    }
    text = result.as_text()
    assert "c-part: is part of c-long" in text
    assert text.endswith("3 chains, violations: single answers 1, uniqueness 1")
    assert "c-two: single answers: Q5 P1 has 2 objects in the graph" in result.as_text(verbose=True)
    one = check_file(chains, kg, chain="c-part")
    assert (one.chains, [v.constraint for v in one.violations]) == (1, ["uniqueness"])
    assert check_file(chains, kg, chain="c-long").violations == []
    with pytest.raises(InputError, match="has no chain 'c-none'"):
        check_file(chains, kg, chain="c-none")


def mintqa(tmp_path: Path, *records: dict[str, Any]) -> Path:
    path = tmp_path / "mintqa.json"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_mintqa_s_labels_are_resolved_by_the_store(kg: Path, tmp_path: Path) -> None:
    p = {n: f"property P{n}" for n in (1, 2, 3)}
    file = mintqa(
        tmp_path,
        # "Film" and "Town" are each borne by two; the facts tell which.
        {"question": "?", "triple": [["film", p[1], "Person"], ["Person", p[2], "Town"]]},
        {"question": "?", "triple": [["Nobody", p[1], "Town"]]},
        {"question": "?", "triple": [["Film", p[3], "Land"]]},
        {"triple": [["x", "y", "z"]], "triple_ids": [["Q5", "P1", "Q7"]], "id": "with-ids"},
        {"question": "?", "triple": [["Film", p[1], "Person"], ["Town", p[3], "Land"]]},
    )
    result = check_file(file, kg)
    assert result.chains == 3
    assert result.unresolved == {"line-2": ["unknown: Nobody"], "line-3": ["ambiguous: Film"]}
    assert [(v.chain, v.constraint) for v in result.violations] == [
        ("with-ids", "single answers"),
        ("line-5", "connectivity"),
    ]
    text = result.as_text()
    assert "2 chains not checked (ambiguous names 1, unknown names 1)" in text
    assert "unknown: Nobody; ambiguous: Film" in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"schema": 1, "id": "c-1", "hops": []}', "layout of chains 1; this factchain reads 2"),
        ('{"schema": 2, "id": "c-1"}', "axis: Field required"),
        ('{"id": 1}', "no `schema` .* and no `triple`"),
        ("{", "is no JSON"),
        ("[1]", "one JSON object a line"),
        ('{"triple": []}', "has 0 hops"),
        ('{"triple": [["a", "b"]]}', "no list of"),
        ('{"triple": [["a", "b", "c"]], "triple_ids": [["a", "b", "c"]]}', "no Q- and P-ids"),
        ('{"triple": [["a", "b", "c"]], "triple_ids": [["Q1", "P1", "Q2"], ["Q1", "P1", "Q2"]]}',
         "2 of 1 hops"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_chains_is_told(
    kg: Path, tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "chains.jsonl"
    file.write_text(f"\n{line}\n")
    with pytest.raises(InputError, match=rf"chains.jsonl:2: .*{message}"):
        check_file(file, kg)
    with pytest.raises(InputError, match="cannot be read"):
        check_file(tmp_path / "none", kg)


def test_the_command(kg: Path, chains: Path, tmp_path: Path) -> None:
    def call(*arguments: object) -> Any:
        return CliRunner().invoke(main, ["chains", "check", *map(str, arguments), "--kg", str(kg)])

    wrong = call(chains, "--quiet")
    assert wrong.exit_code == 1
    assert "single answers │      1 │" in wrong.output
    found = json.loads(call(chains, "--json", "--quiet", "--chain", "c-two").output)
    assert found["violations"] == [
        {
            "chain": "c-two",
            "constraint": "single answers",
            "problem": "Q5 P1 has 2 objects in the graph",
        }
    ]
    fine = call(chains, "--chain", "c-long", "--quiet", "--no-shortcut", "paper")
    assert (fine.exit_code, fine.output) == (0, "1 chains, violations: none\n")
    (tmp_path / "old").write_text('{"schema": 1}\n')
    old = call(tmp_path / "old")
    assert old.exit_code == 1
    assert "`factchain chains sample` writes the file anew" in old.output


def test_parts_of_reasoning_graphs() -> None:
    def parts(*edges: tuple[int, int]) -> set[tuple[int, ...]]:
        found = part_positions(max(map(max, edges)), edges)
        return {tuple(sorted(hops)) for _, hops in found}

    assert parts((1, 2), (2, 3)) == {(1,), (2,), (3,), (1, 2), (2, 3), (1, 2, 3)}
    bridge = parts((1, 2), (2, 4), (3, 4))
    assert bridge == {
        *[(1,), (2,), (3,), (4,), (1, 2), (2, 4), (3, 4), (1, 2, 4), (2, 3, 4), (1, 2, 3, 4)]
    }


def test_what_is_part_of_what(chains: Path) -> None:
    def whose(*given: FactChain) -> list[tuple[str, str]]:
        return unique_in_set(given)

    whole = lookups(*TRIPLES, name="whole")
    assert whose(whole, lookups(TRIPLES[0], name="a")) == [("a", "is part of whole")]
    assert whose(whole, whole) == [("whole", "is part of whole")] * 2
    gap = lookups(TRIPLES[0], TRIPLES[2], name="gap")
    assert whose(whole, gap) == []
    other = lookups(*TRIPLES[:2], name="b").model_copy(update={"axis": "recency"})
    assert whose(whole, other) == [], "of another axis"
    first, second = Step((), ("Q1",), (("Q1", "P1", "Q2"),), "Q2"), Step((), ("Q5",), (), "Q6")
    second = Step((), ("Q5",), (("Q5", "P1", "Q6"),), "Q6")
    joint = Step((1, 2), (), (("Q2", "P2", "Q3"), ("Q6", "P2", "Q3")), "Q3")
    both = to_chain((first, second, joint), "converging").model_copy(update={"id": "both"})
    assert whose(both, lookups(("Q5", "P1", "Q6"), name="c")) == [("c", "is part of both")]
    assert whose(both, lookups(("Q1", "P1", "Q2"), ("Q2", "P2", "Q3"), name="d")) == []

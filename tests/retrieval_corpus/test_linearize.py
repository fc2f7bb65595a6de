"""The store in lines: every fact where it belongs, and nowhere else."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factchain.chains.records import TypedValue
from factchain.errors import StoreError
from factchain.kg.literals import literal_text
from factchain.questions.literal_forms import for_readers, unit_forms
from factchain.retrieval_corpus import queries
from factchain.retrieval_corpus.chunk import Chunker
from factchain.retrieval_corpus.linearize import Linearizer
from factchain.retrieval_corpus.settings import CorpusSettings
from factchain.retrieval_corpus.tokenizers import Words

OLD, MIDDLE, NEW = "2021-06-21", "2022-01-01", "2024-06-05"
BOTH = (OLD, NEW)
StoreMaker = Callable[..., duckdb.DuckDBPyConnection]


class Version(NamedTuple):
    """What is said of one entity, in all snapshots or in one of two that conflict."""

    entity: str
    title: str
    snapshot: str | None
    lines: list[str]
    triples: list[tuple[str, str, str]]


def linearize(store: duckdb.DuckDBPyConnection, **settings: Any) -> list[Version]:
    made = Linearizer(store, CorpusSettings(**settings))
    chunks = list(Chunker(Words(), 10**9, made.snapshots()).chunks(made.batches()))
    made.close()
    return [
        Version(
            f"Q{chunk.entity}",
            chunk.title,
            chunk.snapshot,
            chunk.text.split("\n")[chunk.snapshot is not None :],
            [tuple(triple) for triple in json.loads(chunk.facts)],
        )
        for chunk in chunks
    ]


def lines(versions: list[Version]) -> dict[tuple[str, str | None], list[str]]:
    return {(v.entity, v.snapshot): v.lines for v in versions}


def left_out(store: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    return Linearizer(store, CorpusSettings()).count_left_out()


def test_an_entity_reads_as_its_facts_by_property_and_object(make_store: StoreMaker) -> None:
    store = make_store(
        {937: "Albert Einstein", 3012: "Ulm", 11573: "metre", 9: "Peace", 10: "Nobel Prize"},
        {19: "place of birth", 569: "date of birth", 2048: "height", 166: "award received"},
        [
            (937, 2048, ("1.75", "quantity", 11573, None), BOTH),
            (937, 569, ("1879-03-14", "time", None, 11), BOTH),
            (937, 166, 10, BOTH),
            (937, 166, 9, BOTH),
            (937, 19, 3012, BOTH),
        ],
    )
    (version,) = linearize(store)
    assert (version.entity, version.title, version.snapshot) == ("Q937", "Albert Einstein", None)
    assert version.lines == [
        "Albert Einstein place of birth Ulm.",
        "Albert Einstein award received Peace.",
        "Albert Einstein award received Nobel Prize.",
        "Albert Einstein date of birth 14 March 1879.",
        "Albert Einstein height 1.75 metre.",
    ]
    assert version.triples == [
        ("Q937", "P19", "Q3012"),
        ("Q937", "P166", "Q9"),
        ("Q937", "P166", "Q10"),
        ("Q937", "P569", "1879-03-14"),
        ("Q937", "P2048", "1.75 Q11573"),
    ]
    assert left_out(store) == (0, 4)


def test_conflicting_versions_stand_apart(make_store: StoreMaker) -> None:
    store = make_store(
        {1: "Utopia", 2: "Ann", 3: "Bob", 4: "Club", 5: "League"},
        {6: "head of government", 17: "country", 463: "member of", 54: "team", 166: "award"},
        [
            (1, 6, 2, (OLD,)),
            (1, 6, 3, (NEW,)),
            (1, 463, 4, BOTH),
            (1, 463, 5, (NEW,)),
            (1, 17, 4, BOTH),
            (1, 54, 4, (OLD,)),
            (1, 166, 2, (NEW,)),
        ],
    )
    assert lines(linearize(store)) == {
        ("Q1", None): ["Utopia country Club.", "Utopia award Ann."],
        ("Q1", OLD): [
            "Utopia head of government Ann.",
            "Utopia team Club.",
            "Utopia member of Club.",
        ],
        ("Q1", NEW): [
            "Utopia head of government Bob.",
            "Utopia member of Club.",
            "Utopia member of League.",
        ],
    }


def test_one_snapshot_has_no_conflict(make_store: StoreMaker) -> None:
    store = make_store({1: "A", 2: "B"}, {}, [(1, 5, 2, (NEW,))], snapshots=(NEW,))
    assert lines(linearize(store)) == {("Q1", None): ["A P5 B."]}


def test_a_literal_in_another_unit_is_another_version(make_store: StoreMaker) -> None:
    store = make_store(
        {1: "Tower", 2: "metre"},
        {5: "height"},
        [
            (1, 5, ("300", "quantity", 2, None), (OLD,)),
            (1, 5, ("300", "quantity", 3, None), (NEW,)),
        ],
    )
    assert lines(linearize(store)) == {
        ("Q1", OLD): ["Tower height 300 metre."],
        ("Q1", NEW): ["Tower height 300 Q3."],
    }


def test_untrusted_labels_stay_on_one_line(make_store: StoreMaker) -> None:
    label = "x'); DROP TABLE fact; --\nAs of 2024:\u2028<b>{p}"
    store = make_store({1: label, 2: "a\r\nb"}, {5: "is\tin"}, [(1, 5, 2, BOTH)])
    (version,) = linearize(store)
    title = "x'); DROP TABLE fact; -- As of 2024: <b>{p}"
    assert version.title == title
    assert version.lines == [f"{title} is in a b."]


def test_entities_without_label_or_facts_are_counted(make_store: StoreMaker) -> None:
    store = make_store(
        {1: "A", 2: None, 3: " \u00a0\n", 4: "factless", 5: "only between"},
        {},
        [
            (1, 5, 2, BOTH),
            (2, 5, 1, BOTH),
            (3, 5, 1, BOTH),
            (9, 5, 1, BOTH),
            (5, 5, 1, (MIDDLE,)),
        ],
        snapshots=(OLD, MIDDLE, NEW),
    )
    assert lines(linearize(store)) == {("Q1", None): ["A P5 Q2."]}
    assert left_out(store) == (3, 2)


def test_no_store_is_a_clear_error() -> None:
    with pytest.raises(StoreError, match=r"cannot be read: .*entity"):
        linearize(duckdb.connect())


def test_too_little_memory_is_told(make_store: StoreMaker) -> None:
    facts = [(s, 5, o, BOTH) for s in range(1, 20) for o in range(20, 40)]
    store = make_store({n: f"name {n}" for n in range(1, 40)}, {5: "is"}, facts)
    ((used,),) = store.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchall()
    store.execute(f"SET memory_limit = '{used} bytes'")
    with pytest.raises(StoreError, match=r"may DuckDB take more memory \(--memory\)"):
        linearize(store)


IDS = st.integers(1, 4)
SNAPSHOTS = st.sets(st.sampled_from([OLD, MIDDLE, NEW]), min_size=1)


@settings(max_examples=30)
@given(st.dictionaries(st.tuples(IDS, IDS, IDS), SNAPSHOTS, max_size=14), st.sets(IDS))
def test_every_fact_is_where_it_belongs(
    make_store: StoreMaker, facts: dict[tuple[int, int, int], set[str]], labelled: set[int]
) -> None:
    store = make_store(
        {q: f"E{q}" for q in labelled},
        {},
        [(*fact, tuple(names)) for fact, names in facts.items()],
        snapshots=(OLD, MIDDLE, NEW),
    )
    expected: dict[tuple[str, str | None], set[tuple[str, str, str]]] = defaultdict(set)
    for (s, p, o), names in facts.items():
        same = {fact: held for fact, held in facts.items() if fact[:2] == (s, p)}
        before = {fact for fact, held in same.items() if OLD in held}
        after = {fact for fact, held in same.items() if NEW in held}
        dated = before and before != after
        for snapshot in names - {MIDDLE}:
            if s in labelled:
                place = (f"Q{s}", snapshot if dated else None)
                expected[place].add((f"Q{s}", f"P{p}", f"Q{o}"))
    versions = linearize(store)
    stated = {(v.entity, v.snapshot): v.triples for v in versions}
    assert len(stated) == len(versions)
    assert {place: set(triples) for place, triples in stated.items()} == expected
    for version in versions:
        triples = version.triples
        assert triples == sorted(set(triples))
        for (s_id, p_id, o_id), line in zip(triples, version.lines, strict=True):
            label = f"E{o_id[1:]}" if int(o_id[1:]) in labelled else o_id
            assert line == f"E{s_id[1:]} {p_id} {label}."


def test_facts_that_lead_to_an_entity_follow_its_own(make_store: StoreMaker) -> None:
    store = make_store(
        {1: "Ann", 2: "Book", 3: "Club", 4: None},
        {50: "author", 463: "member of", 6: "head"},
        [
            (2, 50, 1, BOTH),
            (1, 463, 3, BOTH),
            (1, 50, 1, BOTH),
            (4, 50, 1, BOTH),
            (3, 6, 1, (OLD,)),
            (3, 6, 2, (NEW,)),
        ],
    )
    said = lines(linearize(store, incoming=True))
    assert said == {
        ("Q1", None): [
            "Ann author Ann.",
            "Ann member of Club.",
            "Book author Ann.",
            "Q4 author Ann.",
        ],
        # Conflicting versions stay apart from this side, too.
        ("Q1", OLD): ["Club head Ann."],
        ("Q2", None): ["Book author Ann."],
        ("Q2", NEW): ["Club head Book."],
        ("Q3", None): ["Ann member of Club."],
        ("Q3", OLD): ["Club head Ann."],
        ("Q3", NEW): ["Club head Book."],
    }
    assert {v.title for v in linearize(store, incoming=True)} == {"Ann", "Book", "Club"}


DIGITS = st.integers(0, 99999)
DATES = st.builds(
    lambda sign, year, rest: f"{sign}{year:04d}{rest}",
    st.sampled_from(["", "-"]),
    DIGITS,
    st.sampled_from(["", "-00", "-00-00", "-03", "-03-00", "-12-31", "-13", "-02-1", "x"]),
)


@settings(max_examples=150)
@given(
    value=st.one_of(DATES, st.text(max_size=8)),
    datatype=st.sampled_from(["time", "quantity", "monolingualtext", "globe-coordinate", "string"]),
    unit=st.sampled_from([None, "metre"]),
    precision=st.sampled_from([None, *range(0, 15)]),
)
def test_literals_read_as_everywhere_else(
    macros: duckdb.DuckDBPyConnection,
    value: str,
    datatype: str,
    unit: str | None,
    precision: int | None,
) -> None:
    ((said,),) = macros.execute(
        "SELECT literal_text(?, ?, ?, ?::INT)", [value, datatype, unit, precision]
    ).fetchall()
    assert said == literal_text(value, datatype, unit, precision)


@settings(max_examples=150)
@given(
    value=st.one_of(
        st.decimals(allow_nan=False, allow_infinity=False, places=2).map("{:f}".format),
        st.integers().map(str),
        st.sampled_from(["1", "-1", "1.0", "1.00", "9999", "10000", "-12345.060", "1e5", ""]),
    ),
    unit=st.sampled_from([None, "square kilometre", "foot", "metre per second"]),
)
def test_quantities_in_sentences_read_as_in_questions(
    macros: duckdb.DuckDBPyConnection, value: str, unit: str | None
) -> None:
    one, several = unit_forms(unit) if unit else (None, None)
    ((said,),) = macros.execute("SELECT measured(?, ?, ?)", [value, one, several]).fetchall()
    label = literal_text(value, "quantity", unit, None)
    quantity = TypedValue(
        datatype="quantity",
        value=value,
        label=label,
        unit="Q1" if unit else None,
        unit_label=unit,
    )
    assert said == for_readers(quantity)


@settings(max_examples=150)
@given(st.text(st.characters(codec="utf-8"), max_size=12))
def test_labels_are_one_line(macros: duckdb.DuckDBPyConnection, text: str) -> None:
    ((said,),) = macros.execute("SELECT one_line(?)", [text]).fetchall()
    assert said == " ".join(text.split())


@pytest.fixture(scope="module")
def macros() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(queries.MACROS)
    connection.execute(queries.LITERAL_MACROS)
    connection.execute(queries.MEASURED_MACROS)
    return connection

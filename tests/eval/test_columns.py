"""Groups of rows against a filter row by row."""

from __future__ import annotations

import math
from collections import defaultdict

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from factchain.eval.columns import Columns

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["b", "a", "ä", ""]),
        st.integers(-3, 3),
        st.one_of(st.none(), st.floats(0, 1)),
    ),
    max_size=30,
)


@given(ROWS, st.sampled_from([("word",), ("number",), ("word", "number"), ("number", "word")]))
def test_groups_are_those_of_a_filter(rows: list[tuple], names: tuple[str, ...]) -> None:
    table = pa.table(
        {
            "word": pa.array([row[0] for row in rows], pa.string()),
            "number": pa.array([row[1] for row in rows], pa.int8()),
            "value": pa.array([row[2] for row in rows], pa.float64()),
        }
    )
    columns = Columns(table)
    wanted = defaultdict(list)
    for place, row in enumerate(rows):
        wanted[tuple({"word": row[0], "number": row[1]}[name] for name in names)].append(place)
    found = [
        (tuple(group[name] for name in names), of.tolist()) for group, of in columns.groups(names)
    ]
    assert [key for key, _ in found] == sorted(wanted, key=_by_bytes)
    assert dict(found) == wanted
    values = columns.values("value").tolist()
    assert [None if math.isnan(value) else value for value in values] == [row[2] for row in rows]
    for word in ("a", "nowhere"):
        assert columns.where("word", word).tolist() == [
            place for place, row in enumerate(rows) if row[0] == word
        ]


def _by_bytes(key: tuple) -> tuple:
    return tuple(one.encode() if isinstance(one, str) else one for one in key)


def test_a_null_is_the_last() -> None:
    columns = Columns(pa.table({"word": pa.array(["b", None, "a"])}))
    assert columns.words("word") == ["a", "b", None]
    assert columns.codes("word").tolist() == [1, 2, 0]

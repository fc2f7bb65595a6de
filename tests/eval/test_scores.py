"""The table of scores, its summaries and their intervals."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import score_rows
from factchain.errors import InputError
from factchain.eval.scores import (
    interval,
    read_headers,
    read_scores,
    summarise,
    write_scores,
)
from score_rows import table

Z = 1.959963984540054


def row(question: str, f1: float | None, **values: Any) -> dict[str, Any]:
    accuracy = None if f1 is None else float(f1 == 1)
    others = dict.fromkeys(("accuracy_alias", "accuracy_word", "exact_match"), accuracy)
    return score_rows.row(question, accuracy, **(others | {"f1": f1} | values))


TABLE = table(
    row("a", 1),
    row("b", 0.5),
    row("c", None),
    row("d", 0, hops=2, labels="popular-unpopular"),
    row("e", 1, axis="recency", hops=2, labels="old-new", topology="bridge", kinds="count-lookup"),
    row("f", None, axis="recency", hops=3, labels="old-new-new"),
)


def test_means_are_taken_by_every_group() -> None:
    groups = {
        (one.axis, one.hops, one.labels): (one.n, one.failed, one.mean)
        for one in summarise(TABLE)
        if one.score == "f1" and one.topology is None and one.kind is None
    }
    assert groups == {
        (None, None, None): (4, 2, 0.625),
        ("popularity", None, None): (3, 1, 0.5),
        ("recency", None, None): (1, 1, 1),
        (None, 1, None): (2, 1, 0.75),
        (None, 2, None): (2, 0, 0.5),
        ("popularity", 1, None): (2, 1, 0.75),
        ("popularity", 2, None): (1, 0, 0),
        ("recency", 2, None): (1, 0, 1),
        ("popularity", 1, "popular"): (2, 1, 0.75),
        ("popularity", 2, "popular-unpopular"): (1, 0, 0),
        ("recency", 2, "old-new"): (1, 0, 1),
    }


def test_means_are_taken_by_topology_and_by_kind_of_hop() -> None:
    groups = {
        (one.topology, one.kind): (one.n, one.failed, one.mean)
        for one in summarise(TABLE)
        if one.score == "f1" and one.by in (("topology",), ("kind",))
    }
    assert groups == {
        ("bridge", None): (1, 0, 1),
        ("chain", None): (3, 2, 0.5),
        (None, "count"): (1, 0, 1),
        (None, "lookup"): (4, 2, 0.625),
    }


def test_summaries_do_not_depend_on_the_order_of_the_rows() -> None:
    assert summarise(TABLE.take(list(range(len(TABLE)))[::-1])) == summarise(TABLE)


def test_settings_are_kept_apart() -> None:
    both = pa.concat_tables(
        [TABLE, table(row("a", 0, model="other"), row("a", 1, context="gold", task="retrieval"))]
    )
    overall = [
        (one.task, one.context, one.model, one.n, one.mean)
        for one in summarise(both)
        if one.score == "accuracy" and not one.by
    ]
    assert overall == [
        ("parametric", "none", "m", 4, 0.5),
        ("parametric", "none", "other", 1, 0),
        ("retrieval", "gold", "m", 1, 1),
    ]


def test_no_rows_give_no_summaries() -> None:
    assert summarise(table()) == []


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=50))
def test_wilson_is_the_formula(values: list[float]) -> None:
    n, p = len(values), sum(values) / len(values)
    middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    assert interval(np.array(values)) == pytest.approx((middle - half, middle + half), abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_an_interval_lies_in_the_range_and_comes_again(values: list[float]) -> None:
    low, high = interval(np.array(values))
    assert 0 <= low <= high <= 1
    assert interval(np.array(values)) == (low, high)


def test_the_bootstrap_is_near_the_normal_interval() -> None:
    values = np.tile([0.0, 0.25, 0.5, 0.75, 1.0], 80)
    half = Z * values.std(ddof=1) / sqrt(len(values))
    assert interval(values) == pytest.approx((0.5 - half, 0.5 + half), abs=0.005)


def test_a_table_comes_back_and_its_bytes_are_the_same(tmp_path: Path) -> None:
    write_scores(tmp_path / "one.parquet", TABLE)
    write_scores(tmp_path / "two.parquet", TABLE)
    assert read_scores(tmp_path / "one.parquet").equals(TABLE)
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    with pytest.raises(InputError, match="is no table of scores"):
        read_scores(path)
    path.write_text("hello")
    with pytest.raises(InputError, match="is no table of scores"):
        read_scores(path)
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match="has other columns"):
        read_scores(path)


def test_a_folder_that_is_not_there_has_no_logs(tmp_path: Path) -> None:
    assert read_headers(tmp_path / "logs") == []

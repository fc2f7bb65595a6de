"""JSON arrays and JSON Lines are told apart and read one object at a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factchain.errors import InputError
from factchain.formats import json_files
from factchain.formats.json_files import read_objects

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(TEXT, VALUES, max_size=4), min_size=1, max_size=6)


@given(objects=OBJECTS, indent=st.sampled_from([None, 0, 3]), chunk=st.integers(1, 40))
def test_an_array_is_what_json_reads(
    tmp_path_factory: pytest.TempPathFactory, objects: list, indent: int | None, chunk: int
) -> None:
    path = tmp_path_factory.mktemp("json") / "x.json"
    path.write_text(json.dumps(objects, indent=indent, ensure_ascii=False) + "\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_files, "_CHUNK", chunk)
        found = list(read_objects(path))
    assert [value for _, value in found] == objects
    assert [place for place, _ in found] == [
        f"{path}: record {number}" for number in range(1, len(objects) + 1)
    ]


@given(objects=OBJECTS, bom=st.booleans())
def test_json_lines_are_what_json_reads(
    tmp_path_factory: pytest.TempPathFactory, objects: list, bom: bool
) -> None:
    path = tmp_path_factory.mktemp("json") / "x.jsonl"
    lines = "\n\n".join(json.dumps(one) for one in objects)
    path.write_text(lines, "utf-8-sig" if bom else "utf-8")
    found = list(read_objects(path))
    assert [value for _, value in found] == objects
    assert found[-1][0] == f"{path}:{2 * len(objects) - 1}"


def test_an_empty_array_has_no_objects(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(" [ ] ")
    assert list(read_objects(tmp_path / "x.json")) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is neither a JSON array nor JSON Lines: it is empty"),
        (b"id,question\n", "is neither a JSON array nor JSON Lines: it begins with b'i'"),
        (b'{"a": 1}\n{"a": \n', r"x\.json:2: is no JSON"),
        (b'{"a": 1}\n[1]\n', r"x\.json:2: is no JSON object with named fields"),
        (b'[{"a": 1}, 3]', r"x\.json: record 2: is no JSON object with named fields"),
        (b'[{"a": 1} {"a": 2}]', r"x\.json: record 1: no comma or bracket follows it"),
        (b'[{"a": 1},', r"x\.json: the array is broken off"),
        (b'[{"a": 1}, {"a"', r"x\.json: record 2: is no JSON, or is broken off"),
        (b'[{"a": 1}]]', r"x\.json: something follows the array's last bracket"),
        (b'[{"a": "\\ud800"}]', r"x\.json: record 1: is no JSON"),
        (b'[{"a": NaN}]', r"x\.json: record 1: is no JSON"),
        (b'[{"a": "\xff"}]', r"x\.json: is no UTF-8 text"),
        (b"[" + b'{"a":[' * 100_000, r"x\.json: record 1: is (nested too deep|no JSON)"),
    ],
)
def test_what_is_no_such_file_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_objects(tmp_path / "x.json"))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.json: cannot be read: No such file"):
        list(read_objects(tmp_path / "x.json"))


def test_a_fault_is_told_before_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.json"
    path.write_text('[{"a" 1},' + '{"a": 1},' * 100_000)
    reads: list[bool] = []
    more = json_files._Window._more
    monkeypatch.setattr(json_files, "_CHUNK", 1000)
    monkeypatch.setattr(
        json_files._Window, "_more", lambda self: (reads.append(True), more(self))[1]
    )
    with pytest.raises(InputError, match=r"record 1: is no JSON.*delimiter"):
        list(read_objects(path))
    assert len(reads) == 1

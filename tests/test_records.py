"""Reading records: what is wrong with a line, and files of another version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

from factchain.errors import InputError
from factchain.records import Record, read_records, write_records


class Versioned(Record):
    """A record whose layout has a version."""

    schema_version: Literal[3] = Field(3, alias="schema")
    """Version of the layout."""
    name: str
    """A name."""


def test_records_come_back(tmp_path: Path) -> None:
    records = [Versioned(name="a"), Versioned(name="b")]
    assert write_records(tmp_path / "x.jsonl", records) == 2
    assert list(read_records(tmp_path / "x.jsonl", Versioned)) == records
    assert json.loads((tmp_path / "x.jsonl").read_text().splitlines()[0])["schema"] == 3


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"schema": 2, "name": "b"}', "the layout is of version 2, and this factchain reads"),
        # Whatever else differs, the version explains it.
        ('{"was": 1, "schema": 4}', "the layout is of version 4, and this factchain reads"),
        ('{"schema": 2}', "written by another version of factchain: write it anew with this one"),
        ('{"schema": 3}', "name: Field required (expected a Versioned)"),
        ('{"schema": 3, "name": 1}', "name: Input should be a valid string (expected a Versioned)"),
        ("[]", "the line: Input should be an object (expected a Versioned)"),
        ("{", "the line: Invalid JSON"),
    ],
)
def test_what_is_wrong_with_a_line(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"schema": 3, "name": "a"}\n' + line + "\n")
    with pytest.raises(InputError) as caught:
        list(read_records(path, Versioned))
    assert str(caught.value).startswith(f"{path}:2: ")
    assert told in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.jsonl: cannot be read: No such file"):
        list(read_records(tmp_path / "x.jsonl", Versioned))

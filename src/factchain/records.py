"""The base of every record that crosses a file boundary, and its JSON Lines files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factchain.errors import InputError
from factchain.files import write_atomically


class Record(BaseModel):
    """A frozen record; unknown fields are refused; field docstrings are its documentation."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        populate_by_name=True,
        serialize_by_alias=True,
    )


ItemId = Annotated[str, Field(pattern=r"^Q[1-9][0-9]{0,9}$")]
PropertyId = Annotated[str, Field(pattern=r"^P[1-9][0-9]{0,9}$")]

R = TypeVar("R", bound=Record)


def write_records(path: Path, records: Iterable[Record]) -> int:
    """Write one JSON object a line, complete or not at all; return how many."""
    count = 0
    with write_atomically(path) as out:
        for record in records:
            out.write(orjson.dumps(record.model_dump(mode="json")) + b"\n")
            count += 1
    return count


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """Yield the records of a JSON Lines file.

    Raises InputError, naming file, line and field, where a line is not such a record.
    """
    try:
        lines = path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    with lines:
        for number, line in enumerate(lines, start=1):
            yield read_record(path, number, line, kind)


def read_record(path: Path, number: int, line: bytes, kind: type[R]) -> R:
    """The record in a line of a file. Raises InputError as `read_records` does."""
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise InputError(f"{path}:{number}: {_what_is_wrong(error, kind)}") from error


def _what_is_wrong(error: ValidationError, kind: type[Record]) -> str:
    """What the first error says, or that the layout is of another version, which explains all."""
    for one in error.errors():
        if one["loc"] == ("schema",):
            return (
                f"schema: the layout is of version {one['input']}, and this factchain reads "
                f"version {one['ctx']['expected']}: the file was written by another version of "
                "factchain: write it anew with this one, or read it with that one"
            )
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or "the line"
    return f"{where}: {first['msg']} (expected a {kind.__name__})"

"""What must hold of the dump reader for any bytes: shared by the fuzzer and by the tests."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from factchain.errors import InputError
from factchain.kg.dumps.chunks import Chunk, ChunkReader
from factchain.kg.dumps.dump import DumpSettings, Parser
from factchain.kg.dumps.statements import FactFilter
from factchain.kg.dumps.values import DATATYPES

PARSER = Parser(DumpSettings(FactFilter(date="2024-06-05", datatypes=DATATYPES)))
ENDINGS = (".json", ".json.gz", ".json.bz2", ".json.zst")
FOLDER = Path(tempfile.mkdtemp())
SEEDS = (
    b'{"type":"item","id":"Q1","labels":{"en":{"language":"en","value":"a"}},"claims":{"P1":[{'
    b'"mainsnak":{"snaktype":"value","property":"P1","datatype":"time","datavalue":{"type":"time",'
    b'"value":{"time":"+2024-01-01T00:00:00Z","precision":11}}},"rank":"normal","qualifiers":{'
    b'"P582":[{"snaktype":"somevalue","property":"P582","datatype":"time"}]}}]},"sitelinks":[]}',
    b'{"type":"property","id":"P1","datatype":"time","aliases":{"en":[{"value":"a"}]}}',
    b'{"entity":"Q1","redirect":"Q2"}',
    b'{"type":"lexeme","id":"L1"}',
)


def check_lines(data: bytes) -> None:
    """Every line becomes one thing, and nothing damaged becomes an entity."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        part = PARSER.parse(Chunk(0, 0, number, line))
        counts = (part.entities.num_rows, part.properties.num_rows, len(part.rejects))
        assert sum(counts) <= 1, counts
        assert all(reject.line == number for reject in part.rejects)
        if not (counts[0] or counts[1]):
            assert part.facts.num_rows == 0
            continue
        seen = json.loads(line.strip().rstrip(b","))
        table = part.entities if counts[0] else part.properties
        assert seen["id"][0] == ("Q" if counts[0] else "P")
        assert int(seen["id"][1:]) == table["id"][0].as_py()
        assert set(part.facts["s"].to_pylist()) <= {table["id"][0].as_py()}


def check_file(data: bytes, ending: str, longest_line: int = 64) -> None:
    """A file gives its lines, cut at newlines, or an InputError."""
    path = FOLDER / f"dump{ending}"
    path.write_bytes(data)
    try:
        chunks = list(ChunkReader([path], chunk_bytes=16, longest_line=longest_line))
    except InputError as error:
        if path.name not in str(error):
            raise AssertionError("the message does not name the file") from error
        return
    if ending == ".json":
        too_long = sum(chunk.after is not None for chunk in chunks)
        assert lines_of(b"".join(chunk.data + b"\n" for chunk in chunks), too_long) == lines_of(
            without_brackets(data), too_long
        )


def without_brackets(data: bytes) -> bytes:
    """A dump's lines without those that open and close the array."""
    lines = [line.strip() for line in data.split(b"\n") if line.strip()]
    if lines[:1] == [b"["]:
        lines = lines[1:-1]
    return b"\n".join(lines)


def lines_of(data: bytes, too_long: int) -> list[bytes]:
    """The lines that are not blank; of none where some were left out for their length."""
    return [] if too_long else [line.strip() for line in data.split(b"\n") if line.strip()]

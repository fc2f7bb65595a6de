"""How far the reading of a dump is: the compressed bytes, from a file or from standard input."""

from __future__ import annotations

import bz2
import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from conftest import item, write_dump
from factchain.kg.dumps.chunks import ChunkReader, count_lines
from factchain.kg.dumps.decompress import STANDARD_INPUT, size_of

FORMATS = {
    ".json": bytes,
    ".json.gz": gzip.compress,
    ".json.bz2": bz2.compress,
    ".json.zst": zstandard.ZstdCompressor().compress,
}
SIZE_OF_INPUT = """
from factchain.kg.dumps.decompress import STANDARD_INPUT, size_of
print(size_of(STANDARD_INPUT))
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    towns = [item(f"Q{n}", f"town {n * 7919 % 1000}") for n in range(1, 400)]
    return write_dump(tmp_path_factory.mktemp("plain") / "dump.json", towns).read_bytes()


@pytest.mark.parametrize(("ending", "pack"), FORMATS.items(), ids=FORMATS)
@pytest.mark.parametrize("piped", [False, True], ids=["file", "standard input"])
def test_all_compressed_bytes_are_told(
    plain: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: str,
    pack: Callable[[bytes], bytes],
    piped: bool,
) -> None:
    path = tmp_path / f"dump{ending}"
    path.write_bytes(pack(plain))
    told: list[int] = []
    with path.open() as stdin:
        if piped:
            monkeypatch.setattr(sys, "stdin", stdin)
        source = STANDARD_INPUT if piped else path
        assert size_of(source) == path.stat().st_size
        reader = ChunkReader([source], chunk_bytes=4096, on_read=told.append)
        assert len(list(reader)) > 5
    assert min(told) >= 0
    assert sum(told) == path.stat().st_size


def test_the_size_of_a_pipe_is_not_known(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SIZE_OF_INPUT]
    piped = subprocess.run(command, input=b"[\n]\n", stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"None\n"
    assert size_of(tmp_path / "absent.json") is None


@given(st.lists(st.sampled_from([b"", b"\n", b"a", b"ab\n", b"\r\n"])).map(b"".join))
def test_lines_are_counted_as_bytes_count_does(data: bytes) -> None:
    assert count_lines(data) == data.count(b"\n")

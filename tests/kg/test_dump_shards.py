"""The folder of shards: how lines go to other processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from factchain.errors import OutputError
from factchain.kg.dumps.chunks import Chunk
from factchain.kg.dumps.shards import LineFiles, ShardFolder, ShardTask


def task(index: int, data: bytes) -> ShardTask:
    return ShardTask(Chunk(index, 0, 1, data))


def test_lines_are_handed_over_in_files_that_are_used_again(tmp_path: Path) -> None:
    lines = LineFiles(ShardFolder(str(tmp_path)))
    first, second = (lines.hand_over(task(n, b"long " * 9 + b"%d" % n)) for n in (0, 1))
    assert (first.chunk.data, Path(first.lines).read_bytes()) == (b"", b"long " * 9 + b"0")
    lines.release(0)
    lines.release(7)  # parsed here
    third = lines.hand_over(task(2, b"short"))
    assert third.lines == first.lines != second.lines
    assert Path(third.lines).read_bytes() == b"short"
    assert Path(second.lines).read_bytes().endswith(b"1")
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    lines = LineFiles(ShardFolder(str(tmp_path / "gone")))
    with pytest.raises(OutputError, match="lines-3: cannot be written: No such file"):
        lines.hand_over(task(3, b"x"))


def test_the_files_are_removed_with_the_shards(tmp_path: Path) -> None:
    folder = ShardFolder(str(tmp_path / "shards"))
    assert folder.resume({"dump": 1}) == {}
    LineFiles(folder).hand_over(task(0, b"x"))
    folder.clear()
    assert not (tmp_path / "shards").exists()

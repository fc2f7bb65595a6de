"""factchain's processes do without pandas, and who asks for it still gets it."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest

from factchain.parallel import map_shards

KEPT_OUT = """
import sys
import pyarrow as pa
from factchain.arrow import keep_pandas_out
keep_pandas_out()
assert not [one for one in sys.meta_path if type(one).__module__ == "factchain.arrow"]
table = pa.table({"s": pa.array([1, None, 3]), "label": pa.array(["a", None, "c"])})
assert "pandas" not in sys.modules
"""
ASKED_FOR = """
frame = table.to_pandas()
assert frame.shape == (3, 2) and list(frame["s"].dropna()) == [1, 3]
assert pa.array(frame["s"]).null_count == 1
keep_pandas_out()
assert table.to_pandas().equals(frame)
"""


def run(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_arrays_are_made_without_pandas() -> None:
    run(KEPT_OUT)


def test_pandas_comes_when_it_is_asked_for() -> None:
    pytest.importorskip("pandas")
    run(KEPT_OUT + ASKED_FOR)


def loads_pandas(size: int) -> bool:
    assert len(pa.array(range(size))) == size
    return "pandas" in sys.modules


def test_workers_do_without_pandas() -> None:
    assert list(map_shards(loads_pandas, [1, 2], 2)) == [False, False]


def test_commands_do_without_pandas() -> None:
    run(
        "import sys; from factchain.cli import main; import pyarrow as pa\n"
        "main(['chains', '--help'], standalone_mode=False)\n"
        "main(['kg', 'stats', '--help'], standalone_mode=False)\n"
        "pa.array([1]); assert 'pandas' not in sys.modules"
    )

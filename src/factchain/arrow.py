"""pyarrow imports pandas for its first array: half a second and 40 MiB in each process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

import pyarrow as pa


class _NoPandas(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        """Raise ImportError for pandas, and leave all else to the other finders."""
        if fullname == "pandas":
            raise ImportError("pandas is not needed yet")


def keep_pandas_out() -> None:
    """Make that array while pandas cannot be found; who asks for pandas later still gets it.

    Call it in factchain's own processes only: until then pyarrow takes a `Series` for a list.
    """
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(finder)

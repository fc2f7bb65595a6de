"""The public API: what is exported is there, and importing it is quick."""

from __future__ import annotations

import subprocess
import sys

import pytest

import factchain


def test_everything_exported_is_there() -> None:
    for name in factchain.__all__:
        assert getattr(factchain, name).__doc__, name
    assert sorted(factchain._MODULES) == sorted(factchain.__all__)
    assert factchain.build.__module__ == "factchain.pipeline"
    with pytest.raises(AttributeError, match="no attribute 'rubbish'"):
        factchain.rubbish  # noqa: B018


def test_importing_factchain_loads_nothing_heavy() -> None:
    code = (
        "import factchain, sys; print(sorted({'duckdb', 'inspect_ai', 'numpy'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"

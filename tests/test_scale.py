"""docs/scale.md holds the plan that benchmarks/scale.py computes from the rates that it states."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SYMBOLS = {
    "ingest": "r",
    "decompress": "d",
    "build": "b",
    "text": "x",
    "extract": "e",
    "rebel": "v",
    "diff": "c",
}


@pytest.fixture
def scale(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("scale", ROOT / "benchmarks/scale.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "scale", module)
    spec.loader.exec_module(module)
    return module


def test_the_page_holds_the_plan_of_its_rates(scale: ModuleType) -> None:
    page = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
    assert scale.plan(scale.defaults()) in page, "paste what `python benchmarks/scale.py` prints"
    for name, symbol in SYMBOLS.items():
        stated = re.search(rf"^\| [^|]+ \| {symbol} \| ([\d,.]+)", page, flags=re.MULTILINE)
        assert stated is not None, name
        assert float(stated[1].rstrip(",").replace(",", "")) == scale.RATES[name][0], name


def test_the_slowest_part_bounds_a_step(scale: ModuleType) -> None:
    many = scale.defaults() | {"cores": 1000.0}
    hours = {step.name: step.hours for step in scale.steps(many)}
    # 1.6 TB at the 725 MB a second that one stream of gzip gives
    assert hours["one snapshot: dump to shards"] == pytest.approx(1_600_000 / 725 / 3600)
    few = scale.defaults() | {"cores": 2.0}
    hours = {step.name: step.hours for step in scale.steps(few)}
    assert hours["one snapshot: dump to shards"] == pytest.approx(1_600_000 / (2 * 91) / 3600)
    assert hours["REBEL"] == pytest.approx(27e6 / 20 / 8 / 3600)

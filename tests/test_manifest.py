"""Stages run once, go on where they stopped, and touch nothing that is not theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from factchain.errors import OutputError
from factchain.manifest import Manifest, Stage, StageReport, read_manifest


def run(
    folder: Path, ran: list[str], settings: dict[str, int] | None = None, fail: str = ""
) -> list[tuple[str, bool]]:
    """Two stages, the second of which reads what the first one wrote."""
    source = folder.parent / "input.txt"
    source.touch()

    def stage(name: str) -> StageReport:
        if name == fail:
            raise KeyboardInterrupt
        ran.append(name)
        (folder / f"{name}.txt").write_text(name)
        return StageReport(1, 2, {"reason": 3})

    stages = [
        Stage("first", settings or {}, lambda: stage("first"), [source], ["first.txt"]),
        Stage("second", {}, lambda: stage("second"), (), ["second.txt"]),
    ]
    told: list[tuple[str, bool]] = []
    Manifest.open(folder, 1, {}).run(stages, lambda name, done: told.append((name, done)))
    return told


def test_a_stage_that_is_done_is_not_run_again(tmp_path: Path) -> None:
    out, ran = tmp_path / "out", list[str]()
    assert run(out, ran) == [("first", False), ("second", False)]
    assert run(out, ran) == [("first", True), ("second", True)]
    assert ran == ["first", "second"]
    stage = read_manifest(out)["stages"]["first"]
    assert (stage["rows_in"], stage["rows_out"], stage["rejected"]) == (1, 2, {"reason": 3})


def test_a_stage_runs_again_when_anything_before_it_changed(tmp_path: Path) -> None:
    out, ran = tmp_path / "out", list[str]()
    run(out, ran)
    run(out, ran, settings={"x": 1})
    assert ran == ["first", "second"] * 2
    (tmp_path / "input.txt").write_text("changed")
    run(out, ran, settings={"x": 1})
    assert ran == ["first", "second"] * 3
    (out / "second.txt").write_text("tampered")
    run(out, ran, settings={"x": 1})
    assert ran == ["first", "second"] * 3 + ["second"]
    (out / "first.txt").unlink()
    run(out, ran, settings={"x": 1})
    assert ran[-1] == "first"


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    out, ran = tmp_path / "out", list[str]()
    with pytest.raises(KeyboardInterrupt):
        run(out, ran, fail="second")
    assert list(read_manifest(out)["stages"]) == ["first"]
    assert run(out, ran) == [("first", True), ("second", False)]
    assert ran == ["first", "second"]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="holds something that factchain did not write"):
        Manifest.open(tmp_path, 1, {})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    other = tmp_path / "other"
    other.mkdir()
    for content in ('{"mine": 1}', "[1]", "no json"):
        (other / "manifest.json").write_text(content)
        with pytest.raises(OutputError, match="was not written by factchain"):
            Manifest.open(other, 1, {})
        assert (other / "manifest.json").read_text() == content
    with pytest.raises(OutputError, match="holds something"):
        Manifest.open(tmp_path / "thesis.tex", 1, {})


def test_a_folder_without_manifest_is_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is no workspace"):
        read_manifest(tmp_path)

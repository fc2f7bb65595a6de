"""Progress: everything is passed on, and a silent run says nothing."""

from __future__ import annotations

import pytest

from factchain import progress


def test_items_pass_and_a_line_a_minute_tells_how_many(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter(range(0, 1000, 25))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(times)))
    assert list(progress.track("abcdefgh", "letters", 8)) == list("abcdefgh")
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["  letters: 3 of 8", "  letters: 6 of 8"]


def test_bytes_that_are_read_tell_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 30.0, 60.0, 120.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.measuring("dump", 8_000_000) as advance:
        for _ in range(3):
            advance(2_000_000)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["  dump: 4 MB of 8, 1 min left", "  dump: 6 MB of 8, 1 min left"]


def test_a_silent_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    progress.set_silent(True)
    progress.say("hidden")
    with progress.counting("things") as advance:
        advance()
    assert list(progress.track([1, 2], "numbers")) == [1, 2]
    assert capsys.readouterr() == ("", "")
    progress.set_silent(False)
    progress.say("shown")
    assert capsys.readouterr() == ("", "shown\n")

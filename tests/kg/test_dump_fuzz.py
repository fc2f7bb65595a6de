"""Bytes of any kind, and entities with a damage, through the dump reader."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fuzz.dump_checks import ENDINGS, SEEDS, check_file, check_lines


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """An entity with some bytes replaced, removed or inserted."""
    data = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.integers(0, 8))
        data = data[:start] + draw(st.binary(max_size=8)) + data[end:]
    return data


@given(st.binary(max_size=200) | damaged())
@settings(max_examples=300)
@example(b'{"type":"item","id":"Q1","x":"\xff"}')
@example(b'{"type":"item","id":"Q1","labels":{"zz":{"value":"\xc3"}}}')
@example(b'{"type":"item","id":"Q1","x":01}')
@example(b'{"type":"item","id":"Q1","x":[1,]}')
@example(b'{"type":"item","id":"Q1","id":"Q2"}')
def test_a_line_gives_an_entity_or_a_reject(line: bytes) -> None:
    check_lines(line)


@pytest.mark.parametrize("ending", ENDINGS)
@given(data=st.binary(max_size=100) | damaged())
@settings(max_examples=30)
def test_a_file_gives_its_lines_or_an_error(ending: str, data: bytes) -> None:
    check_file(data, ending)


@given(st.lists(st.sampled_from([*SEEDS, b"[", b"]", b"", b" ", b"x" * 99]), max_size=8))
@settings(max_examples=100)
def test_lines_are_neither_lost_nor_doubled(lines: list[bytes]) -> None:
    check_file(b"\n".join([b"[", *lines, b"]"]), ".json", longest_line=10_000)
    check_file(b"\n".join(lines), ".json", longest_line=10_000)

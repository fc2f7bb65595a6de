"""What a chain asks for: its end, a comparison, an order in time, the entity that facts describe.

Decided by the last hop alone, whatever leads to it. A comparison of dates that asks which is
first or last, before or after, is an order in time; one that asks whether they are the same is a
comparison.
"""

from __future__ import annotations

from typing import Literal

from factchain.chains.records import HopKind, Operator

ChainType = Literal["chain", "comparison", "temporal", "inference"]
DirectType = Literal["comparison", "temporal", "inference"]
"""Types that can be drawn as one hop between several topic entities."""

DIRECT_TYPES: tuple[DirectType, ...] = ("comparison", "temporal", "inference")
IN_TIME: frozenset[Operator] = frozenset({"earliest", "latest", "before", "after"})
"""Operators that ask for an order in time."""


def type_of(kind: HopKind, operator: Operator | None) -> ChainType:
    """The type of a chain whose last hop is of this kind, with this operator."""
    if kind == "intersect":
        return "inference"
    if kind != "compare":
        return "chain"
    return "temporal" if operator in IN_TIME else "comparison"

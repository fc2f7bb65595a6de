"""Sort and compress edges: the loops that build the graph index.

All are linear in the number of edges: stable counting sorts in place of comparisons, a bitmap
with ranks in place of a hash table. Arrays come with the types that the annotations name.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from factchain.compiled import compiled

Entities = npt.NDArray[np.int32]
"""Dense numbers of entities, or Q-numbers."""
Positions = npt.NDArray[np.uint32]
"""Positions in other arrays: of edges, of the first edge of an entity."""
Keys = npt.NDArray[np.uint64]
Number = TypeVar("Number", bound=np.generic)

MOST_EDGES = 2**32 - 1
"""Positions are 32-bit numbers."""
MOST_ENTITIES = 2**30
"""Two bits of a joined pair's 32 say in which direction a fact leads."""


@compiled
def add_uses(numbers: Entities, shift: int, uses: Positions) -> None:
    """Count how often every number occurs, without its last bits; `np.bincount` copies them all."""
    for number in numbers:
        uses[number >> shift] += np.uint32(1)


@compiled
def pick(values: Any, order: Positions, into: Any) -> None:
    """Write the values at the positions of an order; NumPy would copy the order to 64 bits."""
    for i in range(len(order)):
        into[i] = values[order[i]]


@compiled
def set_bits(bits: Keys, numbers: Entities) -> None:
    """Set the bit of every number."""
    one = np.uint64(1)
    for number in numbers:
        bits[number >> 6] |= one << np.uint64(number & 63)


@compiled
def list_bits(bits: Keys, numbers: Entities) -> None:
    """Write the numbers of the bits that are set, in ascending order."""
    at = 0
    for word in range(len(bits)):
        value = bits[word]
        if value:
            for bit in range(64):
                if (value >> np.uint64(bit)) & np.uint64(1):
                    numbers[at] = word * 64 + bit
                    at += 1


@compiled
def to_ranks(bits: Keys, before: Entities, numbers: Entities) -> None:
    """Replace every number by the rank of its bit; `before` counts the bits of earlier words."""
    one = np.uint64(1)
    for i in range(len(numbers)):
        number = numbers[i]
        lower = bits[number >> 6] & ((one << np.uint64(number & 63)) - one)
        lower -= (lower >> one) & np.uint64(0x5555555555555555)
        lower = (lower & np.uint64(0x3333333333333333)) + (
            (lower >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        lower = (lower + (lower >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        count = (lower * np.uint64(0x0101010101010101)) >> np.uint64(56)
        numbers[i] = before[number >> 6] + np.int32(count)


@compiled
def stable_order(order: Positions, keys: Entities, begin: Positions, into: Positions) -> None:
    """Sort positions by their keys, keeping the order of equal keys, by counting.

    `begin` holds where the positions of each key are to begin, and is used up.
    """
    for position in order:
        key = keys[position]
        into[begin[key]] = position
        begin[key] += np.uint32(1)


@compiled
def compress_pairs(keys: Keys, start: Positions, others: Positions) -> int:
    """From sorted keys (low << 32 | high << 2 | direction) to one list of `high << 2 | directions`
    for each `low`; return how many pairs there are. `start` is zeroed, one longer than entities."""
    count = 0
    last = np.uint64(0)
    for key in keys:
        pair = key >> np.uint64(2)
        if count > 0 and pair == last:
            others[count - 1] |= np.uint32(key & np.uint64(3))
            continue
        last = pair
        others[count] = np.uint32(key & np.uint64(0xFFFFFFFF))
        start[(key >> np.uint64(32)) + np.uint64(1)] += np.uint32(1)
        count += 1
    for entity in range(1, len(start)):
        start[entity] += start[entity - 1]
    return count


def in_order(values: npt.NDArray[Number], order: Positions) -> npt.NDArray[Number]:
    """The values at the positions of an order."""
    into = np.empty(len(order), values.dtype)
    pick(values, order, into)
    return into


def starts(keys: Entities, count: int) -> Positions:
    """Where the stretch of each of `count` keys begins in sorted order, and where the last ends."""
    begin = np.zeros(count + 1, np.uint32)
    add_uses(keys, 0, begin[1:])
    np.cumsum(begin, out=begin, dtype=np.uint32)
    return begin


def order_by(keys: list[tuple[Entities, int]]) -> Positions:
    """The order of rows by several columns, the first of them first; columns come with the number
    of their different values, which are 0 and up."""
    order = np.arange(len(keys[0][0]), dtype=np.uint32)
    for column, count in reversed(keys):
        into = np.empty_like(order)
        stable_order(order, column, starts(column, count), into)
        order = into
    return order

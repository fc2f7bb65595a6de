"""The search for reasoning graphs, depth first, with every test on every prefix.

The loop carries out the steps of a `programme.Programme`. A prefix that revisits an entity, or
that a shortcut joins, is cut with everything below it. Where a step keeps only a share of the
edges, each edge is kept or not by a keyed hash of the prefix, on its own, so that what is found
does not depend on the order of the work, nor on who does it. Every reasoning graph that is
found bears a keyed 64-bit hash; a stratum keeps those of smallest hash, in a heap.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from factchain.compiled import compiled

U = np.uint64
Whole: TypeAlias = "int | np.signedinteger[Any]"
"""What is an int64 when compiled."""
GOLDEN = U(0x9E3779B97F4A7C15)
FOR_SHARES = U(0xD1B54A32D192ED03)
"""Makes the numbers that thin a step differ from those that rank the chains."""
FOR_KEYS = U(0x8CB92BA72F3D8DD7)

REASONS = ("acyclicity", "no shortcut", "several answers", "condition not needed")
"""What `rejected` counts: entities that occur twice, prefixes that a shortcut joins, and
intersections with several answers or with a condition that is not needed."""


@compiled
def mix(value: U) -> U:
    """A bijection of 64-bit numbers that looks random (the finalizer of splitmix64)."""
    value ^= value >> U(30)
    value *= U(0xBF58476D1CE4E5B9)
    value ^= value >> U(27)
    value *= U(0x94D049BB133111EB)
    return value ^ (value >> U(31))


@compiled
def directions(start: Any, joined: Any, a: Whole, b: Whole) -> Whole:
    """In which directions facts join two entities: 1 from a to b, 2 from b to a, or both."""
    low, high = (a, b) if a < b else (b, a)
    first, end = np.int64(start[low]), np.int64(start[low + 1])
    target = high << 2
    while first < end:
        middle = (first + end) >> 1
        if np.int64(joined[middle]) < target:
            first = middle + 1
        else:
            end = middle
    if first >= np.int64(start[low + 1]):
        return 0
    found = np.int64(joined[first])
    if found >> 2 != high:
        return 0
    if a < b:
        return found & 3
    return ((found & 1) << 1) | ((found >> 1) & 1)


@compiled
def skipped(state: U, thinning: float) -> Whole:
    """How many edges to pass over before the next that is kept (geometrically distributed)."""
    uniform = (state >> U(11)) * 2.0**-53
    return np.int64(np.log(1.0 - uniform) * thinning)


@compiled
def lower_bound(values: Any, first: Whole, end: Whole, wanted: Whole) -> Whole:
    """The first position in a sorted stretch whose value is not less than the wanted one."""
    while first < end:
        middle = (first + end) >> 1
        if np.int64(values[middle]) < wanted:
            first = middle + 1
        else:
            end = middle
    return first


@compiled
def count_answers(
    start: Any, properties: Any, ends: Any, entities: Any, codes: Any, width: Whole, without: Whole
) -> Whole:
    """How many entities satisfy the conditions (entities[i], codes[i]), at most 2 are counted.

    The arrays are the out-edges or the in-edges; the condition `without` is left out.
    """
    firsts = np.empty(width, np.int64)
    lasts = np.empty(width, np.int64)
    shortest = -1
    for i in range(width):
        if i == without:
            continue
        begin, end = np.int64(start[entities[i]]), np.int64(start[entities[i] + 1])
        firsts[i] = lower_bound(properties, begin, end, codes[i])
        lasts[i] = lower_bound(properties, firsts[i], end, codes[i] + 1)
        if shortest < 0 or lasts[i] - firsts[i] < lasts[shortest] - firsts[shortest]:
            shortest = i
    count = 0
    for at in range(firsts[shortest], lasts[shortest]):
        candidate = np.int64(ends[at])
        in_all = True
        for i in range(width):
            if i != without and i != shortest:
                place = lower_bound(ends, firsts[i], lasts[i], candidate)
                if place >= lasts[i] or np.int64(ends[place]) != candidate:
                    in_all = False
                    break
                firsts[i] = place
        if in_all:
            count += 1
            if count == 2:
                break
    return count


@compiled
def offer(keys: Any, places: Any, edges: Any, size: Whole, key: U, chosen: Any) -> Whole:
    """Put a chain into a heap of smallest keys (the largest on top); return the new size."""
    capacity = len(keys)
    if size < capacity:
        at, place = size, size
        size += 1
        while at > 0 and keys[(at - 1) >> 1] < key:
            keys[at], places[at] = keys[(at - 1) >> 1], places[(at - 1) >> 1]
            at = (at - 1) >> 1
    elif key < keys[0]:
        at, place = 0, places[0]
        while True:
            child = 2 * at + 1
            if child >= capacity:
                break
            if child + 1 < capacity and keys[child + 1] > keys[child]:
                child += 1
            if keys[child] <= key:
                break
            keys[at], places[at] = keys[child], places[child]
            at = child
    else:
        return size
    keys[at], places[at] = key, place
    for i in range(edges.shape[1]):
        edges[place, i] = chosen[i]
    return size


@compiled
def intersection_problem(
    start: Any, properties: Any, ends: Any, entities: Any, codes: Any, width: Whole
) -> Whole:
    """Why conditions do not make a hop: 2 several answers, 3 one is not needed, 0 they do.

    One condition alone has several answers, by the lists that the search walks.
    """
    if count_answers(start, properties, ends, entities, codes, width, -1) != 1:
        return 2
    if width > 2:
        for without in range(width):
            if count_answers(start, properties, ends, entities, codes, width, without) == 1:
                return 3
    return 0


@compiled
def search(
    roots: Any,
    depth: Whole,
    seed: U,
    lists: tuple[Any, Any, Any, Any],
    joined: tuple[Any, Any],
    whole: tuple[Any, Any, Any, Any, Any, Any],
    programme: tuple[Any, Any, Any, Any, Any],
    thinning: Any,
    rarer: Whole,
    pool: tuple[Any, Any, Any, Any],
    counts: tuple[Any, Any, Any],
) -> None:
    """Search below each root; fill the pool and add to the counts.

    `lists`: per kind of list where the edges of an entity begin, and of each edge the other end,
    the label code and the position in the index. `joined`, `whole`: the index's pairs, its edges
    and reverse edges. `programme`: its steps, order, apart, smaller, and the variable that each
    slot's condition is on. `thinning`: per step 1 / log(1 - share), 0 to keep every edge.
    `rarer`: the label of a hop whose facts have different ones. The step `depth` is not walked,
    only the lengths of its lists are added up. `pool`: keys, places, edges, sizes by stratum.
    `counts`: chains by stratum, edges in the lists of each step, rejections by reason.
    """
    starts, ends, marks, positions = lists
    joined_start, pairs = joined
    out_start, properties, objects, in_start, in_properties, in_subjects = whole
    steps, order, apart, smaller, sources = programme
    keys, places, kept, sizes = pool
    length = len(steps)
    # Threads that count in neighbouring memory slow each other down: each counts in its own.
    available = np.zeros_like(counts[0])
    looked = np.zeros_like(counts[1])
    rejected = np.zeros_like(counts[2])
    filled = sizes.copy()
    known = np.zeros(len(order), np.int32)
    chosen = np.zeros(length, np.uint32)
    cursor = np.zeros(length, np.int64)
    stop = np.zeros(length, np.int64)
    states = np.zeros(length, np.uint64)
    hashes = np.zeros(length + 1, np.uint64)
    labels = np.zeros(length + 1, np.int64)
    patterns = np.zeros(length + 1, np.int64)
    conditions = np.zeros(length, np.int32)
    codes = np.zeros(length, np.int64)
    for root in roots:
        known[order[0]] = root
        hashes[0] = mix(seed ^ (U(root) + U(1)) * GOLDEN)
        step = 0
        entering = True
        while step >= 0:
            edges, variable, before = steps[step, 0], steps[step, 2], steps[step, 3]
            if entering:
                entering = False
                at = known[steps[step, 1]]
                cursor[step] = starts[edges, at]
                stop[step] = starts[edges, at + 1]
                looked[step] += stop[step] - cursor[step]
                if step == depth:
                    step -= 1
                    continue
                states[step] = mix(hashes[step] ^ FOR_SHARES)
                if thinning[step] != 0.0:
                    cursor[step] += skipped(states[step], thinning[step])
            edge = cursor[step]
            if edge >= stop[step]:
                step -= 1
                continue
            cursor[step] += 1
            if thinning[step] != 0.0:
                states[step] = mix(states[step] + GOLDEN)
                cursor[step] += skipped(states[step], thinning[step])
            other = ends[edge]
            meets = steps[step, 4] == 1
            if meets:
                if known[variable] != other:
                    continue
            else:
                twice = False
                for i in range(before):
                    twice |= known[order[i]] == other
                if twice:
                    rejected[0] += 1
                    continue
            slot = steps[step, 5]
            chosen[slot] = positions[edge]
            in_order = True
            for i in range(len(smaller)):
                if smaller[i, 0] == step and chosen[smaller[i, 1]] > chosen[smaller[i, 2]]:
                    in_order = False
            if not in_order:
                continue
            if not meets:
                shortcut = False
                for i in range(before):
                    rule = apart[order[i], variable]
                    if rule:
                        forbidden = 3 if rule == 1 else rule - 1
                        if directions(joined_start, pairs, known[order[i]], other) & forbidden:
                            shortcut = True
                            break
                if shortcut:
                    rejected[1] += 1
                    continue
                known[variable] = other
            label = np.int64(marks[edge])
            if steps[step, 7] == 0 and labels[step] == rarer:
                label = labels[step]
            labels[step + 1] = label
            patterns[step + 1] = patterns[step]
            if steps[step, 8] == 1:
                patterns[step + 1] += label << steps[step, 6]
                width = steps[step, 10]
                if width > 1:
                    for i in range(width):
                        slot = steps[step, 11] + i
                        codes[i] = properties[chosen[slot]]
                        conditions[i] = known[sources[slot]]
                    if steps[step, 9] == 1:
                        problem = intersection_problem(
                            out_start, properties, objects, conditions, codes, width
                        )
                    else:
                        problem = intersection_problem(
                            in_start, in_properties, in_subjects, conditions, codes, width
                        )
                    if problem:
                        rejected[problem] += 1
                        continue
            hashes[step + 1] = mix(hashes[step] ^ (U(positions[edge]) + U(1)) * GOLDEN)
            if steps[step, 12] >= 0:
                stratum = steps[step, 12] + patterns[step + 1]
                available[stratum] += 1
                key = mix(hashes[step + 1] ^ FOR_KEYS)
                filled[stratum] = offer(
                    keys[stratum], places[stratum], kept[stratum], filled[stratum], key, chosen
                )
            if step + 1 < length:
                step += 1
                entering = True
    counts[0][:] += available
    counts[1][:] += looked
    counts[2][:] += rejected
    sizes[:] = filled

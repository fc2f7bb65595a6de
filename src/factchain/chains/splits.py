"""Split chains into train, dev and test so that nothing of a kind is shared between them.

Chains that share a fact (or an answer, or a topic entity) belong together, and so do those that
share with any of these: a connected component goes into one split as a whole. Components are
assigned largest first, each to the split where it keeps the strata closest to the ratios.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import orjson
from networkx.utils import UnionFind

from factchain.chains.records import EntityRef, FactChain
from factchain.errors import ConfigError, InputError
from factchain.files import write_atomically
from factchain.records import read_records, write_records

Disjoint = Literal["facts", "answers", "topics"]
Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")
REPORT = "leakage.json"
SLACK = 0.1
"""By how much of all chains a split may miss its ratio."""
NAMED = 3
"""How many of the things that most chains share a message names."""


def facts_of(chain: FactChain) -> set[Hashable]:
    """The facts of all hops."""
    return {fact.key for hop in chain.hops for fact in hop.facts}


def answers_of(chain: FactChain) -> set[Hashable]:
    """The answer, and the other valid ones; none where it is yes or no, which all must share."""
    last = chain.hops[-1]
    found = (last.answer, *last.other_answers)
    return {one.key for one in found if isinstance(one, EntityRef) or one.datatype != "boolean"}


def topics_of(chain: FactChain) -> set[Hashable]:
    """The topic entities."""
    return set(chain.topics)


def entities_of(chain: FactChain) -> set[Hashable]:
    """All entities of facts."""
    facts = [fact for hop in chain.hops for fact in hop.facts]
    return {fact.s for fact in facts} | {fact.o for fact in facts if fact.o is not None}


def properties_of(chain: FactChain) -> set[Hashable]:
    """All properties of facts."""
    return {fact.p for hop in chain.hops for fact in hop.facts}


KINDS: dict[str, Callable[[FactChain], set[Hashable]]] = {
    "facts": facts_of,
    "answers": answers_of,
    "topics": topics_of,
    "entities": entities_of,
    "properties": properties_of,
}
"""What chains can share."""


@dataclass(frozen=True)
class Splitting:
    """A split, and what its parts still share."""

    disjoint: Disjoint
    chains: dict[Split, list[FactChain]]
    """In the order of the file."""
    components: int
    largest: int
    """Chains of the largest component."""

    def leakage(self) -> list[dict[str, Any]]:
        """Per pair of splits and kind: how many things both have, and in how many chains of the
        second they occur."""
        rows = []
        for first, second in combinations(SPLITS, 2):
            for kind, things_of in KINDS.items():
                known = set().union(*map(things_of, self.chains[first]))
                own = [things_of(chain) for chain in self.chains[second]]
                rows.append(
                    {
                        "first": first,
                        "second": second,
                        "kind": kind,
                        "shared": len(known & set().union(*own)),
                        "chains": sum(1 for things in own if things & known),
                    }
                )
        return rows

    def strata(self) -> list[dict[str, Any]]:
        """Chains of each stratum by split."""
        tally = Counter(
            (stratum_of(chain), split) for split in SPLITS for chain in self.chains[split]
        )
        return [
            {
                "axis": axis,
                "topology": topology,
                "hops": hops,
                "pattern": list(pattern),
                **{split: tally[(axis, topology, hops, pattern), split] for split in SPLITS},
            }
            for axis, topology, hops, pattern in sorted({stratum for stratum, _ in tally})
        ]

    def as_dict(self) -> dict[str, Any]:
        """The split as JSON values."""
        return {
            "disjoint": self.disjoint,
            "chains": {split: len(self.chains[split]) for split in SPLITS},
            "components": self.components,
            "largest_component": self.largest,
            "leakage": self.leakage(),
            "strata": self.strata(),
        }


def stratum_of(chain: FactChain) -> tuple[str, str, int, tuple[str, ...]]:
    """Axis, topology, number of hops and label pattern."""
    return chain.axis, chain.topology, len(chain.hops), chain.labels


def split_chains(
    chains: Sequence[FactChain], disjoint: Disjoint, ratios: Sequence[float], seed: int
) -> Splitting:
    """Put every chain into one split.

    `ratios` are those of train, dev and test. Raises ConfigError for ratios that are none, and
    InputError where what chains share makes such a split impossible.
    """
    _check_ratios(ratios)
    groups = components(chains, KINDS[disjoint])
    largest = max(map(len, groups), default=0)
    if largest > (max(ratios) + SLACK) * len(chains):
        raise InputError(_impossible(chains, groups, disjoint, ratios))
    where = _assign(chains, groups, ratios, seed)
    parts: dict[Split, list[FactChain]] = {split: [] for split in SPLITS}
    for chain, split in zip(chains, where, strict=True):
        parts[split].append(chain)
    if any(ratio and not parts[split] for split, ratio in zip(SPLITS, ratios, strict=True)):
        raise InputError(_impossible(chains, groups, disjoint, ratios))
    return Splitting(disjoint, parts, len(groups), largest)


def components(
    chains: Sequence[FactChain], things_of: Callable[[FactChain], Iterable[Hashable]]
) -> list[list[int]]:
    """The positions of the chains that are connected by what they share."""
    sets: UnionFind[Hashable] = UnionFind(range(len(chains)))
    first: dict[Hashable, int] = {}
    for position, chain in enumerate(chains):
        for thing in things_of(chain):
            sets.union(first.setdefault(thing, position), position)
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for position in range(len(chains)):
        groups[sets[position]].append(position)
    return sorted(groups.values())


def _assign(
    chains: Sequence[FactChain], groups: list[list[int]], ratios: Sequence[float], seed: int
) -> list[Split]:
    """The split of each chain: components largest first, those of one size in a random order."""

    def order(group: list[int]) -> tuple[int, bytes]:
        name = min(chains[position].id for position in group)
        key = hashlib.blake2b(name.encode(), digest_size=8, key=str(seed).encode()).digest()
        return -len(group), key

    totals = Counter(map(stratum_of, chains))
    have: Counter[tuple[Hashable, Split]] = Counter()
    open_splits = [(split, r) for split, r in zip(SPLITS, ratios, strict=True) if r > 0]
    where: list[Split] = ["train"] * len(chains)
    for group in sorted(groups, key=order):
        own = Counter(stratum_of(chains[position]) for position in group)

        def cost(split: Split, ratio: float, own: Counter[Any] = own) -> float:
            """How much the component adds to the squared distance from the ratios."""
            added = 0.0
            for stratum, count in (*own.items(), ("all", own.total())):
                target = ratio * (totals[stratum] if stratum != "all" else len(chains))
                before = have[stratum, split]
                added += ((before + count - target) ** 2 - (before - target) ** 2) / target
            return added

        split, _ = min(open_splits, key=lambda one: cost(*one))
        for position in group:
            where[position] = split
        for stratum, count in (*own.items(), ("all", own.total())):
            have[stratum, split] += count
    return where


def _check_ratios(ratios: Sequence[float]) -> None:
    if len(ratios) != len(SPLITS) or min(ratios) < 0 or abs(sum(ratios) - 1) > 1e-6:
        raise ConfigError(
            f"ratios {','.join(f'{ratio:g}' for ratio in ratios)}: three shares of 1 are needed, "
            "for train, dev and test, such as 0.8,0.1,0.1"
        )


def _impossible(
    chains: Sequence[FactChain],
    groups: list[list[int]],
    disjoint: Disjoint,
    ratios: Sequence[float],
) -> str:
    """Why there is no such split, and what would help."""
    wanted = ", ".join(f"{ratio:g}" for ratio in ratios)
    group = max(groups, key=len, default=[])
    sharing = Counter(thing for position in group for thing in KINDS[disjoint](chains[position]))
    ordered = sorted(sharing.items(), key=lambda entry: (-entry[1], str(entry[0])))
    most = [(thing, n) for thing, n in ordered[:NAMED] if n > 1]
    named = "; ".join(
        f"{' '.join(thing) if isinstance(thing, tuple) else thing} in {n}" for thing, n in most
    )
    others = [kind for kind in ("facts", "topics", "answers") if kind != disjoint]
    return (
        f"no split into {wanted} without shared {disjoint}: {len(chains)} chains make "
        f"{len(groups)} components of which the largest has {len(group)} chains"
        + (f" (most often shared: {named})" if named else "")
        + f". Split by {' or '.join(others)}, ask for other ratios, or draw chains that share "
        "less: more chains, or lower caps (per_answer, per_topic, per_bridge_entity)"
    )


def split_file(
    file: Path, disjoint: Disjoint, ratios: Sequence[float], seed: int, out: Path
) -> Splitting:
    """Split a file of chains into a folder. Raises InputError for a file that holds none."""
    _check_ratios(ratios)
    chains = read_chains(file)
    splitting = split_chains(chains, disjoint, ratios, seed)
    write_splits(splitting, out)
    return splitting


def read_chains(file: Path) -> list[FactChain]:
    """The chains of a file. Raises InputError where there is none, or one id occurs twice."""
    chains = list(read_records(file, FactChain))
    if not chains:
        raise InputError(f"{file}: holds no chain; `factchain chains sample` draws some")
    for chain_id, count in Counter(chain.id for chain in chains).items():
        if count > 1:
            raise InputError(f"{file}: {count} chains have the id {chain_id}: remove all but one")
    return chains


def write_splits(splitting: Splitting, out: Path) -> list[Path]:
    """Write a file a split, and the leakage report, into a folder; return their paths."""
    paths = []
    for split in SPLITS:
        paths.append(out / f"{split}.jsonl")
        write_records(paths[-1], splitting.chains[split])
    paths.append(out / REPORT)
    with write_atomically(paths[-1]) as file:
        file.write(orjson.dumps(splitting.as_dict(), option=orjson.OPT_INDENT_2) + b"\n")
    return paths

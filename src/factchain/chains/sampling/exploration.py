"""Run a search over a graph: exactly where that is feasible, else over a share that is fair.

How many edges each step of a search would look at is estimated by trial searches of growing depth,
each thinned so that it stays small. Where a step has more to look at than it may, every edge is
kept with the same probability, given by what the trials found and so not by the search itself:
each chain is found with the same probability, the product of its steps' shares. A graph on which
no step has too much is searched whole.

Roots are dealt to chunks, and chunks to threads, or to the machines of Ray: what each finds is
merged by key, so that the result is the same whoever found it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from factchain.chains.graph.graph_index import GraphIndex, save
from factchain.chains.sampling.enumeration import REASONS, search
from factchain.chains.sampling.programme import Programme
from factchain.chains.sampling.search_lists import SearchLists
from factchain.parallel import Engine, map_shards

Keys = npt.NDArray[np.uint64]

TRIAL = 100_000
"""Edges that a step of a trial search looks at, about."""
CHUNKS = 32
"""Parts for each worker that the roots are dealt to: it takes one after the other."""
SHARDS = 16
"""Parts that go to other machines."""
NARROWING = 4
"""How many times fewer edges a step may look at than the one below it."""
LEAST_SHARE_OF_WORK = 1 / 64
"""Of the edges that the last step may look at, the share that any step may."""
SEED_BITS = 2**64 - 1


@dataclass(frozen=True)
class Search:
    """A programme and how it is to be carried out."""

    programme: Programme
    seed: int
    rarer: int
    """Label code of a hop whose facts have different ones."""
    capacity: int
    """Chains that are kept of each stratum."""
    shares: tuple[float, ...]
    """Of the edges that a step looks at, the share that it keeps."""

    def probability(self, step: int) -> float:
        """With which probability the search finds a chain that ends at a step."""
        return float(np.prod(self.shares[: step + 1]))


@dataclass
class Found:
    """What a search, or a part of it, found, by number of the stratum."""

    keys: Keys
    """While it is filled in the order of a heap; `sizes` are filled."""
    places: npt.NDArray[np.int32]
    edges: npt.NDArray[np.uint32]
    """The edges of each kept chain, by slot."""
    sizes: npt.NDArray[np.int64]
    available: npt.NDArray[np.int64]
    looked: npt.NDArray[np.int64]
    """Edges that each step looked at."""
    rejected: npt.NDArray[np.int64]

    @classmethod
    def nothing(cls, programme: Programme, capacity: int) -> Found:
        """An empty pool."""
        strata, slots = programme.strata, len(programme.slots)
        return cls(
            keys=np.empty((strata, capacity), np.uint64),
            places=np.empty((strata, capacity), np.int32),
            edges=np.empty((strata, capacity, slots), np.uint32),
            sizes=np.zeros(strata, np.int64),
            available=np.zeros(strata, np.int64),
            looked=np.zeros(slots, np.int64),
            rejected=np.zeros(len(REASONS), np.int64),
        )

    def chains(self, stratum: int) -> tuple[Keys, npt.NDArray[np.uint32]]:
        """The kept chains of a stratum: their keys, ascending, and their edges."""
        size = self.sizes[stratum]
        order = np.argsort(self.keys[stratum, :size], kind="stable")
        return self.keys[stratum, order], self.unsorted(stratum)[order]

    def unsorted(self, stratum: int) -> npt.NDArray[np.uint32]:
        """The edges of a stratum's chains in the order of `keys`."""
        places = self.places[stratum, : self.sizes[stratum]]
        edges: npt.NDArray[np.uint32] = self.edges[stratum, places]
        return edges

    def trimmed(self) -> Found:
        """The same without room for more, to be sent."""
        room = int(self.sizes.max(initial=0))
        return replace(
            self,
            keys=self.keys[:, :room],
            places=self.places[:, :room],
            edges=self.edges[:, :room],
        )


def merge(parts: Iterable[Found], programme: Programme, capacity: int) -> Found:
    """What several parts of a search found together; to be read, no longer a heap."""
    whole = Found.nothing(programme, capacity)
    kept = list(parts)
    for part in kept:
        whole.available += part.available
        whole.looked += part.looked
        whole.rejected += part.rejected
    for stratum in range(programme.strata):
        keys = np.concatenate([part.keys[stratum, : part.sizes[stratum]] for part in kept])
        edges = np.concatenate([part.unsorted(stratum) for part in kept])
        if len(keys) > capacity:
            smallest = np.argpartition(keys, capacity - 1)[:capacity]
            keys, edges = keys[smallest], edges[smallest]
        whole.sizes[stratum] = size = len(keys)
        whole.keys[stratum, :size], whole.edges[stratum, :size] = keys, edges
        whole.places[stratum, :size] = np.arange(size)
    return whole


def plan(
    graph: GraphIndex,
    lists: SearchLists,
    programme: Programme,
    *,
    seed: int,
    rarer: int,
    capacity: int,
    work: int,
) -> Search:
    """A search whose steps look at about `work` edges at most."""
    steps = len(programme.slots)
    roots = all_roots(lists, programme)
    trial = Search(programme, seed ^ 0x7269616C, rarer, 1, (1.0,) * steps)
    of_roots = min(1.0, TRIAL / max(1, len(roots)))
    rng = np.random.default_rng([trial.seed & SEED_BITS, len(roots)])
    sample = roots if of_roots == 1 else roots[rng.random(len(roots)) < of_roots]
    shares, reach, trial_reach = [], 1.0, of_roots
    for step in range(steps):
        looked = int(_search(graph, lists, trial, [sample], depth=step).looked[step])
        most = work * max(LEAST_SHARE_OF_WORK, float(NARROWING) ** (step + 1 - steps))
        expected = looked / trial_reach * reach
        share = 1.0 if expected <= most else most / expected
        trial_share = 1.0 if looked <= TRIAL else TRIAL / looked
        shares.append(share)
        reach *= share
        trial_reach *= trial_share
        trial_shares = (*trial.shares[:step], trial_share, *trial.shares[step + 1 :])
        trial = replace(trial, shares=trial_shares)
    return Search(programme, seed, rarer, capacity, tuple(shares))


def all_roots(lists: SearchLists, programme: Programme) -> npt.NDArray[np.int32]:
    """The entities that have an edge to start with."""
    starts = lists.starts[lists.row(programme.steps[0, 0])]
    return np.flatnonzero(starts[1:] != starts[:-1]).astype(np.int32)


def explore(
    graph: GraphIndex, lists: SearchLists, one: Search, *, workers: int, engine: Engine = "local"
) -> Found:
    """Carry a search out, with threads of this process or on Ray."""
    roots = all_roots(lists, one.programme)
    if engine == "ray":
        with shared(graph, lists) as folder:
            shards = [Shard(str(folder), one, first, SHARDS) for first in range(SHARDS)]
            parts = list(map_shards(search_shard, shards, workers, engine))
        return merge(parts, one.programme, one.capacity)
    chunks = deal(roots, CHUNKS * workers)
    if workers <= 1:
        return _search(graph, lists, one, chunks)
    todo = iter(chunks)  # threads take from one iterator, a chunk at a time
    with ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(lambda _: _search(graph, lists, one, todo), range(workers)))
    return merge(parts, one.programme, one.capacity)


def deal(roots: npt.NDArray[np.int32], count: int) -> list[npt.NDArray[np.int32]]:
    """The roots in chunks of equal weight: neighbours, of like degree, go to different ones."""
    return [np.ascontiguousarray(roots[i::count]) for i in range(min(count, len(roots)))]


def _search(
    graph: GraphIndex,
    lists: SearchLists,
    one: Search,
    chunks: Iterable[npt.NDArray[np.int32]],
    depth: int | None = None,
) -> Found:
    """Search below the roots of the chunks, in this thread."""
    programme, arrays = one.programme, graph.arrays
    found = Found.nothing(programme, one.capacity)
    steps = programme.steps.copy()
    steps[:, 0] = [lists.row(kind) for kind in steps[:, 0]]
    sources = np.array([slot.source for slot in programme.slots], np.int32)
    shares = np.array(one.shares)
    with np.errstate(divide="ignore"):
        thinning = np.where(shares < 1, 1 / np.log1p(-np.minimum(shares, 1 - 1e-16)), 0.0)
    for roots in chunks:
        search(
            roots,
            len(steps) if depth is None else depth,
            np.uint64(one.seed & SEED_BITS),
            lists.parts,
            (arrays.joined_start, arrays.joined),
            (
                arrays.out_start,
                arrays.properties,
                arrays.objects,
                arrays.in_start,
                arrays.in_properties,
                arrays.in_subjects,
            ),
            (steps, programme.order, programme.apart, programme.smaller, sources),
            thinning,
            one.rarer,
            (found.keys, found.places, found.edges, found.sizes),
            (found.available, found.looked, found.rejected),
        )
    return found


@dataclass(frozen=True)
class Shard:
    """A part of a search for another process: every `of`-th of the roots."""

    folder: str
    search: Search
    first: int
    of: int


def search_shard(shard: Shard) -> Found:
    """Carry out a part of a search, over the arrays of a folder."""
    folder = Path(shard.folder)
    graph, lists = GraphIndex.open(folder / "index"), SearchLists.open(folder)
    roots = all_roots(lists, shard.search.programme)[shard.first :: shard.of]
    return _search(graph, lists, shard.search, [np.ascontiguousarray(roots)]).trimmed()


@contextmanager
def shared(graph: GraphIndex, lists: SearchLists) -> Iterator[Path]:
    """A temporary folder with the arrays, for processes to map into their memory."""
    with tempfile.TemporaryDirectory(prefix="factchain-") as name:
        save(graph.arrays, Path(name) / "index", "")
        lists.save(Path(name))
        yield Path(name)

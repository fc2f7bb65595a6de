"""Finding 100,000 names in text, against other name finders on the same text, in one run.

Names are made of syllables, one to three words long, some borne by two entities; the text is of
common words with a name every ten words or so, both drawn by Zipf's law, in passages of 100 words.
Each has a process of its own. The others only list the names that each passage has as whole words;
factchain also tells apart who is meant, counts, and (last rows) reads the passages from a file, and
puts them and the facts that they state into the store. A regular expression is given 1,000 names,
since it tries one after the other; what is not installed is left out.
Run: python benchmarks/extract.py [MB]
"""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from factchain import progress
from factchain.kg.extraction.cooccurrence import Cooccurrence, CooccurrenceSettings
from factchain.kg.extraction.lexicon import Lexicon
from factchain.kg.extraction.mentions import extract_text
from factchain.kg.records import (
    ENTITY_SCHEMA,
    FACT_SCHEMA,
    PROPERTY_SCHEMA,
    DumpTables,
    TextPassage,
)
from factchain.kg.snapshot import add_snapshot
from factchain.kg.store import Store
from factchain.records import read_records, write_records

NAMES = 100_000
SHARED = 10
"""One name of so many is borne by a second entity."""
COMMON_WORDS = 20_000
PASSAGE = 100
"""Words of a passage."""
DRAWN = 1_000
"""Passages that are drawn at a time."""
REGEX_NAMES = 1_000
PEER_MB = 10
"""Of the text, what the peers read: their rates do not depend on how much it is."""
PASSAGES, NAMES_FILE = "passages.jsonl", "names.txt"
SYLLABLES = [consonant + vowel for consonant in "bcdfghjklmnprstvwz" for vowel in "aeiou"]


def zipf(size: int) -> NDArray[np.float64]:
    """Probabilities of the words of a language, the most frequent first."""
    weights = 1.0 / np.arange(2, size + 2)
    return np.asarray(weights / weights.sum())


def words(rng: np.random.Generator, wanted: int) -> list[str]:
    """Different words of one to four syllables."""
    made: dict[str, None] = {}
    while len(made) < wanted:
        syllables = rng.integers(0, len(SYLLABLES), (wanted, 4)).tolist()
        lengths = rng.integers(1, 5, wanted).tolist()
        for numbers, length in zip(syllables, lengths, strict=True):
            made["".join(SYLLABLES[number] for number in numbers[:length])] = None
    return list(made)[:wanted]


def make_names(rng: np.random.Generator) -> list[str]:
    """Capitalised names of one word (30 %), two (50 %) or three, of four letters or more."""
    parts = [word.capitalize() for word in words(rng, 40_000) if len(word) > 3]
    made: dict[str, None] = {}
    while len(made) < NAMES:
        chosen = rng.integers(0, len(parts), (NAMES, 3)).tolist()
        lengths = rng.choice([1, 2, 3], NAMES, p=[0.3, 0.5, 0.2]).tolist()
        for numbers, length in zip(chosen, lengths, strict=True):
            made[" ".join(parts[number] for number in numbers[:length])] = None
    return list(made)[:NAMES]


def make_passages(
    rng: np.random.Generator, names: Sequence[str], megabytes: int
) -> Iterator[TextPassage]:
    """Passages of common words and names."""
    common, named = (np.array(some, dtype=object) for some in (words(rng, COMMON_WORDS), names))
    common_odds, named_odds = zipf(len(common)), zipf(len(named))
    size = 0
    for first in count(0, DRAWN):
        drawn = common[rng.choice(len(common), (DRAWN, PASSAGE), p=common_odds)]
        at = rng.random(drawn.shape) < 0.1
        drawn[at] = named[rng.choice(len(named), int(at.sum()), p=named_odds)]
        for position, words_here in enumerate(drawn, start=first):
            if size >= megabytes * 1_000_000:
                return
            text = " ".join(words_here) + "."
            size += len(text)
            yield TextPassage(id=str(position), title=f"page {position}", text=text)


def bearers_of(number: int) -> list[int]:
    """Ids of the entities that bear a name."""
    return [number + 1] if number % SHARED else [number + 1, NAMES + number + 1]


def make_store(path: Path, rng: np.random.Generator, names: Sequence[str]) -> None:
    """A store with the names' entities, and a random graph of ten facts for each."""
    ids = {name: bearers_of(number) for number, name in enumerate(names)}
    labels = sorted((entity, name) for name, entities in ids.items() for entity in entities)
    s, o = (rng.integers(1, NAMES, 10 * NAMES) for _ in range(2))

    def table(schema: pa.Schema, **columns: Any) -> pa.Table:
        (rows,) = {len(column) for column in columns.values()}
        arrays = [columns.get(field.name, pa.nulls(rows)) for field in schema]
        return pa.table(
            [pa.array(array).cast(field.type) for array, field in zip(arrays, schema, strict=True)],
            schema=schema,
        )

    empty: list[list[int]] = [[] for _ in labels]
    entities = table(
        ENTITY_SCHEMA,
        id=[entity for entity, _ in labels],
        label=[name for _, name in labels],
        aliases=empty,
        classes=empty,
    )
    facts = table(
        FACT_SCHEMA,
        s=s,
        p=np.ones(len(s), np.int32),
        o=o,
        datatype=["wikibase-item"] * len(s),
        rank=["normal"] * len(s),
    )
    with Store.create(path) as store:
        tables = DumpTables(entities, PROPERTY_SCHEMA.empty_table(), facts)
        add_snapshot(store, "now", "2024-06-05", "made up", "", tables)


# What follows prepares a contestant, which then tells how many (passage, name) pairs it found.
Contestant = Callable[[Sequence[TextPassage]], int]


def regular_expression(work: Path, names: Sequence[str]) -> Contestant:
    """One alternation, the longest name first."""
    longest = sorted(names[:REGEX_NAMES], key=len, reverse=True)
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, longest)) + r")\b")
    return lambda texts: sum(len(set(pattern.findall(one.text))) for one in texts)


def flashtext(work: Path, names: Sequence[str]) -> Contestant:
    """A trie of characters, in Python."""
    from flashtext import KeywordProcessor

    processor = KeywordProcessor(case_sensitive=True)
    processor.add_keywords_from_list(list(names))
    return lambda texts: sum(len(set(processor.extract_keywords(one.text))) for one in texts)


def pyahocorasick(work: Path, names: Sequence[str]) -> Contestant:
    """The longest matches of an automaton, those that are whole words."""
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for number, name in enumerate(names):
        automaton.add_word(name, (number, len(name)))
    automaton.make_automaton()

    def find(texts: Sequence[TextPassage]) -> int:
        found = 0
        for one in texts:
            text, here = one.text, set()
            for last, (number, length) in automaton.iter_long(text):
                first = last - length + 1
                inside = (first and text[first - 1].isalnum()) or text[last + 1].isalnum()
                if not inside:  # a passage ends with a full stop
                    here.add(number)
            found += len(here)
        return found

    return find


def factchain_in_memory(work: Path, names: Sequence[str]) -> Contestant:
    """factchain from passages in memory to mentions in memory."""
    with Store.open(work / "kg.duckdb") as store:
        extractor = Cooccurrence(Lexicon.of(store))
    extractor.extract([TextPassage(id="first", title="", text="")])
    return lambda texts: len(extractor.extract(texts).mentions.entity)


def factchain_to_the_store(work: Path, names: Sequence[str], workers: int = 1) -> Contestant:
    """factchain from a file of passages to mentions and facts in the store."""
    folder = str(work / f"out-{workers}")

    def run(texts: Sequence[TextPassage]) -> int:
        return extract_text(
            work / "kg.duckdb",
            work / PASSAGES,
            lambda store: CooccurrenceSettings.of_store(store, folder),
            folder,
            workers=workers,
        ).mentions

    return run


CONTESTANTS: dict[str, tuple[Callable[[Path, Sequence[str]], Contestant], str | None]] = {
    f"re, {REGEX_NAMES:,} names only": (regular_expression, None),
    "flashtext": (flashtext, "flashtext"),
    "pyahocorasick": (pyahocorasick, "ahocorasick"),
    "factchain, in memory": (factchain_in_memory, None),
    "factchain, file to store, 1 worker": (factchain_to_the_store, None),
    "factchain, file to store, 2 workers": (partial(factchain_to_the_store, workers=2), None),
}


def measure(name: str, work: Path) -> tuple[float, float, float, float, int]:
    """Seconds to prepare, MB a second and a core's second, peak GiB, and what was found."""
    progress.set_silent(True)
    prepare, _ = CONTESTANTS[name]
    names = (work / NAMES_FILE).read_text().splitlines()
    passages = list(read_records(work / PASSAGES, TextPassage))
    if "factchain" not in name:
        passages = passages[: len(passages) * PEER_MB // max(PEER_MB, _megabytes(passages))]
    start = _processor_seconds()
    find = prepare(work, names)
    ready, began = _processor_seconds(), time.perf_counter()
    found = find(passages)
    size = _megabytes(passages)
    speed, alone = size / (time.perf_counter() - began), size / (_processor_seconds() - ready)
    return ready - start, speed, alone, _peak(), found


def _processor_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def _peak() -> float:
    """This process's peak memory in GiB; getrusage would count its parent's before the start."""
    (line,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(line) / 2**20


def _megabytes(passages: Sequence[TextPassage]) -> int:
    return max(1, sum(len(one.text) for one in passages) // 1_000_000)


def main() -> None:
    """Print a table of rates, with what was prepared and found."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rng = np.random.default_rng(7)
    names = make_names(rng)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / NAMES_FILE).write_text("\n".join(names))
        write_records(work / PASSAGES, make_passages(rng, names, megabytes))
        make_store(work / "kg.duckdb", rng, names)
        print("| name finder | to prepare, s | MB/s | MB/s of a core | found per MB | GiB |")
        print("| --- | --- | --- | --- | --- | --- |")
        for name, (_, module) in CONTESTANTS.items():
            if module and find_spec(module) is None:
                print(f"| {name} | not installed | | | | |")
                continue
            # A process of its own, which may start workers.
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                prepared, speed, alone, peak, found = pool.submit(measure, name, work).result()
            read = megabytes if "factchain" in name else min(PEER_MB, megabytes)
            cells = [name, f"{prepared:.1f}", f"{speed:.1f}", f"{alone:.1f}", f"{found // read:,}"]
            print("|", " | ".join([*cells, f"{peak:.2f}"]), "|", flush=True)


if __name__ == "__main__":
    main()

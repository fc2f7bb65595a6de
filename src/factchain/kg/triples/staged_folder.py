"""The folder in which triples lie half-way: Parquet shards of each block, so that a run resumes.

`triples.json` says of which files and settings the shards are; `done-<block>.json` is written last
and says that the shards of a block are complete, and what they hold.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from factchain.kg import shared_folder
from factchain.kg.triples.staging import NAMES, TRIPLES, Found, Staged, stage

BESIDE = ".triples"
"""Ending of the folder beside the store that holds one such folder for each date."""
IDENTITY = "triples.json"
DONE = "done"


def beside(kg: Path, date: str) -> str:
    """The folder of the shards for a store's snapshot of that date."""
    return str((kg.with_name(kg.name + BESIDE) / date).absolute())


@dataclass(frozen=True, slots=True)
class StagedFolder:
    """A folder of shards: a path, or an address that workers on other machines can reach."""

    address: str

    def resume(self, identity: dict[str, Any]) -> dict[str, Staged]:
        """The finished blocks of the same files with the same settings; others are removed.

        Raises OutputError where the folder cannot be written.
        """
        wanted = msgspec.json.encode(identity)
        shared_folder.make_folder(self.address)
        if shared_folder.read_if_there(shared_folder.join(self.address, IDENTITY)) != wanted:
            self.clear()
            shared_folder.make_folder(self.address)
            self._write(IDENTITY, wanted)
        finished = {}
        for address in shared_folder.shards_of(self.address, f"{DONE}-*.json"):
            name = address.rpartition("/")[2]
            with suppress(msgspec.MsgspecError):
                staged = msgspec.json.decode(
                    shared_folder.read_if_there(address) or b"", type=Staged
                )
                finished[name.removeprefix(f"{DONE}-").removesuffix(".json")] = staged
        return finished

    def stage(self, found: Found, block: str) -> Staged:
        """Write what was found in a block; may run twice."""
        staged = stage(found, self.address, block)
        self._write(f"{DONE}-{block}.json", msgspec.json.encode(staged))
        return staged

    def clear(self) -> None:
        """Remove the shards, and the folder where it then is empty."""
        patterns = (IDENTITY, f"{DONE}-*.json", f"{TRIPLES}-*.parquet", f"{NAMES}-*.parquet")
        shared_folder.clear(self.address, patterns, BESIDE)

    def _write(self, name: str, content: bytes) -> None:
        with shared_folder.open_new(shared_folder.join(self.address, name)) as out:
            out.write(content)

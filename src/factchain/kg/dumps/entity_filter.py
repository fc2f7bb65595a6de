"""Which entities of a dump are kept: by class, by a page in a wiki, by a list of ids."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from factchain.errors import InputError
from factchain.kg import shared_folder
from factchain.kg.dumps.values import entity_number


class EntityFilter(msgspec.Struct, frozen=True):
    """What an item must satisfy; properties are kept always."""

    classes: frozenset[int] = frozenset()
    """It is an instance (truthy P31) of one of these, where any is given."""
    wikis: tuple[str, ...] = ()
    """It has a page in one of these (`enwiki`), where any is given."""
    listed: str = ""
    """Address of an array of numbers (`save_list`), one of which is the item's."""

    def reason_against(self, entity: int, classes: list[int], has_page: bool) -> str | None:
        """Why the item is left out; none where it is kept."""
        if self.listed and entity not in _load_list(self.listed):
            return "not listed"
        if self.classes and self.classes.isdisjoint(classes):
            return "class"
        if self.wikis and not has_page:
            return "no page"
        return None


def read_list(path: Path) -> list[int]:
    """The numbers of the Q-ids of a text file, one a line. Raises InputError naming the line."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path}: cannot be read: {reason}") from error
    numbers = []
    for line, text in enumerate(lines, start=1):
        entity = text.strip()
        if not entity:
            continue
        try:
            if entity[0] != "Q":
                raise ValueError(f"{entity!r} is not the id of an item")
            numbers.append(entity_number(entity))
        except ValueError as error:
            raise InputError(f"{path}:{line}: {error}: one Q-id a line was expected") from error
    if not numbers:
        raise InputError(f"{path}: holds no Q-id")
    return numbers


def save_list(address: str, numbers: list[int]) -> None:
    """Write the numbers where all workers find them."""
    with shared_folder.open_new(address) as out:
        np.save(out, np.unique(np.array(numbers, dtype=np.int64)), allow_pickle=False)


@lru_cache(maxsize=1)
def _load_list(address: str) -> frozenset[int]:
    with shared_folder.open_shard(address) as file:
        return frozenset(np.load(file, allow_pickle=False).tolist())

"""What a dataset format does: read a published dataset into our records, write ours as one.

A reader yields, in the order of the source, passages of a corpus and questions with what stands
beside them; `importing` puts them into a dataset folder. A writer takes the questions of such a
folder with their passages (`dataset_folder`) and writes the files of the format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from factchain.questions.records import Question
from factchain.retrieval_corpus.records import Passage

if TYPE_CHECKING:
    from factchain.formats.dataset_folder import DatasetFolder


class Entry(NamedTuple):
    """A question with the passages that belong to it."""

    question: Question
    pool: tuple[Passage, ...] = ()
    """The passages that its dataset shows with it, in their order."""
    hop_gold: tuple[tuple[int, str], ...] = ()
    """Number of a hop and id of a passage that states its fact, in the order of the hops."""
    relevance: Mapping[str, int] = {}
    """Relevance by passage, where it is more than 1 for each of `hop_gold`."""

    @property
    def gold(self) -> dict[str, int]:
        """Relevance of the gold passages, in the order of the hops."""
        return {passage: 1 for _, passage in self.hop_gold} | dict(self.relevance)


Drops: TypeAlias = Counter[str]
"""How often a field, or a record, found no place."""

Items: TypeAlias = Generator["Passage | Entry", None, None]
"""Passages of a corpus, and questions."""

Reader: TypeAlias = Callable[[Sequence[Path], str | None, Drops], Items]
"""Reads files into a split (none: named by each file), and counts what it leaves out.

Raises InputError, naming file, line or record, field and what was expected.
"""


class Written(NamedTuple):
    """What a writer wrote."""

    files: list[str]
    """Names of the files in the folder."""
    questions: int
    """How many questions are in them."""
    passages: int = 0
    """How many passages are in them; one that several questions show counts for each."""


Writer: TypeAlias = "Callable[[DatasetFolder, Path, Drops], Written]"
"""Writes a dataset into a folder, and counts what it leaves out."""


@dataclass(frozen=True)
class Format:
    """A dataset format."""

    name: str
    """As the command line calls it."""
    title: str
    """As its authors call it."""
    files: str
    """What the files to import are."""
    read: Reader
    """Read published files."""
    write: Writer | None = None
    """Write a dataset; none where that is not offered."""
    holds: frozenset[str] = field(default_factory=frozenset)
    """Which of `losses.FIELDS` the format has a place for."""

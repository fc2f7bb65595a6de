"""The phrase tables beside this module: how they are read, and which version they are."""

from __future__ import annotations

import csv
import hashlib
from importlib.resources import files

PHRASES, LITERALS, MENTIONS, NOUNS = "phrases.tsv", "literals.tsv", "mentions.tsv", "nouns.tsv"
_FOLDER = files("factchain.questions.verbalize")


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of a table by column."""
    with (_FOLDER / name).open("r", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def version() -> str:
    """`templates-` and a checksum of all tables."""
    tables = (PHRASES, LITERALS, MENTIONS, NOUNS)
    content = b"".join((_FOLDER / name).read_bytes() for name in tables)
    return f"templates-{hashlib.sha256(content).hexdigest()[:8]}"

"""What a publisher says of a dataset: its name, licence, version and who made it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from factchain.errors import ConfigError

LICENCES = {
    "cc0-1.0": ("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "cc-by-4.0": ("CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"),
    "cc-by-sa-4.0": ("CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
    "cc-by-nc-4.0": ("CC BY-NC 4.0", "https://creativecommons.org/licenses/by-nc/4.0/"),
    "cc-by-nc-sa-4.0": ("CC BY-NC-SA 4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/"),
    "mit": ("MIT", "https://opensource.org/license/mit"),
    "apache-2.0": ("Apache 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    "odc-by": ("ODC-By 1.0", "https://opendatacommons.org/licenses/by/1-0/"),
    "odbl": ("ODbL 1.0", "https://opendatacommons.org/licenses/odbl/1-0/"),
}
"""Licences by the hub's identifier: name and address of the text."""
DEFAULT_LICENCE = "cc0-1.0"
"""Wikidata's own, which its facts keep."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_VERSION = re.compile(r"\d+\.\d+\.\d+")


@dataclass(frozen=True)
class PublishSettings:
    """How a dataset is published."""

    name: str
    """Letters, digits, `.`, `_` and `-`; also the name of its tasks."""
    licence: str | None = None
    """The hub's identifier; none for CC0, which suits questions from Wikidata alone."""
    version: str = "1.0.0"
    """Three numbers with dots."""
    creator: str | None = None
    """Who made it; left out of the card where none is named."""
    url: str | None = None
    """Where it is, or will be, found."""
    citation: str | None = None
    """How to cite it, such as a BibTeX entry."""
    language: str = "en"
    """Language of the questions, as a code of two or three letters."""
    date: date | None = None
    """Day of publication; none for the day on which the build ended, if a manifest tells it."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ConfigError(
                f"{self.name!r} cannot name a dataset: use letters, digits, '.', '_' and '-'"
            )
        if self.licence is not None and self.licence not in LICENCES:
            raise ConfigError(f"licence {self.licence!r}: there is only {', '.join(LICENCES)}")
        if not _VERSION.fullmatch(self.version):
            raise ConfigError(f"version {self.version!r}: three numbers are needed, such as 1.0.0")
        if not re.fullmatch(r"[a-z]{2,3}", self.language):
            raise ConfigError(f"language {self.language!r}: a code such as en is needed")

    @property
    def cited(self) -> str:
        """How to cite it: as the publisher says, else a BibTeX entry of what is known."""
        if self.citation:
            return self.citation
        fields = {
            "title": self.name,
            "author": f"{{{self.creator}}}" if self.creator else None,
            "year": str(self.date.year) if self.date else None,
            "version": self.version,
            "url": self.url,
            "note": "Made with factchain",
        }
        lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items() if text)
        return f"@misc{{{self.task_name},\n{lines}}}"

    @property
    def task_name(self) -> str:
        """The name as a part of the names of tasks."""
        return re.sub(r"\W", "_", self.name).lower()


def name_of(folder: Path) -> str:
    """A dataset's name from the name of a folder."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.resolve().name).strip("-._")[:96]
    return name or "factchain-dataset"

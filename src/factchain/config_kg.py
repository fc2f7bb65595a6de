"""The config's section `kg`: what is kept of the dumps."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from factchain.config_section import Settings


def _like(pattern: str, what: str) -> AfterValidator:
    """Refuses a text that has not the pattern's form, and says what it should be."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text, re.ASCII):
            raise ValueError(f"{text!r} is no {what}")
        return text

    return AfterValidator(check)


Language = Annotated[str, _like(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", "language code such as en")]
Item = Annotated[str, _like(r"Q[1-9][0-9]{0,9}", "Q-id such as Q5")]
Property = Annotated[str, _like(r"P[1-9][0-9]{0,9}", "P-id such as P17")]
Wiki = Annotated[str, _like(r"[a-z0-9_]+wik[a-z]+", "wiki such as enwiki")]


class KgConfig(Settings):
    """Reading the dumps."""

    languages: tuple[Language, ...] = ("en",)
    """Of labels, descriptions and aliases, the preferred one first; mul is always the last."""
    properties: tuple[Property, ...] = ()
    """Keep facts of these only, as in [P17, P36]; of all if empty."""
    drop_properties: tuple[Property, ...] = ()
    """Leave facts of these out."""
    datatypes: tuple[str, ...] = ()
    """Keep facts of these only, by Wikidata's names; if empty wikibase-item, time, quantity,
    string, monolingualtext, globe-coordinate and url."""
    external_ids: bool = False
    """Keep external identifiers too."""
    classes: tuple[Item, ...] = ()
    """Keep instances (P31) of these only, as in [Q5]; of all if empty."""
    sitelinks: tuple[Wiki, ...] = ()
    """Keep items with a page in one of these wikis, as in [enwiki]; all if empty."""
    entities: Path | None = None
    """A file of Q-ids, one a line: keep these items only."""
    keep_ended: bool = False
    """Keep statements that had ended by the snapshot's date (P582)."""
    max_rejects: float = Field(0.001, ge=0, le=1)
    """The share of malformed lines of a dump above which the run stops."""

    @field_validator("languages")
    @classmethod
    def _has_language(cls, languages: tuple[str, ...]) -> tuple[str, ...]:
        if not languages:
            raise ValueError("at least one language is needed")
        return languages

    def below(self, folder: Path) -> KgConfig:
        """The settings with paths that are relative to the config's folder."""
        if self.entities is None:
            return self
        return self.model_copy(update={"entities": folder / self.entities})

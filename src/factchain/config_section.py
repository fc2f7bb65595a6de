"""The base of every section of a config."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """A section of the config: unknown keys are refused, docstrings become comments."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

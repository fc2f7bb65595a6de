"""Which rules chains are held to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from factchain.chains.properties import SAYS_NOTHING
from factchain.chains.topologies import Topologies
from factchain.config import ChainsConfig
from factchain.kg.records import number


@dataclass(frozen=True)
class Rules:
    """The constraints' settings; the defaults are those of a run without a config."""

    no_shortcut: Literal["strict", "paper"] = "strict"
    """`strict`: no fact joins two nodes that the chain holds apart; `paper`: MINTQA's printed
    rule, for reproduction."""
    answers: Literal["single", "all"] = "single"
    """`single`: every hop has one answer; `all`: the others are recorded."""
    excluded_properties: frozenset[int] = frozenset(SAYS_NOTHING)
    """Properties that no hop may ask for."""
    topologies: Topologies = field(default_factory=Topologies)
    """The templates that a chain may name."""


def rules_of(
    config: ChainsConfig,
    no_shortcut: Literal["strict", "paper"] | None = None,
    answers: Literal["single", "all"] | None = None,
) -> Rules:
    """The rules of a build's config, some of them set otherwise."""
    excluded = {number(p) for p in config.exclude_properties}
    return Rules(
        no_shortcut=no_shortcut or config.no_shortcut,
        answers=answers or config.answers,
        excluded_properties=frozenset(
            excluded | (set(SAYS_NOTHING) if config.exclude_empty_properties else set())
        ),
        topologies=Topologies(config.user_topologies),
    )

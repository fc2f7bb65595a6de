"""What a run of the sampler is asked for: axis, topologies, quotas, caps, weights and ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from factchain.chains.kinds.types import ChainType
from factchain.chains.properties import SAYS_NOTHING
from factchain.chains.records import Axis
from factchain.chains.topologies import BUILT_IN, Topologies
from factchain.config import ChainsConfig, problem_in_words, read_config
from factchain.errors import ConfigError
from factchain.kg.records import number

Answers = Literal["single", "all"]
NoShortcut = Literal["strict", "paper"]
Engine = Literal["local", "ray"]
Edges = tuple[tuple[int, int], ...]
"""A topology as (earlier hop, later hop) pairs."""

LEAST_MATHEMATICS_HOPS = 3
"""Chains of fewer hops are left out of the ratios: they have no room for a hop inside."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How often one thing may recur in the chains of one axis."""

    property_share: float = 0.25
    """Of a stratum's hops, the share that one property may take."""
    per_answer: int = 5
    """Chains with the same answer."""
    per_topic: int = 3
    """Chains that start at the same topic entity."""
    per_bridge_entity: int = 40
    """Chains that pass the same intermediate answer."""
    per_property_sequence: int = 10
    """Chains of one stratum that ask for the same properties in the same order."""


NO_CAPS = Caps(1.0, *[2**62] * 4)
"""Caps that never bind."""


@dataclass(frozen=True)
class SampleSettings:
    """What to draw on one axis."""

    axis: Axis
    hops: tuple[int, ...]
    """Numbers of hops."""
    per_stratum: int
    """Chains of each topology, number of hops and label pattern."""
    seed: int
    caps: Caps = field(default_factory=Caps)
    exclude_properties: frozenset[int] = frozenset()
    """Properties that no hop may use."""
    topologies: tuple[str, ...] = ("chain",)
    """Names of templates, built in or of `user_topologies`."""
    user_topologies: Mapping[str, Edges] = field(default_factory=dict)
    answers: Answers = "single"
    no_shortcut: NoShortcut = "strict"
    mathematics: float = 0.0
    """Of the chains of each length from 3 hops, the share that counts or reckons."""
    count_subjects: bool = False
    """Whether the subjects of an object are counted too, not the objects of a subject alone."""
    comparison: float = 0.0
    """Of the chains of each length from 3 hops, the share that compares (and does not reckon)."""
    cross_domain: float = 0.0
    """Of a stratum's chains of two hops and more, the least share whose hops span domains."""
    domains_crossed: int = 2
    """How many domains that takes."""
    types: tuple[ChainType, ...] = ("chain",)
    """`chain` for those of the topologies; the others between topic entities."""
    even_properties: float = 0.0
    """How far frequent properties are evened out: 0 not at all (uniform), 1 in full."""
    work: int = 10_000_000
    """Edges that a step of the search looks at; where there are more, a fair share of them."""
    workers: int = 1
    engine: Engine = "local"


def chains_config(file: Path | None, given: Mapping[str, Any]) -> ChainsConfig:
    """The section `chains` of a config, or its defaults, with some settings given anew.

    Raises ConfigError for a config that cannot be used, or a setting that does not fit.
    """
    base = read_config(file).chains if file else ChainsConfig()
    named = {name: getattr(base, name) for name in base.model_fields_set}
    try:
        return ChainsConfig.model_validate({**named, **given})
    except ValidationError as error:
        raise ConfigError("\n".join(problem_in_words(one) for one in error.errors())) from error


def sample_settings(
    config: ChainsConfig, axis: Axis, seed: int, *, workers: int = 1, engine: Engine = "local"
) -> SampleSettings:
    """What a config asks for on one axis.

    Raises ConfigError where a topology is none, does not exist or, though it is named, has none of
    the numbers of hops, or where mathematics is asked for and no topology has patterns for it.
    """
    topologies = Topologies(config.user_topologies)
    named = "topologies" in config.model_fields_set
    for name in config.topologies:
        if named and not set(topologies.hops(name)) & set(config.hops):
            raise ConfigError(
                f"topology {name!r}: has {_in_words(topologies.hops(name))} hops, and hops names "
                f"{_in_words(config.hops)}: add one of them to hops, or leave {name} out"
            )
    built_in = set(config.topologies) & set(BUILT_IN)
    if config.mathematics + config.comparison > 0 and not built_in:
        raise ConfigError(
            "mathematics and comparison have patterns for the topologies chain, bridge and "
            f"converging only, not for {', '.join(config.topologies)}: add one of them"
        )
    empty = SAYS_NOTHING if config.exclude_empty_properties else {}
    return SampleSettings(
        axis=axis,
        hops=config.hops,
        per_stratum=config.per_stratum,
        seed=seed,
        caps=Caps(
            config.property_share,
            config.per_answer,
            config.per_topic,
            config.per_bridge_entity,
            config.per_property_sequence,
        ),
        exclude_properties=frozenset(map(number, config.exclude_properties)) | frozenset(empty),
        topologies=tuple(dict.fromkeys(config.topologies)),
        user_topologies=config.user_topologies,
        answers=config.answers,
        no_shortcut=config.no_shortcut,
        mathematics=config.mathematics,
        count_subjects=config.count_subjects,
        comparison=config.comparison,
        cross_domain=config.cross_domain,
        domains_crossed=config.domains_crossed,
        types=config.types,
        even_properties=config.even_properties,
        workers=workers,
        engine=engine,
    )


def _in_words(hops: Sequence[int]) -> str:
    return " or ".join(map(str, hops)) if len(hops) < 4 else f"{hops[0]} to {hops[-1]}"

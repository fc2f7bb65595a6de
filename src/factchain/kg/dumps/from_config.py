"""The config's settings of the graph -> what is kept of a dump."""

from __future__ import annotations

from factchain.config_kg import KgConfig
from factchain.errors import ConfigError
from factchain.kg.dumps.dump import DumpSettings
from factchain.kg.dumps.entity_filter import EntityFilter
from factchain.kg.dumps.statements import FactFilter
from factchain.kg.dumps.values import DATATYPES, KEPT_TYPES
from factchain.kg.records import number


def dump_settings(config: KgConfig) -> DumpSettings:
    """What the settings keep, less the file of entities. Raises ConfigError for a datatype that
    cannot be kept.
    """
    if unknown := sorted({*config.datatypes} - DATATYPES):
        known = ", ".join(sorted(DATATYPES))
        raise ConfigError(f"datatypes: {', '.join(unknown)}: not among {known}")
    datatypes = frozenset(config.datatypes) or KEPT_TYPES
    return DumpSettings(
        facts=FactFilter(
            keep_ended=config.keep_ended,
            datatypes=datatypes | {"external-id"} if config.external_ids else datatypes,
            properties=frozenset(map(number, config.properties)) or None,
            dropped=frozenset(map(number, config.drop_properties)),
        ),
        entities=EntityFilter(
            classes=frozenset(map(number, config.classes)), wikis=config.sitelinks
        ),
        languages=config.languages,
    )

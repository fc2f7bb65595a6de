"""The formats by their names."""

from __future__ import annotations

from factchain.formats import (
    beir,
    flashrag,
    hotpotqa,
    mintqa,
    multihop_rag,
    musique,
    omanic,
    popqa,
    two_wiki,
)
from factchain.formats.protocol import Format

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        *(beir, flashrag, hotpotqa, mintqa, multihop_rag),
        *(musique, omanic, popqa, two_wiki),
    )
}
"""Every format that can be read."""

WRITABLE = {name: one for name, one in FORMATS.items() if one.write is not None}
"""Every format that can be written."""

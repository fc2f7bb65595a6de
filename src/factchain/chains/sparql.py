"""A reasoning graph as SPARQL for the Wikidata Query Service."""

from __future__ import annotations

from collections.abc import Sequence

from factchain.chains.records import Hop


def to_sparql(hops: Sequence[Hop]) -> str:
    """A query whose only solution is the last hop's answer, in a variable `?x<hop>`."""
    patterns = []
    for hop in hops:
        for fact in hop.facts:
            subject = f"?x{hop.inputs[0]}" if hop.inputs else f"wd:{fact.s}"
            patterns.append(f"{subject} wdt:{fact.p} ?x{hop.index} .")
    return f"SELECT ?x{hops[-1].index} WHERE {{ {' '.join(patterns)} }}"

"""Check a chains file against every constraint."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factchain.chains.constraints import unique_in_set, violations
from factchain.chains.graph_index import GraphIndex
from factchain.chains.records import FactChain
from factchain.kg.store import Store
from factchain.records import read_records


@dataclass(frozen=True)
class CheckResult:
    """What was found in a file."""

    chains: int
    violations: list[tuple[str, str]]
    """(constraint, what is wrong)."""

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "chains": self.chains,
            "violations": [
                {"constraint": constraint, "problem": problem}
                for constraint, problem in self.violations
            ],
        }

    def as_text(self) -> str:
        """The result as lines for a terminal."""
        lines = [f"{constraint}: {problem}" for constraint, problem in self.violations]
        counts = Counter(constraint for constraint, _ in self.violations)
        total = ", ".join(f"{name} {n}" for name, n in sorted(counts.items())) or "none"
        return "\n".join([*lines, f"{self.chains} chains, violations: {total}"])


def check_file(file: Path, kg_file: Path) -> CheckResult:
    """Check every chain of the file, and the set as a whole, on the store."""
    chains = list(read_records(file, FactChain))
    with Store.open(kg_file) as store:
        graph = GraphIndex.from_store(store)
    found = [
        (constraint, f"{chain.id}: {problem}")
        for chain in chains
        for constraint, problems in violations(chain, graph).items()
        for problem in problems
    ]
    found += [("unique in set", problem) for problem in unique_in_set(chains)]
    return CheckResult(len(chains), found)

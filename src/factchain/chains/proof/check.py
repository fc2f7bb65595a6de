"""Check a chains file against every constraint."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from factchain.chains.proof.chains_files import read_chains
from factchain.chains.proof.constraints import violations_of
from factchain.chains.proof.rules import Rules
from factchain.chains.proof.uniqueness import unique_in_set
from factchain.errors import InputError
from factchain.kg.store import Store
from factchain.progress import track

BATCH = 20_000
"""Chains whose neighbourhood is held in memory at a time."""
WIDTH = 100
"""Of the table, in characters."""


class Violation(NamedTuple):
    """What is wrong with one chain."""

    chain: str
    constraint: str
    problem: str


@dataclass(frozen=True)
class CheckResult:
    """What was found in a file."""

    chains: int
    violations: list[Violation]
    unresolved: dict[str, list[str]] = field(default_factory=dict)
    """Chains that were not checked, with the names that the store does not tell."""

    @property
    def by_constraint(self) -> dict[str, list[Violation]]:
        """The violations of each constraint, the most frequent first."""
        counts = Counter(violation.constraint for violation in self.violations)
        return {
            name: [v for v in self.violations if v.constraint == name]
            for name, _ in counts.most_common()
        }

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "chains": self.chains,
            "counts": {
                name: {"chains": len({v.chain for v in found}), "violations": len(found)}
                for name, found in self.by_constraint.items()
            },
            "violations": [violation._asdict() for violation in self.violations],
            "unresolved": self.unresolved,
        }

    def as_text(self, verbose: bool = False) -> str:
        """A table of violations by kind; chain by chain where `verbose`."""
        lines = []
        if verbose:
            lines += [f"{v.chain}: {v.constraint}: {v.problem}" for v in self.violations]
            lines += [
                f"{chain}: not checked: {', '.join(names)}"
                for chain, names in self.unresolved.items()
            ]
        if self.violations:
            lines.append(self._table())
        if self.unresolved:
            kinds = Counter(
                name.partition(":")[0] for names in self.unresolved.values() for name in names
            )
            told = ", ".join(f"{kind} names {n}" for kind, n in sorted(kinds.items()))
            shown = list(dict.fromkeys(n for names in self.unresolved.values() for n in names))
            more = f", and {len(shown) - 10} more" if len(shown) > 10 else ""
            lines.append(
                f"{len(self.unresolved)} chains not checked ({told}): {'; '.join(shown[:10])}{more}"
            )
        total = ", ".join(f"{n} {len(v)}" for n, v in sorted(self.by_constraint.items())) or "none"
        return "\n".join([*lines, f"{self.chains} chains, violations: {total}"])

    def _table(self) -> str:
        table = Table("constraint", "chains", "violations", "first")
        for column in table.columns[1:3]:
            column.justify = "right"
        for name, found in self.by_constraint.items():
            chains = len({violation.chain for violation in found})
            # Labels may hold what rich takes for markup.
            first = f"{found[0].chain}: {found[0].problem}".replace("[", r"\[")
            table.add_row(name, f"{chains:,}", f"{len(found):,}", first)
        text = StringIO()
        Console(file=text, width=WIDTH).print(table)
        return text.getvalue().rstrip()


def check_file(
    file: Path, kg_file: Path, rules: Rules | None = None, chain: str | None = None
) -> CheckResult:
    """Check every chain of the file, and the set as a whole, on the store.

    `chain` asks for one chain alone. Raises InputError where the file is no file of chains, or
    has no such chain.
    """
    held_to = rules or Rules()
    with Store.open(kg_file) as store:
        read = read_chains(file, store)
        chains, unresolved = read.chains, read.unresolved
        found = [Violation(one, "uniqueness", problem) for one, problem in unique_in_set(chains)]
        if chain is not None:
            chains = [one for one in chains if one.id == chain]
            unresolved = {name: names for name, names in unresolved.items() if name == chain}
            found = [violation for violation in found if violation.chain == chain]
            if not chains and not unresolved:
                raise InputError(f"{file}: has no chain {chain!r}")
        batches = [chains[begin : begin + BATCH] for begin in range(0, len(chains), BATCH)]
        for batch in track(batches, "checking chains", len(batches)):
            found += [
                Violation(one.id, constraint, problem)
                for one, wrong in zip(batch, violations_of(batch, store, held_to), strict=True)
                for constraint, problems in wrong.items()
                for problem in problems
            ]
    return CheckResult(len(chains), found, unresolved)

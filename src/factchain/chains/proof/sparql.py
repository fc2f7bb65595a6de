"""A reasoning graph as SPARQL for the Wikidata Query Service.

Hop k's answer is the variable `?xk`. The query uses `wdt:`, the truthy values: a date there is an
`xsd:dateTime` filled up to a day, a quantity a bare `xsd:decimal`. That suffices because the
chain's own facts are proved on the store to be of one unit, exact, and precise enough for what is
asked of them; a query by units would go through `psv:` and `wikibase:quantityUnit`. Years are
YEAR() of a date, whose count has a year 0, so that differences need no correction.

A count or a sum is a sub-select, which holds all patterns that lead to its source: the service
runs sub-selects first, and would else count for every entity there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from factchain.chains.operations.dates import DAY, YEAR, parse_date
from factchain.chains.operations.typed_values import NotComparable
from factchain.chains.proof.plan import HopPlan, NoPlan, plan_hop
from factchain.chains.records import Hop, Operand, TypedValue
from factchain.kg.records import qid

_DATE_TIME = "<http://www.w3.org/2001/XMLSchema#dateTime>"


def to_sparql(hops: Sequence[Hop]) -> str:
    """A query whose only solution is the last hop's answer, in a variable `?x<hop>`.

    Raises NoPlan where the facts of a hop are not those of its kind.
    """
    writer = _Writer({hop.index: hop for hop in hops}, {})
    for hop in hops:
        writer.plans[hop.index] = plan_hop(hop, hops)
    last = hops[-1].index
    return f"SELECT ?x{last} WHERE {{ {' '.join(writer.all_patterns(last))} }}"


@dataclass
class _Writer:
    hops: dict[int, Hop]
    plans: dict[int, HopPlan]

    def all_patterns(self, index: int) -> list[str]:
        """The patterns of a hop and of all that it needs, inputs first."""
        needed: dict[int, None] = {}
        self._collect(index, needed)
        return [pattern for hop in needed for pattern in self.patterns(self.plans[hop])]

    def _collect(self, index: int, needed: dict[int, None]) -> None:
        for source in self.plans[index].sources:
            if source.hop is not None:
                self._collect(source.hop, needed)
        needed[index] = None

    def patterns(self, plan: HopPlan) -> list[str]:
        """The patterns of one hop."""
        return {
            "lookup": self._lookup,
            "intersect": self._intersect,
            "count": self._count,
            "reckon": self._reckon,
            "compare": self._compare,
            "members": self._members,
        }[plan.shape](plan)

    def _lookup(self, plan: HopPlan) -> list[str]:
        (start,) = _starts(plan)
        return [f"{start} wdt:P{plan.properties[0]} ?x{plan.index} ."]

    def _intersect(self, plan: HopPlan) -> list[str]:
        patterns = []
        places = zip(plan.sources, _starts(plan), plan.properties, strict=True)
        for at, (source, start, p) in enumerate(places, start=1):
            answer = self.hops[source.hop].answer if source.hop is not None else None
            if plan.forward:
                patterns.append(f"{start} wdt:P{p} ?x{plan.index} .")
            elif isinstance(answer, TypedValue):
                own = f"?v{plan.index}_{at}"
                patterns += [
                    f"?x{plan.index} wdt:P{p} {own} .",
                    f"FILTER({self._meets(own, source.hop or 0)})",
                ]
            else:
                patterns.append(f"?x{plan.index} wdt:P{p} {start} .")
        return patterns

    def _meets(self, own: str, hop: int) -> str:
        """That a literal, cut to the precision of a hop's answer, equals it."""
        answer = self.hops[hop].answer
        if not isinstance(answer, TypedValue) or answer.datatype != "time":
            return f"{own} = ?x{hop}"
        if self._is_year(hop):
            return f"YEAR({own}) = ?x{hop}"
        try:
            precision = parse_date(answer.value, answer.precision, answer.calendar).precision
        except NotComparable:
            precision = DAY
        parts = ("YEAR", "MONTH", "DAY")[: precision - YEAR + 1]
        return " && ".join(f"{part}({own}) = {part}(?x{hop})" for part in parts)

    def _count(self, plan: HopPlan) -> list[str]:
        (start,) = _starts(plan)
        counted, p = f"?c{plan.index}", plan.properties[0]
        fact = f"{start} wdt:P{p} {counted} ." if plan.forward else f"{counted} wdt:P{p} {start} ."
        return [self._aggregate(plan, f"COUNT({counted})", counted, fact, 1)]

    def _aggregate(self, plan: HopPlan, what: str, items: str, facts: str, least: int) -> str:
        """A sub-select over the distinct items of each answer of the source."""
        (source,) = plan.sources
        group = f"?x{source.hop} " if source.hop is not None else ""
        before = " ".join(self.all_patterns(source.hop)) + " " if source.hop is not None else ""
        number = items.split()[0]
        return (
            f"{{ SELECT {group}({what} AS ?x{plan.index}) WHERE {{ "
            f"{{ SELECT DISTINCT {group}{items} WHERE {{ {before}{facts} }} }} }} "
            f"{f'GROUP BY {group}' if group else ''}HAVING (COUNT({number}) >= {least}) }}"
        )

    def _reckon(self, plan: HopPlan) -> list[str]:
        result = f"?x{plan.index}"
        if plan.operator == "days_between":
            a, b = (self._day_number(operand, plan, at) for at, operand in enumerate(plan.operands))
            return [*a[1], *b[1], f"BIND(ABS({a[0]} - {b[0]}) AS {result})"]
        years = plan.operator in ("years_between", "years_before", "years_after")
        terms = [
            self._year(operand) if years and _is_date(operand.value) else self._term(operand)
            for operand in plan.operands
        ]
        if plan.operator == "years_between":
            return [f"BIND(ABS({terms[0]} - {terms[1]}) AS {result})"]
        sign = {
            "sum": " + ",
            "product": " * ",
            "difference": " - ",
            "years_before": " - ",
            "years_after": " + ",
        }[plan.operator or ""]
        return [f"BIND({sign.join(terms)} AS {result})"]

    def _is_year(self, hop: int) -> bool:
        """Whether a hop's variable is the number of a year, not a date."""
        return self.plans[hop].operator in ("years_before", "years_after")

    def _term(self, operand: Operand) -> str:
        if operand.hop is not None:
            return f"?x{operand.hop}"
        value = operand.value
        return f"({value.value})" if isinstance(value, TypedValue) else f"wd:{value.id}"

    def _year(self, operand: Operand) -> str:
        """The year of a date, in a count that has a year 0."""
        if operand.hop is not None:
            return f"?x{operand.hop}" if self._is_year(operand.hop) else f"YEAR(?x{operand.hop})"
        return f"({_constant_date(operand)[0]})"

    def _day_number(self, operand: Operand, plan: HopPlan, at: int) -> tuple[str, list[str]]:
        """A variable with the Julian day number of a date, and the patterns that bind it.

        SPARQL has no difference of dates in days; this is the usual sum of whole years, leap
        days and months, counted from March.
        """
        name = f"{plan.index}_{at}"
        if operand.hop is not None:
            year, month, day = (f"{p}(?x{operand.hop})" for p in ("YEAR", "MONTH", "DAY"))
        else:
            year, month, day = (f"({part})" for part in (*_constant_date(operand), 1, 1)[:3])
        return f"?d{name}", [
            f"BIND(FLOOR((14 - {month}) / 12) AS ?a{name})",
            f"BIND({year} + 4800 - ?a{name} AS ?y{name})",
            f"BIND({day} + FLOOR((153 * ({month} + 12 * ?a{name} - 3) + 2) / 5) + 365 * ?y{name} "
            f"+ FLOOR(?y{name} / 4) - FLOOR(?y{name} / 100) + FLOOR(?y{name} / 400) "
            f"AS ?d{name})",
        ]

    def _compare(self, plan: HopPlan) -> list[str]:
        a, b = _starts(plan)
        p, result = plan.properties[0], f"?x{plan.index}"
        v, w = f"?v{plan.index}_1", f"?v{plan.index}_2"
        patterns = [f"{a} wdt:P{p} {v} .", f"{b} wdt:P{p} {w} ."]
        if plan.operator == "same":
            return [*patterns, f'BIND(IF({v} = {w}, "yes", "no") AS {result})']
        patterns.append(f"FILTER({v} != {w})")
        sign = "<" if plan.operator in ("earliest", "smallest", "before", "less") else ">"
        if plan.operator in ("before", "after", "less", "more"):
            return [*patterns, f'BIND(IF({v} {sign} {w}, "yes", "no") AS {result})']
        return [
            *patterns,
            f"FILTER({a} != {b})",
            f"BIND(IF({v} {sign} {w}, {a}, {b}) AS {result})",
        ]

    def _members(self, plan: HopPlan) -> list[str]:
        (start,) = _starts(plan)
        p, q = plan.properties
        k = plan.index
        if plan.operator == "sum":
            facts = f"{start} wdt:P{p} ?m{k} . ?m{k} wdt:P{q} ?v{k} ."
            return [self._aggregate(plan, f"SUM(?v{k})", f"?v{k} ?m{k}", facts, 2)]
        worse = "<=" if plan.operator in ("earliest", "smallest") else ">="
        rival = f"{start} wdt:P{p} ?m{k} . ?m{k} wdt:P{q} ?w{k} . FILTER(?m{k} != ?x{k}"
        return [
            f"{start} wdt:P{p} ?x{k} . ?x{k} wdt:P{q} ?v{k} .",
            f"FILTER EXISTS {{ {rival}) }}",
            f"FILTER NOT EXISTS {{ {rival} && ?w{k} {worse} ?v{k}) }}",
        ]


def _starts(plan: HopPlan) -> list[str]:
    return [
        f"wd:{qid(source.topic)}" if source.topic is not None else f"?x{source.hop}"
        for source in plan.sources
    ]


def _is_date(value: object) -> bool:
    return isinstance(value, TypedValue) and value.datatype == "time"


def _constant_date(operand: Operand) -> tuple[int, ...]:
    value = operand.value
    if not isinstance(value, TypedValue):
        raise NoPlan("reckons with an entity as a date")
    date = parse_date(value.value, value.precision, value.calendar)
    return date.cut(date.precision)

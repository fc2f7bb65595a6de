"""Operations on typed values: laws, against datetime, dateutil and Fraction, and refusals."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import get_args

import pytest
from dateutil.relativedelta import relativedelta
from hypothesis import assume, example, given
from hypothesis import strategies as st

from factchain.chains.operations import operations
from factchain.chains.operations.dates import parse_date
from factchain.chains.operations.operations import NotComparable, recompute
from factchain.chains.operations.typed_values import GREGORIAN, JULIAN, number_value
from factchain.chains.records import EntityRef, Operand, Operation, Operator, TypedValue

METRE, KILOGRAM = 11573, 11570


def number(amount: str, unit: int | None = None, **bounds: str) -> TypedValue:
    label = {METRE: "metre", KILOGRAM: "kilogram"}.get(unit or 0)
    return operations.typed_value(amount, "quantity", unit, label, **bounds)


def date(text: str, precision: int | None = None, calendar: str | None = None) -> TypedValue:
    depth = text.lstrip("-").count("-")
    model = int(calendar[1:]) if calendar else None
    return operations.typed_value(text, "time", precision=precision or 9 + depth, calendar=model)


def of(number: int, value: TypedValue) -> Operand:
    return Operand(value=value, entity=EntityRef(id=f"Q{number}", label=f"entity {number}"))


def value_of(operation: Operation) -> str:
    assert recompute(operation) == operation.result
    assert isinstance(operation.result, TypedValue)
    return operation.result.value


numbers = st.decimals(
    min_value=-(10**12), max_value=10**12, allow_nan=False, allow_infinity=False, places=6
).map(str)
days = st.dates(min_value=datetime.date(1, 1, 1))
precisions = st.sampled_from([9, 10, 11])


def cut(day: datetime.date, precision: int) -> TypedValue:
    return date(day.isoformat()[: {9: 4, 10: 7, 11: 10}[precision]], precision)


def test_every_operator_has_a_way_to_recompute() -> None:
    assert set(operations._RESULTS) == set(get_args(Operator))
    assert set(get_args(Operator)) == {"count"} | operations.ARITHMETIC | operations.COMPARISONS


@given(a=numbers, b=numbers, c=numbers)
def test_sums_differences_and_products_are_exact(a: str, b: str, c: str) -> None:
    x, y, z = Fraction(a), Fraction(b), Fraction(c)
    whole = operations.total([number(a, METRE), number(b, METRE), number(c, METRE)])
    assert Fraction(value_of(whole)) == x + y + z
    assert isinstance(whole.result, TypedValue)
    assert (whole.result.unit, whole.result.unit_label) == (f"Q{METRE}", "metre")
    less = operations.difference(number(a), number(b))
    assert Fraction(value_of(less)) == x - y
    again = operations.total([less.result, number(b)])
    assert Fraction(value_of(again)) == x
    times = operations.product([number(a), number(b, METRE), number(c)])
    assert Fraction(value_of(times)) == x * y * z
    assert isinstance(times.result, TypedValue)
    assert times.result.unit == f"Q{METRE}"
    assert times.result.label == f"{times.result.value} metre"


@given(a=numbers, b=numbers)
def test_of_two_numbers_one_is_smaller(a: str, b: str) -> None:
    x, y = number(a, METRE), number(b, METRE)
    if Fraction(a) == Fraction(b):
        assert value_of(operations.compare("same", x, y)) == "yes"
        for operator in ("less", "more", "smallest", "largest"):
            with pytest.raises(NotComparable, match="tie"):
                operations.compare(operator, of(1, x), of(2, y))
    else:
        first_is_less = "yes" if Fraction(a) < Fraction(b) else "no"
        assert value_of(operations.compare("less", x, y)) == first_is_less
        assert value_of(operations.compare("more", y, x)) == first_is_less
        assert value_of(operations.compare("less", y, x)) != first_is_less
        assert value_of(operations.compare("same", x, y)) == "no"
        smallest = operations.compare("smallest", of(1, x), of(2, y)).result
        largest = operations.compare("largest", of(1, x), of(2, y)).result
        assert {smallest.key, largest.key} == {"Q1", "Q2"}
        assert (smallest.key == "Q1") == (first_is_less == "yes")


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=6))
def test_a_choice_is_the_one_that_min_and_max_find(amounts: list[int]) -> None:
    operands = [of(n, number(str(amount))) for n, amount in enumerate(amounts, start=1)]
    for operator, best in (("smallest", min(amounts)), ("largest", max(amounts))):
        if amounts.count(best) > 1:
            with pytest.raises(NotComparable, match="tie"):
                operations.build(operator, operands)
        else:
            chosen = operations.build(operator, operands)
            assert chosen.result.key == f"Q{amounts.index(best) + 1}"
            assert recompute(chosen) == chosen.result


@given(a=days, b=days)
@example(a=datetime.date(2000, 2, 29), b=datetime.date(1900, 2, 28))
def test_days_and_years_between_dates_are_those_of_datetime(
    a: datetime.date, b: datetime.date
) -> None:
    first, second = date(a.isoformat()), date(b.isoformat())
    assert int(value_of(operations.days_between(first, second))) == abs((a - b).days)
    years = operations.years_between(first, second)
    assert int(value_of(years)) == abs(a.year - b.year)
    assert years.result == operations.years_between(second, first).result
    assert isinstance(years.result, TypedValue)
    assert years.result.unit == "Q577"


@given(day=days, years=st.integers(0, 3000), precision=precisions)
def test_a_date_moved_by_years_is_that_of_dateutil(
    day: datetime.date, years: int, precision: int
) -> None:
    start = cut(day, precision)
    if day.year + years <= datetime.MAXYEAR:
        moved = operations.years_after(start, operations.constant(years))
        assert int(value_of(moved)) == (day + relativedelta(years=years)).year
        assert isinstance(moved.result, TypedValue)
        assert moved.result.precision == 9
        back = operations.years_before(moved.result, operations.constant(years))
        assert value_of(back) == f"{day.year:04d}"
    gap = operations.years_between(start, operations.years_before(start, number(str(years))).result)
    assert int(value_of(gap)) == years


@given(a=days, b=days, fine=st.tuples(precisions, precisions), data=st.data())
def test_a_coarser_date_never_decides_otherwise(
    a: datetime.date, b: datetime.date, fine: tuple[int, int], data: st.DataObject
) -> None:
    """Where dates cut to some precision decide, every finer form of them decides alike."""
    first, second = fine
    coarse = (
        data.draw(st.integers(9, first), label="coarse a"),
        data.draw(st.integers(9, second), label="coarse b"),
    )
    for operator in ("before", "after"):
        try:
            decided = value_of(operations.compare(operator, cut(a, coarse[0]), cut(b, coarse[1])))
        except NotComparable:
            continue
        assert value_of(operations.compare(operator, cut(a, first), cut(b, second))) == decided
        assert decided == ("yes" if (a < b if operator == "before" else a > b) else "no")


def test_what_the_precision_of_dates_decides() -> None:
    year, month, day = date("1999"), date("1999-05"), date("1999-05-07")
    for a, b in [(year, month), (month, day), (day, year)]:
        with pytest.raises(NotComparable, match="one date is part of the other"):
            operations.compare("before", a, b)
        with pytest.raises(NotComparable, match="one date is part of the other"):
            operations.compare("same", a, b)
    assert value_of(operations.compare("before", year, date("2000-01-01"))) == "yes"
    assert value_of(operations.compare("after", year, date("2000-01-01"))) == "no"
    assert value_of(operations.compare("same", month, date("1999-06-07"))) == "no"
    assert value_of(operations.compare("same", month, date("1999-05"))) == "yes"
    with pytest.raises(NotComparable, match="tie"):
        operations.compare("before", month, date("1999-05"))
    with pytest.raises(NotComparable, match="decade"):
        operations.compare("before", date("1990", 8), date("2020"))
    with pytest.raises(NotComparable, match="to the day"):
        operations.days_between(month, day)
    # The losers of a choice need not be told apart.
    chosen = operations.choose("earliest", [of(1, year), of(2, month), of(3, date("1998"))])
    assert chosen.result.key == "Q3"
    with pytest.raises(NotComparable, match="too coarse"):
        operations.choose("latest", [of(1, year), of(2, month), of(3, date("1998"))])


@pytest.mark.parametrize(
    ("a", "b", "years"),
    [("-0001", "0001", 1), ("-0044", "-0043", 1), ("-0044", "0014", 57), ("-0100", "-0044", 56)],
)
def test_no_year_0_lies_between_1_bc_and_ad_1(a: str, b: str, years: int) -> None:
    between = operations.years_between(date(a), date(b))
    assert int(value_of(between)) == years
    assert value_of(operations.years_after(date(a), number(str(years)))) == b
    assert value_of(operations.years_before(date(b), between.result)) == a
    assert value_of(operations.compare("before", date(a), date(b))) == "yes"


def test_a_year_before_christ_in_words() -> None:
    moved = operations.years_before(date("0010"), operations.constant(54))
    assert isinstance(moved.result, TypedValue)
    assert (moved.result.value, moved.result.label) == ("-0045", "45 BC")


@pytest.mark.parametrize(("a", "b", "days_apart"), [
    ("-0001-12-31", "0001-01-01", 1),
    ("-0001-02-28", "-0001-03-01", 2),  # 1 BC, astronomical 0, is a leap year
    ("-0002-02-28", "-0002-03-01", 1),
    ("1900-02-28", "1900-03-01", 1),
    ("2000-02-28", "2000-03-01", 2),
    ("-4714-11-24", "2000-01-01", 2451545),  # Julian day number of 1 January 2000
])  # fmt: skip
def test_days_of_leap_years_and_before_christ(a: str, b: str, days_apart: int) -> None:
    assert int(value_of(operations.days_between(date(a), date(b)))) == days_apart


def test_calendars_are_kept_apart() -> None:
    julian = date("1582-10-04", calendar=JULIAN)
    gregorian = date("1582-10-15")
    for operator in ("before", "years_between", "same"):
        with pytest.raises(NotComparable, match="different calendars"):
            operations.build(operator, [julian, gregorian])
    with pytest.raises(NotComparable, match="Gregorian"):
        operations.days_between(julian, julian)
    assert value_of(operations.years_between(julian, date("1500", calendar=JULIAN))) == "82"
    moved = operations.years_after(julian, number("18"))
    assert isinstance(moved.result, TypedValue)
    assert (moved.result.value, moved.result.calendar) == ("1600", JULIAN)
    assert date("1990", calendar=GREGORIAN).calendar is None


@pytest.mark.parametrize(
    ("operator", "operands", "reason"),
    [
        ("sum", [number("1", METRE), number("2", KILOGRAM)], "units differ: kilogram and metre"),
        ("sum", [number("1", METRE), number("2")], "units differ: metre and no unit"),
        ("less", [number("1", METRE), number("2")], "units differ"),
        ("product", [number("1", METRE), number("2", METRE)], "two quantities with units"),
        ("sum", [number("1")], "two or more values are needed, not 1"),
        ("difference", [number("1")] * 3, "2 values are needed, not 3"),
        ("sum", [number("10", lower="9", upper="11"), number("1")], "approximate"),
        ("less", [number("10", lower="9", upper="10"), number("1")], "approximate"),
        ("sum", [number("NaN"), number("1")], "not a finite number"),
        ("sum", [number("Infinity"), number("1")], "not a finite number"),
        ("sum", [number("many"), number("1")], "'many' is no number"),
        ("sum", [number("1e999999"), number("1")], "more than 150 digits"),
        ("sum", [number("1" * 200), number("1")], "more than 150 digits"),
        ("sum", [date("1990"), number("1")], "1990 is no quantity"),
        ("before", [date("1990"), number("1")], "1 is no date"),
        ("same", [date("1990"), number("1")], "not of one kind"),
        ("same", [EntityRef(id="Q1", label="one"), number("1")], "an entity is no number"),
        ("same", [EntityRef(id="Q1", label="one")], "two values"),
        ("years_between", [date("0000"), date("1990")], "no year 0"),
        ("before", [date("1990-13"), date("1990")], "no date"),
        ("before", [date("soon", 11), date("1990")], "'soon' is no date"),
        ("days_between", [date("1999-02-29"), date("1990-01-01")], "no such day"),
        ("years_after", [date("1990"), number("2.5")], "no whole number of years"),
        ("years_after", [date("1990"), number("-3")], "no whole number of years"),
        ("years_after", [date("1990"), number("3", METRE)], "3 metre is no number of years"),
        ("earliest", [of(1, date("1990"))], "nothing to choose"),
        ("earliest", [of(1, date("1990")), of(1, date("1991"))], "different entities"),
        ("earliest", [date("1990"), date("1991")], "different entities"),
        ("count", [number("2.5")], "no count"),
        ("count", [number("2", METRE)], "no count"),
    ],
)
def test_what_the_values_do_not_decide_is_refused(
    operator: Operator, operands: list[operations.Value], reason: str
) -> None:
    with pytest.raises(NotComparable, match=reason):
        operations.build(operator, operands)
    with pytest.raises(ValueError, match=reason):
        recompute(
            Operation(
                operator=operator,
                operands=tuple(o if isinstance(o, Operand) else Operand(value=o) for o in operands),
                result=number_value(0),
            )
        )


def test_only_dates_and_quantities_are_values() -> None:
    with pytest.raises(NotComparable, match="'string' cannot be reckoned with"):
        operations.typed_value("blue", "string")


def test_units_and_labels_of_results() -> None:
    assert operations.years_between(date("1990"), date("1991")).result.label == "1 year"
    assert operations.years_between(date("1990"), date("1992")).result.label == "2 years"
    apart = operations.days_between(date("1990-01-01"), date("1990-01-31")).result
    assert isinstance(apart, TypedValue)
    assert (apart.label, apart.value, apart.unit, apart.key) == ("30 days", "30", "Q573", "30 Q573")
    assert operations.count(7).result == number_value(7)
    assert operations.total([number("1.50"), number("2.50")]).result == number_value(4)
    assert operations.typed_value("8", "quantity", METRE).label == f"8 Q{METRE}"
    yes = operations.compare("less", number("1"), number("2")).result
    assert yes == TypedValue(datatype="boolean", value="yes", label="yes")
    a, b = EntityRef(id="Q1", label="one"), EntityRef(id="Q2", label="two")
    assert value_of(operations.compare("same", a, b)) == "no"
    assert value_of(operations.compare("same", a, a.model_copy(update={"label": "uno"}))) == "yes"


@given(day=days, own=precisions, asked=precisions, other=days)
def test_a_literal_matches_what_it_is_a_finer_form_of(
    day: datetime.date, own: int, asked: int, other: datetime.date
) -> None:
    assert operations.matches(cut(day, own), cut(day, asked)) == (own >= asked)
    wanted = cut(other, asked)
    same = day.isoformat().startswith(wanted.value)
    assert operations.matches(cut(day, 11), wanted) == same


def test_literals_match_by_value_unit_and_calendar() -> None:
    assert operations.matches(number("4.0", METRE), number("4", METRE))
    assert not operations.matches(number("4", METRE), number("4"))
    assert not operations.matches(number("4", lower="3", upper="5"), number("4"))
    assert not operations.matches(date("1582-10-04", calendar=JULIAN), date("1582"))
    assert not operations.matches(date("1990"), number("1990"))


@given(st.text(max_size=12), st.integers(0, 14))
def test_no_text_breaks_the_reading_of_dates(text: str, precision: int) -> None:
    try:
        found = parse_date(text, precision, None)
    except NotComparable:
        return
    assume(found.day)
    assert found.month
    assert 1 <= found.month <= 12

"""Operations in words, for drawings, their text alternatives and the steps of an example."""

from __future__ import annotations

from factchain.chains.records import Operand, Operation, Operator

SHOWN = 8
"""Operands that are written out; of longer lists the rest is counted."""

WORDS: dict[Operator, str] = {
    "count": "count",
    "sum": "sum",
    "difference": "difference",
    "product": "product",
    "years_between": "years between",
    "days_between": "days between",
    "years_before": "years before",
    "years_after": "years after",
    "earliest": "the earliest",
    "latest": "the latest",
    "smallest": "the smallest",
    "largest": "the largest",
    "before": "is before",
    "after": "is after",
    "less": "is less",
    "more": "is more",
    "same": "is the same",
}


def operation_in_words(operation: Operation) -> str:
    """What is reckoned, with operands and result: `years before: 1968, 35. Result: 1933.`"""
    shown = [_operand(operand) for operand in operation.operands[:SHOWN]]
    if more := len(operation.operands) - len(shown):
        shown.append(f"and {more} more")
    of = f": {', '.join(shown)}" if operation.operator != "count" else ""
    return f"{WORDS[operation.operator]}{of}. Result: {operation.result.label}."


def constants(operation: Operation) -> list[str]:
    """The operands that no hop answers and no fact states."""
    return [operand.value.label for operand in operation.operands if operand.hop is None]


def _operand(operand: Operand) -> str:
    whose = f"{operand.entity.label} " if operand.entity is not None else ""
    return f"{whose}{operand.value.label}"

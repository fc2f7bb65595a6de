"""The letters of options: A to Z, then AA, AB and so on."""

from __future__ import annotations

_LETTERS = 26


def letter(number: int) -> str:
    """The letter of an option, counted from 0."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, _LETTERS)
        text = chr(ord("A") + rest) + text
    return text


def number_of(text: str) -> int:
    """The number of an option, from 0, by its letter."""
    number = 0
    for character in text:
        number = number * _LETTERS + ord(character) - ord("A") + 1
    return number - 1

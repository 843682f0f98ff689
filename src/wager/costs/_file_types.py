"""The types of the values in cost and answer files; an error names the key.

A setting is checked where it enters, so that the arithmetic behind it need not expect text where
a number belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wager._visible import brief

__all__ = ["check_answer_types", "check_cost_types", "is_number"]


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_cost_types(data: Mapping[str, Any]) -> None:
    """Raise a ValueError for the first setting of a cost file that has the wrong type."""
    _require(data, "classes", _is_labels, "a list of labels such as ['a', 'b']")
    _require(data, "costs", _is_rows, "a list of rows of numbers, one row per predicted class")
    _require(data, "kind", _is_text, "'zero-one', 'ordinal' or 'ha'")
    _require(data, "p", is_number, "a number")
    _require(data, "eta", _is_number_or_numbers, "a number, or a list with a number per class")
    _require(data, "sets", _is_table, "a table such as [sets] with 'a|b' = [0.5, 0.5]")
    sets = {f"sets.{name!r}": row for name, row in data.get("sets", {}).items()}
    for key in sets:
        _require(sets, key, _is_list_or_table, "a list or table of numbers")
    _require(data, "extension", _is_table, "a table such as [extension] with rule = 'discounted'")
    options = {f"extension.{name}": value for name, value in data.get("extension", {}).items()}
    for key in options:
        fits, wanted = _OPTIONS.get(key, (is_number, "a number"))
        _require(options, key, fits, wanted)


def check_answer_types(entry: Any) -> None:
    """Raise a ValueError for the first key of an answer that has the wrong type."""
    if not _is_table(entry):
        raise ValueError(f"must be a table with set, true and cost, got {brief(entry)}")
    for name in ("set", "than_set"):
        _require(entry, name, _is_set, "labels such as 'a|b' or ['a', 'b']")
    for name in ("true", "than"):
        _require(entry, name, _is_label, "a class")
    for name in ("cost", "times"):
        _require(entry, name, is_number, "a number")
    _require(entry, "relation", _is_text, "'=', '<=' or '>='")
    _require(entry, "proba", _is_row, "a table or list of probabilities")


def _require(data: Mapping[str, Any], name: str, fits: Callable[[Any], bool], wanted: str) -> None:
    if name in data and not fits(data[name]):
        raise ValueError(f"{name} must be {wanted}, got {_short(data[name])}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_label(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _is_labels(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_label, value))


def _is_set(value: Any) -> bool:
    return _is_label(value) or _is_labels(value)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_number, value))


def _is_number_or_numbers(value: Any) -> bool:
    return is_number(value) or _is_numbers(value)


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, list) for row in value)


def _is_list_or_table(value: Any) -> bool:
    return isinstance(value, list) or _is_table(value)


def _is_row(value: Any) -> bool:
    return _is_numbers(value) or (_is_table(value) and all(map(is_number, value.values())))


def _is_utility(value: Any) -> bool:
    return _is_text(value) or is_number(value)


_OPTIONS: dict[str, tuple[Callable[[Any], bool], str]] = {  # all others are numbers
    "extension.rule": (_is_text, "a text"),
    "extension.mode": (_is_text, "a text"),
    "extension.utility": (_is_utility, "the name of a utility"),
}

"""An expert's answers in a TOML file, one table per answer.

::

    [[answer]]                      # a value
    set = "h|n"                     # or ["h", "n"]
    true = "n"
    cost = 0.75                     # relation = "<=" or ">=" turns any answer into a bound

    [[answer]]                      # a ratio: three times the cost when n is true
    set = "h|n"
    true = "n"
    than = "h"
    times = 3                       # than_set = "h|b" compares with another set

    [[answer]]                      # an expected cost
    set = "h|n"
    proba = { h = 0.5, n = 0.5 }
    cost = 0.5
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from wager._tables import check_classes
from wager._toml import parsed_toml
from wager._typing import Array
from wager.costs._answers import Answer, CostRatio, ExpectedCost, SetCost
from wager.costs._file_errors import errors_name, read_text
from wager.costs._file_types import check_answer_types
from wager.predictions import split_labels

__all__ = ["read_answers"]

_KINDS: dict[frozenset[str], type[Answer]] = {
    frozenset({"set", "true", "cost"}): SetCost,
    frozenset({"set", "true", "than", "times"}): CostRatio,
    frozenset({"set", "proba", "cost"}): ExpectedCost,
}
_OPTIONAL = {"relation", "than_set"}


def read_answers(path: str | PathLike[str], classes: Array) -> list[Answer]:
    """Read answers about costs of sets from a TOML file.

    Parameters
    ----------
    path : path
        A file of ``[[answer]]`` tables: set, true, cost; or set, true, than, times; or set, proba,
        cost.
    classes : array of shape (K,)
        The classes.  Labels in the file are text; each one means the class with the same text.
    """
    classes = check_classes(classes)
    with errors_name(path):
        data = parsed_toml(read_text(Path(path), "answers"))
        entries = data.get("answer")
        if not isinstance(entries, list) or set(data) != {"answer"}:
            raise ValueError("an answer file must contain [[answer]] tables and nothing else")
        return [_answer(entry, place, classes) for place, entry in enumerate(entries, start=1)]


def _answer(entry: Any, place: int, classes: Array) -> Answer:
    with errors_name(f"answer {place}"):
        check_answer_types(entry)
    kind = _KINDS.get(frozenset(set(entry) - _OPTIONAL))
    if kind is None or ("than_set" in entry and kind is not CostRatio):
        raise ValueError(
            f"answer {place} has keys {', '.join(entry) or '(none)'}: give set, true and cost; or "
            "set, true, than and times; or set, proba and cost"
        )
    by_name = {str(label): label for label in classes.tolist()}
    values = dict(entry)
    for name in ("set", "than_set"):
        if name in values:
            given = values[name]
            labels = map(str, given) if isinstance(given, list) else split_labels(str(given))
            values[name] = tuple(by_name.get(label.strip(), label) for label in labels)
    for name in ("true", "than"):
        if name in values:
            values[name] = by_name.get(str(values[name]), values[name])
    if isinstance(values.get("proba"), Mapping):
        values["proba"] = {by_name.get(label, label): p for label, p in values["proba"].items()}
    with errors_name(f"answer {place}"):
        return kind(**values)

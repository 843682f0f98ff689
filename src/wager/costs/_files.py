r"""Costs in files: a table a spreadsheet can edit, or a few lines of TOML.

CSV: the header names the true classes, the first column the predicted class or set, whose labels
are joined by ``|`` (a ``|`` inside a label is written ``\|``)::

    predicted,h,b,n
    h,0,1,2
    b,1,0,2
    n,4,4,0
    h|b,0.25,0.25,2

TOML: the same as arrays, or one of the ready-made matrices; ``sets`` and ``extension`` are
optional::

    classes = ["h", "b", "n"]
    costs = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
    # or: kind = "zero-one" | "ordinal" (p) | "ha" (eta)

    [sets]
    "h|b" = [0.25, 0.25, 2]        # or: { h = 0.25, b = 0.25 }

    [extension]                    # what fills the cells that sets leaves out
    rule = "p-discounted"
    r = 0.5

Rows of sets, or an extension, make the file one of extended costs.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager.costs._extended import ExtendedCosts
from wager.costs._extension import extend
from wager.costs._matrix import CostMatrix, match_labels
from wager.predictions import join_labels, split_labels

__all__ = ["costs_to_csv", "read_costs"]


def read_costs(path: str | PathLike[str]) -> CostMatrix | ExtendedCosts:
    """Read costs from a CSV or TOML file.

    Parameters
    ----------
    path : path
        A file ending in ``.csv`` (a header of true classes, then a row for each predicted class or
        set, ``h|b``) or in ``.toml`` (classes, costs, sets, extension).

    Returns
    -------
    CostMatrix, or ExtendedCosts where the file speaks of sets
    """
    path = Path(path)
    readers = {".csv": _read_csv, ".toml": _read_toml}
    if path.suffix.lower() not in readers:
        raise ValueError(f"{path}: costs are read from files that end in .csv or .toml")
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file to read costs from")
    try:
        return readers[path.suffix.lower()](path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"{path}: this is not a TOML file ({problem})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: this is not a text file in UTF-8") from None
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None


def costs_to_csv(costs: CostMatrix | ExtendedCosts) -> str:
    """The costs as the text of a CSV file that `read_costs` reads back.

    Examples
    --------
    >>> print(costs_to_csv(CostMatrix.zero_one(["a", "b"]).extend("utility", utility="u65")))
    predicted,a,b
    a,0,1
    b,1,0
    a|b,0.35,0.35
    """
    if isinstance(costs, CostMatrix):
        sets: Sequence[tuple[Any, ...]] = [(label,) for label in costs.classes]
        rows = costs.costs
    else:
        sets, rows = costs.subsets(), costs.matrix()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["predicted", *costs.classes])
    for labels, row in zip(sets, rows, strict=True):
        name = join_labels([str(label) for label in labels])
        writer.writerow([name, *(f"{cost:.15g}" for cost in row)])
    return text.getvalue().removesuffix("\n")


def _read_csv(text: str) -> CostMatrix | ExtendedCosts:
    lines = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    if len(lines) < 3 or len(lines[0]) < 3:
        raise ValueError(
            "a table of costs has a header with the true classes and a row for each predicted "
            "class, two of them at least"
        )
    header, *body = ([cell.strip() for cell in row] for row in lines)
    classes = header[1:]
    for number, row in enumerate(body, start=2):
        if len(row) != len(header):
            raise ValueError(
                f"line {number} has {len(row)} cells but the header has {len(header)}: "
                "give a cost for each true class"
            )
    values = np.array([[_number(cell, i) for cell in row[1:]] for i, row in enumerate(body, 2)])
    sets = [_split(row[0]) for row in body]
    single = [place for place, labels in enumerate(sets) if len(labels) == 1]
    order = match_labels([sets[place][0] for place in single], classes)
    labels = _plain_labels(classes)
    rename = dict(zip(classes, labels, strict=True))
    costs = CostMatrix(values[single][order], labels)
    own = {
        tuple(rename.get(label, label) for label in sets[place]): values[place]
        for place in range(len(sets))
        if len(sets[place]) > 1
    }
    return _with_sets(costs, own, {})


def _read_toml(text: str) -> CostMatrix | ExtendedCosts:
    data = tomllib.loads(text)
    unknown = set(data) - {"classes", "costs", "kind", "p", "eta", "sets", "extension"}
    if unknown:
        raise ValueError(
            f"there is no setting {sorted(unknown)[0]!r}: choose from classes, costs, kind, p, "
            "eta, sets, extension"
        )
    costs = _toml_matrix(data)
    by_name = {str(label): label for label in costs.classes.tolist()}
    own = {}
    for key, row in data.get("sets", {}).items():
        labels = tuple(by_name.get(label, label) for label in _split(key))
        if isinstance(row, Mapping):
            row = {by_name.get(label, label): cost for label, cost in row.items()}
        own[labels] = row
    return _with_sets(costs, own, dict(data.get("extension", {})))


def _toml_matrix(data: Mapping[str, Any]) -> CostMatrix:
    kind = data.get("kind")
    if kind is None:
        if "costs" not in data:
            raise ValueError("give costs = [[...], ...], or kind = 'zero-one', 'ordinal' or 'ha'")
        return CostMatrix(data["costs"], data.get("classes"))
    if "classes" not in data:
        raise ValueError(f"costs of kind {kind!r} need their classes")
    if kind == "zero-one":
        return CostMatrix.zero_one(data["classes"])
    if kind == "ordinal":
        return CostMatrix.ordinal(data["classes"], data.get("p", 1.0))
    if kind == "ha":
        return CostMatrix.ha(data.get("eta", 1.0), data["classes"])
    raise ValueError(f"kind must be 'zero-one', 'ordinal' or 'ha', got {kind!r}")


def _with_sets(
    costs: CostMatrix, own: Mapping[Any, Any], extension: dict[str, Any]
) -> CostMatrix | ExtendedCosts:
    if not own and not extension:
        return costs
    rule = extension.pop("rule", "p-discounted")
    if not own:
        return extend(costs, rule, **extension)
    return extend(costs, own, otherwise=rule, **extension)


def _split(name: str) -> list[str]:
    """The labels of a set that is written as one string."""
    return [label.strip() for label in split_labels(name)]


def _number(cell: str, line: int) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ValueError(f"line {line} holds {cell!r} where a cost should be") from None


def _plain_labels(names: list[str]) -> list[Any]:
    """Integers where every label is one, so that they match integer truths."""
    if all(re.fullmatch(r"-?\d+", name) for name in names):
        return [int(name) for name in names]
    return names

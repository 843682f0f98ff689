r"""Costs in files: a CSV table that a spreadsheet can edit, or a few lines of TOML.

CSV: the header names the true classes, the first column the predicted class or set, whose labels
are joined by ``|`` (a ``|`` inside a label is written ``\|``).  Semicolons or tabs may separate the
cells, and then numbers may have decimal commas::

    predicted,h,b,n
    h,0,1,2
    b,1,0,2
    n,4,4,0
    h|b,0.25,0.25,2

TOML: the same as arrays, or one of the ready-made matrices; ``unit``, ``sets`` and ``extension``
are optional::

    classes = ["h", "b", "n"]
    costs = [[0, 1, 2], [1, 0, 2], [4, 4, 0]]
    # or: kind = "zero-one" | "ordinal" (p) | "ha" (eta)
    unit = "EUR"                   # optional

    [sets]
    "h|b" = [0.25, 0.25, 2]        # or: { h = 0.25, b = 0.25 }

    [extension]                    # the rule for the cells that sets leaves out
    rule = "p-discounted"
    r = 0.5

A file with rows of sets, or with an extension, contains extended costs.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from wager._tables import BLANKS, COMPRESSED, MISSING_WORDS, csv_dialect, require_kind
from wager._toml import parsed_toml
from wager._visible import brief, in_one_line
from wager.costs._checks import match_labels
from wager.costs._class_costs import ClassCosts
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._file_errors import read_text
from wager.costs._file_matrix import check_matrix, check_set
from wager.costs._file_types import check_cost_types
from wager.costs._standard_costs import ha_costs, ordinal_costs, zero_one_costs
from wager.predictions import join_labels, split_labels

__all__ = [
    "CostFile",
    "costs_to_csv",
    "parse_cost_file",
    "parse_cost_text",
    "plain_labels",
    "read_cost_text",
]

_KIND_OF = {"costs": None, "p": "ordinal", "eta": "ha"}  # the kind that a setting belongs to
_SETTINGS = ("classes", "costs", "kind", "p", "eta", "unit", "sets", "extension")


@dataclass(frozen=True)
class CostFile:
    """The content of a cost file.

    Parameters
    ----------
    costs, classes
        The costs of single classes and their labels, as `CostMatrix` takes them.
    sets : mapping of sets to costs by true class
        The costs of sets that the file lists.
    extension : mapping
        The ``rule`` for all other sets, and its options.
    unit : str, optional
        What the costs are counted in.
    """

    costs: Any
    classes: Any
    sets: Mapping[Any, Any] = field(default_factory=dict)
    extension: Mapping[str, Any] = field(default_factory=dict)
    unit: str | None = None

    @property
    def has_sets(self) -> bool:
        """Whether the file gives costs of sets, and not only of single classes."""
        return bool(self.sets or self.extension)


def parse_cost_file(path: str | PathLike[str]) -> CostFile:
    """Read the content of a CSV or TOML file of costs."""
    return parse_cost_text(*read_cost_text(path))


def read_cost_text(path: str | PathLike[str]) -> tuple[str, str]:
    """The text of a file of costs, and its ending without that of a compressed file."""
    path = Path(path)
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    if endings and endings[-1] in COMPRESSED:
        endings.pop()
    if not endings or endings[-1] not in _PARSERS:
        raise ValueError("costs are read from files that end in .csv or .toml")
    return read_text(path, "costs"), endings[-1]


def parse_cost_text(text: str, ending: str) -> CostFile:
    """Read the text of a file of costs; its ending says what it is."""
    return _PARSERS[ending](text)


def costs_to_csv(costs: ClassCosts | ExtendedCosts) -> str:
    """The costs as the text of a CSV file that `read_costs` can read.

    Examples
    --------
    >>> from wager.costs import CostMatrix
    >>> print(costs_to_csv(CostMatrix.zero_one(["a", "b"]).extend("utility", utility="u65")))
    predicted,a,b
    a,0,1
    b,1,0
    a|b,0.35,0.35
    """
    require_kind(costs, "costs", ClassCosts, ExtendedCosts)
    if isinstance(costs, ClassCosts):
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


def _parse_csv(text: str) -> CostFile:
    lines, decimal_comma = _csv_lines(text)
    if len(lines) < 3 or len(lines[0][1]) < 3:
        raise ValueError(
            "a cost table needs a header with the true classes and one row per predicted class, "
            "for at least two classes"
        )
    (_, header), *rest = lines
    _refuse_numbers(header, [row for _, row in rest])
    classes = header[1:]
    for line, row in rest:
        if len(row) != len(header):
            raise ValueError(
                f"line {line} has {len(row)} cells but the header has {len(header)}: "
                "give one cost per true class"
            )
    values = np.array(
        [
            [
                _number(cell, line, name, decimal_comma)
                for cell, name in zip(row[1:], classes, strict=True)
            ]
            for line, row in rest
        ]
    )
    body = [row for _, row in rest]
    sets = [_split(row[0]) for row in body]
    listed: set[tuple[str, ...]] = set()
    for (line, _), members in zip(rest, sets, strict=True):
        if not members:
            raise ValueError(f"line {line} has no predicted class: name it in the first cell")
        if len(members) > 1:
            _refuse_twice(members, listed, f"line {line} lists")
    single = [place for place, labels in enumerate(sets) if len(labels) == 1]
    order = match_labels([sets[place][0] for place in single], classes)
    check_matrix(values[single][order].tolist(), classes)
    for place, members in enumerate(sets):
        check_set(body[place][0], members, values[place].tolist(), classes)
    labels = plain_labels(classes)
    rename = dict(zip(classes, labels, strict=True))
    own = {
        tuple(rename.get(label, label) for label in sets[place]): values[place]
        for place in range(len(sets))
        if len(sets[place]) > 1
    }
    return CostFile(values[single][order], labels, own)


def _refuse_twice(members: list[str], listed: set[tuple[str, ...]], what: str) -> None:
    """Raise if a set was listed before: the second costs would replace the first."""
    labels = tuple(members)
    if labels in listed:
        raise ValueError(f"{what} the set {brief(join_labels(labels))} again: give each set once")
    listed.add(labels)


def _refuse_numbers(header: list[str], rows: list[list[str]]) -> None:
    """Raise if the first line of a CSV file is not a header but costs.

    Classes may be numbers: then the rows begin with them, and the header with a word or nothing.
    """
    named = any(label in header[1:] for row in rows for label in _split(row[0]))
    if (named and not _is_number(header[0])) or not all(map(_is_number, header[1:])):
        return
    raise ValueError(
        f"line 1 has numbers ({', '.join(header)}) where the names of the true classes are "
        "expected: begin with a line such as predicted,a,b,c, and each other line with the "
        "predicted class"
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _csv_lines(text: str) -> tuple[list[tuple[int, list[str]]], bool]:
    """The lines that are not empty, with their numbers; and whether numbers have decimal commas."""
    dialect = csv_dialect(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter)
    lines = []
    try:
        for row in reader:
            cells = [cell.strip(BLANKS) for cell in row]
            if any(cells) and reader.line_num > dialect.skip:
                lines.append((reader.line_num, cells))
    except csv.Error as problem:
        raise ValueError(f"line {reader.line_num} is not regular CSV ({problem})") from None
    width = len(lines[0][1]) if lines else 0
    if width and all(len(cells) == width and not cells[-1] for _, cells in lines):
        lines = [(line, cells[:-1]) for line, cells in lines]  # every line ends in a delimiter
    return lines, dialect.decimal_comma


def _parse_toml(text: str) -> CostFile:
    data = parsed_toml(text)
    unknown = set(data) - set(_SETTINGS)
    if unknown:
        raise ValueError(
            f"unknown setting {sorted(unknown)[0]!r}: choose from {', '.join(_SETTINGS)}"
        )
    check_cost_types(data)
    if "costs" in data and "kind" not in data:
        check_matrix(data["costs"], data.get("classes"))
    # checks the classes and the unit
    costs = ClassCosts(_toml_matrix(data), data.get("classes"), data.get("unit"))
    by_name = {str(label): label for label in costs.classes.tolist()}
    own, listed = {}, set[tuple[str, ...]]()
    for key, row in data.get("sets", {}).items():
        _refuse_twice(_split(key), listed, "[sets] lists")
        labels = tuple(by_name.get(label, label) for label in _split(key))
        if isinstance(row, Mapping):
            row = {by_name.get(label, label): cost for label, cost in row.items()}
        check_set(key, labels, row, costs.classes.tolist())
        own[labels] = row
    return CostFile(costs.costs, costs.classes, own, data.get("extension", {}), costs.unit)


def _toml_matrix(data: Mapping[str, Any]) -> Any:
    kind = data.get("kind")
    unused = [name for name in ("costs", "p", "eta") if name in data and kind != _KIND_OF[name]]
    if unused and kind in (None, *_KIND_OF.values(), "zero-one"):
        shown = "costs = [[...], ...]" if kind is None else f"kind = {kind!r}"
        raise ValueError(f"{unused[0]} has no effect beside {shown}: leave one of them out")
    if kind is None:
        if "costs" not in data:
            raise ValueError("give costs = [[...], ...], or kind = 'zero-one', 'ordinal' or 'ha'")
        return data["costs"]
    if "classes" not in data:
        raise ValueError(
            f"costs of kind {brief(kind)} need classes: list them with classes = [...]"
        )
    n_classes = len(np.asarray(data["classes"]))
    if kind == "zero-one":
        return zero_one_costs(n_classes).dense()
    if kind == "ordinal":
        return ordinal_costs(n_classes, data.get("p", 1.0)).dense()
    if kind == "ha":
        return ha_costs(data.get("eta", 1.0), n_classes).dense()
    raise ValueError(f"kind must be 'zero-one', 'ordinal' or 'ha', got {brief(kind)}")


def _split(name: str) -> list[str]:
    """The labels of a set that is written as one string."""
    return [label.strip() for label in split_labels(name)]


def _number(cell: str, line: int, name: str, decimal_comma: bool) -> float:
    if cell in ("", "?", *MISSING_WORDS):
        shown = repr(cell) if cell else "an empty cell"
        raise ValueError(
            f"line {line} has {shown} where the cost for the true class {in_one_line(name)} is "
            "expected: give a number"
        )
    try:
        return float(cell.replace(",", ".") if decimal_comma else cell)
    except ValueError:
        hint = ""
        if "," in cell:
            hint = f": write {cell.replace(',', '.')}, or separate the cells by semicolons"
        raise ValueError(f"line {line} has {cell!r} where a cost is expected{hint}") from None


def plain_labels(names: list[str]) -> list[Any]:
    """Integers where every label is one, so that they match integer true classes."""
    if all(re.fullmatch(r"-?\d+", name) for name in names):
        return [int(name) for name in names]
    return names


_PARSERS = {".csv": _parse_csv, ".tsv": _parse_csv, ".toml": _parse_toml}

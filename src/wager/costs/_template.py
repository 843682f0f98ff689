"""A cost file to fill in: every error costs 1 at first, and comments say what to change."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from wager._tables import check_classes, is_one_of
from wager._visible import brief
from wager.costs._cost_files import costs_to_csv, plain_labels
from wager.costs._cost_unit import check_unit
from wager.costs._matrix import CostMatrix
from wager.predictions import join_labels

__all__ = ["cost_template"]

_TOML = """\
# What predictions cost.  Edit the numbers, then for example:
#   wager score predictions.csv --costs THIS_FILE
#   wager compare a.csv b.csv --costs THIS_FILE

# What the costs are counted in: EUR, minutes, points, ...
{unit}

# The classes, spelt as in the predictions.
classes = [{classes}]

# One row per predicted class, one column per true class.  A correct prediction usually costs 0;
# costs must not be negative.
costs = [
{matrix}
]

# A set of several classes costs a mean of the costs of its classes.  r is the reward for caution:
# with r = 0 it is the plain mean, and with r = 1 a set that contains the true class costs nothing
# if the class itself does.  mode = "mistake-averse" makes sets without the true class cost more.
# This is the default; remove the marks to change it.
# [extension]
# rule = "p-discounted"
# r = 0.5
# mode = "cautious"

# Sets that cost something else: one cost for each true class, in the order of the classes.
# [sets]
# {example}
"""


def cost_template(classes: Sequence[Any], *, unit: str | None = None, layout: str = "toml") -> str:
    """The text of a cost file for these classes, in which every error costs 1.

    Parameters
    ----------
    classes : sequence of labels
        At least two classes, in the order of rows and columns.
    unit : str, optional
        What the costs are counted in; CSV has no place for it.
    layout : {"toml", "csv"}, default="toml"
        The layout of the file; only TOML has comments.

    Examples
    --------
    >>> print(cost_template(["ill", "well"], layout="csv"))
    predicted,ill,well
    ill,0,1
    well,1,0
    """
    given = list(classes)
    if all(isinstance(label, str) for label in given):
        given = plain_labels(given)
    labels = check_classes(given).tolist()
    if len(labels) < 2:
        raise ValueError("costs need at least two classes, such as a,b,c")
    named = check_unit(unit)
    if is_one_of(layout, ("csv",)):
        return costs_to_csv(CostMatrix.zero_one(labels))
    if not is_one_of(layout, ("toml",)):
        raise ValueError(f"layout must be 'toml' or 'csv', got {brief(layout)}")
    written = [_value(label) for label in labels]
    pair = join_labels([str(label) for label in labels[:2]])
    costs = ", ".join(["0.25", "0.25", *["1"] * (len(labels) - 2)])
    return _TOML.format(
        unit=f"unit = {_value(named)}" if named else '# unit = "EUR"',
        classes=", ".join(written),
        matrix=_matrix([str(label) for label in labels]),
        example=f"{_value(pair)} = [{costs}]",
    )


def _matrix(labels: list[str]) -> str:
    """The rows of the matrix, aligned below a comment with the true classes."""
    names = [re.sub(r"\s+", " ", label) for label in labels]
    widths = [max(len(name), 3) for name in names]
    head = "  ".join(name.rjust(width) for name, width in zip(names, widths, strict=True))
    lines = [f"  # true:  {head}     predicted:"]
    for i, name in enumerate(names):
        cells = ", ".join(str(int(i != j)).rjust(width) for j, width in enumerate(widths))
        lines.append(f"  [        {cells} ],  # {name}")
    return "\n".join(lines)


def _value(value: Any) -> str:
    """A label or a text as TOML writes it."""
    return str(value) if isinstance(value, int) else json.dumps(str(value), ensure_ascii=False)

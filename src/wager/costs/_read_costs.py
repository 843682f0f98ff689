"""Read costs of classes or of sets from a file."""

from __future__ import annotations

from os import PathLike

from wager.costs._cost_files import parse_cost_file
from wager.costs._extend import extend
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._file_errors import errors_name
from wager.costs._matrix import CostMatrix

__all__ = ["read_costs"]


def read_costs(path: str | PathLike[str]) -> CostMatrix | ExtendedCosts:
    """Read costs from a CSV or TOML file.

    Parameters
    ----------
    path : path
        A file ending in ``.csv`` (a header of true classes, then one row per predicted class or
        set, ``h|b``) or in ``.toml`` (classes, costs, unit, sets, extension).

    Returns
    -------
    CostMatrix, or ExtendedCosts if the file gives costs of sets
    """
    with errors_name(path):
        content = parse_cost_file(path)
        costs = CostMatrix(content.costs, content.classes, content.unit)
        if not content.has_sets:
            return costs
        options = dict(content.extension)
        rule = options.pop("rule", "p-discounted")
        if not content.sets:
            return extend(costs, rule, **options)
        return extend(costs, content.sets, otherwise=rule, **options)

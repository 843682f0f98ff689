"""Read costs of classes or of sets from a file."""

from __future__ import annotations

from os import PathLike

from wager.costs._cost_files import CostFile, parse_cost_file, parse_cost_text
from wager.costs._extend import extend
from wager.costs._extended_costs import ExtendedCosts
from wager.costs._file_errors import errors_name
from wager.costs._matrix import CostMatrix

__all__ = ["parse_costs", "read_costs"]


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
        return _costs_of(parse_cost_file(path), str(path))


def parse_costs(text: str, ending: str) -> CostMatrix | ExtendedCosts:
    r"""The costs in the text of a file with that ending: ``".toml"`` or ``".csv"``.

    Examples
    --------
    >>> parse_costs("predicted,a,b\na,0,2\nb,1,0", ".csv").costs.tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    return _costs_of(parse_cost_text(text, ending))


def _costs_of(content: CostFile, source: str | None = None) -> CostMatrix | ExtendedCosts:
    costs = CostMatrix(content.costs, content.classes, content.unit).from_source(source)
    if not content.has_sets:
        return costs
    options = dict(content.extension)
    rule = options.pop("rule", "p-discounted")
    if not content.sets:
        return extend(costs, rule, **options)
    return extend(costs, content.sets, otherwise=rule, **options)

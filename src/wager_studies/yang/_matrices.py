"""Cost matrices on which properties of costs of sets are searched for counterexamples.

A property that holds for one matrix may fail for the next.  So each statement of Yang, Destercke &
Masson (2017) about an extension is checked on matrices of two to five classes: the kinds that the
paper names, every small matrix of whole numbers, and random ones.  The simplest come first, so the
first counterexample is a small one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from wager._typing import Floats
from wager.costs import CostMatrix, ExtendedCosts
from wager_studies._draws import draws

__all__ = ["SIZES", "Case", "Kind", "free_errors", "nothing_free", "show_matrix", "usual"]

SIZES = (2, 3, 4, 5)  # numbers of classes
N_RANDOM = 12  # for each number of classes
STREAM = 2017  # of random numbers


class Kind(NamedTuple):
    """A cost matrix, and the kind of matrices to which it belongs."""

    name: str
    costs: CostMatrix


class Case(NamedTuple):
    """A kind of matrix, and one of its matrices extended to sets."""

    kind: str
    extended: ExtendedCosts


def usual(obstacles: CostMatrix, seed: int | None = None) -> list[Kind]:
    """Matrices in which only correct predictions are free, the simplest first."""
    rng = draws(STREAM, seed)
    found = [Kind("the paper's Table I", obstacles)]
    for k in SIZES:
        labels = list("abcde"[:k])
        found.append(Kind("zero-one", CostMatrix.zero_one(labels)))
        found += [Kind("ordinal", CostMatrix.ordinal(labels, p=p)) for p in (0.5, 1, 2)]
        found += [
            Kind("by true class", CostMatrix.ha(eta, labels))
            for eta in rng.uniform(0.2, 4, (N_RANDOM, k)).round(2)
        ]
        found += [
            Kind("random", CostMatrix(np.where(np.eye(k), 0, costs), labels))
            for costs in rng.uniform(0.1, 4, (N_RANDOM, k, k)).round(2)
        ]
    found += _named("all of 2 classes, costs 1 to 4", _every(2, (1, 2, 3, 4)))
    found += _named("all of 3 classes, costs 1 and 2", _every(3, (1, 2)))
    return sorted(found, key=_simplicity)


def free_errors() -> list[Kind]:
    """Matrices of two and three classes in which some, but not all, errors are free."""
    some = (c for k in (2, 3) for c in _every(k, (0, 1)) if 0 < c.sum() < k * (k - 1))
    return sorted(_named("some errors are free", some), key=_simplicity)


def nothing_free() -> list[Kind]:
    """Matrices in which correct predictions cost 1 and errors cost more."""
    matrices = [*_every(2, (2, 3, 4)), *_every(3, (2, 3))]
    return sorted(
        _named("nothing is free", (c + np.eye(len(c)) for c in matrices)), key=_simplicity
    )


def show_matrix(costs: Floats) -> str:
    """A matrix in one line, rows separated by semicolons.

    Examples
    --------
    >>> show_matrix(np.array([[0, 1], [1, 0]]))
    '(0 1; 1 0)'
    """
    rows = (" ".join(f"{cell:.3g}" for cell in row) for row in costs)
    return f"({'; '.join(rows)})"


def _every(k: int, values: Iterable[float]) -> Iterator[Floats]:
    """Every matrix of k classes with a zero diagonal and these costs of errors."""
    errors = ~np.eye(k, dtype=bool)
    for cells in product(values, repeat=k * (k - 1)):
        costs = np.zeros((k, k))
        costs[errors] = cells
        yield costs


def _named(name: str, matrices: Iterable[Floats]) -> list[Kind]:
    return [Kind(name, CostMatrix(costs, list("abcde"[: len(costs)]))) for costs in matrices]


def _simplicity(kind: Kind) -> tuple[int, bool, float, float]:
    """Few classes come first, then whole numbers, then small costs."""
    costs = kind.costs.costs
    return len(costs), bool((costs % 1).any()), float(costs.max()), float(costs.sum())

"""Models that generate artificial data and know the true class probabilities.

A model draws rows with ``sample`` and gives the true conditional probabilities of the classes,
given a row, with ``class_probabilities``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from wager._tables import real_numbers, require_kind, require_whole
from wager._typing import Floats, Ints
from wager._visible import brief

__all__ = ["BayesianNetwork", "ChiSquareClasses", "Mixture", "Model", "RandomState"]

RandomState: TypeAlias = int | np.random.Generator | None


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """A Bayesian network of discrete variables, one of which is the class.

    Attributes
    ----------
    parents : tuple of tuples of int
        The parents of each variable.
    tables : tuple of ndarray
        P(variable | parents): one axis per parent, in order, then one for the variable itself.
    target : int
        The index of the class variable; the other variables are the features, in order.

    Examples
    --------
    >>> fair, loaded = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> coin = BayesianNetwork(((), (0,)), (fair, loaded), target=0)
    >>> coin.class_probabilities([[0], [1]]).round(3).tolist()
    [[0.818, 0.182], [0.111, 0.889]]
    >>> X, y = coin.sample(3, random_state=0)
    >>> X.shape, y.shape
    ((3, 1), (3,))
    """

    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]
    target: int

    def __post_init__(self) -> None:
        require_kind(self.parents, "parents", Sequence)
        require_kind(self.tables, "tables", Sequence)
        if len(self.parents) != len(self.tables) or not len(self.tables):
            raise ValueError(
                "parents and tables must have one entry per variable, got "
                f"{len(self.parents)} and {len(self.tables)}"
            )
        object.__setattr__(self, "target", require_whole(self.target, "target"))
        if self.target >= len(self.tables):
            raise ValueError(
                f"target must be one of the {len(self.tables)} variables, got {self.target}"
            )
        for variable, (above, table) in enumerate(zip(self.parents, self.tables, strict=True)):
            require_kind(above, f"the parents of variable {variable}", Sequence)
            require_kind(table, f"the table of variable {variable}", np.ndarray)
            for parent in above:
                if require_whole(parent, "a parent") >= len(self.tables):
                    raise ValueError(f"variable {variable} has a parent {parent}, which is missing")
            sizes = tuple(np.shape(self.tables[parent])[-1:] for parent in above)
            if table.ndim != len(above) + 1 or table.shape[:-1] != sum(sizes, ()):
                raise ValueError(
                    f"the table of variable {variable} must have one axis per parent, then one for "
                    f"the variable itself, got shape {table.shape}"
                )

    @property
    def n_values(self) -> Ints:
        """The number of values of each feature."""
        return np.delete([table.shape[-1] for table in self.tables], self.target)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.tables[self.target].shape[-1])

    @property
    def edges(self) -> set[tuple[int, int]]:
        """The arcs (parent, child), by the indices of the variables."""
        return {(p, child) for child, above in enumerate(self.parents) for p in above}

    def order(self) -> list[int]:
        """The variables, parents before children."""
        order: list[int] = []
        waiting = list(range(len(self.parents)))
        while waiting:
            ready = [v for v in waiting if all(p in order for p in self.parents[v])]
            if not ready:
                raise ValueError(
                    f"the arcs among the variables {waiting} form a cycle: remove one of them"
                )
            order += ready
            waiting = [v for v in waiting if v not in ready]
        return order

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Ints, Ints]:
        """Draw n rows; returns the features as codes, and the classes."""
        n = require_whole(n, "n")
        random = np.random.default_rng(random_state)
        drawn = np.zeros((n, len(self.parents)), dtype=np.int64)
        for variable in self.order():
            steps = self.tables[variable].cumsum(axis=-1)
            level = random.random(n)
            above = tuple(drawn[:, p] for p in self.parents[variable])
            for value in range(steps.shape[-1] - 1):
                drawn[:, variable] += steps[(*above, value)] < level
        return np.delete(drawn, self.target, axis=1), drawn[:, self.target]

    def joint(self, X: Any) -> Floats:
        """P(c, x) for each row x and class c, of shape (n, K)."""
        features = self._codes(X)
        rows = np.insert(features, self.target, 0, axis=1)
        columns = list(np.asfortranarray(rows).T)
        probability = np.ones((len(rows), self.n_classes))
        for c in range(self.n_classes):
            columns[self.target] = np.full(len(rows), c)
            product = np.ones(len(rows))
            for variable, above in enumerate(self.parents):
                product *= self.tables[variable][tuple(columns[v] for v in (*above, variable))]
            probability[:, c] = product
        return probability

    def _codes(self, X: Any) -> Ints:
        """The features as codes that the tables have."""
        given, sizes = np.asarray(X), self.n_values
        if given.ndim != 2 or given.shape[1] != len(sizes):
            raise ValueError(
                f"X must have one column for each of the {len(sizes)} features, got shape "
                f"{given.shape}"
            )
        try:
            with np.errstate(invalid="ignore"):
                codes = given.astype(np.int64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError("X must have whole numbers, the codes of the values") from None
        wrong = (codes != given) | (codes < 0) | (codes >= sizes)
        if wrong.any():
            row, feature = np.argwhere(wrong)[0].tolist()
            raise ValueError(
                f"X must have codes from 0 to {sizes[feature] - 1} in column {feature}, got "
                f"{given[row, feature]!r} in row {row}"
            )
        return codes

    def class_probabilities(self, X: Any) -> Floats:
        """The true P(c | x) of each row, of shape (n, K)."""
        joint = self.joint(X)
        return joint / joint.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class Mixture:
    """Networks over the same variables; each row is drawn from one of them, chosen at random.

    Attributes
    ----------
    parts : tuple of BayesianNetwork
        The networks.
    """

    parts: tuple[BayesianNetwork, ...]

    def __post_init__(self) -> None:
        require_kind(self.parts, "parts", Sequence)
        if not self.parts:
            raise ValueError("a mixture needs at least one network")
        for part in self.parts:
            require_kind(part, "a part of a mixture", BayesianNetwork)

    @property
    def n_values(self) -> Ints:
        """The number of values of each feature."""
        return self.parts[0].n_values

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.parts[0].n_classes

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Ints, Ints]:
        """Draw n rows; returns the features as codes, and the classes."""
        n = require_whole(n, "n")
        random = np.random.default_rng(random_state)
        which = random.integers(len(self.parts), size=n)
        X = np.zeros((n, len(self.n_values)), dtype=np.int64)
        y = np.zeros(n, dtype=np.int64)
        for part, network in enumerate(self.parts):
            rows = np.flatnonzero(which == part)
            X[rows], y[rows] = network.sample(len(rows), random)
        return X, y

    def class_probabilities(self, X: Any) -> Floats:
        """The true P(c | x) of each row, of shape (n, K)."""
        joint = sum((part.joint(X) for part in self.parts), np.zeros(()))
        return joint / joint.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class ChiSquareClasses:
    """Equally frequent classes of one chi-square distributed feature.

    Attributes
    ----------
    degrees : tuple of float
        The degrees of freedom, one per class.

    Examples
    --------
    >>> model = ChiSquareClasses((2, 8, 16))
    >>> model.class_probabilities([[1.0], [20.0]]).round(3).tolist()
    [[0.98, 0.02, 0.0], [0.0, 0.077, 0.922]]
    >>> np.bincount(model.sample(27, random_state=0)[1]).tolist()
    [9, 9, 9]
    """

    degrees: tuple[float, ...]

    def __post_init__(self) -> None:
        require_kind(self.degrees, "degrees", Sequence)
        if not self.degrees or not all(
            isinstance(each, int | float | np.number) and 0 < each < np.inf for each in self.degrees
        ):
            raise ValueError(
                f"degrees must be positive numbers, one per class, got {brief(self.degrees)}"
            )

    @property
    def n_values(self) -> Ints:
        """A single 0: the only feature is numeric."""
        return np.zeros(1, dtype=np.int64)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.degrees)

    def sample(self, n: int, random_state: Any = None) -> tuple[Floats, Ints]:
        """Draw n rows, equally many of each class; the first classes get the remaining rows."""
        n = require_whole(n, "n")
        y = np.sort(np.arange(n) % self.n_classes)
        drawn = np.random.default_rng(random_state).chisquare(np.array(tuple(self.degrees))[y])
        return drawn[:, None], y

    def class_probabilities(self, X: Any) -> Floats:
        """The true P(c | x) of each row, of shape (n, K)."""
        from scipy.stats import chi2

        numbers = real_numbers(X, "X")
        if numbers.ndim != 2 or numbers.shape[1] != 1:
            raise ValueError(f"X must have one column, got shape {numbers.shape}")
        finite = np.where(np.isfinite(numbers), numbers, -1.0)  # no class has -1
        logs = chi2.logpdf(finite, np.array(tuple(self.degrees)))
        nowhere = ~np.isfinite(logs.max(axis=1, initial=-np.inf))
        if nowhere.any():
            row = int(nowhere.argmax())
            raise ValueError(f"X has {numbers[row, 0]} in row {row}, which no class can have")
        density = np.exp(logs - logs.max(axis=1, keepdims=True))
        return density / density.sum(axis=1, keepdims=True)


Model: TypeAlias = BayesianNetwork | ChiSquareClasses | Mixture

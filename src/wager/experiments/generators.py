"""Artificial data whose truth is known: random Bayesian networks and mixtures of them.

A model draws rows (``sample``) and knows the true conditional probabilities of the classes given a
row (``class_probabilities``), so that a learner's probabilities can be held against them.

- ``random_binary_naive_bayes``: Zaffalon, Corani & Mauá (2012), Section 9.1.1;
- ``random_irrelevant_features``: the same, Section 9.4;
- ``random_naive_bayes``, ``random_tan``, ``random_aode``: Hope & Korb (2004), Section 5.1;
- ``random_chi_square``: Sondhauss & Weihs (2001), Section 2;
- ``random_network``: any directed acyclic graph of bounded in-degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from wager._typing import Array, Floats, Ints
from wager.experiments._chi_square import ChiSquareClasses

__all__ = [
    "BayesianNetwork",
    "ChiSquareClasses",
    "Mixture",
    "random_aode",
    "random_binary_naive_bayes",
    "random_chi_square",
    "random_irrelevant_features",
    "random_naive_bayes",
    "random_network",
    "random_tan",
]

RandomState: TypeAlias = int | np.random.Generator | None


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """A network of discrete variables, one of which is the class.

    Attributes
    ----------
    parents : tuple of tuples of int
        The parents of each variable.
    tables : tuple of ndarray
        P(variable | parents), of shape (values of the parents in turn, own values).
    target : int
        The variable that is the class; the others are the features, in order.

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
        """The arcs (parent, child), by the numbers of the variables."""
        return {(p, child) for child, above in enumerate(self.parents) for p in above}

    def order(self) -> list[int]:
        """The variables, parents before children."""
        order: list[int] = []
        waiting = list(range(len(self.parents)))
        while waiting:
            ready = [v for v in waiting if all(p in order for p in self.parents[v])]
            if not ready:
                raise ValueError(f"the arcs of variables {waiting} run in a circle")
            order += ready
            waiting = [v for v in waiting if v not in ready]
        return order

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Ints, Ints]:
        """Draw n rows: the features as codes, and the classes."""
        random = np.random.default_rng(random_state)
        drawn = np.zeros((n, len(self.parents)), dtype=np.int64)
        for variable in self.order():
            chances = self._rows_of(variable, drawn)
            level = random.random((n, 1))
            drawn[:, variable] = (chances.cumsum(axis=1)[:, :-1] < level).sum(axis=1)
        return np.delete(drawn, self.target, axis=1), drawn[:, self.target]

    def joint(self, X: Any) -> Floats:
        """P(c, x) of each row x and class c, shape (n, K)."""
        features = np.asarray(X)
        rows = np.insert(features, self.target, 0, axis=1)
        probability = np.ones((len(rows), self.n_classes))
        for c in range(self.n_classes):
            rows[:, self.target] = c
            for variable in range(len(self.parents)):
                chances = self._rows_of(variable, rows)
                probability[:, c] *= chances[np.arange(len(rows)), rows[:, variable]]
        return probability

    def class_probabilities(self, X: Any) -> Floats:
        """The true P(c | x) of each row, shape (n, K)."""
        joint = self.joint(X)
        return joint / joint.sum(axis=1, keepdims=True)

    def _rows_of(self, variable: int, rows: Array) -> Floats:
        """The distribution of a variable in each row, given its parents there."""
        table = self.tables[variable]
        if not self.parents[variable]:
            return np.broadcast_to(table, (len(rows), len(table)))
        return table[tuple(rows[:, p] for p in self.parents[variable])]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Networks over the same variables, each row drawn from one of them with equal chance."""

    parts: tuple[BayesianNetwork, ...]

    @property
    def n_values(self) -> Ints:
        """The number of values of each feature."""
        return self.parts[0].n_values

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.parts[0].n_classes

    def sample(self, n: int, random_state: RandomState = None) -> tuple[Ints, Ints]:
        """Draw n rows: the features as codes, and the classes."""
        random = np.random.default_rng(random_state)
        which = random.integers(len(self.parts), size=n)
        X = np.zeros((n, len(self.n_values)), dtype=np.int64)
        y = np.zeros(n, dtype=np.int64)
        for part, network in enumerate(self.parts):
            rows = np.flatnonzero(which == part)
            X[rows], y[rows] = network.sample(len(rows), random)
        return X, y

    def class_probabilities(self, X: Any) -> Floats:
        """The true P(c | x) of each row, shape (n, K)."""
        joint = sum((part.joint(X) for part in self.parts), np.zeros(()))
        return joint / joint.sum(axis=1, keepdims=True)


def random_binary_naive_bayes(
    random_state: RandomState = None,
    *,
    n_features: int = 10,
    difference: float = 0.1,
    margin: float = 0.0,
) -> BayesianNetwork:
    """Two equally likely classes and binary features that all depend on them.

    The chances of each feature are uniform between ``margin`` and 1 - ``margin``, subject to
    differing between the classes by at least ``difference`` (Zaffalon, Corani & Mauá, 2012,
    Section 9.1.1, which does not name a margin).

    Examples
    --------
    >>> model = random_binary_naive_bayes(0)
    >>> all(abs(t[0, 0] - t[1, 0]) >= 0.1 for t in model.tables[1:])
    True
    """
    if not 0 <= margin < 0.5:
        raise ValueError(f"margin must lie in [0, 0.5), got {margin!r}")
    if not 0 <= difference < 1 - 2 * margin:
        raise ValueError(f"difference must lie in [0, {1 - 2 * margin:g}), got {difference!r}")
    random = np.random.default_rng(random_state)
    tables: list[Floats] = [np.array([0.5, 0.5])]
    while len(tables) <= n_features:
        chance = margin + (1 - 2 * margin) * random.random(2)
        if abs(chance[0] - chance[1]) >= difference:
            tables.append(np.column_stack([chance, 1 - chance]))
    return BayesianNetwork(((), *((0,),) * n_features), tuple(tables), 0)


def random_irrelevant_features(
    random_state: RandomState = None, *, chance: float = 0.7, n_features: int = 5
) -> BayesianNetwork:
    """Two classes, the first with the given chance, and binary features that tell nothing.

    No classifier can be right more often than the more probable class occurs (Zaffalon, Corani &
    Mauá, 2012, Section 9.4).

    Examples
    --------
    >>> model = random_irrelevant_features(0, chance=0.7)
    >>> model.class_probabilities([[0] * 5, [1] * 5]).round(3).tolist()
    [[0.7, 0.3], [0.7, 0.3]]
    """
    if not 0 < chance < 1:
        raise ValueError(f"chance must lie between 0 and 1, got {chance!r}")
    random = np.random.default_rng(random_state)
    features = [np.array([p, 1 - p]) for p in random.random(n_features)]
    return BayesianNetwork(((),) * (n_features + 1), (np.array([chance, 1 - chance]), *features), 0)


def random_chi_square(
    random_state: RandomState = None, *, degrees: Sequence[float] = (2, 8, 16)
) -> ChiSquareClasses:
    """Classes of one chi-square distributed feature; nothing about them is random.

    Parameters
    ----------
    random_state : not used
    degrees : sequence of float
        The degrees of freedom, a class each; those of Sondhauss & Weihs (2001) by default.

    Examples
    --------
    >>> random_chi_square(degrees=[1, 5]).n_classes
    2
    """
    if len(degrees) < 2 or min(degrees) <= 0:
        raise ValueError(f"degrees must be two or more positive numbers, got {list(degrees)}")
    return ChiSquareClasses(tuple(degrees))


def random_naive_bayes(
    random_state: RandomState = None,
    *,
    n_variables: tuple[int, int] = (4, 8),
    n_values: tuple[int, int] = (2, 5),
    draw: str = "simplex",
) -> BayesianNetwork:
    """A random model in which the class is the only parent of every feature.

    Parameters
    ----------
    random_state : int or Generator
    n_variables : pair of int
        The least and the largest number of variables, the class included.
    n_values : pair of int
        The least and the largest number of values of each.
    draw : {"simplex", "normalised"}, default="simplex"
        How the probabilities of a distribution are drawn: uniformly on the simplex, or as uniform
        numbers divided by their sum, which makes extreme probabilities rarer.

    Examples
    --------
    >>> random_naive_bayes(1).parents[0], random_naive_bayes(1).parents[-1]
    ((), (0,))
    """
    random = np.random.default_rng(random_state)
    sizes = _sizes(random, n_variables, n_values)
    return _with_tables(((), *((0,),) * (len(sizes) - 1)), sizes, random, draw=draw)


def random_tan(
    random_state: RandomState = None,
    *,
    n_variables: tuple[int, int] = (4, 8),
    n_values: tuple[int, int] = (2, 5),
    draw: str = "simplex",
) -> BayesianNetwork:
    """A random model with a random tree among the features, besides the class.

    Each feature but the first is joined to a random one before it, in a random order.  The
    arguments are those of ``random_naive_bayes``.

    Examples
    --------
    >>> model = random_tan(0)
    >>> sorted(len(above) for above in model.parents)  # class, root, all the others
    [0, 1, 2, 2, 2, 2, 2, 2]
    """
    random = np.random.default_rng(random_state)
    sizes = _sizes(random, n_variables, n_values)
    order = 1 + random.permutation(len(sizes) - 1)
    parents: list[tuple[int, ...]] = [() for _ in sizes]
    for position, feature in enumerate(order):
        above = () if position == 0 else (int(order[random.integers(position)]),)
        parents[feature] = (0, *above)
    return _with_tables(tuple(parents), sizes, random, draw=draw)


def random_aode(
    random_state: RandomState = None,
    *,
    n_variables: tuple[int, int] = (4, 8),
    n_values: tuple[int, int] = (2, 5),
    draw: str = "simplex",
) -> Mixture:
    """A hybrid of one-dependence models: in the i-th, feature i is a parent of all others.

    Each row comes from one of the models with equal chance, and nothing tells from which.  The
    arguments are those of ``random_naive_bayes``.

    Examples
    --------
    >>> model = random_aode(0)
    >>> len(model.parts) == len(model.n_values)
    True
    """
    random = np.random.default_rng(random_state)
    sizes = _sizes(random, n_variables, n_values)
    features = range(1, len(sizes))
    parts = []
    for parent in features:
        parents = [(0,) if feature == parent else (0, parent) for feature in features]
        parts.append(_with_tables(((), *parents), sizes, random, draw=draw))
    return Mixture(tuple(parts))


def random_network(
    random_state: RandomState = None,
    *,
    n_variables: int = 6,
    max_parents: int = 3,
    n_values: tuple[int, int] = (2, 3),
    target: int | None = None,
    concentration: float = 1.0,
) -> BayesianNetwork:
    """A random directed acyclic graph in which no variable has more than ``max_parents`` parents.

    Parameters
    ----------
    random_state : int or Generator
    n_variables : int
        The class included.
    max_parents : int
        Each variable has 0 to ``max_parents`` parents, any number equally likely, drawn from those
        before it in a random order.
    n_values : pair of int
        The least and the largest number of values of each variable.
    target : int, optional
        The variable that is the class; a random one by default.
    concentration : float
        Of the Dirichlet law of the probabilities: 1 is uniform, less makes strong dependences.

    Examples
    --------
    >>> model = random_network(0, n_variables=20, max_parents=2)
    >>> max(len(above) for above in model.parents)
    2
    """
    if n_variables < 1 or max_parents < 0 or not concentration > 0:
        raise ValueError(
            "n_variables must be at least 1, max_parents at least 0 and concentration positive, "
            f"got {n_variables}, {max_parents} and {concentration}"
        )
    random = np.random.default_rng(random_state)
    sizes = _sizes(random, (n_variables, n_variables), n_values)
    order = random.permutation(n_variables)
    parents: list[tuple[int, ...]] = [() for _ in sizes]
    for position, variable in enumerate(order):
        number = random.integers(min(max_parents, position) + 1)
        chosen = random.choice(order[:position], size=number, replace=False)
        parents[variable] = tuple(sorted(int(p) for p in chosen))
    chosen_target = int(random.integers(n_variables)) if target is None else target
    return _with_tables(tuple(parents), sizes, random, chosen_target, concentration)


def _sizes(
    random: np.random.Generator, n_variables: tuple[int, int], n_values: tuple[int, int]
) -> Ints:
    if not 1 <= n_variables[0] <= n_variables[1] or not 1 <= n_values[0] <= n_values[1]:
        raise ValueError(
            f"n_variables and n_values must be (least, largest), got {n_variables} and {n_values}"
        )
    number = random.integers(n_variables[0], n_variables[1] + 1)
    return random.integers(n_values[0], n_values[1] + 1, size=number)


def _with_tables(
    parents: tuple[tuple[int, ...], ...],
    sizes: Sequence[int] | Ints,
    random: np.random.Generator,
    target: int = 0,
    concentration: float = 1.0,
    draw: str = "simplex",
) -> BayesianNetwork:
    """The network with every conditional distribution drawn from a Dirichlet law, or normalised."""
    if draw not in ("simplex", "normalised"):
        raise ValueError(f"draw must be 'simplex' or 'normalised', got {draw!r}")
    tables = []
    for v, above in enumerate(parents):
        shape = tuple(sizes[p] for p in above)
        if draw == "simplex":
            tables.append(random.dirichlet(np.full(sizes[v], concentration), size=shape))
        else:
            numbers = random.random((*shape, sizes[v]))
            tables.append(numbers / numbers.sum(axis=-1, keepdims=True))
    return BayesianNetwork(parents, tuple(tables), target)

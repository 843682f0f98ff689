"""Random models with known class probabilities, for experiments on artificial data.

Each function returns a model that draws rows (``sample``) and gives the true conditional
probabilities of the classes (``class_probabilities``), so that a learner's probabilities can be
compared with the true ones.

- ``random_binary_naive_bayes``: Zaffalon, Corani & Mauá (2012), Section 9.1.1;
- ``random_irrelevant_features``: Zaffalon, Corani & Mauá (2012), Section 9.4;
- ``random_naive_bayes``, ``random_tan``, ``random_aode``: Hope & Korb (2004), Section 5.1;
- ``random_chi_square``: Sondhauss & Weihs (2001), Section 2;
- ``random_network``: any directed acyclic graph of bounded in-degree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wager._tables import is_one_of, real_number, real_numbers, require_whole
from wager._typing import Floats, Ints
from wager._visible import brief
from wager.experiments._generating_models import (
    BayesianNetwork,
    ChiSquareClasses,
    Mixture,
    RandomState,
)

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


def random_binary_naive_bayes(
    random_state: RandomState = None,
    *,
    n_features: int = 10,
    difference: float = 0.1,
    margin: float = 0.0,
) -> BayesianNetwork:
    """Two equally likely classes and binary features that all depend on them.

    The probabilities of each feature are uniform between ``margin`` and 1 - ``margin``, and differ
    between the classes by at least ``difference`` (Zaffalon, Corani & Mauá, 2012, Section 9.1.1,
    which does not mention a margin).

    Examples
    --------
    >>> model = random_binary_naive_bayes(0)
    >>> all(abs(t[0, 0] - t[1, 0]) >= 0.1 for t in model.tables[1:])
    True
    """
    if not 0 <= real_number(margin, "margin") < 0.5:
        raise ValueError(f"margin must lie in [0, 0.5), got {brief(margin)}")
    if not 0 <= real_number(difference, "difference") < 1 - 2 * margin:
        raise ValueError(f"difference must lie in [0, {1 - 2 * margin:g}), got {brief(difference)}")
    random = np.random.default_rng(random_state)
    tables: list[Floats] = [np.array([0.5, 0.5])]
    n_features = require_whole(n_features, "n_features")
    while len(tables) <= n_features:
        chance = margin + (1 - 2 * margin) * random.random(2)
        if abs(chance[0] - chance[1]) >= difference:
            tables.append(np.column_stack([chance, 1 - chance]))
    return BayesianNetwork(((), *((0,),) * n_features), tuple(tables), 0)


def random_irrelevant_features(
    random_state: RandomState = None, *, chance: float = 0.7, n_features: int = 5
) -> BayesianNetwork:
    """Two classes, the first with probability ``chance``, and uninformative binary features.

    No classifier can be more accurate than always predicting the more probable class (Zaffalon,
    Corani & Mauá, 2012, Section 9.4).

    Examples
    --------
    >>> model = random_irrelevant_features(0, chance=0.7)
    >>> model.class_probabilities([[0] * 5, [1] * 5]).round(3).tolist()
    [[0.7, 0.3], [0.7, 0.3]]
    """
    if not 0 < real_number(chance, "chance") < 1:
        raise ValueError(f"chance must lie between 0 and 1, got {brief(chance)}")
    random = np.random.default_rng(random_state)
    features = [np.array([p, 1 - p]) for p in random.random(n_features)]
    return BayesianNetwork(((),) * (n_features + 1), (np.array([chance, 1 - chance]), *features), 0)


def random_chi_square(
    random_state: RandomState = None, *, degrees: Sequence[float] = (2, 8, 16)
) -> ChiSquareClasses:
    """Classes of one chi-square distributed feature; the model itself is not random.

    Parameters
    ----------
    random_state : not used
    degrees : sequence of float
        The degrees of freedom, one per class; by default those of Sondhauss & Weihs (2001).

    Examples
    --------
    >>> random_chi_square(degrees=[1, 5]).n_classes
    2
    """
    values = real_numbers(degrees, "degrees")
    if values.ndim != 1 or len(values) < 2 or not values.min() > 0:
        raise ValueError(f"degrees must be two or more positive numbers, got {brief(degrees)}")
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
        The smallest and largest number of variables, including the class.
    n_values : pair of int
        The smallest and largest number of values of each variable.
    draw : {"simplex", "normalised"}, default="simplex"
        How each distribution is drawn: uniformly on the simplex, or as uniform numbers divided by
        their sum, which makes extreme probabilities rarer.

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
    """A random model in which the features form a random tree, and depend on the class as well.

    Features are taken in a random order, and each one after the first gets a random earlier one as
    a parent.  The arguments are those of ``random_naive_bayes``.

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
    """A mixture of one-dependence models: in the i-th, feature i is a parent of all others.

    Each row is drawn from one of the models, chosen at random and not recorded.  The arguments are
    those of ``random_naive_bayes``.

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
        The number of variables, including the class.
    max_parents : int
        Variables are taken in a random order.  Each gets between 0 and ``max_parents`` parents, all
        numbers equally likely, drawn from the variables before it.
    n_values : pair of int
        The smallest and largest number of values of each variable.
    target : int, optional
        The index of the class variable; random by default.
    concentration : float
        The parameter of the Dirichlet distribution of the probabilities: 1 is uniform, smaller
        values give stronger dependences.

    Examples
    --------
    >>> model = random_network(0, n_variables=20, max_parents=2)
    >>> max(len(above) for above in model.parents)
    2
    """
    given = {"n_variables": n_variables, "max_parents": max_parents, "concentration": concentration}
    variables, most, each = (real_number(value, name) for name, value in given.items())
    if not (variables >= 1 and most >= 0 and each > 0):
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
    for name, pair in (("n_variables", n_variables), ("n_values", n_values)):
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise ValueError(f"{name} must be (smallest, largest), got {brief(pair)}")
        if require_whole(pair[0], name, 1) > require_whole(pair[1], name, 1):
            raise ValueError(f"{name} must be (smallest, largest), got {brief(pair)}")
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
    """The network with random conditional distributions: Dirichlet, or normalised uniform."""
    if not is_one_of(draw, ("simplex", "normalised")):
        raise ValueError(f"draw must be 'simplex' or 'normalised', got {brief(draw)}")
    tables = []
    for v, above in enumerate(parents):
        shape = tuple(sizes[p] for p in above)
        if draw == "simplex":
            tables.append(random.dirichlet(np.full(sizes[v], concentration), size=shape))
        else:
            numbers = random.random((*shape, sizes[v]))
            tables.append(numbers / numbers.sum(axis=-1, keepdims=True))
    return BayesianNetwork(parents, tuple(tables), target)

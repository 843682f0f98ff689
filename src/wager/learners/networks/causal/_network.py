"""A discrete Bayesian network with its probabilities, and the class given the other nodes.

Probabilities are (n_i + 1/2) / (n + v/2), from the training rows in which the node and its parents
are known.  Only factors that contain the class, or an unknown value connected to it, matter;
unknown values are summed out one by one, or sampled if the intermediate tables would become too
large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from wager._typing import Floats, Ints

__all__ = ["Network"]

MOST_STATES = 100_000  # of an intermediate table; if it is larger, unknown values are sampled
SAMPLES = 2_000  # draws of the unknown values of a row
CHUNK = 1_000_000  # numbers in the intermediate tables of a chunk of rows

Factor: TypeAlias = tuple[Floats, list[int]]  # a table and its axes: nodes, and -1 for the rows


@dataclass(frozen=True)
class Network:
    """Parents and conditional probabilities of nodes 0, 1, ...

    ``tables[x]`` has one axis for each parent and a last one for the node itself; the length of
    each axis is the number of values plus one, for a value that was never seen.

    Examples
    --------
    >>> codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]])
    >>> network = Network.of(codes, np.array([2, 2]), [(), (0,)])
    >>> network.tables[1][0, :2].round(3).tolist()  # the second node where the first is 0
    [0.833, 0.167]
    >>> network.class_proba(np.array([[-1, 1]]), 0).round(3).tolist()
    [[0.16, 0.84]]
    """

    sizes: Ints
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]

    @classmethod
    def of(cls, codes: Ints, sizes: Ints, parents: Sequence[Sequence[int]]) -> Network:
        """Estimate the probabilities of a structure from rows; -1 is unknown."""
        known = tuple(tuple(int(p) for p in of_node) for of_node in parents)
        tables = tuple(_table(codes, sizes, (*of_node, x)) for x, of_node in enumerate(known))
        return cls(np.asarray(sizes), known, tables)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Arcs as (parent, child)."""
        return [(p, x) for x, of_node in enumerate(self.parents) for p in of_node]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes, parents before children."""
        placed: list[int] = []
        while len(placed) < len(self.parents):
            placed += [
                x
                for x, of_node in enumerate(self.parents)
                if x not in placed and all(p in placed for p in of_node)
            ]
        return tuple(placed)

    def family(self, x: int) -> tuple[int, ...]:
        """The nodes of a table: the parents, then the node."""
        return (*self.parents[x], x)

    def blanket(self, target: int) -> set[int]:
        """Parents, children and their other parents: all that matters if all nodes are known."""
        near = {node for x in range(len(self.parents)) for node in self._with(x, target)}
        return near - {target}

    def _with(self, x: int, target: int) -> tuple[int, ...]:
        return self.family(x) if target in self.family(x) else ()

    def log_joint(self, codes: Ints) -> Floats:
        """The logarithm of the joint probability of every row; all values must be known."""
        return np.sum(
            [np.log(t[tuple(codes[:, list(self.family(x))].T)]) for x, t in enumerate(self.tables)],
            axis=0,
        )

    def sample(self, n: int, random: Any) -> Ints:
        """Rows drawn from the network."""
        drawn = np.zeros((n, len(self.sizes)), dtype=np.int64)
        for x in self.order:
            given = self.tables[x][tuple(drawn[:, list(self.parents[x])].T)]
            upto = np.broadcast_to(given, (n, given.shape[-1]))[:, : self.sizes[x]].cumsum(axis=1)
            above = random.random_sample(n)[:, None] >= upto
            drawn[:, x] = np.minimum(above.sum(axis=1), self.sizes[x] - 1)
        return drawn

    def class_proba(self, codes: Ints, target: int, random: Any = None) -> Floats:
        """Probabilities of the target's values given the others.

        Parameters
        ----------
        codes : ndarray of shape (n, n_nodes)
            -1 is unknown; the column of the target is ignored.
        target : int
            The node whose probabilities are computed.
        random : RandomState, optional
            Used where unknown values are sampled.
        """
        proba = np.empty((len(codes), self.sizes[target]))
        unknown = codes < 0
        unknown[:, target] = True
        if not len(codes):
            return proba
        patterns, which = np.unique(unknown, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            rows = np.flatnonzero(which.reshape(-1) == number)
            factors, hidden = self._relevant(pattern, target)
            hidden, states = self._elimination(factors, hidden, target)
            by_sum = states <= MOST_STATES
            size = max(1, CHUNK // states) if by_sum else 1
            for start in range(0, len(rows), size):
                part = rows[start : start + size]
                if by_sum:
                    proba[part] = self._sum_out(codes[part], factors, hidden, target)
                else:
                    proba[part] = self._weigh(codes[part[0]], factors, hidden, target, random)
        return proba

    def _relevant(self, unknown: Any, target: int) -> tuple[list[int], list[int]]:
        """The factors that affect the target, and the unknown nodes in them."""
        open_nodes = set(np.flatnonzero(unknown).tolist())
        needed: set[int] = set()  # an unknown node whose descendants are unknown has no effect
        for x in reversed(self.order):
            if x == target or x not in open_nodes or any(x in self.parents[c] for c in needed):
                needed.add(x)
        reached, factors = {target}, set[int]()
        grown = True
        while grown:
            grown = False
            for x in needed - factors:
                if reached & set(self.family(x)):
                    factors.add(x)
                    reached |= open_nodes & set(self.family(x))
                    grown = True
        return sorted(factors), sorted(reached - {target})

    def _elimination(
        self, factors: list[int], hidden: list[int], target: int
    ) -> tuple[list[int], int]:
        """An order of summation, smallest table first, and the size of the largest table."""
        unknown = {target, *hidden}
        scopes = [unknown & set(self.family(x)) for x in factors]
        order, largest = [], int(self.sizes[target])
        left = set(hidden)
        while left:
            joined = {v: set().union(*(s for s in scopes if v in s)) for v in sorted(left)}
            states = {v: int(np.prod(self.sizes[list(joined[v])], dtype=float)) for v in joined}
            v = min(states, key=lambda v: states[v])
            largest = max(largest, states[v])
            scopes = [s for s in scopes if v not in s] + [joined[v] - {v}]
            order.append(v)
            left.remove(v)
        return order, largest

    def _sum_out(self, codes: Ints, factors: list[int], hidden: list[int], target: int) -> Floats:
        """The class probabilities with the hidden nodes summed out in the given order."""
        unknown = {target, *hidden}
        tables = [self._given(codes, x, unknown) for x in factors]
        for v in hidden:
            joined = _product([part for part in tables if v in part[1]])
            rest = [axis for axis in joined[1] if axis != v]
            summed = joined[0].sum(axis=joined[1].index(v))
            tables = [part for part in tables if v not in part[1]] + [_scaled(summed, rest)]
        joint, axes = _product([*tables, (np.ones((len(codes), self.sizes[target])), [-1, target])])
        joint = joint.transpose([axes.index(-1), axes.index(target)])
        return joint / joint.sum(axis=1, keepdims=True)

    def _given(self, codes: Ints, x: int, unknown: set[int]) -> Factor:
        """The table of a node for each row, with the known nodes of its family fixed."""
        family = self.family(x)
        free = [k for k, node in enumerate(family) if node in unknown]
        fixed = [k for k, node in enumerate(family) if node not in unknown]
        table = self.tables[x].transpose(fixed + free)
        table = table[tuple(codes[:, family[k]] for k in fixed)]
        seen = tuple(slice(0, int(self.sizes[family[k]])) for k in free)
        table = table[(slice(None),) * bool(fixed) + seen]
        return _scaled(table, [-1] * bool(fixed) + [family[k] for k in free])

    def _weigh(
        self, row: Ints, factors: list[int], hidden: list[int], target: int, random: Any
    ) -> Floats:
        """Likelihood weighting: draw the unknown nodes, and weigh the draws by the known ones."""
        draws = np.random.RandomState(0) if random is None else random
        uniform = draws.random_sample((len(self.sizes), SAMPLES))
        n_values = int(self.sizes[target])
        state = np.tile(row, (n_values, SAMPLES, 1))
        state[..., target] = np.arange(n_values)[:, None]
        logs = np.zeros((n_values, SAMPLES))
        for x in self.order:
            if x not in factors and x not in hidden:
                continue
            given = self.tables[x][tuple(state[..., p] for p in self.parents[x])]
            if x in hidden:
                share = np.broadcast_to(given, (n_values, SAMPLES, self.sizes[x] + 1))
                upto = share[..., : self.sizes[x]].cumsum(axis=-1)
                drawn = (uniform[x][:, None] >= upto).sum(axis=-1)
                state[..., x] = np.minimum(drawn, self.sizes[x] - 1)
            else:
                given = np.broadcast_to(given, (n_values, SAMPLES, self.sizes[x] + 1))
                logs += np.log(np.take_along_axis(given, state[..., x, None], axis=-1)[..., 0])
        weight = np.exp(logs - logs.max()).sum(axis=1)
        return weight / weight.sum()


def _table(codes: Ints, sizes: Ints, family: tuple[int, ...]) -> Floats:
    """Smoothed proportions of the last node's values for every configuration of the others."""
    shape = tuple(int(sizes[node]) + 1 for node in family)
    part = codes[:, list(family)]
    part = part[(part >= 0).all(axis=1)]
    counts = np.bincount(np.ravel_multi_index(tuple(part.T), shape), minlength=int(np.prod(shape)))
    counts = counts.reshape(shape)
    return (counts + 0.5) / (counts.sum(axis=-1, keepdims=True) + sizes[family[-1]] / 2)


def _product(parts: list[Factor]) -> Factor:
    table, axes = parts[0]
    for other, more in parts[1:]:
        joined = axes + [axis for axis in more if axis not in axes]
        place = {axis: k for k, axis in enumerate(joined)}
        operands: list[Any] = [table, [place[a] for a in axes], other, [place[a] for a in more]]
        table, axes = np.einsum(*operands, list(range(len(joined)))), joined
    return table, axes


def _scaled(table: Floats, axes: list[int]) -> Factor:
    """The table divided by the largest entry of each row, so that products do not underflow."""
    inner = tuple(k for k, axis in enumerate(axes) if axis >= 0)
    return (table / table.max(axis=inner, keepdims=True) if inner else np.ones_like(table)), axes

"""Regions of a partition: objects whose d largest memberships have the same order of classes.

At depth one a region contains the objects assigned to one class; at depth G-1 there are G! regions
(Sondhauss & Weihs, 2001, Sec. 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from wager._tables import row_blocks
from wager._typing import Bools, Floats, Ints

Ties = Literal["first", "random", "join"]


def class_order(memberships: Floats, depth: int, ties: Ties, random_state: Any = None) -> Ints:
    """The classes of the ``depth`` largest memberships of every row, largest first.

    Tied classes are taken in their order, or with ``ties="random"`` in random order.
    """
    if ties == "random":
        rng = np.random.default_rng(random_state)
        random_keys = rng.random(memberships.shape)
        return np.lexsort((random_keys, -memberships), axis=1)[:, :depth]
    if depth == 1:
        return memberships.argmax(axis=1)[:, None]
    return np.argsort(-memberships, axis=1, kind="stable")[:, :depth]


def class_orders(memberships: Any, depth: int, ties: Ties, random_state: Any) -> Iterator[Ints]:
    """The same for blocks of rows, which may be on disk."""
    rng = np.random.default_rng(random_state) if ties == "random" else None
    for rows in row_blocks(*memberships.shape):
        yield class_order(memberships[rows], depth, ties, rng)


@dataclass(frozen=True, eq=False)
class Regions:
    """The orders that occur, and the region of each.

    Parameters
    ----------
    orders : ndarray of int, shape (n_orders, depth)
        Class codes, largest membership first, sorted.
    region : ndarray of int, shape (n_orders,)
        Number of the region; orders that were joined share one.
    """

    orders: Ints
    region: Ints

    @classmethod
    def of(cls, orders: Iterable[tuple[int, ...]], memberships: Any, ties: Ties) -> Regions:
        """The regions of the orders that occur, which are sorted."""
        table = np.array(list(orders), dtype=np.intp)
        region = _join(table, memberships) if ties == "join" else np.arange(len(table))
        return cls(table, region)

    @staticmethod
    def distinct(order: Ints, n_classes: int) -> set[tuple[int, ...]]:
        """The orders that occur in some rows."""
        return set(map(tuple, _distinct(order, n_classes)[0].tolist()))

    def __len__(self) -> int:
        return int(self.region.max()) + 1

    def locate(self, order: Ints, n_classes: int) -> Ints:
        """The region of each row, -1 if its order did not occur in the fit."""
        found, place = _distinct(order, n_classes)
        numbers = [self._number.get(tuple(row), -1) for row in found.tolist()]
        return np.array(numbers, dtype=np.intp)[place]

    @cached_property
    def _number(self) -> dict[tuple[int, ...], int]:
        orders = map(tuple, self.orders.tolist())
        return dict(zip(orders, self.region.tolist(), strict=True))


def _distinct(order: Ints, n_classes: int) -> tuple[Ints, Ints]:
    if order.shape[1] > 1:
        orders, place = np.unique(order, axis=0, return_inverse=True)
        return orders, place.ravel()
    first = order[:, 0]
    seen = np.bincount(first, minlength=n_classes) > 0
    return np.flatnonzero(seen)[:, None], (np.cumsum(seen) - 1)[first]


def _join(orders: Ints, memberships: Any) -> Ints:
    """Join the orders that fit the same tied row, and number the resulting regions."""
    leader = np.arange(len(orders))
    for fits in _fitting(orders, memberships):
        together = np.unique(leader[fits])
        leader[np.isin(leader, together)] = together[0]
    return np.unique(leader, return_inverse=True)[1]


def _fitting(orders: Ints, memberships: Any) -> list[Bools]:
    """The distinct groups of two or more orders that fit the same row."""
    depth = orders.shape[1]
    handled = np.zeros((len(orders), memberships.shape[1]), dtype=bool)
    np.put_along_axis(handled, orders, True, axis=1)
    groups = {}
    for rows in row_blocks(len(memberships), memberships.shape[1] * len(orders)):
        part = memberships[rows]
        along = part[:, orders]  # (rows, orders, depth)
        descending = (along[..., :-1] >= along[..., 1:]).all(axis=-1)
        rest = np.where(handled, -np.inf, part[:, None, :]).max(axis=-1)
        fits = descending & (along[..., depth - 1] >= rest)
        for group in np.unique(fits[fits.sum(axis=1) > 1], axis=0):
            groups[group.tobytes()] = group
    return list(groups.values())

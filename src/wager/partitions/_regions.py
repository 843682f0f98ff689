"""Regions of a partition: objects whose d largest memberships have the same order of classes.

At depth one a region contains the objects assigned to one class; at depth G-1 there are G! regions
(Sondhauss & Weihs, 2001, Sec. 4).
"""

from __future__ import annotations

from dataclasses import dataclass
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
    def of(cls, order: Ints, memberships: Floats, ties: Ties) -> tuple[Regions, Ints]:
        """The regions of some rows, and the region number of each row."""
        orders, place = _distinct(order, memberships.shape[1])
        joined = ties == "join"
        region = _join(orders, memberships) if joined else np.arange(len(orders))
        return cls(orders, region), region[place]

    def __len__(self) -> int:
        return int(self.region.max()) + 1

    def locate(self, order: Ints, n_classes: int) -> Ints:
        """The region of each row, -1 if its order did not occur in the fit."""
        known = {tuple(row): number for row, number in zip(self.orders, self.region, strict=True)}
        orders, place = _distinct(order, n_classes)
        return np.array([known.get(tuple(row), -1) for row in orders], dtype=np.intp)[place]


def _distinct(order: Ints, n_classes: int) -> tuple[Ints, Ints]:
    if order.shape[1] > 1:
        orders, place = np.unique(order, axis=0, return_inverse=True)
        return orders, place.ravel()
    first = order[:, 0]
    seen = np.bincount(first, minlength=n_classes) > 0
    return np.flatnonzero(seen)[:, None], (np.cumsum(seen) - 1)[first]


def _join(orders: Ints, memberships: Floats) -> Ints:
    """Join the orders that fit the same tied row, and number the resulting regions."""
    leader = np.arange(len(orders))
    for fits in _fitting(orders, memberships):
        together = np.unique(leader[fits])
        leader[np.isin(leader, together)] = together[0]
    return np.unique(leader, return_inverse=True)[1]


def _fitting(orders: Ints, memberships: Floats) -> list[Bools]:
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

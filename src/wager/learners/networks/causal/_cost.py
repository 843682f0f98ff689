"""The cost of a node of a Bayesian network, by minimum message length, and a cache of such costs.

For every configuration of the parents with counts n_1..n_v (n in total) the message that states the
node's values takes log (n+v-1)! - log (v-1)! - sum_i log n_i! nats, and (v-1)/2 log(pi e/6) more
because the probabilities are stated only as precisely as the number of rows justifies (Wallace,
Korb & Dai, 1996).  A configuration without rows costs only that constant.

A search meets the same parent sets many times, so the cost of each (node, parent set) is computed
once and kept in a ``CostCache``; from then on its number there, the *entry*, identifies it.

Importing this module loads Numba, so it is imported only where a network is searched.
"""

from __future__ import annotations

from math import e, log, pi
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from wager._jit import kernel
from wager._typing import Floats, Ints

PRECISION = 0.5 * log(pi * e / 6)
MOST_PARENTS = 7


class Sample(NamedTuple):
    """The training rows, equal ones stored once, and scratch space for counting."""

    columns: Ints  # (n_nodes, n_rows), codes without gaps
    sizes: Ints  # number of values of each node
    weights: Ints  # how often each row occurs
    log_factorial: Floats
    keys: Ints  # scratch: configuration of every row
    counts: Ints  # scratch: rows by configuration and value, if there are few configurations
    slots: Ints  # scratch: a hash table with open addressing, if there are many configurations
    slot_keys: Ints
    parents: Ints  # scratch: the parent set that is looked up

    @classmethod
    def of(cls, codes: Ints, sizes: Ints) -> Sample:
        rows, weights = np.unique(codes, axis=0, return_counts=True)
        n = len(rows)
        capacity = 1 << int(np.ceil(np.log2(2 * n + 2)))
        return cls(
            np.ascontiguousarray(rows.T, dtype=np.int32),
            np.asarray(sizes, dtype=np.int64),
            weights.astype(np.int64),
            gammaln(np.arange(len(codes) + int(np.max(sizes)) + 1) + 1.0),
            np.zeros(n, dtype=np.int64),
            np.zeros(8 * n + 1024, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(MOST_PARENTS + 2, dtype=np.int64),
        )


class CostCache(NamedTuple):
    """The costs of all parent sets met so far; the hash table ``slots`` finds their entries."""

    slots: Ints  # entry + 1, 0 where free
    key: Ints
    node: Ints
    parents: Ints  # (capacity, MOST_PARENTS + 2), ascending
    n_parents: Ints
    cost: Floats  # infinite if there are too many parents
    clean: Ints  # entry without the arcs that are not worth their cost, -1 if not known yet
    n: Ints  # the number of entries, and the number of those whose cost was computed
    node_keys: Ints  # (n_nodes,)
    arc_keys: Ints  # (n_nodes, n_nodes): an entry's key is that of its node and its arcs, by xor

    @classmethod
    def empty(cls, n_nodes: int, random: Any) -> CostCache:
        size = 1 << 12
        high = np.iinfo(np.int64).max
        return cls(
            np.zeros(2 * size, dtype=np.int64),
            np.zeros(size, dtype=np.int64),
            np.zeros(size, dtype=np.int64),
            np.zeros((size, MOST_PARENTS + 2), dtype=np.int64),
            np.zeros(size, dtype=np.int64),
            np.zeros(size),
            np.full(size, -1, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            random.randint(1, high, size=n_nodes, dtype=np.int64),
            random.randint(1, high, size=(n_nodes, n_nodes), dtype=np.int64),
        )

    def has_space_for(self, more: int) -> bool:
        return int(self.n[0]) + more <= len(self.key)

    def enlarged(self) -> CostCache:
        """The same entries, with space for twice as many."""
        size = len(self.key)
        slots = np.zeros(2 * len(self.slots), dtype=np.int64)
        fill_slots(slots, self.key, int(self.n[0]))
        wider = [np.concatenate([part, np.zeros_like(part)]) for part in self[1:7]]
        wider[-1][size:] = -1
        return CostCache._make([slots, *wider, *self[7:]])


@kernel
def slot_of(key, slots, keys):
    """The slot of the entry with this key, or the free slot where it belongs."""
    mask = len(slots) - 1
    at = (key ^ (key >> 29)) & mask
    while slots[at] > 0 and keys[slots[at] - 1] != key:
        at = (at + 1) & mask
    return at


@kernel
def fill_slots(slots, keys, n):
    """Enter keys into an empty table."""
    for i in range(n):
        slots[slot_of(keys[i], slots, keys)] = i + 1


@kernel
def groups_by_hash(sample, keys, add):
    """Sum of log (n + add)! - log add! over the groups of n rows with equal keys."""
    slots, slot_keys = sample.slots, sample.slot_keys
    slots[:] = 0
    mask = len(slots) - 1
    total = 0.0
    for i in range(len(keys)):
        key = keys[i]
        at = (key ^ (key >> 7) ^ (key >> 17)) & mask
        while slots[at] > 0 and slot_keys[at] != key:
            at = (at + 1) & mask
        before = slots[at]
        slot_keys[at] = key
        slots[at] = before + sample.weights[i]
        total += sample.log_factorial[before + sample.weights[i] + add]
        total -= sample.log_factorial[before + add]
    return total


@kernel
def node_cost(sample, node, parents, n_parents):
    """Length of the message, in nats, that states the values of a node given its parents."""
    keys, size = sample.keys, sample.sizes[node]
    lf = sample.log_factorial
    n_rows = len(keys)
    configurations = 1.0
    column = sample.columns[node]
    for i in range(n_rows):
        keys[i] = 0
    for k in range(n_parents):
        of_parent = sample.columns[parents[k]]
        values = sample.sizes[parents[k]]
        configurations *= values
        for i in range(n_rows):
            keys[i] = keys[i] * values + of_parent[i]
    for i in range(n_rows):
        keys[i] = keys[i] * size + column[i]
    cost = configurations * (size - 1) * PRECISION
    if configurations * size > len(sample.counts):
        # too many configurations for an array of counts; few of them occur, so they are hashed
        cost -= groups_by_hash(sample, keys, 0)
        for i in range(n_rows):
            keys[i] = (keys[i] - column[i]) // size
        return cost + groups_by_hash(sample, keys, size - 1)
    counts = sample.counts
    for cell in range(int(configurations) * size):
        counts[cell] = 0
    for i in range(n_rows):
        counts[keys[i]] += sample.weights[i]
    for first in range(0, int(configurations) * size, size):
        n = 0
        for cell in range(first, first + size):
            n += counts[cell]
            cost -= lf[counts[cell]]
        cost += lf[n + size - 1] - lf[size - 1]
    return cost


@kernel
def is_among(node, parents, n_parents):
    """Whether a node is one of the parents."""
    found = False
    for k in range(n_parents):
        found = found or parents[k] == node
    return found


@kernel
def entry_of(cache, sample, node, parents, n_parents, key):
    """The entry of a parent set; its cost is computed if it is new and the cache has space."""
    at = slot_of(key, cache.slots, cache.key)
    if cache.slots[at] > 0:
        return cache.slots[at] - 1
    entry = cache.n[0]
    cache.n[0] = entry + 1
    cache.slots[at] = entry + 1
    cache.key[entry] = key
    cache.node[entry] = node
    cache.n_parents[entry] = n_parents
    for k in range(n_parents):
        cache.parents[entry, k] = parents[k]
    cache.cost[entry] = np.inf
    if n_parents <= MOST_PARENTS:
        cache.n[1] += 1
        cache.cost[entry] = node_cost(sample, node, parents, n_parents)
    return entry


@kernel
def toggled(cache, sample, entry, first, second):
    """The entry with one or two arcs added or removed; ``second`` equals ``first`` for one."""
    parents = sample.parents
    node = cache.node[entry]
    key = cache.key[entry] ^ cache.arc_keys[node, first]
    if second != first:
        key ^= cache.arc_keys[node, second]
    n = 0
    add_first, add_second = True, second != first
    for k in range(cache.n_parents[entry]):
        parent = cache.parents[entry, k]
        if parent == first:
            add_first = False
        elif parent == second:
            add_second = False
        else:
            parents[n] = parent
            n += 1
    for added in (first if add_first else -1, second if add_second else -1):
        if added >= 0:  # insert it so that the parents stay in ascending order
            at = n
            while at > 0 and parents[at - 1] > added:
                parents[at] = parents[at - 1]
                at -= 1
            parents[at] = added
            n += 1
    return entry_of(cache, sample, node, parents, n, key)


@kernel
def cleaned(cache, sample, entry, arc):
    """The entry without the arcs that save less than the price ``arc`` of an arc."""
    if cache.clean[entry] >= 0:
        return cache.clean[entry]
    best = entry
    k = 0
    while k < cache.n_parents[best]:
        fewer = toggled(cache, sample, best, cache.parents[best, k], cache.parents[best, k])
        if cache.cost[fewer] <= cache.cost[best] + arc:
            best = fewer
            k = 0
        else:
            k += 1
    cache.clean[entry] = best
    return best

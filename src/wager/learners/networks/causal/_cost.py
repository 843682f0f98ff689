"""The cost of a node of a Bayesian network, by minimum message length, and a cache of such costs.

For every configuration of the parents with counts n_1..n_v (n in total) the message that states the
node's values takes log (n+v-1)! - log (v-1)! - sum_i log n_i! nats, and (v-1)/2 log(pi e/6) more
because the probabilities are stated only as precisely as the number of rows justifies (Wallace,
Korb & Dai, 1996).  A configuration without rows costs only that constant.

A search meets the same parent sets many times, so the cost of each (node, parent set) is computed
once and kept in a ``CostCache``; from then on its number there, the *entry*, identifies it.

The kernels work on arrays of one dimension, or on lists of the same numbers, see ``wager._jit``.
"""

from __future__ import annotations

from math import e, inf, log, pi
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from wager._jit import entry, kernel, spend
from wager._typing import Ints

PRECISION = 0.5 * log(pi * e / 6)
MOST_PARENTS = 7
# the columns of the table of entries, whose last ones are the parents in ascending order
KEY, NODE, N_PARENTS, CLEAN, PARENTS = range(5)
WIDTH = PARENTS + MOST_PARENTS + 2
COST, COST_OF_ROW = 5e-5, 1e-8  # seconds of NumPy for the cost of a parent set


class Sample(NamedTuple):
    """The training rows, equal ones stored once, and scratch space for counting."""

    columns: Any  # codes without gaps, one column after the other
    sizes: Any  # number of values of each node
    weights: Any  # how often each row occurs
    log_factorial: Any
    keys: Any  # scratch: configuration of every row
    counts: Any  # scratch: rows by configuration and value, if there are few configurations
    slots: Any  # scratch: a hash table with open addressing, if there are many configurations
    slot_keys: Any
    parents: Any  # scratch: the parent set that is looked up

    @classmethod
    def of(cls, codes: Ints, sizes: Ints) -> Sample:
        rows, weights = np.unique(codes, axis=0, return_counts=True)
        n = len(rows)
        capacity = 1 << int(np.ceil(np.log2(2 * n + 2)))
        return cls(
            rows.T.astype(np.int32).ravel(),
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

    slots: Any  # pairs of a key and its entry + 1, 0 where free; a dictionary in plain Python
    table: Any  # one line per entry; CLEAN is its entry without the arcs that are not worth their
    # cost, -1 if it is not known yet
    cost: Any  # by entry; infinite if there are too many parents
    n: Any  # the number of entries, and the number of those whose cost was computed
    node_keys: Any  # by node
    arc_keys: Any  # by node and parent: an entry's key is that of its node and its arcs, by xor

    @classmethod
    def empty(cls, n_nodes: int, random: Any) -> CostCache:
        size = 1 << 12
        high = np.iinfo(np.int64).max
        return cls(
            np.zeros(4 * size, dtype=np.int64),
            np.zeros(size * WIDTH, dtype=np.int64),
            np.zeros(size),
            np.zeros(2, dtype=np.int64),
            random.randint(1, high, size=n_nodes, dtype=np.int64),
            random.randint(1, high, size=(n_nodes, n_nodes), dtype=np.int64).ravel(),
        )

    def has_space_for(self, more: int) -> bool:
        return int(self.n[0]) + more <= len(self.cost)

    def n_parents(self, entry: int) -> int:
        """The number of parents in an entry."""
        return int(self.table[entry * WIDTH + N_PARENTS])

    def parents(self, entry: int) -> list[int]:
        """The parents in an entry, in ascending order."""
        first = entry * WIDTH + PARENTS
        return [int(parent) for parent in self.table[first : first + self.n_parents(entry)]]

    def forget_clean(self) -> None:
        """Forget which arcs are worth their cost."""
        n = int(self.n[0])
        unknown = [-1] * n if isinstance(self.table, list) else -1
        self.table[CLEAN : n * WIDTH : WIDTH] = unknown


def doubled(values: Any) -> Any:
    """An array or a list followed by as many zeros."""
    if isinstance(values, list):
        return values + [0] * len(values)
    wider = np.zeros(2 * len(values), dtype=values.dtype)
    wider[: len(values)] = values
    return wider


@kernel
def slot_of(key, slots):
    """Where the pair of this key begins, or the free pair for it.

    The keys are next to the lines, since a look into the table is another wait for the memory.
    """
    mask = len(slots) // 2 - 1
    at = (key ^ (key >> 29)) & mask
    while slots[2 * at + 1] > 0 and slots[2 * at] != key:
        at = (at + 1) & mask
    return 2 * at


def _find_in_dict(key, slots):
    return slots.get(key, -1)


@kernel(plain=_find_in_dict)
def find(key, slots):
    """The line with this key, -1 if there is none; plain Python has a dictionary."""
    return slots[slot_of(key, slots) + 1] - 1


def _remember_in_dict(key, slots, line):
    slots[key] = line


@kernel(plain=_remember_in_dict)
def remember(key, slots, line):
    """Make sure that ``find`` finds a new line."""
    at = slot_of(key, slots)
    slots[at], slots[at + 1] = key, line + 1


def fill_by_loop(slots, table, width, n):
    """Enter the first ``n`` lines of a table, whose first column are keys, into a hash table."""
    for line in range(n):
        at = slot_of(table[line * width], slots)
        slots[at], slots[at + 1] = table[line * width], line + 1


fill_slots = entry(fill_by_loop, label="searches of networks")


def with_twice_the_space(found: Any) -> Any:
    """A cache or classes with twice the space in their slots, table and floating point numbers."""
    table, numbers = doubled(found.table), doubled(found[2])
    slots = found.slots
    if not isinstance(slots, dict):
        slots = np.zeros(2 * len(slots), dtype=np.int64)
        n = int(found.n[0])
        fill_slots(slots, table, len(table) // len(numbers), n, work=2e-6 * n)
    return found._make([slots, table, numbers, *found[3:]])


@kernel
def groups_by_hash(sample, keys, add):
    """Sum of log (n + add)! - log add! over the groups of n rows with equal keys."""
    slots, slot_keys = sample.slots, sample.slot_keys
    weights, log_factorial = sample.weights, sample.log_factorial
    for i in range(len(slots)):
        slots[i] = 0
    mask = len(slots) - 1
    total = 0.0
    for i in range(len(keys)):
        key = keys[i]
        at = (key ^ (key >> 7) ^ (key >> 17)) & mask
        while slots[at] > 0 and slot_keys[at] != key:
            at = (at + 1) & mask
        before = slots[at]
        slot_keys[at] = key
        slots[at] = before + weights[i]
        total += log_factorial[before + weights[i] + add]
        total -= log_factorial[before + add]
    return total


def node_cost_by_loop(sample, node, parents, n_parents):
    """Length of the message, in nats, that states the values of a node given its parents."""
    keys, size = sample.keys, sample.sizes[node]
    columns, lf = sample.columns, sample.log_factorial
    n_rows = len(keys)
    configurations = 1.0
    for i in range(n_rows):
        keys[i] = 0
    for k in range(n_parents):
        # slices, since Numba would check each sum of indices for being negative
        of_parent = columns[parents[k] * n_rows : (parents[k] + 1) * n_rows]
        values = sample.sizes[parents[k]]
        configurations *= values
        for i in range(n_rows):
            keys[i] = keys[i] * values + of_parent[i]
    of_node = columns[node * n_rows : (node + 1) * n_rows]
    for i in range(n_rows):
        keys[i] = keys[i] * size + of_node[i]
    cost = configurations * (size - 1) * PRECISION
    if configurations * size > len(sample.counts):
        # too many configurations for an array of counts; few of them occur, so they are hashed
        cost -= groups_by_hash(sample, keys, 0)
        for i in range(n_rows):
            keys[i] = (keys[i] - of_node[i]) // size
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


def node_cost_by_arrays(sample: Any, node: int, parents: Any, n_parents: int) -> float:
    """The same as ``node_cost_by_loop``, for a sample as lists: the sums have the same order."""
    spend(COST + COST_OF_ROW * len(sample.keys) * (n_parents + 4))
    columns = sample.columns.array.reshape(len(sample.sizes), -1)
    weights, lf, size = sample.weights.array, sample.log_factorial.array, sample.sizes[node]
    keys = np.zeros(columns.shape[1], np.int64)
    configurations = 1.0
    for k in range(n_parents):
        keys = keys * sample.sizes[parents[k]] + columns[parents[k]]
        configurations *= sample.sizes[parents[k]]
    keys = keys * size + columns[node]
    cost = configurations * (size - 1) * PRECISION
    if configurations * size > len(sample.counts):
        cost -= _groups_by_sorting(keys, weights, lf, 0)
        keys = (keys - columns[node]) // size
        return cost + _groups_by_sorting(keys, weights, lf, size - 1)
    counts = np.bincount(keys, weights, int(configurations) * size).astype(np.int64)
    counts = counts.reshape(-1, size)
    of_configurations = lf[counts.sum(axis=1) + size - 1] - lf[size - 1]
    return _in_order(cost, np.column_stack([-lf[counts], of_configurations]))


def _groups_by_sorting(keys: Ints, weights: Ints, lf: Any, add: int) -> float:
    """The same as ``groups_by_hash``."""
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(np.diff(keys[order], prepend=keys[order[0]] - 1))
    sums = np.cumsum(weights[order]) - weights[order]
    before = np.empty(len(keys), np.int64)
    before[order] = sums - np.repeat(sums[first], np.diff(first, append=len(keys)))
    return _in_order(0.0, np.column_stack([lf[before + weights + add], -lf[before + add]]))


def _in_order(start: float, terms: Any) -> float:
    """The sum of all terms, one after the other."""
    return float(np.cumsum(np.concatenate([[start], terms.ravel()]))[-1])


node_cost = kernel(node_cost_by_loop, plain=node_cost_by_arrays)


def _is_in_list(node, parents, first, n_parents):
    return node in parents[first : first + n_parents]


@kernel(plain=_is_in_list)
def is_among(node, parents, first, n_parents):
    """Whether a node is one of the parents from position ``first`` on."""
    for k in range(first, first + n_parents):  # noqa: SIM110 - Numba has no any()
        if parents[k] == node:
            return True
    return False


@kernel
def entry_of(cache, sample, node, parents, n_parents, key):
    """The entry of a parent set; its cost is computed if it is new and the cache has space."""
    table = cache.table
    entry = find(key, cache.slots)
    if entry >= 0:
        return entry
    entry = cache.n[0]
    cache.n[0] = entry + 1
    line = entry * WIDTH
    table[line + KEY], table[line + NODE] = key, node
    remember(key, cache.slots, entry)
    table[line + N_PARENTS], table[line + CLEAN] = n_parents, -1
    for k in range(n_parents):
        table[line + PARENTS + k] = parents[k]
    cache.cost[entry] = inf
    if n_parents <= MOST_PARENTS:
        cache.n[1] += 1
        cache.cost[entry] = node_cost(sample, node, parents, n_parents)
    return entry


@kernel
def toggled(cache, sample, entry, first, second):
    """The entry with one or two arcs added or removed; ``second`` equals ``first`` for one."""
    parents, table, line = sample.parents, cache.table, entry * WIDTH
    node = table[line + NODE]
    arcs = node * len(cache.node_keys)
    key = table[line + KEY] ^ cache.arc_keys[arcs + first]
    if second != first:
        key ^= cache.arc_keys[arcs + second]
    n = 0
    add_first, add_second = True, second != first
    for k in range(line + PARENTS, line + PARENTS + table[line + N_PARENTS]):
        parent = table[k]
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
    table, cost = cache.table, cache.cost
    if table[entry * WIDTH + CLEAN] >= 0:
        return table[entry * WIDTH + CLEAN]
    best = entry
    k = 0
    while k < table[best * WIDTH + N_PARENTS]:
        parent = table[best * WIDTH + PARENTS + k]
        fewer = toggled(cache, sample, best, parent, parent)
        if cost[fewer] <= cost[best] + arc:
            best = fewer
            k = 0
        else:
            k += 1
    table[entry * WIDTH + CLEAN] = best
    return best

"""The moves of a network search, and the classes of networks that it visits, as kernels.

A search walks over totally ordered models, see ``_search``.
"""

from __future__ import annotations

from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from wager._jit import integers, kernel
from wager._typing import Ints
from wager.learners.networks.causal._cost import (
    KEY,
    MOST_PARENTS,
    N_PARENTS,
    PARENTS,
    WIDTH,
    cleaned,
    entry_of,
    find,
    is_among,
    remember,
    toggled,
)

DRAWS_PER_STEP = 8
NEW_ENTRIES = 128  # more entries than one step can add
TOGGLE_ONE, SWAP, TOGGLE_TWO = 1 / 3, 2 / 3, 5 / 6  # cumulative shares of the kinds of moves


class Model(NamedTuple):
    """A totally ordered model: the order, and the entry (parent set) of every node."""

    order: Any  # the node at each position
    place: Any  # the position of each node
    entry: Any
    cost: Any  # of one number, so that kernels can change it

    def copy(self) -> Model:
        """A model with separate arrays."""
        return Model._make(part.copy() for part in self)


class StepRule(NamedTuple):
    """What decides whether a step is accepted, and whether its result counts as a visit."""

    arc: float  # the cost of an arc, besides its effect on the nodes
    temperature: float = 1.0
    limit: float = inf  # if the model costs more, only improvements are accepted
    counted: float = inf  # networks that cost more are not counted


# the columns of the table of classes, whose last ones are the parent sets of the best network
VISITS, ENTRIES = 1, 2


class Classes(NamedTuple):
    """The equivalence classes that the sampler visited, and how often."""

    slots: Any
    table: Any  # one line per class; KEY is its first column
    score: Any  # by class: cost of the best network met
    n: Any
    pair_keys: Any  # by two nodes, random
    arc_visits: Any  # by two nodes: steps with an arc from the first to the second
    since: Any  # the step at which each node got its present parents

    @classmethod
    def empty(cls, n_nodes: int, random: Any) -> Classes:
        size = 1 << 10
        keys = random.randint(1, 2**31, size=(n_nodes, n_nodes), dtype=np.int64)
        return cls(
            np.zeros(4 * size, dtype=np.int64),
            np.zeros(size * (ENTRIES + n_nodes), dtype=np.int64),
            np.zeros(size),
            np.zeros(1, dtype=np.int64),
            keys.ravel(),
            np.zeros(n_nodes * n_nodes),
            np.zeros(n_nodes, dtype=np.int64),
        )

    def visits(self) -> Ints:
        """The number of visits of each class."""
        width = len(self.table) // len(self.score)
        return np.array(self.table[VISITS::width][: int(self.n[0])])

    def entries(self, number: int) -> Any:
        """The parent sets of the best network of a class."""
        width = len(self.table) // len(self.score)
        return self.table[number * width + ENTRIES : (number + 1) * width]

    @classmethod
    def none(cls) -> Classes:
        """No space for any class."""
        integers, numbers = np.zeros(0, dtype=np.int64), np.zeros(0)
        return cls(integers, integers, numbers, integers, integers, numbers, integers)


@kernel
def accepts(change, cost, rule, draw):
    """Whether a change of the cost is accepted."""
    if cost > rule.limit:
        return change < 0.0
    return change <= 0.0 or -log(1.0 - draw) > change / rule.temperature


@kernel
def swap_neighbours(model, cache, rule, draws, d, note):
    """Swap two neighbours in the order, and turn the arc between them; as ``step``."""
    order, place, entry, table = model.order, model.place, model.entry, cache.table
    n_nodes = len(order)
    i = int(draws[d + 1] * (n_nodes - 1))
    first, child = order[i], order[i + 1]
    changed = 0
    line = entry[child] * WIDTH
    if is_among(first, table, line + PARENTS, table[line + N_PARENTS]):
        key = table[line + KEY] ^ cache.arc_keys[child * n_nodes + first]
        to_child = find(key, cache.slots)
        if to_child < 0:
            note[0], note[1], note[2] = entry[child], first, first
            return -1
        key = table[entry[first] * WIDTH + KEY] ^ cache.arc_keys[first * n_nodes + child]
        to_first = find(key, cache.slots)
        if to_first < 0:
            note[0], note[1], note[2] = entry[first], child, child
            return -1
        costs = cache.cost
        change = costs[to_first] + costs[to_child] - costs[entry[first]] - costs[entry[child]]
        if not accepts(change, model.cost[0], rule, draws[d + 7]):
            return 0
        entry[first], entry[child] = to_first, to_child
        model.cost[0] += change
        note[0], note[1] = first, child
        changed = 2
    order[i], order[i + 1], place[first], place[child] = child, first, i + 1, i
    return changed


@kernel
def one_arc(place, draws, d):
    """Two nodes, the earlier one first: the arc between them is to be toggled."""
    first = int(draws[d + 1] * len(place))
    child = int(draws[d + 2] * (len(place) - 1))
    child += child >= first
    if place[first] > place[child]:
        first, child = child, first
    return first, child


@kernel
def two_arcs(place, draws, d):
    """Three nodes, the latest one last: the arcs from the others into it are to be toggled."""
    n = len(place)
    first = int(draws[d + 1] * n)
    second = int(draws[d + 2] * (n - 1))
    second += second >= first
    child = int(draws[d + 3] * (n - 2))
    child += child >= min(first, second)
    child += child >= max(first, second)
    if place[first] > place[child]:
        first, child = child, first
    if place[second] > place[child]:
        second, child = child, second
    return first, second, child


@kernel
def other_parent(order, at, table, parents, k, draws, d):
    """A parent of the node at position ``at``, and an earlier node that is to replace it."""
    first, second = table[parents + int(draws[d + 2] * k)], -1
    nth = int(draws[d + 3] * (at - k))
    for i in range(at):
        if not is_among(order[i], table, parents, k):
            second = order[i]
            if nth == 0:
                break
            nth -= 1
    return first, second


@kernel
def added(parent, table, entry):
    """1 if toggling the arc from a node adds a parent to an entry, -1 if it removes one."""
    line = entry * WIDTH
    return -1 if is_among(parent, table, line + PARENTS, table[line + N_PARENTS]) else 1


@kernel
def step(model, cache, rule, draws, d, note):
    """One move of the sampler, in place; returns the number of nodes that got other parents.

    A third of the moves toggles the arc between two nodes, a third swaps two neighbours in the
    order, a sixth toggles the arcs from two nodes into a later one, and a sixth exchanges a parent
    for another node.  The nodes that changed are written to ``note``; the random numbers are those
    from position ``d`` on, all below 1.

    If the cost of a parent set is not known yet, the result is -1, and ``note`` contains the entry
    and the arcs to toggle.  The caller then computes the cost and repeats the step.
    """
    kind, second = draws[d], -1
    if TOGGLE_ONE <= kind < SWAP:
        return swap_neighbours(model, cache, rule, draws, d, note)
    table, entry = cache.table, model.entry
    n_nodes = len(entry)
    if kind < TOGGLE_ONE:
        first, child = one_arc(model.place, draws, d)
    elif kind < TOGGLE_TWO:
        if n_nodes < 3:
            return 0
        first, second, child = two_arcs(model.place, draws, d)
    else:
        # late nodes are preferred, as they have more possible parents
        at = min(int((1.0 - draws[d + 1] * draws[d + 1]) * n_nodes), n_nodes - 1)
        child = model.order[at]
        parents = entry[child] * WIDTH + PARENTS
        k = table[entry[child] * WIDTH + N_PARENTS]
        if k == 0 or k == at:
            return 0
        first, second = other_parent(model.order, at, table, parents, k, draws, d)
    old = entry[child]
    key = table[old * WIDTH + KEY] ^ cache.arc_keys[child * n_nodes + first]
    if second >= 0:
        key ^= cache.arc_keys[child * n_nodes + second]
    new = find(key, cache.slots)
    if new < 0:
        note[0], note[1], note[2] = old, first, second if second >= 0 else first
        return -1
    # counted in the old entry, which is at hand: the new one is another wait for the memory
    more = added(first, table, old)
    if second >= 0:
        more += added(second, table, old)
    costs, cost = cache.cost, model.cost
    change = costs[new] - costs[old] + rule.arc * more
    if not accepts(change, cost[0], rule, draws[d + 7]):
        return 0
    entry[child] = new
    cost[0] += change
    note[0] = child
    return 1


@kernel
def class_key(cache, dag, pair_keys):
    """A number that equivalent networks share: those with the same skeleton and colliders."""
    table, n_nodes = cache.table, len(dag)
    key = 0
    for x in range(n_nodes):
        line = dag[x] * WIDTH
        for j in range(line + PARENTS, line + PARENTS + table[line + N_PARENTS]):
            a = table[j]
            key ^= pair_keys[min(a, x) * n_nodes + max(a, x)] << 31
            of_a = dag[a] * WIDTH
            for k in range(line + PARENTS, j):
                b = table[k]
                of_b = dag[b] * WIDTH
                adjacent = is_among(b, table, of_a + PARENTS, table[of_a + N_PARENTS])
                adjacent = adjacent or is_among(a, table, of_b + PARENTS, table[of_b + N_PARENTS])
                if not adjacent:
                    key ^= pair_keys[a * n_nodes + x] * pair_keys[b * n_nodes + x]
    return key


@kernel
def score_of(cache, dag, arc):
    """The cost of a network."""
    score = 0.0
    for x in range(len(dag)):
        score += cache.cost[dag[x]] + arc * cache.table[dag[x] * WIDTH + N_PARENTS]
    return score


@kernel
def credit(classes, cache, dag, x, now):
    """Add the steps since a node got its present parents to the visits of these arcs."""
    table, line = cache.table, dag[x] * WIDTH
    for k in range(line + PARENTS, line + PARENTS + table[line + N_PARENTS]):
        classes.arc_visits[table[k] * len(dag) + x] += now - classes.since[x]
    classes.since[x] = now


@kernel
def class_of(classes, cache, dag, rule):
    """The class of a network, added if it is new; -1 if the network is too bad to be counted."""
    score = score_of(cache, dag, rule.arc)
    if score > rule.counted:
        return -1
    table, width = classes.table, ENTRIES + len(dag)
    key = class_key(cache, dag, classes.pair_keys)
    number = find(key, classes.slots)
    if number < 0:
        number = classes.n[0]
        classes.n[0] = number + 1
        table[number * width + KEY] = key
        remember(key, classes.slots, number)
        classes.score[number] = inf
    if score < classes.score[number] - 1e-9:
        classes.score[number] = score
        for x in range(len(dag)):
            table[number * width + ENTRIES + x] = dag[x]
    return number


def walk_by_loop(model, best, dag, classes, cache, sample, draws, rule, start, counting):
    """Take a step for every eight random numbers; returns the number of steps taken.

    Unless ``counting``, the best model met is remembered.  Otherwise every step counts for the
    class of the cleaned model, whose entries are in ``dag``; ``start`` is the number of steps taken
    before.  Fewer steps are taken if the cache or the classes are full.
    """
    n_entries, most_entries = cache.n, len(cache.cost) - NEW_ENTRIES
    cost, best_cost, entry = model.cost, best.cost, model.entry
    n_nodes, n_classes, most_classes = len(entry), classes.n, len(classes.score)
    note = integers(3)
    number = class_of(classes, cache, dag, rule) if counting else -1
    for d in range(0, len(draws), DRAWS_PER_STEP):
        if n_entries[0] > most_entries or (counting and n_classes[0] == most_classes):
            return d // DRAWS_PER_STEP
        changed = step(model, cache, rule, draws, d, note)
        while changed < 0:
            toggled(cache, sample, note[0], note[1], note[2])
            changed = step(model, cache, rule, draws, d, note)
        if not counting:
            if cost[0] < best_cost[0] - 1e-9:
                best_cost[0] = cost[0]
                for i in range(n_nodes):
                    best.order[i] = model.order[i]
                    best.place[i] = model.place[i]
                    best.entry[i] = entry[i]
            continue
        other = False
        for k in range(changed):
            x = note[k]
            new = cleaned(cache, sample, entry[x], rule.arc)
            if new != dag[x]:
                credit(classes, cache, dag, x, start + d // DRAWS_PER_STEP)
                dag[x] = new
                other = True
        if other:
            number = class_of(classes, cache, dag, rule)
        if number >= 0:
            classes.table[number * (ENTRIES + n_nodes) + VISITS] += 1
    return len(draws) // DRAWS_PER_STEP


def look_up_by_loop(cache, sample, parents, n_parents, keys, entries, start, arc):
    """Fill in the entries of nodes with given parents, or clean entries if no parents are given.

    ``parents`` has ``MOST_PARENTS`` places per node.  Begins with node ``start`` and returns the
    first node that was not done because the cache is full, or the number of nodes.
    """
    for x in range(start, len(entries)):
        if cache.n[0] + NEW_ENTRIES > len(cache.cost):
            return x
        if len(parents) == 0:
            entries[x] = cleaned(cache, sample, entries[x], arc)
            continue
        for k in range(n_parents[x]):
            sample.parents[k] = parents[x * MOST_PARENTS + k]
        entries[x] = entry_of(cache, sample, x, sample.parents, n_parents[x], keys[x])
    return len(entries)

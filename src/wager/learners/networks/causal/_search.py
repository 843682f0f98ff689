"""Searching Bayesian networks by Metropolis sampling over totally ordered models.

A totally ordered model is an order of the nodes with arcs that agree with it (Wallace & Korb,
1999).  All orders are equally likely and arcs are independent with probability q, so the cost of a
model is that of its nodes (``_cost``) plus -log q for every arc and -log(1-q) for every absent arc.
A step to a neighbouring model is accepted, at temperature T, if -log(random) > (new - old) / T.

First the best model is searched by annealing, then the posterior is sampled from there.  Every
model visited is cleaned of arcs that are not worth their cost, and counts as a visit to the class
of networks that are statistically equivalent to the rest (same skeleton, same colliders).

Importing this module loads Numba, so it is imported only where a network is searched.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from wager._jit import kernel
from wager._typing import Floats, Ints
from wager.learners.networks.causal._cost import (
    MOST_PARENTS,
    CostCache,
    Sample,
    cleaned,
    entry_of,
    fill_slots,
    is_among,
    slot_of,
    toggled,
)

DRAWS = 1 << 16  # steps for which random numbers are drawn at a time
DRAWS_PER_STEP = 8
NEW_ENTRIES = 128  # more entries than one step can add
IGNORED = 30.0  # nats above the best; worse classes are not counted
STUCK = 40.0  # nats above the best; from there only improvements are accepted
TOGGLE_ONE, SWAP, TOGGLE_TWO = 1 / 3, 2 / 3, 5 / 6  # cumulative shares of the kinds of moves


class Model(NamedTuple):
    """A totally ordered model: the order, and the entry (parent set) of every node."""

    order: Ints  # the node at each position
    place: Ints  # the position of each node
    entry: Ints
    cost: Floats  # an array of one number, so that kernels can change it

    def copy(self) -> Model:
        """A model with separate arrays."""
        return Model._make(part.copy() for part in self)


class KnownCosts(NamedTuple):
    """The part of the cost cache that a step reads: passing fewer arrays makes it faster."""

    slots: Ints
    key: Ints
    parents: Ints
    n_parents: Ints
    cost: Floats
    arc_keys: Ints


class StepRule(NamedTuple):
    """What decides whether a step is accepted, and whether its result counts as a visit."""

    arc: float  # the cost of an arc, besides its effect on the nodes
    temperature: float = 1.0
    limit: float = inf  # if the model costs more, only improvements are accepted
    counted: float = inf  # networks that cost more are not counted


class Classes(NamedTuple):
    """The equivalence classes that the sampler visited, and how often."""

    slots: Ints
    key: Ints
    visits: Ints
    score: Floats  # cost of the best network met in the class
    entries: Ints  # (capacity, n_nodes): the parent sets of that network
    n: Ints
    pair_keys: Ints  # (n_nodes, n_nodes), random
    arc_visits: Floats  # (n_nodes, n_nodes): steps with the arc row -> column
    since: Ints  # the step at which each node got its present parents

    @classmethod
    def empty(cls, n_nodes: int, random: Any) -> Classes:
        size = 1 << 10
        keys = random.randint(1, 2**31, size=(n_nodes, n_nodes), dtype=np.int64)
        return cls(
            np.zeros(2 * size, dtype=np.int64),
            np.zeros(size, dtype=np.int64),
            np.zeros(size, dtype=np.int64),
            np.zeros(size),
            np.zeros((size, n_nodes), dtype=np.int32),
            np.zeros(1, dtype=np.int64),
            keys,
            np.zeros((n_nodes, n_nodes)),
            np.zeros(n_nodes, dtype=np.int64),
        )

    def enlarged(self) -> Classes:
        """The same classes, with space for twice as many."""
        slots = np.zeros(2 * len(self.slots), dtype=np.int64)
        fill_slots(slots, self.key, int(self.n[0]))
        wider = [np.concatenate([part, np.zeros_like(part)]) for part in self[1:5]]
        return Classes._make([slots, *wider, *self[5:]])


@kernel
def below(draw, n):
    """A whole number 0..n-1 from a random number in [0, 1)."""
    return min(int(draw * n), n - 1)


@kernel
def accepts(change, cost, rule, draw):
    """Whether a change of the cost is accepted."""
    if cost > rule.limit:
        return change < 0.0
    return change <= 0.0 or -log(1.0 - draw) > change / rule.temperature


@kernel
def find(key, known):
    """The entry with this key, -1 if it is new."""
    return known.slots[slot_of(key, known.slots, known.key)] - 1


@kernel
def swap_neighbours(model, known, rule, draws, note):
    """Swap two neighbours in the order, and turn the arc between them; as ``step``."""
    order, place, entry = model.order, model.place, model.entry
    i = below(draws[1], len(order) - 1)
    first, child = order[i], order[i + 1]
    changed = 0
    if is_among(first, known.parents[entry[child]], known.n_parents[entry[child]]):
        to_child = find(known.key[entry[child]] ^ known.arc_keys[child, first], known)
        if to_child < 0:
            note[0], note[1], note[2] = entry[child], first, first
            return -1
        to_first = find(known.key[entry[first]] ^ known.arc_keys[first, child], known)
        if to_first < 0:
            note[0], note[1], note[2] = entry[first], child, child
            return -1
        costs = known.cost
        change = costs[to_first] + costs[to_child] - costs[entry[first]] - costs[entry[child]]
        if not accepts(change, model.cost[0], rule, draws[7]):
            return 0
        entry[first], entry[child] = to_first, to_child
        model.cost[0] += change
        note[0], note[1] = first, child
        changed = 2
    order[i], order[i + 1], place[first], place[child] = child, first, i + 1, i
    return changed


@kernel
def one_arc(place, draws):
    """Two nodes, the earlier one first: the arc between them is to be toggled."""
    first = below(draws[1], len(place))
    child = below(draws[2], len(place) - 1)
    child += child >= first
    if place[first] > place[child]:
        first, child = child, first
    return first, child


@kernel
def two_arcs(place, draws):
    """Three nodes, the latest one last: the arcs from the others into it are to be toggled."""
    n = len(place)
    first = below(draws[1], n)
    second = below(draws[2], n - 1)
    second += second >= first
    child = below(draws[3], n - 2)
    child += child >= min(first, second)
    child += child >= max(first, second)
    if place[first] > place[child]:
        first, child = child, first
    if place[second] > place[child]:
        second, child = child, second
    return first, second, child


@kernel
def other_parent(order, at, parents, k, draws):
    """A parent of the node at position ``at``, and an earlier node that is to replace it."""
    first, second = parents[below(draws[2], k)], -1
    nth = below(draws[3], at - k)
    for i in range(at):
        if not is_among(order[i], parents, k):
            second = order[i]
            if nth == 0:
                break
            nth -= 1
    return first, second


@kernel
def step(model, known, rule, draws, note):
    """One move of the sampler, in place; returns the number of nodes that got other parents.

    A third of the moves toggles the arc between two nodes, a third swaps two neighbours in the
    order, a sixth toggles the arcs from two nodes into a later one, and a sixth exchanges a parent
    for another node.  The nodes that changed are written to ``note``.

    If the cost of a parent set is not known yet, the result is -1, and ``note`` contains the entry
    and the arcs to toggle.  The caller then computes the cost and repeats the step.
    """
    kind, second = draws[0], -1
    if kind < TOGGLE_ONE:
        first, child = one_arc(model.place, draws)
    elif kind < SWAP:
        return swap_neighbours(model, known, rule, draws, note)
    elif kind < TOGGLE_TWO:
        if len(model.order) < 3:
            return 0
        first, second, child = two_arcs(model.place, draws)
    else:
        # late nodes are preferred, as they have more possible parents
        at = below(1.0 - draws[1] * draws[1], len(model.order))
        child = model.order[at]
        k = known.n_parents[model.entry[child]]
        if k == 0 or k == at:
            return 0
        first, second = other_parent(model.order, at, known.parents[model.entry[child]], k, draws)
    old = model.entry[child]
    key = known.key[old] ^ known.arc_keys[child, first]
    if second >= 0:
        key ^= known.arc_keys[child, second]
    new = find(key, known)
    if new < 0:
        note[0], note[1], note[2] = old, first, second if second >= 0 else first
        return -1
    more = known.n_parents[new] - known.n_parents[old]
    change = known.cost[new] - known.cost[old] + rule.arc * more
    if not accepts(change, model.cost[0], rule, draws[7]):
        return 0
    model.entry[child] = new
    model.cost[0] += change
    note[0] = child
    return 1


@kernel
def known_costs(cache):
    """The arrays of the cache that a step reads."""
    return KnownCosts(
        cache.slots, cache.key, cache.parents, cache.n_parents, cache.cost, cache.arc_keys
    )


@kernel
def walk(model, best, cache, sample, draws, rule):
    """Take a step for each row of random numbers, and remember the best model met.

    Returns the number of steps taken; it is smaller if the cache is full.
    """
    known, n_entries, capacity = known_costs(cache), cache.n, len(cache.key)
    cost, best_cost = model.cost, best.cost
    note = np.zeros(3, np.int64)
    for done in range(len(draws)):
        if n_entries[0] + NEW_ENTRIES > capacity:
            return done
        while step(model, known, rule, draws[done], note) < 0:
            toggled(cache, sample, note[0], note[1], note[2])
        if cost[0] < best_cost[0] - 1e-9:
            best_cost[0] = cost[0]
            for i in range(len(model.order)):
                best.order[i] = model.order[i]
                best.place[i] = model.place[i]
                best.entry[i] = model.entry[i]
    return len(draws)


@kernel
def class_key(cache, dag, pair_keys):
    """A number that equivalent networks share: those with the same skeleton and colliders."""
    key = 0
    for x in range(len(dag)):
        entry = dag[x]
        for j in range(cache.n_parents[entry]):
            a = cache.parents[entry, j]
            key ^= pair_keys[min(a, x), max(a, x)] << 31
            for k in range(j):
                b = cache.parents[entry, k]
                adjacent = is_among(b, cache.parents[dag[a]], cache.n_parents[dag[a]])
                adjacent = adjacent or is_among(a, cache.parents[dag[b]], cache.n_parents[dag[b]])
                if not adjacent:
                    key ^= pair_keys[a, x] * pair_keys[b, x]
    return key


@kernel
def score_of(cache, dag, arc):
    """The cost of a network."""
    score = 0.0
    for x in range(len(dag)):
        score += cache.cost[dag[x]] + arc * cache.n_parents[dag[x]]
    return score


@kernel
def credit(classes, cache, dag, x, now):
    """Add the steps since a node got its present parents to the visits of these arcs."""
    for k in range(cache.n_parents[dag[x]]):
        classes.arc_visits[cache.parents[dag[x], k], x] += now - classes.since[x]
    classes.since[x] = now


@kernel
def class_of(classes, cache, dag, rule):
    """The class of a network, added if it is new; -1 if the network is too bad to be counted."""
    score = score_of(cache, dag, rule.arc)
    if score > rule.counted:
        return -1
    key = class_key(cache, dag, classes.pair_keys)
    at = slot_of(key, classes.slots, classes.key)
    number = classes.slots[at] - 1
    if number < 0:
        number = classes.n[0]
        classes.n[0] = number + 1
        classes.slots[at] = number + 1
        classes.key[number] = key
        classes.score[number] = np.inf
    if score < classes.score[number] - 1e-9:
        classes.score[number] = score
        for x in range(len(dag)):
            classes.entries[number, x] = dag[x]
    return number


@kernel
def sample_classes(model, dag, classes, cache, sample, draws, rule, start):
    """Take a step for each row of random numbers; count it for the class of the cleaned model.

    ``dag`` contains the entries of the cleaned model, ``start`` is the number of steps taken
    before.  Returns the number of steps taken; it is smaller if the cache or the classes are full.
    """
    known, n_entries, capacity = known_costs(cache), cache.n, len(cache.key)
    visits, n_classes, entry = classes.visits, classes.n, model.entry
    note = np.zeros(3, np.int64)
    number = class_of(classes, cache, dag, rule)
    for done in range(len(draws)):
        if n_entries[0] + NEW_ENTRIES > capacity or n_classes[0] == len(visits):
            return done
        changed = step(model, known, rule, draws[done], note)
        while changed < 0:
            toggled(cache, sample, note[0], note[1], note[2])
            changed = step(model, known, rule, draws[done], note)
        other = False
        for k in range(changed):
            x = note[k]
            new = cleaned(cache, sample, entry[x], rule.arc)
            if new != dag[x]:
                credit(classes, cache, dag, x, start + done)
                dag[x] = new
                other = True
        if other:
            number = class_of(classes, cache, dag, rule)
        if number >= 0:
            visits[number] += 1
    return len(draws)


@dataclass
class NetworkSearch:
    """A search in progress: the sample, the costs known, the best model, the arc probability q."""

    sample: Sample
    cache: CostCache
    random: Any
    best: Model
    q: float = 0.5

    @classmethod
    def start(cls, codes: Ints, sizes: Ints, random: Any) -> NetworkSearch:
        """A search whose best model is the empty one."""
        sample = Sample.of(codes, sizes)
        cache = CostCache.empty(len(sizes), random)
        search = cls(sample, cache, random, Model._make([np.zeros(0)] * 4))
        search.best = search.empty_model()
        return search

    @property
    def n_nodes(self) -> int:
        """The number of nodes: the features and the class."""
        return len(self.sample.sizes)

    @property
    def arc(self) -> float:
        """The cost of an arc, besides its effect on the nodes."""
        return log((1 - self.q) / self.q)

    @property
    def base(self) -> float:
        """The cost of a structure without any arc."""
        return -self.n_nodes * (self.n_nodes - 1) / 2 * log(1 - self.q)

    def empty_model(self) -> Model:
        """The model without arcs."""
        return self._model(np.arange(self.n_nodes), [np.zeros(0, dtype=np.int64)] * self.n_nodes)

    def full_model(self) -> Model:
        """A random order in which every node is a child of up to seven nodes before it."""
        order = self.random.permutation(self.n_nodes)
        parents: list[Ints] = [np.zeros(0, dtype=np.int64)] * self.n_nodes
        for place, node in enumerate(order):
            count = min(place, MOST_PARENTS)
            parents[node] = np.sort(self.random.choice(order[:place], count, replace=False))
        return self._model(order, parents)

    def _model(self, order: Ints, parents: list[Ints]) -> Model:
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        entry = np.empty_like(order)
        for node, of_node in enumerate(parents):
            key = self.cache.node_keys[node]
            for parent in of_node:
                key ^= self.cache.arc_keys[node, parent]
            self._make_space()
            entry[node] = entry_of(self.cache, self.sample, node, of_node, len(of_node), key)
        model = Model(order.astype(np.int64), place.astype(np.int64), entry, np.zeros(1))
        return self._with_cost(model)

    def _with_cost(self, model: Model) -> Model:
        model.cost[0] = score_of(self.cache, model.entry, self.arc)
        return model

    def _make_space(self) -> None:
        while not self.cache.has_space_for(NEW_ENTRIES):
            self.cache = self.cache.enlarged()

    def anneal(self, model: Model, n_steps: int, temperature: float = 1.0) -> None:
        """Walk from a model; then estimate the arc probability from the best one, and clean it."""
        rule = StepRule(self.arc, temperature)
        left = n_steps
        while left > 0:
            self._make_space()
            draws = self.random.random_sample((min(DRAWS, left), DRAWS_PER_STEP))
            left -= walk(model, self.best, self.cache, self.sample, draws, rule)
        for _ in range(10):
            pairs = self.n_nodes * (self.n_nodes - 1) / 2
            self.q = (self.cache.n_parents[self.best.entry].sum() + 0.5) / (pairs + 1)
            self.cache.clean[:] = -1
            for node, entry in enumerate(self.best.entry):
                self._make_space()
                self.best.entry[node] = cleaned(self.cache, self.sample, entry, self.arc)
        self._with_cost(self.best)

    def seek(self, factor: float) -> None:
        """Find a good model: walk from empty and from full models, then cool down."""
        batch = factor * max(self.n_nodes**3, 1000)
        self.anneal(self.empty_model(), int(7 * batch))
        for _ in range(10):
            self.anneal(self.full_model(), int(7 * batch))
        for _ in range(10):
            self.anneal(self.empty_model(), int(7 * batch))
        for k in range(1, 13):
            self.anneal(self.best.copy(), int(10 * batch), 2 - k / 12)

    def posterior(self, factor: float) -> tuple[Classes, Floats]:
        """Sample the classes; also returns the share of steps with each arc."""
        n_steps = int(factor * 200 * max(self.n_nodes, 10) ** 3)
        classes = Classes.empty(self.n_nodes, self.random)
        model, dag = self.best.copy(), self.best.entry.copy()
        self.cache.clean[:] = -1
        best = float(self.best.cost[0])
        rule = StepRule(self.arc, 1.0, best + STUCK, best + IGNORED)
        done = 0
        while done < n_steps:
            self._make_space()
            if classes.n[0] + 1 >= len(classes.key):
                classes = classes.enlarged()
            draws = self.random.random_sample((min(DRAWS, n_steps - done), DRAWS_PER_STEP))
            done += sample_classes(model, dag, classes, self.cache, self.sample, draws, rule, done)
        for x in range(self.n_nodes):
            credit(classes, self.cache, dag, x, n_steps)
        return classes, classes.arc_visits / n_steps

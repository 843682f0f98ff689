"""Searching Bayesian networks by Metropolis sampling over totally ordered models.

A totally ordered model is an order of the nodes and arcs that agree with it (Wallace & Korb, 1999).
All orders are equally likely and arcs are independent with probability q, so a model costs the
messages of its nodes (``_causal_cost``) plus -log q for an arc and -log(1-q) for each that is not
there.  A model is left for a neighbour, at temperature T, when -log(random) > (new - old) / T.

First the best model is sought by annealing; then the posterior is sampled from there: every model
visited is cleaned of arcs that do not pay, and counts for the class of networks that are
statistically equivalent to what is left (same skeleton, same colliders).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np

from wager._jit import kernel
from wager._typing import Floats, Ints
from wager.learners.networks.causal._cost import (
    MOST_PARENTS,
    Sample,
    Store,
    cleaned,
    entry_of,
    fill_slots,
    is_among,
    slot_of,
    toggled,
)

DRAWS = 1 << 16  # random numbers made at a time
A_STEP = 8  # random numbers for one step
NEW_ENTRIES = 128  # more entries than one step adds
IGNORED = 30.0  # nats: classes so much worse than the best are not counted
STUCK = 40.0  # nats above the best beyond which only improvements are accepted


class Model(NamedTuple):
    """A totally ordered model: the order, and the entry (parent set) of every node."""

    order: Ints  # node at each place
    place: Ints  # place of each node
    entry: Ints
    cost: Floats  # in an array of one

    def copy(self) -> Model:
        return Model._make(part.copy() for part in self)


class Classes(NamedTuple):
    """Equivalence classes that the sampler met, and how often."""

    slots: Ints
    key: Ints
    visits: Ints
    score: Floats  # of the best network met in the class
    entries: Ints  # that network: (room, n_nodes)
    n: Ints
    pair_keys: Ints  # (n_nodes, n_nodes), random
    arc_visits: Floats  # (n_nodes, n_nodes): steps with the arc row -> column
    since: Ints  # step at which each node got its present parents

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

    def widened(self) -> Classes:
        """The same classes with room for twice as many."""
        slots = np.zeros(2 * len(self.slots), dtype=np.int64)
        fill_slots(slots, self.key, int(self.n[0]))
        wider = [np.concatenate([part, np.zeros_like(part)]) for part in self[1:5]]
        return Classes._make([slots, *wider, *self[5:]])


@kernel
def below(draw, n):
    """A whole number 0..n-1 from a random number in [0, 1)."""
    return min(int(draw * n), n - 1)


@kernel
def accepts(change, cost, limit, temperature, draw):
    if cost > limit:
        return change < 0.0
    return change <= 0.0 or -log(1.0 - draw) > change / temperature


@kernel
def find(key, slots, keys):
    """The entry with this key, -1 if it is new."""
    return slots[slot_of(key, slots, keys)] - 1


@kernel
def step(
    order, place, entry, total, slots, keys, parents, n_parents, costs, arc_keys, draws, arc,
    temperature, limit, note,
):  # fmt: skip
    """One move of the sampler, in place; gives the number of nodes that got other parents.

    A third toggles the arc between two nodes, a third swaps two neighbours in the order, a sixth
    toggles the arcs from two nodes into a later one, a sixth exchanges a parent for another.  The
    arrays are those of a ``Model`` and a ``Store``, one by one: handing over tuples of arrays takes
    longer than the step.  Above the cost ``limit`` only improvements are accepted.  The nodes that
    changed are left in ``note``.  Where a parent set has not been costed yet, -1 is given back and
    ``note`` says which: the entry, and the arcs to toggle.
    """
    n = len(order)
    kind = draws[0]
    second = -1
    if kind < 1 / 3:
        first = below(draws[1], n)
        child = below(draws[2], n - 1)
        child += child >= first
        if place[first] > place[child]:
            first, child = child, first
    elif kind < 2 / 3:
        i = below(draws[1], n - 1)
        first, child = order[i], order[i + 1]
        changed = 0
        if is_among(first, parents[entry[child]], n_parents[entry[child]]):
            to_child = find(keys[entry[child]] ^ arc_keys[child, first], slots, keys)
            to_first = find(keys[entry[first]] ^ arc_keys[first, child], slots, keys)
            if to_child < 0:
                note[0], note[1], note[2] = entry[child], first, first
                return -1
            if to_first < 0:
                note[0], note[1], note[2] = entry[first], child, child
                return -1
            change = costs[to_first] + costs[to_child] - costs[entry[first]] - costs[entry[child]]
            if not accepts(change, total[0], limit, temperature, draws[7]):
                return 0
            entry[first], entry[child] = to_first, to_child
            total[0] += change
            note[0], note[1] = first, child
            changed = 2
        order[i], order[i + 1], place[first], place[child] = child, first, i + 1, i
        return changed
    elif kind < 5 / 6:
        if n < 3:
            return 0
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
    else:
        at = below(1.0 - draws[1] * draws[1], n)  # late nodes are preferred
        child = order[at]
        k = n_parents[entry[child]]
        if k == 0 or k == at:
            return 0
        first = parents[entry[child], below(draws[2], k)]
        nth = below(draws[3], at - k)
        for i in range(at):
            if not is_among(order[i], parents[entry[child]], k):
                second = order[i]
                if nth == 0:
                    break
                nth -= 1
    old = entry[child]
    key = keys[old] ^ arc_keys[child, first]
    if second >= 0:
        key ^= arc_keys[child, second]
    new = find(key, slots, keys)
    if new < 0:
        note[0], note[1], note[2] = old, first, second if second >= 0 else first
        return -1
    change = costs[new] - costs[old] + arc * (n_parents[new] - n_parents[old])
    if not accepts(change, total[0], limit, temperature, draws[7]):
        return 0
    entry[child] = new
    total[0] += change
    note[0] = child
    return 1


@kernel
def walk(model, best, store, sample, draws, n_steps, arc, temperature):
    """Take steps while there are random numbers and room, and remember the best model met.

    Returns the number of steps taken.
    """
    order, place, entry, cost = model.order, model.place, model.entry, model.cost
    slots, keys, parents, n_parents = store.slots, store.key, store.parents, store.n_parents
    costs, arc_keys, n_entries = store.cost, store.arc_keys, store.n
    best_cost = best.cost
    note = np.zeros(3, np.int64)
    for done in range(n_steps):
        if done == len(draws) or n_entries[0] + NEW_ENTRIES > len(keys):
            return done
        while step(
            order, place, entry, cost, slots, keys, parents, n_parents, costs, arc_keys,
            draws[done], arc, temperature, np.inf, note,
        ) < 0:  # fmt: skip
            toggled(store, sample, note[0], note[1], note[2])
        if cost[0] < best_cost[0] - 1e-9:
            best_cost[0] = cost[0]
            for i in range(len(order)):
                best.order[i] = order[i]
                best.place[i] = place[i]
                best.entry[i] = entry[i]
    return n_steps


@kernel
def class_key(store, dag, pair_keys):
    """A number that equivalent networks share: their skeletons and colliders agree."""
    key = 0
    for x in range(len(dag)):
        entry = dag[x]
        for j in range(store.n_parents[entry]):
            a = store.parents[entry, j]
            key ^= pair_keys[min(a, x), max(a, x)] << 31
            for k in range(j):
                b = store.parents[entry, k]
                adjacent = is_among(b, store.parents[dag[a]], store.n_parents[dag[a]])
                adjacent = adjacent or is_among(a, store.parents[dag[b]], store.n_parents[dag[b]])
                if not adjacent:
                    key ^= pair_keys[a, x] * pair_keys[b, x]
    return key


@kernel
def score_of(store, dag, arc):
    score = 0.0
    for x in range(len(dag)):
        score += store.cost[dag[x]] + arc * store.n_parents[dag[x]]
    return score


@kernel
def credit(classes, store, dag, x, now):
    """Count the steps for which a node has had its present parents."""
    for k in range(store.n_parents[dag[x]]):
        classes.arc_visits[store.parents[dag[x], k], x] += now - classes.since[x]
    classes.since[x] = now


@kernel
def class_of(classes, store, dag, arc, best):
    """The class of a network, entered if it is new; -1 if it is too bad to be counted."""
    score = score_of(store, dag, arc)
    if score > best + IGNORED:
        return -1
    key = class_key(store, dag, classes.pair_keys)
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
def sample_classes(model, dag, classes, store, sample, draws, n_steps, arc, best, start):
    """Take steps at temperature one and count each for the class of the cleaned model.

    ``best`` is the least cost known, ``start`` the number of steps taken before.  Returns the
    number of steps taken.
    """
    order, place, entry, cost = model.order, model.place, model.entry, model.cost
    slots, keys, parents, n_parents = store.slots, store.key, store.parents, store.n_parents
    costs, arc_keys, n_entries = store.cost, store.arc_keys, store.n
    visits, n_classes = classes.visits, classes.n
    note = np.zeros(3, np.int64)
    number = class_of(classes, store, dag, arc, best)
    for done in range(n_steps):
        full = n_entries[0] + NEW_ENTRIES > len(keys) or n_classes[0] == len(visits)
        if done == len(draws) or full:
            return done
        changed = -1
        while changed < 0:
            changed = step(
                order, place, entry, cost, slots, keys, parents, n_parents, costs, arc_keys,
                draws[done], arc, 1.0, best + STUCK, note,
            )  # fmt: skip
            if changed < 0:
                toggled(store, sample, note[0], note[1], note[2])
        other = False
        for k in range(changed):
            x = note[k]
            new = cleaned(store, sample, entry[x], arc)
            if new != dag[x]:
                credit(classes, store, dag, x, start + done)
                dag[x] = new
                other = True
        if other:
            number = class_of(classes, store, dag, arc, best)
        if number >= 0:
            visits[number] += 1
    return n_steps


@dataclass
class Search:
    """A search under way: the sample, what was costed, the best model, the arc probability."""

    sample: Sample
    store: Store
    random: Any
    best: Model
    q: float = 0.5

    @classmethod
    def start(cls, codes: Ints, sizes: Ints, random: Any) -> Search:
        sample = Sample.of(codes, sizes)
        store = Store.empty(len(sizes), random)
        search = cls(sample, store, random, Model._make([np.zeros(0)] * 4))
        search.best = search.empty_model()
        return search

    @property
    def n_nodes(self) -> int:
        return len(self.sample.sizes)

    @property
    def arc(self) -> float:
        """What an arc costs beside its effect on the nodes."""
        return log((1 - self.q) / self.q)

    @property
    def base(self) -> float:
        """What the structure costs without any arc."""
        return -self.n_nodes * (self.n_nodes - 1) / 2 * log(1 - self.q)

    def empty_model(self) -> Model:
        return self._model(np.arange(self.n_nodes), [np.zeros(0, dtype=np.int64)] * self.n_nodes)

    def full_model(self) -> Model:
        """A random order, and every node a child of up to seven before it."""
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
            key = self.store.node_keys[node]
            for parent in of_node:
                key ^= self.store.arc_keys[node, parent]
            self._make_room()
            entry[node] = entry_of(self.store, self.sample, node, of_node, len(of_node), key)
        model = Model(order.astype(np.int64), place.astype(np.int64), entry, np.zeros(1))
        return self._costed(model)

    def _costed(self, model: Model) -> Model:
        model.cost[0] = score_of(self.store, model.entry, self.arc)
        return model

    def _make_room(self) -> None:
        while not self.store.has_room_for(NEW_ENTRIES):
            self.store = self.store.widened()

    def anneal(self, model: Model, n_steps: int, temperature: float = 1.0) -> None:
        """Walk from a model; then take the arc probability from the best one, and clean it."""
        left = n_steps
        while left > 0:
            self._make_room()
            draws = self.random.random_sample((min(DRAWS, left), A_STEP))
            left -= walk(
                model, self.best, self.store, self.sample, draws, left, self.arc, temperature
            )
        for _ in range(10):
            pairs = self.n_nodes * (self.n_nodes - 1) / 2
            self.q = (self.store.n_parents[self.best.entry].sum() + 0.5) / (pairs + 1)
            self.store.clean[:] = -1
            for node, entry in enumerate(self.best.entry):
                self._make_room()
                self.best.entry[node] = cleaned(self.store, self.sample, entry, self.arc)
        self._costed(self.best)

    def seek(self, factor: float) -> None:
        """Find a good model: from nothing, from full models, from nothing again, then cooling."""
        batch = factor * max(self.n_nodes**3, 1000)
        self.anneal(self.empty_model(), int(7 * batch))
        for _ in range(10):
            self.anneal(self.full_model(), int(7 * batch))
        for _ in range(10):
            self.anneal(self.empty_model(), int(7 * batch))
        for k in range(1, 13):
            self.anneal(self.best.copy(), int(10 * batch), 2 - k / 12)

    def posterior(self, factor: float) -> tuple[Classes, Floats]:
        """Sample the classes; the share of steps with each arc comes beside them."""
        n_steps = int(factor * 200 * max(self.n_nodes, 10) ** 3)
        classes = Classes.empty(self.n_nodes, self.random)
        model, dag = self.best.copy(), self.best.entry.copy()
        self.store.clean[:] = -1
        done = 0
        while done < n_steps:
            self._make_room()
            if classes.n[0] + 1 >= len(classes.key):
                classes = classes.widened()
            draws = self.random.random_sample((min(DRAWS, n_steps - done), A_STEP))
            done += sample_classes(
                model, dag, classes, self.store, self.sample, draws, n_steps - done, self.arc,
                float(self.best.cost[0]), done,
            )  # fmt: skip
        for x in range(self.n_nodes):
            credit(classes, self.store, dag, x, n_steps)
        return classes, classes.arc_visits / n_steps

"""Searching Bayesian networks by Metropolis sampling over totally ordered models.

A totally ordered model is an order of the nodes with arcs that agree with it (Wallace & Korb,
1999).  All orders are equally likely and arcs are independent with probability q, so the cost of a
model is that of its nodes (``_cost``) plus -log q for every arc and -log(1-q) for every absent arc.
A step to a neighbouring model is accepted, at temperature T, if -log(random) > (new - old) / T.

First the best model is searched by annealing, then the posterior is sampled from there.  Every
model visited is cleaned of arcs that are not worth their cost, and counts as a visit to the class
of networks that are statistically equivalent to the rest (same skeleton, same colliders).

A search keeps its data as arrays and calls compiled loops, or it keeps them as lists and runs the
same loops in plain Python.  Both make the same steps with the same random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np

from wager._jit import as_lists, entry, entry_group, spend
from wager._typing import Floats, Ints
from wager.learners.networks.causal._cost import (
    MOST_PARENTS,
    CostCache,
    Sample,
    fill_slots,
    with_twice_the_space,
)
from wager.learners.networks.causal._moves import (
    DRAWS_PER_STEP,
    NEW_ENTRIES,
    Classes,
    Model,
    StepRule,
    credit,
    look_up_by_loop,
    score_of,
    walk_by_loop,
)
from wager.learners.networks.causal._plain_walk import walk_in_lists

DRAWS = 1 << 16  # steps for which random numbers are drawn at a time
IGNORED = 30.0  # nats above the best; worse classes are not counted
STUCK = 40.0  # nats above the best; from there only improvements are accepted
STEP = 2e-6  # seconds of plain Python for a step

walk = entry(walk_by_loop, label="searches of networks")
look_up = entry(look_up_by_loop, label="searches of networks")
SEARCH = entry_group([walk, look_up, fill_slots], label="searches of networks")


class Loops(NamedTuple):
    """The loops of a search in one of two forms, and the arrays or lists that they work on."""

    walk: Callable[..., int]
    look_up: Callable[..., int]
    of_arrays: Callable[[Any], Any]


def _as_lists_and_dicts(value: Any) -> Any:
    lists = as_lists(value)
    return lists._replace(slots={}) if isinstance(value, CostCache | Classes) else lists


COMPILED = Loops(walk.compiled, look_up.compiled, lambda value: value)
PLAIN = Loops(walk_in_lists, look_up_by_loop, _as_lists_and_dicts)


def work_of(n_nodes: int, factor: float) -> float:
    """The seconds that ``seek`` and ``posterior`` take in plain Python, without costs of nodes."""
    return STEP * factor * (267 * max(n_nodes**3, 1000) + 200 * max(n_nodes, 10) ** 3)


@dataclass
class NetworkSearch:
    """A search in progress: the sample, the costs known, the best model, the arc probability q."""

    sample: Sample
    cache: CostCache
    random: Any
    best: Model
    loops: Loops
    q: float = 0.5

    @classmethod
    def start(cls, codes: Ints, sizes: Ints, random: Any, loops: Loops = COMPILED) -> NetworkSearch:
        """A search whose best model is the empty one."""
        sample = loops.of_arrays(Sample.of(codes, sizes))
        cache = loops.of_arrays(CostCache.empty(len(sizes), random))
        search = cls(sample, cache, random, Model._make([np.zeros(0)] * 4), loops)
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
        return self.model(np.arange(self.n_nodes), [[] for _ in range(self.n_nodes)])

    def full_model(self) -> Model:
        """A random order in which every node is a child of up to seven nodes before it."""
        order = self.random.permutation(self.n_nodes)
        parents: list[list[int]] = [[] for _ in range(self.n_nodes)]
        for place, node in enumerate(order):
            count = min(place, MOST_PARENTS)
            chosen = self.random.choice(order[:place], count, replace=False)
            parents[node] = np.sort(chosen).tolist()
        return self.model(order, parents)

    def model(self, order: Ints, parents: list[list[int]]) -> Model:
        """The model with this order, and these parents of every node."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        padded = np.zeros((self.n_nodes, MOST_PARENTS), dtype=np.int64)
        keys = np.array(self.cache.node_keys, dtype=np.int64)
        arc_keys = np.array(self.cache.arc_keys, dtype=np.int64).reshape(self.n_nodes, -1)
        for node, of_node in enumerate(parents):
            padded[node, : len(of_node)] = of_node
            for parent in of_node:
                keys[node] ^= arc_keys[node, parent]
        n_parents = np.array([len(of_node) for of_node in parents], dtype=np.int64)
        entries = np.zeros(self.n_nodes, dtype=np.int64)
        parts = order.astype(np.int64), place.astype(np.int64), entries, np.zeros(1)
        model: Model = self.loops.of_arrays(Model._make(parts))
        self._look_up(model.entry, padded.ravel(), n_parents, keys)
        return self._with_cost(model)

    def _look_up(self, entries: Any, parents: Ints, n_parents: Ints, keys: Ints) -> None:
        """Fill in the entries of all nodes, or clean them if no parents are given."""
        given = self.loops.of_arrays((parents, n_parents, keys))
        done = 0
        while done < self.n_nodes:
            self._make_space()
            done = self.loops.look_up(self.cache, self.sample, *given, entries, done, self.arc)

    def _with_cost(self, model: Model) -> Model:
        model.cost[0] = score_of(self.cache, model.entry, self.arc)
        return model

    def _make_space(self) -> None:
        while not self.cache.has_space_for(NEW_ENTRIES):
            self.cache = with_twice_the_space(self.cache)

    def _draws(self, n_steps: int) -> Any:
        """Random numbers for some steps, at most ``DRAWS``."""
        n_steps = min(DRAWS, n_steps)
        spend(STEP * n_steps)
        return self.random.random_sample(n_steps * DRAWS_PER_STEP)

    def anneal(self, model: Model, n_steps: int, temperature: float = 1.0) -> None:
        """Walk from a model; then estimate the arc probability from the best one, and clean it."""
        rule = StepRule(self.arc, temperature)
        no_classes = self.loops.of_arrays(Classes.none())
        left = n_steps
        while left > 0:
            self._make_space()
            left -= self.loops.walk(
                model, self.best, model.entry, no_classes, self.cache, self.sample,
                self._draws(left), rule, 0, False,
            )  # fmt: skip
        nothing = np.zeros(0, dtype=np.int64)
        pairs = self.n_nodes * (self.n_nodes - 1) / 2
        n_arcs = -1
        for _ in range(10):
            before, n_arcs = n_arcs, sum(map(self.cache.n_parents, self.best.entry))
            if n_arcs == before:  # none was removed, and none will be at the same price of an arc
                break
            self.q = (n_arcs + 0.5) / (pairs + 1)
            self.cache.forget_clean()
            self._look_up(self.best.entry, nothing, nothing, nothing)
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
        classes: Classes = self.loops.of_arrays(Classes.empty(self.n_nodes, self.random))
        model, dag = self.best.copy(), self.best.entry.copy()
        self.cache.forget_clean()
        best = float(self.best.cost[0])
        rule = StepRule(self.arc, 1.0, best + STUCK, best + IGNORED)
        done = 0
        while done < n_steps:
            self._make_space()
            if classes.n[0] + 1 >= len(classes.score):
                classes = with_twice_the_space(classes)
            done += self.loops.walk(
                model, self.best, dag, classes, self.cache, self.sample,
                self._draws(n_steps - done), rule, done, True,
            )  # fmt: skip
        for x in range(self.n_nodes):
            credit(classes, self.cache, dag, x, n_steps)
        arc_visits = np.array(classes.arc_visits).reshape(self.n_nodes, -1)
        return classes, arc_visits / n_steps

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
from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from wager._jit import as_lists, entry, entry_group, integers, kernel, spend
from wager._typing import Floats, Ints
from wager.learners.networks.causal._cost import (
    KEY,
    MOST_PARENTS,
    N_PARENTS,
    PARENTS,
    WIDTH,
    CostCache,
    Sample,
    cleaned,
    doubled,
    entry_of,
    fill_slots,
    is_among,
    refill,
    slot_of,
    toggled,
)

DRAWS = 1 << 16  # steps for which random numbers are drawn at a time
DRAWS_PER_STEP = 8
NEW_ENTRIES = 128  # more entries than one step can add
IGNORED = 30.0  # nats above the best; worse classes are not counted
STUCK = 40.0  # nats above the best; from there only improvements are accepted
TOGGLE_ONE, SWAP, TOGGLE_TWO = 1 / 3, 2 / 3, 5 / 6  # cumulative shares of the kinds of moves
STEP = 3e-6  # seconds of plain Python for a step


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
            np.zeros(2 * size, dtype=np.int64),
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

    def enlarged(self) -> Classes:
        """The same classes, with space for twice as many."""
        slots, table, score = (doubled(part) for part in self[:3])
        refill(slots, table, len(table) // len(score), int(self.n[0]))
        return self._replace(slots=slots, table=table, score=score)


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
        to_child = cache.slots[slot_of(key, cache.slots, table, WIDTH)] - 1
        if to_child < 0:
            note[0], note[1], note[2] = entry[child], first, first
            return -1
        key = table[entry[first] * WIDTH + KEY] ^ cache.arc_keys[first * n_nodes + child]
        to_first = cache.slots[slot_of(key, cache.slots, table, WIDTH)] - 1
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
def step(model, cache, rule, draws, d, note):
    """One move of the sampler, in place; returns the number of nodes that got other parents.

    A third of the moves toggles the arc between two nodes, a third swaps two neighbours in the
    order, a sixth toggles the arcs from two nodes into a later one, and a sixth exchanges a parent
    for another node.  The nodes that changed are written to ``note``; the random numbers are those
    from position ``d`` on, all below 1.

    If the cost of a parent set is not known yet, the result is -1, and ``note`` contains the entry
    and the arcs to toggle.  The caller then computes the cost and repeats the step.
    """
    table = cache.table
    n_nodes = len(model.order)
    kind, second = draws[d], -1
    if kind < TOGGLE_ONE:
        first, child = one_arc(model.place, draws, d)
    elif kind < SWAP:
        return swap_neighbours(model, cache, rule, draws, d, note)
    elif kind < TOGGLE_TWO:
        if n_nodes < 3:
            return 0
        first, second, child = two_arcs(model.place, draws, d)
    else:
        # late nodes are preferred, as they have more possible parents
        at = min(int((1.0 - draws[d + 1] * draws[d + 1]) * n_nodes), n_nodes - 1)
        child = model.order[at]
        parents = model.entry[child] * WIDTH + PARENTS
        k = table[model.entry[child] * WIDTH + N_PARENTS]
        if k == 0 or k == at:
            return 0
        first, second = other_parent(model.order, at, table, parents, k, draws, d)
    old = model.entry[child]
    key = table[old * WIDTH + KEY] ^ cache.arc_keys[child * n_nodes + first]
    if second >= 0:
        key ^= cache.arc_keys[child * n_nodes + second]
    new = cache.slots[slot_of(key, cache.slots, table, WIDTH)] - 1
    if new < 0:
        note[0], note[1], note[2] = old, first, second if second >= 0 else first
        return -1
    more = table[new * WIDTH + N_PARENTS] - table[old * WIDTH + N_PARENTS]
    change = cache.cost[new] - cache.cost[old] + rule.arc * more
    if not accepts(change, model.cost[0], rule, draws[d + 7]):
        return 0
    model.entry[child] = new
    model.cost[0] += change
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
    at = slot_of(key, classes.slots, table, width)
    number = classes.slots[at] - 1
    if number < 0:
        number = classes.n[0]
        classes.n[0] = number + 1
        classes.slots[at] = number + 1
        table[number * width + KEY] = key
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
    n_entries, capacity = cache.n, len(cache.cost)
    cost, best_cost, entry, score = model.cost, best.cost, model.entry, classes.score
    n_nodes = len(entry)
    note = integers(3)
    number = class_of(classes, cache, dag, rule) if counting else -1
    n_steps = len(draws) // DRAWS_PER_STEP
    for done in range(n_steps):
        if n_entries[0] + NEW_ENTRIES > capacity or (counting and classes.n[0] == len(score)):
            return done
        d = done * DRAWS_PER_STEP
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
                credit(classes, cache, dag, x, start + done)
                dag[x] = new
                other = True
        if other:
            number = class_of(classes, cache, dag, rule)
        if number >= 0:
            classes.table[number * (ENTRIES + n_nodes) + VISITS] += 1
    return n_steps


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


walk = entry(walk_by_loop, label="searches of networks")
look_up = entry(look_up_by_loop, label="searches of networks")
SEARCH = entry_group([walk, look_up, fill_slots], label="searches of networks")


class Loops(NamedTuple):
    """The loops of a search in one of two forms, and the arrays or lists that they work on."""

    walk: Callable[..., int]
    look_up: Callable[..., int]
    of_arrays: Callable[[Any], Any]


COMPILED = Loops(walk.compiled, look_up.compiled, lambda value: value)
PLAIN = Loops(walk_by_loop, look_up_by_loop, as_lists)


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
    def start(
        cls, codes: Ints, sizes: Ints, random: Any, loops: Loops = COMPILED
    ) -> NetworkSearch:
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
            self.cache = self.cache.enlarged()

    def _draws(self, n_steps: int) -> Any:
        """Random numbers for some steps, at most ``DRAWS``."""
        n_steps = min(DRAWS, n_steps)
        spend(STEP * n_steps)
        return self.loops.of_arrays(self.random.random_sample(n_steps * DRAWS_PER_STEP))

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
        for _ in range(10):
            pairs = self.n_nodes * (self.n_nodes - 1) / 2
            n_arcs = sum(self.cache.n_parents(entry) for entry in self.best.entry)
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
                classes = classes.enlarged()
            done += self.loops.walk(
                model, self.best, dag, classes, self.cache, self.sample,
                self._draws(n_steps - done), rule, done, True,
            )  # fmt: skip
        for x in range(self.n_nodes):
            credit(classes, self.cache, dag, x, n_steps)
        arc_visits = np.array(classes.arc_visits).reshape(self.n_nodes, -1)
        return classes, arc_visits / n_steps

"""The walk of a network search in plain Python: the moves of ``_search.step``, with lists.

The nodes of all moves are computed from the random numbers at once, and the entries of parent sets
are found in a dictionary; otherwise every step is that of the compiled walk, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np

from wager._typing import Floats
from wager.learners.networks.causal._cost import KEY, N_PARENTS, PARENTS, WIDTH, cleaned, toggled
from wager.learners.networks.causal._moves import (
    DRAWS_PER_STEP,
    ENTRIES,
    NEW_ENTRIES,
    SWAP,
    TOGGLE_ONE,
    TOGGLE_TWO,
    VISITS,
    class_of,
    credit,
)

ONE, NEIGHBOURS, TWO, OTHER = range(4)  # the kinds of moves


def walk_in_lists(model, best, dag, classes, cache, sample, draws, rule, start, counting):
    """The same as ``walk_by_loop`` of ``_search``."""
    order, place, entry, cost = model
    table, costs, arc_keys, find = cache.table, cache.cost, cache.arc_keys, cache.slots.get
    arc, temperature, limit = rule.arc, rule.temperature, rule.limit
    n_nodes, best_cost = len(entry), best.cost
    most_entries, most_classes = len(costs) - NEW_ENTRIES, len(classes.score)
    number = class_of(classes, cache, dag, rule) if counting else -1
    moves = _moves(draws.reshape(-1, DRAWS_PER_STEP), n_nodes)
    for done, (kind, first, second, child, at, draw, nth_parent, nth_other) in enumerate(moves):
        if cache.n[0] > most_entries or (counting and classes.n[0] == most_classes):
            return done
        changed: tuple[int, ...] = ()
        if kind == NEIGHBOURS:
            first, child = order[at], order[at + 1]
            of_first, of_child = entry[first], entry[child]
            parents = of_child * WIDTH + PARENTS
            if first in table[parents : parents + table[of_child * WIDTH + N_PARENTS]]:
                key = table[of_child * WIDTH + KEY] ^ arc_keys[child * n_nodes + first]
                to_child = find(key)
                if to_child is None:
                    to_child = toggled(cache, sample, of_child, first, first)
                key = table[of_first * WIDTH + KEY] ^ arc_keys[first * n_nodes + child]
                to_first = find(key)
                if to_first is None:
                    to_first = toggled(cache, sample, of_first, child, child)
                change = costs[to_first] + costs[to_child] - costs[of_first] - costs[of_child]
                if cost[0] > limit:
                    accepted = change < 0.0
                else:
                    accepted = change <= 0.0 or -log(1.0 - draw) > change / temperature
                if accepted:
                    entry[first], entry[child] = to_first, to_child
                    cost[0] += change
                    changed = first, child
            else:
                accepted = True
            if accepted:
                order[at], order[at + 1], place[first], place[child] = child, first, at + 1, at
        else:
            possible = True
            if kind == ONE:
                child, second = second, -1
                if place[first] > place[child]:
                    first, child = child, first
            elif kind == TWO:
                possible = n_nodes >= 3
                if possible:
                    if place[first] > place[child]:
                        first, child = child, first
                    if place[second] > place[child]:
                        second, child = child, second
            else:
                child = order[at]
                line = entry[child] * WIDTH
                k = table[line + N_PARENTS]
                possible = k != 0 and k != at
                if possible:
                    parents = table[line + PARENTS : line + PARENTS + k]
                    others = [node for node in order[:at] if node not in parents]
                    first, second = parents[int(nth_parent * k)], others[int(nth_other * (at - k))]
            if possible:
                old = entry[child]
                key = table[old * WIDTH + KEY] ^ arc_keys[child * n_nodes + first]
                if second >= 0:
                    key ^= arc_keys[child * n_nodes + second]
                new = find(key)
                if new is None:
                    new = toggled(cache, sample, old, first, second if second >= 0 else first)
                more = table[new * WIDTH + N_PARENTS] - table[old * WIDTH + N_PARENTS]
                change = costs[new] - costs[old] + arc * more
                if cost[0] > limit:
                    accepted = change < 0.0
                else:
                    accepted = change <= 0.0 or -log(1.0 - draw) > change / temperature
                if accepted:
                    entry[child] = new
                    cost[0] += change
                    changed = (child,)
        if not counting:
            if cost[0] < best_cost[0] - 1e-9:
                best_cost[0] = cost[0]
                best.order[:], best.place[:], best.entry[:] = order, place, entry
            continue
        other = False
        for x in changed:
            new = cleaned(cache, sample, entry[x], arc)
            if new != dag[x]:
                credit(classes, cache, dag, x, start + done)
                dag[x] = new
                other = True
        if other:
            number = class_of(classes, cache, dag, rule)
        if number >= 0:
            classes.table[number * (ENTRIES + n_nodes) + VISITS] += 1
    return len(draws) // DRAWS_PER_STEP


def _moves(draws: Floats, n: int) -> Iterator[tuple[Any, ...]]:
    """The kind of each move, three nodes, a position, and three random numbers for the rest."""
    kind = np.searchsorted([TOGGLE_ONE, SWAP, TOGGLE_TWO], draws[:, 0], side="right")
    first = (draws[:, 1] * n).astype(np.int64)
    second = (draws[:, 2] * (n - 1)).astype(np.int64)
    second += second >= first
    child = (draws[:, 3] * (n - 2)).astype(np.int64)
    child += child >= np.minimum(first, second)
    child += child >= np.maximum(first, second)
    late = np.minimum(((1.0 - draws[:, 1] * draws[:, 1]) * n).astype(np.int64), n - 1)
    at = np.where(kind == NEIGHBOURS, (draws[:, 1] * (n - 1)).astype(np.int64), late)
    columns = kind, first, second, child, at, draws[:, 7], draws[:, 2], draws[:, 3]
    return zip(*(column.tolist() for column in columns), strict=True)

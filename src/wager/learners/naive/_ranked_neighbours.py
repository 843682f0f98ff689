"""Loops of the lazy naive credal classifier for any distance, and for weighted neighbours.

The training rows are sorted by their distance to the row to classify.  The counts of a
neighbourhood may be sums of weights, which decrease linearly with the distance and change as it
grows, so they are counted anew for each neighbourhood.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from wager._jit import as_lists, entry, kernel, spend
from wager._typing import Bools, Floats, Ints
from wager.learners.naive._neighbours import STEP_OF_COUNT, add_rows, keep_undominated
from wager.learners.naive._probe_tables import RowCounts

__all__ = ["Ranking", "classify_ranked"]

FARTHEST = 1e-4  # weight of the farthest row before scaling: it counts, but hardly


class Ranking(NamedTuple):
    """All training rows sorted by distance, for one row to classify after another."""

    order: Ints
    radius: Floats  # the distances in this order


@kernel
def past_ties(stop, radius, first, limit):
    """``stop`` moved past all rows that are as far as the last one, at most to ``limit``."""
    while stop < limit and radius[first + stop] == radius[first + stop - 1]:
        stop += 1
    return stop


@kernel
def add_weighted(training, codes, ranking, first, stop, counts):
    """Count the nearest ``stop`` rows anew by weights 1 + FARTHEST - d/d_max with sum ``stop``."""
    rows, y, missing = training.rows, training.y, training.missing
    order, radius = ranking.order, ranking.radius
    n_value, n_known, n_class = counts.n_value, counts.n_known, counts.n_class
    n_features, n_classes = len(codes), len(n_class)
    spend(STEP_OF_COUNT * stop * n_features)
    for i in range(len(n_value)):
        n_value[i], n_known[i] = 0.0, 0.0
    for c in range(n_classes):
        n_class[c] = 0.0
    farthest = radius[first + stop - 1]
    total = 0.0
    for place in range(first, first + stop):
        total += 1 + FARTHEST - radius[place] / farthest if farthest > 0.0 else 1.0
    for place in range(first, first + stop):
        weight = 1 + FARTHEST - radius[place] / farthest if farthest > 0.0 else 1.0
        weight *= stop / total
        i = order[place]
        c = y[i]
        n_class[c] += weight
        for j in range(n_features):
            value = rows[i * n_features + j]
            if value != missing:
                n_known[j * n_classes + c] += weight
                if value == codes[j]:
                    n_value[j * n_classes + c] += weight


@kernel
def grow_ranked(training, codes, counts, growth, ranking, first, weighted, kept):
    """Enlarge the neighbourhood of a row until one class is left; return its size."""
    n, limit, radius = len(training.y), growth.limit, ranking.radius
    stop = past_ties(min(growth.k, n), radius, first, limit)
    if stop < n and radius[first + stop - 1] == 0.0:  # only identical rows: go one level further
        stop = past_ties(stop + 1, radius, first, limit)
    start, tries = 0, 0
    while True:
        if weighted:
            add_weighted(training, codes, ranking, first, stop, counts)
        else:
            add_rows(training, codes, ranking.order, first + start, first + stop, counts)
        found = keep_undominated(growth.s, counts, kept)
        tries += 1
        if found == 1 or tries >= growth.max_tries or stop >= limit:
            return stop
        start = stop
        if stop + growth.step < n:
            stop = past_ties(stop + growth.step, radius, first, limit)
        else:
            stop = limit


def classify_by_loop(training, test, known, growth, ranking, weighted, found):
    """Classify each row by the smallest neighbourhood that leaves one class.

    Parameters
    ----------
    training : TrainingRows
    test, known : codes to classify, and whether each is known
    growth : Growth
    ranking : Ranking
    weighted : whether near rows count more
    found : Neighbourhoods, with zeros for counts; filled

    All arrays have one dimension.
    """
    n, n_test = len(training.y), len(found.sizes)
    m, n_classes = len(test) // n_test, len(found.kept) // n_test
    for t in range(n_test):
        codes, observed = test[t * m : (t + 1) * m], known[t * m : (t + 1) * m]
        first, last = t * m * n_classes, (t + 1) * m * n_classes
        kept = found.kept[t * n_classes : (t + 1) * n_classes]
        n_class = found.n_class[t * n_classes : (t + 1) * n_classes]
        counts = RowCounts(found.n_value[first:last], found.n_known[first:last], n_class, observed)
        found.sizes[t] = grow_ranked(
            training, codes, counts, growth, ranking, t * n, weighted, kept
        )


def classify_in_lists(
    training: Any,
    test: Ints,
    known: Bools,
    growth: Any,
    ranking: Ranking,
    weighted: Any,
    found: Any,
) -> None:
    """The same as ``classify_by_loop``, in lists."""
    n, n_test = len(training.y), len(found.sizes)
    m, n_classes = len(test) // n_test, len(found.kept) // n_test
    zero = found.n_class.dtype.type(0).item()
    listed, ranked = as_lists(training), as_lists(ranking)
    codes, observed = test.reshape(n_test, m).tolist(), known.reshape(n_test, m).tolist()
    kept, sizes, values, knowns, classes = [], [], [], [], []
    for t in range(n_test):
        counts = RowCounts(
            [zero] * (m * n_classes), [zero] * (m * n_classes), [zero] * n_classes, observed[t]
        )
        alive = [True] * n_classes
        sizes.append(grow_ranked(listed, codes[t], counts, growth, ranked, t * n, weighted, alive))
        kept += alive
        values += counts.n_value
        knowns += counts.n_known
        classes += counts.n_class
    for array, numbers in zip(found, (kept, sizes, values, knowns, classes), strict=True):
        array[:] = numbers


classify_ranked = entry(
    classify_by_loop, plain=classify_in_lists, label="the lazy naive credal classifier"
)

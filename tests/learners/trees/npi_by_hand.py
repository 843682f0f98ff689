"""Nonparametric predictive inference the slow, obvious way: every wheel, every distribution.

A set of distributions is given by masses on sets of classes, each of which may be shared in any way
within its set.  The distribution of largest entropy raises, again and again, the classes that must
have most on average (Meyerowitz, Richman & Walker, 1994).
"""

from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import numpy as np


def entropy_of(p):
    p = np.array([float(x) for x in p])
    p = p[p > 0] / p.sum()
    return float(-(p * np.log2(p)).sum())


def most_even_of(masses, n_classes):
    """The distribution of largest entropy of masses [(mass, set of classes), ...]."""
    p, left = [Fraction(0)] * n_classes, frozenset(range(n_classes))
    while left:
        groups = (frozenset(g) for r in range(len(left)) for g in combinations(left, r + 1))

        means = {
            group: Fraction(sum(m for m, among in masses if among <= group), len(group))
            for group in groups
        }
        group = max(means, key=lambda g: (means[g], len(g)))
        for c in group:
            p[c] = means[group]
        masses = [(m, among - group) for m, among in masses if not among <= group]
        left -= group
    return p


def wheels(counts):
    """The masses of every wheel: all orders of classes, and all places of those without rows."""
    seen = [c for c, n in enumerate(counts) if n > 0]
    unseen = [c for c, n in enumerate(counts) if n == 0]
    own = [(counts[c] - 1, frozenset([c])) for c in seen]
    known = set()
    for order in permutations(seen[1:]):
        ring = [seen[0], *order]
        slices = [{c, ring[(i + 1) % len(ring)]} for i, c in enumerate(ring)]
        for places in product(range(len(ring)), repeat=len(unseen)):
            among = [
                frozenset(s | {c for c, at in zip(unseen, places, strict=True) if at == i})
                for i, s in enumerate(slices)
            ]
            key = tuple(sorted(tuple(sorted(s)) for s in among))
            if key not in known:
                known.add(key)
                yield own + [(1, s) for s in among]


def most_even_wheel(counts):
    """The distribution of largest entropy of all wheels, in slices."""
    return max((most_even_of(w, len(counts)) for w in wheels(counts)), key=entropy_of)


def line(counts):
    """The masses of ordered classes on the real line."""
    K = len(counts)
    seen = [c for c, n in enumerate(counts) if n > 0]
    ends = [0, *seen, K - 1]
    gaps = [(1, frozenset(range(a, b + 1))) for a, b in pairwise(ends)]
    return [(counts[c] - 1, frozenset([c])) for c in seen] + gaps

"""MDL cuts against a plain version of the definition, and laws of any discretization."""

from math import comb, factorial, log2, prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wager.prepare._mdl import (
    MDLRule,
    _best_cut,
    _best_cut_by_tables,
    mdl_cuts,
    mdl_cuts_of_counts,
)


@st.composite
def labelled_numbers(draw):
    """Whole numbers with many ties, and classes that lean on them."""
    n = draw(st.integers(0, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**16)))
    values = random.integers(0, draw(st.integers(1, 25)), size=n).astype(float)
    noise = random.integers(0, 3, size=n)
    y = np.where(random.random(n) < 0.8, (values // 6).astype(int) % 3, noise)
    return values, y


RULES = [MDLRule(d, k) for d in (False, True) for k in (False, True)]


def _entropy(y):
    shares = np.bincount(y)[np.bincount(y) > 0] / len(y)
    return float(-(shares * np.log2(shares)).sum())


def _bits(y, k):
    n, counts = len(y), np.bincount(y)
    return log2(comb(n + k - 1, k - 1)) + log2(
        factorial(n) // prod(map(factorial, counts.tolist()))
    )


def _slow_cuts(values, y, rule):
    """Fayyad & Irani's recursion as the paper writes it, with entropies by their definition."""
    distinct, n = np.unique(values), len(y)
    if len(distinct) < 2:
        return []
    candidates = (distinct[:-1] + distinct[1:]) / 2
    left_over = []
    for cut in candidates:
        sides = y[values <= cut], y[values > cut]
        left_over.append(sum(len(side) / n * _entropy(side) for side in sides))
    best = int(np.argmin(np.round(left_over, 12)))
    gain = _entropy(y) - left_over[best]
    if gain <= 1e-12:
        return []
    left, right = (values <= candidates[best]), (values > candidates[best])
    k, k_left, k_right = (len(np.unique(y[part])) for part in (slice(None), left, right))
    positions = len(candidates) if rule.distinct else n - 1
    if rule.kononenko:
        margin = _bits(y, k) - log2(positions) - _bits(y[left], k) - _bits(y[right], k)
    else:
        delta = log2(3**k - 2) - (
            k * _entropy(y) - k_left * _entropy(y[left]) - k_right * _entropy(y[right])
        )
        margin = gain - (log2(positions) + delta) / n
    if margin <= 0:
        return []
    inner = (_slow_cuts(values[part], y[part], rule) for part in (left, right))
    return [*next(inner), candidates[best], *next(inner)]


@given(labelled_numbers(), st.sampled_from(RULES))
def test_cuts_are_those_of_the_plain_definition(data, rule):
    values, y = data
    assert mdl_cuts(values, y, 3, rule).tolist() == _slow_cuts(values, y, rule)


@given(labelled_numbers(), st.sampled_from(RULES), st.integers(0, 2**16))
def test_order_of_rows_and_missing_values_do_not_matter(data, rule, seed):
    values, y = data
    order = np.random.default_rng(seed).permutation(len(values))
    shuffled = np.insert(values[order], 0, np.nan)
    assert (
        mdl_cuts(shuffled, np.insert(y[order], 0, 1), 3, rule).tolist()
        == mdl_cuts(values, y, 3, rule).tolist()
    )


@given(labelled_numbers())
def test_the_compiled_search_finds_the_cut_of_the_tables_to_the_last_bit(data):
    values, y = (np.concatenate([part, [50, 60]]) for part in data)
    order = np.argsort(values)
    values, y = values[order], y[order] % 3
    whole = np.arange(len(values) + 1.0)
    xlogx = np.where(whole > 0, whole * np.log(np.maximum(whole, 1)), 0.0)
    before = np.bincount(y, minlength=3)
    results = [
        find(values, y, before, xlogx, np.inf) for find in (_best_cut.loop, _best_cut_by_tables)
    ]
    assert results[0] == results[1]


@pytest.mark.parametrize("rule", RULES)
def test_a_pure_or_constant_column_is_not_cut(rule):
    assert mdl_cuts(np.arange(9.0), np.zeros(9, dtype=int), 1, rule).size == 0
    assert mdl_cuts(np.ones(9), np.arange(9) % 2, 2, rule).size == 0
    assert mdl_cuts(np.full(3, np.nan), np.arange(3), 3, rule).size == 0


def test_two_rows_of_two_classes_are_cut():
    """1 bit is gained, and (log2(1) + log2(7) - 2) / 2 = 0.4 bits are paid."""
    assert mdl_cuts(np.array([1.0, 2.0]), np.array([0, 1]), 2, MDLRule()).tolist() == [1.5]


def test_counts_of_two_values_are_cut():
    values, table = np.array([1.0, 2.0]), np.array([[9, 0], [0, 9]])
    assert mdl_cuts_of_counts(values, values, table, MDLRule()).tolist() == [1.5]

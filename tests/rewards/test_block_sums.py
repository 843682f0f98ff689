"""Compiled sums over blocks of rows have the bits of NumPy's, and are right."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.fewer import fewer
from wager.predictions._probabilities import first_largest
from wager.rewards import ProbabilityTally, _block_sums
from wager.rewards._block_sums import bin_of, bin_sums, block_parts, moments_by_class


@st.composite
def blocks(draw):
    n, n_classes = draw(st.integers(1, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    proba = rng.dirichlet(np.full(n_classes, draw(st.sampled_from([0.05, 1.0]))), n)
    if draw(st.booleans()):  # on the edges of bins, with ties
        proba = np.round(proba * 15) / 15
    return np.ascontiguousarray(proba.T), rng.integers(0, n_classes, n)


def by_numpy(function, *arguments):
    """Compute as without Numba."""
    with pytest.MonkeyPatch.context() as context:
        context.setenv("WAGER_COMPILE", "never")
        return function(*arguments)


@pytest.fixture(autouse=True)
def compile_at_once(monkeypatch):
    monkeypatch.setenv("WAGER_COMPILE", "always")


@given(blocks())
@fewer(12)
def test_parts_are_those_of_numpy_and_of_the_definition(block):
    columns, truth = block
    found = block_parts(columns, truth)
    for mine, theirs in zip(found, by_numpy(block_parts, columns, truth), strict=True):
        assert mine.tobytes() == theirs.tobytes()
    for i, k in enumerate(truth):
        p = columns[:, i]
        assert found.true_p[i] == p[k]
        assert found.others[i] == pytest.approx(np.prod(np.delete(1 - p, k)), rel=1e-12)
        assert (found.largest[i], found.is_right[i]) == (p.max(), p.argmax() == k)


@given(blocks())
def test_moments_are_those_of_numpy_and_of_the_definition(block):
    columns, truth = block
    with np.errstate(divide="ignore"):
        values = np.log(columns[0])
    sums, infinite = moments_by_class(values, truth, len(columns))
    plain, lost = by_numpy(moments_by_class, values, truth, len(columns))
    assert sums.tobytes() == plain.tobytes()
    assert infinite.tolist() == lost.tolist()
    for k in range(len(columns)):
        mine = values[truth == k]
        finite = mine[np.isfinite(mine)]
        assert infinite[k] == len(mine) - len(finite)
        np.testing.assert_allclose(sums[:, k], [(finite**p).sum() for p in range(4)], rtol=1e-12)


@given(blocks(), st.integers(1, 20))
@fewer(12)
def test_bins_are_those_of_numpy_and_of_the_definition(block, n_bins):
    columns, truth = block
    sums = bin_sums(columns, truth, n_bins)
    assert sums.tobytes() == by_numpy(bin_sums, columns, truth, n_bins).tobytes()
    edges = np.linspace(0, 1, n_bins + 1)
    for k, p in enumerate(columns):
        place = np.searchsorted(edges[1:-1], p)
        assert bin_of(p, n_bins).tolist() == place.tolist()
        for b in range(n_bins):
            x, event = p[place == b], truth[place == b] == k
            expected = [len(x), x.sum(), (x * x).sum(), event.sum(), x[event].sum()]
            np.testing.assert_allclose(sums[k, b], expected, rtol=1e-12, atol=1e-15)


@given(blocks())
def test_the_first_largest_is_that_of_argmax(block):
    values = block[0].T
    expected = values.argmax(axis=1).tolist()
    assert first_largest(values).tolist() == expected
    assert by_numpy(first_largest, values).tolist() == expected


def test_a_tally_has_the_same_bits_with_and_without_numba():
    rng = np.random.default_rng(3)
    truth, proba = rng.integers(0, 4, 5000), rng.dirichlet(np.full(4, 0.3), 5000)
    rows = _rows(truth, proba)
    compiled = ProbabilityTally.of_rows(rows)
    assert compiled == by_numpy(ProbabilityTally.of_rows, rows)
    assert compiled.n_rows == 5000


def _rows(truth, proba):
    from wager._tables import RowUnits
    from wager.rewards._probability_rows import ProbabilityRows

    return ProbabilityRows(truth, proba, np.arange(4), RowUnits())


@pytest.mark.parametrize("n_bins", [1, 2, 5, 10, 15])
def test_the_loop_puts_numbers_at_the_edges_into_the_lower_bin(n_bins):
    """Of the bins (a, b] only the first one contains its lower end; the loop runs as it is."""
    edges = np.linspace(0, 1, n_bins + 1)
    p = np.concatenate([edges, (edges[:-1] + edges[1:]) / 2])
    sums = np.zeros((1, n_bins, 5))
    _block_sums._add_to_bins.loop(
        p[None], np.zeros(len(p), dtype=int), _block_sums._edges(n_bins), sums
    )
    for b in range(n_bins):
        inside = p[(p > edges[b]) & (p <= edges[b + 1]) | ((b == 0) & (p == 0))]
        expected = [len(inside), inside.sum(), (inside**2).sum(), len(inside), inside.sum()]
        np.testing.assert_allclose(sums[0, b], expected, rtol=1e-12)

"""Intervals of many means at once are those of each mean by itself."""

import numpy as np
from hypothesis import given, strategies as st

from wager.rewards._mean_estimate import MeanEstimate
from wager.rewards._mean_estimate_intervals import mean_estimate_intervals

numbers = st.sampled_from([0.0, 0.2, 0.5, 1.0, -np.inf, np.nan]) | st.floats(0, 1)
means = st.tuples(
    numbers,
    st.sampled_from([0.0, np.nan]) | st.floats(1e-6, 0.4),
    st.sampled_from([0.0, 1.0, 2.0]) | st.floats(1, 300),
    st.sampled_from([0.0, 1e-12]) | st.floats(-3, 3),
)


@given(
    st.lists(means, min_size=1, max_size=8),
    st.sampled_from([(0.0, 1.0), (-np.inf, 1.0), (0.0, np.inf), (-np.inf, np.inf)]),
    st.sampled_from([0.5, 0.95, 0.999]),
    st.booleans(),
    st.booleans(),
)
def test_many_intervals_are_those_of_single_means(rows, limits, level, is_proportion, clustered):
    columns = np.array(rows, dtype=np.float64).T
    found = mean_estimate_intervals(
        *columns, limits, level, is_proportion=is_proportion, clustered=clustered
    )
    for i, (value, error, n, skewness) in enumerate(rows):
        one = MeanEstimate(
            value, error, n, *limits, is_proportion, skewness=skewness, clustered=clustered
        )
        ends = [end[i] for end in found]
        np.testing.assert_allclose(ends, one.interval(level), rtol=1e-12, atol=1e-15)

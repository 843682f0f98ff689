"""Artificial data: the structure that was asked for, and samples that obey their own truth."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from wager.experiments.generators import (
    BayesianNetwork,
    random_aode,
    random_binary_naive_bayes,
    random_naive_bayes,
    random_network,
    random_tan,
)

MODELS = [
    random_binary_naive_bayes,
    random_naive_bayes,
    random_tan,
    random_aode,
    random_network,
]


@pytest.mark.parametrize("make", MODELS)
@given(seed=st.integers(0, 2**16))
@settings(max_examples=15)
def test_the_same_seed_gives_the_same_model_and_rows(make, seed):
    one, other = make(seed), make(seed)
    X, y = one.sample(20, seed)
    again = other.sample(20, seed)
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])
    assert (one.n_values > X).all()
    assert (X >= 0).all()
    assert y.max() < one.n_classes
    proba = one.class_probabilities(X)
    assert proba.shape == (20, one.n_classes)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


@pytest.mark.parametrize("make", MODELS)
def test_classes_fall_as_often_as_their_probabilities_say(make):
    """The scores y_c - P(c | x) have mean 0, here to 4.5 standard errors."""
    for seed in range(3):
        model = make(seed)
        X, y = model.sample(20_000, seed + 50)
        proba = model.class_probabilities(X)
        error = np.eye(model.n_classes)[y] - proba
        half = X[:, 0] == X[0, 0]
        for rows in (slice(None), half):
            spread = np.sqrt((proba[rows] * (1 - proba[rows])).sum(axis=0)) + 1e-9
            assert (np.abs(error[rows].sum(axis=0)) <= 4.5 * spread).all()


def test_values_fall_as_often_as_the_tables_say():
    model = random_tan(5)
    X, y = model.sample(50_000, 0)
    feature = next(v for v, above in enumerate(model.parents) if len(above) == 1)
    for c in range(model.n_classes):
        rows = y == c
        shares = np.bincount(X[rows, feature - 1], minlength=model.n_values[feature - 1])
        expected = model.tables[feature][c]
        error = 4.5 * np.sqrt(expected / max(rows.sum(), 1)) + 1e-3
        assert (np.abs(shares / rows.sum() - expected) <= error).all()


def test_the_binary_model_is_that_of_the_paper():
    """Zaffalon, Corani & Mauá (2012), Section 9.1.1."""
    model = random_binary_naive_bayes(3)
    assert (len(model.n_values), set(model.n_values.tolist()), model.n_classes) == (10, {2}, 2)
    assert model.tables[0].tolist() == [0.5, 0.5]
    assert all(abs(table[0] - table[1]).max() >= 0.1 for table in model.tables[1:])


@pytest.mark.parametrize("make", [random_naive_bayes, random_tan, random_aode])
def test_models_have_four_to_eight_variables_of_two_to_five_values(make):
    """Hope & Korb (2004), Section 5.1; the class is one of the variables."""
    seen = [make(seed) for seed in range(40)]
    assert {len(model.n_values) + 1 for model in seen} == {4, 5, 6, 7, 8}
    sizes = {int(v) for model in seen for v in [*model.n_values, model.n_classes]}
    assert sizes == {2, 3, 4, 5}


def test_each_part_of_the_hybrid_has_its_own_super_parent():
    model = random_aode(1)
    for parent, part in enumerate(model.parts, start=1):
        for feature in range(1, len(part.parents)):
            expected = (0,) if feature == parent else (0, parent)
            assert part.parents[feature] == expected


@given(st.integers(0, 2**16), st.integers(1, 12), st.integers(0, 4))
def test_networks_are_acyclic_and_bounded(seed, n_variables, max_parents):
    model = random_network(seed, n_variables=n_variables, max_parents=max_parents)
    assert sorted(model.order()) == list(range(n_variables))
    assert max(map(len, model.parents)) <= max_parents
    assert {child for _, child in model.edges} == {v for v, p in enumerate(model.parents) if p}


def test_a_circle_and_nonsense_are_refused():
    table = np.full((2, 2), 0.5)
    with pytest.raises(ValueError, match="form a cycle"):
        BayesianNetwork(((1,), (0,)), (table, table), 0).sample(1)
    with pytest.raises(ValueError, match="difference must lie"):
        random_binary_naive_bayes(difference=1)
    with pytest.raises(ValueError, match="smallest, largest"):
        random_tan(n_variables=(5, 4))
    with pytest.raises(ValueError, match="concentration positive"):
        random_network(concentration=0)


@pytest.mark.parametrize("sizes", [(4, 5, 6), (4,), 4])
def test_a_range_has_two_ends(sizes):
    with pytest.raises(ValueError, match=r"n_values must be \(smallest, largest\), got"):
        random_tan(n_values=sizes)

"""The example of Sondhauss & Weihs (2001), rerun: its shape, and what the paper says of it."""

import runpy

import numpy as np
import pytest

from tests.shared import PROJECT
from wager.partitions import precision, separability, standardize

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(PROJECT / "examples" / "sondhauss_weihs_2001.py"))


@pytest.fixture(scope="module")
def example(script):
    return script["run"]()


def test_three_rules_speak_of_27_test_objects_of_three_classes(example):
    assert list(example.partitions) == ["True-Bayes", "Bayes-QDA", "NN"]
    assert np.unique(example.truth, return_counts=True)[1].tolist() == [9, 9, 9]
    for partition in example.partitions.values():
        assert partition.scaled.shape == (27, 3)
        assert 1 / 3 < partition.correctness <= 1


def test_the_true_probabilities_are_those_of_chi_square_densities(script, example):
    """With 2, 8 and 16 degrees of freedom the densities are x^(v/2-1) exp(-x/2) / norm."""
    x = np.array([[1.0], [6.0], [20.0]])
    density = np.exp(-x / 2) * np.column_stack([x**0 / 2, x**3 / 96, x**7 / (256 * 5040)])
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(script["true_probabilities"](x), expected)


def test_the_rule_that_knows_is_precise_and_as_separating_as_the_problem_allows(example):
    knowing = example.partitions["True-Bayes"]
    assert precision(example.true_proba, knowing.memberships) == 1
    bound = separability(example.true_proba)
    assert knowing.measures_before.separation == pytest.approx(bound)
    for rule in ("Bayes-QDA", "NN"):
        assert precision(example.true_proba, example.partitions[rule].memberships) < 1


def test_in_the_long_run_no_rule_separates_better_than_the_problem_allows(script):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 4000)
    X = rng.chisquare(script["DEGREES"][codes])[:, None]
    proba = script["true_probabilities"](X)
    bound = separability(proba)
    spoilt = 0.5 * proba + 0.5 * rng.dirichlet(np.ones(3), len(proba))
    for memberships in (proba, proba**3 / (proba**3).sum(axis=1, keepdims=True), spoilt):
        assert standardize(codes, memberships).separation < bound + 0.01
    assert standardize(codes, spoilt).separation < bound - 0.05


def test_as_in_the_paper_the_network_is_slightly_better_than_quadratic_discrimination(example):
    qda, network = example.partitions["Bayes-QDA"], example.partitions["NN"]
    assert network.accuracy > qda.accuracy
    assert network.separation > qda.separation


def test_the_three_figures_are_drawn(script, example, tmp_path):
    paths = script["draw"](example, tmp_path)
    assert [path.name for path in paths] == ["figure1.png", "figure2.png", "figure3.png"]
    for path in paths:
        assert path.read_bytes()[:4] == b"\x89PNG"

"""Measures of sets and p-values as TorchCP computes them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.peers.installed import bare, peer
from wager import metrics
from wager.rewards._worst_slice import _search

torch = peer("torch")
bare("torchcp.utils.registry")
theirs = bare("torchcp.classification.utils.metrics")
pytestmark = pytest.mark.filterwarnings("ignore")
SEEDS = range(10)
ALPHA = 0.13
SINGLE = torch.float32


@pytest.fixture(autouse=True)
def double_precision(monkeypatch):
    """TorchCP takes means in single precision: here its tensors have double precision."""
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
    monkeypatch.setattr(torch, "float32", torch.float64)
    monkeypatch.setattr(torch, "float", torch.float64)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(SINGLE)


def example(seed, n=400, K=7):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(K, size=n - K)])
    sets = (rng.random((n, K)) < 0.3) | (np.eye(K)[y] * rng.random((n, 1)) > 0.4)
    return rng, y, sets, torch.tensor(y), torch.tensor(sets)


def agree(ours, peers):
    assert ours == pytest.approx(float(peers), abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_coverage_and_size(seed):
    _, y, sets, labels, tensor = example(seed)
    agree(metrics.coverage(y, sets), theirs.coverage_rate(tensor, labels))
    macro = theirs.coverage_rate(tensor, labels, coverage_type="macro", num_classes=7)
    agree(metrics.class_coverage(y, sets).mean(), macro)
    agree(metrics.mean_set_size(sets), theirs.average_size(tensor, labels))
    agree(metrics.singleton_hit_ratio(y, sets), theirs.singleton_hit_ratio(tensor, labels))


@pytest.mark.parametrize("seed", SEEDS)
def test_violations(seed):
    rng, y, sets, labels, tensor = example(seed)
    agree(100 * metrics.coverage_gap(y, sets, ALPHA), theirs.CovGap(tensor, labels, ALPHA, 7))
    share = theirs.VioClasses(tensor, labels, ALPHA, 7) / 7
    agree(metrics.violated_classes(y, sets, ALPHA), share)
    strata = [[0, 1], [2, 3], [4, 10]]
    ours = metrics.size_stratified_violation(y, sets, ALPHA, strata=strata)
    agree(ours, theirs.SSCV(tensor, labels, ALPHA, strata))
    scores = rng.normal(size=sets.shape)
    found, _ = theirs.DiffViolation(torch.tensor(scores), tensor, labels, ALPHA)
    agree(metrics.difficulty_violation(y, sets, scores, ALPHA), found)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_worst_slice(seed):
    # TorchCP's slices have one row more than delta says; and WSC of 1.2.1 hands coverage and
    # labels to calWSC in the wrong order, so its parts are called here one by one
    from sklearn.model_selection import train_test_split

    rng, y, sets, _, _ = example(seed, n=200)
    X, hit = rng.normal(size=(200, 3)), sets[np.arange(200), y]
    train, test = train_test_split(np.arange(200), test_size=0.75, random_state=seed)
    found, v, low, high = theirs.calWSC(
        X[train], y[train], hit[train], delta=0.2, M=25, random_state=seed, verbose=False
    )
    share = (round(0.2 * 50) + 1) / 50
    ours = metrics.worst_slice(y, sets, X, share=share, n_directions=25, random_state=seed)
    agree(ours.found, found)
    np.testing.assert_allclose([*ours.direction, ours.low, ours.high], [*v, low, high], atol=1e-9)
    agree(ours.coverage.value, theirs.wsc_vab(X[test], y[test], hit[test], v, low, high))
    assert _search(X[train], hit[train], share, np.array([v]))[0] == pytest.approx(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_ten_criteria_of_efficiency(seed):
    rng = np.random.default_rng(seed)
    calibration, scores = rng.normal(size=100).round(1), rng.normal(size=(150, 4)).round(1)
    y = rng.integers(4, size=150)
    given = torch.tensor(calibration), torch.tensor(scores)
    p_values = theirs.compute_p_values(*given).numpy()
    found = metrics.pvalue_efficiency(y, p_values, ALPHA, classes=range(4))
    for letter in found.estimates:
        options = {"alpha": ALPHA} if letter[-1] in "NME" else {}
        if letter.startswith("O"):
            options["test_labels"] = torch.tensor(y)
        agree(found[letter], getattr(theirs, f"pvalue_criterion_{letter}")(*given, **options))

"""New objects under a learnt scaling: assigned before it, measured after it, rates shrunken."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import sem

from tests.partitions.strategies import partitions
from tests.partitions.test_estimates import MEASURES, overlapping
from wager.partitions import correctness_rate, partition_accuracy, separation, standardize

RNG = np.random.default_rng


def fitted_and_new(seed=0, n_fit=60, n_new=80, **options):
    rng = RNG(seed)
    fitted = standardize(*overlapping(rng, n_fit), classes=[0, 1, 2], **options)
    return fitted, *overlapping(rng, n_new)


# The measures ----------------------------------------------------------------------------------


@given(partitions(), st.data())
def test_the_objects_of_the_fit_are_measured_alike(data, draw):
    truth, memberships = data
    depth = draw.draw(st.integers(1, memberships.shape[1] - 1))
    fitted = standardize(truth, memberships, classes=range(memberships.shape[1]), depth=depth)
    again = fitted.transform(memberships, truth)
    np.testing.assert_allclose(again.scaled, fitted.scaled, atol=1e-12)
    for name in MEASURES:
        assert getattr(again, name) == pytest.approx(getattr(fitted, name), abs=1e-12)
    pairs = zip(again.regions, fitted.regions, strict=True)
    assert all(new.rate == pytest.approx(old.correctness) for new, old in pairs)
    assert [new.orders for new in again.regions] == [old.orders for old in fitted.regions]


def test_new_objects_are_assigned_by_their_memberships_before_scaling():
    # one of four assignments to class 0 is right, so scaling puts class 1 first
    fitted = standardize([0, 1, 1, 1, 1], [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4], [0, 1]])
    new, truth = np.array([[0.75, 0.25], [0.65, 0.35]]), [0, 0]
    scaled = np.asarray(fitted.transform(new))
    assert (scaled.argmax(axis=1) == 1).all()
    measured = fitted.transform(new, truth)
    assert measured.assigned.tolist() == [0, 0]
    assert measured.correctness == 1
    away = np.sqrt(((scaled - [1, 0]) ** 2).sum(axis=1)) / np.sqrt(0.5)
    assert measured.separation == pytest.approx(1 - away.mean())
    assert measured.accuracy == measured.separation  # both are the corner of class 0
    assert measured.confidence == pytest.approx(scaled[:, 0].mean())


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda y, m: separation(y, m, scale=False), "separation"),
        (lambda y, m: separation(y, m), "measures"),
        (lambda y, m: partition_accuracy(y, m), "measures"),
        (correctness_rate, "correctness"),
        (standardize, "measures"),
    ],
)
@pytest.mark.parametrize("of", ["transform", "scaled", "slice", "pickle"])
def test_scaled_memberships_do_not_say_which_class_is_assigned(call, name, of):
    fitted, truth, new = fitted_and_new()
    scaled = {
        "transform": fitted.transform(new),
        "scaled": fitted.scaled,
        "slice": fitted.transform(new)[:10],
        "pickle": pickle.loads(pickle.dumps(fitted.transform(new))),
    }[of]
    words = rf"already scaled, .*\.transform\(memberships, y_true\)\.{name}, which assigns by the"
    with pytest.raises(ValueError, match=words):
        call(truth[: len(scaled)], scaled)


def test_the_accuracy_of_scaled_memberships_needs_no_assignment():
    fitted, truth, new = fitted_and_new()
    found = partition_accuracy(truth, fitted.transform(new), scale=False)
    assert found == pytest.approx(fitted.transform(new, truth).accuracy, abs=1e-12)


def test_scaled_memberships_are_otherwise_an_array():
    fitted, _, new = fitted_and_new()
    scaled = fitted.transform(new)
    assert repr(scaled[:1]).startswith("array([[")
    assert type(scaled * 2) is np.ndarray
    assert isinstance(scaled.sum(), float)
    np.testing.assert_allclose(scaled.sum(axis=1), 1)


# Standard errors, given the scaling ---------------------------------------------------------------


@pytest.mark.parametrize("rate", ["observed", "jeffreys"])
def test_standard_errors_are_those_of_means(rate):
    fitted, truth, new = fitted_and_new()
    measured = fitted.transform(new, truth, rate=rate)
    scaled, rows = np.asarray(measured.scaled), np.arange(len(truth))
    radius = np.sqrt(2 / 3)

    def closeness(corner):
        return 1 - np.sqrt(((scaled - np.eye(3)[corner]) ** 2).sum(axis=1)) / radius

    terms = {
        "accuracy": closeness(truth),
        "separation": closeness(measured.assigned),
        "correctness": truth == measured.assigned,
        "confidence": scaled[rows, measured.assigned],
    }
    for name in MEASURES:
        estimate = measured.estimates[name]
        assert estimate.value == pytest.approx(terms[name].mean(), abs=1e-12)
        assert estimate.standard_error == pytest.approx(sem(terms[name]), rel=1e-9)
        assert estimate.bias == 0


def test_intervals_cover_the_measures_under_the_learnt_scaling():
    rng = RNG(5)
    fitted = standardize(*overlapping(rng, 60), classes=[0, 1, 2])
    population = fitted.transform(*overlapping(rng, 200_000)[::-1])
    draws = [fitted.transform(*overlapping(rng, 100)[::-1]).estimates for _ in range(150)]
    for name in MEASURES:
        target = getattr(population, name)
        ends = [draw[name].interval() for draw in draws]
        covered = np.mean([low <= target <= high for low, high in ends])
        assert covered > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 150), name


def test_counts_weights_and_groups_of_new_objects():
    fitted, truth, new = fitted_and_new(n_new=30)
    counts = RNG(1).integers(1, 4, 30)
    listed = fitted.transform(np.repeat(new, counts, axis=0), np.repeat(truth, counts))
    counted = fitted.transform(new, truth, counts=counts)
    alone = fitted.transform(new, truth)
    clusters = fitted.transform(np.tile(new, (2, 1)), np.tile(truth, 2), groups=[*range(30)] * 2)
    heavy = fitted.transform(new, truth, sample_weight=np.full(30, 7.0))
    assert counted.n_rows == counts.sum()
    for name in MEASURES:
        for one, other in ((listed, counted), (alone, heavy)):
            assert one.estimates[name].value == pytest.approx(other.estimates[name].value)
            errors = [part.estimates[name].standard_error for part in (one, other)]
            assert errors[0] == pytest.approx(errors[1])
        assert clusters.estimates[name].standard_error == pytest.approx(
            alone.estimates[name].standard_error
        )


# Shrunken rates --------------------------------------------------------------------------------


@given(partitions(), st.integers(0, 100))
def test_shrunken_rates_are_posterior_means_under_jeffreys_prior(data, seed):
    truth, memberships = data
    n_classes = memberships.shape[1]
    fitted = standardize(truth, memberships, classes=range(n_classes))
    new = RNG(seed).dirichlet(np.ones(n_classes), 25)
    measured = fitted.transform(new, np.zeros(25, dtype=int), rate="jeffreys")
    by_order = {region.orders: region for region in fitted.regions}
    for region in measured.regions:
        if region.orders:
            of_fit = by_order[region.orders]
            hits = round(of_fit.correctness * of_fit.n)
            assert region.rate == pytest.approx((hits + 0.5) / (of_fit.n + 1))
    scaled = np.asarray(measured.scaled)
    assert (scaled >= 0).all()
    np.testing.assert_allclose(scaled.sum(axis=1), 1)


def test_a_region_without_errors_does_not_make_weak_objects_certain():
    fitted = standardize(
        [0] * 6 + [1], [[0.7 + 0.04 * k, 0.3 - 0.04 * k] for k in range(6)] + [[0, 1]]
    )
    weak = [[0.55, 0.45]]
    assert fitted.transform(weak)[0, 0] == 1
    assert fitted.transform(weak, rate="jeffreys")[0, 0] < (6 + 0.5) / (6 + 1)


def test_one_object_is_no_reason_for_certainty():
    fitted = standardize([0, 1], [[0.55, 0.45], [0.2, 0.8]])
    shares = [0.51, 0.55, 0.7, 0.9]
    scaled = fitted.transform([[x, 1 - x] for x in shares], rate="jeffreys")[:, 0]
    # shifted by 0.2 to the rate 3/4, but not beyond the larger of the rate and the value itself
    np.testing.assert_allclose(scaled, [0.71, 0.75, 0.75, 0.9])


def test_shrunken_rates_predict_the_correctness_of_new_objects_better():
    """The promise of regions without errors in a small fit, and the Brier score of all of them."""
    rng, promises, rights, brier = RNG(11), [], [], []
    for _ in range(150):
        fitted = standardize(*overlapping(rng, 25, distance=2.0), classes=[0, 1, 2])
        truth, new = overlapping(rng, 100, distance=2.0)
        plain, shrunken = (
            fitted.transform(new, truth, rate=rate) for rate in ("observed", "jeffreys")
        )
        for one, other in zip(plain.regions, shrunken.regions, strict=True):
            if one.rate == 1:
                promises.append((1.0, other.rate))
                rights.append(one.correctness)
        rows, right = np.arange(100), plain.assigned == truth
        own = [np.asarray(part.scaled)[rows, part.assigned] for part in (plain, shrunken)]
        brier.append([((x - right) ** 2).mean() for x in own])
    certain, shrunk = np.mean(promises, axis=0)
    assert np.mean(rights) < shrunk < certain  # both promise too much, but one of them less
    gain = np.array(brier) @ [1, -1]
    assert gain.mean() > 2 * sem(gain)


def test_with_many_objects_shrinking_changes_little():
    fitted, truth, new = fitted_and_new(n_fit=30_000)
    plain, shrunken = (fitted.transform(new, truth, rate=r) for r in ("observed", "jeffreys"))
    np.testing.assert_allclose(plain.scaled, shrunken.scaled, atol=1e-3)


# What it is --------------------------------------------------------------------------------------


def test_an_order_never_seen_is_listed_apart():
    fitted = standardize([0, 1, 0], [[0.6, 0.3, 0.1], [0.7, 0.2, 0.1], [0.9, 0.1, 0.0]], depth=2)
    measured = fitted.transform([[0.1, 0.3, 0.6], [0.8, 0.15, 0.05]], [2, 0], rate="jeffreys")
    known, unknown = measured.regions
    assert known.orders == ((0, 1),)
    assert unknown.orders == ()
    assert np.isnan(unknown.rate)
    assert (unknown.correctness, unknown.confidence) == (1, 0.6)
    assert "order not seen in the fit" in repr(measured)


def test_the_table_the_frame_and_the_dictionary_agree():
    labels = np.array(["high", "low", "none"])
    fitted, truth, new = fitted_and_new()
    named = standardize(labels[fitted.truth], fitted.memberships, classes=labels)
    measured = named.transform(new, labels[truth])
    plain, frame = measured.to_dict(), measured.to_frame()
    json.dumps(plain)
    assert plain["accuracy"] == measured.accuracy
    assert plain["rate"] == "observed"
    assert plain["before_scaling"]["accuracy"] == measured.measures_before.accuracy
    assert frame["region"].tolist() == labels.tolist()
    assert frame["n"].sum() == 80
    shown = repr(measured)
    assert "80 new objects, 3 classes, scaled as learnt at depth 1" in shown
    assert f"{measured.separation:.4f}" in shown
    assert "take the learnt scaling as given" in shown
    assert "shrunken rates" in repr(named.transform(new, labels[truth], rate="jeffreys"))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f, m: f.transform(m, rate="laplace"), "rate must be 'observed' or 'jeffreys', got"),
        (lambda f, m: f.transform(m, counts=[1] * len(m)), "need y_true: pass the true labels"),
        (lambda f, m: f.transform(m, [0]), "y_true has 1 label but memberships has 80 rows"),
        (lambda f, m: f.transform(m[:1], [7]), "7"),
        (lambda f, m: f.transform(f.transform(m)), "already scaled"),
    ],
)
def test_wrong_arguments(call, words):
    fitted, _, new = fitted_and_new()
    with pytest.raises(ValueError, match=words):
        call(fitted, new)


def test_rows_of_weight_0_are_no_objects():
    fitted, truth, new = fitted_and_new(n_new=30)
    weights = np.arange(30) % 3.0
    units = {"sample_weight": weights, "counts": np.full(30, 2)}
    for found in (standardize(truth, new, **units), fitted.transform(new, truth, **units)):
        assert found.n_rows == 40
        assert found.to_dict()["rows"] == 40

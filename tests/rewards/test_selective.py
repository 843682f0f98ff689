"""Selective classification: areas, points of the curve, abstention, and their uncertainty."""

import json
from itertools import permutations
from math import log

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from sklearn.metrics import roc_auc_score

from wager import evaluate_selective, evaluate_sets
from wager.costs import CostMatrix
from wager.rewards import SelectiveEvaluation, Tabulated, get_utility


@st.composite
def ranked(draw, max_rows=12, levels=5, errors=False):
    """Confidences with ties, and losses: errors, or any numbers."""
    n = draw(st.integers(1, max_rows))
    confidence = draw(st.lists(st.integers(0, levels), min_size=n, max_size=n))
    kind = st.integers(-3, 9) if not errors and draw(st.booleans()) else st.sampled_from([0, 1])
    loss = draw(st.lists(kind, min_size=n, max_size=n))
    return np.array(confidence, dtype=float), np.array(loss, dtype=float)


def evaluated(confidence, loss, **units) -> SelectiveEvaluation:
    n = len(loss)
    return evaluate_selective(np.zeros(n), np.zeros(n), confidence, loss=loss, **units)


def orders(confidence):
    """Every order of the rows in which confidence does not rise."""
    n = range(len(confidence))
    return [p for p in permutations(n) if all(np.diff(confidence[list(p)]) <= 0)]


def step_areas(loss, pieces=2000):
    """Areas below the two curves of rows that are accepted in this order, by brute force."""
    at = (np.arange(pieces * len(loss)) + 0.5) / pieces  # rows accepted, also parts of rows
    gained = np.interp(at, np.arange(len(loss) + 1), np.append(0.0, np.cumsum(loss)))
    return (gained / at).mean(), gained.mean() / len(loss)


# -- values ------------------------------------------------------------------------------------


@given(ranked(max_rows=5, levels=2))
def test_areas_are_means_over_the_orders_of_tied_rows(rows):
    confidence, loss = rows
    expected = np.mean([step_areas(loss[list(p)], 400) for p in orders(confidence)], axis=0)
    found = evaluated(confidence, loss)
    scale = max(1.0, np.abs(loss).max())
    # the midpoint rule is exact but for the curve -ln u within a row
    assert found["aurc"] == pytest.approx(expected[0], abs=2e-3 * scale)
    assert found["augrc"] == pytest.approx(expected[1], abs=1e-9 * scale)


@given(ranked(max_rows=6, levels=3))
def test_the_sum_over_rows_is_the_mean_over_orders_of_geifmans_sum(rows):
    confidence, loss = rows
    sums = [
        np.mean(np.cumsum(loss[list(p)]) / np.arange(1, len(loss) + 1)) for p in orders(confidence)
    ]
    assert evaluated(confidence, loss).mean_risk_over_rows == pytest.approx(np.mean(sums))


@given(ranked())
def test_every_threshold_has_the_risk_of_the_rows_above_it(rows):
    confidence, loss = rows
    found = evaluated(confidence, loss)
    for threshold, coverage, selective, generalized in found.to_frame().itertuples(index=False):
        kept = confidence >= threshold
        assert coverage == pytest.approx(kept.mean())
        assert selective == pytest.approx(loss[kept].mean(), abs=1e-12)
        assert generalized == pytest.approx(loss[kept].sum() / len(loss), abs=1e-12)
        assert found.risk_at_coverage(coverage).value == pytest.approx(selective, abs=1e-12)


@given(ranked(), st.floats(-4, 10))
def test_coverage_at_risk_is_that_of_the_best_threshold_by_brute_force(rows, risk):
    confidence, loss = rows
    kept = [confidence >= t for t in np.unique(confidence)]
    risks = np.array([loss[k].mean() for k in kept])
    assume(np.abs(risks - risk).min() > 1e-6)
    allowed = [k.mean() for k, r in zip(kept, risks, strict=True) if r <= risk]
    found = evaluated(confidence, loss).coverage_at_risk(risk)
    assert found.value == pytest.approx(max(allowed, default=0.0))
    if allowed:
        assert (confidence >= found.threshold).mean() == pytest.approx(found.value)
    else:
        assert found.threshold == np.inf


@given(ranked(), st.floats(-4, 10))
def test_the_best_threshold_with_a_cost_of_abstention_by_brute_force(rows, cost):
    confidence, loss = rows
    losses = [
        np.where(confidence >= t, loss, cost).mean() for t in [*np.unique(confidence), np.inf]
    ]
    found = evaluated(confidence, loss).abstain(cost)
    assert found.loss.value == pytest.approx(min(losses), abs=1e-9)
    paid = np.where(confidence >= found.threshold, loss, cost)
    assert paid.mean() == pytest.approx(found.loss.value, abs=1e-9)
    assert (confidence >= found.threshold).mean() == pytest.approx(found.coverage)
    assert found.answering == pytest.approx(loss.mean(), abs=1e-12)


def test_known_numbers():
    # four right answers and an error, which is the least confident one or the most confident one
    best = evaluated([5, 4, 3, 2, 1], [0, 0, 0, 0, 1])
    assert best["aurc"] == pytest.approx(0.2 + 0.8 * log(0.8))
    assert best["e_aurc"] == 0
    assert best["augrc"] == pytest.approx(0.2**2 / 2)
    worst = evaluated([1, 2, 3, 4, 5], [0, 0, 0, 0, 1])
    assert worst["aurc"] == pytest.approx(0.2 - 0.2 * log(0.2))
    assert worst["augrc"] == pytest.approx(0.2 - 0.2**2 / 2)
    assert worst.mean_risk_over_rows == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5)


# -- laws --------------------------------------------------------------------------------------


@given(ranked())
def test_row_order_does_not_matter_to_the_last_bit(rows):
    confidence, loss = rows
    one = evaluated(confidence, loss)
    shuffled = np.random.default_rng(len(loss)).permutation(len(loss))
    other = evaluated(confidence[shuffled], loss[shuffled])
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())  # NaN equals NaN
    for name, found in one.estimates.items():
        np.testing.assert_array_equal(found.interval(), other.estimates[name].interval())


@given(ranked())
def test_an_increasing_function_of_the_confidence_changes_nothing(rows):
    confidence, loss = rows
    one, other = evaluated(confidence, loss), evaluated(np.exp(confidence) - 7, loss)
    assert one.values == other.values
    errors = [[e.standard_error for e in found.estimates.values()] for found in (one, other)]
    np.testing.assert_array_equal(*errors)


@given(ranked(errors=True))
def test_a_perfect_ranking_of_errors_has_the_closed_forms(rows):
    _, loss = rows
    found, rate = evaluated(-loss, loss), loss.mean()
    assert found["augrc"] == pytest.approx(rate**2 / 2)
    expected = rate + (1 - rate) * log(1 - rate) if rate < 1 else 1.0
    assert found["aurc"] == pytest.approx(expected)
    assert found["e_aurc"] == pytest.approx(0, abs=1e-15)


@given(ranked())
def test_no_ranking_has_a_negative_excess(rows):
    found = evaluated(*rows)
    assert found["e_aurc"] >= 0
    best = evaluated(-rows[1], rows[1])
    assert found["aurc"] - best["aurc"] == pytest.approx(found["e_aurc"], abs=1e-12)
    assert found["augrc"] >= best["augrc"] - 1e-12


@given(ranked())
def test_a_constant_confidence_has_the_risk_as_its_area(rows):
    _, loss = rows
    found = evaluated(np.zeros(len(loss)), loss)
    assert found["aurc"] == pytest.approx(loss.mean(), abs=1e-12)
    assert found["augrc"] == pytest.approx(loss.mean() / 2, abs=1e-12)


@given(ranked(max_rows=6, errors=True))
def test_a_random_confidence_has_the_risk_as_its_area_in_expectation(rows):
    _, loss = rows
    areas = [evaluated(-np.array(p), loss)["aurc"] for p in permutations(range(len(loss)))]
    assert np.mean(areas) == pytest.approx(loss.mean())


@given(ranked(errors=True))
def test_augrc_follows_from_the_auroc_of_right_answers(rows):
    confidence, loss = rows
    assume(0 < loss.mean() < 1)
    rate, auroc = loss.mean(), roc_auc_score(1 - loss, confidence)
    expected = (1 - auroc) * rate * (1 - rate) + rate**2 / 2  # Traub et al. (2024)
    assert evaluated(confidence, loss)["augrc"] == pytest.approx(expected)


# -- weights, counts, clusters -----------------------------------------------------------------


@given(ranked(), st.data())
def test_counts_are_repeated_rows(rows, data):
    confidence, loss = rows
    counts = data.draw(st.lists(st.integers(0, 3), min_size=len(loss), max_size=len(loss)))
    assume(any(counts))
    one = evaluated(confidence, loss, counts=counts)
    other = evaluated(np.repeat(confidence, counts), np.repeat(loss, counts))
    assert one.values == pytest.approx(other.values, abs=1e-12)
    assert one.mean_risk_over_rows == pytest.approx(other.mean_risk_over_rows, abs=1e-12)
    for name, found in one.estimates.items():
        theirs = other.estimates[name]
        assert found.n == pytest.approx(theirs.n)
        assert found.standard_error == pytest.approx(theirs.standard_error, nan_ok=True, abs=1e-9)
    at = other.risk_at_coverage(0.5)
    assert one.risk_at_coverage(0.5).value == pytest.approx(at.value, abs=1e-12)


@given(ranked(), st.data())
def test_weights_give_the_values_of_repeated_rows_and_any_unit(rows, data):
    confidence, loss = rows
    weights = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(loss), max_size=len(loss)))
    )
    assume(weights.any())
    one = evaluated(confidence, loss, sample_weight=weights)
    assert one.values == pytest.approx(
        evaluated(np.repeat(confidence, weights), np.repeat(loss, weights)).values, abs=1e-12
    )
    scaled = evaluated(confidence, loss, sample_weight=weights / 7)
    assert one.values == pytest.approx(scaled.values, abs=1e-12)
    for name, found in one.estimates.items():
        assert found.standard_error == pytest.approx(
            scaled.estimates[name].standard_error, nan_ok=True, abs=1e-9
        )


def test_clusters_of_single_rows_change_nothing_and_repeated_rows_are_not_new_data():
    rng = np.random.default_rng(0)
    confidence, loss = rng.random(60), (rng.random(60) < 0.3).astype(float)
    plain = evaluated(confidence, loss)
    single = evaluated(confidence, loss, groups=np.arange(60))
    thrice = evaluated(
        np.repeat(confidence, 3), np.repeat(loss, 3), groups=np.repeat(np.arange(60), 3)
    )
    for name, found in plain.estimates.items():
        for other in (single, thrice):
            assert other[name] == pytest.approx(found.value)
            error = other.estimates[name].standard_error
            assert error == pytest.approx(found.standard_error, rel=1e-9)


# -- uncertainty -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["risk", "aurc", "e_aurc", "augrc"])
@pytest.mark.parametrize("levels", [4, 10**6])
def test_influences_are_derivatives_with_respect_to_the_weight_of_a_row(name, levels):
    rng = np.random.default_rng(5)
    confidence, loss = rng.integers(0, levels, 40), rng.integers(0, 4, 40).astype(float)
    found = evaluated(confidence, loss, sample_weight=np.ones(40))
    place = {row: i for i, row in enumerate(found.rows.tolist())}
    step = 1e-6
    for row in (0, 7, 23):
        weights = np.ones(40)
        weights[row] += 40 * step
        moved = evaluated(confidence, loss, sample_weight=weights)[name]
        slope = (moved - found[name]) / step
        assert found.influences[name].rows[place[row]] == pytest.approx(slope, abs=2e-3)


@given(ranked())
def test_influences_have_the_mean_zero(rows):
    confidence, loss = rows
    found = evaluated(confidence, loss)
    scale = max(1.0, np.abs(loss).max())
    rows = [*(each.rows for each in found.influences.values()), found.risk_influence(0.7).rows]
    for each in (*rows, found.curve.rejected_influence(0.7, len(loss))):
        assert each.mean() == pytest.approx(0, abs=1e-11 * scale)


def test_standard_errors_are_those_of_a_bootstrap():
    rng = np.random.default_rng(2)
    z = rng.random(500)
    loss = (rng.random(500) < 0.5 * (1 - z) ** 2).astype(float)
    found = evaluated(z, loss)
    drawn = rng.multinomial(500, np.full(500, 1 / 500), size=400)
    again = [evaluated(z, loss, counts=counts) for counts in drawn]
    for name, estimate in found.estimates.items():
        assert np.std([e[name] for e in again]) == pytest.approx(estimate.standard_error, rel=0.12)
    at = [e.risk_at_coverage(0.7).value for e in again]
    assert np.std(at) == pytest.approx(found.risk_at_coverage(0.7).standard_error, rel=0.15)
    rejected = [e.break_even_cost(0.7).value for e in again]
    assert np.std(rejected) == pytest.approx(found.break_even_cost(0.7).standard_error, rel=0.15)


@pytest.mark.long
def test_intervals_contain_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(3)

    def draw(n):
        z = rng.random(n)
        loss = (rng.random(n) < 0.6 * (1 - z) ** 2).astype(float)
        return evaluate_selective(np.zeros(n), loss, z)

    truth = draw(100_000)
    hits = dict.fromkeys([*truth.values, "risk at 0.8", "coverage"], 0)
    values = truth.values | {"risk at 0.8": truth.risk_at_coverage(0.8).value}
    wanted = truth.coverage_at_risk(0.1).value
    for _ in range(200):
        found = draw(150)
        estimates = found.estimates | {"risk at 0.8": found.risk_at_coverage(0.8)}
        for name, estimate in estimates.items():
            low, high = estimate.interval()
            hits[name] += low <= values[name] <= high
        low, high = found.coverage_at_risk(0.1).interval(0.9)
        hits["coverage"] += low <= wanted <= high
    # 200 draws of a 95% interval: fewer than 180 hits have a probability below 0.002
    assert min(count for name, count in hits.items() if name != "coverage") >= 180
    assert hits["coverage"] >= 165


def test_rows_without_an_error_leave_room_for_some():
    found = evaluate_selective([0] * 50, [0] * 50, np.arange(50))
    low, high = found.risk_at_coverage(0.5).interval()
    assert low == 0
    assert 0.05 < high < 0.25
    for estimate in found.estimates.values():
        assert estimate.value == 0
        assert estimate.interval()[1] > 0.01


def test_a_single_row_has_values_but_no_interval_of_areas():
    found = evaluate_selective([0], [1], [0.3])
    assert found["aurc"] == 1
    assert np.isnan(found.estimates["aurc"].standard_error)


# -- losses ------------------------------------------------------------------------------------

Y = ["a", "b", "c", "a", "b"]
SETS = [["a"], ["a", "b"], ["a", "b", "c"], ["b"], ["b"]]
SURE = [0.9, 0.5, 0.1, 0.6, 0.8]


def test_the_default_loss_of_a_set_is_missing_the_true_class():
    found = evaluate_selective(Y, SETS, SURE)
    assert found["risk"] == 0.2
    assert found["risk"] == pytest.approx(1 - evaluate_sets(Y, SETS)["coverage"])


@pytest.mark.parametrize("name", ["u50", "u65", "u80"])
def test_a_utility_is_scored_as_elsewhere(name):
    found = evaluate_selective(Y, SETS, SURE, utility=name)
    assert 1 - found["risk"] == pytest.approx(evaluate_sets(Y, SETS, name)[name])
    worth = get_utility(name).of_size(np.array([1, 2]))
    top = found.accuracy_at_coverage(0.8).value  # {a}, {b}, a miss, {a, b}
    assert top == pytest.approx((2 * worth[0] + worth[1]) / 4)


def test_costs_are_those_of_an_evaluation_with_costs():
    costs = CostMatrix([[0, 4, 1], [2, 0, 2], [9, 9, 0]], classes=["a", "b", "c"])
    found = evaluate_selective(Y, SETS, SURE, costs=costs)
    assert found["risk"] == pytest.approx(evaluate_sets(Y, SETS, costs=costs)["average_cost"])
    assert found.risk_at_coverage(0.4).value == 0
    with pytest.raises(ValueError, match="a cost has no accuracy: use risk_at_coverage"):
        found.accuracy_at_coverage(0.5)


def test_rejecting_is_predicting_all_classes_at_the_cost_of_the_full_set():
    """Chow's rule: with the cost 1 - u(1/K), abstention earns what the full set earns."""
    rng = np.random.default_rng(1)
    y, p = rng.integers(0, 3, 80), rng.integers(0, 3, 80)
    sure, u = rng.random(80), get_utility("u65")
    found = evaluate_selective(y, p, sure, utility="u65")
    chosen = found.abstain(1 - float(u.of_size(np.array([3]))[0]))
    sets = [[a] if c >= chosen.threshold else [0, 1, 2] for a, c in zip(p, sure, strict=True)]
    assert evaluate_sets(y, sets, "u65")["u65"] == pytest.approx(1 - chosen.loss.value)


@given(ranked(errors=True), st.floats(0, 0.99))
def test_the_break_even_cost_makes_answering_and_abstaining_equal(rows, coverage):
    found = evaluated(*rows)
    cost = found.break_even_cost(coverage).value
    answered = found.curve.generalized_risk_at(coverage)
    assert answered + cost * (1 - coverage) == pytest.approx(found["risk"])


# -- words -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"confidence": [1, 2]}, "confidence must have one number for each of the 3 rows"),
        ({"confidence": [1, 2, np.nan]}, "confidence is missing in row 2"),
        ({"confidence": ["x", "y", "z"]}, "confidence must be real numbers"),
        ({"confidence": [1, 2, 1j]}, "confidence must be real numbers, got complex128"),
        ({"confidence": [1, 2, 10**400]}, r"confidence contains a number beyond 1\.8e308"),
        ({"loss": [0, 1, np.inf]}, "loss must lie between .*, got inf in row 2"),
        ({"loss": [0, 1]}, "loss must have one number for each of the 3 rows"),
        ({"loss": [0, 1, 1], "utility": "u65"}, "pass one of utility=, costs= and loss="),
        ({"empty_cost": 1.0}, "pass costs= as well"),
    ],
)
def test_wrong_input_is_named(arguments, words):
    given = {"confidence": [1, 2, 3]} | arguments
    with pytest.raises(ValueError, match=words):
        evaluate_selective([0, 1, 1], [0, 1, 0], **given)


def test_labels_beyond_the_signed_integers_are_labels_in_every_byte_order():
    for order in "<>":
        y = np.array([2**63, 2**63 + 1, 2**63], dtype=f"{order}u8")
        assert evaluate_selective(y, y[::-1].copy(), [3, 2, 1])["risk"] == 0
        assert evaluate_selective(y, y[[1, 1, 1]], [3, 2, 1])["risk"] == pytest.approx(2 / 3)


def test_a_weight_that_vanishes_beside_the_others_counts_as_0():
    tiny = evaluate_selective([0, 1, 1], [0, 0, 1], [3, 2, 1], sample_weight=[1, 5e-324, 2])
    none = evaluate_selective([0, 1, 1], [0, 0, 1], [3, 2, 1], sample_weight=[1, 0, 2])
    assert repr(tiny) == repr(none)  # a RuntimeWarning would fail the test


def test_wrong_points_are_named():
    found = evaluate_selective([0, 1, 1], [0, 1, 0], [1, 2, 3])
    with pytest.raises(ValueError, match="coverage must be above 0 and at most 1, got 0"):
        found.risk_at_coverage(0)
    with pytest.raises(ValueError, match="coverage must be at least 0 and below 1, got 1"):
        found.break_even_cost(1)
    with pytest.raises(KeyError, match="there is no measure 'auc': choose from risk, aurc"):
        found["auc"]
    with pytest.raises(ValueError, match="risk must be a number, got nan"):
        found.coverage_at_risk(np.nan)
    weighted = evaluate_selective([0, 1], [0, 0], [1, 2], sample_weight=[1, 2])
    with pytest.raises(ValueError, match="not defined for weighted rows: use the area"):
        _ = weighted.mean_risk_over_rows


def test_abstention_says_what_to_do():
    found = evaluate_selective([0] * 4, [0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6])
    assert str(found.abstain(0.25)) == (
        "at the cost 0.25 of an abstention, answer the 50.0% of rows whose confidence is at least "
        "0.8: 0.1250 per row, instead of 0.5000"
    )
    assert str(found.abstain(2)) == "at the cost 2 of an abstention, answer every row"
    assert "answer no row: -1.0000 per row" in str(found.abstain(-1))


def test_an_interval_of_coverage_tries_the_first_of_many_coverages(monkeypatch):
    """Of five levels of confidence, the first, the third and the last one are tried."""
    monkeypatch.setattr("wager.rewards._selective._MOST_TRIED", 3)
    confidence, error = np.repeat([5, 4, 3, 2, 1], 400), np.zeros(2000)
    error[400:480] = error[800:1200] = error[1200:1600] = error[1600:] = 1  # 20%, then all
    found = evaluated(confidence, error).coverage_at_risk(0.1)
    assert found.value == 0.4
    assert found.interval() == (0.2, 0.6)


def test_an_accuracy_lies_within_the_turned_range_of_the_loss():
    """Utilities from -1 to 2 are losses from -1 to 2, and 1 - loss is from -1 to 2 again."""
    found = evaluate_selective(
        [0, 1, 0], [[0], [0, 1], [1]], [0.9, 0.8, 0.7], utility=Tabulated([2.0, 1.0], miss=-1.0)
    )
    assert found.bounds == (-1, 2)
    accuracy = found.accuracy_at_coverage(1.0)
    assert accuracy.value == pytest.approx((2 + 1 - 1) / 3)
    assert (accuracy.lowest, accuracy.largest) == (-1, 2)
    turned = evaluate_selective([0, 1], [0, 0], [2, 1], utility=Tabulated([3.0, 1.0], miss=0.5))
    assert turned.bounds == (-2, 0.5)
    accuracy = turned.accuracy_at_coverage(1.0)
    assert (accuracy.lowest, accuracy.largest) == (0.5, 3)


def test_the_interval_of_an_accuracy_is_that_of_the_risk_turned():
    rng = np.random.default_rng(6)
    sets = np.arange(6) < rng.choice([1, 2, 6], 60, p=[0.8, 0.15, 0.05])[:, None]  # skewed losses
    found = evaluate_selective([0] * 60, sets, rng.random(60), utility="u65")
    for coverage in (0.5, 1.0):
        risk, accuracy = found.risk_at_coverage(coverage), found.accuracy_at_coverage(coverage)
        low, high = risk.interval()
        assert accuracy.value == pytest.approx(1 - risk.value)
        assert accuracy.interval() == pytest.approx((1 - high, 1 - low))


def test_the_error_of_abstention_is_that_of_what_each_row_pays():
    """Two levels: the first is answered, with one error of ten; the second one pays 0.2."""
    confidence, error = np.repeat([2.0, 1.0], 10), np.array([1] + [0] * 9 + [1] * 10)
    found = evaluate_selective(np.zeros(20), error, confidence).abstain(0.2)
    paid = np.append(error[:10], np.full(10, 0.2))
    assert found.coverage == 0.5
    assert found.loss.value == pytest.approx(paid.mean())
    assert found.loss.standard_error == pytest.approx(paid.std(ddof=1) / np.sqrt(20))


@given(ranked(), st.integers(0, 99))
def test_confidences_that_differ_by_rounding_are_tied(rows, seed):
    """As 0.1 + 0.2 and 0.3, or the largest of probabilities that were normalised once more."""
    confidence, loss = rows
    steps = np.random.default_rng(seed).integers(-1, 2, len(loss)) * np.finfo(float).eps
    same, found = evaluated(confidence / 7, loss), evaluated(confidence / 7 * (1 + steps), loss)
    for name in ("aurc", "e_aurc", "augrc"):
        assert found[name] == pytest.approx(same[name], abs=1e-12)
    assert len(found.curve.threshold) == len(same.curve.threshold)
    accepted = confidence / 7 * (1 + steps) >= found.curve.threshold[0]
    assert accepted.tolist() == (confidence == confidence.max()).tolist()


def test_confidences_of_any_size_that_differ_by_more_are_not_tied():
    confidence = np.array(
        [1 - 1e-14, 1, 1e-300, 2e-300, 0, -1e-300, -np.inf, np.inf, -1e308, 1e308]
    )
    assert len(evaluated(confidence, np.arange(10.0)).curve.threshold) == 10


@pytest.mark.parametrize("unit", [1, 1e-9, 1e-12, 1e-14, 1e9])
def test_the_best_threshold_does_not_depend_on_the_unit_of_the_loss(unit):
    confidence = np.repeat([0.9, 0.7, 0.5, 0.1], 25)
    loss = np.concatenate([np.zeros(25), np.arange(25) % 3, np.full(50, 2)]) * unit
    found = evaluated(confidence, loss)
    thresholds = [found.abstain(cost * unit).threshold for cost in (0, 0.5, 1.5, 3)]
    assert thresholds == [0.9, 0.9, 0.7, 0.1]

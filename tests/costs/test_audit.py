from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.costs.strategies import OBSTACLES, TABLE_I, cost_matrices, rules
from tests.fewer import fewer
from tests.reference.kinds.costs import _proves
from wager.costs import CostMatrix, _audit, audit, decision_intervals
from wager.costs._audit import every_set
from wager.costs._possible_sets import _margins, most_favourable
from wager.credal import optimal_sets

costs = CostMatrix(TABLE_I, OBSTACLES)
TABLE_VI = CostMatrix([[0, 2], [4, 0]], ["h", "n"]).extend({("h", "n"): [0.5, 0.5]})
TABLE_VII = CostMatrix([[0, 2], [4, 0]], ["h", "n"]).extend({("h", "n"): [0.25, 0.75]})


def which(report):
    return {number for number, holds in report.holds.items() if holds}


def slow_verdicts(extended, tolerance=1e-9):
    """Properties 2 to 10 as the paper defines them, one set and one true class after another."""
    classes = range(extended.n_classes)
    single = {i: [extended.cost([i], y) for y in classes] for i in classes}
    holds = dict.fromkeys(range(2, 11), True)
    holds[9] = False
    for size in range(2, len(classes) + 1):
        for labels in combinations(classes, size):
            row = [extended.cost(labels, y) for y in classes]
            members = [[single[i][y] for i in labels] for y in classes]
            mean = [sum(m) / len(m) for m in members]
            holds[2] &= any(row[y] < mean[y] - tolerance for y in classes)
            for y in classes:
                inside = y in labels
                holds[3] &= not inside or row[y] < mean[y] - tolerance
                holds[4] &= row[y] >= min(members[y]) - tolerance
                holds[6] &= inside or row[y] >= mean[y] - tolerance
                holds[7] &= inside or row[y] <= mean[y] + tolerance
                holds[10] &= row[y] <= max(members[y]) + tolerance
            for y, z in combinations(classes, 2):
                pairs = zip(sorted(members[y]), sorted(members[z]), strict=True)
                same = all(abs(a - b) <= tolerance for a, b in pairs)
                equal = abs(row[y] - row[z]) <= tolerance
                both = y in labels and z in labels
                holds[5] &= not same or equal
                holds[8] &= not both or equal
                holds[9] |= both and not same and not equal
    return holds


coarse = st.sampled_from([0.0, 0.5, 1.0, 2.0, 4.0])


@given(st.data(), cost_matrices(high=4, cells=coarse), rules)
@fewer(12)
def test_verdicts_follow_the_definitions_and_witnesses_prove_them(data, matrix, rule):
    extended = matrix.extend(rule[0], **rule[1])
    if data.draw(st.booleans()):  # a user's own row may break anything
        row = data.draw(st.lists(coarse, min_size=len(matrix), max_size=len(matrix)))
        extended = matrix.extend({(0, 1): row}, otherwise=rule[0], **rule[1])
    report = audit(extended)
    slow = slow_verdicts(extended)
    assert {number: report.holds[number] for number in slow} == slow
    table = dict(zip(extended.subsets(), extended.matrix(), strict=True))
    for number, witness in report.witnesses.items():
        assert _proves(number, witness, table, extended.singles, 1e-9)
    for number, holds in report.holds.items():
        wanted = holds if number in (1, 9) else not holds
        assert (report[number].witness is not None) == wanted


@given(st.data(), cost_matrices(high=4, cells=coarse), st.floats(0, 1))
def test_no_probability_on_a_grid_beats_the_linear_program(data, matrix, r):
    extended = matrix.extend("p-discounted", r=r, mode="mistake-averse")
    k = len(matrix)
    labels = data.draw(st.sets(st.integers(0, k - 1), min_size=2))
    members, row = (
        matrix.costs[sorted(labels)],
        extended.costs_of_masks([sum(1 << i for i in labels)])[0],
    )
    game = most_favourable(members, row)
    proba, margin = game.distribution, -game.value
    assert proba.min() >= 0
    assert proba.sum() == pytest.approx(1)
    grid = np.random.default_rng(0).dirichlet(np.full(k, 0.5), size=300)
    grid = np.concatenate([grid, np.eye(k)])
    reached = (grid @ members.T).min(axis=1) - grid @ row
    assert margin >= reached.max() - 1e-9


# What the paper says, as corrected


@pytest.mark.parametrize("r", [0.1, 0.5, 0.9])
def test_p_discounted_costs_fit_choice_but_not_filtering(r):
    cautious = audit(costs.extend("p-discounted", r=r))
    assert which(cautious) == {1, 2, 3, 4, 5, 7, 9, 10}
    assert cautious.verdicts["choice"].fits
    assert cautious.verdicts["filtering"].lacks_necessary == (6,)
    averse = audit(costs.extend("p-discounted", r=r, mode="mistake-averse"))
    assert which(averse) == {1, 2, 3, 4, 5, 6, 9, 10}
    assert averse.verdicts["filtering"].fits
    assert averse.verdicts["filtering"].has_undesirable == (9,)


def test_r_0_fails_1_2_3_and_r_1_fails_9_and_gains_8():
    assert {1, 2, 3}.isdisjoint(which(audit(costs.extend("p-discounted", r=0))))
    most = which(audit(costs.extend("p-discounted", r=1)))
    assert 9 not in most
    assert 8 in most


def test_zeros_off_the_diagonal_can_break_3_and_5():
    odd = CostMatrix([[0, 0, 2], [0, 0, 1], [3, 1, 0]])
    report = audit(odd.extend("p-discounted", r=0.5, mode="mistake-averse"))
    assert not report.holds[3]
    assert report[3].witness.set == (0, 1)
    lopsided = CostMatrix([[0, 0, 1], [1, 1, 0], [2, 2, 0]])
    assert not audit(lopsided.extend("p-discounted", r=0.5, mode="mistake-averse")).holds[5]


def test_utility_discounted_accuracy_has_every_property_but_9():
    extended = CostMatrix.zero_one(range(4)).extend("utility", utility="u65")
    assert which(audit(extended)) == {1, 2, 3, 4, 5, 6, 7, 8, 10}


def test_ha_needs_delta_below_eta_over_n_for_properties_2_and_3():
    eta = CostMatrix.ha([1, 1, 1])
    below, between = audit(eta.extend("ha", delta=0.3)), audit(eta.extend("ha", delta=0.4))
    assert which(below) == {1, 2, 3, 4, 5, 6, 8}
    assert {2, 3}.isdisjoint(which(between))
    assert between[3].witness.set == (0, 1, 2)
    assert between[3].witness.costs == pytest.approx((0.8,))
    assert below.verdicts["filtering"].fits
    assert not below.verdicts["choice"].fits


def test_abellan_masegosa_with_two_classes_and_0_1_costs_makes_no_set_possible():
    assert not audit(CostMatrix.zero_one(range(2)).extend("abellan-masegosa")).holds[1]
    three = audit(CostMatrix.zero_one(range(3)).extend("abellan-masegosa"))
    assert {2, 3}.isdisjoint(which(three))
    assert three[2].witness.set == (0, 1, 2)


def test_proposition_1_discounted_costs_make_no_set_possible():
    rng = np.random.default_rng(0)
    for k in (2, 5, 13):
        report = audit(CostMatrix(rng.random((k, k))).extend("discounted"))
        assert not report.holds[1]
        assert report[1].exact


def test_example_5_names_the_pair_and_a_probability():
    report = audit(costs.extend({("h", "b"): [0.25, 0.25, 2]}, otherwise="discounted"))
    witness = report[1].witness
    assert witness.set == ("h", "b")
    assert witness.margin == pytest.approx(0.25)
    assert witness.probability == pytest.approx((0.5, 0.5, 0))
    dear = audit(costs.extend({("h", "b"): [1, 1, 2]}, otherwise="discounted"))
    assert not dear.holds[1]


def test_large_costs_are_written_out_in_the_reasons():
    dear = CostMatrix([[0, 120000, 64000], [35000, 0, 12345], [300, 25000, 0]], ["a", "b", "c"])
    extended = dear.extend("p-discounted", r=0.5)
    report = audit(extended)
    assert report[6].witness.text == (
        "{a, b} costs 33,140 when c is true, less than the mean cost of its classes, 38,172"
    )
    assert report[8].witness.text.startswith("{a, b} costs 8750 when a is true and 30,000 when b")
    assert "e+" not in str(extended.can_be_optimal(["a", "b"]))


def test_example_6_is_mistake_averse_and_beyond_the_upper_bound():
    report = audit(costs.extend({("h", "b"): [0.25, 0.25, 3]}, otherwise="discounted"))
    assert report.holds[6]
    assert report[10].witness.truths == ("n",)
    assert report[7].witness.limits == (2,)


def test_tables_vi_and_vii_have_the_properties_that_example_7_claims():
    assert {2, 3, 8} <= which(audit(TABLE_VI))
    assert {2, 3, 9} <= which(audit(TABLE_VII))
    assert 9 not in which(audit(TABLE_VI))
    assert 8 not in which(audit(TABLE_VII))


# Figure 2


@pytest.mark.parametrize(
    ("extended", "h_until", "n_from"), [(TABLE_VI, 1 / 4, 7 / 8), (TABLE_VII, 1 / 6, 5 / 6)]
)
def test_figure_2_changes_the_prediction_at_two_probabilities(extended, h_until, n_from):
    parts = decision_intervals(extended)
    assert [part.set for part in parts] == [("h",), ("h", "n"), ("n",)]
    assert [part.start for part in parts] == pytest.approx([0, h_until, n_from])
    assert parts[-1].stop == 1


@settings(deadline=None)
@given(cost_matrices(low=2, high=2), st.floats(0, 1), st.floats(0, 1))
def test_the_interval_around_a_probability_names_a_cheapest_set(matrix, r, q):
    extended = matrix.extend("p-discounted", r=r)
    parts = decision_intervals(extended)
    assert parts[0].start == 0
    assert parts[-1].stop == 1
    part = next(p for p in parts if p.start <= q <= p.stop)
    value = dict(zip(extended.subsets(), extended.matrix() @ [1 - q, q], strict=True))
    assert value[part.set] <= min(value.values()) + 1e-9


def test_decisions_along_one_probability_need_two_classes():
    with pytest.raises(ValueError, match="two classes, got 3"):
        decision_intervals(costs.extend("discounted"))


# Many classes


def test_from_twelve_classes_on_a_sample_agrees_with_what_is_known():
    rng = np.random.default_rng(0)
    matrix = CostMatrix(rng.random((13, 13)) + 1 - np.eye(13))
    report = audit(matrix.extend("p-discounted", r=0.5), n_samples=500)
    assert which(report) >= {1, 2, 3, 4, 5, 7, 9, 10}
    assert all(report[number].exact for number in (1, 2, 3, 4, 5, 6, 7, 9, 10))
    assert "500 random sets" in repr(report)
    assert "fewer than 0.006" in report.checked


def test_a_sample_without_a_witness_is_marked_as_a_sample():
    matrix = CostMatrix(np.random.default_rng(1).random((12, 12)))
    extended = matrix.extend({(0, 1): [0.1] * 12}, otherwise="discounted")
    report = audit(extended, n_samples=50)
    assert not report[5].exact
    assert "(sample)" in repr(report)
    assert repr(report[5]).startswith("it requires: ")
    assert "property 5, permutation invariant, holds in a sample" in repr(report[5])


def test_interchangeable_classes_are_decided_by_one_set_of_each_size():
    big = audit(CostMatrix.zero_one(range(40)).extend("utility", utility="u80"))
    assert which(big) == {1, 2, 3, 4, 5, 6, 7, 8, 10}
    assert all(result.exact for result in big.results)


def test_sampled_and_enumerated_verdicts_agree(monkeypatch):
    rng = np.random.default_rng(2)
    for _ in range(5):
        matrix = CostMatrix(rng.integers(0, 4, (7, 7)).astype(float))
        for rule, options in [
            ("p-discounted", {"r": 0.4}),
            ("abellan-masegosa", {}),
            ("discounted", {}),
        ]:
            extended = matrix.extend(rule, **options)
            full = audit(extended)
            with monkeypatch.context() as patch:
                patch.setattr(_audit, "ENUMERATED", 2)
                assert audit(extended, n_samples=2000).holds == full.holds


any_rule = st.one_of(
    st.builds(
        lambda r, mode: ("p-discounted", {"r": r, "mode": mode}),
        st.sampled_from([0, 0.3, 1]),
        st.sampled_from(["cautious", "mistake-averse"]),
    ),
    st.builds(lambda delta: ("ha", {"delta": delta}), st.sampled_from([0, 0.1, 0.25, 0.4, 1.2])),
    st.just(("abellan-masegosa", {})),
)


@given(st.data(), cost_matrices(low=3, high=5, cells=coarse, zero_diagonal=True), any_rule)
@fewer(12)
def test_a_few_decisive_sets_settle_what_the_theorems_say(data, matrix, rule):
    name, options = rule
    if name == "ha":
        k = len(matrix)
        matrix = CostMatrix.ha(data.draw(st.lists(coarse, min_size=k, max_size=k)))
    extended = matrix.extend(name, **options)
    full = audit(extended)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_audit, "ENUMERATED", 2)
        few = audit(extended, n_samples=1)  # all pairs, the full set, the decisive sets
    for result in few.results:
        if result.exact:
            assert result.holds == full.holds[result.number]


def test_neither_pairs_nor_the_full_set_decide_whether_hits_on_a_ring_cost_the_same():
    steps = np.abs(np.subtract.outer(range(5), range(5)))
    ring = CostMatrix(np.minimum(steps, 5 - steps).astype(float)).extend("p-discounted", r=0.5)
    full = audit(ring)
    assert not full.holds[8]  # of {0, 1, 2}, the class 1 is nearest to the others
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_audit, "ENUMERATED", 2)
        found = [audit(ring, n_samples=1, random_state=seed)[8] for seed in range(10)]
    assert {result.holds for result in found} == {True, False}
    assert not any(result.exact for result in found if result.holds)


def test_ha_costs_of_many_classes_are_decided_without_sampling():
    eta = CostMatrix.ha(np.linspace(1, 2, 30))
    for delta, kept in [(0.03, True), (0.05, False)]:  # 1/30 lies between
        report = audit(eta.extend("ha", delta=delta), n_samples=10)
        assert report.holds[3] is kept
        assert all(result.exact for result in report.results)
    none = audit(eta.extend("ha", delta=2), n_samples=10)
    assert not none.holds[1]  # a second class costs more than the error that it avoids
    assert all(result.exact for result in none.results)


def test_abellan_masegosa_costs_of_many_classes_are_decided_without_sampling():
    dear = CostMatrix(5 + np.random.default_rng(0).random((13, 13)))
    report = audit(dear.extend("abellan-masegosa"), n_samples=10)
    assert which(report) == {1, 2, 3, 4, 5, 6, 8, 10}
    assert all(report[number].exact for number in (1, 3, 4, 5, 6, 7, 8, 9, 10))


@pytest.mark.parametrize("mode", ["cautious", "mistake-averse"])
def test_means_of_equal_costs_are_their_mean(mode):
    """So sets that miss cost the mean of their classes (Properties 6 and 7), without sampling."""
    report = audit(
        CostMatrix.ha(np.linspace(1, 2, 30)).extend("p-discounted", r=0.5, mode=mode), n_samples=10
    )
    for number in (6, 7):
        assert report.holds[number]
        assert report[number].exact


def test_the_gain_of_a_set_is_that_over_its_best_member():
    rng = np.random.default_rng(0)
    members = every_set(4)
    singles, rows, proba = rng.random((4, 4)), rng.random((11, 4)), rng.dirichlet(np.ones(4), 11)
    slow = [
        min(singles[i] @ p for i in np.flatnonzero(labels)) - row @ p
        for labels, row, p in zip(members, rows, proba, strict=True)
    ]
    np.testing.assert_allclose(_margins(singles, members, rows, proba), slow)


# The report


@pytest.mark.parametrize("unit", [1e-300, 1e-13, 1e-5, 1e13, 1e90])
@pytest.mark.parametrize("seed", range(4))
def test_the_unit_of_the_costs_changes_no_verdict(seed, unit):
    table = np.random.default_rng(seed).integers(1, 4, (4, 4)) * (1.0 - np.eye(4))
    own = np.linspace(0.2, 1, 4)
    for extend in (
        lambda costs, _: costs.extend("discounted"),
        lambda costs, _: costs.extend("p-discounted", r=0.8),
        lambda costs, scale: costs.extend({(0, 1): own * scale}),
    ):
        before = audit(extend(CostMatrix(table), 1.0))
        after = audit(extend(CostMatrix(table * unit), unit))
        assert after.holds == before.holds


def test_costs_of_0_are_audited():
    assert audit(CostMatrix(np.zeros((3, 3))).extend("discounted")).holds[4]


@pytest.mark.parametrize("unit", [1e-13, 1.0, 1e13])
def test_ha_refuses_costs_that_depend_on_the_prediction_in_every_unit(unit):
    with pytest.raises(ValueError, match="depend only on the true class"):
        CostMatrix(np.array([[0, 1, 2], [1, 0, 3], [1, 1, 0]]) * unit).extend("ha", delta=unit)


def test_abellan_masegosa_costs_depend_on_the_unit_by_definition():
    """A hit costs log k, and a miss log K (c / (K - 1) + 1): large costs call for larger sets."""
    proba = [[0.9, 0.06, 0.04]]
    sizes = []
    for unit in (1e-9, 1e9):
        costs = CostMatrix((1 - np.eye(3)) * unit).extend("abellan-masegosa")
        sizes.append(len(optimal_sets(proba, costs=costs).to_lists()[0]))
    assert sizes == [1, 3]


def test_the_report_prints_every_property_and_both_settings():
    text = repr(audit(TABLE_VII))
    assert "rewards caution" in text
    assert "choice: fits" in text
    assert "filtering: fits; lacks the desirable 8; has the undesirable 7, 9" in text
    rows = {row[0]: row for row in audit(TABLE_VI).rows()}
    assert rows["3"][2] == "holds"
    assert rows["3"][-1] == audit(TABLE_VI)[3].statement.requires
    assert rows["7"][-1] == str(audit(TABLE_VI)[7].witness or audit(TABLE_VI)[7].statement.requires)
    assert rows["9"][2::3] == ("fails", "no such set")
    assert "{h, n}" in rows["1"][-1]  # the example that proves Property 1


def test_the_report_as_plain_data_keeps_holds_witnesses_and_verdicts():
    data = audit(costs.extend("p-discounted")).to_dict()
    assert data["holds"]["6"] is False
    assert data["witnesses"]["6"]["set"] == ["h", "n"]
    assert data["witnesses"]["6"]["truths"] == ["b"]
    assert data["verdicts"]["choice"] == "fits"
    report = audit(costs.extend("p-discounted"))
    assert {"filtering": report.filtering, "choice": report.choice} == report.verdicts


def test_there_is_no_eleventh_property():
    with pytest.raises(KeyError, match="numbered 1 to 10, got 11"):
        audit(TABLE_VI)[11]


def test_a_sample_needs_a_set():
    with pytest.raises(ValueError, match="n_samples must be at least 1"):
        audit(
            CostMatrix(np.random.default_rng(0).random((12, 12))).extend("discounted"), n_samples=0
        )


def test_more_classes_than_can_be_audited_are_refused():
    costs = CostMatrix.zero_one(range(101)).extend("discounted")
    with pytest.raises(ValueError, match="of up to 100 classes can be audited, but these have 101"):
        audit(costs)

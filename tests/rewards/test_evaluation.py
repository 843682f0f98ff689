from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given

from tests.fewer import fewer
from tests.rewards.strategies import labelled_sets
from wager import metrics
from wager.rewards import SET_SCORES, Custom, Exponential, Tabulated, evaluate_sets, mic

Y = ["a", "b", "c", "c", "a"]
SETS = [["a"], ["a", "b"], ["a", "b", "c"], [], ["b"]]


@given(labelled_sets())
@fewer(12)
def test_the_evaluation_says_what_the_functions_say(data):
    y, sets = data
    evaluation = evaluate_sets(y, sets, ["u65", 0.8, Exponential(2)])
    assert evaluation["u65"] == metrics.utility_discounted_accuracy(y, sets, "u65")
    assert evaluation["u80"] == metrics.utility_discounted_accuracy(y, sets, "u80")
    assert evaluation["exp:2"] == metrics.utility_discounted_accuracy(y, sets, "exp:2")
    sure = metrics.certainty_equivalent(y, sets, "u65")
    assert evaluation["certainty_equivalent:u65"] == sure
    assert evaluation["reward_variance"] == metrics.reward_variance(y, sets)
    assert evaluation["mic"] == mic(sets.shape[1])(evaluation.tally)
    for name, score in SET_SCORES.items():
        np.testing.assert_array_equal(evaluation[name], score(evaluation.tally))
    np.testing.assert_array_equal(evaluation.class_coverage, metrics.class_coverage(y, sets))
    by_size = metrics.size_stratified_coverage(y, sets)
    np.testing.assert_array_equal(evaluation.size_stratified_coverage, by_size)


def test_a_table_of_utilities_need_not_reach_beyond_the_sets_that_occur():
    y, sets = ["a", "b", "c"], [["a"], ["a", "b"], ["a"]]
    table = Tabulated([1.0, 0.7])
    evaluation = evaluate_sets(y, sets, [table])
    assert evaluation[table.name] == metrics.utility_discounted_accuracy(y, sets, table)
    with pytest.raises(ValueError, match=r"sets of up to 2 classes but a prediction has 3"):
        evaluate_sets(y, [["a"], ["a", "b", "c"], ["a"]], [table])[table.name]


def test_as_a_dictionary_it_is_plain_and_undefined_is_nan():
    found = evaluate_sets(["a", "b"], ["a", "a"]).to_dict()
    assert math.isnan(found["set_accuracy"])
    assert json.loads(json.dumps(found))["u65"] == 0.5
    assert found["n"] == 2
    assert found["class_coverage"] == [1.0, 0.0]
    assert set(found["standard_errors"]) < set(found)


def test_the_frame_has_one_row_per_measure():
    evaluation = evaluate_sets(Y, SETS)
    frame = evaluation.to_frame(level=0.9)
    assert list(frame.index) == list(evaluation.values)
    assert frame.loc["coverage", "value"] == 0.6
    lower, upper = SET_SCORES["coverage"].estimate(evaluation.tally).interval(0.9)
    assert (frame.loc["coverage", "lower"], frame.loc["coverage", "upper"]) == (lower, upper)


def test_printed_it_is_a_table_and_a_sentence():
    text = repr(evaluate_sets(Y, SETS))
    assert text.splitlines()[0].split() == [
        "measure",
        "value",
        "std.",
        "error",
        "95%",
        "from",
        "to",
    ]
    (coverage,) = [line.split() for line in text.splitlines() if line.startswith("coverage")]
    assert coverage == ["coverage", "0.6000", "0.2449", "0.1991", "0.9193"]
    assert " ".join(text.split()).endswith(
        "5 predictions over 3 classes: 40.0% name one class and are right 50.0% of the time; "
        "sets of two or more classes (2.50 on average) contain the true class 100.0% of the time. "
        "20.0% name no class."
    )


def test_words_of_a_plain_classifier_end_after_its_accuracy():
    assert evaluate_sets(["a", "b"], ["a", "a"]).sentence() == (
        "2 predictions over 2 classes: 100.0% name one class and are right 50.0% of the time."
    )


def test_one_utility_needs_no_list():
    for utility in ("f1", 0.7, Exponential(1), lambda x: x):
        assert len(evaluate_sets(Y, SETS, utility).utilities) == 1
    assert evaluate_sets(Y, SETS, ()).utilities == ()


def test_a_constant_utility_is_refused():
    with pytest.raises(ValueError) as error:
        evaluate_sets(Y, SETS, [Custom(lambda x: 0 * x + 0.5, "half")])
    assert str(error.value) == (
        "half is 0.5 for every reward: give a utility that grows with the reward"
    )


def test_two_utilities_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two utilities are called '<lambda>'"):
        evaluate_sets(Y, SETS, [lambda x: x, lambda x: x**2])


def test_an_unknown_measure_is_named():
    with pytest.raises(KeyError, match="no measure 'f9': choose from discounted_accuracy, u50"):
        evaluate_sets(Y, SETS)["f9"]


def test_an_empty_test_set_is_an_error():
    with pytest.raises(ValueError, match="no prediction to score"):
        evaluate_sets([], np.zeros((0, 3), dtype=bool))


def test_the_mean_size_of_single_classes_allows_for_sets_of_two():
    single = evaluate_sets([0, 1, 2] * 10, [0, 1, 0] * 10)
    low, high = single.estimates["mean_set_size"].interval()
    assert 0.8 < low < 1 < high < 1.2
    assert single.estimates["determinacy"].interval()[1] == 1.0


@pytest.mark.parametrize("n", range(1, 40))
def test_what_never_happens_has_an_interval_from_zero(n):
    never = evaluate_sets([0] * n, [1] * n, classes=[0, 1]).estimates
    assert never["coverage"].interval()[0] == never["empty_rate"].interval()[0] == 0.0
    assert never["determinacy"].interval()[1] == 1.0


@fewer(5)
@given(labelled_sets())
def test_the_frame_by_class_says_what_the_rows_of_each_class_say(data):
    y, sets = data
    frame = evaluate_sets(y, sets, "u65").by_class_frame(0.9)
    for label in np.unique(y):
        of_class = y == label
        alone = evaluate_sets(y[of_class], sets[of_class], "u65")
        row = frame.loc[label]
        assert row["rows"] == of_class.sum()
        for name in ("coverage", "determinacy", "single_accuracy", "mean_set_size", "u65"):
            ends = alone.estimates[name].interval(0.9)
            found = row[[name, f"{name}_lower", f"{name}_upper"]].tolist()
            np.testing.assert_allclose(found, [alone[name], *ends], rtol=1e-12, atol=1e-12)
    assert frame["rows"].sum() == len(y)


@pytest.mark.parametrize("n_classes", [4, 150])
@pytest.mark.parametrize("with_clusters", [False, True])
def test_few_and_many_classes_with_and_without_clusters_give_the_same_frame(
    n_classes, with_clusters
):
    rng = np.random.default_rng(0)
    y, sets = rng.integers(0, 3, 90), np.zeros((90, n_classes), dtype=bool)
    sets[:, :4] = rng.random((90, 4)) < 0.5
    groups = np.repeat(np.arange(30), 3) if with_clusters else None
    found = evaluate_sets(y, sets, "u65", groups=groups).by_class_frame()
    assert list(found.index) == list(range(n_classes))
    assert found.loc[3:, "rows"].eq(0).all()
    assert found.loc[3:, "u65"].isna().all()
    for label in range(3):
        of_class = y == label
        clusters = None if groups is None else groups[of_class]
        alone = evaluate_sets(y[of_class], sets[of_class], "u65", groups=clusters)
        ends = alone.estimates["u65"].interval()
        row = found.loc[label, ["u65", "u65_lower", "u65_upper"]].tolist()
        np.testing.assert_allclose(row, [alone["u65"], *ends], rtol=1e-12)


def test_discounted_accuracy_is_printed_once():
    text = repr(evaluate_sets(Y, SETS))
    assert "u50 (discounted accuracy)" in text
    assert text.count("discounted accuracy") == 1
    assert "discounted accuracy" in repr(evaluate_sets(Y, SETS, "u65"))

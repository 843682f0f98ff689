"""What results say when they are printed."""

import numpy as np
import pytest

from wager import evaluate_selective
from wager.rewards import (
    MEASURES,
    GroupGap,
    ProbabilityTally,
    UniformityTest,
    calibration_test,
    caution_by_group,
    coverage_report,
    evaluate_probabilities,
    worst_slice,
)


@pytest.mark.parametrize("name", ["coverage", "brier", "log_loss"])
def test_measures_of_sets_and_of_probabilities_are_shown_alike(name):
    shown = repr(MEASURES[name]).splitlines()
    assert shown[0] == MEASURES[name].title
    assert f"formula         {MEASURES[name].formula}" in shown
    assert f"name in Python  {name}" in shown


def test_a_worst_slice_is_a_table_of_the_slice_and_of_all_rows():
    X = np.linspace(-1, 1, 40)[:, None]
    found = worst_slice(np.zeros(40, int), X[:, 0] > 0.5, X, n_directions=[[1.0]], share=0.2)
    shown = repr(found).splitlines()
    for title, part in (("this slice", found.coverage), ("all rows", found.overall)):
        numbers = (part.value, part.standard_error, *part.interval())
        line = next(line for line in shown if line.startswith(title))
        assert line.split()[2:] == [f"{number:.4f}" for number in numbers]


def test_a_long_coverage_report_says_how_many_parts_it_does_not_show():
    y = np.arange(60)
    assert "11 more parts: see parts or to_frame()" in repr(
        coverage_report(y % 30, y % 30, alpha=0.1)
    )
    assert "more parts" not in repr(coverage_report(y % 5, y % 5, alpha=0.1))


@pytest.mark.parametrize(("n_classes", "is_cut"), [(3, False), (40, True)])
def test_the_prior_of_many_classes_is_cut_off(n_classes, is_cut):
    shown = repr(evaluate_probabilities(np.arange(n_classes), np.eye(n_classes)))
    assert (", ..." in shown) is is_cut
    assert ("more classes: see to_frame()" in shown) is is_cut


def test_scores_that_are_known_elsewhere_are_shown_for_comparison():
    shown = repr(evaluate_probabilities([0, 1], [[0.8, 0.2], [0.3, 0.7]]))
    rewards, others = shown.split("for comparison")
    for title in ("accuracy", "log loss (nats)", "Brier score"):
        assert title not in rewards
        assert title in others


def test_the_sentence_of_a_risk_says_which_loss_it_is_unless_it_is_the_error():
    rows = [0, 1, 0], [[0], [0, 1], [1]], [0.9, 0.8, 0.7]
    assert "risk (1 - u65) 0.4500 if all" in evaluate_selective(*rows, utility="u65").sentence()
    assert "risk 0.3333 if all" in evaluate_selective(*rows).sentence()


def test_a_test_of_calibration_says_what_it_assumes():
    rows = [0, 1] * 4, [[0.6, 0.4]] * 8
    plain, clustered = (
        calibration_test(evaluate_probabilities(*rows, groups=groups).reliability_top_label)
        for groups in (None, [1, 1, 2, 2, 3, 3, 4, 4])
    )
    assert plain.assumption == "the rows are independent"
    assert clustered.assumption == "the clusters are independent, and there are many of them"


def test_an_interval_that_begins_at_0_does_not_exclude_it():
    assert not GroupGap("coverage", "x", "y", 0.1, 0.0, 0.2, 0).is_significant
    assert GroupGap("coverage", "x", "y", 0.1, 0.01, 0.2, 1).is_significant


def test_groups_that_are_alike_are_named_both():
    found = caution_by_group(["x", "y"] * 10, [0] * 20, [[0]] * 20, classes=[0, 1])
    for gap in found.gaps:
        assert (gap.most, gap.least, gap.gap, gap.n_significant) == ("x", "y", 0, 0)


def test_a_p_value_at_the_level_does_not_reject():
    found = UniformityTest(
        statistic=0.1, at=0.5, p=0.05, n_rows=100, n_effective=100.0, smoothed=True
    )
    assert found.verdict(0.05).startswith("the data are compatible")
    assert found.verdict(0.06).startswith("the p-values of the true classes are not uniform")


def test_every_measure_that_an_unknown_name_is_answered_with_can_be_computed():
    tally = ProbabilityTally.of([0, 1, 1], [[0.8, 0.2], [0.3, 0.7], [0.4, 0.6]])
    with pytest.raises(ValueError, match="there is no measure 'x' of probabilities") as found:
        tally.score("x")
    offered = str(found.value).partition("choose from ")[2].split(", ")
    assert {"log_loss", "top_label_calibration_error"} <= set(offered)
    for name in offered:
        assert MEASURES[name].kind == "probabilities"
        assert isinstance(tally.score(name).value, float)

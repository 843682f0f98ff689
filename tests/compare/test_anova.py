"""Repeated-measures analysis of variance, against statsmodels and by its own laws."""

import numpy as np
import pytest

from wager.compare import bonferroni_intervals, paired_t, repeated_measures_anova


@pytest.mark.parametrize("shape", [(6, 3, 2), (8, 4, 3), (5, 2, 2)])
def test_the_f_tests_are_those_of_statsmodels(shape):
    pd = pytest.importorskip("pandas")
    anova_rm = pytest.importorskip("statsmodels.stats.anova").AnovaRM
    y = np.random.default_rng(sum(shape)).normal(size=shape)
    subject, a, b = (axis.ravel() for axis in np.indices(shape))
    frame = pd.DataFrame({"y": y.ravel(), "subject": subject, "A": a, "B": b})
    theirs = anova_rm(frame, "y", "subject", within=["A", "B"]).fit().anova_table
    ours = repeated_measures_anova(y)
    for name in ("A", "B", "A:B"):
        assert ours[name].F == pytest.approx(theirs.loc[name, "F Value"])  # noqa: SIM300
        assert ours[name].p == pytest.approx(theirs.loc[name, "Pr > F"])


def test_a_factor_of_two_levels_needs_no_sphericity_correction():
    effect = repeated_measures_anova(np.random.default_rng(0).normal(size=(7, 2, 3)))["A"]
    assert effect.epsilon_gg == pytest.approx(1)
    assert effect.p_gg == pytest.approx(effect.p)


def test_epsilon_lies_between_its_bounds_and_corrections_are_conservative():
    effect = repeated_measures_anova(np.random.default_rng(1).normal(size=(9, 4, 2)) ** 3)["A"]
    assert 1 / 3 - 1e-12 <= effect.epsilon_gg <= effect.epsilon_hf <= 1


def test_adding_a_constant_to_a_subject_changes_nothing():
    rng = np.random.default_rng(2)
    y = rng.normal(size=(6, 3, 2))
    moved = repeated_measures_anova(y + rng.normal(size=(6, 1, 1)) * 10)
    for before, after in zip(repeated_measures_anova(y).effects, moved.effects, strict=True):
        assert after.F == pytest.approx(before.F)  # noqa: SIM300


def test_bonferroni_intervals_are_wider_than_the_single_ones():
    y = np.random.default_rng(3).normal(size=(10, 3))
    joint = bonferroni_intervals(y, names=["a", "b", "c"])["a", "b"]
    alone = paired_t(y[:, 0], y[:, 1])
    assert joint.interval[0] < alone.interval[0] < alone.interval[1] < joint.interval[1]


def test_a_table_of_the_wrong_shape_is_refused_with_a_clear_message():
    with pytest.raises(ValueError, match="subjects, levels of A, levels of B"):
        repeated_measures_anova(np.zeros((3, 4)))

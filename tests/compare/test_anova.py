"""Repeated-measures analysis of variance, against statsmodels and by its own laws."""

import numpy as np
import pytest
from scipy.stats import f

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


def slow_epsilons(y):
    """Greenhouse & Geisser (1959) and Huynh & Feldt (1976), from the covariances of the levels."""
    n, k = y.shape
    s = np.cov(y, rowvar=False)
    top = (k * (np.trace(s) / k - s.mean())) ** 2
    below = (s**2).sum() - 2 * k * (s.mean(axis=1) ** 2).sum() + (k * s.mean()) ** 2
    gg = top / ((k - 1) * below)
    hf = (n * (k - 1) * gg - 2) / ((k - 1) * (n - 1 - (k - 1) * gg))
    return gg, min(hf, 1.0)


def test_corrections_for_sphericity_are_those_of_the_textbooks():
    rng = np.random.default_rng(4)
    y = rng.normal(size=(12, 4, 2)) * [[[3], [1], [1], [0.5]]] + rng.normal(size=(12, 1, 1))
    effect = repeated_measures_anova(y)["A"]
    gg, hf = slow_epsilons(y.mean(axis=2))
    assert gg < hf < 1
    assert effect.epsilon_gg == pytest.approx(gg)
    assert effect.epsilon_hf == pytest.approx(hf)
    assert effect.p_gg == pytest.approx(f.sf(effect.F, 3 * gg, 33 * gg))
    assert effect.p_hf == pytest.approx(f.sf(effect.F, 3 * hf, 33 * hf))


def test_the_share_of_the_variance_is_between_0_and_1():
    y = np.random.default_rng(5).normal(size=(6, 3, 2))
    for effect in repeated_measures_anova(y).effects:  # eta squared follows from F
        share = effect.F * effect.df_num / (effect.F * effect.df_num + effect.df_den)
        assert effect.partial_eta_squared == pytest.approx(share)
    tiny = repeated_measures_anova(y * 1e-3)
    assert tiny["A"].partial_eta_squared == pytest.approx(
        repeated_measures_anova(y)["A"].partial_eta_squared
    )
    assert repeated_measures_anova(np.ones((4, 3, 2)))["A"].partial_eta_squared == 0


def test_the_sentence_lists_the_significant_effects():
    found = repeated_measures_anova(np.random.default_rng(6).normal(size=(9, 3, 2)))
    ps = sorted((effect.p, effect.name) for effect in found.effects)
    between = (ps[0][0] + ps[1][0]) / 2
    first = f"{ps[0][1]} (p = {ps[0][0]:.4g})"
    assert found.verdict(between) == f"significant at {between:g}: {first}"
    assert found.verdict(ps[0][0]).endswith(": none of the effects")  # p must be below the level


def test_levels_without_names_are_numbered():
    assert list(bonferroni_intervals([[1, 2, 5], [2, 4, 7]])) == [
        ("level 1", "level 2"),
        ("level 1", "level 3"),
        ("level 2", "level 3"),
    ]


def test_with_two_subjects_both_corrections_are_at_their_least():
    rng = np.random.default_rng(0)
    for scores in rng.random((20, 2, 4, 3)):
        for effect in repeated_measures_anova(scores).effects:
            assert effect.epsilon_hf == effect.epsilon_gg == pytest.approx(1 / effect.df_num)


@pytest.mark.parametrize(
    ("scores", "shape"),
    [([1, 2, 3], r"\(3,\)"), ([[1], [2], [3]], r"\(3, 1\)"), ([[[1, 2]]], r"\(1, 1, 2\)")],
)
def test_joint_intervals_need_a_table_with_two_levels(scores, shape):
    with pytest.raises(
        ValueError, match=rf"intervals need a table \(subjects, levels\), got shape {shape}"
    ):
        bonferroni_intervals(scores)


@pytest.mark.parametrize("unit", [1, 0.1, 1 / 3, 1e-14, 1e9])
@pytest.mark.parametrize("shift", [0, 5])
def test_equal_levels_have_no_effect_in_any_unit(unit, shift):
    one = np.random.default_rng(1).normal(0.8, 0.05, (6, 3, 1)) + shift
    anova = repeated_measures_anova(one.repeat(4, axis=2) * unit)
    for name in ("B", "A:B"):
        assert (anova[name].F, anova[name].p, anova[name].partial_eta_squared) == (0, 1, 0)
    assert anova["A"].p == pytest.approx(repeated_measures_anova(one.repeat(2, axis=2))["A"].p)

"""Pictures of comparisons: what stands on them, not how they look."""

import numpy as np
import pandas as pd
import pytest

from wager.compare import (
    break_even,
    compare_selective,
    holm,
    nemenyi,
    risk_profile,
    sequential,
)
from wager.plots import (
    plot_confidence_sequence,
    plot_critical_difference,
    plot_nemenyi_segments,
    plot_risk_coverage,
    plot_risk_profile,
    plot_scatter,
    save,
)
from wager.rewards import PairedTally, evaluate_selective


@pytest.fixture
def scores():
    return np.random.default_rng(0).random((20, 5)) + np.array([0, 0.1, 0.2, 0.6, 0.9])


def words(ax):
    return " ".join(text.get_text() for text in ax.texts)


def test_the_critical_difference_diagram_names_every_classifier_and_the_distance(scores):
    comparison = nemenyi(scores, names=list("abcde"))
    said = words(plot_critical_difference(comparison))
    for name, rank in zip("abcde", comparison.mean_ranks, strict=True):
        assert f"{name}  {rank:.2f}" in said
    assert f"critical difference {comparison.critical_difference:.2f}" in said


def test_bars_join_only_classifiers_without_a_significant_difference(scores):
    from wager.plots._critical_difference import _groups

    comparison = nemenyi(scores)
    for first, last in _groups(comparison):
        assert last - first <= comparison.critical_difference


def test_segments_are_as_long_as_the_critical_difference(scores):
    comparison = nemenyi(scores)
    ax = plot_nemenyi_segments(comparison)
    lengths = [np.ptp(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2]
    assert lengths == pytest.approx([comparison.critical_difference] * 5)
    with pytest.raises(ValueError, match="use nemenyi"):
        plot_nemenyi_segments(holm(scores))


def test_the_scatter_counts_the_data_sets_on_either_side():
    ax = plot_scatter([1, 2, 3], [2, 3, 1], names=("ncc", "cdt"))
    assert "cdt better: 2" in words(ax)
    assert "ncc better: 1" in words(ax)
    higher = plot_scatter([1, 2, 3], [2, 3, 1], names=("ncc", "cdt"), word="higher")
    assert [text.get_text() for text in higher.texts] == ["cdt higher: 2", "ncc higher: 1"]
    first, second = pd.Series({"x": 1, "y": 2, "z": 3}), pd.Series({"z": 1, "y": 3, "x": 2})
    assert "B better: 2" in words(plot_scatter(first, second))


def test_the_risk_profile_marks_the_break_even_point(tmp_path):
    y = np.zeros(1000, dtype=int)
    plain = (np.arange(1000) < 140).astype(int)
    cautious = np.ones((1000, 2), dtype=bool)
    cautious[500:, 1] = False
    paired = PairedTally.of(y, cautious, plain, classes=[0, 1])
    profile = risk_profile({"cautious": paired.a, "plain": paired.b})
    ax = plot_risk_profile(profile, {("cautious", "plain"): break_even(paired)})
    assert "0.72" in words(ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["cautious", "plain"]
    save(ax.figure, tmp_path / "profile.png")
    assert [path.name for path in tmp_path.iterdir()] == ["profile.png"]


def test_a_profile_of_costs_says_that_it_shows_costs():
    from wager.costs import CostMatrix, CostTally

    y = [0, 1, 2, 2]
    tallies = {"plain": CostTally.of(y, [0, 1, 1, 2], classes=range(3)),
               "vacuous": CostTally.of(y, [[0, 1, 2]] * 4, classes=range(3))}  # fmt: skip
    costs = CostMatrix.ordinal(range(3))
    ax = plot_risk_profile(risk_profile(tallies, "p-discounted", costs=costs))
    assert ax.get_ylabel() == "expected cost"
    assert ax.get_xlabel().startswith("r: ")


def test_the_confidence_sequence_marks_the_row_of_decision():
    y = [0, 1] * 400
    comparison = sequential(y, y, [[0, 1]] * 800)
    assert f"decided at row {comparison.decided_at}" in words(plot_confidence_sequence(comparison))


def test_names_with_dollar_signs_are_drawn_as_they_are(tmp_path):
    from wager.costs import CostMatrix
    from wager.partitions import standardize
    from wager.plots import plot_costs, plot_simplex

    name = r"$\bad$"
    table = nemenyi(np.random.default_rng(0).random((6, 3)), names=[name, "b", "c"])
    costs = CostMatrix.zero_one([name, "b", "c"]).extend("discounted")
    proba = np.random.default_rng(1).dirichlet(np.ones(3), 12)
    truth = np.array([name, "b", "c"])[proba.argmax(axis=1)]
    partition = standardize(truth, proba, [name, "b", "c"])
    for i, ax in enumerate(
        (
            plot_critical_difference(table),
            plot_costs(costs),
            plot_simplex(partition),
            plot_scatter([1, 2], [2, 1], names=(name, "b")),
        )
    ):
        save(ax.figure, tmp_path / f"{i}.png")
    assert len(list(tmp_path.iterdir())) == 4


def test_the_risk_coverage_plot_ends_at_the_risk_of_all_rows():
    rng = np.random.default_rng(0)
    wrong = (rng.random(90) < 0.3).astype(int)
    found = {name: evaluate_selective(np.zeros(90), wrong, rng.random(90)) for name in "ab"}
    for of, end in (("selective", 0), ("generalized", 0), ("utility", 1)):
        lines = plot_risk_coverage(found, of=of).lines
        assert len(lines) == 2
        for line in lines:
            assert line.get_xdata()[-1] == 1
            assert line.get_ydata()[-1] == pytest.approx(abs(end - wrong.mean()))
    both = plot_risk_coverage(compare_selective(found["a"], found["b"], names=("x", "y")))
    assert [text.get_text() for text in both.get_legend().get_texts()] == ["x", "y"]


def test_the_risk_coverage_plot_refuses_what_it_cannot_draw():
    found = evaluate_selective([0, 1], [0, 0], [1, 2], loss=[0, 1])
    with pytest.raises(ValueError, match="a loss is not a utility: use of='selective'"):
        plot_risk_coverage(found, of="utility")
    other = evaluate_selective([0, 1], [0, 0], [1, 2])
    with pytest.raises(ValueError, match=r"the losses differ \(0/1 error and loss\)"):
        plot_risk_coverage({"a": found, "b": other})
    with pytest.raises(ValueError, match="of must be one of 'selective', 'generalized'"):
        plot_risk_coverage(other, of="risk")

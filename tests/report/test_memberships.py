"""Memberships in files: how they are made is chosen and said, and memory does not grow."""

import numpy as np
import pytest

from wager.partitions import standardize, to_memberships
from wager.predictions import scan_predictions, write_predictions
from wager.report import MembershipChoice, score_file
from wager.rewards import get_utility

UTILITIES = [get_utility("u65")]
CLASSES = np.array(["a", "b", "c"])
NAMES = {"partition_accuracy": "accuracy", "separation": "separation"}
NAMES |= {"correctness_rate": "correctness", "confidence": "confidence"}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    return CLASSES[truth], 1.5 * np.eye(3)[truth] + rng.normal(size=(200, 3))


def scored(path, y, scores, choice=None, *, by_group=False, **columns):
    write_predictions(path, y, memberships=scores, classes=CLASSES, **columns)
    return score_file(scan_predictions(path), "m", UTILITIES, memberships=choice, by_group=by_group)


def measures(found, group=""):
    return {
        NAMES[s.measure]: (s.value, s.standard_error)
        for s in found.scores
        if s.family == "memberships" and s.group == group and s.measure in NAMES
    }


def expected(partition):
    return {
        name: pytest.approx((estimate.value, estimate.standard_error), abs=1e-10)
        for name, estimate in partition.estimates.items()
    }


@pytest.mark.parametrize(
    "choice",
    [
        MembershipChoice(),
        MembershipChoice("softmax", 2.5),
        MembershipChoice(sharpness=0.3),
        MembershipChoice("shift", depth=2),
        MembershipChoice("rank", ties="join"),
        MembershipChoice("rank", ties="random"),
    ],
)
@pytest.mark.parametrize("numbers", [1 << 20, 30])
def test_a_file_has_the_partition_of_its_arrays(data, tmp_path, choice, numbers, monkeypatch):
    monkeypatch.setattr("wager.predictions.files._read._CHUNK", numbers)  # ten rows at a time
    monkeypatch.setattr("wager._tables._rows.BLOCK", numbers)
    y, scores = data
    found = scored(tmp_path / "m.parquet", y, scores, choice)
    made = to_memberships(scores, choice.kind or "softmax", sharpness=choice.sharpness or 1)
    whole = standardize(y, made, CLASSES, choice.depth, choice.ties, random_state=0)
    assert measures(found) == expected(whole)


def test_weights_counts_clusters_and_groups_are_those_of_the_arrays(data, tmp_path, monkeypatch):
    y, scores = data
    rng = np.random.default_rng(1)
    columns = {
        "weight": rng.random(200),
        "count": rng.integers(0, 3, 200),
        "cluster": rng.integers(0, 40, 200).astype(str),
        "group": rng.choice(["x", "y"], 200),
    }
    monkeypatch.setattr("wager.predictions.files._read._CHUNK", 30)  # ten rows at a time
    found = scored(tmp_path / "m.parquet", y, scores, by_group=True, **columns)
    assert found.clusters == len(set(columns["cluster"][columns["count"] > 0]))
    made = to_memberships(scores)
    for group, rows in (("", np.full(200, True)), *((g, columns["group"] == g) for g in "xy")):
        weight, count, cluster = (columns[k][rows] for k in ("weight", "count", "cluster"))
        partition = standardize(
            y[rows], made[rows], CLASSES, sample_weight=weight, counts=count, groups=cluster
        )
        assert measures(found, group) == expected(partition)


def test_many_rows_can_be_stated_by_counts(tmp_path):
    y, scores = np.array(["a", "b", "a"]), np.array([[0.5, 0.3, 0.2], [0, 1, 0], [0.2, 0.5, 0.3]])
    found = scored(tmp_path / "n.csv", y, scores, count=[10**9] * 3)
    rows = {s.value for s in found.scores if s.measure == "rows"}
    assert rows == {3 * 10**9}


# Words -------------------------------------------------------------------------------------------


def test_scores_are_turned_into_memberships_by_softmax_with_a_warning(data, tmp_path):
    found = scored(tmp_path / "m.csv", *data)
    assert found.sentences[-2] == (
        "Memberships: softmax of the scores, sharpness 1; depth 1, ties first."
    )
    assert found.warnings == (found.sentences[-1],)
    y, scores = data
    small, now, large = (
        standardize(y, to_memberships(factor * scores), CLASSES).accuracy for factor in (0.1, 1, 10)
    )
    assert (
        f"depends on the scale of the scores: partition accuracy is {now:.3f} here, {large:.3f} if "
        f"all scores are 10 times as large, and {small:.3f} if they are a tenth"
    ) in found.warnings[0]
    assert found.memberships.to_dict()["accuracy_by_scale"] == pytest.approx(
        {"0.1": small, "1": now, "10": large}
    )


def test_long_files_are_not_scored_again_in_other_units(data, tmp_path, monkeypatch):
    monkeypatch.setattr("wager.report._memberships.ROWS_RESCALED", 100)
    found = scored(tmp_path / "m.csv", *data)
    assert found.memberships.to_dict()["accuracy_by_scale"] is None
    assert "it depends on the scale of the scores. --memberships rank" in found.warnings[0]


def test_one_class_has_no_partition(tmp_path):
    (tmp_path / "one.csv").write_text("y_true,m:a\na,1\n")
    with pytest.raises(ValueError, match=r"one.csv: memberships need at least two m: columns"):
        score_file(scan_predictions(tmp_path / "one.csv"), "m", UTILITIES)


@pytest.mark.parametrize("kind", ["shift", "rank"])
def test_other_choices_do_not_depend_on_the_scale(data, tmp_path, kind):
    y, scores = data
    one, ten = (
        scored(tmp_path / f"{factor}.csv", y, factor * scores, MembershipChoice(kind))
        for factor in (1, 10)
    )
    assert one.warnings == ()
    for name, values in measures(one).items():
        assert measures(ten)[name] == pytest.approx(values, abs=1e-9)


def test_memberships_are_used_as_they_are(data, tmp_path):
    y, scores = data
    made = to_memberships(scores)
    for choice in (None, MembershipChoice("none")):
        found = scored(tmp_path / "m.parquet", y, made, choice)
        assert measures(found) == expected(standardize(y, made, CLASSES))
        assert found.sentences[-1].startswith("Memberships: the numbers of the file")
        assert found.memberships.to_dict() == {
            "kind": "none", "sharpness": None, "zero": None, "depth": 1, "ties": "first",
            "depends_on_scale": False, "accuracy_by_scale": None,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "cluster", "words"),
    [
        ([0.5, 0.5, 0.2], None, r"m.csv: row 2 sums to 1.2 instead of 1, so the m: columns are"),
        ([1.5, -0.5, 0], None, "row 2 has the negative value -0.5"),
        ([1.5, -0.5, 0], ["x", "y"], "m.csv: a row has the negative value -0.5"),
    ],
)
def test_numbers_that_are_not_memberships_are_named(tmp_path, row, cluster, words):
    columns = {} if cluster is None else {"cluster": cluster}
    with pytest.raises(ValueError, match=words):
        scored(
            tmp_path / "m.csv", ["a", "b"], [[1, 0, 0], row], MembershipChoice("none"), **columns
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "mean"}, "memberships must be softmax, shift, rank or none, got 'mean'"),
        ({"kind": "none", "sharpness": 2.0}, "sharpness is for softmax, not for memberships by"),
        ({"sharpness": -1.0}, "sharpness must be positive, got -1"),
        ({"sharpness": float("nan")}, "sharpness must be positive, got nan"),
        ({"sharpness": 1e308}, r"between 1e-100 and 1e\+100, got 1e\+308"),
    ],
)
def test_a_wrong_choice_is_one_sentence(options, words):
    with pytest.raises(ValueError, match=words):
        MembershipChoice(**options)

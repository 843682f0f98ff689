"""Standardized partitions beside R's klaR, each file of ``klar/`` one membership matrix.

Where klaR departs from the paper, the block ``decided`` of the file holds what is right; where both
agree, klaR's own numbers are compared as well, also those of its search for another certainty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reference.compare import assert_close
from tests.reference.registry import Case, Part, check, splitter
from wager.metrics import correctness_rate, partition_accuracy, separation
from wager.partitions import (
    PartitionMeasures,
    StandardizedPartition,
    standardize,
    to_memberships,
)
from wager.plots import simplex_coordinates
from wager.plots._simplex_geometry import region_borders, simplex_grid
from wager.predictions import check_probabilities

ASPECTS = (
    "memberships", "unscaled", "regions", "klar_scaled", "klar_dis", "decided", "errormatrix",
)  # fmt: skip
BRANCHES = {"all_one": "one", "all_zero": "zero", "shift": "shift", "beta": "beta"}
KLAR_DECIMALS = 1e-8


@splitter("klar")
def _klar(file: Path) -> Iterator[Part]:
    data = json.loads(file.read_text(encoding="utf-8"))
    if "decided" not in data:
        yield f"klar/{data['name']}", "", data
        return
    for aspect in ASPECTS:
        yield f"klar/{aspect}", aspect, data


def _partition(data: dict[str, Any]) -> StandardizedPartition:
    labels = np.array(data["class_labels"])
    truth = labels[np.array(data["true_class"]) - 1]
    return standardize(truth, data["membership"], classes=labels)


def _tolerance(data: dict[str, Any]) -> float:
    # Next to 1 the distribution function is within rounding of 1, and klaR loses the upper tail.
    member = np.array(data["membership"])
    return 1e-5 if ((member < 1) & (member > 1 - 1e-10)).any() else KLAR_DECIMALS


@check("klar/memberships")
def memberships(case: Case) -> None:
    data = case.data
    if data["raw_rule"] and "e.scal" in data["raw_rule"]:
        ours = to_memberships(data["raw_membership"], kind="softmax")
        np.testing.assert_allclose(ours, data["membership"], atol=1e-12)
    np.testing.assert_array_equal(_partition(data).assigned + 1, data["assigned_class"])


@check("klar/unscaled")
def unscaled(case: Case) -> None:
    before = _partition(case.data).measures_before
    ours = {
        "CR": before.correctness,
        "AC": before.accuracy,
        "AS": before.separation,
        "CF": before.confidence,
        "CFvec": before.confidence_by_class,
    }
    assert set(case.data["unscaled"]) == set(ours)
    assert_close(ours, case.data["unscaled"], 1e-12)


@check("klar/regions")
def regions(case: Case) -> None:
    data = case.data
    found = {region.orders[0][0]: region for region in _partition(data).regions}
    for stored in data["regions"]:
        region = found.get(data["class_labels"][stored["class"] - 1])
        if region is None:
            assert not stored["n"]
            continue
        step = region.steps[0]
        ours = {"n": region.n, "correctness": step.p, "mean_assignment": step.mean}
        assert_close(ours, {key: stored[key] for key in ours}, 1e-12)
        if stored["n"] > 1:  # klaR calls the variance of one object 0
            assert_close(step.variance, stored["variance"], 1e-12)
        if stored["branch"] == "beta" and step.branch == "beta":
            assert_close(step.concentration, stored["NM"], 1e-9 * max(1, stored["NM"]))
            assert np.floor(step.certainty) == stored["N"]


@check("klar/decided")
def decided(case: Case) -> None:
    partition, stored = _partition(case.data), case.data["decided"]
    found = {region.orders[0][0]: region.steps[0].branch for region in partition.regions}
    branches = [found.get(label, "empty") for label in case.data["class_labels"]]
    assert branches == [BRANCHES.get(branch, branch) for branch in stored["region_branch"]]
    tolerance = _tolerance(case.data)
    np.testing.assert_allclose(partition.scaled, stored["scaled"], atol=tolerance)
    ours = {
        "CR": partition.correctness,
        "AC": partition.accuracy,
        "AS": partition.separation,
        "CF_assigned": partition.confidence,
        "CF_rowmax": partition.scaled.max(axis=1).mean(),
    }
    assert set(stored["measures"]) == set(ours)
    assert_close(ours, stored["measures"], tolerance)
    radius = np.sqrt((case.data["G"] - 1) / case.data["G"])
    assert_close((1 - partition.accuracy) * radius, stored["mean_distance_true"], tolerance)
    assert_close((1 - partition.separation) * radius, stored["mean_distance_assigned"], tolerance)


@check("klar/errormatrix")
def errormatrix(case: Case) -> None:
    data, partition = case.data, _partition(case.data)
    n_classes = data["G"]
    counts = np.zeros((n_classes, n_classes))
    place = {label: code for code, label in enumerate(data["class_labels"])}
    for region in partition.regions:
        counts[:, place[region.orders[0][0]]] = region.n * region.frequencies
    stored = np.array(data["errormatrix"])
    np.testing.assert_allclose(counts, stored[:n_classes, :n_classes], atol=1e-9)
    wrong = counts - np.diag(np.diag(counts))
    np.testing.assert_allclose(wrong.sum(axis=1), stored[:n_classes, n_classes], atol=1e-9)
    np.testing.assert_allclose(wrong.sum(axis=0), stored[n_classes, :n_classes], atol=1e-9)
    np.testing.assert_allclose(
        (1 - partition.correctness) * data["n"], stored[n_classes, n_classes], atol=1e-9
    )


@check("klar/klar_scaled")
def klar_scaled(case: Case) -> None:
    """klaR's measures of its own scaled matrix, and the rows it scales as the paper says."""
    data, partition = case.data, _partition(case.data)
    theirs = np.array(data["klar_scaled"], dtype=np.float64)
    truth = np.array(data["true_class"]) - 1
    if not (theirs >= 0).all():  # klaR failed: values below 0, or none at all
        with pytest.raises(ValueError, match="klar must contain finite values"):
            check_probabilities(theirs, name="klar")
        return
    rescaled = data["klar_scaled_measures_rescaled_assignment"]
    assert_close(correctness_rate(truth, theirs), rescaled["CR"], 1e-12)
    assert_close(partition_accuracy(truth, theirs, scale=False), rescaled["AC"], 1e-12)
    assert_close(separation(truth, theirs, scale=False), rescaled["AS"], 1e-12)
    original = data["klar_scaled_measures_original_assignment"]
    measured = PartitionMeasures.of(theirs, truth, partition.assigned, None)
    ours = {"CR": measured.correctness, "AC": measured.accuracy, "AS": measured.separation}
    assert_close(ours, {key: original[key] for key in ours}, 1e-12)

    for stored in data["regions"]:
        if _as_the_paper(stored):
            code = stored["class"] - 1
            rows = partition.assigned == code
            ours, tolerance = partition.scaled[rows], _tolerance(data)
            np.testing.assert_allclose(ours[:, code], theirs[rows, code], atol=tolerance)
            # Next to a corner klaR gives up the ratios of the other classes.
            inside = partition.memberships[rows, code] < 1 - 1e-6
            np.testing.assert_allclose(ours[inside], theirs[rows][inside], atol=tolerance)


@check("klar/klar_dis")
def klar_dis(case: Case) -> None:
    """The certainty that klaR finds in every region, and what it scales with it.

    klaR's first number is the fitted certainty rounded down, ours is the fitted certainty itself.
    """
    data, theirs = case.data, case.data["klar_dis"]
    labels = np.array(data["class_labels"])
    truth = labels[np.array(data["true_class"]) - 1]
    partition = standardize(truth, data["membership"], classes=labels, certainty="searched")
    assert 0 <= partition.accuracy <= 1
    if "error" in theirs:  # klaR failed
        return
    found = {region.orders[0][0]: region.steps[0] for region in partition.regions}
    for stored in data["regions"]:
        step, code = found.get(labels[stored["class"] - 1]), stored["class"] - 1
        if step is None or step.branch != "beta" or stored["branch"] != "beta":
            continue
        best = theirs["N"][str(stored["class"])]
        if best == stored["N"]:
            assert np.floor(step.certainty) == best
        elif _tolerance(data) > KLAR_DECIMALS:  # klaR has lost the upper tail
            assert abs(step.certainty - best) <= 1
        else:
            assert step.certainty == best
            rows = partition.assigned == code
            scaled = np.array(theirs["scaled"], dtype=np.float64)[rows]
            np.testing.assert_allclose(partition.scaled[rows, code], scaled[:, code], atol=1e-8)


def _as_the_paper(region: dict[str, Any]) -> bool:
    """klaR rounds the certainty down and shifts where the rate is 1; elsewhere it is as decided."""
    if not region["n"] or region["correctness"] in (0, 1):
        return False
    if region["branch"] != "beta":
        return bool(region["branch"].startswith("shift"))
    return region["N"] == min(region["n"], region["NM"])


@check("klar/escal")
def escal(case: Case) -> None:
    for sharpness, stored in zip(case.data["k"], case.data["sv"], strict=True):
        ours = to_memberships(case.data["x"], kind="softmax", sharpness=sharpness)
        np.testing.assert_allclose(ours, stored, atol=1e-13)


@check("klar/simplex_coordinates")
def coordinates(case: Case) -> None:
    data = case.data
    for points, stored in (("points3", "tritrafo"), ("points4", "quadtrafo")):
        np.testing.assert_allclose(simplex_coordinates(data[points]), data[stored], atol=1e-12)
    for ours, stored in (
        (region_borders(3), data["centerlines3"]),
        (region_borders(4), data["centerlines4"]),
        (simplex_grid(), data["trigrid_default"]),
    ):
        assert _as_set(ours) == _as_set(_segments(stored))
    for point, lines in zip(
        data["points3"][4:8], data["triperplines_for_points3_rows_5_to_8"], strict=True
    ):
        for i, segment in enumerate(_segments(lines)):
            foot = np.array(point) + np.array(point)[i] / 2
            foot[i] = 0
            ends = simplex_coordinates([point, foot])
            np.testing.assert_allclose(ends, segment, atol=1e-12)


def _segments(lines: list[list[float | None]]) -> list[list[list[float | None]]]:
    """Pairs of points, separated by nulls."""
    points = [point for point in lines if point[0] is not None]
    return [points[i : i + 2] for i in range(0, len(points), 2)]


def _as_set(segments: Any) -> set[frozenset[tuple[float, ...]]]:
    """Segments without order or direction."""
    rounded = np.round(np.asarray(segments, dtype=np.float64), 9) + 0.0
    return {frozenset(map(tuple, segment)) for segment in rounded.tolist()}

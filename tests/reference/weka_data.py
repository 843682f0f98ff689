"""The data of the cases in ``weka/``: whole data sets, and the folds of the cross-validations."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reference.compare import assert_close
from tests.reference.registry import Case
from tests.shared import SHARED
from wager.experiments import weka_folds
from wager.metrics import evaluate_probabilities, prior_from_counts
from wager.prepare import Dataset, MDLDiscretizer, load_dataset

SMALLEST = 5e-324  # Weka takes the logarithm of at least the smallest double


def dataset_of(case: Case) -> Dataset:
    """The whole data set of a case, including rows without a class."""
    return _dataset(case.root, case.data["dataset"])


def arff_of(root: Path, name: str) -> Path:
    """The ARFF file of a public data set: in WAGER_DATA, or in ``datasets`` near the reference."""
    folders = [root / "datasets", root.parent / "datasets", SHARED / "datasets"]
    if "WAGER_DATA" in os.environ:
        folders.insert(0, Path(os.environ["WAGER_DATA"]))
    for folder in folders:
        for ending in (".arff", ".arff.gz"):
            if (folder / f"{name}{ending}").exists():
                return folder / f"{name}{ending}"
    pytest.skip(f"the data set {name} is not available")


@lru_cache(maxsize=4)
def _dataset(root: Path, name: str) -> Dataset:
    synthetic = root / "weka" / "edge_data" / f"{name}.json"
    if synthetic.exists():
        return _synthetic(json.loads(synthetic.read_text(encoding="utf-8")))
    return load_dataset(arff_of(root, name), missing_class="keep")


def _synthetic(document: dict[str, Any]) -> Dataset:
    table = np.array(document["rows"], dtype=np.float64)  # null is NaN
    truth = document["class_index"]
    features = [j for j in range(table.shape[1]) if j != truth]
    about = document["attributes"]
    return Dataset(
        document["dataset"],
        tuple(about[j]["name"] for j in features),
        tuple(table[:, j] if about[j]["values"] is None else _codes(table[:, j]) for j in features),
        tuple(about[j]["values"] and tuple(about[j]["values"]) for j in features),
        _codes(table[:, truth]),
        np.array(about[truth]["values"]),
        about[truth]["name"],
    )


def _codes(column: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(column), -1, column).astype(np.int32)


@dataclass(frozen=True)
class Fold:
    """One fold, discretized on its training part."""

    train: np.ndarray
    y_train: np.ndarray
    test: np.ndarray
    y_test: np.ndarray
    n_values: np.ndarray
    n_classes: int

    @cached_property
    def prior(self) -> np.ndarray:
        """The class probabilities in the training part, with 1 added to each count."""
        counts = np.bincount(self.y_train, minlength=self.n_classes)
        return prior_from_counts(counts, start=1)

    @cached_property
    def log_loss_of_prior(self) -> float:
        """The mean logarithmic loss of the prior on the test part, the same for every learner."""
        said = np.tile(self.prior, (len(self.y_test), 1))
        return evaluate_probabilities(self.y_test, said, self.prior).log_loss


def folds_of_codes(case: Case, fold_of_row: list[int]) -> tuple[Fold, ...]:
    """Every fold of a data set as codes, cached for the next learner on the same data set."""
    return _folds(case.root, case.data["dataset"], tuple(fold_of_row))


@lru_cache(maxsize=1)
def _folds(root: Path, name: str, fold_of_row: tuple[int, ...]) -> tuple[Fold, ...]:
    data, fold = _dataset(root, name), np.array(fold_of_row)
    return tuple(_cut(data, fold))


def _cut(data: Dataset, fold: np.ndarray) -> Iterator[Fold]:
    labels = np.where(data.target_codes < 0, np.nan, data.target_codes)
    # Weka's order of the training rows decides between classes that differ in the last digit
    for f, (train, test) in enumerate(weka_folds(labels)):
        np.testing.assert_array_equal(np.sort(test), np.flatnonzero(fold == f))
        y_train, y_test = data.target_codes[train], data.target_codes[test]
        cutter = MDLDiscretizer(categorical_features=data.nominal)
        X_train = cutter.fit(data.matrix[train], y_train).transform(data.matrix[train])
        n_values = np.where(data.nominal, data.n_values, cutter.n_values_)
        yield Fold(
            X_train,
            y_train,
            cutter.transform(data.matrix[test]),
            y_test,
            n_values,
            len(data.classes),
        )


def check_cross_validation(
    case: Case, fold_of_row: list[int], learner: Callable[[Fold], Any]
) -> None:
    """Compare all scores in a row of ``cv_accuracy.csv`` with our cross-validation of a learner."""
    row, data = case.data, dataset_of(case)
    folds = folds_of_codes(case, fold_of_row)
    expected = {key: float(row[key]) for key in row if key not in ("dataset", "classifier")}
    expected.pop("seconds_busy_machine")
    ours = cross_validation_scores(folds, learner)
    ours |= {"attributes": len(data.columns), "classes": len(data.classes), "folds": len(folds)}
    assert round(ours["correct"]) == int(row["correct"])
    assert set(expected) <= set(ours)
    for score, value in expected.items():
        assert_close(ours[score], value, 1e-9 * max(1.0, abs(value)), score)


def cross_validation_scores(
    folds: tuple[Fold, ...], learner: Callable[[Fold], Any]
) -> dict[str, float]:
    """Weka's scores over all folds; the prior is that of each training part, with 1 added."""
    n_classes = folds[0].n_classes
    confusion = np.zeros((n_classes, n_classes))
    sums = dict.fromkeys(("information", "scheme", "prior", "squares"), 0.0)
    for fold in folds:
        model = learner(fold).fit(fold.train, fold.y_train)
        proba = model.predict_proba(fold.test)
        np.add.at(confusion, (fold.y_test, proba.argmax(axis=1)), 1)
        classified = proba.any(axis=1)
        n_all, n = len(proba), int(classified.sum())
        said = evaluate_probabilities(
            fold.y_test[classified], proba[classified], fold.prior, clip=SMALLEST
        )
        sums["information"] += said.kononenko_bratko * n
        sums["scheme"] += said.log_loss * n / math.log(2)
        sums["prior"] += fold.log_loss_of_prior * n_all / math.log(2)
        sums["squares"] += said.brier * n / n_classes
    total, correct = confusion.sum(), np.trace(confusion)
    chance = confusion.sum(axis=0) @ confusion.sum(axis=1) / total**2
    return {
        "rows": total,
        "correct": correct,
        "accuracy": correct / total,
        "kappa": (correct / total - chance) / (1 - chance) if chance < 1 else 1.0,
        "kb_information": sums["information"],
        "kb_mean_information": sums["information"] / total,
        "sf_mean_scheme_entropy": sums["scheme"] / total,
        "sf_mean_prior_entropy": sums["prior"] / total,
        "rmse": math.sqrt(sums["squares"] / total),
    }

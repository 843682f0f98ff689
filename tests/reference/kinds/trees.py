"""Checks of ``weka/``: C4.5 against J48, in size, print, class probabilities, cross-validation."""

from __future__ import annotations

from itertools import pairwise
from math import floor
from typing import Any

import numpy as np
import pandas as pd

from tests.reference.compare import assert_close
from tests.reference.kinds.weka import folds_of, split_of
from tests.reference.registry import Case, check
from tests.reference.weka_data import check_cross_validation, dataset_of
from wager.learners import C45

OPTIONS = {"-C 0.25 -M 2": {"prune": True}, "-U -M 2": {"prune": False}}
PRUNED = {"J48": True, "J48_unpruned": False}
FIELDS = {"options", "accuracy", "tree_size", "num_leaves", "tree", "evaluation", "predicted"}
ABOUT = {"dataset", "class_index", "n_train", "n_test", "learner", "distribution"}


@check("weka/classifiers/J48", "weka/classifiers/J48_unpruned")
def on_codes(case: Case) -> None:
    """The rows as value indices, first without names, then as the intervals and levels they are."""
    split = split_of(case)
    at, sizes = split["class_index"], np.array(split["num_values"])
    train, test = (_integers(split[part]) for part in ("train_codes", "test_codes"))
    options = OPTIONS[case.data["options"]]
    tree = C45(**options, classes=np.arange(sizes[at]), n_values=np.delete(sizes, at))
    tree.fit(np.delete(train, at, axis=1), train[:, at])
    _compare(case, tree, np.delete(test, at, axis=1), test[:, at])

    labels = _labels(case, split)
    columns = {
        name: pd.Categorical.from_codes(train[:, j], labels[j])
        for j, name in enumerate(split["attribute_names"])
        if j != at
    }
    named = C45(**options, classes=labels[at])
    named.fit(pd.DataFrame(columns), np.array(labels[at])[train[:, at]])
    _compare_print(case, named)


@check("weka/classifiers/J48_raw", "weka/classifiers/J48_unpruned_raw")
def on_frames(case: Case) -> None:
    """The rows as they are: a frame of numbers and categories."""
    split, data = split_of(case), dataset_of(case)
    train, test = (data.rows(np.array(split[part])) for part in ("train_rows", "test_rows"))
    tree = C45(**OPTIONS[case.data["options"]], classes=data.classes)
    tree.fit(train.frame, train.target)
    _compare(case, tree, test.frame, test.y)
    _compare_print(case, tree)


@check("weka/cv/J48", "weka/cv/J48_unpruned")
def cross_validation(case: Case) -> None:
    prune = PRUNED[case.data["classifier"]]
    check_cross_validation(
        case,
        folds_of(case)["fold_of_row"],
        lambda fold: C45(prune=prune, classes=np.arange(fold.n_classes), n_values=fold.n_values),
    )


def _compare(case: Case, tree: C45, test: Any, truth: Any) -> None:
    expected = case.data
    assert set(expected) == FIELDS | ABOUT
    assert tree.n_nodes_ == expected["tree_size"]
    assert tree.n_leaves_ == expected["num_leaves"]
    proba = tree.predict_proba(test)
    np.testing.assert_allclose(proba, expected["distribution"], rtol=0, atol=1e-9)
    said = tree.predict(test)
    np.testing.assert_array_equal(said, tree.classes_[expected["predicted"]])
    assert_close(float((said == truth).mean()), expected["accuracy"], 1e-12)


def _compare_print(case: Case, tree: C45) -> None:
    printed = case.data["tree"].split("------------------\n")[1].split("Number of Leaves")[0]
    assert tree.to_text().strip() == printed.strip()


def _integers(rows: list[list[int | None]]) -> np.ndarray:
    return np.array([[-1 if code is None else code for code in row] for row in rows])


def _labels(case: Case, split: dict[str, Any]) -> list[list[str]]:
    """What Weka calls the values of each column; the class is one of them."""
    data = dataset_of(case)
    levels = dict(zip(data.columns, data.levels, strict=True))
    labels = []
    for j, name in enumerate(split["attribute_names"]):
        if j == split["class_index"]:
            labels.append(split["class_values"])
        elif str(j) in split["train_cut_points"]:
            labels.append(_intervals(split["train_cut_points"][str(j)]))
        else:
            labels.append(list(levels[name]))
    return labels


def _intervals(cuts: list[float]) -> list[str]:
    if not cuts:
        return ["'All'"]
    ends = ["-inf", *(_six_digits(cut) for cut in cuts)]
    return [*(f"'({a}-{b}]'" for a, b in pairwise(ends)), f"'({ends[-1]}-inf)'"]


def _six_digits(number: float) -> str:
    return f"{floor(number * 1e6 + 0.5) / 1e6:.6f}".rstrip("0").rstrip(".")

"""Checks of ``weka/``: class probabilities and cross-validation of the Bayesian learners."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.reference.compare import assert_close
from tests.reference.kinds.weka import folds_of, split_of
from tests.reference.registry import Case, check
from tests.reference.weka_data import check_cross_validation, dataset_of
from wager.learners import AODE, TAN, NaiveBayes

LEARNERS: dict[str, type] = {"NaiveBayes": NaiveBayes, "AODE": AODE, "TAN": TAN}
FIELDS = {"options", "accuracy", "evaluation", "predicted", "distribution"}
ABOUT = {"dataset", "class_index", "n_train", "n_test", "learner"}


@check(*(f"weka/classifiers/{name}" for name in LEARNERS))
def classifiers(case: Case) -> None:
    split = split_of(case)
    truth, n_values = split["class_index"], np.array(split["num_values"])
    train, test = (_matrix(split[f"{part}_codes"]) for part in ("train", "test"))
    model = LEARNERS[case.data["learner"]](
        classes=np.arange(n_values[truth]), n_values=np.delete(n_values, truth)
    )
    model.fit(np.delete(train, truth, axis=1), train[:, truth])
    _compare(case, model.predict_proba(np.delete(test, truth, axis=1)), test[:, truth])
    if isinstance(model, TAN):
        place = np.delete(np.arange(len(n_values)), truth)
        parents = [[truth] + ([] if p < 0 else [int(place[p])]) for p in model.parents_]
        parents.insert(truth, [])
        assert parents == case.data["parents"]
        # the other network scores are Weka's own conventions, not used in learning
        score = case.data["network_scores"]["bayes"]
        assert_close(model.log_score_, score, 1e-9 * abs(score))
        _no_more_fields(case, {"parents", "network_scores"})
    else:
        _no_more_fields(case)


@check("weka/classifiers/NaiveBayes_raw")
def raw_naive_bayes(case: Case) -> None:
    split, data = split_of(case), dataset_of(case)
    train, test = (data.rows(np.array(split[f"{part}_rows"])) for part in ("train", "test"))
    model = NaiveBayes(classes=np.arange(len(data.classes))).fit(train.frame, train.target_codes)
    _compare(case, model.predict_proba(test.frame), test.target_codes)
    _no_more_fields(case)


def _compare(case: Case, proba: Any, truth: Any) -> None:
    expected, predicted = np.array(case.data["distribution"]), np.array(case.data["predicted"])
    assert len(truth) == case.data["n_test"]
    np.testing.assert_allclose(proba, expected, rtol=0, atol=1e-9)
    best = proba[np.arange(len(proba)), predicted]
    assert (best >= proba.max(axis=1) - 1e-12).all()  # equal but for the last bit is a tie
    assert_close(float((predicted == truth).mean()), case.data["accuracy"], 1e-12)


def _no_more_fields(case: Case, more: set[str] = frozenset()) -> None:
    assert set(case.data) == FIELDS | ABOUT | more


def _matrix(rows: list[list[int | None]]) -> np.ndarray:
    return np.array([[-1 if code is None else code for code in row] for row in rows])


@check(*(f"weka/cv/{name}" for name in LEARNERS))
def cross_validation(case: Case) -> None:
    learner = LEARNERS[case.data["classifier"]]
    check_cross_validation(
        case,
        folds_of(case)["fold_of_row"],
        lambda fold: learner(classes=np.arange(fold.n_classes), n_values=fold.n_values),
    )

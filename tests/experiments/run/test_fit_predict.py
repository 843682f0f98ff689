"""A learner that is trained on one data set and asked about another."""

import numpy as np
import pytest

from wager.experiments import Preparation, fit_learner, fit_learner_on_file
from wager.experiments.run._fit_predict import declare_classes
from wager.prepare import Dataset

LOGISTIC = "sklearn.linear_model.LogisticRegression"


def data(name, x, c):
    return Dataset.from_columns(name, {"x": x, "c": c}, target="c")


def test_a_class_that_the_training_data_lack_is_named_with_its_row():
    model = fit_learner(data("old", [1.0, 2.0, 3.0], ["p", "q", "q"]), "vacuous", {}, Preparation())
    assert model.predict(data("new", [1.0, 2.0], ["q", None])).y_true.tolist() == ["q"]
    words = "new has the class r in row 3, which is not among p, q: declare all classes"
    with pytest.raises(ValueError, match=words):
        model.predict(data("new", [1.0, 2.0, 3.0, 4.0], ["p", None, "r", "p"]))


def test_a_missing_number_is_named_with_its_row_before_a_learner_that_accepts_none():
    rows = data("gaps", [1.0, np.nan, 3.0, np.nan], ["p", None, "q", "q"])
    with pytest.raises(ValueError, match="does not accept missing values, but row 4 of gaps has"):
        fit_learner(rows, LOGISTIC, {}, Preparation())
    whole = fit_learner(data("whole", [1.0, 2.0], ["p", "q"]), LOGISTIC, {}, Preparation())
    with pytest.raises(ValueError, match="does not accept missing values, but row 4 of gaps has"):
        whole.predict(rows)


def test_a_file_is_learnt_with_the_declared_classes_in_their_order(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,c\nu,p\nv,q\nu,p\n")

    def fitted(classes):
        return fit_learner_on_file(
            path, "c", "naive-bayes", lambda _: {}, Preparation(), classes=classes
        )

    model = fitted(["q", "other", "p"])
    assert model.data.classes.tolist() == ["q", "other", "p"]
    found = model.predict(data("new", ["u"], ["p"]))
    in_memory = fit_learner(
        declare_classes(data("rows", ["u", "v", "u"], ["p", "q", "p"]), ["q", "other", "p"]),
        "naive-bayes", {}, Preparation(),
    )  # fmt: skip
    assert found.proba.tolist() == in_memory.predict(data("new", ["u"], ["p"])).proba.tolist()
    with pytest.raises(ValueError, match="has the class q, which is not among p, r: declare all"):
        fitted(["p", "r"])

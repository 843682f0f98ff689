"""Checks of ``weka/``: data sets, discretization, feature selection, splits and folds."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

import numpy as np

from tests.reference.compare import assert_close
from tests.reference.kinds.weka import edge_data_of
from tests.reference.registry import Case, check
from tests.reference.weka_data import arff_of, dataset_of
from wager.experiments import fold_of_row
from wager.prepare import CfsSelector, Dataset, MDLDiscretizer

CUTS = {
    "cut_points": {},
    "cut_points_kononenko": {"criterion": "kononenko"},
    "cut_points_better_encoding": {"encoding": "distinct"},
}
SELECTIONS = {
    "default": {},
    "no_locally_predictive": {"locally_predictive": False},
    "missing_separate": {"missing": "value"},
}


@check("weka/index")
def index(case: Case) -> None:
    row, data = case.data, dataset_of(case)
    missing = np.zeros(len(data), dtype=bool)
    for values, levels in zip(data.values, data.levels, strict=True):
        missing |= np.isnan(values) if levels is None else values < 0
    ours = {
        "rows": {len(data), len(data.with_class())},  # rows without a class may be left out
        "attributes": {len(data.columns)},
        "numeric": {int((~data.nominal).sum())},
        "classes": {len(data.classes)},
        "rows_with_missing": {
            int(missing.sum()),
            int((missing | (data.target_codes < 0)).sum()),
            int((missing & (data.target_codes >= 0)).sum()),
        },
    }
    for key, possible in ours.items():
        assert int(row[key]) in possible, key
    if edge_data_of(case) is None:
        assert _sha256(arff_of(case.root, row["dataset"])) == row["sha256"]
    assert set(row) == {"dataset", "sha256", *ours}


def _sha256(path: Any) -> str:
    text = path.read_bytes()
    return hashlib.sha256(gzip.decompress(text) if path.suffix == ".gz" else text).hexdigest()


@check("weka/discretize")
def discretize(case: Case) -> None:
    document, data = case.data, dataset_of(case).with_class()
    truth = document["class_index"]
    assert document["rows"] == len(data)
    assert document["class_attribute"] == data.target_name
    assert document["num_classes"] == len(data.classes)
    cutters = {
        key: MDLDiscretizer(**arguments).fit(data.frame, data.target)
        for key, arguments in CUTS.items()
    }
    assert len(document["attributes"]) == len(data.columns)
    for about in document["attributes"]:
        j = _feature(about["index"], truth)
        values, levels = data.values[j], data.levels[j]
        assert about["name"] == data.columns[j]
        if about["type"] == "nominal":
            ours = {"values": len(levels), "missing": int((values < 0).sum())}
        else:
            assert about["type"] == "numeric"
            gaps = np.isnan(values)
            ours = {"missing": int(gaps.sum()), "distinct": len(np.unique(values[~gaps]))}
            ours |= {key: cutter.cuts_[j].tolist() for key, cutter in cutters.items()}
        expected = {k: v for k, v in about.items() if k not in ("index", "name", "type")}
        assert set(expected) == set(ours)
        assert_close(ours, expected, 1e-9, about["name"])


@check("weka/cfs")
def cfs(case: Case) -> None:
    document, data = case.data, dataset_of(case).with_class()
    truth = document["class_index"]
    assert document["rows"] == len(data)
    codes = MDLDiscretizer().fit_transform(data.frame, data.target)
    place = [j if j < truth else j + 1 for j in range(len(data.columns))]
    for key, arguments in SELECTIONS.items():
        selector = CfsSelector(**arguments).fit(codes, data.target)
        chosen = np.flatnonzero(selector.get_support())
        ours = {
            "selected": [place[j] for j in chosen],
            "selected_names": [data.columns[j] for j in chosen],
            "merit_printed": selector.merit_,
            "subsets_evaluated": selector.n_evaluated_,
            "merit_of_selected": selector.merit_of_selected_,
        }
        assert set(document[key]) == set(ours)
        assert_close(selector.merit_, document[key]["merit_printed"], 0.0005 + 1e-9)
        exact = {k: v for k, v in document[key].items() if k != "merit_printed"}
        assert_close(ours, exact, 1e-9, key)
        if key == "default":
            found = dict(zip(map(str, place), selector.class_correlations_.tolist(), strict=True))
            assert_close(found, document["symmetric_uncertainty_with_class"], 0.0)


@check("weka/split")
def split(case: Case) -> None:
    document, data = case.data, dataset_of(case)
    truth = document["class_index"]
    names = list(data.columns)
    names.insert(truth, data.target_name)
    assert document["attribute_names"] == names
    assert document["class_values"] == data.classes.tolist()
    train, test = (data.rows(np.array(document[f"{part}_rows"])) for part in ("train", "test"))
    cutter = MDLDiscretizer().fit(train.frame, train.target)
    for j, cuts in enumerate(cutter.cuts_):
        at = str(j if j < truth else j + 1)
        if cuts is not None:
            assert_close(cuts.tolist(), document["train_cut_points"][at], 1e-9, at)
        else:
            assert at not in document["train_cut_points"]
    n_values = np.where(data.nominal, data.n_values, cutter.n_values_).tolist()
    n_values.insert(truth, len(data.classes))
    assert document["num_values"] == n_values
    for part, rows in (("train", train), ("test", test)):
        assert _codes(cutter.transform(rows.frame), rows, truth) == document[f"{part}_codes"]


def _codes(frame: Any, rows: Dataset, truth: int) -> list[list[int | None]]:
    columns = [frame.iloc[:, j].cat.codes for j in range(frame.shape[1])]
    columns.insert(truth, rows.target_codes)
    table = np.column_stack(columns)
    return [[None if code < 0 else int(code) for code in row] for row in table]


@check("weka/folds")
def folds(case: Case) -> None:
    data = dataset_of(case)
    labels = np.array([None if code < 0 else int(code) for code in data.target_codes], dtype=object)
    ours = fold_of_row(labels)
    assert ours.tolist() == case.data["fold_of_row"]
    assert case.data["folds"] == ours.max() + 1


def _feature(index: int, truth: int) -> int:
    """Where an attribute stands among the features."""
    return index if index < truth else index - 1

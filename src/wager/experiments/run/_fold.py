"""The prepared training and test rows of a unit.

A worker that goes from fold to fold keeps the last few data sets as it loaded them, what was
prepared on all rows, and the folds of a repeat.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from wager._typing import Floats, Ints
from wager.experiments.plan._keys import random_state_of
from wager.experiments.plan._prepare import Preparation, Table, prepare_fold, prepare_once
from wager.experiments.plan._sources import Source
from wager.experiments.plan._units import Unit
from wager.experiments.run._splits import folds_of, sample_rows
from wager.prepare import Dataset

__all__ = ["Fold", "fold_of"]

DATA_SETS_KEPT = 4


@dataclass(frozen=True, eq=False)
class Fold:
    """What a learner gets: prepared training and test rows."""

    train: Table
    y_train: Ints
    test: Table
    y_test: Ints
    rows: Ints  # the test rows' numbers in the data set
    classes: Any
    truth: Floats | None = None  # the true probabilities of the test rows, where they are known


def fold_of(unit: Unit) -> Fold:
    """The prepared training and test rows of a unit."""
    if unit.source.path == "":
        return _generated(unit)
    data = _load(unit.source)
    table = _prepared_once(unit.source, unit.preparation)
    train, test = _rows(unit, data)
    y = data.target_codes.astype(np.int64)
    X_train, X_test = prepare_fold(table.rows(train), y[train], table.rows(test), unit.preparation)
    return Fold(X_train, y[train], X_test, y[test], test, data.classes)


class _ByContent:
    """A source as a key: two are the same if they hold the same."""

    def __init__(self, source: Source):
        self.source = source
        self._key = json.dumps([source.path, source.what], sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContent) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _load(source: Source) -> Dataset:
    return _loaded(_ByContent(source))


@lru_cache(maxsize=DATA_SETS_KEPT)
def _loaded(key: _ByContent) -> Dataset:
    return key.source.load()


def _prepared_once(source: Source, how: Preparation) -> Table:
    return _prepared(_ByContent(source), how)


@lru_cache(maxsize=DATA_SETS_KEPT)
def _prepared(key: _ByContent, how: Preparation) -> Table:
    data = _loaded(key)
    return prepare_once(Table.of(data), data.target_codes, how)


def _rows(unit: Unit, data: Dataset) -> tuple[Ints, Ints]:
    """Training and test rows of a unit's split."""
    kind, (repeat, fold, size) = unit.scheme["kind"], unit.split
    if kind == "cross-validation":
        return _folds(_ByContent(unit.source), json.dumps(unit.scheme), repeat, unit.seed)[fold]
    y = data.target_codes.astype(np.int64)
    if kind == "holdout":
        size = len(y) - round(len(y) * unit.scheme["test_share"])
    assert size is not None
    state = random_state_of([unit.source.what, unit.scheme, unit.split, unit.seed])
    return sample_rows(y, size, unit.scheme["stratified"], state)


@lru_cache(maxsize=DATA_SETS_KEPT)
def _folds(key: _ByContent, scheme: str, repeat: int, seed: int) -> list[tuple[Ints, Ints]]:
    codes = _loaded(key).target_codes
    return folds_of(codes, json.loads(scheme), repeat, seed, key.source.what)


def _generated(unit: Unit) -> Fold:
    """Rows drawn from a model, with the true probabilities of the test rows."""
    model = unit.source.model(unit.seed)
    (repeat, _, size), what = unit.split, [unit.source.what, unit.seed]
    assert size is not None
    X, y = model.sample(size, random_state_of([*what, "train", repeat, size]))
    test_of = [repeat] if unit.scheme.get("same_test") else [repeat, size]
    X_test, y_test = model.sample(
        unit.scheme["test_rows"], random_state_of([*what, "test", *test_of])
    )
    nominal = model.n_values > 0
    kind = np.int32 if nominal.all() else np.float64
    train, test = (Table(part.astype(kind), nominal, model.n_values) for part in (X, X_test))
    truth = model.class_probabilities(X_test)
    train, test = prepare_fold(train, y, test, unit.preparation)
    classes = np.arange(model.n_classes)
    return Fold(train, y, test, y_test, np.arange(len(y_test)), classes, truth)

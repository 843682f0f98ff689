"""The data of a unit: loaded, split into training and test rows, and prepared.

A worker processes one split after another.  It keeps the last few data sets that it loaded, the
tables that were prepared on all rows, and the folds of a repeat.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from wager._tables import counted
from wager._typing import Array, Floats, Ints
from wager.experiments._weka_folds import weka_folds
from wager.experiments.plan import (
    DataSource,
    Preparation,
    PreparedTable,
    Unit,
    prepare_fold,
    prepare_once,
    random_state_of,
)
from wager.prepare import Dataset

__all__ = [
    "TRIAL",
    "Folds",
    "UnitData",
    "cross_validation_rows",
    "load_data",
    "sample_rows",
    "unit_data",
]

DATA_SETS_KEPT = 4
TRIAL = "trial"  # the scheme of a few rows for training and as many for testing; never stored
Rows = tuple[Ints, Ints]  # training and test rows of a split


@dataclass(frozen=True, eq=False)
class UnitData:
    """What a learner is trained and tested on."""

    train: PreparedTable
    y_train: Ints
    test: PreparedTable
    y_test: Ints
    rows: Ints  # the indices of the test rows in the data set
    classes: Array
    truth: Floats | None = None  # the true probabilities of the test rows, if they are known
    n_repeated: int = 0  # training rows that had been drawn before

    @property
    def n_train(self) -> int:
        """The number of different training rows."""
        return len(self.y_train) - self.n_repeated

    def for_learner(self) -> UnitData:
        """The same data, with copies of all arrays that a learner is given."""
        return replace(
            self, train=self.train.copy(), y_train=self.y_train.copy(), test=self.test.copy()
        )


Folds = dict[tuple[Preparation, Preparation], tuple[PreparedTable, PreparedTable]]


def unit_data(unit: Unit, folds: Folds | None = None) -> UnitData:
    """Load, split and prepare the data of a unit.

    ``folds`` keeps what other units of the same split can use: the rows before the selection of
    features, by the steps that are done once and those that are done in the fold.  The result may
    share arrays with it, so learners get `UnitData.for_learner`.
    """
    if unit.source.path == "":
        return _generated(unit)
    source, folds = _SourceKey(unit.source), {} if folds is None else folds
    once, (first, rest) = unit.preparation.once(), unit.preparation.around_selection()
    data = _loaded(source)
    train, test = _train_test_rows(unit, source, data)
    y = data.target_codes.astype(np.int64)
    if (once, first) not in folds:
        table = _prepared_once(source, once)
        folds[once, first] = prepare_fold(table.rows(train), y[train], table.rows(test), first)
    X_train, X_test = folds[once, first]
    X_train, X_test = prepare_fold(X_train, y[train], X_test, rest)
    repeated = len(train) - len(np.unique(train))
    return UnitData(X_train, y[train], X_test, y[test], test, data.classes, n_repeated=repeated)


def load_data(source: DataSource) -> None:
    """Load the data of a source, unless this process has them already or generates them."""
    if source.path != "":
        _loaded(_SourceKey(source))


class _SourceKey:
    """A source as a cache key: sources are equal if their content and path are."""

    def __init__(self, source: DataSource):
        self.source = source
        self._key = json.dumps([source.path, source.what], sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SourceKey) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=DATA_SETS_KEPT)
def _loaded(key: _SourceKey) -> Dataset:
    return key.source.load()


@lru_cache(maxsize=DATA_SETS_KEPT)
def _prepared_once(key: _SourceKey, preparation: Preparation) -> PreparedTable:
    data = _loaded(key)
    return prepare_once(PreparedTable.of(data), data.target_codes, preparation)


def _train_test_rows(unit: Unit, source: _SourceKey, data: Dataset) -> Rows:
    kind, (repeat, fold, size) = unit.scheme["kind"], unit.split
    if kind == "cross-validation":
        return _folds(source, json.dumps(unit.scheme), repeat, unit.seed)[fold]
    y = data.target_codes.astype(np.int64)
    if kind == "holdout":
        size = len(y) - round(len(y) * unit.scheme["test_share"])
    assert size is not None
    state = random_state_of([unit.source.what, unit.scheme, unit.split, unit.seed])
    if kind == TRIAL:
        train, test = sample_rows(y, size, True, state)
        return train, test[:size]
    replacement = unit.scheme.get("replacement", False)
    return sample_rows(y, size, unit.scheme["stratified"], state, replacement)


@lru_cache(maxsize=DATA_SETS_KEPT)
def _folds(key: _SourceKey, scheme: str, repeat: int, seed: int) -> list[Rows]:
    codes = _loaded(key).target_codes
    return cross_validation_rows(codes, json.loads(scheme), repeat, seed, key.source.what)


def _generated(unit: Unit) -> UnitData:
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
    dtype = np.int32 if nominal.all() else np.float64
    train, test = (
        PreparedTable(part.astype(dtype), nominal, model.n_values) for part in (X, X_test)
    )
    truth = model.class_probabilities(X_test)
    train, test = prepare_fold(train, y, test, unit.preparation)
    classes = np.arange(model.n_classes)
    return UnitData(train, y, test, y_test, np.arange(len(y_test)), classes, truth)


def cross_validation_rows(
    y: Ints, scheme: dict[str, Any], repeat: int, seed: int, what: Any
) -> list[Rows]:
    """Training and test rows of every fold of one repeat of cross-validation.

    Parameters
    ----------
    y : ndarray of int
        The class of each row.
    scheme : dict
        The identity of the scheme, with ``folds`` and ``n_folds``.
    repeat : int
        Counted from 0.  Weka's folds use the seed ``seed + repeat``, as Weka's Explorer does.
    seed : int
    what : plain data
        The identity of the data set: scikit-learn's folds differ between data sets.
    """
    n_folds = scheme["n_folds"]
    if n_folds > len(y):
        raise ValueError(
            f"cannot make {n_folds} folds of {counted(len(y), 'row')}: use fewer folds"
        )
    if scheme["folds"] == "weka":
        return list(weka_folds(y, 1, seed + repeat, n_folds=n_folds))
    from sklearn.model_selection import StratifiedKFold

    state = random_state_of([what, scheme, repeat, seed])
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=state)
    with warnings.catch_warnings():  # a class may have fewer rows than there are folds
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(splitter.split(np.zeros(len(y)), y))


def sample_rows(
    y: Ints, n_train: int, stratified: bool, state: int, replacement: bool = False
) -> Rows:
    """Draw ``n_train`` training rows; all rows that are not drawn are test rows.

    In a stratified sample each class gets its share of the rows, rounded by largest remainders.
    With replacement a row can be drawn several times.

    Examples
    --------
    >>> train, test = sample_rows(np.repeat([0, 1], [6, 3]), 3, True, 0)
    >>> np.repeat([0, 1], [6, 3])[train].tolist(), len(test)
    ([0, 0, 1], 6)
    """
    if not 0 < n_train < len(y):
        raise ValueError(
            f"cannot take {n_train} of {len(y)} rows for training and test on the rest"
        )
    random = np.random.default_rng(state)
    order = random.permutation(len(y))
    groups, quota = [order], np.array([n_train])
    if stratified:
        share = np.bincount(y) * n_train / len(y)
        quota = np.floor(share).astype(int)
        # classes with equal remainders are taken in random order
        shuffled = random.permutation(len(share))
        by_remainder = shuffled[np.argsort(-(share - quota)[shuffled], kind="stable")]
        quota[by_remainder[: n_train - quota.sum()]] += 1
        groups = [order[y[order] == c] for c in range(len(quota))]
    taken = [
        random.choice(group, n) if replacement and n else group[:n]
        for group, n in zip(groups, quota, strict=True)
    ]
    train = np.sort(np.concatenate(taken))
    return train, np.setdiff1d(np.arange(len(y)), train)

"""The confusion table of set-valued predictions: classes, set sizes and rejections as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wager._tables import (
    Table,
    View,
    Viewed,
)
from wager._typing import Array, ArrayLike
from wager.rewards._count import bin_counts, chunks, read_rows, require_rows
from wager.rewards._registry import as_measure


@dataclass(frozen=True, eq=False, repr=False)
class SetConfusion(Viewed):
    """Counts by true class (rows) and by kind of prediction (columns).

    Attributes
    ----------
    table : array of shape (K, n_columns)
        Counts, or total weights.
    classes : array of shape (K,)
        The true classes.
    columns : tuple of str
        One column for each class, predicted alone; ``"2 classes"``, ``"3 classes"``, ... for
        larger sets; ``"all"`` for the full set (a rejection); ``"none"`` for the empty set.
    """

    table: Array
    classes: Array
    columns: tuple[str, ...]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.table, dtype=dtype)

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.table, index=list(self.classes), columns=list(self.columns))

    def _view(self) -> View:
        table, K = np.asarray(self.table), len(self.classes)
        is_shown = np.any(table != 0, axis=0).reshape(-1)  # sizes that no set has are left out
        is_shown[:K] = is_shown[-2:] = True
        headers = [name for name, shown in zip(self.columns, is_shown, strict=True) if shown]
        rows = [
            [str(c), *row] for c, row in zip(self.classes, table[:, is_shown].tolist(), strict=True)
        ]
        return View(tables=[Table(["true class", *headers], rows, digits=2)])


@as_measure(
    greater_is_better=None,
    meaning="True classes against predictions: each class alone, then sets by size, and "
    "rejections.",
    formula="counts of rows by true class and kind of prediction",
    use="Shows which classes are left undecided, and which are confused with each other where one "
    "class is predicted.",
    source="wager",
    range="counts",
)
def set_confusion(
    y_true: ArrayLike,
    y_pred: Any,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> SetConfusion:
    """The confusion table, with set sizes and rejections as further columns.

    Parameters
    ----------
    y_true, y_pred, sample_weight, classes
        As in `discounted_accuracy`.

    Returns
    -------
    SetConfusion
        ``np.asarray`` gives the counts, ``to_frame`` a DataFrame.

    Examples
    --------
    >>> set_confusion(["a", "b", "b"], [["a"], ["a"], ["a", "b"]])
    true class  a  b  all  none
    ---------------------------
    a           1  0    0     0
    b           1  0    1     0
    """
    rows = read_rows(y_true, y_pred, classes, sample_weight)
    require_rows(len(rows.codes))
    names, n_classes = rows.sets.classes, len(rows.sets.classes)
    sizes = [f"{k} classes" for k in range(2, n_classes)]
    columns = (*(str(c) for c in names), *sizes, *(["all"] if n_classes > 1 else []), "none")
    # sets of k > 1 classes are counted after the single classes, the empty set in the last column
    place = np.array([len(columns) - 1, -1, *range(n_classes, 2 * n_classes - 1)])[: n_classes + 1]
    each = rows.units.totals
    dtype = np.int64 if each is None else each.dtype
    table = np.zeros((n_classes, len(columns)), dtype=dtype)
    for part, (code, size, _) in chunks(rows, at_least=table.size):
        column = place[size]
        single = size == 1
        column[single] = rows.sets[part][single].to_indicator().argmax(axis=1)
        added = None if each is None else each[part]
        table += bin_counts(code * len(columns) + column, added, table)
    return SetConfusion(table, names, columns)

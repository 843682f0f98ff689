"""The stored probabilities of many units, read with one connection.

`wager.read_predictions` reads files of any origin and checks every row; it opens a database for
each file, which takes minutes for the thousands of small files that a store writes itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wager._typing import Floats, Ints

__all__ = ["StoredProbabilities", "stored_probabilities"]

TRUE, PREFIX = "y_true", "p:"


class StoredProbabilities(NamedTuple):
    """The probabilities of the test rows of a unit.

    Attributes
    ----------
    codes : ndarray of int, shape (rows,)
        The positions of the true classes.
    proba : ndarray of shape (rows, classes)
    classes : ndarray of str
    """

    codes: Ints
    proba: Floats
    classes: np.ndarray


def stored_probabilities(files: Iterable[Path]) -> Iterator[StoredProbabilities]:
    """Each file of probabilities that a store has written, in the order of the rows."""
    import duckdb

    with duckdb.connect() as connection:
        for file in files:
            columns = connection.execute("SELECT * FROM read_parquet(?)", [str(file)]).fetchnumpy()
            names = [name for name in columns if name.startswith(PREFIX)]
            classes = np.array([name.removeprefix(PREFIX) for name in names])
            place = {name: i for i, name in enumerate(classes.tolist())}
            codes = np.array([place[str(label)] for label in columns[TRUE].tolist()], dtype=int)
            proba = np.column_stack([np.asarray(columns[name], dtype=float) for name in names])
            yield StoredProbabilities(codes, proba, classes)

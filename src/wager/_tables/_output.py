"""Tables out: what came as a frame leaves as a frame, what came as an array as codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._tables._columns import is_frame
from wager._typing import Array, Ints


def is_polars(X: Any) -> bool:
    """Whether X is a frame of polars rather than of pandas."""
    return is_frame(X) and not hasattr(X, "iloc")


def frame_like(X: Any, columns: Sequence[Any], names: Sequence[Any], index: Any) -> Any:
    """The columns as a frame of the kind X is."""
    import pandas

    frame = pandas.DataFrame(dict(enumerate(columns)), index=index)
    frame.columns = pandas.Index(list(names))
    if is_polars(X):
        import polars

        return polars.from_pandas(frame)
    return frame


def categorical_column(codes: Ints, levels: Array) -> Any:
    """A pandas column of these levels; a code beyond them is missing."""
    import pandas

    return pandas.Categorical.from_codes(np.where(codes < len(levels), codes, -1), levels)


def matrix_like(X: Any, matrix: Array) -> Any:
    """The matrix in sparse form where X is sparse, else as it is."""
    if hasattr(X, "toarray"):
        from scipy import sparse

        form = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
        return form(matrix)
    return matrix

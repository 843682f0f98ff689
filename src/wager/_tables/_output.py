"""Output of transformers in the form of their input: a frame, a sparse matrix or an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wager._tables._frames import frame_library, in_memory, is_sparse
from wager._typing import Array, Bools, Ints


def frame_like(X: Any, columns: Sequence[Any], names: Sequence[Any], index: Any) -> Any:
    """The columns as a frame of the library of X; as a pandas frame where X is a Dask frame."""
    import pandas

    frame = pandas.DataFrame(dict(enumerate(columns)), index=index)
    frame.columns = pandas.Index(list(names))
    library = frame_library(X)
    if library.__name__ == "polars":
        return library.from_pandas(frame)
    if library.__name__ == "pyarrow":
        return library.Table.from_pandas(frame, preserve_index=False)
    if library.__name__ in ("modin.pandas", "cudf"):
        return library.DataFrame(frame)
    return frame


def select_columns(X: Any, chosen: Bools) -> Any:
    """The chosen columns of a frame, as a frame of the same library."""
    places = np.flatnonzero(chosen).tolist()
    if hasattr(X, "iloc"):
        return X.iloc[:, places]
    import narwhals as nw

    return nw.from_native(in_memory(X), eager_only=True)[:, places].to_native()


def categorical_column(codes: Ints, levels: Array) -> Any:
    """A pandas column of these levels; a code beyond them is missing."""
    import pandas

    return pandas.Categorical.from_codes(np.where(codes < len(levels), codes, -1), levels)


def matrix_like(X: Any, matrix: Array) -> Any:
    """The matrix as a sparse one where X is sparse, else unchanged."""
    if not is_sparse(X):
        return matrix
    from scipy import sparse

    form = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
    return form(matrix)

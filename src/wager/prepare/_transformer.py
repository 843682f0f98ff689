"""The common part of the transformers: they read and return any kind of table."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wager._doc_links import DocumentedEstimator
from wager._tables import read_table

__all__ = ["TableTransformer"]


class TableTransformer(DocumentedEstimator, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """A transformer of frames, arrays and sparse matrices that may have missing values."""

    def _read_new(self, X: Any) -> Any:
        """The table given to ``transform``, after the checks."""
        check_is_fitted(self)
        return read_table(self, X, reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags

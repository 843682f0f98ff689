"""Set-valued predictions, bit-packed: each row names the classes that a classifier kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from wager._typing import Array, ArrayLike, Bools, Ints, Words
from wager.predictions._labels import check_classes, encode_labels
from wager.predictions._packing import has_bit, pack, popcount, unpack

__all__ = ["PredictionSets"]


@dataclass(frozen=True, eq=False)
class PredictionSets:
    words: Words
    classes: Array

    @classmethod
    def from_indicator(cls, matrix: Any, classes: ArrayLike | None = None) -> PredictionSets:
        dense = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
        known = np.arange(dense.shape[1]) if classes is None else check_classes(classes)
        return cls(pack(dense.astype(bool)), known)

    @classmethod
    def from_labels(cls, labels: ArrayLike, classes: ArrayLike | None = None) -> PredictionSets:
        codes, known = encode_labels(labels, classes, name="y_pred")
        return cls(pack(codes[:, None] == np.arange(len(known))), known)

    @classmethod
    def from_lists(
        cls, lists: Iterable[Iterable[Any]], classes: ArrayLike | None = None
    ) -> PredictionSets:
        rows = [list(row) for row in lists]
        flat = [label for row in rows for label in row]
        codes, known = encode_labels(flat, classes, name="y_pred")
        indicator = np.zeros((len(rows), len(known)), dtype=bool)
        indicator[np.repeat(np.arange(len(rows)), [len(row) for row in rows]), codes] = True
        return cls(pack(indicator), known)

    @classmethod
    def from_strings(
        cls, strings: Sequence[str], classes: ArrayLike | None = None, sep: str = "|"
    ) -> PredictionSets:
        return cls.from_lists([s.split(sep) if s else [] for s in strings], classes)

    @classmethod
    def from_masks(cls, masks: Any, classes: ArrayLike) -> PredictionSets:
        words = np.asarray(masks, dtype=np.uint64)
        return cls(words[:, None] if words.ndim == 1 else words, check_classes(classes))

    @cached_property
    def sizes(self) -> Ints:
        return popcount(self.words)

    def contains(self, y: ArrayLike) -> Bools:
        codes, _ = encode_labels(y, self.classes)
        return has_bit(self.words, codes)

    def to_indicator(self) -> Bools:
        return unpack(self.words, len(self.classes))

    def to_lists(self) -> list[list[Any]]:
        return [self.classes[row].tolist() for row in self.to_indicator()]

    def __len__(self) -> int:
        return len(self.words)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.to_indicator() if dtype is None else self.to_indicator().astype(dtype)

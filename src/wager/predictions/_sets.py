"""Set-valued predictions: each row is the set of predicted classes.

A prediction is a set of classes: one class if the classifier is confident, several if it is not;
none and all of them are possible too.  A million rows over ten classes take eight megabytes as
words of 64 bits, and the size of a set and whether it contains the true class take a bit count and
a shift.  Small sets out of many classes are kept as lists of their members instead (`_set_rows`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, overload

import numpy as np

from wager._tables import (
    DistinctLabels,
    Table,
    View,
    Viewed,
    check_classes,
    chosen_rows,
    counted,
    distinct_labels,
    encode_labels,
    folded,
    format_labels,
    require_kind,
    there_are,
    union_labels,
)
from wager._typing import Array, ArrayLike, Bools, Ints, Words
from wager._visible import brief
from wager.predictions._reading import (
    ClassSource,
    ReadSets,
    check_same_kind,
    over_classes,
    read_determinate,
    read_indicator,
    read_lists,
    read_masks,
    read_strings,
)
from wager.predictions._set_rows import PackedRows, SetRows, joined_rows, rows_of_members
from wager.predictions._strings import join_labels

__all__ = ["PredictionSets", "concatenate_sets", "sets_of_members", "size_and_hit", "unite"]

_SHOWN = 5  # rows in a repr, and labels per row


@dataclass(frozen=True, eq=False, repr=False)
class PredictionSets(Viewed):
    """Set-valued predictions: for each row, the set of predicted classes.

    Use one of the ``from_...`` constructors, or `as_sets`, which chooses among them.

    Attributes
    ----------
    rows : SetRows, or ndarray of uint64 of shape (n, ceil(K / 64))
        The sets over the classes 0..K-1: as bits (see `words`), or as lists of their members if
        they are small and there are many classes.
    classes : ndarray of shape (K,)
        The label of each class.
    source : {"declared", "labels", "columns"}
        Where the classes come from: the user declared them; they are the labels that occur in the
        predictions, and the true labels may contain others; or they are the column numbers of a
        matrix, which can still be named.

    Examples
    --------
    >>> sets = PredictionSets.from_lists([["a", "b"], ["c"], []])
    >>> sets
    PredictionSets(3 rows over 'a', 'b', 'c': {a, b}, {c}, {})
    >>> sets.sizes.tolist(), sets.contains(["a", "a", "a"]).tolist()
    ([2, 1, 0], [True, False, False])
    >>> np.asarray(sets).tolist()
    [[True, True, False], [False, False, True], [False, False, False]]
    """

    rows: SetRows
    classes: Array
    source: ClassSource = "declared"

    def __post_init__(self) -> None:
        if isinstance(self.rows, np.ndarray):
            object.__setattr__(self, "rows", PackedRows(self.rows, len(self.classes)))
        fixed = self.classes.view()
        fixed.flags.writeable = False
        object.__setattr__(self, "classes", fixed)

    # Constructors

    @classmethod
    def from_indicator(cls, matrix: Any, classes: ArrayLike | None = None) -> PredictionSets:
        """Sets from an indicator matrix with one row per prediction and one column per class.

        Parameters
        ----------
        matrix : array-like or sparse of shape (n, K), or (n, K, 1)
            Booleans, or numbers 0 and 1.  The columns of a DataFrame are found by name.
        classes : array-like of shape (K,), optional
            The classes of the columns; for a DataFrame, the classes that its column names are
            among.  By default the columns are numbered, and `align` matches true labels to them.

        Examples
        --------
        >>> PredictionSets.from_indicator([[1, 1, 0], [0, 0, 1]], classes=["a", "b", "c"])
        PredictionSets(2 rows over 'a', 'b', 'c': {a, b}, {c})
        """
        return cls(*read_indicator(matrix, classes))

    @classmethod
    def from_labels(cls, labels: Any, classes: ArrayLike | None = None) -> PredictionSets:
        """Sets with one class each, from one label per row.

        Examples
        --------
        >>> PredictionSets.from_labels(["b", "a"])
        PredictionSets(2 rows over 'a', 'b': {b}, {a})
        """
        return cls(*read_determinate(labels, classes))

    @classmethod
    def from_lists(cls, lists: Any, classes: ArrayLike | None = None) -> PredictionSets:
        """Sets from lists of labels, or a list column of pandas, polars or Arrow.

        Repeated labels count once; an empty list is the empty set.

        Examples
        --------
        >>> PredictionSets.from_lists([["b", "a", "b"], []], classes=["a", "b", "c"])
        PredictionSets(2 rows over 'a', 'b', 'c': {a, b}, {})
        """
        return cls(*read_lists(lists, classes))

    @classmethod
    def from_strings(
        cls, strings: Any, classes: ArrayLike | None = None, sep: str = "|"
    ) -> PredictionSets:
        r"""Sets from text: labels joined by a separator, and ``""`` for the empty set.

        A separator inside a label is written ``\|``.  If ``classes`` are not strings, the text is
        compared with their spelling.

        Examples
        --------
        >>> PredictionSets.from_strings(["a|b", "", "c"])
        PredictionSets(3 rows over 'a', 'b', 'c': {a, b}, {}, {c})
        >>> PredictionSets.from_strings(["1|3", "2"], classes=[1, 2, 3]).to_lists()
        [[1, 3], [2]]
        """
        return cls(*read_strings(strings, classes, sep))

    @classmethod
    def from_masks(cls, masks: Any, classes: ArrayLike) -> PredictionSets:
        """Sets from bit masks: bit ``k`` of a row's mask is class ``k``.

        Parameters
        ----------
        masks : array-like of unsigned integers, shape (n,) or (n, ceil(K / 64))
            One mask per row for up to 64 classes, otherwise as many words as the classes need.
        classes : array-like of shape (K,)
            The classes of the bits, the lowest bit first.

        Examples
        --------
        >>> PredictionSets.from_masks([3, 0, 4], classes=["a", "b", "c"])
        PredictionSets(3 rows over 'a', 'b', 'c': {a, b}, {}, {c})
        """
        return cls(*read_masks(masks, classes))

    # Properties and comparisons

    @property
    def sizes(self) -> Ints:
        """The number of classes in each set."""
        return self.rows.sizes.astype(np.intp)

    @property
    def words(self) -> Words:
        """The sets as bits, of shape (n, ceil(K / 64)).

        Bit ``k % 64`` of word ``k // 64`` is 1 if the set contains class ``k``.  With up to 64
        classes this is one column, with one bit mask per row.
        """
        fixed = self.rows.words().view()
        fixed.flags.writeable = False
        return fixed

    @property
    def named(self) -> Bools:
        """Whether each class is in any of the sets, of shape (K,)."""
        return self.rows.named()

    def contains(self, y: Any) -> Bools:
        """Whether each set contains the label of its row, or one label given for all rows.

        For codes 0..K-1 instead of labels, see `size_and_hit`.  A label outside the classes is an
        error if the classes are declared; otherwise no set contains it.

        Examples
        --------
        >>> sets = PredictionSets.from_strings(["a|b", "c"])
        >>> sets.contains(["b", "b"]).tolist(), sets.contains("c").tolist()
        ([True, False], [False, True])
        """
        labels = np.full(len(self), y) if np.ndim(y) == 0 else y
        if self.source == "labels":
            codes, sets = unite(distinct_labels(labels, "y"), self)
        else:
            known = None if self.source == "columns" else self.classes
            codes, _ = encode_labels(labels, known, name="y", n_classes=len(self.classes))
            sets = self
        if len(codes) != len(self):
            raise ValueError(
                f"y has {counted(len(codes), 'label')} but {there_are(len(self), 'set')}: "
                "pass one label per set"
            )
        return sets.rows.has(codes)

    def issubset(self, other: PredictionSets) -> Bools:
        """Whether each set is a subset of the set in the same row of ``other``.

        Examples
        --------
        >>> sets = PredictionSets.from_strings(["a|b", "c"])
        >>> sets.issubset(PredictionSets.from_strings(["a|b|c", "a"])).tolist()
        [True, False]
        """
        ours, theirs = self._paired(other)
        if _are_packed(ours, theirs):
            return ((ours.words & ~theirs.words) == 0).all(axis=1)
        return ours.rows.sparse().within(theirs.rows.sparse())

    def __and__(self, other: PredictionSets) -> PredictionSets:
        if not isinstance(other, PredictionSets):
            return NotImplemented
        ours, theirs = self._paired(other)
        if _are_packed(ours, theirs):
            return ours._with(PackedRows(ours.words & theirs.words, len(ours.classes)))
        return ours._with(ours.rows.sparse().common(theirs.rows.sparse()))

    def __or__(self, other: PredictionSets) -> PredictionSets:
        if not isinstance(other, PredictionSets):
            return NotImplemented
        ours, theirs = self._paired(other)
        if _are_packed(ours, theirs):
            return ours._with(PackedRows(ours.words | theirs.words, len(ours.classes)))
        return ours._with(ours.rows.sparse().union(theirs.rows.sparse()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PredictionSets):
            return NotImplemented
        return np.array_equal(self.classes, other.classes) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash((self.sizes.tobytes(), tuple(self.classes.tolist())))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self.to_lists())

    @overload
    def __getitem__(self, rows: int) -> list[Any]: ...
    @overload
    def __getitem__(self, rows: slice | ArrayLike) -> PredictionSets: ...
    def __getitem__(self, rows: Any) -> Any:
        """The labels of one row, or the sets of a slice, a mask or an array of rows."""
        rows = chosen_rows(rows, len(self))
        if not isinstance(rows, slice) and np.ndim(rows) == 0:
            return self._with(self.rows.take(np.arange(len(self))[rows, None])).to_lists()[0]
        return self._with(self.rows.take(rows))

    def _with(self, rows: SetRows) -> PredictionSets:
        """Other sets over the same classes."""
        return PredictionSets(rows, self.classes, self.source)

    def __repr__(self) -> str:
        rows = "1 row" if len(self) == 1 else f"{len(self)} rows"
        shown = ["{" + _cut(row) + "}" for row in self[: _SHOWN + 1]]
        classes = format_labels(self.classes) or "no class"
        return folded(f"PredictionSets({rows} over {classes}: {_cut(shown)})")

    def _view(self) -> View:
        sizes, n = np.unique(self.sizes, return_counts=True)
        rows = [[i, "{" + _cut(row) + "}"] for i, row in enumerate(self[:_SHOWN])]
        more = len(self) - len(rows)
        return View(
            f"{counted(len(self), 'predicted set', ',')} over "
            f"{counted(len(self.classes), 'class', ',')}",
            [
                Table(["row", "set"], rows, "><"),
                Table(["size", "rows"], list(zip(sizes, n, strict=True))),
            ],
            [f"{more:,} more rows"] if more > 0 else [],
        )

    # The same sets over other classes

    def with_classes(self, classes: ArrayLike) -> PredictionSets:
        """The same sets over other classes: renamed columns, reordered or additional classes.

        Examples
        --------
        >>> sets = PredictionSets.from_strings(["a|b", "c"])
        >>> sets.with_classes(["d", "c", "b", "a"])
        PredictionSets(2 rows over 'd', 'c', 'b', 'a': {b, a}, {c})
        """
        found = ReadSets(self.rows, self.classes, self.source)
        return PredictionSets(*over_classes(found, check_classes(classes)))

    def _paired(self, other: PredictionSets) -> tuple[PredictionSets, PredictionSets]:
        """Both over the same classes, or over all classes if none were declared."""
        require_kind(other, "other", PredictionSets)
        if len(self) != len(other):
            raise ValueError(
                f"got {counted(len(self), 'set')} and {counted(len(other), 'set')}: sets are "
                "compared row by row, so pass equally many"
            )
        if np.array_equal(self.classes, other.classes):
            return self, other
        if self.source == other.source == "labels":
            every = union_labels(self.classes, other.classes)
            return self.with_classes(every), other.with_classes(every)
        raise ValueError(
            f"the sets are over different classes ({format_labels(self.classes)}; and "
            f"{format_labels(other.classes)}): give both the same classes="
        )

    # Conversion to other forms

    def to_indicator(self) -> Bools:
        """The boolean matrix (n, K), with one column per class."""
        return self.rows.indicator()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("the matrix of packed sets is always a copy: omit copy=False")
        return self.to_indicator().astype(dtype or np.bool_, copy=False)

    def to_sparse(self) -> Any:
        """The matrix as a `scipy.sparse.csr_array` of booleans."""
        from scipy.sparse import csr_array

        codes = self.rows.members()
        flags = np.ones(len(codes), dtype=np.bool_)
        shape = (len(self), len(self.classes))
        return csr_array((flags, codes, self.rows.offsets()), shape=shape)

    def to_lists(self) -> list[list[Any]]:
        """The labels of each set, in the order of the classes.

        Examples
        --------
        >>> PredictionSets.from_strings(["c|a", ""]).to_lists()
        [['a', 'c'], []]
        """
        return self._rows_of(self.classes)

    def positions(self) -> list[list[int]]:
        """The classes of each set as positions in the list of classes.

        Examples
        --------
        >>> PredictionSets.from_strings(["c|a", "b"]).positions()
        [[0, 2], [1]]
        """
        return self._rows_of(np.arange(len(self.classes)))

    def _rows_of(self, labels: Array) -> list[list[Any]]:
        flat = labels[self.rows.members()].tolist()
        offsets = self.rows.offsets().tolist()
        return [flat[start:end] for start, end in pairwise(offsets)]

    def to_strings(self, sep: str = "|") -> list[str]:
        r"""Each set as text, its labels joined by ``sep``; the inverse of `from_strings`.

        Examples
        --------
        >>> PredictionSets.from_lists([["a", "b"], [], ["c"]]).to_strings()
        ['a|b', '', 'c']
        """
        if not isinstance(sep, str) or len(sep) != 1 or sep == "\\":
            raise ValueError(
                f"sep must be one character other than a backslash, got {brief(sep)}: pass sep='|'"
            )
        texts = [str(label) for label in self.classes.tolist()]
        if "" in texts:
            raise ValueError("as text, the class '' looks like the empty set: rename this class")
        plain = not any(sep in text or "\\" in text for text in texts)
        join = sep.join if plain else partial(join_labels, sep=sep)
        return [join(row) for row in self._rows_of(np.array(texts, dtype=object))]

    def to_labels(self) -> Array:
        """The label of each row, if every set contains exactly one.

        Examples
        --------
        >>> PredictionSets.from_strings(["b", "a"]).to_labels().tolist()
        ['b', 'a']
        """
        single = self.sizes == 1
        if not single.all():
            row = int(np.argmin(single))
            raise ValueError(
                f"the set in row {row} contains {self.sizes[row]} labels, not one: "
                "use to_lists() or to_strings(), or select the rows with sizes == 1"
            )
        return self.classes[self.rows.members()]

    @property
    def _usual_classes(self) -> Array:
        """The classes; floats of a kind that other libraries do not have as doubles."""
        is_rare = self.classes.dtype.kind == "f" and self.classes.dtype.itemsize not in (4, 8)
        return self.classes.astype(np.float64) if is_rare else self.classes

    def to_masks(self) -> Words:
        """The bit masks: one number per row for up to 64 classes, otherwise the words."""
        words = self.words
        return words[:, 0] if words.shape[1] == 1 else words

    def to_pandas(self) -> Any:
        """A pandas Series of lists of labels."""
        import pandas as pd

        return pd.Series(self.to_lists(), dtype=object)

    def to_frame(self) -> Any:
        """A pandas DataFrame of booleans, with one column per class."""
        import pandas as pd

        return pd.DataFrame(self.to_indicator(), columns=self._usual_classes)

    def to_categorical(self) -> Any:
        """A pandas Categorical of the labels, if every set contains exactly one."""
        import pandas as pd

        usual = self._usual_classes
        return pd.Categorical(self.to_labels().astype(usual.dtype), categories=usual)

    def to_polars(self) -> Any:
        """A polars Series of lists of labels."""
        import polars as pl

        try:
            labels = pl.Series(self._usual_classes.tolist())
        except OverflowError:
            raise ValueError("polars has no integers of 2^64 or more: use labels of text") from None
        return pl.Series(self.to_lists(), dtype=pl.List(labels.dtype))

    def to_arrow(self) -> Any:
        """An Arrow array of lists of labels."""
        import pyarrow as pa

        try:
            classes = pa.array(self._usual_classes.tolist())
        except OverflowError:
            raise ValueError("Arrow has no integers of 2^64 or more: use labels of text") from None
        labels = classes.take(pa.array(self.rows.members()))
        return pa.LargeListArray.from_arrays(pa.array(self.rows.offsets()), labels)


def size_and_hit(codes: Ints, sets: PredictionSets) -> tuple[Ints, Bools]:
    """The size of each set, and whether it contains the true class, given as a code 0..K-1.

    For up to 64 classes the sizes are uint8, into which ``2 * size + hit`` still fits.

    Examples
    --------
    >>> size, hit = size_and_hit(np.array([0, 0]), PredictionSets.from_strings(["a|b", "c"]))
    >>> size.tolist(), hit.tolist()
    ([2, 1], [True, False])
    """
    return sets.rows.sizes, sets.rows.has(codes)


def sets_of_members(
    codes: Ints, lengths: Ints, classes: Array, whole: Bools, source: ClassSource = "declared"
) -> PredictionSets:
    """Sets from the classes of all rows end to end, as codes, ``lengths[i]`` of them in row i.

    The sets that ``whole`` marks contain every class; none of theirs is listed.

    Examples
    --------
    >>> one, every = np.array([False]), np.array([True])
    >>> sets_of_members(np.array([1]), np.array([1]), np.array(["a", "b"]), one).to_lists()
    [['b']]
    >>> sets_of_members(np.array([], int), np.array([0]), np.array(["a", "b"]), every).to_lists()
    [['a', 'b']]
    """
    return PredictionSets(rows_of_members(codes, lengths, len(classes), whole), classes, source)


def concatenate_sets(parts: Iterable[PredictionSets]) -> PredictionSets:
    """Sets over the same classes, one part after the other.

    Examples
    --------
    >>> sets = PredictionSets.from_strings(["a|b", "c"])
    >>> len(concatenate_sets([sets, sets[:1]]))
    3
    """
    listed = list(parts)
    return listed[0]._with(joined_rows([part.rows for part in listed]))


def unite(found: DistinctLabels, sets: PredictionSets) -> tuple[Ints, PredictionSets]:
    """Labels as codes, and sets, over all labels that occur in either."""
    if len(sets.classes) == 0:
        every = found.labels
    elif len(found.labels) == 0:
        every = sets.classes
    else:
        check_same_kind(found, sets.classes)
        every = union_labels(found.labels, sets.classes)
    return found.among(every), sets.with_classes(every) if len(every) else sets


def _are_packed(*sets: PredictionSets) -> bool:
    return all(isinstance(one.rows, PackedRows) for one in sets)


def _cut(items: list[Any]) -> str:
    shown = [str(item) for item in items[:_SHOWN]]
    return ", ".join(shown if len(items) <= _SHOWN else [*shown, "..."])

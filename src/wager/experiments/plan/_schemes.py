"""Schemes: how data sets are split into training and test rows, and how often.

A scheme lists its splits.  A split is given by the repeat, the fold and, where training sets of
several sizes are drawn, the size.  The identity of a split does not include the number of splits,
so a plan with more repeats reuses the results of a plan with fewer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["SCHEMES", "CrossValidation", "Scheme", "Split"]

Sizes = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]


class Split(NamedTuple):
    """A split of a data set; numbers start at 0, and ``size`` is None for a full training set."""

    repeat: int
    fold: int
    size: int | None = None


class _Scheme(BaseModel):
    """The base of all schemes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repeats: Count = 1

    def splits(self) -> Iterator[Split]:
        """Every split, ordered by repeat."""
        return (Split(repeat, 0) for repeat in range(self.repeats))

    @property
    def n_splits(self) -> int:
        """The number of splits, which may be too large to list them."""
        return self.repeats

    def identity(self) -> dict[str, Any]:
        """What the splits depend on, besides their repeat, fold and size."""
        return self.model_dump(exclude={"repeats", "sizes"})


class CrossValidation(_Scheme):
    """Repeated stratified k-fold cross-validation with the folds of scikit-learn or of Weka."""

    kind: Literal["cross-validation"] = "cross-validation"
    folds: Literal["stratified", "weka"] = "stratified"
    n_folds: Annotated[int, Field(ge=2)] = 10

    def splits(self) -> Iterator[Split]:
        """Every fold of every repeat."""
        return (Split(r, f) for r in range(self.repeats) for f in range(self.n_folds))

    @property
    def n_splits(self) -> int:
        """The folds of all repeats."""
        return self.repeats * self.n_folds


class FiveByTwo(_Scheme):
    """Five repeats of two-fold cross-validation, for the 5x2cv tests."""

    kind: Literal["5x2"]
    folds: Literal["stratified", "weka"] = "stratified"
    repeats: Literal[5] = 5

    def splits(self) -> Iterator[Split]:
        """Both folds of every repeat."""
        return (Split(r, f) for r in range(5) for f in range(2))

    @property
    def n_splits(self) -> int:
        """Ten."""
        return 10

    def identity(self) -> dict[str, Any]:
        """The identity of two-fold cross-validation, so that both share their units."""
        return CrossValidation(folds=self.folds, n_folds=2).identity()


class Holdout(_Scheme):
    """One part for training, the rest for testing."""

    kind: Literal["holdout"]
    test_share: Annotated[float, Field(gt=0, lt=1)] = 1 / 3
    stratified: bool = True


class _SizedScheme(_Scheme):
    """Training sets of given sizes."""

    sizes: Sizes

    def splits(self) -> Iterator[Split]:
        """Every repeat of every size."""
        return (Split(r, 0, size) for size in self.sizes for r in range(self.repeats))

    @property
    def n_splits(self) -> int:
        """The repeats of all sizes."""
        return self.repeats * len(self.sizes)


class Downsample(_SizedScheme):
    """Small training sets of given sizes; all other rows are test rows.

    With ``replacement`` a row can be drawn several times, and the test rows are those that were
    never drawn.
    """

    kind: Literal["downsample"]
    stratified: bool = True
    replacement: bool = False

    def identity(self) -> dict[str, Any]:
        """What the splits depend on; the default ``replacement = false`` is left out."""
        found = super().identity()
        if not self.replacement:
            del found["replacement"]
        return found


class Generate(_SizedScheme):
    """Training sets of given sizes and test sets, drawn from models with known probabilities.

    By default each training set has a separate test set; with ``same_test`` the training sets of
    a repeat share one test set.
    """

    kind: Literal["generate"]
    test_rows: Count = 10_000
    same_test: bool = False

    def identity(self) -> dict[str, Any]:
        """What the splits depend on; the default ``same_test = false`` is left out."""
        return {key: value for key, value in super().identity().items() if value is not False}


SCHEMES = (CrossValidation, FiveByTwo, Holdout, Downsample, Generate)
Scheme = Annotated[
    CrossValidation | FiveByTwo | Holdout | Downsample | Generate, Field(discriminator="kind")
]

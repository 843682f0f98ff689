"""Schemes: how a data set is cut into training and test rows, and how often.

A scheme lists its splits; a split is the number of the repeat, of the fold and, where training sets
of several sizes are drawn, the size.  What identifies a split does not say how many others there
are, so that a plan with more repeats goes on where one with fewer ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Scheme", "Split"]

Sizes = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]


class Split(NamedTuple):
    """One way to cut a data set, counted from 0; ``size`` where the training set has a set size."""

    repeat: int
    fold: int
    size: int | None = None


class _Scheme(BaseModel):
    """What all schemes share: they list splits, and say what identifies one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repeats: Count = 1

    def splits(self) -> Iterator[Split]:
        """Every split, repeat by repeat."""
        return (Split(repeat, 0) for repeat in range(self.repeats))

    def identity(self) -> dict[str, Any]:
        """What the splits depend on, besides their numbers."""
        return self.model_dump(exclude={"repeats", "sizes"})


class CrossValidation(_Scheme):
    """Repeated k-fold cross-validation, stratified: scikit-learn's folds or Weka's."""

    kind: Literal["cross-validation"] = "cross-validation"
    folds: Literal["stratified", "weka"] = "stratified"
    n_folds: Annotated[int, Field(ge=2)] = 10

    def splits(self) -> Iterator[Split]:
        """Every fold of every repeat."""
        return (Split(r, f) for r in range(self.repeats) for f in range(self.n_folds))


class FiveByTwo(_Scheme):
    """Five repeats of two-fold cross-validation, for the 5x2cv tests."""

    kind: Literal["5x2"]
    folds: Literal["stratified", "weka"] = "stratified"
    repeats: Literal[5] = 5

    def splits(self) -> Iterator[Split]:
        """Both folds of every repeat."""
        return (Split(r, f) for r in range(5) for f in range(2))

    def identity(self) -> dict[str, Any]:
        """The same as that of two-fold cross-validation, whose units it shares."""
        return CrossValidation(folds=self.folds, n_folds=2).identity()


class Holdout(_Scheme):
    """One part for training, the rest for testing."""

    kind: Literal["holdout"]
    test_share: Annotated[float, Field(gt=0, lt=1)] = 1 / 3
    stratified: bool = True


class Downsample(_Scheme):
    """Small training sets of given sizes; all other rows are for testing."""

    kind: Literal["downsample"]
    sizes: Sizes
    stratified: bool = True

    def splits(self) -> Iterator[Split]:
        """Every repeat of every size."""
        return (Split(r, 0, size) for size in self.sizes for r in range(self.repeats))


class Generate(_Scheme):
    """Training sets of given sizes, and test sets, drawn from models whose truth is known.

    Each training set has a test set of its own; with ``same_test`` those of a repeat share one.
    """

    kind: Literal["generate"]
    sizes: Sizes
    test_rows: Count = 10_000
    same_test: bool = False

    def splits(self) -> Iterator[Split]:
        """Every repeat of every size."""
        return (Split(r, 0, size) for size in self.sizes for r in range(self.repeats))

    def identity(self) -> dict[str, Any]:
        """What the splits depend on; test sets of their own, the rule, are not mentioned."""
        return {key: value for key, value in super().identity().items() if value is not False}


Scheme = Annotated[
    CrossValidation | FiveByTwo | Holdout | Downsample | Generate, Field(discriminator="kind")
]

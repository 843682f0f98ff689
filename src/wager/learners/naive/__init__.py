"""Naive Bayes, the naive credal classifiers, and averages of naive Bayes over feature subsets."""

from wager.learners.naive._averaging import BayesianModelAveraging
from wager.learners.naive._bayes import NaiveBayes
from wager.learners.naive._changes import SmallestChange as SmallestChange
from wager.learners.naive._credal import NaiveCredal
from wager.learners.naive._credal_averaging import CredalModelAveraging
from wager.learners.naive._explain import (
    AveragingExplanation as AveragingExplanation,
    RatioExplanation as RatioExplanation,
)
from wager.learners.naive._intervals import (
    LocalModel as LocalModel,
    largest_other as largest_other,
)
from wager.learners.naive._lazy import LazyNaiveCredal
from wager.learners.naive._log_tables import (
    pad as pad,
    padded_starts as padded_starts,
)
from wager.learners.naive._point_model import PointModel as PointModel
from wager.learners.naive._row_counts import RowCountsByClass as RowCountsByClass

__all__ = [
    "BayesianModelAveraging",
    "CredalModelAveraging",
    "LazyNaiveCredal",
    "NaiveBayes",
    "NaiveCredal",
]

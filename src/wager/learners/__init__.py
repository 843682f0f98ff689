"""scikit-learn estimators, precise and credal."""

from wager.learners._aode import AODE
from wager.learners._baselines import KRandom, RandomClass, Vacuous
from wager.learners._c45 import C45
from wager.learners._causal import CausalMML
from wager.learners._conformal import Conformal
from wager.learners._credal_averaging import CredalModelAveraging
from wager.learners._credal_forest import CredalForest
from wager.learners._credal_tree import CredalTree
from wager.learners._dichotomies import NestedDichotomies, NestedDichotomyForest
from wager.learners._ensemble import EnsembleCredal
from wager.learners._lazy_naive_credal import LazyNaiveCredal
from wager.learners._model_averaging import BayesianModelAveraging
from wager.learners._naive_bayes import NaiveBayes
from wager.learners._naive_credal import NaiveCredal
from wager.learners._tan import TAN
from wager.learners._wrappers import Nondeterministic, OptimalSets, Rejecting
from wager.learners._wrappers_intervals import CredalIntervals

__all__ = [
    "AODE",
    "C45",
    "TAN",
    "BayesianModelAveraging",
    "CausalMML",
    "Conformal",
    "CredalForest",
    "CredalIntervals",
    "CredalModelAveraging",
    "CredalTree",
    "EnsembleCredal",
    "KRandom",
    "LazyNaiveCredal",
    "NaiveBayes",
    "NaiveCredal",
    "NestedDichotomies",
    "NestedDichotomyForest",
    "Nondeterministic",
    "OptimalSets",
    "RandomClass",
    "Rejecting",
    "Vacuous",
]

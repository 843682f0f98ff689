"""scikit-learn estimators, precise and credal."""

from wager.learners._base import TableClassifier
from wager.learners._registry import find_learner, is_learner_parameter, make_learner, stable_name
from wager.learners.dichotomies._nested import NestedDichotomies, NestedDichotomyForest
from wager.learners.naive._averaging import BayesianModelAveraging
from wager.learners.naive._bayes import NaiveBayes
from wager.learners.naive._credal import NaiveCredal
from wager.learners.naive._credal_averaging import CredalModelAveraging
from wager.learners.naive._lazy import LazyNaiveCredal
from wager.learners.networks._aode import AODE
from wager.learners.networks._tan import TAN
from wager.learners.networks.causal._learner import CausalMML
from wager.learners.trees._c45 import C45
from wager.learners.trees._credal import CredalTree
from wager.learners.trees._forest import CredalForest
from wager.learners.trees._view import TreeNode
from wager.learners.wrappers._baselines import KRandom, RandomClass, Vacuous
from wager.learners.wrappers._conformal import Conformal
from wager.learners.wrappers._credal_intervals import CredalIntervals
from wager.learners.wrappers._ensemble import EnsembleCredal
from wager.learners.wrappers._nondeterministic import Nondeterministic, OptimalSets, Rejecting

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

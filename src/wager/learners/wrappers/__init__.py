"""Set-valued classifiers around any other classifier, and baselines that guess."""

from wager.learners.wrappers._baselines import KRandom, RandomClass, Vacuous
from wager.learners.wrappers._caution_curve import CautionCurve as CautionCurve
from wager.learners.wrappers._conformal import Conformal
from wager.learners.wrappers._credal_intervals import CredalIntervals
from wager.learners.wrappers._ensemble import EnsembleCredal
from wager.learners.wrappers._inner import (
    inner_tags as inner_tags,
)
from wager.learners.wrappers._nondeterministic import Nondeterministic
from wager.learners.wrappers._optimal_sets import OptimalSets
from wager.learners.wrappers._rejecting import Rejecting
from wager.learners.wrappers._tuned_caution import TunedCaution
from wager.learners.wrappers._venn_abers import VennAbers

__all__ = [
    "Conformal",
    "CredalIntervals",
    "EnsembleCredal",
    "KRandom",
    "Nondeterministic",
    "OptimalSets",
    "RandomClass",
    "Rejecting",
    "TunedCaution",
    "Vacuous",
    "VennAbers",
]

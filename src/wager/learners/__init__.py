"""scikit-learn estimators, precise and credal.

The classes below are listed for type checkers and for readers.  Every other learner class that a
module of a sub-package defines and lists in its ``__all__`` is an attribute of this package as
well, and has a name for plans and for the command line.
"""

from typing import TYPE_CHECKING, Any

from wager._tables import NamedCounts as NamedCounts
from wager.learners._base import (
    CategoricalClassifier as CategoricalClassifier,
    TableClassifier as TableClassifier,
    first_largest as first_largest,
)
from wager.learners._counted import FitCountsMixin as FitCountsMixin
from wager.learners._explain import (
    CountExplanation as CountExplanation,
    SetExplanation as SetExplanation,
)
from wager.learners._parameters import check_parameters as check_parameters
from wager.learners._registry import (
    find_learner as find_learner,
    is_learner_parameter as is_learner_parameter,
    learner_classes as learner_classes,
    learner_names as learner_names,
    make_learner as make_learner,
    stable_name as stable_name,
)
from wager.learners.dichotomies import (
    DichotomyExplanation as DichotomyExplanation,
    NestedDichotomies,
    NestedDichotomyForest,
)
from wager.learners.naive import (
    AveragingExplanation as AveragingExplanation,
    BayesianModelAveraging,
    CredalModelAveraging,
    LazyNaiveCredal,
    NaiveBayes,
    NaiveCredal,
    RatioExplanation as RatioExplanation,
    SmallestChange as SmallestChange,
)
from wager.learners.neighbours import CredalNeighbors
from wager.learners.networks import (
    AODE,
    TAN,
    CausalMML,
    ChainComparison as ChainComparison,
)
from wager.learners.trees import (
    C45,
    CredalForest,
    CredalTree,
    LeafExplanation as LeafExplanation,
    TreeNode as TreeNode,
    VoteExplanation as VoteExplanation,
)
from wager.learners.wrappers import (
    CautionCurve as CautionCurve,
    Conformal,
    CredalIntervals,
    EnsembleCredal,
    KRandom,
    Nondeterministic,
    OptimalSets,
    RandomClass,
    Rejecting,
    TunedCaution,
    Vacuous,
    VennAbers,
)

# not learners, so not in __all__: CategoricalClassifier, CautionCurve, ChainComparison,
# FitCountsMixin, NamedCounts, SetExplanation and its kinds, SmallestChange, TableClassifier,
# TreeNode, check_parameters, find_learner, first_largest, is_learner_parameter, make_learner,
# stable_name

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
    "CredalNeighbors",
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
    "TunedCaution",
    "Vacuous",
    "VennAbers",
]

if not TYPE_CHECKING:  # type checkers know the names listed above, and report all others

    def __getattr__(name: str) -> Any:
        """A learner that is not listed above, from a module that was added to a sub-package."""
        if name[:1].isupper():
            found = learner_classes().get(name)
            if found is not None:
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

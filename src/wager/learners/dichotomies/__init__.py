"""Nested dichotomies: many classes as trees of two-class problems with probability intervals."""

from wager.learners.dichotomies._explain import DichotomyExplanation as DichotomyExplanation
from wager.learners.dichotomies._forest import NestedDichotomyForest
from wager.learners.dichotomies._nested import NestedDichotomies

__all__ = ["NestedDichotomies", "NestedDichotomyForest"]
